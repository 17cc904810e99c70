/* Tenants: their quotas by a clock of ours, and what each is served. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/tenancy.h"
#include "daemon/tenants.h"
#include "tap.h"

enum { MS = 1000000 };

/* ---- quotas ---- */

static void
a_minute_takes_so_many_calls_and_says_when_the_next (void)
{
  const struct quota_limits limits = { .per_minute = 3 };
  CLEANUP_BUF struct buf why = { 0 };
  struct quota quota = { 0 };
  int64_t now = (int64_t) 1000 * MS, retry;

  for (int i = 0; i < 3; i++)
    CU_ASSERT (quota_take (&quota, &limits, now + i * (int64_t) 10000 * MS, &retry, &why));
  CU_ASSERT_EQUAL (why.len, 0);
  now += (int64_t) 20000 * MS;
  CU_ASSERT_FALSE (quota_take (&quota, &limits, now, &retry, &why));
  CU_ASSERT_EQUAL (retry, 40000);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&why),
                          "The tenant's quota is 3 calls a minute; the next one is taken in 40 s.");
  CU_ASSERT_EQUAL (quota_minute (&quota, now), 3);
  CU_ASSERT_EQUAL (quota.refused, 1);
  /* one nanosecond too early, and in time */
  CU_ASSERT_FALSE (quota_take (&quota, &limits, now + (int64_t) 40000 * MS - 1, &retry, &why));
  CU_ASSERT_EQUAL (retry, 1);
  CU_ASSERT (quota_take (&quota, &limits, now + (int64_t) 40000 * MS, &retry, &why));
  CU_ASSERT_FALSE (quota_take (&quota, &limits, now + (int64_t) 40000 * MS, &retry, &why));
  CU_ASSERT_EQUAL (retry, 10000);
  quota_free (&quota);
}

static void
a_quota_that_changes_keeps_what_was_taken (void)
{
  struct quota_limits limits = { .per_minute = 4 };
  CLEANUP_BUF struct buf why = { 0 };
  struct quota quota = { 0 };
  int64_t retry;

  for (int i = 0; i < 4; i++)
    CU_ASSERT (quota_take (&quota, &limits, (i + 1) * (int64_t) MS, &retry, &why));
  limits.per_minute = 5;
  CU_ASSERT (quota_take (&quota, &limits, 5 * (int64_t) MS, &retry, &why));
  CU_ASSERT_FALSE (quota_take (&quota, &limits, 6 * (int64_t) MS, &retry, &why));
  limits.per_minute = 2; /* the two newest count */
  CU_ASSERT_FALSE (quota_take (&quota, &limits, 6 * (int64_t) MS, &retry, &why));
  CU_ASSERT_EQUAL (retry, 60000 + 4 - 6);
  limits.per_minute = 0;
  CU_ASSERT (quota_take (&quota, &limits, 6 * (int64_t) MS, &retry, &why));
  quota_free (&quota);
}

static void
no_more_calls_wait_than_may (void)
{
  const struct quota_limits limits = { .queued = 2 };
  CLEANUP_BUF struct buf why = { 0 };
  struct quota quota = { .waiting = 1 };
  int64_t retry;

  CU_ASSERT (quota_take (&quota, &limits, 1, &retry, &why));
  quota.waiting = 2;
  CU_ASSERT_FALSE (quota_take (&quota, &limits, 1, &retry, &why));
  CU_ASSERT (retry > 0);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&why), "The tenant's quota is 2 waiting calls, and so many wait; try again later.");
  quota_free (&quota);
}

/* ---- who is served what ---- */

struct told {
  struct catalog_watcher watcher; /* first */
  const struct catalog *of[4];
  unsigned count;
};

static void
on_told (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  struct told *told = (struct told *) watcher;

  CU_ASSERT_NOT_EQUAL (lists, 0);
  if (told->count < 4)
    told->of[told->count] = of;
  told->count++;
}

static struct toolset *
set_with (struct catalog *catalog, const char *name)
{
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  tool->plugin = xstrdup ("p");
  buf_puts (&tool->mcp, name);
  return toolset_new (&tool, 1, catalog_generation (catalog));
}

static void
tenants_without_a_file_are_served_as_default (void)
{
  struct catalog *whole = catalog_new ();
  struct tenants pool = { 0 };
  struct tenancies *all = tenancies_new (whole, &pool);
  struct tenancy *acme = tenancies_of (all, "acme"), *other = tenancies_of (all, "other");
  struct terms terms = { .running_max = 7, .roles = ~0U, .repair = -1 };
  struct told told = { .watcher.changed = on_told };
  struct catalog *own;

  CU_ASSERT_PTR_EQUAL (tenancy_catalog (acme), whole);
  CU_ASSERT_PTR_EQUAL (tenancies_of (all, "acme"), acme);
  CU_ASSERT_PTR_EQUAL (tenancies_of (all, NULL), tenancies_of (all, "default"));
  catalog_watch (whole, &told.watcher);
  own = tenancy_grant (acme, &terms);
  CU_ASSERT_PTR_NOT_EQUAL (own, whole);
  catalog_swap (own, set_with (whole, "a"));
  CU_ASSERT_EQUAL (told.count, 1);
  CU_ASSERT_PTR_EQUAL (told.of[0], own);
  CU_ASSERT_PTR_EQUAL (tenancy_catalog (other), whole);
  CU_ASSERT_EQUAL (tenants_get (&pool, "acme")->running_max, 7);
  CU_ASSERT_EQUAL (tenants_get (&pool, "other")->running_max, 0);

  terms.running_max = 3;
  own = tenancy_grant (tenancies_of (all, NULL), &terms);
  CU_ASSERT_PTR_EQUAL (tenancy_catalog (other), own);
  CU_ASSERT_PTR_NOT_EQUAL (tenancy_catalog (acme), own);
  CU_ASSERT_EQUAL (tenants_get (&pool, "other")->running_max, 3);
  CU_ASSERT_EQUAL (tenants_get (&pool, "acme")->running_max, 7);
  CU_ASSERT_EQUAL (tenancy_terms (tenancies_of (all, "new"))->running_max, 3);
  CU_ASSERT_EQUAL (tenants_get (&pool, "new")->running_max, 3);

  tenancy_revoke (acme);
  CU_ASSERT_EQUAL (told.count, 2);
  CU_ASSERT_PTR_EQUAL (tenancy_catalog (acme), own);
  tenancy_revoke (tenancies_of (all, NULL));
  CU_ASSERT_PTR_EQUAL (tenancy_catalog (acme), whole);
  CU_ASSERT_EQUAL (tenants_get (&pool, "acme")->running_max, 0);
  tenancies_free (all);
  catalog_free (whole);
  tenants_clear (&pool);
}

/* ---- files ---- */

struct folder {
  char path[64];
  int fd;
  struct tenant_files files;
  unsigned changed, refused, gone;
  struct error err;
};

static void
on_changed (void *ctx, const struct tenant_file *file)
{
  CU_ASSERT_PTR_NULL (file->problem);
  ((struct folder *) ctx)->changed++;
}

static void
on_refused (void *ctx, const struct tenant_file *file)
{
  CU_ASSERT_PTR_NOT_NULL (file->problem);
  ((struct folder *) ctx)->refused++;
}

static void
on_gone (void *ctx, const char *name)
{
  (void) name;
  ((struct folder *) ctx)->gone++;
}

static void
folder_open (struct folder *f)
{
  *f = (struct folder){ .path = "/tmp/toolhost-tenants-XXXXXX" };
  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (f->path));
  f->fd = open (f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CU_ASSERT_EQUAL_FATAL (mkdirat (f->fd, "tenants.d", 0700), 0);
}

static void
folder_close (struct folder *f, const char *const *names)
{
  for (; *names != NULL; names++)
    (void) unlinkat (f->fd, *names, 0);
  CU_ASSERT_EQUAL (unlinkat (f->fd, "tenants.d", AT_REMOVEDIR), 0);
  CU_ASSERT_EQUAL (rmdir (f->path), 0);
  (void) close (f->fd);
  tenant_files_free (&f->files);
}

static void
put (struct folder *f, const char *name, const char *text)
{
  int fd = openat (f->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  CU_ASSERT_FATAL (fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text));
  (void) close (fd);
}

static bool
read_again (struct folder *f)
{
  const struct tenant_files_events events = { on_changed, on_refused, on_gone };

  f->changed = f->refused = f->gone = 0;
  f->err.text[0] = '\0';
  return tenant_files_read (&f->files, f->fd, &events, f, &f->err);
}

static const struct tenant_file *
file_of (const struct folder *f, const char *name)
{
  struct tenant_file *file = NULL;

  HASH_FIND_STR (f->files.by_name, name, file);
  CU_ASSERT_PTR_NOT_NULL_FATAL (file);
  return file;
}

static void
a_file_is_read_and_a_bad_one_keeps_the_last_good (void)
{
  struct folder f;
  const struct tenant_file *acme;

  folder_open (&f);
  put (&f, "tenants.d/acme.json",
       "{ \"tenant_id\": \"acme\", // as the file\n"
       "  \"tools\": [\"calc*\", \"echo\"], \"plugins\": [], \"roles\": [\"call\"],\n"
       "  \"quotas\": {\"running\": 4, \"queued\": null, \"per_minute\": 60},\n"
       "  \"detailed_errors\": true, \"repair\": \"off\", \"pin\": true, \"guards\": {},\n"
       "  \"features\": {\"refer\": {\"enabled\": true}} }");
  CU_ASSERT (read_again (&f));
  CU_ASSERT_EQUAL (f.changed, 1);
  acme = file_of (&f, "acme");
  CU_ASSERT_EQUAL (acme->terms.running_max, 4);
  CU_ASSERT_EQUAL (acme->terms.quota.queued, 0);
  CU_ASSERT_EQUAL (acme->terms.quota.per_minute, 60);
  CU_ASSERT (acme->terms.detailed_errors);
  CU_ASSERT (acme->settings.pin);
  CU_ASSERT_EQUAL (acme->terms.repair, 0);
  CU_ASSERT_EQUAL (acme->terms.roles, 3); /* who may call may list */
  CU_ASSERT_STRING_EQUAL (acme->granted.tools.data, "calc*,echo");
  CU_ASSERT_PTR_NOT_NULL (acme->granted.plugins.data);
  CU_ASSERT_EQUAL (acme->granted.plugins.len, 0);
  CU_ASSERT_PTR_NULL (acme->granted.tags.data);
  CU_ASSERT_STRING_EQUAL (acme->settings.features, "{\"refer\":{\"enabled\":true}}");

  CU_ASSERT (read_again (&f)); /* nothing is new */
  CU_ASSERT_EQUAL (f.changed, 0);

  put (&f, "tenants.d/acme.json", "{ \"quotas\": {\"running\": 0} }");
  CU_ASSERT_FALSE (read_again (&f));
  CU_ASSERT_EQUAL (f.changed, 0);
  CU_ASSERT_EQUAL (f.refused, 1);
  CU_ASSERT_EQUAL (acme->terms.running_max, 4);
  CU_ASSERT_PTR_NOT_NULL (acme->problem);
  CU_ASSERT_FALSE (read_again (&f)); /* it is said once */
  CU_ASSERT_EQUAL (f.refused, 0);

  put (&f, "tenants.d/acme.json", "{}");
  CU_ASSERT (read_again (&f));
  CU_ASSERT_EQUAL (f.changed, 1);
  CU_ASSERT_PTR_NULL (acme->problem);
  CU_ASSERT_EQUAL (acme->terms.roles, ~0U);
  CU_ASSERT_FALSE (acme->settings.pin);

  CU_ASSERT_EQUAL (unlinkat (f.fd, "tenants.d/acme.json", 0), 0);
  CU_ASSERT (read_again (&f));
  CU_ASSERT_EQUAL (f.gone, 1);
  CU_ASSERT_PTR_NULL (f.files.by_name);
  folder_close (&f, (const char *const[]){ NULL });
}

static void
what_never_was_good_gives_nothing_and_harms_nobody (void)
{
  struct folder f;

  folder_open (&f);
  put (&f, "tenants.d/bad.json", "{");
  put (&f, "tenants.d/good.json", "{}");
  CU_ASSERT_FALSE (read_again (&f));
  CU_ASSERT_EQUAL (f.changed, 1);
  CU_ASSERT_EQUAL (f.refused, 1);
  CU_ASSERT_PTR_NULL (file_of (&f, "bad")->text);
  CU_ASSERT_PTR_NOT_NULL (file_of (&f, "bad")->granted.tools.data);
  CU_ASSERT_EQUAL (file_of (&f, "bad")->granted.tools.len, 0);
  CU_ASSERT_PTR_NULL (file_of (&f, "good")->granted.tools.data);
  folder_close (&f, (const char *const[]){ "tenants.d/bad.json", "tenants.d/good.json", NULL });
}

static void
each_error_has_its_pointer_and_a_hint (void)
{
  static const struct {
    const char *text, *said;
  } rows[] = {
    { "{\"quota\":{}}", "tenants.d/x.json: /quota: " },
    { "{\"quotas\":{\"per_minut\":1}}", "/quotas/per_minut: " },
    { "{\"quotas\":{\"per_minute\":100001}}", "/quotas/per_minute: " },
    { "{\"quotas\":{\"queued\":\"many\"}}", "/quotas/queued: " },
    { "{\"tenant_id\":\"y\"}", "/tenant_id: expected \"x\", as the file is named, got \"y\"" },
    { "{\"features\":{\"refer\":true}}",
      "/features/refer: expected an object: the configuration of the feature's builder" },
    { "{\"tools\":[\"a,b\"]}", "/tools/0: expected a name or pattern without commas" },
    { "{\"roles\":[\"manager\"]}", "/roles/0: " },
    { "{\"keys\":[]}", "/keys: keys are not kept here: make one with toolhost key new" },
    { "{\"guards\":[\"pii\"]}", "/guards: " },
    { "{\"guards\":{\"inputs\":[]}}", "/guards/inputs: " },
    { "{\"guards\":{\"input\":[{\"tools\":[\"x\"]}]}}", "/guards/input/0/guard: " },
    { "{\"guards\":{\"input\":[{\"guard\":\"budgt\"}]}}",
      "/guards/input/0/guard: there is no guard \"budgt\"; did you mean \"budget\"?" },
    { "{\"guards\":{\"output\":[{\"guard\":\"pii\",\"kinds\":[\"fax\"]}]}}",
      "/guards/output/0/kinds/0: " },
    { "{\"approvals\":{\"echo\":\"always\"}}", "/approvals/echo: " },
    { "{\"approvals\":{\"mode\":\"sometimes\"}}", "/approvals/mode: " },
    { "{\"approvals\":{\"ttl\":\"10 minutes\"}}", "/approvals/ttl: expected a duration" },
    { "{\"approvals\":{\"ttl\":5}}", "/approvals/ttl: " },
    { "{\"approvals\":{\"unasked_max\":0}}", "/approvals/unasked_max: " },
    { "{\"approvals\":{\"unasked_max\":1.5}}", "/approvals/unasked_max: " },
    { "{\"approvals\":{\"by\":\"anybody\"}}", "/approvals/by: " },
    { "{\"approvals\":{\"rules\":[{\"tools\":[\"pay\"]}]}}", "/approvals/rules/0/approval: " },
    { "{\"approvals\":{\"rules\":[{\"approval\":\"always\",\"tools\":[7]}]}}",
      "/approvals/rules/0/tools/0: expected a name or pattern" },
    { "{\"approvals\":{\"rules\":[{\"approval\":\"always\",\"arguments\":{\"type\":\"strnig\"}}]}}",
      "/approvals/rules/0/arguments/type: " },
    { "{\"pin\":1}", "/pin: " },
    { "{\"detailed_errors\":1}", "/detailed_errors: " },
    { "{\"realtime\":{\"numbers\":[\"014155550100\"]}}",
      "/realtime/numbers/0: expected a number like \"+14155550100\", or \"*\"" },
    { "{\"realtime\":{\"session\":{\"tools\":[]}}}", "/realtime/session/tools: expected no tools" },
    { "{\"realtime\":{\"session\":{\"tool_choice\":\"auto\"}}}",
      "/realtime/session/tool_choice: expected none: it is the tenant's \"tool_choice\"" },
    { "{\"realtime\":{\"number\":[]}}", "/realtime/number: " },
    { "[]", "expected a JSON object" },
  };
  struct folder f;

  folder_open (&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    put (&f, "tenants.d/x.json", rows[i].text);
    CU_ASSERT_FALSE (read_again (&f));
    if (strstr (f.err.text, rows[i].said) == NULL)
      printf ("# %s: got %s\n", rows[i].text, f.err.text);
    CU_ASSERT_PTR_NOT_NULL (strstr (f.err.text, rows[i].said));
  }
  folder_close (&f, (const char *const[]){ "tenants.d/x.json", NULL });
}

static const char *
called (const struct folder *f, const char *number)
{
  const struct tenant_file *file = tenant_files_called (&f->files, number);

  return file != NULL ? file->name : "nobody";
}

static void
U0_4_numbers_are_of_the_first_tenant_that_has_them (void)
{
  struct folder f;

  folder_open (&f);
  put (&f, "tenants.d/b.json", "{\"realtime\":{\"numbers\":[\"+14155550100\",\"+33123456789\"]}}");
  put (&f, "tenants.d/a.json", "{\"realtime\":{\"numbers\":[\"+14155550100\"]}}");
  CU_ASSERT_TRUE (read_again (&f));
  CU_ASSERT_STRING_EQUAL (called (&f, "+14155550100"), "a");
  CU_ASSERT_STRING_EQUAL (called (&f, "33123456789"), "b");
  CU_ASSERT_STRING_EQUAL (called (&f, "+49301234567"), "nobody");
  CU_ASSERT_STRING_EQUAL (called (&f, ""), "nobody");
  CU_ASSERT_STRING_EQUAL (called (&f, "*"), "nobody");
  put (&f, "tenants.d/c.json", "{\"realtime\":{\"numbers\":[\"*\"]}}");
  CU_ASSERT_TRUE (read_again (&f));
  CU_ASSERT_STRING_EQUAL (called (&f, "+49301234567"), "c");
  CU_ASSERT_STRING_EQUAL (called (&f, "+14155550100"), "a");
  folder_close (
    &f, (const char *const[]){ "tenants.d/a.json", "tenants.d/b.json", "tenants.d/c.json", NULL });
}

static CU_TestInfo tests[] = {
  { "U0-4 numbers are of the first tenant that has them",
    U0_4_numbers_are_of_the_first_tenant_that_has_them },
  { "a minute takes so many calls, and says when the next",
    a_minute_takes_so_many_calls_and_says_when_the_next },
  { "a quota that changes keeps what was taken", a_quota_that_changes_keeps_what_was_taken },
  { "no more calls wait than may", no_more_calls_wait_than_may },
  { "tenants without a file are served as default", tenants_without_a_file_are_served_as_default },
  { "S0-15 a file is read, and a bad one keeps the last good",
    a_file_is_read_and_a_bad_one_keeps_the_last_good },
  { "what never was good gives nothing, and harms nobody",
    what_never_was_good_gives_nothing_and_harms_nobody },
  { "each error has its pointer and a hint", each_error_has_its_pointer_and_a_hint },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "tenancy", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

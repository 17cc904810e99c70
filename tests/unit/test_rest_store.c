/* GET /v1/store and POST /v1/store/backup. */
#include <sys/stat.h>
#include <unistd.h>

#include "fake_calls.h"
#include "fake_http.h"
#include "front/rest/rest.h"
#include "place.h"
#include "store/store.h"
#include "tap.h"

static struct fake_env fake;
static struct rest *rest;
static struct place place;

static void
open_with (bool durable)
{
  struct store_settings settings = store_defaults;
  struct error err = { 0 };

  place_open (&place);
  fake_env_init (&fake);
  settings.loop = fake.env.loop;
  settings.folder = place.path;
  fake.env.store = durable ? store_open_sqlite (&settings, &err) : store_open_memory (&settings);
  CU_ASSERT_PTR_NOT_NULL_FATAL (fake.env.store);
  fake.env.state_dir = place.path;
  rest = rest_new (&fake.env);
}

static void
open_durable (void)
{
  open_with (true);
}

static void
close_all (void)
{
  rest_free (rest);
  store_close (fake.env.store);
  fake_env_free (&fake);
  place_close (&place);
}

static void
ask (struct fake_answer *a, const struct front_peer *peer, const char *method, const char *path)
{
  fake_http_request (a, peer, method, path, "", NULL);
  rest_handle (rest, a->x);
}

/* Ask, and wait until it is answered. */
static void
expect (const struct front_peer *peer, const char *method, const char *path, int status,
        const char *part)
{
  struct fake_answer a;

  ask (&a, peer, method, path);
  while (a.status == 0 && ev_run (fake.env.loop, EVRUN_ONCE))
    ;
  CU_ASSERT_EQUAL (a.status, status);
  if (strstr (fake_http_body (&a), part) == NULL)
    printf ("# %s %s: %s\n", method, path, fake_http_body (&a));
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), part));
  fake_answer_free (&a);
}

static void
backup (const char *query, int status, const char *part)
{
  char path[400];

  snprintf (path, sizeof path, "/v1/store/backup%s", query);
  expect (&fake_manager, "POST", path, status, part);
}

static const char *
in_backups (const char *name)
{
  static char path[256];

  snprintf (path, sizeof path, "%s/backups/%s", place.path, name);
  return path;
}

static void
the_store_tells_how_it_is (void)
{
  char file[128];

  snprintf (file, sizeof file,
            "{\"engine\":\"sqlite\",\"durable\":true,\"file\":\"%s/toolhost.db\",", place.path);
  expect (&fake_manager, "GET", "/v1/store", 200, file);
  expect (&fake_manager, "GET", "/v1/store", 200,
          "\"well\":true,\"calls\":0,\"running\":0,\"unknown\":0,\"definitions\":0,\"contexts\":0,"
          "\"letters\":0,\"records\":0,\"revision\":0,\"bytes\":");
  expect (&fake_manager, "GET", "/v1/store?x=1", 400, "bad_parameter");
}

static void
only_who_manages_copies_it (void)
{
  expect (&fake_anonymous, "POST", "/v1/store/backup", 403, "\"not_allowed\"");
  CU_ASSERT_FALSE (place_has (&place, "backups"));
}

static void
a_copy_has_the_name_that_was_given (void)
{
  struct stat is;

  backup ("?name=monday.db", 201, "/backups/monday.db\"}");
  CU_ASSERT_EQUAL (stat (in_backups ("monday.db"), &is), 0);
  CU_ASSERT_EQUAL (is.st_mode & 07777, 0600);
  CU_ASSERT_EQUAL (stat (in_backups (""), &is), 0);
  CU_ASSERT_EQUAL (is.st_mode & 07777, 0700);
  backup ("?name=monday.db", 409,
          "\"code\":\"backup_refused\",\"message\":\"There is no copy: the "
          "copy: File exists\"");
}

static void
a_copy_without_a_name_has_the_date (void)
{
  backup ("", 201, "/backups/toolhost-20");
}

static void
a_name_is_nothing_of_a_path (void)
{
  static const char *const names[] = {
    "../x", "a/b", ".hidden", "", "a%20b", "..", "%00", "%C3%A4"
  };
  char query[200];

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf (query, sizeof query, "?name=%s", names[i]);
    backup (query, 400, "name: expected ");
  }
  memset (query, 'x', sizeof query);
  memcpy (query, "?name=", 6);
  query[6 + 101] = '\0';
  backup (query, 400, "name: expected ");
  CU_ASSERT_FALSE (place_has (&place, "backups"));
}

static void
no_link_leads_a_copy_elsewhere (void)
{
  char link[128];

  snprintf (link, sizeof link, "%s/backups", place.path);
  CU_ASSERT_EQUAL (symlink ("/tmp", link), 0);
  backup ("?name=x", 503,
          "\"code\":\"backup_failed\",\"message\":\"There is no copy: Not a "
          "directory\"");
  CU_ASSERT_EQUAL (unlink (link), 0);
}

static void
a_copy_is_made_though_nobody_waits_for_it (void)
{
  struct fake_answer a;

  ask (&a, &fake_manager, "POST", "/v1/store/backup?name=left");
  fake_http_lose (&a);
  while (access (in_backups ("left"), F_OK) != 0 && ev_run (fake.env.loop, EVRUN_ONCE))
    ;
  CU_ASSERT_EQUAL (access (in_backups ("left"), F_OK), 0);
  ev_run (fake.env.loop, 0);
  fake_answer_free (&a);
}

static void
memory_has_no_copy (void)
{
  close_all ();
  open_with (false);
  backup ("", 409, "There is no copy: the store is in memory");
  expect (&fake_manager, "GET", "/v1/store", 200,
          "{\"engine\":\"memory\",\"durable\":false,\"well\":true,");
}

static void
a_daemon_without_a_store_says_so (void)
{
  struct store *store = fake.env.store;

  fake.env.store = NULL;
  expect (&fake_manager, "GET", "/v1/store", 404, "This daemon keeps no store");
  backup ("", 404, "This daemon keeps no store");
  fake.env.store = store;
}

static CU_TestInfo tests[] = {
  { "the store tells how it is", the_store_tells_how_it_is },
  { "only who manages copies it", only_who_manages_copies_it },
  { "a copy has the name that was given", a_copy_has_the_name_that_was_given },
  { "a copy without a name has the date", a_copy_without_a_name_has_the_date },
  { "a name is nothing of a path", a_name_is_nothing_of_a_path },
  { "no link leads a copy elsewhere", no_link_leads_a_copy_elsewhere },
  { "a copy is made though nobody waits for it", a_copy_is_made_though_nobody_waits_for_it },
  { "memory has no copy", memory_has_no_copy },
  { "a daemon without a store says so", a_daemon_without_a_store_says_so },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "rest store", NULL, NULL, open_durable, close_all, tests },
  CU_SUITE_INFO_NULL,
};
TAP_MAIN (suites)

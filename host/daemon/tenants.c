#include "daemon/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_c.h"
#include "base/json_tape.h"
#include "call/guards.h"
#include "daemon/document.h"
#include "daemon/folder.h"
#include "daemon/settings.h"
#include "front/auth/keys.h"
#include "front/auth/roles.h"
#include "front/realtime/number.h"
#include "manage/compose.h"

/* ---- the keys of a file ---- */

#define AT(member) offsetof (struct tenant_settings, member)

static const struct setting quota_settings[] = {
  { "running", SETTING_COUNT_OR_NONE, AT (running), 1, 100000, NULL, NULL },
  { "queued", SETTING_COUNT_OR_NONE, AT (queued), 1, 100000, NULL, NULL },
  { "per_minute", SETTING_COUNT_OR_NONE, AT (per_minute), 1, QUOTA_MINUTE_MAX, NULL, NULL },
  { .name = NULL },
};

static const struct setting realtime_settings[] = {
  { "numbers", SETTING_STRINGS, AT (numbers), 0, 0, NULL, NULL },
  { "session", SETTING_JSON, AT (realtime), 0, 0, NULL, NULL },
  { "calls_max", SETTING_COUNT_OR_NONE, AT (phone_calls_max), 1, 100000, NULL, NULL },
  { .name = NULL },
};

static const struct setting approvals_settings[] = {
  { "mode", SETTING_STRING, AT (approvals.mode), 0, 0, NULL, NULL },
  { "rules", SETTING_JSON_LIST, AT (approvals.rules), 0, 0, NULL, NULL },
  { "ttl", SETTING_DURATION, AT (approvals.ttl_ms), 1000, 7LL * 24 * 3600000, NULL, NULL },
  { "by", SETTING_STRING, AT (approvals.by), 0, 0, NULL, NULL },
  { "unasked_max", SETTING_COUNT, AT (approvals.unasked_max), 1, 1000000, NULL, NULL },
  { .name = NULL },
};

static const struct setting tenant_settings[] = {
  { "$schema", SETTING_FOR_EDITORS, 0, 0, 0, NULL, NULL },
  { "tenant_id", SETTING_STRING, AT (tenant_id), 0, 0, NULL, NULL },
  { "features", SETTING_JSON, AT (features), 0, 0, NULL, NULL },
  { "tool_choice", SETTING_STRING, AT (tool_choice), 0, 0, NULL, NULL },
  { "tools", SETTING_STRINGS, AT (tools), 0, 0, NULL, NULL },
  { "tags", SETTING_STRINGS, AT (tags), 0, 0, NULL, NULL },
  { "plugins", SETTING_STRINGS, AT (plugins), 0, 0, NULL, NULL },
  { "roles", SETTING_STRINGS, AT (roles), 0, 0, NULL, NULL },
  { "quotas", SETTING_GROUP, 0, 0, 0, quota_settings, NULL },
  { "detailed_errors", SETTING_BOOL, AT (detailed_errors), 0, 0, NULL, NULL },
  { "repair", SETTING_REPAIR, AT (repair), 0, 0, NULL, NULL },
  { "realtime", SETTING_GROUP, 0, 0, 0, realtime_settings, NULL },
  { "hooks", SETTING_HOOKS, AT (hooks), 0, 0, NULL, NULL },
  { "keys", SETTING_NOT_HERE, 0, 0, 0, NULL,
    "keys are not kept here: make one with toolhost key new --tenant NAME, which keeps its hash" },
  { "guards", SETTING_GUARDS, AT (guards), 0, 0, NULL, NULL },
  { "approvals", SETTING_GROUP, 0, 0, 0, approvals_settings, NULL },
  { "pin", SETTING_BOOL, AT (pin), 0, 0, NULL, NULL },
  { .name = NULL },
};

static void
settings_clear (struct tenant_settings *s)
{
  free (s->tenant_id);
  free (s->features);
  free (s->tool_choice);
  settings_free_strings (s->numbers);
  free (s->realtime);
  hooks_clear (&s->hooks);
  guards_unref (s->guards);
  approval_words_clear (&s->approvals);
  approval_rules_unref (s->approval_rules);
  settings_free_strings (s->tools);
  settings_free_strings (s->tags);
  settings_free_strings (s->plugins);
  settings_free_strings (s->roles);
}

/* ---- one file ---- */

static char *
join (char *const *items)
{
  struct buf text = { 0 };

  if (items == NULL)
    return NULL;
  for (size_t i = 0; items[i] != NULL; i++)
    buf_printf (&text, "%s%s", i != 0 ? "," : "", items[i]);
  (void) buf_cstr (&text);
  return text.data;
}

static struct filter_list
list_of (const char *text)
{
  return (struct filter_list){ text, text != NULL ? strlen (text) : 0 };
}

static unsigned
roles_of (char *const *names)
{
  unsigned roles = 0;

  if (names == NULL)
    return ~0U;
  for (; *names != NULL; names++)
    roles |= role_find (*names, strlen (*names));
  return roles_whole (roles);
}

static void
take_settings (struct tenant_file *file, struct tenant_settings *settings)
{
  settings_clear (&file->settings);
  file->settings = *settings;
  for (int i = 0; i < 3; i++)
    free (file->lists[i]);
  file->lists[0] = join (settings->tools);
  file->lists[1] = join (settings->tags);
  file->lists[2] = join (settings->plugins);
  file->granted = (struct tool_filter){ .tools = list_of (file->lists[0]),
                                        .tags = list_of (file->lists[1]),
                                        .plugins = list_of (file->lists[2]) };
  file->terms = (struct terms){ .quota = { .queued = (unsigned) settings->queued,
                                           .per_minute = (unsigned) settings->per_minute },
                                .running_max = (unsigned) settings->running,
                                .roles = roles_of (settings->roles),
                                .repair = settings->repair,
                                .guards = settings->guards,
                                .detailed_errors = settings->detailed_errors,
                                .approvals = settings->approval_rules };
}

static bool
name_fits (const struct tenant_file *file, const struct tenant_settings *s, struct error *err)
{
  if (!key_word (file->name, strlen (file->name)))
    return error_set (err,
                      "the file's name is the tenant's: expected 1 to %d letters, digits, '.', '_' "
                      "and '-'",
                      (int) KEY_WORD_MAX);
  return s->tenant_id == NULL || strcmp (s->tenant_id, file->name) == 0
         || error_set (err, "/tenant_id: expected \"%s\", as the file is named, got \"%.80s\"",
                       file->name, s->tenant_id);
}

/* What is told to the plugin that builds declarative tools is put together here (host_manage.c), so
 * it has to be what that can read. */
static bool
actions_fit (const struct tenant_settings *settings, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct composed c = { .count = 0 };
  const struct json_node *node = NULL;
  struct json_tape tape;
  const char *raw;
  size_t len;
  bool good;

  if (settings->features == NULL
      || !json_read (&tape, settings->features, strlen (settings->features), &documents_limits,
                     &arena))
    return true;
  node = json_member (&tape, json_root (&tape), ACTIONS_FEATURE);
  if (node == NULL)
    return true;
  raw = json_raw (&tape, node, &len);
  good = compose_add_text (&c, raw, len, "tenants.d", err);
  composed_free (&c);
  return good || error_wrap (err, "/features/" ACTIONS_FEATURE);
}

/* What of it is a schema is compiled: the rules are ready when the file is good. */
static bool
approvals_fit (struct tenant_settings *settings, struct error *err)
{
  settings->approval_rules = approval_rules_new (&settings->approvals, err);
  return settings->approval_rules != NULL || error_wrap (err, "/approvals");
}

/* NULL: it is wrong; else the document on one line, and what it says. */
static char *
read_document (const struct tenant_file *file, int fd, struct tenant_settings *settings,
               struct error *err)
{
  struct json_object *object = document_read (fd, tenant_schema_json, err);
  char *text = NULL;

  settings->repair = -1;
  if (object != NULL && settings_fill (settings, tenant_settings, object, err)
      && name_fits (file, settings, err) && actions_fit (settings, err)
      && approvals_fit (settings, err))
    text = xstrdup (json_object_to_json_string_ext (object, JSON_C_TO_STRING_PLAIN));
  if (settings->features == NULL)
    settings->features = xstrdup ("{}");
  json_object_put (object);
  return text;
}

static void
file_free (struct tenant_files *files, struct tenant_file *file)
{
  HASH_DEL (files->by_name, file);
  settings_clear (&file->settings);
  for (int i = 0; i < 3; i++)
    free (file->lists[i]);
  free (file->name);
  free (file->text);
  free (file->problem);
  free (file);
}

/* A tenant of which nothing was ever good gets nothing. */
static struct tenant_file *
file_named (struct tenant_files *files, const char *name, size_t len)
{
  struct tenant_settings nothing = { .repair = -1, .features = xstrdup ("{}") };
  struct tenant_file *file = NULL;

  HASH_FIND (hh, files->by_name, name, len, file);
  if (file != NULL) {
    settings_clear (&nothing);
    return file;
  }
  file = xcalloc (1, sizeof *file);
  file->name = xstrndup (name, len);
  nothing.tools = xcalloc (1, sizeof *nothing.tools);
  nothing.plugins = xcalloc (1, sizeof *nothing.plugins);
  take_settings (file, &nothing);
  HASH_ADD_KEYPTR (hh, files->by_name, file->name, len, file);
  return file;
}

/* ---- all of them ---- */

struct reading {
  struct tenant_files *files;
  const struct tenant_files_events *events;
  void *ctx;
  struct error *err;
  bool good;
};

static void
refuse (struct reading *r, struct tenant_file *file, const struct error *why)
{
  const bool known = file->problem != NULL && strcmp (file->problem, why->text) == 0;

  if (r->good)
    (void) error_set (r->err, "tenants.d/%s.json: %s", file->name, why->text);
  r->good = false;
  if (known)
    return;
  free (file->problem);
  file->problem = xstrdup (why->text);
  r->events->refused (r->ctx, file);
}

static void
accept (struct reading *r, struct tenant_file *file, struct tenant_settings *settings, char *text)
{
  const bool same = file->text != NULL && strcmp (file->text, text) == 0;

  free (file->problem);
  file->problem = NULL;
  if (same) {
    free (text);
    settings_clear (settings);
    return;
  }
  free (file->text);
  file->text = text;
  take_settings (file, settings);
  r->events->changed (r->ctx, file);
}

/* It never fails here: one tenant's file is no other's matter. */
static bool
read_one (void *ctx, const char *name, size_t len, int fd, struct error *unused)
{
  struct reading *r = ctx;
  struct tenant_file *file = file_named (r->files, name, len);
  struct tenant_settings settings = { 0 };
  struct error err = { 0 };
  char *text = read_document (file, fd, &settings, &err);

  (void) unused;
  file->seen = true;
  if (text != NULL)
    accept (r, file, &settings, text);
  else {
    settings_clear (&settings);
    refuse (r, file, &err);
  }
  return true;
}

bool
tenant_files_read (struct tenant_files *files, int config_dir,
                   const struct tenant_files_events *events, void *ctx, struct error *err)
{
  struct reading r = { .files = files, .events = events, .ctx = ctx, .err = err, .good = true };
  struct tenant_file *file, *next;

  for (file = files->by_name; file != NULL; file = file->hh.next)
    file->seen = false;
  if (!folder_each_json (config_dir, "tenants.d", read_one, &r, err))
    return false; /* one can't be opened: nobody is taken for gone */
  HASH_ITER (hh, files->by_name, file, next)
  {
    if (file->seen)
      continue;
    events->gone (ctx, file->name);
    file_free (files, file);
  }
  return r.good;
}

const struct tenant_file *
tenant_files_find (const struct tenant_files *files, const char *tenant)
{
  struct tenant_file *file;

  HASH_FIND_STR (files->by_name, tenant, file);
  return file;
}

static bool
has_number (const struct tenant_file *file, const char *number)
{
  for (char *const *n = file->settings.numbers; n != NULL && *n != NULL; n++)
    if (number_same (*n, number))
      return true;
  return false;
}

static const struct tenant_file *
first_with (const struct tenant_files *files, const char *number)
{
  const struct tenant_file *first = NULL;

  for (const struct tenant_file *f = files->by_name; f != NULL; f = f->hh.next)
    if (has_number (f, number) && (first == NULL || strcmp (f->name, first->name) < 0))
      first = f;
  return first;
}

const struct tenant_file *
tenant_files_called (const struct tenant_files *files, const char *number)
{
  const struct tenant_file *file = strcmp (number, "*") != 0 ? first_with (files, number) : NULL;

  return file != NULL ? file : first_with (files, "*");
}

void
tenant_files_free (struct tenant_files *files)
{
  struct tenant_file *file, *next;

  HASH_ITER (hh, files->by_name, file, next)
  {
    file_free (files, file);
  }
}

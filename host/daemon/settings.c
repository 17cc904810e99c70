#include "daemon/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_c.h"
#include "call/guards.h"
#include "daemon/hooks.h"
#include "daemon/http_keys.h"
#include "pool/policy.h"
#include "schema/repair/repair.h"

enum { GOT_MAX = 60 };

struct unit_name {
  const char *name;
  int64_t factor;
};

static const struct unit_name size_units[] = {
  { "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 }
};
static const struct unit_name duration_units[] = {
  { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { NULL, 0 }
};

/* What was there, short enough for an error. */
static const char *
got (struct json_object *value, char room[GOT_MAX + 4])
{
  const char *text = json_object_to_json_string_ext (value, JSON_C_TO_STRING_PLAIN);

  (void) snprintf (room, GOT_MAX + 4, "%.*s%s", GOT_MAX, text,
                   strlen (text) > GOT_MAX ? "..." : "");
  return room;
}

static bool
expected (struct error *err, const char *what, struct json_object *value)
{
  char room[GOT_MAX + 4];
  return error_set (err, "expected %s, got %s", what, got (value, room));
}

static bool
with_unit (const char *text, const struct unit_name *units, int64_t *number)
{
  char *end;
  long long value;

  errno = 0;
  value = strtoll (text, &end, 10);
  if (end == text || errno != 0 || value < 0)
    return false;
  for (; units->name != NULL; units++)
    if (strcmp (end, units->name) == 0) {
      *number = (int64_t) value * units->factor;
      return value <= INT64_MAX / units->factor;
    }
  return false;
}

/* json-c makes the largest int64_t of what is beyond it. */
static bool
fits (struct json_object *integer)
{
  return json_object_get_int64 (integer) < 0
         || json_object_get_uint64 (integer) <= (uint64_t) INT64_MAX;
}

/* What a number may be written as. */
static const struct {
  const char *what;
  const struct unit_name *units;
  bool or_none;
} numbers[] = {
  [SETTING_COUNT] = { "a whole number", NULL, false },
  [SETTING_SIZE] = { "a size like \"256M\"", size_units, false },
  [SETTING_DURATION] = { "a duration like \"500ms\" or \"30s\"", duration_units, false },
  [SETTING_SIZE_OR_NONE] = { "a size like \"256M\", or null", size_units, true },
  [SETTING_DURATION_OR_NONE] = { "a duration like \"500ms\", or null", duration_units, true },
  [SETTING_COUNT_OR_NONE] = { "a whole number, or null", NULL, true },
};

static bool
read_number (struct json_object *value, const struct setting *s, int64_t *number, struct error *err)
{
  const struct unit_name *units = numbers[s->type].units;

  if (value == NULL && numbers[s->type].or_none) {
    *number = 0;
    return true;
  }
  if (json_object_is_type (value, json_type_int) && fits (value))
    *number = json_object_get_int64 (value);
  else if (units == NULL || !json_object_is_type (value, json_type_string)
           || !with_unit (json_object_get_string (value), units, number))
    return expected (err, numbers[s->type].what, value);
  if (*number < s->min)
    return error_set (err, "expected at least %lld, got %lld", (long long) s->min,
                      (long long) *number);
  if (s->max != 0 && *number > s->max)
    return error_set (err, "expected at most %lld, got %lld", (long long) s->max,
                      (long long) *number);
  return true;
}

static bool
read_ratio (struct json_object *value, double *ratio, struct error *err)
{
  const bool is_number =
    json_object_is_type (value, json_type_int) || json_object_is_type (value, json_type_double);
  const double number = is_number ? json_object_get_double (value) : -1;

  if (!(number >= 0 && number <= 1))
    return expected (err, "a number from 0 to 1", value);
  *ratio = number;
  return true;
}

static bool
clean_path (const char *path)
{
  if (path[0] != '/')
    return false;
  for (const char *p = path; (p = strchr (p, '/')) != NULL;) {
    size_t len = strcspn (++p, "/");
    if ((len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.'))
      return false;
  }
  return true;
}

void
settings_free_strings (char **strings)
{
  for (char **s = strings; s != NULL && *s != NULL; s++)
    free (*s);
  free (strings);
}

static bool
read_strings (struct json_object *value, bool paths, char ***strings, struct error *err)
{
  size_t count;
  char **list;

  if (!json_object_is_type (value, json_type_array))
    return expected (err, "a list of strings", value);
  count = json_object_array_length (value);
  list = xcalloc (count + 1, sizeof *list);
  for (size_t i = 0; i < count; i++) {
    struct json_object *item = json_object_array_get_idx (value, i);
    const char *text = json_object_get_string (item);
    bool ok = json_object_is_type (item, json_type_string) && (!paths || clean_path (text));
    if (!ok) {
      settings_free_strings (list);
      (void) expected (err, paths ? "an absolute path without . and .." : "a string", item);
      return error_wrap (err, "/%zu: ", i);
    }
    list[i] = xstrdup (text);
  }
  settings_free_strings (*strings);
  *strings = list;
  return true;
}

/* A list of names as bits; `all` is how a sentence lists them. */
static bool
read_bits (struct json_object *value, const char *const *known, const char *all, unsigned *into,
           struct error *err)
{
  char **names = NULL;
  unsigned bits = 0;
  bool ok = read_strings (value, false, &names, err);

  for (char **n = names; ok && *n != NULL; n++) {
    unsigned i = 0;
    while (known[i] != NULL && strcmp (known[i], *n) != 0)
      i++;
    if (known[i] == NULL)
      ok = error_set (err, "expected %s, got \"%s\"", all, *n);
    bits |= 1U << i;
  }
  settings_free_strings (names);
  if (ok)
    *into = bits;
  return ok;
}

static bool
read_guarantees (struct json_object *value, unsigned *guarantees, struct error *err)
{
  return read_bits (value, guarantee_names,
                    "no-network, no-foreign-files, no-foreign-signals, memory-cap or kill-tree",
                    guarantees, err);
}

/* Of nested paths, "/limits" + "/memory: expected …". */
static bool
wrap_name (const char *name, struct error *err)
{
  return error_wrap (err, err->text[0] == '/' ? "/%s" : "/%s: ", name);
}

static bool
means_nothing (struct json_object *value)
{
  return value == NULL
         || (json_object_is_type (value, json_type_boolean) && !json_object_get_boolean (value))
         || (json_object_is_type (value, json_type_array) && json_object_array_length (value) == 0)
         || (json_object_is_type (value, json_type_object)
             && json_object_object_length (value) == 0);
}

static bool
read_string (struct json_object *value, char **text, struct error *err)
{
  if (value != NULL && !json_object_is_type (value, json_type_string))
    return expected (err, "a string or null", value);
  free (*text);
  *text = value != NULL ? xstrdup (json_object_get_string (value)) : NULL;
  return true;
}

static bool
read_json (struct json_object *value, bool list, char **text, struct error *err)
{
  if (!json_object_is_type (value, list ? json_type_array : json_type_object))
    return expected (err, list ? "a list" : "an object", value);
  free (*text);
  *text = xstrdup (json_object_to_json_string_ext (value, JSON_C_TO_STRING_PLAIN));
  return true;
}

static bool
read_repair (struct json_object *value, int *repair, struct error *err)
{
  const char *name = json_object_get_string (value);
  enum repair_mode mode;

  if (!json_object_is_type (value, json_type_string)
      || !repair_mode_find (name, strlen (name), &mode))
    return expected (err, "\"off\", \"safe\" or \"lenient\"", value);
  *repair = (int) mode;
  return true;
}

static bool
read_isolate (struct json_object *value, enum isolate *isolate, struct error *err)
{
  const char *name = json_object_get_string (value);

  for (unsigned i = 0; name != NULL && isolate_names[i] != NULL; i++)
    if (strcmp (isolate_names[i], name) == 0) {
      *isolate = (enum isolate) i;
      return true;
    }
  return expected (err, "\"plugin\", \"tenant\" or \"call\"", value);
}

static bool
read_growth (struct json_object *value, enum retry_growth *growth, struct error *err)
{
  const char *name = json_object_get_string (value);

  for (unsigned i = 0; name != NULL && retry_growth_names[i] != NULL; i++)
    if (strcmp (retry_growth_names[i], name) == 0) {
      *growth = (enum retry_growth) i;
      return true;
    }
  return expected (err, "\"fixed\", \"linear\", \"exponential\" or \"exponential-jitter\"", value);
}

static bool
read_tool (struct policy_tool *tool, const struct setting *table, struct json_object *value,
           struct error *err)
{
  return json_object_is_type (value, json_type_object) ? settings_fill (tool, table, value, err)
                                                       : expected (err, "an object", value);
}

static bool
read_tools (struct json_object *value, const struct setting *table, struct policy_tools *tools,
            struct error *err)
{
  if (!json_object_is_type (value, json_type_object))
    return expected (err, "an object", value);
  json_object_object_foreach (value, name, settings)
  {
    if (!read_tool (policy_tools_add (tools, name), table, settings, err))
      return wrap_name (name, err);
  }
  return true;
}

static bool
read_programs (struct json_object *value, const struct setting *table,
               struct granted_programs *programs, struct error *err)
{
  if (!json_object_is_type (value, json_type_object))
    return expected (err, "an object", value);
  json_object_object_foreach (value, name, settings)
  {
    if (!json_object_is_type (settings, json_type_object)
          ? !expected (err, "an object", settings)
          : !settings_fill (granted_add (programs, name), table, settings, err))
      return wrap_name (name, err);
  }
  return true;
}

static bool
is_variable (const char *name)
{
  return name[0] != '\0' && strspn (name, "0123456789") == 0
         && name[strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")]
              == '\0';
}

static bool
read_env (struct json_object *value, char ***env, struct error *err)
{
  size_t count = 0;
  char **list;

  if (!json_object_is_type (value, json_type_object))
    return expected (err, "an object of texts", value);
  list = xcalloc ((size_t) json_object_object_length (value) + 1, sizeof *list);
  settings_free_strings (*env);
  *env = list;
  json_object_object_foreach (value, name, text)
  {
    struct buf both = { 0 };
    if (!is_variable (name))
      return error_set (err, "/%s: expected the name of a variable: A-Z, a-z, 0-9 and _", name);
    if (!json_object_is_type (text, json_type_string)) {
      (void) expected (err, "a text", text);
      return wrap_name (name, err);
    }
    buf_printf (&both, "%s=%s", name, json_object_get_string (text));
    list[count++] = both.data;
  }
  return true;
}

static bool
read_guards (struct json_object *value, struct guards **guards, struct error *err)
{
  const char *text;
  size_t len;

  guards_unref (*guards);
  *guards = NULL;
  if (value == NULL)
    return true;
  text = json_object_to_json_string_length (value, JSON_C_TO_STRING_PLAIN, &len);
  *guards = guards_new (text, len, err);
  return *guards != NULL;
}

static bool
read_value (void *into, const struct setting *s, struct json_object *value, struct error *err)
{
  void *at = (char *) into + s->offset;

  switch (s->type) {
  case SETTING_STRING:
    return read_string (value, at, err);
  case SETTING_STRINGS:
  case SETTING_PATHS:
    return read_strings (value, s->type == SETTING_PATHS, at, err);
  case SETTING_SIZE:
  case SETTING_DURATION:
  case SETTING_COUNT:
  case SETTING_SIZE_OR_NONE:
  case SETTING_DURATION_OR_NONE:
  case SETTING_COUNT_OR_NONE:
    return read_number (value, s, at, err);
  case SETTING_RATIO:
    return read_ratio (value, at, err);
  case SETTING_BOOL:
    if (!json_object_is_type (value, json_type_boolean))
      return expected (err, "true or false", value);
    *(bool *) at = json_object_get_boolean (value);
    return true;
  case SETTING_JSON:
  case SETTING_JSON_LIST:
    return read_json (value, s->type == SETTING_JSON_LIST, at, err);
  case SETTING_GUARANTEES:
    return read_guarantees (value, at, err);
  case SETTING_PHONE_ACTS:
    return read_bits (value, phone_act_names, "refer, hangup, dtmf or say", at, err);
  case SETTING_GROUP:
    if (!json_object_is_type (value, json_type_object))
      return expected (err, "an object", value);
    return settings_fill (into, s->group, value, err);
  case SETTING_EMPTY:
    return means_nothing (value) || error_set (err, "%s", s->only);
  case SETTING_NOT_HERE:
    return error_set (err, "%s", s->only);
  case SETTING_REPAIR:
    return read_repair (value, at, err);
  case SETTING_GROWTH:
    return read_growth (value, at, err);
  case SETTING_ISOLATE:
    return read_isolate (value, at, err);
  case SETTING_TOOLS:
    return read_tools (value, s->group, at, err);
  case SETTING_PROGRAMS:
    return read_programs (value, s->group, at, err);
  case SETTING_ENV:
    return read_env (value, at, err);
  case SETTING_HTTP:
    return http_keys_grants (at, value, err);
  case SETTING_HOOKS:
    return hooks_read (at, value, err);
  case SETTING_GUARDS:
    return read_guards (value, at, err);
  case SETTING_SECRETS:
    return http_keys_secrets (at, value, err);
  case SETTING_FOR_EDITORS:
    return true;
  }
  return false;
}

static const struct setting *
find_setting (const struct setting *table, const char *name)
{
  for (; table->name != NULL; table++)
    if (strcmp (table->name, name) == 0)
      return table;
  return NULL;
}

static bool
unknown_key (const struct setting *table, const char *name, struct error *err)
{
  const char *names[64];
  const char *near;
  size_t count = 0;

  for (; table->name != NULL && count < 63; table++)
    names[count++] = table->name;
  names[count] = NULL;
  near = error_nearest (name, names);
  return near != NULL ? error_set (err, "unknown key; did you mean \"%s\"?", near)
                      : error_set (err, "unknown key");
}

bool
settings_fill (void *into, const struct setting *table, struct json_object *object,
               struct error *err)
{
  json_object_object_foreach (object, name, value)
  {
    const struct setting *s = find_setting (table, name);
    if (s != NULL ? !read_value (into, s, value, err) : !unknown_key (table, name, err))
      return wrap_name (name, err);
  }
  return true;
}

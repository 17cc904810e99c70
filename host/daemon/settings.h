/* settings.h - from a document of the configuration (document.h) to the struct it fills, by table:
 * every key known, every fault with its path, what was expected and what was there.  Pure
 * functions. */
#ifndef TOOLHOST_DAEMON_SETTINGS_H
#define TOOLHOST_DAEMON_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct json_object; /* json-c */

enum setting_type {
  SETTING_STRING,       /* char *; null: NULL */
  SETTING_STRINGS,      /* char **, NULL-terminated */
  SETTING_PATHS,        /* the same, each absolute and without "." and ".." */
  SETTING_SIZE,         /* int64_t bytes: 4096, "64K", "256M", "1G" */
  SETTING_DURATION,     /* int64_t milliseconds: 500, "500ms", "30s", "2m", "1h" */
  SETTING_SIZE_OR_NONE, /* the same two; null: 0 */
  SETTING_DURATION_OR_NONE,
  SETTING_COUNT,         /* int64_t */
  SETTING_COUNT_OR_NONE, /* the same; null: 0 */
  SETTING_RATIO,         /* double from 0 to 1 */
  SETTING_BOOL,          /* bool */
  SETTING_JSON,          /* char *: an object, as text */
  SETTING_JSON_LIST,     /* char *: a list, as text */
  SETTING_GUARANTEES,    /* unsigned: a list of names */
  SETTING_PHONE_ACTS,    /* likewise, of enum phone_act */
  SETTING_GROUP,         /* an object with settings of its own */
  SETTING_REPAIR,        /* int, an enum repair_mode: its name */
  SETTING_ISOLATE,       /* enum isolate: its name */
  SETTING_GROWTH,        /* enum retry_growth: its name */
  SETTING_TOOLS, /* struct policy_tools: an object of objects, each with the settings of `group` */
  SETTING_PROGRAMS, /* struct granted_programs: likewise */
  SETTING_ENV,      /* char **: an object of texts, each "NAME=VALUE" in the list */
  SETTING_HTTP,  /* struct http_grants: a list of patterns, or of objects with more (http_keys.h) */
  SETTING_HOOKS, /* struct hooks: a list of webhooks (hooks.h) */
  SETTING_GUARDS,      /* struct guards *: guards of calls (call/guards.h); null: NULL */
  SETTING_SECRETS,     /* struct secrets: an object of names and files */
  SETTING_FOR_EDITORS, /* not read */
  SETTING_EMPTY,       /* only what means nothing ([], {}, null, false); `only` says why */
  SETTING_NOT_HERE     /* nothing at all; likewise */
};

struct setting {
  const char *name; /* NULL ends a table */
  enum setting_type type;
  size_t offset;    /* in the struct that is filled */
  int64_t min, max; /* of numbers; max 0: no bound */
  const struct setting *group;
  const char *only;
};

/* Fill `into` from an object; what is absent keeps its value.  Strings are allocated; those that
 * were there are freed. */
bool settings_fill (void *into, const struct setting *table, struct json_object *object,
                    struct error *err);

void settings_free_strings (char **strings);

#endif

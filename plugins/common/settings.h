/* settings.h - read the configuration of a plugin or feature: an object whose members are known.
 *
 *   struct settings s = { .build = build, .scan = { config, config + len } };
 *   const struct setting members[] = { { "enabled", settings_bool, &enabled },
 *                                      { "message", settings_text, &message },
 *                                      { .name = NULL } };
 *   if (!settings_read (&s, members))
 *     return TOOLHOST_FAILED;
 *
 * Every function that answers false has told toolhost_build_error what is wrong and where. */
#ifndef TOOLHOST_PLUGINS_COMMON_SETTINGS_H
#define TOOLHOST_PLUGINS_COMMON_SETTINGS_H

#include <toolhost.h>

#include "json_scan.h"
#include "text.h"

struct settings {
  toolhost_build *build;
  struct json_scan scan;
  char where[64]; /* a JSON pointer to the object that is read, "/destinations/3"; "": the whole */
};

/* A member, and what reads the value that stands there into *value. */
struct setting {
  const char *name;
  bool (*read) (struct settings *s, const char *name, void *value);
  void *value;
};

/* The object that stands here; `members` end with a name that is NULL.  A member that is not among
 * them is an error. */
bool settings_read (struct settings *s, const struct setting *members);

/* Values: of a bool, an int64_t, a struct text.  null as a text is as if it were not there. */
bool settings_bool (struct settings *s, const char *name, void *value);
bool settings_int (struct settings *s, const char *name, void *value);
bool settings_text (struct settings *s, const char *name, void *value);

/* An object, kept in a struct text as it stands there. */
bool settings_object (struct settings *s, const char *name, void *value);

/* An object whose members are known, within the one that is read. */
bool settings_inner (struct settings *s, const char *name, const struct setting *members);

/* What tools may be called: 1 to SETTINGS_NAME_MAX of SETTINGS_NAME_CHARS. */
#define SETTINGS_NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
enum { SETTINGS_NAME_MAX = 64 };
bool settings_is_name (const struct text *name);

/* "expected …", at this member; "": at the object itself.  Returns false. */
bool settings_wrong (const struct settings *s, const char *name, const char *expected);

#endif

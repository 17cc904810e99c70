#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

bool
settings_wrong (const struct settings *s, const char *name, const char *expected)
{
  CLEANUP_TEXT struct text pointer = { 0 };

  text_addf (&pointer, "%s%s%s", s->where, name[0] != '\0' ? "/" : "", name);
  (void) toolhost_build_error (s->build, text_get (&pointer), "expected %s", expected);
  return false;
}

static bool
unknown (const struct settings *s, const char *name, const struct setting *members)
{
  CLEANUP_TEXT struct text pointer = { 0 }, why = { 0 };
  struct near near = { .word = name };

  for (; members->name != NULL; members++)
    near_offer (&near, members->name);
  text_addf (&pointer, "%s/%s", s->where, name);
  text_add (&why, "there is no such member");
  near_say (&near, &why);
  (void) toolhost_build_error (s->build, text_get (&pointer), "%s", text_get (&why));
  return false;
}

/* The text of the value that stands here, which is passed over. */
static bool
raw (struct settings *s, const char **text, size_t *len)
{
  while (s->scan.at < s->scan.end && strchr (" \t\r\n", *s->scan.at) != NULL)
    s->scan.at++;
  *text = s->scan.at;
  if (!json_scan_skip (&s->scan))
    return false;
  *len = (size_t) (s->scan.at - *text);
  return true;
}

static bool
is_word (const char *text, size_t len, const char *word)
{
  return len == strlen (word) && memcmp (text, word, len) == 0;
}

bool
settings_bool (struct settings *s, const char *name, void *value)
{
  const char *text;
  size_t len;

  if (!raw (s, &text, &len) || (!is_word (text, len, "true") && !is_word (text, len, "false")))
    return settings_wrong (s, name, "true or false");
  *(bool *) value = len == 4;
  return true;
}

bool
settings_int (struct settings *s, const char *name, void *value)
{
  char digits[24], *end;
  const char *text;
  size_t len;

  if (!raw (s, &text, &len) || len >= sizeof digits)
    return settings_wrong (s, name, "a whole number");
  memcpy (digits, text, len);
  digits[len] = '\0';
  errno = 0;
  *(int64_t *) value = strtoll (digits, &end, 10);
  return (len != 0 && *end == '\0' && errno == 0) || settings_wrong (s, name, "a whole number");
}

bool
settings_text (struct settings *s, const char *name, void *value)
{
  struct text *out = value;
  const char *text;
  size_t len;

  text_clear (out);
  if (json_scan_string (&s->scan, out))
    return memchr (text_get (out), '\0', out->len) == NULL
           || settings_wrong (s, name, "a text without U+0000");
  return (raw (s, &text, &len) && is_word (text, len, "null"))
         || settings_wrong (s, name, "a text");
}

bool
settings_read (struct settings *s, const struct setting *members)
{
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_enter (&s->scan, '{'))
    return settings_wrong (s, "", "an object");
  while (json_scan_name (&s->scan, &name)) {
    const struct setting *m = members;
    while (m->name != NULL && strcmp (m->name, text_get (&name)) != 0)
      m++;
    if (m->name == NULL)
      return unknown (s, text_get (&name), members);
    if (!m->read (s, m->name, m->value))
      return false;
  }
  return true;
}

bool
settings_object (struct settings *s, const char *name, void *value)
{
  struct text *object = value;
  struct json_scan scan = s->scan;
  const char *from;

  if (!json_scan_enter (&scan, '{'))
    return settings_wrong (s, name, "an object");
  from = scan.at - 1;
  if (!json_scan_skip (&s->scan))
    return settings_wrong (s, name, "an object");
  text_clear (object);
  text_add_len (object, from, (size_t) (s->scan.at - from));
  return true;
}

bool
settings_inner (struct settings *s, const char *name, const struct setting *members)
{
  char where[sizeof s->where];
  bool good;

  memcpy (where, s->where, sizeof where);
  (void) snprintf (s->where + strlen (where), sizeof where - strlen (where), "/%s", name);
  good = settings_read (s, members);
  if (good)
    memcpy (s->where, where, sizeof where);
  return good;
}

bool
settings_is_name (const struct text *name)
{
  return name->len != 0 && name->len <= SETTINGS_NAME_MAX
         && strspn (text_get (name), SETTINGS_NAME_CHARS) == name->len;
}

#include "refer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/json_scan.h"
#include "../common/near.h"

/* Where in the configuration we are, for errors. */
struct reading {
  toolhost_build *build;
  struct json_scan scan;
  char where[64]; /* "/destinations/3" */
};

static bool
wrong (const struct reading *r, const char *name, const char *expected)
{
  CLEANUP_TEXT struct text pointer = { 0 };

  text_addf (&pointer, "%s%s%s", r->where, name[0] != '\0' ? "/" : "", name);
  (void) toolhost_build_error (r->build, text_get (&pointer), "expected %s", expected);
  return false;
}

static bool
unknown (const struct reading *r, const char *name, const char *const *known)
{
  CLEANUP_TEXT struct text pointer = { 0 }, why = { 0 };
  struct near near = { .word = name };

  for (; *known != NULL; known++)
    near_offer (&near, *known);
  text_addf (&pointer, "%s/%s", r->where, name);
  text_add (&why, "there is no such member");
  near_say (&near, &why);
  (void) toolhost_build_error (r->build, text_get (&pointer), "%s", text_get (&why));
  return false;
}

/* ---- values ---- */

/* The text of the value that stands here, which is passed over. */
static bool
raw (struct reading *r, const char **text, size_t *len)
{
  while (r->scan.at < r->scan.end && strchr (" \t\r\n", *r->scan.at) != NULL)
    r->scan.at++;
  *text = r->scan.at;
  if (!json_scan_skip (&r->scan))
    return false;
  *len = (size_t) (r->scan.at - *text);
  return true;
}

static bool
is_word (const char *text, size_t len, const char *word)
{
  return len == strlen (word) && memcmp (text, word, len) == 0;
}

static bool
read_bool (struct reading *r, const char *name, bool *value)
{
  const char *text;
  size_t len;

  if (!raw (r, &text, &len) || (!is_word (text, len, "true") && !is_word (text, len, "false")))
    return wrong (r, name, "true or false");
  *value = len == 4;
  return true;
}

static bool
read_int (struct reading *r, const char *name, int64_t *value)
{
  char digits[24], *end;
  const char *text;
  size_t len;

  if (!raw (r, &text, &len) || len >= sizeof digits)
    return wrong (r, name, "a whole number");
  memcpy (digits, text, len);
  digits[len] = '\0';
  errno = 0;
  *value = strtoll (digits, &end, 10);
  return (len != 0 && *end == '\0' && errno == 0) || wrong (r, name, "a whole number");
}

/* A text; null: as if it were not there. */
static bool
read_text (struct reading *r, const char *name, struct text *value)
{
  const char *text;
  size_t len;

  text_clear (value);
  if (json_scan_string (&r->scan, value))
    return memchr (text_get (value), '\0', value->len) == NULL
           || wrong (r, name, "a text without U+0000");
  return (raw (r, &text, &len) && is_word (text, len, "null")) || wrong (r, name, "a text");
}

/* ---- destinations ---- */

static bool
read_member (struct reading *r, struct destination *d, const char *name)
{
  static const char *const known[] = {
    "destination_id", "label", "description_for_model", "target_uri", "enabled", "priority", NULL
  };
  struct text *const texts[] = { &d->id, &d->label, &d->description, &d->target };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp (name, known[i]) == 0)
      return read_text (r, name, texts[i]);
  if (strcmp (name, "enabled") == 0)
    return read_bool (r, name, &d->enabled);
  if (strcmp (name, "priority") == 0)
    return read_int (r, name, &d->priority);
  return unknown (r, name, known);
}

static bool
read_destination (struct reading *r, const struct refer *refer, struct destination *d)
{
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_enter (&r->scan, '{'))
    return wrong (r, "", "an object");
  while (json_scan_name (&r->scan, &name))
    if (!read_member (r, d, text_get (&name)))
      return false;
  if (d->id.len == 0)
    return wrong (r, "destination_id", "a text that is not empty");
  for (const struct destination *other = refer->list; other != d; other++)
    if (strcmp (text_get (&other->id), text_get (&d->id)) == 0)
      return wrong (r, "destination_id", "an id that no other destination has");
  return true;
}

static bool
read_destinations (struct reading *r, struct refer *refer)
{
  bool good = true;

  if (!json_scan_enter (&r->scan, '['))
    return wrong (r, "destinations", "a list of destinations");
  while (good && json_scan_item (&r->scan)) {
    struct destination *list = realloc (refer->list, (refer->count + 1) * sizeof *refer->list);
    if (list == NULL)
      return wrong (r, "destinations", "fewer destinations: there is no memory for more");
    refer->list = list;
    list[refer->count] = (struct destination){ .enabled = true };
    (void) snprintf (r->where, sizeof r->where, "/destinations/%zu", refer->count);
    good = read_destination (r, refer, &list[refer->count++]);
    if (good)
      r->where[0] = '\0';
  }
  return good;
}

/* ---- the feature ---- */

static bool
read_feature (struct reading *r, struct refer *refer, const char *name)
{
  static const char *const known[] = { "enabled", "require_confirmation", "handoff_phrase",
                                       "destinations", NULL };

  if (strcmp (name, "enabled") == 0)
    return read_bool (r, name, &refer->enabled);
  if (strcmp (name, "require_confirmation") == 0)
    return read_bool (r, name, &refer->require_confirmation);
  if (strcmp (name, "handoff_phrase") == 0)
    return read_text (r, name, &refer->handoff_phrase);
  if (strcmp (name, "destinations") == 0)
    return read_destinations (r, refer);
  return unknown (r, name, known);
}

bool
refer_read (struct refer *refer, toolhost_build *build, const char *config, size_t len)
{
  struct reading r = { .build = build, .scan = { config, config + len } };
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_enter (&r.scan, '{'))
    return wrong (&r, "", "an object");
  while (json_scan_name (&r.scan, &name))
    if (!read_feature (&r, refer, text_get (&name)))
      return false;
  return true;
}

void
refer_free (struct refer *refer)
{
  for (size_t i = 0; i < refer->count; i++) {
    text_free (&refer->list[i].id);
    text_free (&refer->list[i].label);
    text_free (&refer->list[i].description);
    text_free (&refer->list[i].target);
  }
  free (refer->list);
  free (refer->offered);
  text_free (&refer->handoff_phrase);
  text_free (&refer->parameters);
  text_free (&refer->definition);
  memset (refer, 0, sizeof *refer);
}

const struct destination *
refer_find (const struct refer *refer, const char *id)
{
  for (size_t i = 0; i < refer->count; i++)
    if (strcmp (text_get (&refer->list[i].id), id) == 0)
      return &refer->list[i];
  return NULL;
}

void
refer_put_all (const struct refer *refer, struct text *out)
{
  json_open (out, '[');
  for (size_t i = 0; i < refer->count; i++)
    json_string (out, text_get (&refer->list[i].id));
  json_close (out, ']');
}

void
refer_put_offered (const struct refer *refer, struct text *out)
{
  json_open (out, '[');
  for (size_t i = 0; i < refer->offered_count; i++)
    json_string (out, text_get (&refer->offered[i]->id));
  json_close (out, ']');
}

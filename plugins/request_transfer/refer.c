#include "refer.h"

#include <stdlib.h>
#include <string.h>

#include "../common/settings.h"

/* ---- destinations ---- */

static bool
read_destination (struct settings *s, const struct refer *refer, struct destination *d)
{
  const struct setting members[] = {
    { "destination_id", settings_text, &d->id },
    { "label", settings_text, &d->label },
    { "description_for_model", settings_text, &d->description },
    { "target_uri", settings_text, &d->target },
    { "enabled", settings_bool, &d->enabled },
    { "priority", settings_int, &d->priority },
    { .name = NULL },
  };

  if (!settings_read (s, members))
    return false;
  if (d->id.len == 0)
    return settings_wrong (s, "destination_id", "a text that is not empty");
  for (const struct destination *other = refer->list; other != d; other++)
    if (strcmp (text_get (&other->id), text_get (&d->id)) == 0)
      return settings_wrong (s, "destination_id", "an id that no other destination has");
  return true;
}

static bool
read_destinations (struct settings *s, const char *name, void *value)
{
  struct refer *refer = value;
  bool good = true;

  if (!json_scan_enter (&s->scan, '['))
    return settings_wrong (s, name, "a list of destinations");
  while (good && json_scan_item (&s->scan)) {
    struct destination *list = realloc (refer->list, (refer->count + 1) * sizeof *refer->list);
    if (list == NULL)
      return settings_wrong (s, name, "fewer destinations: there is no memory for more");
    refer->list = list;
    list[refer->count] = (struct destination){ .enabled = true };
    (void) snprintf (s->where, sizeof s->where, "/destinations/%zu", refer->count);
    good = read_destination (s, refer, &list[refer->count++]);
    if (good)
      s->where[0] = '\0';
  }
  return good;
}

/* ---- the feature ---- */

bool
refer_read (struct refer *refer, toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  const struct setting members[] = {
    { "enabled", settings_bool, &refer->enabled },
    { "require_confirmation", settings_bool, &refer->require_confirmation },
    { "handoff_phrase", settings_text, &refer->handoff_phrase },
    { "destinations", read_destinations, refer },
    { .name = NULL },
  };

  return settings_read (&s, members);
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

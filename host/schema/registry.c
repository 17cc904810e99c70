#include "schema/registry.h"

#include <stdlib.h>

struct entry {
  struct document document;
  struct entry *next;
};

struct schema_registry {
  struct arena arena;
  struct entry *entries;
};

struct schema_registry *
schema_registry_new (void)
{
  return xcalloc (1, sizeof (struct schema_registry));
}

void
schema_registry_free (struct schema_registry *registry)
{
  if (registry == NULL)
    return;
  arena_free (&registry->arena);
  free (registry);
}

static bool
is_json (const char *text, size_t len, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, text, len, &json_default_limits, &arena)
         || error_set (err, "byte %zu: %s", tape.offset, tape.problem);
}

bool
schema_registry_add (struct schema_registry *registry, const char *uri, const char *text,
                     size_t len, struct error *err)
{
  struct uri key = uri_without_fragment ((struct uri){ uri, strlen (uri) });
  struct entry *entry;

  if (registry_find (registry, key) != NULL)
    return error_set (err, "the URI %s is known already", uri);
  if (!is_json (text, len, err))
    return false;
  entry = arena_alloc (&registry->arena, sizeof *entry);
  entry->document.uri =
    (struct uri){ arena_strndup (&registry->arena, key.text, key.len), key.len };
  entry->document.text = arena_strndup (&registry->arena, text, len);
  entry->document.len = len;
  entry->next = registry->entries;
  registry->entries = entry;
  return true;
}

const struct document *
registry_find (const struct schema_registry *registry, struct uri uri)
{
  uri = uri_without_fragment (uri);
  if (uri.len == 0)
    return NULL;
  if (registry != NULL)
    for (const struct entry *e = registry->entries; e != NULL; e = e->next)
      if (uri_same (e->document.uri, uri))
        return &e->document;
  for (size_t i = 0; i < schema_metaschemas_count; i++)
    if (uri_same (schema_metaschemas[i].uri, uri))
      return &schema_metaschemas[i];
  return NULL;
}

bool
documents_add (struct documents *documents, struct uri uri)
{
  const struct document *document = registry_find (documents->registry, uri);

  if (document == NULL)
    return false;
  for (size_t i = 0; i < documents->count; i++)
    if (documents->list[i] == document)
      return true;
  if (documents->count == sizeof documents->list / sizeof *documents->list)
    return false;
  documents->list[documents->count++] = document;
  return true;
}

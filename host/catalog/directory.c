#include "catalog/directory.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "catalog/skill.h"

static void
write_folder (struct buf *out, const char *uri, size_t len, const char *name)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "uri");
  jsonw_stringf (&w, "%.*s/%s", (int) len, uri, name);
  jsonw_name_string (&w, "name", name);
  jsonw_name_string (&w, "mimeType", "inode/directory");
  jsonw_end (&w);
}

static void
write_file (struct buf *out, const char *uri, size_t len, const char *name,
            const struct skill_file *file)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "uri");
  jsonw_stringf (&w, "%.*s/%s", (int) len, uri, name);
  jsonw_name_string (&w, "name", name);
  jsonw_name_string (&w, "mimeType", skill_file_type (file->path));
  jsonw_name_int (&w, "size", (int64_t) file->size);
  jsonw_end (&w);
}

static bool
has (const struct directory *d, const char *name)
{
  for (size_t i = 0; i < d->count; i++)
    if (strcmp (d->list[i].name, name) == 0)
      return true;
  return false;
}

/* What of a path is the child's name; `file` is what stands at the whole of it, or NULL. */
static void
add (struct directory *d, const struct toolset *set, const char *uri, size_t len, const char *path,
     const struct skill_file *file)
{
  const size_t name_len = strcspn (path, "/");
  char *name = xstrndup (path, name_len);
  CLEANUP_BUF struct buf whole = { 0 };
  struct directory_child *child;
  const struct tool *listed;

  if (has (d, name)) {
    free (name);
    return;
  }
  if (d->count % 32 == 0)
    d->list = xrealloc (d->list, (d->count + 32) * sizeof *d->list);
  child = &d->list[d->count++];
  *child = (struct directory_child){ .name = name };
  buf_append (&whole, uri, len);
  buf_printf (&whole, "/%s", name);
  listed = offers_find (&set->of[OFFER_RESOURCE], whole.data, whole.len);
  if (path[name_len] == '/' || file == NULL)
    write_folder (&child->resource, uri, len, name);
  else if (listed != NULL)
    buf_append (&child->resource, listed->mcp.data, listed->mcp.len);
  else
    write_file (&child->resource, uri, len, name, file);
}

/* The folder is a skill's, or in it. */
static void
add_files (struct directory *d, const struct toolset *set, const struct skill *skill,
           const char *uri, size_t len)
{
  const size_t inside = len > skill->root_len ? len - skill->root_len : 0;
  const char *prefix = uri + len - (inside != 0 ? inside - 1 : 0);

  for (size_t i = 0; i < skill->count; i++) {
    const char *path = skill->files[i].path;
    if (inside != 0 && (strncmp (path, prefix, inside - 1) != 0 || path[inside - 1] != '/'))
      continue;
    add (d, set, uri, len, path + inside, &skill->files[i]);
  }
}

/* The folder is above skills. */
static void
add_skills (struct directory *d, const struct toolset *set, const char *uri, size_t len)
{
  const struct offers *skills = &set->of[OFFER_SKILL];

  for (size_t i = 0; i < skills->count; i++) {
    const struct skill *skill = skills->list[i]->skill;
    if (skill->root_len > len && memcmp (skill->root, uri, len) == 0 && skill->root[len] == '/')
      add (d, set, uri, len, skill->root + len + 1, NULL);
  }
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (((const struct directory_child *) a)->name,
                 ((const struct directory_child *) b)->name);
}

bool
directory_read (struct directory *directory, const struct toolset *set, const char *uri, size_t len)
{
  const struct tool *tool = skill_at (set, uri, len);

  if (len <= strlen (SKILL_SCHEME) || memchr (uri, '\0', len) != NULL || uri[len - 1] == '/')
    return false;
  if (tool != NULL)
    add_files (directory, set, tool->skill, uri, len);
  else
    add_skills (directory, set, uri, len);
  if (directory->count != 0)
    qsort (directory->list, directory->count, sizeof *directory->list, by_name);
  return directory->count != 0; /* there are no empty folders: files alone are copied */
}

void
directory_free (struct directory *directory)
{
  for (size_t i = 0; i < directory->count; i++) {
    free (directory->list[i].name);
    buf_free (&directory->list[i].resource);
  }
  free (directory->list);
  *directory = (struct directory){ .list = NULL };
}

size_t
directory_after (const struct directory *directory, const char *name, size_t len)
{
  CLEANUP_FREE char *text = xstrndup (name, len);
  size_t i = 0;

  while (i < directory->count && strcmp (directory->list[i].name, text) <= 0)
    i++;
  return i;
}

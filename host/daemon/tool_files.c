#include "daemon/tool_files.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/document.h"
#include "daemon/folder.h"

struct reading {
  struct tool_files *files;
  void (*refused) (void *ctx, const struct tool_file *file);
  void *ctx;
  struct error *err;
  bool changed;
};

static void
file_free (struct tool_files *files, struct tool_file *file)
{
  HASH_DEL (files->by_name, file);
  free (file->name);
  free (file->text);
  free (file->problem);
  free (file);
}

static struct tool_file *
file_named (struct tool_files *files, const char *name, size_t len)
{
  struct tool_file *file = NULL;

  HASH_FIND (hh, files->by_name, name, len, file);
  if (file != NULL)
    return file;
  file = xcalloc (1, sizeof *file);
  file->name = xstrndup (name, len);
  HASH_ADD_KEYPTR (hh, files->by_name, file->name, len, file);
  return file;
}

/* Can it be put together with others? */
static bool
judge (const struct buf *text, struct error *err)
{
  struct composed c = { .count = 0 };
  const bool good = compose_add_text (&c, text->data, text->len, "tools.d", err);

  composed_free (&c);
  return good;
}

static void
refuse (struct reading *r, struct tool_file *file, const struct error *why)
{
  const bool known = file->problem != NULL && strcmp (file->problem, why->text) == 0;

  if (r->err->text[0] == '\0')
    (void) error_set (r->err, "tools.d/%s.json: %s", file->name, why->text);
  if (known)
    return;
  free (file->problem);
  file->problem = xstrdup (why->text);
  r->refused (r->ctx, file);
}

static void
accept (struct reading *r, struct tool_file *file, struct buf *text)
{
  free (file->problem);
  file->problem = NULL;
  if (file->text != NULL && strcmp (file->text, buf_cstr (text)) == 0)
    return;
  free (file->text);
  file->text = xstrdup (buf_cstr (text));
  r->changed = true;
}

/* It never fails here: one file is no other's matter. */
static bool
read_one (void *ctx, const char *name, size_t len, int fd, struct error *unused)
{
  struct reading *r = ctx;
  struct tool_file *file = file_named (r->files, name, len);
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  (void) unused;
  file->seen = true;
  if (document_text (fd, &text, &err) && judge (&text, &err))
    accept (r, file, &text);
  else
    refuse (r, file, &err);
  return true;
}

bool
tool_files_read (struct tool_files *files, int config_dir,
                 void (*refused) (void *ctx, const struct tool_file *file), void *ctx,
                 struct error *err)
{
  struct reading r = { .files = files, .refused = refused, .ctx = ctx, .err = err };
  struct tool_file *file, *next;

  err->text[0] = '\0';
  for (file = files->by_name; file != NULL; file = file->hh.next)
    file->seen = false;
  if (!folder_each_json (config_dir, "tools.d", read_one, &r, err))
    return r.changed; /* one can't be opened: none is taken for gone */
  HASH_ITER (hh, files->by_name, file, next)
  {
    if (file->seen)
      continue;
    r.changed |= file->text != NULL;
    file_free (files, file);
  }
  return r.changed;
}

bool
tool_files_any (const struct tool_files *files)
{
  for (const struct tool_file *file = files->by_name; file != NULL; file = file->hh.next)
    if (file->text != NULL)
      return true;
  return false;
}

static int
by_name (const struct tool_file *a, const struct tool_file *b)
{
  return strcmp (a->name, b->name);
}

void
tool_files_compose (struct tool_files *files, struct composed *c)
{
  struct error unused;

  HASH_SORT (files->by_name, by_name);
  for (const struct tool_file *file = files->by_name; file != NULL; file = file->hh.next)
    if (file->text != NULL)
      (void) compose_add_text (c, file->text, strlen (file->text), "tools.d", &unused);
}

void
tool_files_free (struct tool_files *files)
{
  struct tool_file *file, *next;

  HASH_ITER (hh, files->by_name, file, next)
  {
    file_free (files, file);
  }
}

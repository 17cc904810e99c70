#include "front/rest/formats.h"

#include <stdlib.h>
#include <string.h>

void
rest_formats_init (struct rest_formats *f)
{
  f->providers = providers_new ();
  f->generation = 0;
  f->some = (struct buf){ 0 };
  f->bodies = xcalloc (2 * f->providers->formats_count, sizeof *f->bodies);
}

static void
forget (struct rest_formats *f)
{
  for (size_t i = 0; i < 2 * f->providers->formats_count; i++)
    buf_free (&f->bodies[i]);
}

void
rest_formats_free (struct rest_formats *f)
{
  forget (f);
  buf_free (&f->some);
  free (f->bodies);
  providers_free (f->providers);
}

/* The names of all formats, or of those with a strict form: "a, b, c". */
static void
list_formats (const struct providers *providers, bool strict, struct buf *out)
{
  const struct provider_format *shape;
  size_t count = 0;

  for (const char *const *name = providers->formats; *name != NULL; name++)
    if (!strict || providers_find (providers, *name, strlen (*name), true, &shape) != NULL)
      buf_printf (out, "%s%s", count++ == 0 ? "" : ", ", *name);
}

static bool
refuse (const struct rest_formats *f, bool strict, struct error *err)
{
  CLEANUP_BUF struct buf names = { 0 };

  list_formats (f->providers, strict, &names);
  return error_set (err,
                    strict ? "strict: the format has no strict form; expected one of %s"
                           : "format: expected one of %s",
                    buf_cstr (&names));
}

static bool
find_format (const struct rest_formats *f, struct slice name, size_t *index)
{
  *index = 0;
  if (name.data == NULL)
    return true;
  for (; f->providers->formats[*index] != NULL; ++*index)
    if (slice_is (name, f->providers->formats[*index]))
      return true;
  return false;
}

const struct buf *
rest_formats_body (struct rest_formats *f, const struct toolset *whole, const struct toolset *set,
                   struct slice format, struct slice strict, struct error *err)
{
  bool wants_strict = strict.data != NULL && slice_is (strict, "true");
  size_t index;
  struct buf *body;

  if (strict.data != NULL && !wants_strict && !slice_is (strict, "false")) {
    (void) error_set (err, "strict: expected true or false");
    return NULL;
  }
  if (!find_format (f, format, &index)) {
    (void) refuse (f, false, err);
    return NULL;
  }
  if (f->generation != whole->generation)
    forget (f);
  f->generation = whole->generation;
  body = set == whole ? &f->bodies[2 * index + wants_strict] : &f->some;
  if (set != whole)
    buf_reset (body, 0);
  const char *name = f->providers->formats[index];
  if (body->len == 0
      && !project_toolset (f->providers, name, strlen (name), wants_strict, set, body)) {
    (void) refuse (f, true, err);
    return NULL;
  }
  return body;
}

/* "headers" of a feature: declarations of C that become tools, with what is said of them besides.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/near.h"
#include "header.h"

struct reading_header {
  struct document *doc;
  const struct value *value;
  size_t index;
  const char *soname;
  struct c_header header;
};

/* ---- the text ---- */

static bool
read_file (struct document *doc, const char *path, const char **text, size_t *len)
{
  FILE *file = fopen (path, "re");
  char *room = file != NULL ? malloc (C_HEADER_MAX + 1) : NULL;
  bool good = false;

  if (file == NULL)
    return document_wrong (doc, "file",
                           "%.200s can't be read: %s (\"permissions\": {\"read\": […]} "
                           "of the policy grants files)",
                           path, strerror (errno));
  if (room == NULL)
    (void) document_wrong (doc, "file", "there is no memory");
  else {
    *len = fread (room, 1, C_HEADER_MAX + 1, file);
    if (ferror (file))
      (void) document_wrong (doc, "file", "%.200s can't be read: %s", path, strerror (errno));
    else if (*len > C_HEADER_MAX)
      (void) document_wrong (doc, "file", "%.200s is larger than 4 MiB", path);
    else {
      *text = values_text (doc->pool, room, *len);
      good = true;
    }
  }
  free (room);
  (void) fclose (file);
  return good;
}

static bool
get_text (struct document *doc, const struct value *value, const char **text, size_t *len)
{
  const struct value *given = value_get_z (value, "text");
  const char *path = NULL;

  if (!document_text (doc, value, "file", &path))
    return false;
  if ((given != NULL) == (path != NULL))
    return document_wrong (doc, "", "expected either \"text\" or \"file\"");
  if (path != NULL)
    return read_file (doc, path, text, len);
  if (given->type != VALUE_STRING || given->count > C_HEADER_MAX)
    return document_wrong (doc, "text", "expected the text of a header, of at most 4 MiB");
  *text = given->text;
  *len = given->count;
  return true;
}

/* ---- what is said besides ---- */

static const struct value *
merged (struct values *pool, const struct value *object, const struct value *more)
{
  for (size_t i = 0; i < more->count; i++)
    object = value_with (pool, object, more->members[i].name, more->members[i].len,
                         more->members[i].value);
  return object;
}

static bool
no_such_param (struct document *doc, const struct value *params, const char *name)
{
  CLEANUP_TEXT struct text more = { 0 };
  struct near near = { .word = name };

  for (size_t i = 0; i < params->count; i++)
    near_offer (&near, value_cstring (value_get_z (params->items[i], "name")));
  near_say (&near, &more);
  return document_wrong (doc, name, "there is no such parameter%s", text_get (&more));
}

/* "params": { "x": { … } } */
static bool
merge_params (struct document *doc, const struct value *params, const struct value *more,
              const struct value **result)
{
  const struct place before = document_enter (doc, "params");
  const struct value *items[C_PARAMS_MAX];

  if (!value_is (more, VALUE_OBJECT))
    return document_wrong (doc, "", "expected an object of parameters by their names");
  memcpy (items, params->items, params->count * sizeof *items);
  for (size_t i = 0; i < more->count; i++) {
    size_t n = 0;
    while (n < params->count
           && strcmp (value_cstring (value_get_z (params->items[n], "name")), more->members[i].name)
                != 0)
      n++;
    if (n == params->count)
      return no_such_param (doc, params, more->members[i].name);
    if (!value_is (more->members[i].value, VALUE_OBJECT))
      return document_wrong (doc, more->members[i].name, "expected an object");
    items[n] = merged (doc->pool, items[n], more->members[i].value);
  }
  *result = value_array (doc->pool, items, params->count);
  document_leave (doc, before);
  return true;
}

static bool
merge (struct document *doc, const struct value *proposed, const struct value *more,
       const struct value **result)
{
  const struct value *params = value_get_z (more, "params"),
                     *returns = value_get_z (more, "returns");
  const struct value *object = proposed;

  if (!value_is (more, VALUE_OBJECT))
    return document_wrong (doc, "", "expected an object");
  object =
    merged (doc->pool, object,
            value_without (doc->pool, value_without (doc->pool, more, "params", 6), "returns", 7));
  if (params != NULL) {
    if (!merge_params (doc, value_get_z (proposed, "params"), params, &params))
      return false;
    object = value_with (doc->pool, object, "params", 6, params);
  }
  if (returns != NULL) {
    if (!value_is (returns, VALUE_OBJECT))
      return document_wrong (doc, "returns", "expected an object");
    object = value_with (doc->pool, object, "returns", 7,
                         merged (doc->pool, value_get_z (proposed, "returns"), returns));
  }
  *result = object;
  return true;
}

/* ---- which functions ---- */

enum wanted { WANTED_NOT, WANTED_BY_PATTERN, WANTED_BY_NAME };

static enum wanted
is_wanted (const struct reading_header *r, const struct c_prototype *prototype)
{
  const struct value *symbols = value_get_z (r->value, "symbols");
  enum wanted wanted = WANTED_NOT;

  if (prototype->foreign)
    return WANTED_NOT;
  if (symbols == NULL)
    return WANTED_BY_PATTERN;
  for (size_t i = 0; i < symbols->count; i++) {
    const char *pattern = value_cstring (symbols->items[i]);
    if (strcmp (pattern, prototype->name) == 0)
      return WANTED_BY_NAME;
    if (fnmatch (pattern, prototype->name, 0) == 0)
      wanted = WANTED_BY_PATTERN;
  }
  return wanted;
}

static const struct c_prototype *
find (const struct c_header *header, const char *name)
{
  for (const struct c_prototype *p = header->prototypes; p != NULL; p = p->next)
    if (strcmp (p->name, name) == 0)
      return p;
  return NULL;
}

static bool
not_declared (struct reading_header *r, const char *key, const char *name)
{
  CLEANUP_TEXT struct text more = { 0 };
  struct near near = { .word = name };

  for (const struct c_left_out *l = r->header.left_out; l != NULL; l = l->next)
    if (l->name != NULL && strcmp (l->name, name) == 0)
      return document_wrong (r->doc, key, "%s can't be taken from the header, line %u: %s", name,
                             l->line, l->why);
  for (const struct c_prototype *p = r->header.prototypes; p != NULL; p = p->next)
    near_offer (&near, p->name);
  near_say (&near, &more);
  return document_wrong (r->doc, key, "the header declares no function %.100s%s", name,
                         text_get (&more));
}

static bool
check_symbols (struct reading_header *r)
{
  const struct value *symbols = value_get_z (r->value, "symbols");
  const struct place before = document_enter (r->doc, "symbols");

  if (symbols != NULL && symbols->type != VALUE_ARRAY)
    return document_wrong (r->doc, "", "expected a list of names and patterns, as \"crc*\"");
  for (size_t i = 0; symbols != NULL && i < symbols->count; i++) {
    const struct place at = document_enter_item (r->doc, i);
    const char *pattern = value_cstring (symbols->items[i]);
    if (pattern == NULL)
      return document_wrong (r->doc, "", "expected a name or pattern, as \"crc*\"");
    if (strpbrk (pattern, "*?[") == NULL && find (&r->header, pattern) == NULL)
      return not_declared (r, "", pattern);
    document_leave (r->doc, at);
  }
  document_leave (r->doc, before);
  return true;
}

static bool
check_functions (struct reading_header *r)
{
  const struct value *functions = value_get_z (r->value, "functions");
  const struct place before = document_enter (r->doc, "functions");

  if (functions != NULL && functions->type != VALUE_OBJECT)
    return document_wrong (r->doc, "", "expected an object of functions by their names");
  for (size_t i = 0; functions != NULL && i < functions->count; i++)
    if (find (&r->header, functions->members[i].name) == NULL)
      return not_declared (r, functions->members[i].name, functions->members[i].name);
  document_leave (r->doc, before);
  return true;
}

/* ---- one header ---- */

static bool
add (struct reading_header *r, struct headers *headers, const char *name,
     const struct value *document)
{
  struct declared *declared = values_alloc (r->doc->pool, sizeof *declared);

  if (declared == NULL)
    return document_wrong (r->doc, "", "there is no memory");
  *declared = (struct declared){ NULL, r->index, name, document };
  *headers->last = declared;
  headers->last = &declared->next;
  headers->count++;
  return true;
}

static bool
take (struct reading_header *r, const struct c_prototype *prototype, struct headers *headers)
{
  const struct value *more = value_get_z (value_get_z (r->value, "functions"), prototype->name);
  const enum wanted wanted = is_wanted (r, prototype);
  const struct value *document;
  const char *why, *note;

  if (wanted == WANTED_NOT && more == NULL)
    return true;
  document = header_propose (r->doc->pool, prototype, r->soname, &why, &note);
  if (more != NULL) {
    const struct place before = document_enter (r->doc, "functions");
    (void) document_enter (r->doc, prototype->name);
    if (!merge (r->doc, document, more, &document))
      return false;
    document_leave (r->doc, before);
  }
  else if (why != NULL)
    return wanted == WANTED_BY_PATTERN
           || document_wrong (r->doc, "symbols", "%s, line %u: %s", prototype->name,
                              prototype->line, why);
  return add (r, headers, prototype->name, document);
}

static bool
read_header (struct document *doc, const struct value *value, size_t index, struct headers *headers)
{
  static const char *const names[] = { "text", "file", "library", "symbols", "functions", NULL };
  struct reading_header r = {
    .doc = doc, .value = value, .index = index, .header.types = doc->types
  };
  const char *text = "";
  size_t len = 0;

  if (!document_object (doc, value, names) || !document_text (doc, value, "library", &r.soname)
      || !get_text (doc, value, &text, &len))
    return false;
  c_header_read (&r.header, text, len);
  if (!check_symbols (&r) || !check_functions (&r))
    return false;
  for (const struct c_prototype *p = r.header.prototypes; p != NULL; p = p->next)
    if (!take (&r, p, headers))
      return false;
  return true;
}

bool
headers_read (struct document *doc, const struct value *list, struct headers *headers)
{
  const struct place before = document_enter (doc, "headers");

  if (list != NULL && list->type != VALUE_ARRAY)
    return document_wrong (doc, "", "expected a list of headers");
  for (size_t i = 0; list != NULL && i < list->count; i++) {
    const struct place at = document_enter_item (doc, i);
    if (!read_header (doc, list->items[i], i, headers))
      return false;
    document_leave (doc, at);
  }
  document_leave (doc, before);
  return true;
}

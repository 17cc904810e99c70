#include "session/context.h"

#include <stdlib.h>

#include "base/context_path.h"

static const char *const roots[] = { "user", "tenant", "workflow", "agents", "flags", "history" };
enum { ROOTS = sizeof roots / sizeof roots[0] };

static const char *
text_of (struct json_object *object)
{
  return json_object_to_json_string_ext (object,
                                         JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static struct json_object *
empty_root (const char *root)
{
  return strcmp (root, "history") == 0 ? json_object_new_array () : json_object_new_object ();
}

static bool
is_as_empty (const char *root, const struct json_object *value)
{
  if (value == NULL)
    return false;
  return strcmp (root, "history") == 0
           ? json_object_is_type (value, json_type_array) && json_object_array_length (value) == 0
           : json_object_is_type (value, json_type_object)
               && json_object_object_length (value) == 0;
}

/* The same roots in their order, without those that are empty: an empty object of json-c takes 800
 * bytes, and most of most contexts is empty.  NULL: all are. */
static struct json_object *
without_empty_roots (struct json_object *document)
{
  struct json_object *kept = NULL, *value;

  for (size_t i = 0; i < ROOTS; i++)
    if (json_object_object_get_ex (document, roots[i], &value) && !is_as_empty (roots[i], value)) {
      if (kept == NULL)
        kept = json_object_new_object ();
      json_object_object_add (kept, roots[i], json_object_get (value));
    }
  return kept;
}

/* With all roots; those that are not empty are the same objects. */
static struct json_object *
with_all_roots (struct json_object *document)
{
  struct json_object *whole = json_object_new_object (), *value;

  for (size_t i = 0; i < ROOTS; i++)
    json_object_object_add (whole, roots[i],
                            json_object_object_get_ex (document, roots[i], &value)
                              ? json_object_get (value)
                              : empty_root (roots[i]));
  return whole;
}

struct json_object *
context_copy (const struct context *context)
{
  struct json_object *whole = with_all_roots (context->document), *copy = NULL;

  if (context->document == NULL)
    return whole;
  if (json_object_deep_copy (whole, &copy, NULL) < 0)
    abort ();
  json_object_put (whole);
  return copy;
}

bool
context_take (struct context *context, struct json_object *document, struct error *err)
{
  const size_t len = strlen (text_of (document));

  if (len > context->max) {
    json_object_put (document);
    return error_set (err, ": the context would have %zu bytes, it may have %zu", len,
                      context->max);
  }
  json_object_put (context->document);
  context->document = without_empty_roots (document);
  json_object_put (document);
  context->len = len;
  context->version++;
  return true;
}

static bool
begin_root (struct json_object *document, const char *root, const struct json_tape *tape,
            const struct json_node *value, struct error *err)
{
  struct json_object *object = NULL;

  if (value == NULL)
    return true;
  if (!json_is (value, JSON_OBJECT))
    return error_set (err, "/%s: expected an object", root);
  if (!json_c_from_tape (tape, value, &object, err))
    return error_wrap (err, "/%s: ", root);
  json_object_object_add (document, root, object);
  return true;
}

bool
context_begin (struct context *context, const struct json_tape *tape, const struct json_node *user,
               const struct json_node *tenant, struct error *err)
{
  struct json_object *document = context_copy (context);

  if (begin_root (document, "user", tape, user, err)
      && begin_root (document, "tenant", tape, tenant, err))
    return context_take (context, document, err);
  json_object_put (document);
  return false;
}

/* ---- changes ---- */

enum verb { VERB_SET, VERB_APPEND };

static void
write_at (struct json_object *parent, const char *name, enum verb verb, struct json_object *value)
{
  struct json_object *list = NULL;

  if (verb == VERB_SET) {
    json_object_object_add (parent, name, value);
    return;
  }
  if (!json_object_object_get_ex (parent, name, &list)) {
    list = json_object_new_array ();
    json_object_object_add (parent, name, list);
  }
  json_object_array_add (list, value);
}

/* Does a path lead to where something can be written?  It may begin to be there on the way. */
static bool
check_path (struct json_object *document, const char *path, enum verb verb, struct error *err)
{
  struct json_object *at = document;
  char name[CONTEXT_NAME_MAX + 1];

  for (unsigned depth = 0; depth <= CONTEXT_DEPTH_MAX && context_path_next (&path, name); depth++) {
    struct json_object *child = NULL;
    const bool last = *path == '\0';
    const bool there = at != NULL && json_object_object_get_ex (at, name, &child);
    if (there && !last && !json_object_is_type (child, json_type_object))
      return error_set (err, "%s is no object", name);
    if (there && last && verb == VERB_APPEND && !json_object_is_type (child, json_type_array))
      return error_set (err, "what stands there is no list");
    if (last)
      return true;
    at = child;
  }
  return error_set (err, "expected a path like \"workflow.step\"");
}

/* Follow a path that was checked, making objects on the way, and write; takes the value over. */
static void
write_path (struct json_object *document, const char *path, enum verb verb,
            struct json_object *value)
{
  struct json_object *parent = document, *child;
  char name[CONTEXT_NAME_MAX + 1];

  while (context_path_next (&path, name) && *path != '\0') {
    if (!json_object_object_get_ex (parent, name, &child)) {
      child = json_object_new_object ();
      json_object_object_add (parent, name, child);
    }
    parent = child;
  }
  write_at (parent, name, verb, value);
}

static bool
change_path (struct json_object *document, enum verb verb, const char *path,
             const struct json_tape *tape, const struct json_node *node, bool *denied,
             struct error *err)
{
  struct json_object *value = NULL;

  if (path == NULL || !context_path_is_one (path))
    return error_set (err, "expected a path like \"workflow.step\"");
  if (!context_path_is_writable (path, verb == VERB_APPEND)) {
    *denied = true;
    return error_set (err, "this part of the context can't be written");
  }
  if (!check_path (document, path, verb, err) || !json_c_from_tape (tape, node, &value, err))
    return false;
  write_path (document, path, verb, value);
  return true;
}

static bool
change_flag (struct json_object *document, const char *name, const struct json_node *node,
             struct error *err)
{
  struct json_object *flags = json_object_object_get (document, "flags");

  if (name == NULL || *name == '\0' || strlen (name) > CONTEXT_NAME_MAX)
    return error_set (err, "expected a name");
  if (json_is (node, JSON_TRUE))
    json_object_object_add (flags, name, json_object_new_boolean (true));
  else if (json_is (node, JSON_FALSE))
    json_object_object_del (flags, name);
  else
    return error_set (err, "expected true or false");
  return true;
}

static bool
change_one (struct json_object *document, const char *what, const char *name,
            const struct json_tape *tape, const struct json_node *node, bool *denied,
            struct error *err)
{
  if (strcmp (what, "flags") == 0)
    return change_flag (document, name, node, err);
  return change_path (document, strcmp (what, "set") == 0 ? VERB_SET : VERB_APPEND, name, tape,
                      node, denied, err);
}

static bool
change_all (struct json_object *document, const char *what, const struct json_tape *tape,
            const struct json_node *members, bool *denied, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *name, *value;

  if (members == NULL)
    return true;
  if (!json_is (members, JSON_OBJECT))
    return error_set (err, "/%s: expected an object", what);
  for (name = json_first (members); name != json_end (members); name = json_next (value)) {
    const char *text = json_cstring (tape, name, &arena);
    value = json_next (name);
    if (!change_one (document, what, text, tape, value, denied, err))
      return error_wrap (err, "/%s/%s: ", what, text != NULL ? text : "");
  }
  return true;
}

bool
context_change_document (struct json_object *document, const struct json_tape *tape,
                         const struct json_node *change, bool *denied, struct error *err)
{
  static const char *const parts[] = { "set", "append", "flags" };

  *denied = false;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (!change_all (document, parts[i], tape, json_member (tape, change, parts[i]), denied, err))
      return false;
  return true;
}

bool
context_change (struct context *context, const struct json_tape *tape,
                const struct json_node *change, bool *denied, struct error *err)
{
  struct json_object *document = context_copy (context);

  if (context_change_document (document, tape, change, denied, err))
    return context_take (context, document, err);
  json_object_put (document);
  return false;
}

/* ---- reading ---- */

bool
context_read (struct json_object *document, const char *path, struct buf *out)
{
  struct json_object *at = document;
  char name[CONTEXT_NAME_MAX + 1];
  bool found = *path != '\0';

  while (found && *path != '\0')
    found = context_path_next (&path, name) && json_object_is_type (at, json_type_object)
            && json_object_object_get_ex (at, name, &at);
  if (found)
    buf_puts (out, text_of (at));
  return found;
}

bool
context_get (const struct context *context, const char *path, struct buf *out)
{
  struct json_object *whole = with_all_roots (context->document);
  const bool found = context_read (whole, path, out);

  json_object_put (whole);
  return found;
}

bool
context_flag (struct json_object *document, const char *name)
{
  return document != NULL
         && json_object_object_get_ex (json_object_object_get (document, "flags"), name, NULL);
}

void
context_put (const struct context *context, struct json_writer *w)
{
  struct json_object *whole = with_all_roots (context->document);
  const char *text = text_of (whole);

  jsonw_raw (w, text, strlen (text));
  json_object_put (whole);
}

void
context_free (struct context *context)
{
  json_object_put (context->document);
  context->document = NULL;
}

#include "catalog/strict.h"

#include "base/json_write.h"

enum { POINTER_MOST = 300 };

struct walk {
  const struct json_tape *tape;
  struct arena arena;
  struct buf pointer;
  bool free_form; /* is an object of any members wrong as well? */
  struct error *err;
};

enum strict
strict_wish (const struct json_tape *tape, const struct json_node *definition)
{
  const struct json_node *own = json_member (tape, definition, "toolhost");
  const struct json_node *strict = json_member (tape, own, "strict");

  if (json_equals (tape, strict, "auto"))
    return STRICT_AUTO;
  return json_is (strict, JSON_TRUE) ? STRICT_ON : STRICT_OFF;
}

static bool
wrong (const struct walk *w, const char *what)
{
  return error_set (w->err, "%.*s: %s",
                    w->pointer.len < POINTER_MOST ? (int) w->pointer.len : POINTER_MOST,
                    w->pointer.data, what);
}

/* ---- one object ---- */

static bool
is_required (const struct walk *w, const struct json_node *schema, const char *name, size_t len)
{
  const struct json_node *required = json_member (w->tape, schema, "required");

  if (!json_is (required, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (required); n != json_end (required);
       n = json_next (n))
    if (json_equals_len (w->tape, n, name, len))
      return true;
  return false;
}

static bool
all_required (struct walk *w, const struct json_node *schema)
{
  const struct json_node *properties = json_member (w->tape, schema, "properties");

  if (!json_is (properties, JSON_OBJECT))
    return true;
  for (const struct json_node *n = json_first (properties); n != json_end (properties);
       n = json_next (json_next (n))) {
    size_t len;
    const char *name = json_string (w->tape, n, &w->arena, &len);
    if (is_required (w, schema, name, len))
      continue;
    (void) json_pointer_add (&w->pointer, "properties", strlen ("properties"));
    (void) json_pointer_add (&w->pointer, name, len);
    return wrong (w, "is optional, and a strict tool has no optional arguments: name it in "
                     "\"required\", or say \"strict\": \"auto\" or false");
  }
  return true;
}

static bool
may_be_object (const struct walk *w, const struct json_node *schema)
{
  const struct json_node *type = json_member (w->tape, schema, "type");

  if (!json_is (type, JSON_ARRAY))
    return json_equals (w->tape, type, "object");
  for (const struct json_node *n = json_first (type); n != json_end (type); n = json_next (n))
    if (json_equals (w->tape, n, "object"))
      return true;
  return false;
}

/* An object of whose members nothing is said, or which may have others than those. */
static bool
is_free_form (const struct walk *w, const struct json_node *schema)
{
  const struct json_node *others = json_member (w->tape, schema, "additionalProperties");
  const bool named = json_member (w->tape, schema, "properties") != NULL;

  if (json_member (w->tape, schema, "patternProperties") != NULL)
    return true;
  if (others != NULL)
    return others->type != JSON_FALSE;
  return !named && may_be_object (w, schema);
}

/* ---- all of them ---- */

static bool look (struct walk *w, const struct json_node *schema);

/* The schemas that stand in a member: it is one, or a list of them, or an object of them by name.
 */
static bool
look_into (struct walk *w, const struct json_node *schema, const char *member, bool by_name)
{
  const struct json_node *inner = json_member (w->tape, schema, member);
  const size_t was = json_pointer_add (&w->pointer, member, strlen (member));
  unsigned index = 0;
  bool good = true;

  if (inner != NULL && !by_name && inner->type != JSON_ARRAY)
    good = look (w, inner);
  else if (json_is (inner, JSON_ARRAY) || json_is (inner, JSON_OBJECT))
    for (const struct json_node *n = json_first (inner); good && n != json_end (inner);
         n = json_next (n)) {
      const size_t before = w->pointer.len;
      size_t len;
      if (by_name) {
        const char *name = json_string (w->tape, n, &w->arena, &len);
        (void) json_pointer_add (&w->pointer, name, len);
        n = json_next (n);
      }
      else
        buf_printf (&w->pointer, "/%u", index++);
      good = look (w, n);
      if (good)
        w->pointer.len = before;
    }
  if (good)
    w->pointer.len = was;
  return good;
}

static bool
look (struct walk *w, const struct json_node *schema)
{
  static const struct {
    const char *member;
    bool by_name;
  } places[] = { { "properties", true }, { "items", false }, { "prefixItems", false },
                 { "anyOf", false },     { "oneOf", false }, { "$defs", true },
                 { "definitions", true } };

  if (!json_is (schema, JSON_OBJECT))
    return true;
  if (w->free_form && is_free_form (w, schema))
    return wrong (w, "may have any members, which a strict tool's arguments may not");
  if (!all_required (w, schema))
    return false;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (!look_into (w, schema, places[i].member, places[i].by_name))
      return false;
  return true;
}

static bool
look_at (const struct json_tape *tape, const struct json_node *definition, bool free_form,
         struct error *err)
{
  struct walk w = { .tape = tape, .free_form = free_form, .err = err };
  bool good;

  (void) json_pointer_add (&w.pointer, "inputSchema", strlen ("inputSchema"));
  good = look (&w, json_member (tape, definition, "inputSchema"));
  arena_free (&w.arena);
  buf_free (&w.pointer);
  return good;
}

bool
strict_takes_all (const struct json_tape *tape, const struct json_node *definition,
                  struct error *err)
{
  return look_at (tape, definition, false, err);
}

bool
strict_suits (const struct json_tape *tape, const struct json_node *definition, struct error *err)
{
  return look_at (tape, definition, true, err);
}

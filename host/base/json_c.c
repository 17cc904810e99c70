#include "base/json_c.h"

#include <limits.h>
#include <math.h>

#include "base/json_write.h"

/* ---- from the tape ---- */

static const char no_memory[] = "out of memory";

struct maker {
  const struct json_tape *tape;
  struct arena *arena; /* of texts on their way */
  struct error *err;
  unsigned depth;
};

/* Puts into *object what was made so far also when it fails. */
static bool make (struct maker *m, const struct json_node *node, struct json_object **object);

static bool
cannot (struct maker *m, const struct json_node *node, const char *why)
{
  return error_set (m->err, "byte %u: %s", (unsigned) node->start, why);
}

/* Of digits alone. */
static bool
read_magnitude (const char *p, const char *end, uint64_t *value)
{
  *value = 0;
  for (; p < end; p++) {
    uint64_t digit = (uint64_t) (*p - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      return false;
    *value = *value * 10 + digit;
  }
  return true;
}

/* NULL: it fits neither kind of integer. */
static struct json_object *
make_integer (const char *text, size_t len)
{
  bool negative = text[0] == '-';
  uint64_t magnitude;

  if (!read_magnitude (text + negative, text + len, &magnitude))
    return NULL;
  if (magnitude > (uint64_t) INT64_MAX + negative)
    return negative ? NULL : json_object_new_uint64 (magnitude);
  return json_object_new_int64 (negative ? (int64_t) (0 - magnitude) : (int64_t) magnitude);
}

static struct json_object *
make_number (struct maker *m, const struct json_node *node)
{
  const char *text = m->tape->text + node->start;
  struct json_object *integer = node->integer ? make_integer (text, node->len) : NULL;
  double value;

  if (integer != NULL || !json_double (m->tape, node, &value))
    return integer;
  return json_object_new_double_s (value, arena_strndup (m->arena, text, node->len));
}

static struct json_object *
make_string (struct maker *m, const struct json_node *node)
{
  size_t len;
  const char *text = json_string (m->tape, node, m->arena, &len);

  return len <= INT_MAX ? json_object_new_string_len (text, (int) len) : NULL;
}

static bool
fill_array (struct maker *m, const struct json_node *node, struct json_object *array)
{
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    struct json_object *item = NULL;
    bool made = make (m, n, &item);
    if (made && json_object_array_add (array, item) == 0)
      continue;
    json_object_put (item);
    return made ? cannot (m, n, no_memory) : false;
  }
  return true;
}

static bool
fill_object (struct maker *m, const struct json_node *node, struct json_object *object)
{
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n + 1)) {
    const char *name = json_cstring (m->tape, n, m->arena);
    struct json_object *value = NULL;
    bool made = name != NULL && make (m, n + 1, &value);
    if (made && json_object_object_add (object, name, value) == 0)
      continue;
    json_object_put (value);
    if (name == NULL)
      return cannot (m, n, "json-c can't hold U+0000 in a member name");
    return made ? cannot (m, n, no_memory) : false;
  }
  return true;
}

static bool
fill (struct maker *m, const struct json_node *node, struct json_object *container)
{
  bool ok;

  if (container == NULL)
    return cannot (m, node, no_memory);
  if (m->depth == JSON_C_DEPTH_MAX)
    return cannot (m, node, "nested too deeply for json-c");
  m->depth++;
  ok =
    node->type == JSON_ARRAY ? fill_array (m, node, container) : fill_object (m, node, container);
  m->depth--;
  return ok;
}

static bool
make (struct maker *m, const struct json_node *node, struct json_object **object)
{
  switch ((enum json_type) node->type) {
  case JSON_NULL:
    return true;
  case JSON_FALSE:
  case JSON_TRUE:
    *object = json_object_new_boolean (node->type == JSON_TRUE);
    return *object != NULL || cannot (m, node, no_memory);
  case JSON_NUMBER:
    *object = make_number (m, node);
    return *object != NULL || cannot (m, node, "the number is beyond what a double can be");
  case JSON_STRING:
    *object = make_string (m, node);
    return *object != NULL || cannot (m, node, "the string is too long for json-c");
  case JSON_ARRAY:
    *object = json_object_new_array_ext ((int) node->count);
    return fill (m, node, *object);
  case JSON_OBJECT:
    *object = json_object_new_object ();
    return fill (m, node, *object);
  }
  return false;
}

bool
json_c_from_tape (const struct json_tape *tape, const struct json_node *node,
                  struct json_object **object, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct maker m = { .tape = tape, .arena = &arena, .err = err };

  *object = NULL;
  if (make (&m, node, object))
    return true;
  json_object_put (*object);
  *object = NULL;
  return false;
}

/* ---- to the tape ---- */

/* What a program made may be larger than what callers may send. */
static const struct json_limits tape_limits = {
  .depth = JSON_C_DEPTH_MAX, .nodes = UINT32_MAX, .members = UINT32_MAX, .number_len = 64 * 1024
};

struct putter {
  struct buf out;
  unsigned depth;
  struct json_tape *tape; /* of the fault */
};

static bool put (struct putter *p, struct json_object *object);

static bool
refuse (struct putter *p, enum json_fault fault, const char *problem)
{
  *p->tape = (struct json_tape){ .fault = fault, .problem = problem };
  return false;
}

static void
put_integer (struct putter *p, struct json_object *object)
{
  struct json_writer w = { .out = &p->out };
  int64_t value = json_object_get_int64 (object);

  /* json-c gives INT64_MAX also for what is beyond it */
  if (value == INT64_MAX)
    jsonw_uint (&w, json_object_get_uint64 (object));
  else
    jsonw_int (&w, value);
}

/* The text the double was written in, if it has one and that means the same. */
static bool
put_lexeme (struct putter *p, struct json_object *object, double value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  double meant;
  size_t len;

  if (json_object_get_userdata (object) == NULL)
    return false;
  const char *text = json_object_to_json_string_length (object, JSON_C_TO_STRING_PLAIN, &len);
  if (text == NULL || !json_read (&tape, text, len, &tape_limits, &arena)
      || !json_double (&tape, json_root (&tape), &meant) || meant < value || meant > value)
    return false;
  text = json_raw (&tape, json_root (&tape), &len);
  buf_append (&p->out, text, len);
  return true;
}

static bool
put_double (struct putter *p, struct json_object *object)
{
  struct json_writer w = { .out = &p->out };
  double value = json_object_get_double (object);

  if (!isfinite (value))
    return refuse (p, JSON_SYNTAX, "a number that is not finite");
  if (!put_lexeme (p, object, value))
    jsonw_double (&w, value);
  return true;
}

static bool
put_text (struct putter *p, const char *text, size_t len)
{
  if (!utf8_valid (text, len))
    return refuse (p, JSON_ENCODING, "not UTF-8");
  buf_putc (&p->out, '"');
  json_escape (&p->out, text, len);
  buf_putc (&p->out, '"');
  return true;
}

static bool
put_array (struct putter *p, struct json_object *array)
{
  size_t count = json_object_array_length (array);

  buf_putc (&p->out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i != 0)
      buf_putc (&p->out, ',');
    if (!put (p, json_object_array_get_idx (array, i)))
      return false;
  }
  buf_putc (&p->out, ']');
  return true;
}

static bool
put_members (struct putter *p, struct json_object *object)
{
  bool first = true;

  buf_putc (&p->out, '{');
  json_object_object_foreach (object, name, value)
  {
    if (!first)
      buf_putc (&p->out, ',');
    first = false;
    if (!put_text (p, name, strlen (name)))
      return false;
    buf_putc (&p->out, ':');
    if (!put (p, value))
      return false;
  }
  buf_putc (&p->out, '}');
  return true;
}

static bool
put_container (struct putter *p, struct json_object *object, bool array)
{
  bool ok;

  if (p->depth == JSON_C_DEPTH_MAX)
    return refuse (p, JSON_TOO_DEEP, "nested too deeply");
  p->depth++;
  ok = array ? put_array (p, object) : put_members (p, object);
  p->depth--;
  return ok;
}

static bool
put (struct putter *p, struct json_object *object)
{
  switch (json_object_get_type (object)) {
  case json_type_null:
    buf_puts (&p->out, "null");
    return true;
  case json_type_boolean:
    buf_puts (&p->out, json_object_get_boolean (object) ? "true" : "false");
    return true;
  case json_type_int:
    put_integer (p, object);
    return true;
  case json_type_double:
    return put_double (p, object);
  case json_type_string:
    return put_text (p, json_object_get_string (object),
                     (size_t) json_object_get_string_len (object));
  case json_type_array:
    return put_container (p, object, true);
  case json_type_object:
    return put_container (p, object, false);
  }
  return refuse (p, JSON_SYNTAX, "a value of an unknown type");
}

bool
json_c_to_tape (struct json_object *object, struct json_tape *tape, struct arena *arena)
{
  struct putter p = { .tape = tape };
  bool ok = put (&p, object);

  if (ok)
    ok = json_read (tape, arena_strndup (arena, p.out.data, p.out.len), p.out.len, &tape_limits,
                    arena);
  buf_free (&p.out);
  return ok;
}

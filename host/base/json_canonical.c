#include "base/json_canonical.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"

/* A member, while an object's are put in order. */
struct member {
  const char *name;
  size_t len;
  const struct json_node *value;
};

struct canon {
  const struct json_tape *tape;
  struct arena arena;
  struct buf *out;
};

static int
by_name (const void *a, const void *b)
{
  const struct member *x = a, *y = b;
  const size_t least = x->len < y->len ? x->len : y->len;
  const int order = memcmp (x->name, y->name, least);

  return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static void put_value (struct canon *c, const struct json_node *value);

static void
put_string (struct canon *c, const char *text, size_t len)
{
  buf_putc (c->out, '"');
  json_escape (c->out, text, len);
  buf_putc (c->out, '"');
}

static void
put_object (struct canon *c, const struct json_node *object)
{
  struct member *members = arena_alloc (&c->arena, (object->count + 1) * sizeof *members);
  size_t count = 0;

  for (const struct json_node *n = json_first (object); n != json_end (object);) {
    struct member *m = &members[count++];
    m->name = json_string (c->tape, n, &c->arena, &m->len);
    m->value = json_next (n);
    n = json_next (m->value);
  }
  qsort (members, count, sizeof *members, by_name);
  buf_putc (c->out, '{');
  for (size_t i = 0; i < count; i++) {
    if (i != 0)
      buf_putc (c->out, ',');
    put_string (c, members[i].name, members[i].len);
    buf_putc (c->out, ':');
    put_value (c, members[i].value);
  }
  buf_putc (c->out, '}');
}

static void
put_array (struct canon *c, const struct json_node *array)
{
  buf_putc (c->out, '[');
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n)) {
    if (n != json_first (array))
      buf_putc (c->out, ',');
    put_value (c, n);
  }
  buf_putc (c->out, ']');
}

static void
put_value (struct canon *c, const struct json_node *value)
{
  const char *text;
  size_t len;

  switch (value->type) {
  case JSON_OBJECT:
    put_object (c, value);
    return;
  case JSON_ARRAY:
    put_array (c, value);
    return;
  case JSON_STRING:
    text = json_string (c->tape, value, &c->arena, &len);
    put_string (c, text, len);
    return;
  default:
    text = json_raw (c->tape, value, &len);
    buf_append (c->out, text, len);
  }
}

void
json_canonical (const struct json_tape *tape, const struct json_node *value, struct buf *out)
{
  struct canon c = { .tape = tape, .out = out };

  put_value (&c, value);
  arena_free (&c.arena);
}

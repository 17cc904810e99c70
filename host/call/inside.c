#include "call/inside.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 2, TEXT_MAX = 64 * 1024 }; /* text in text; bytes of one */

/* A value, and its own tape where strings in it were opened. */
struct document {
  struct json_tape tape;
  const struct json_node *root;
};

/* A string that is put in as what its text says. */
struct opened {
  const char *pointer;
  const char *raw; /* as it stands, with its quotes */
  size_t raw_len;
  const char *text;
  size_t len;
};

static bool
open_string (const struct document *d, const struct schema_problem *p, struct arena *arena,
             struct opened *o)
{
  const struct json_node *node = json_pointer (&d->tape, d->root, p->pointer, strlen (p->pointer));
  struct json_tape inner;

  if (p->keyword == NULL || strcmp (p->keyword, "type") != 0 || !json_is (node, JSON_STRING)
      || node->len > TEXT_MAX)
    return false;
  o->pointer = p->pointer;
  o->raw = json_raw (&d->tape, node, &o->raw_len);
  o->text = json_string (&d->tape, node, arena, &o->len);
  return json_read (&inner, o->text, o->len, &json_default_limits, arena)
         && json_root (&inner)->type >= JSON_ARRAY;
}

static int
by_place (const void *a, const void *b)
{
  const struct opened *x = a, *y = b;
  return (x->raw > y->raw) - (x->raw < y->raw);
}

/* In the order they stand in; a place that is told of twice counts once. */
static size_t
open_strings (const struct document *d, const struct schema_report *report, struct arena *arena,
              struct opened opened[SCHEMA_MAX_PROBLEMS])
{
  size_t found = 0, count = 0;

  for (size_t i = 0; i < report->count; i++)
    found += open_string (d, &report->problems[i], arena, &opened[found]);
  if (found != 0)
    qsort (opened, found, sizeof *opened, by_place);
  for (size_t i = 0; i < found; i++)
    if (count == 0 || opened[count - 1].raw != opened[i].raw)
      opened[count++] = opened[i];
  return count;
}

/* The document again, with the texts in the place of the strings. */
static bool
put_in (struct document *d, const struct opened *opened, size_t count, struct arena *arena)
{
  CLEANUP_BUF struct buf text = { 0 };
  size_t len;
  const char *at = json_raw (&d->tape, d->root, &len);
  const char *end = at + len;

  for (size_t i = 0; i < count; i++) {
    buf_append (&text, at, (size_t) (opened[i].raw - at));
    buf_append (&text, opened[i].text, opened[i].len);
    at = opened[i].raw + opened[i].raw_len;
  }
  buf_append (&text, at, (size_t) (end - at));
  if (!json_read (&d->tape, arena_strndup (arena, text.data, text.len), text.len,
                  &json_default_limits, arena))
    return false;
  d->root = json_root (&d->tape);
  return true;
}

static bool
is_inside (const struct schema_problem *p, const struct opened *opened, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t len = strlen (opened[i].pointer);
    if (strncmp (p->pointer, opened[i].pointer, len) == 0
        && (p->pointer[len] == '/' || p->pointer[len] == '\0'))
      return true;
  }
  return false;
}

static void
add (struct schema_report *report, const struct schema_problem *p)
{
  if (report->count < SCHEMA_MAX_PROBLEMS)
    report->problems[report->count++] = *p;
  else
    report->more++;
}

void
inside_report (const struct schema *schema, const struct json_tape *tape,
               const struct json_node *value, struct schema_report *report, struct arena *arena)
{
  struct document d = { .tape = *tape, .root = value };
  struct schema_report now = *report;
  struct opened opened[SCHEMA_MAX_PROBLEMS];

  for (int level = 0; level < LEVELS; level++) {
    size_t count = open_strings (&d, &now, arena, opened);
    now = (struct schema_report){ .count = 0 };
    if (count == 0 || !put_in (&d, opened, count, arena)
        || schema_validate (schema, &d.tape, d.root, &now, arena))
      return;
    for (size_t i = 0; i < now.count; i++)
      if (is_inside (&now.problems[i], opened, count))
        add (report, &now.problems[i]);
  }
}

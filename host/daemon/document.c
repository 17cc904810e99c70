#include "daemon/document.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/json_c.h"
#include "schema/schema.h"

enum { FILE_MAX = 4 << 20 };

static bool
read_file (int fd, struct buf *text, struct error *err)
{
  for (;;) {
    ssize_t n = read (fd, buf_reserve (text, 16384), 16384);
    if (n < 0)
      return error_set (err, "cannot be read: %s", strerror (errno));
    if (n == 0)
      return true;
    text->len += (size_t) n;
    if (text->len > FILE_MAX)
      return error_set (err, "is over %d bytes", FILE_MAX);
  }
}

/* Behind the comment at `p`; NULL when there is none, or it has no end. */
static char *
comment_end (char *p, char *end)
{
  char *stop;

  if (end - p < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*'))
    return NULL;
  if (p[1] == '*') {
    stop = memmem (p + 2, (size_t) (end - p) - 2, "*/", 2);
    return stop != NULL ? stop + 2 : NULL;
  }
  stop = memchr (p, '\n', (size_t) (end - p));
  return stop != NULL ? stop : end;
}

/* Behind the string at `p`, or the end of the text. */
static char *
string_end (char *p, char *end)
{
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\' && p + 1 < end)
      p++;
  return p < end ? p + 1 : end;
}

/* Comments become blanks: what is left is JSON, every byte where it was.  A slash that begins none,
 * or one without an end, is what the reader then stumbles over. */
static void
blank_comments (char *p, char *end)
{
  while (p < end) {
    char *stop = *p == '/' ? comment_end (p, end) : p;
    if (stop == NULL)
      return;
    if (stop == p)
      p = *p == '"' ? string_end (p, end) : p + 1;
    for (; p < stop; p++)
      if (*p != '\n')
        *p = ' ';
  }
}

static bool
wrong_at (const char *text, size_t at, const char *problem, struct error *err)
{
  int line = 1, column = 1;

  for (size_t i = 0; i < at; i++) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n';
  }
  return error_set (err, "line %d, column %d: %s", line, column, problem);
}

/* Settings are C strings: a text that would be cut is refused. */
static bool
no_zeros (const struct json_tape *tape, struct arena *arena, struct error *err)
{
  for (const struct json_node *n = tape->nodes; n < tape->nodes + tape->count; n++)
    if (n->type == JSON_STRING && n->escaped && json_cstring (tape, n, arena) == NULL)
      return wrong_at (tape->text, n->start - 1, "U+0000 in a text", err);
  return true;
}

static struct schema *
compile (const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema *schema = NULL;
  struct json_tape tape;

  if (json_read (&tape, text, strlen (text), &json_default_limits, &arena))
    schema = schema_compile (&tape, json_root (&tape), NULL, NULL);
  assert (schema != NULL); /* it is ours */
  return schema;
}

/* "/grace: expected …, got …"; a text of the schema's own (errorMessage) says only what is
 * expected.
 */
static void
say (const struct schema_problem *p, struct buf *text)
{
  static const char expected[] = "expected ";
  bool own =
    strncmp (p->message, expected, strlen (expected)) == 0 && strstr (p->message, " got ") == NULL;

  buf_printf (text, "%s%s%s", p->pointer, *p->pointer != '\0' ? ": " : "", p->message);
  if (own && p->got != NULL)
    buf_printf (text, ", got %s", p->got);
}

/* The first problem, and where the others are. */
static bool
tell (const struct schema_report *report, struct error *err)
{
  CLEANUP_BUF struct buf first = { 0 };
  CLEANUP_BUF struct buf others = { 0 };
  size_t more = report->count + report->more - 1;

  say (&report->problems[0], &first);
  for (size_t i = 1; i < report->count; i++)
    buf_printf (&others, "%s%s", i == 1 ? ": " : ", ", report->problems[i].pointer);
  if (more == 0)
    return error_set (err, "%s", buf_cstr (&first));
  return error_set (err, "%.360s (and %zu more%s)", buf_cstr (&first), more, buf_cstr (&others));
}

static bool
judge (const struct json_tape *tape, const char *schema_text, struct arena *arena,
       struct error *err)
{
  struct schema *schema = compile (schema_text);
  struct schema_report report = { .count = 0 };
  bool good = schema_validate (schema, tape, json_root (tape), &report, arena);

  schema_free (schema);
  return good || tell (&report, err);
}

static struct json_object *
read_text (struct buf *text, const char *schema, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_object *object = NULL;
  struct json_tape tape;

  blank_comments (text->data, text->data + text->len);
  if (!json_read (&tape, text->data, text->len, &json_default_limits, &arena))
    wrong_at (text->data, tape.offset, tape.problem, err);
  else if (json_root (&tape)->type != JSON_OBJECT)
    error_set (err, "expected a JSON object");
  else if (no_zeros (&tape, &arena, err) && (schema == NULL || judge (&tape, schema, &arena, err)))
    (void) json_c_from_tape (&tape, json_root (&tape), &object, err);
  return object;
}

bool
document_text (int fd, struct buf *text, struct error *err)
{
  if (!read_file (fd, text, err))
    return false;
  blank_comments (text->data, text->data + text->len);
  return true;
}

struct json_object *
document_read (int fd, const char *schema, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };

  return read_file (fd, &text, err) ? read_text (&text, schema, err) : NULL;
}

struct json_object *
document_of_text (const char *text, const char *schema, struct error *err)
{
  CLEANUP_BUF struct buf copy = { 0 };

  buf_puts (&copy, text);
  return read_text (&copy, schema, err);
}

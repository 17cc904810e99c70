#include "schema/explain/line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "schema/explain/harmless.h"
#include "schema/explain/place.h"
#include "schema/program.h"

static const char ellipsis[] = "…";

/* All of the text, or nothing: false when there is no room. */
static bool
put (struct line *line, const char *text, size_t len)
{
  if (len >= sizeof line->text - line->len)
    return false;
  memcpy (line->text + line->len, text, len);
  line->len += len;
  line->text[line->len] = '\0';
  return true;
}

void
line_cut (struct line *line, size_t len)
{
  if (len >= line->len)
    return;
  while (len != 0 && (line->text[len] & 0xc0) == 0x80)
    len--;
  line->len = len;
  line->text[len] = '\0';
}

void
line_add (struct line *line, const char *fmt, ...)
{
  size_t room = sizeof line->text - line->len;
  va_list args;
  int n;

  va_start (args, fmt);
  n = vsnprintf (line->text + line->len, room, fmt, args);
  va_end (args);
  if (n <= 0)
    return;
  line->len += (size_t) n < room ? (size_t) n : room - 1;
  if ((size_t) n >= room) {
    /* the last character may be there in part */
    while (!utf8_valid (line->text, line->len))
      line->len--;
    line->text[line->len] = '\0';
  }
}

void
line_add_line (struct line *line, const struct line *other)
{
  line_add (line, "%s", other->text);
}

/* ---- foreign text, a character at a time ---- */

/* A text being added: what a node stands for, or plain bytes. */
struct source {
  struct json_cursor cursor;
  const char *text, *end; /* text is NULL: the cursor counts */
};

/* The character that comes next, as UTF-8; 0 at the end, and where the text is not good. */
static size_t
next_character (struct source *s, char out[4])
{
  size_t len = 1;
  int c;

  if (s->text != NULL) {
    len = s->text < s->end ? utf8_sequence (s->text, s->end) : 0;
    memcpy (out, s->text, len);
    s->text += len;
    return len;
  }
  c = json_cursor_next (&s->cursor);
  if (c < 0)
    return 0;
  out[0] = (char) c;
  if (c >= 0xc0)
    for (size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1; more != 0; more--)
      out[len++] = (char) json_cursor_next (&s->cursor);
  return len;
}

static void
put_source (struct line *line, struct source source, size_t most)
{
  size_t start = line->len;
  size_t limit = start + most;
  char c[4], shown[HARMLESS_ROOM];

  for (size_t n; (n = next_character (&source, c)) != 0;) {
    if (line->len + n > limit) {
      (void) put (line, ellipsis, sizeof ellipsis - 1);
      break;
    }
    if (!put (line, shown, harmless_character (c, n, shown)))
      break;
  }
  harmless_piece (line->text + start, line->len - start);
}

void
line_add_text (struct line *line, const char *text, size_t len, size_t most)
{
  put_source (line, (struct source){ .text = text, .end = text + len }, most);
}

void
line_add_string (struct line *line, const struct json_tape *tape, const struct json_node *string,
                 size_t most)
{
  put_source (line, (struct source){ .cursor = json_cursor (tape, string) }, most);
}

void
line_add_sentence (struct line *line, const struct json_tape *tape, const struct json_node *string,
                   size_t most)
{
  size_t start = line->len;

  line_add_string (line, tape, string, most);
  /* "e.g. a word" goes on */
  for (size_t i = start; i + 2 < line->len; i++)
    if (line->text[i] == '.' && line->text[i + 1] == ' '
        && !islower ((unsigned char) line->text[i + 2]))
      line_cut (line, i);
  if (line->len > start && line->text[line->len - 1] == '.')
    line_cut (line, line->len - 1);
}

/* ---- values ---- */

static void
add_size (struct line *line, const char *container, const char *item, uint32_t count)
{
  if (count == 0)
    line_add (line, "an empty %s", container);
  else
    line_add (line, "an %s with %u %s%s", container, (unsigned) count, item, count == 1 ? "" : "s");
}

void
line_add_json (struct line *line, const struct json_tape *tape, const struct json_node *value,
               size_t most)
{
  const char *raw;
  size_t len;

  if (value->type == JSON_STRING) {
    line_add (line, "\"");
    line_add_string (line, tape, value, most);
    line_add (line, "\"");
    return;
  }
  raw = json_raw (tape, value, &len);
  line_add_text (line, raw, len, most);
}

void
line_add_value (struct line *line, const struct json_tape *tape, const struct json_node *value,
                size_t most)
{
  if (value->type == JSON_OBJECT)
    add_size (line, "object", "member", value->count);
  else if (value->type == JSON_ARRAY)
    add_size (line, "array", "item", value->count);
  else
    line_add_json (line, tape, value, most);
}

/* ---- pointers ---- */

/* As it is shown in a token: not as a blank, so that it can be told. */
static size_t
token_character (const char *p, size_t len, char out[HARMLESS_ROOM])
{
  size_t n = harmless_character (p, len, out);

  if (*p == '~' || *p == '/') {
    memcpy (out, *p == '~' ? "~0" : "~1", 2);
    return 2;
  }
  if (*p != ' ' && out[0] == ' ')
    out[0] = '?';
  return n;
}

static void
put_token (struct line *line, struct source source)
{
  size_t start = line->len + 1;
  size_t limit = start + LINE_PIECE;
  char c[4], shown[HARMLESS_ROOM];

  if (!put (line, "/", 1))
    return;
  for (size_t n; (n = next_character (&source, c)) != 0;) {
    if (line->len + n > limit) {
      (void) put (line, ellipsis, sizeof ellipsis - 1);
      break;
    }
    if (!put (line, shown, token_character (c, n, shown)))
      break;
  }
  harmless_piece (line->text + start, line->len - start);
}

void
line_add_token (struct line *line, const struct json_tape *tape, const struct json_node *string)
{
  put_token (line, (struct source){ .cursor = json_cursor (tape, string) });
}

void
line_add_token_text (struct line *line, const char *text, size_t len)
{
  put_token (line, (struct source){ .text = text, .end = text + len });
}

void
line_add_pointer (struct line *line, const struct json_tape *tape, const struct json_node *root,
                  const struct json_node *target)
{
  line_add_pointers (line, tape, root, target, target);
}

void
line_add_pointers (struct line *line, const struct json_tape *tape, const struct json_node *root,
                   const struct json_node *first, const struct json_node *last)
{
  const struct json_node *other = root, *name, *other_name;
  uint32_t index, other_index;
  bool apart = false;

  while (root != first) {
    root = place_step (root, first, &name, &index);
    other = place_step (other, last, &other_name, &other_index);
    apart = apart || (name == NULL && index != other_index);
    if (name != NULL)
      line_add_token (line, tape, name);
    else if (apart)
      line_add (line, "/*");
    else
      line_add (line, "/%u", (unsigned) index);
    if (name != NULL && place_is_name (root, first))
      return;
  }
}

void
line_add_schema_pointer (struct line *line, const struct schema *schema,
                         const struct json_node *node, const char *keyword)
{
  const struct json_node *document = json_root (&schema->tape);
  const struct json_node *name;
  uint32_t index;

  /* a schema is never an array: that one holds documents */
  if (document->type == JSON_ARRAY)
    document = place_step (document, node, &name, &index);
  line_add_pointer (line, &schema->tape, document, node);
  if (keyword != NULL && *keyword != '\0')
    line_add_token_text (line, keyword, strlen (keyword));
}

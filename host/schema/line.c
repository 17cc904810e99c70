#include "schema/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "schema/place.h"

/* Room kept so that a cut can always be shown. */
static const char ellipsis[] = "…";

void
line_add (struct line *line, const char *fmt, ...)
{
  size_t room = sizeof line->text - line->len;
  va_list args;
  int n;

  va_start (args, fmt);
  n = vsnprintf (line->text + line->len, room, fmt, args);
  va_end (args);
  if (n > 0)
    line->len += (size_t) n < room ? (size_t) n : room - 1;
}

static void
put (struct line *line, const char *text, size_t len)
{
  if (len < sizeof line->text - line->len) {
    memcpy (line->text + line->len, text, len);
    line->len += len;
  }
  line->text[line->len] = '\0';
}

static uint32_t
decode (const char *p, size_t len)
{
  static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
  uint32_t c = (unsigned char) *p & first_bits[len];

  for (size_t i = 1; i < len; i++)
    c = c << 6 | ((unsigned char) p[i] & 0x3f);
  return c;
}

/* Code points that are not seen, or that turn the text around them. */
static bool
is_invisible (uint32_t c)
{
  static const struct {
    uint32_t first, last;
  } ranges[] = { { 0, 0x1f },        { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },
                 { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
                 { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff } };

  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (c >= ranges[i].first && c <= ranges[i].last)
      return true;
  return false;
}

/* How a character of a foreign text is shown: as itself, unless it could pass for structure. */
static void
put_character (struct line *line, const char *p, size_t len)
{
  uint32_t c = decode (p, len);

  if (c == '\n' || c == '\t' || c == '\r')
    put (line, " ", 1);
  else if (is_invisible (c))
    put (line, "?", 1);
  else if (c == '<')
    put (line, "‹", strlen ("‹"));
  else if (c == '>')
    put (line, "›", strlen ("›"));
  else if (c == '`')
    put (line, "'", 1);
  else
    put (line, p, len);
}

/* The character at the cursor, as UTF-8; 0 at the end. */
static size_t
next_character (struct json_cursor *cursor, char out[4])
{
  int c = json_cursor_next (cursor);
  size_t len = 1;

  if (c < 0)
    return 0;
  out[0] = (char) c;
  if (c >= 0xc0)
    for (size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1; more != 0; more--)
      out[len++] = (char) json_cursor_next (cursor);
  return len;
}

void
line_add_string (struct line *line, const struct json_tape *tape, const struct json_node *string,
                 size_t most)
{
  struct json_cursor cursor = json_cursor (tape, string);
  size_t limit = line->len + most;
  char c[4];

  for (size_t n; (n = next_character (&cursor, c)) != 0;) {
    if (line->len + n > limit) {
      put (line, ellipsis, sizeof ellipsis - 1);
      return;
    }
    put_character (line, c, n);
  }
}

void
line_add_text (struct line *line, const char *text, size_t len, size_t most)
{
  size_t limit = line->len + most;
  const char *end = text + len;

  for (size_t n; text < end; text += n) {
    n = utf8_sequence (text, end);
    if (n == 0)
      return;
    if (line->len + n > limit) {
      put (line, ellipsis, sizeof ellipsis - 1);
      return;
    }
    put_character (line, text, n);
  }
}

static void
add_size (struct line *line, const char *container, const char *item, uint32_t count)
{
  if (count == 0)
    line_add (line, "an empty %s", container);
  else
    line_add (line, "an %s with %u %s%s", container, (unsigned) count, item, count == 1 ? "" : "s");
}

void
line_add_value (struct line *line, const struct json_tape *tape, const struct json_node *value,
                size_t most)
{
  const char *raw;
  size_t len;

  switch (value->type) {
  case JSON_OBJECT:
    add_size (line, "object", "member", value->count);
    break;
  case JSON_ARRAY:
    add_size (line, "array", "item", value->count);
    break;
  case JSON_STRING:
    line_add (line, "\"");
    line_add_string (line, tape, value, most);
    line_add (line, "\"");
    break;
  default:
    raw = json_raw (tape, value, &len);
    line_add_text (line, raw, len, most);
    break;
  }
}

void
line_add_token (struct line *line, const struct json_tape *tape, const struct json_node *string)
{
  struct json_cursor cursor = json_cursor (tape, string);
  size_t limit = line->len + LINE_PIECE;
  char c[4];

  put (line, "/", 1);
  for (size_t n; (n = next_character (&cursor, c)) != 0;) {
    if (line->len + n > limit) {
      put (line, ellipsis, sizeof ellipsis - 1);
      return;
    }
    if (c[0] == '~' || c[0] == '/')
      put (line, c[0] == '~' ? "~0" : "~1", 2);
    else if (is_invisible (decode (c, n)))
      put (line, "?", 1);
    else
      put (line, c, n);
  }
}

void
line_add_pointer (struct line *line, const struct json_tape *tape, const struct json_node *root,
                  const struct json_node *target)
{
  const struct json_node *name;
  uint32_t index;

  while (root != target) {
    root = place_step (root, target, &name, &index);
    if (name != NULL)
      line_add_token (line, tape, name);
    else
      line_add (line, "/%u", (unsigned) index);
    if (place_is_name (root, target))
      return;
  }
}

#include "front/agui/lines.h"

static bool
is_blank (const char *line, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
      return false;
  return true;
}

/* The data of a server-sent event; other fields don't matter. */
static bool
take_field (struct agui_lines *lines, const char *line, size_t len)
{
  static const char name[] = "data:";

  if (len < sizeof name - 1 || memcmp (line, name, sizeof name - 1) != 0)
    return false;
  line += sizeof name - 1;
  len -= sizeof name - 1;
  if (len != 0 && *line == ' ') {
    line++;
    len--;
  }
  if (lines->data.len != 0)
    buf_putc (&lines->data, '\n');
  buf_append (&lines->data, line, len);
  return true;
}

static bool
is_other_field (const char *line, size_t len)
{
  static const char *const names[] = { ":", "event:", "id:", "retry:" };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (len >= strlen (names[i]) && memcmp (line, names[i], strlen (names[i])) == 0)
      return true;
  return false;
}

static bool
flush (struct agui_lines *lines, struct buf *text)
{
  text->len = 0;
  buf_append (text, lines->data.data, lines->data.len);
  lines->data.len = 0;
  return text->len != 0;
}

bool
agui_lines_next (struct agui_lines *lines, const char *in, size_t len, bool end, size_t *at,
                 struct buf *text)
{
  while (*at < len) {
    const char *line = in + *at;
    const char *stop = memchr (line, '\n', len - *at);
    size_t size = stop != NULL ? (size_t) (stop - line) : len - *at;
    if (stop == NULL && !end)
      return false;
    *at += size + (stop != NULL);
    if (size != 0 && line[size - 1] == '\r')
      size--;
    if (is_blank (line, size)) {
      if (flush (lines, text))
        return true;
    }
    else if (!take_field (lines, line, size) && !is_other_field (line, size)) {
      text->len = 0;
      buf_append (text, line, size);
      return true;
    }
  }
  return end && flush (lines, text);
}

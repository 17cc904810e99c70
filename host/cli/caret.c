#include "cli/caret.h"

#include "cli/out.h"
#include "cli/table.h"

/* Characters shown on either side. */
enum { BEFORE = 50, BEHIND = 25 };

struct caret
caret_find (const char *text, size_t len, size_t offset)
{
  struct caret caret = { .line = 1, .column = 1 };
  const char *start = text;
  const char *end;
  unsigned long c;

  for (size_t i = 0; i < offset; i++)
    if (text[i] == '\n') {
      caret.line++;
      start = text + i + 1;
    }
  caret.text = start;
  caret.at = offset - (size_t) (start - text);
  end = len > offset ? memchr (text + offset, '\n', len - offset) : NULL;
  caret.len = (size_t) ((end != NULL ? end : text + len) - start);
  for (size_t i = 0; i < caret.at; i += text_decode (start + i, caret.at - i, &c))
    caret.column++;
  return caret;
}

/* Where the characters that are shown begin. */
static size_t
first_shown (const struct caret *caret)
{
  size_t skip = caret->column > BEFORE ? caret->column - BEFORE : 0;
  size_t i = 0;
  unsigned long c;

  for (; skip > 0; skip--)
    i += text_decode (caret->text + i, caret->at - i, &c);
  return i;
}

static size_t
behind_shown (const struct caret *caret)
{
  size_t i = caret->at;
  unsigned long c;

  for (unsigned n = 0; n < BEHIND && i < caret->len; n++)
    i += text_decode (caret->text + i, caret->len - i, &c);
  return i;
}

static void
show_part (const char *text, size_t from, size_t to, struct buf *out)
{
  size_t start = out->len;

  text_neutralise (out, text + from, to - from);
  for (size_t i = start; i < out->len; i++)
    if (out->data[i] == '\t')
      out->data[i] = ' ';
}

void
caret_show (const struct caret *caret, const char *indent, struct buf *out)
{
  size_t from = first_shown (caret);
  size_t to = behind_shown (caret);
  size_t start, columns;

  buf_puts (out, indent);
  start = out->len;
  if (from > 0)
    buf_puts (out, "…");
  show_part (caret->text, from, caret->at, out);
  columns = text_columns (out->data + start, out->len - start);
  show_part (caret->text, caret->at, to, out);
  if (to < caret->len)
    buf_puts (out, "…");
  buf_printf (out, "\n%s%*s^\n", indent, (int) columns, "");
}

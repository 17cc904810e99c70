#include "line_feed.h"

#include <string.h>

static bool
give (const char *line, size_t len, bool (*take) (void *ctx, const char *line, size_t len),
      void *ctx)
{
  if (len != 0 && line[len - 1] == '\r')
    len--;
  return take (ctx, line, len);
}

/* The rest of a line that began earlier. */
static bool
give_joined (struct line_feed *lines, const char *data, size_t len,
             bool (*take) (void *ctx, const char *line, size_t len), void *ctx)
{
  bool good;

  text_add_len (&lines->rest, data, len);
  if (!text_ok (&lines->rest))
    return false;
  good = give (text_get (&lines->rest), lines->rest.len, take, ctx);
  text_clear (&lines->rest);
  return good;
}

bool
line_feed (struct line_feed *lines, const char *data, size_t len,
           bool (*take) (void *ctx, const char *line, size_t len), void *ctx)
{
  while (len != 0) {
    const char *end = memchr (data, '\n', len);
    size_t part = end != NULL ? (size_t) (end - data) : len;
    if (part > lines->max || lines->rest.len > lines->max - part) {
      lines->too_long = true;
      return false;
    }
    if (end == NULL) {
      text_add_len (&lines->rest, data, part);
      return text_ok (&lines->rest);
    }
    if (!(lines->rest.len != 0 ? give_joined (lines, data, part, take, ctx)
                               : give (data, part, take, ctx)))
      return false;
    data += part + 1;
    len -= part + 1;
  }
  return true;
}

void
line_feed_free (struct line_feed *lines)
{
  text_free (&lines->rest);
}

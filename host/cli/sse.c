#include "cli/sse.h"

#include <string.h>

static void
dispatch (struct sse *sse)
{
  if (sse->has_data)
    sse->on_event (sse->ctx, sse->name[0] != '\0' ? sse->name : "message", buf_cstr (&sse->data),
                   sse->data.len);
  buf_reset (&sse->data, 64 * 1024);
  sse->name[0] = '\0';
  sse->has_data = false;
}

static void
set_name (struct sse *sse, const char *value, size_t len)
{
  if (len >= sizeof sse->name)
    len = sizeof sse->name - 1;
  memcpy (sse->name, value, len);
  sse->name[len] = '\0';
}

static void
add_data (struct sse *sse, const char *value, size_t len)
{
  if (sse->has_data)
    buf_putc (&sse->data, '\n');
  buf_append (&sse->data, value, len);
  sse->has_data = true;
}

/* One line without its end: "field: value", a comment, or the blank that ends an event. */
static void
take_line (struct sse *sse, const char *line, size_t len)
{
  if (len > 0 && line[len - 1] == '\r')
    len--;
  if (len == 0) {
    dispatch (sse);
    return;
  }
  const char *colon = memchr (line, ':', len);
  size_t field = colon != NULL ? (size_t) (colon - line) : len;
  const char *value = colon != NULL ? colon + 1 : line + len;
  size_t value_len = len - (size_t) (value - line);

  if (value_len > 0 && *value == ' ') {
    value++;
    value_len--;
  }
  if (field == 5 && memcmp (line, "event", 5) == 0)
    set_name (sse, value, value_len);
  else if (field == 4 && memcmp (line, "data", 4) == 0)
    add_data (sse, value, value_len);
}

bool
sse_feed (struct sse *sse, const char *bytes, size_t len)
{
  while (len > 0) {
    const char *end = memchr (bytes, '\n', len);
    size_t take = end != NULL ? (size_t) (end - bytes) : len;

    if (sse->line.len + sse->data.len + take > SSE_EVENT_MAX)
      return false;
    buf_append (&sse->line, bytes, take);
    if (end == NULL)
      return true;
    take_line (sse, sse->line.data != NULL ? sse->line.data : "", sse->line.len);
    buf_reset (&sse->line, 64 * 1024);
    bytes += take + 1;
    len -= take + 1;
  }
  return true;
}

void
sse_free (struct sse *sse)
{
  buf_free (&sse->line);
  buf_free (&sse->data);
}

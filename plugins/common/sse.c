#include "sse.h"

#include <string.h>

struct feeding {
  struct sse *sse;
  bool (*take) (void *ctx, const struct sse_event *event);
  void *ctx;
};

static bool
is_field (const char *line, size_t len, const char *name)
{
  return len == strlen (name) && memcmp (line, name, len) == 0;
}

static bool
end_event (const struct feeding *f)
{
  struct sse *sse = f->sse;
  struct sse_event event = { .type = sse->type.len != 0 ? text_get (&sse->type) : "message",
                             .data = text_get (&sse->data),
                             .len = sse->data.len };
  bool good = !sse->any || f->take (f->ctx, &event);

  text_clear (&sse->type);
  text_clear (&sse->data);
  sse->any = sse->has_data = false;
  return good;
}

static bool
add_data (struct sse *sse, const char *value, size_t len)
{
  if (sse->data.len + len + 1 > sse->lines.max) {
    sse->lines.too_long = true;
    return false;
  }
  if (sse->has_data)
    text_add (&sse->data, "\n");
  text_add_len (&sse->data, value, len);
  sse->has_data = true;
  return text_ok (&sse->data);
}

static void
set_retry (struct sse *sse, const char *value, size_t len)
{
  int64_t ms = 0;

  for (size_t i = 0; i < len; i++) {
    if (value[i] < '0' || value[i] > '9' || ms > INT32_MAX)
      return;
    ms = 10 * ms + (value[i] - '0');
  }
  if (len != 0)
    sse->retry_ms = ms;
}

static bool
on_line (void *ctx, const char *line, size_t len)
{
  const struct feeding *f = ctx;
  struct sse *sse = f->sse;
  const char *colon;
  size_t name, skip;

  if (!sse->begun && len >= 3 && memcmp (line, "\357\273\277", 3) == 0) {
    line += 3; /* a byte order mark */
    len -= 3;
  }
  sse->begun = true;
  if (len == 0)
    return end_event (f);
  colon = memchr (line, ':', len);
  name = colon != NULL ? (size_t) (colon - line) : len;
  if (name == 0)
    return true; /* a comment */
  skip = name + (colon != NULL ? 1 : 0);
  skip += skip < len && line[skip] == ' ';
  sse->any = true;
  if (is_field (line, name, "data"))
    return add_data (sse, line + skip, len - skip);
  if (is_field (line, name, "event")) {
    text_clear (&sse->type);
    text_add_len (&sse->type, line + skip, len - skip);
  }
  else if (is_field (line, name, "id") && memchr (line, '\0', len) == NULL) {
    text_clear (&sse->id);
    text_add_len (&sse->id, line + skip, len - skip);
  }
  else if (is_field (line, name, "retry"))
    set_retry (sse, line + skip, len - skip);
  return true;
}

bool
sse_feed (struct sse *sse, const char *data, size_t len,
          bool (*take) (void *ctx, const struct sse_event *event), void *ctx)
{
  struct feeding f = { .sse = sse, .take = take, .ctx = ctx };

  return line_feed (&sse->lines, data, len, on_line, &f);
}

void
sse_free (struct sse *sse)
{
  line_feed_free (&sse->lines);
  text_free (&sse->type);
  text_free (&sse->data);
  text_free (&sse->id);
}

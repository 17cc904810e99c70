#include "front/encode.h"

#include <string.h>
#include <strings.h>

static void
drop_breaks (struct buf *out, size_t from)
{
  static const char breaks[] = { '\n', '\r' };

  for (size_t i = 0; i < sizeof breaks; i++) {
    char *at = out->data + from;
    char *end = out->data + out->len;
    while ((at = memchr (at, breaks[i], (size_t) (end - at))) != NULL)
      *at++ = ' ';
  }
}

void
encode_raw (struct json_writer *w, const char *json, size_t len)
{
  size_t from = w->out->len;

  jsonw_raw (w, json, len);
  drop_breaks (w->out, from);
}

void
encode_name_raw (struct json_writer *w, const char *name, const char *json, size_t len)
{
  jsonw_name (w, name);
  encode_raw (w, json, len);
}

struct slice
encode_message (const struct result *result)
{
  const char *text;

  if (result->message != NULL && result->message_len != 0)
    return (struct slice){ result->message, result->message_len };
  text = call_error_info (result->error)->text;
  return (struct slice){ text, strlen (text) };
}

static void
text_block (struct json_writer *w, const char *text, size_t len)
{
  jsonw_object (w);
  jsonw_name_string (w, "type", "text");
  jsonw_name (w, "text");
  jsonw_string_len (w, text, len);
  jsonw_end (w);
}

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What stands between the brackets of an array, without outer blanks. */
static struct slice
array_items (const char *json, size_t len)
{
  const char *at = json;
  const char *end = json + len;

  while (at < end && is_blank (*at))
    at++;
  while (end > at && is_blank (end[-1]))
    end--;
  if (end - at < 2)
    return (struct slice){ json, 0 };
  at++;
  end--;
  while (at < end && is_blank (*at))
    at++;
  while (end > at && is_blank (end[-1]))
    end--;
  return (struct slice){ at, (size_t) (end - at) };
}

void
encode_content (struct json_writer *w, const struct result *result)
{
  struct slice items = array_items (result->content, result->content_len);

  jsonw_array (w);
  if (result->error != CALL_OK) {
    struct slice message = encode_message (result);
    text_block (w, message.data, message.len);
  }
  else if (items.len == 0 && result->structured != NULL)
    text_block (w, result->structured, result->structured_len);
  if (items.len != 0)
    encode_raw (w, items.data, items.len);
  jsonw_end (w);
}

static struct slice
trim (struct slice s)
{
  while (s.len != 0 && is_blank (s.data[0]))
    s = (struct slice){ s.data + 1, s.len - 1 };
  while (s.len != 0 && is_blank (s.data[s.len - 1]))
    s.len--;
  return s;
}

/* The part before `mark`, trimmed; *rest goes on behind it. */
static struct slice
split (struct slice *rest, char mark)
{
  const char *at = rest->len != 0 ? memchr (rest->data, mark, rest->len) : NULL;
  struct slice part = *rest;

  if (at == NULL) {
    rest->len = 0;
    return trim (part);
  }
  part.len = (size_t) (at - part.data);
  *rest = (struct slice){ at + 1, rest->len - part.len - 1 };
  return trim (part);
}

static bool
same_type (struct slice a, const char *b, size_t len)
{
  return a.len == len && strncasecmp (a.data, b, len) == 0;
}

bool
media_is_json (struct slice type)
{
  struct slice media = split (&type, ';');

  return same_type (media, "application/json", strlen ("application/json"));
}

bool
media_named (struct slice accept, const char *type)
{
  while (accept.len != 0) {
    struct slice range = split (&accept, ',');
    struct slice media = split (&range, ';');
    if (same_type (media, type, strlen (type)))
      return true;
  }
  return false;
}

bool
media_accepted (struct slice accept, const char *type)
{
  size_t main_len = (size_t) (strchr (type, '/') - type) + 1;

  if (trim (accept).len == 0 || media_named (accept, type))
    return true;
  while (accept.len != 0) {
    struct slice range = split (&accept, ',');
    struct slice media = split (&range, ';');
    if (same_type (media, "*/*", 3))
      return true;
    if (media.len == main_len + 1 && media.data[main_len] == '*'
        && strncasecmp (media.data, type, main_len) == 0)
      return true;
  }
  return false;
}

void
sse_event (struct buf *out, const char *event, const char *json, size_t len)
{
  buf_puts (out, "event: ");
  buf_puts (out, event);
  buf_puts (out, "\ndata: ");
  buf_append (out, json, len);
  buf_puts (out, "\n\n");
}

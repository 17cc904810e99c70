#include "front/encode.h"

#include <string.h>
#include <strings.h>

#include "base/decimal.h"

enum { PIECE = 64 * 1024 };

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

/* By pieces, so that what was copied is near when it is looked through. */
void
encode_raw (struct json_writer *w, const char *json, size_t len)
{
  size_t from = w->out->len, n = len < PIECE ? len : PIECE;

  jsonw_raw (w, json, n);
  drop_breaks (w->out, from);
  (void) buf_reserve (w->out, len - n);
  for (size_t at = n; at < len; at += n) {
    from = w->out->len;
    n = len - at < PIECE ? len - at : PIECE;
    buf_append (w->out, json + at, n);
    drop_breaks (w->out, from);
  }
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
  if (result->links_len != 0)
    encode_raw (w, result->links, result->links_len);
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

static void
encode_error (struct json_writer *w, const struct result *result)
{
  struct slice message = encode_message (result);

  jsonw_name (w, "error");
  jsonw_object (w);
  jsonw_name_string (w, "code", result->code);
  jsonw_name (w, "message");
  jsonw_string_len (w, message.data, message.len);
  if (result->problems != NULL)
    encode_name_raw (w, "problems", result->problems, result->problems_len);
  if (result->retry_after_ms > 0)
    jsonw_name_int (w, "retry_after_ms", result->retry_after_ms);
  jsonw_end (w);
}

/* ---- usage: a part of every answer, so its names are written ready ---- */

struct figure {
  struct slice before[2]; /* by enum encode_names */
  size_t at;              /* in struct usage */
};

#define AT(member) offsetof (struct usage, member)
#define TEXT(literal)                                                                              \
  {                                                                                                \
    literal, sizeof literal - 1                                                                    \
  }
static const struct figure by_daemon[] = {
  { { TEXT ("{\"daemon\":{\"wallUs\":"), TEXT ("{\"daemon\":{\"wall_us\":") }, AT (wall_us) },
  { { TEXT (",\"queueUs\":"), TEXT (",\"queue_us\":") }, AT (queue_us) },
  { { TEXT (",\"runUs\":"), TEXT (",\"run_us\":") }, AT (run_us) },
  { { TEXT (",\"bytesIn\":"), TEXT (",\"bytes_in\":") }, AT (bytes_in) },
  { { TEXT (",\"bytesOut\":"), TEXT (",\"bytes_out\":") }, AT (bytes_out) },
};
static const struct figure of_http[] = {
  { { TEXT (",\"http\":{\"requests\":"), TEXT (",\"http\":{\"requests\":") }, AT (http_requests) },
  { { TEXT (",\"bytesSent\":"), TEXT (",\"bytes_sent\":") }, AT (http_sent) },
  { { TEXT (",\"bytesReceived\":"), TEXT (",\"bytes_received\":") }, AT (http_received) },
};
static const struct figure by_worker = {
  { TEXT ("},\"worker\":{\"cpuUs\":"), TEXT ("},\"worker\":{\"cpu_us\":") }, AT (cpu_us)
};
static const struct figure by_kernel = { { TEXT ("},\"kernel\":{\"rssPeakBytes\":"),
                                           TEXT ("},\"kernel\":{\"rss_peak_bytes\":") },
                                         AT (rss_peak) };
#undef AT
#undef TEXT

static char *
put_figure (char *at, const struct figure *figure, const struct usage *usage,
            enum encode_names names)
{
  const struct slice *before = &figure->before[names];

  at = (char *) memcpy (at, before->data, before->len) + before->len;
  return decimal_put (at, *(const uint64_t *) ((const char *) usage + figure->at));
}

void
encode_usage (struct json_writer *w, const char *name, const struct usage *usage,
              enum encode_names names)
{
  char text[512], *at = text; /* of ten names and as many numbers */

  for (size_t i = 0; i < sizeof by_daemon / sizeof *by_daemon; i++)
    at = put_figure (at, &by_daemon[i], usage, names);
  for (size_t i = 0; usage->http_requests != 0 && i < sizeof of_http / sizeof *of_http; i++)
    at = put_figure (at, &of_http[i], usage, names);
  if (usage->http_requests != 0)
    at = stpcpy (at, "}");
  if (usage->told_cpu)
    at = put_figure (at, &by_worker, usage, names);
  if (usage->rss_peak != 0)
    at = put_figure (at, &by_kernel, usage, names);
  at = stpcpy (at, "}}");
  jsonw_name_raw (w, name, text, (size_t) (at - text));
}

bool
encode_has_ended (const struct result *result)
{
  return result->error == CALL_OK || result->error == CALL_tool_execution_failed;
}

/* What stands in the content and what is linked, as one array. */
static void
encode_linked (struct json_writer *w, const struct result *result)
{
  struct slice items = array_items (result->content, result->content_len);

  jsonw_array (w);
  if (items.len != 0)
    encode_raw (w, items.data, items.len);
  encode_raw (w, result->links, result->links_len);
  jsonw_end (w);
}

/* What the call gave, by the name it has for its kind. */
static void
encode_given (struct json_writer *w, const struct result *result)
{
  static const char *const names[CALL_KINDS] = {
    [CALL_TOOL] = "content", [CALL_READ] = "contents", [CALL_PROMPT] = "messages"
  };

  if (result->kind == CALL_PROMPT && result->tool != NULL)
    jsonw_name_string (w, "description", result->tool->description);
  if (result->links_len != 0) {
    jsonw_name (w, names[result->kind]);
    encode_linked (w, result);
  }
  else if (names[result->kind] != NULL)
    encode_name_raw (w, names[result->kind], result->content, result->content_len);
  if (result->structured != NULL)
    encode_name_raw (w, "structured", result->structured, result->structured_len);
}

void
encode_result (struct buf *out, const char *call_id, const struct result *result)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  if (call_id != NULL)
    jsonw_name_string (&w, "call_id", call_id);
  jsonw_name_bool (&w, "ok", result->error == CALL_OK);
  if (result->error != CALL_OK)
    encode_error (&w, result);
  if (encode_has_ended (result))
    encode_given (&w, result);
  if (result->repairs != NULL)
    encode_name_raw (&w, "repairs", result->repairs, result->repairs_len);
  if (result->replayed)
    jsonw_name_bool (&w, "replayed", true);
  encode_usage (&w, "usage", &result->usage, ENCODE_HTTP);
  jsonw_end (&w);
}

bool
media_is_json (struct slice type)
{
  static const char json[] = "application/json";

  return slice_is (type, json) || same_type (split (&type, ';'), json, sizeof json - 1);
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

/* What MCP has its clients write: most of the headers that come are these very bytes. */
static bool
accepts_both (struct slice accept, const char *type)
{
  return slice_is (accept, "application/json, " SSE_TYPE)
         && (strcmp (type, SSE_TYPE) == 0 || strcmp (type, "application/json") == 0);
}

bool
media_accepted (struct slice accept, const char *type)
{
  size_t main_len;

  if (accepts_both (accept, type) || trim (accept).len == 0 || media_named (accept, type))
    return true;
  main_len = (size_t) (strchr (type, '/') - type) + 1;
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

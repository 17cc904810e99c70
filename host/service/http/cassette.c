#include "service/http/cassette.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_tape.h"
#include "base/json_write.h"

enum { RECORDED_MAX = 64 << 20, PIECE = 16 * 1024 };

struct interaction {
  char *method, *url;
  struct buf asked; /* body of the request */
  int status;
  struct buf headers; /* name, NUL, value, NUL, … */
  struct buf answer;
  bool played;
};

struct http_cassette {
  struct ev_loop *loop;
  struct http_transport over; /* recording; begin NULL: replaying */
  struct interaction **list;
  size_t count;
  size_t bytes;
};

static void
interaction_free (struct interaction *i)
{
  free (i->method);
  free (i->url);
  buf_free (&i->asked);
  buf_free (&i->headers);
  buf_free (&i->answer);
  free (i);
}

static void
add (struct http_cassette *cassette, struct interaction *i)
{
  cassette->list = xrealloc (cassette->list, (cassette->count + 1) * sizeof (struct interaction *));
  cassette->list[cassette->count++] = i;
}

static void
add_header (struct interaction *i, const char *name, const char *value)
{
  buf_append (&i->headers, name, strlen (name) + 1);
  buf_append (&i->headers, value, strlen (value) + 1);
}

/* As an array of them; returns how many, at most HTTP_HEADERS_MAX. */
static size_t
list_headers (const struct interaction *i, struct http_header *list)
{
  const char *at = i->headers.data, *end = at + i->headers.len;
  size_t count = 0;

  while (at != end && count < HTTP_HEADERS_MAX) {
    list[count].name = at;
    list[count].value = at + strlen (at) + 1;
    at = list[count].value + strlen (list[count].value) + 1;
    count++;
  }
  return count;
}

/* ---- the file --------------------------------------------------------------------------- */

static bool
read_body (const struct json_tape *tape, const struct json_node *of, struct buf *body,
           struct arena *arena)
{
  const struct json_node *text = json_member (tape, of, "body");
  const struct json_node *base64 = json_member (tape, of, "body_base64");
  const char *data;
  size_t len;

  if (text != NULL) {
    data = json_string (tape, text, arena, &len);
    if (data != NULL)
      buf_append (body, data, len);
    return data != NULL;
  }
  data = base64 != NULL ? json_string (tape, base64, arena, &len) : NULL;
  return base64 == NULL
         || (data != NULL
             && base64_decode (BASE64_PADDED, data, len, buf_reserve (body, base64_room (len)),
                               &body->len));
}

static bool
read_headers (const struct json_tape *tape, const struct json_node *list, struct interaction *i,
              struct arena *arena)
{
  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY) || list->count > HTTP_HEADERS_MAX)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *name, *value;
    if (!json_is (n, JSON_ARRAY) || n->count != 2)
      return false;
    name = json_cstring (tape, json_first (n), arena);
    value = json_cstring (tape, json_next (json_first (n)), arena);
    if (name == NULL || value == NULL)
      return false;
    add_header (i, name, value);
  }
  return true;
}

static bool
read_interaction (const struct json_tape *tape, const struct json_node *node, struct interaction *i,
                  struct arena *arena)
{
  const struct json_node *asked = json_member (tape, node, "request");
  const struct json_node *answer = json_member (tape, node, "response");
  const char *method = json_cstring (tape, json_member (tape, asked, "method"), arena);
  const char *url = json_cstring (tape, json_member (tape, asked, "url"), arena);
  int64_t status = 0;

  if (method == NULL || url == NULL
      || !json_int64 (tape, json_member (tape, answer, "status"), &status) || status < 200
      || status > 599)
    return false;
  i->method = xstrdup (method);
  i->url = xstrdup (url);
  i->status = (int) status;
  return read_body (tape, asked, &i->asked, arena) && read_body (tape, answer, &i->answer, arena)
         && read_headers (tape, json_member (tape, answer, "headers"), i, arena);
}

static bool
read_all (struct http_cassette *cassette, const char *json, size_t len, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *list;
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    return error_set (err, "byte %zu: %s", tape.offset, tape.problem);
  list = json_member (&tape, json_root (&tape), "interactions");
  if (!json_is (list, JSON_ARRAY))
    return error_set (err, "/interactions: expected a list");
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    struct interaction *i = xcalloc (1, sizeof *i);
    add (cassette, i);
    if (!read_interaction (&tape, n, i, &arena))
      return error_set (err,
                        "/interactions/%zu: expected a request with method and url, and a "
                        "response with a status",
                        cassette->count - 1);
  }
  return true;
}

static void
write_body (struct json_writer *w, const struct buf *body)
{
  const char *data = body->len != 0 ? body->data : "";

  if (utf8_valid (data, body->len)) {
    jsonw_name (w, "body");
    jsonw_string_len (w, data, body->len);
    return;
  }
  jsonw_name (w, "body_base64");
  jsonw_base64 (w, data, body->len);
}

static void
write_interaction (struct json_writer *w, const struct interaction *i)
{
  struct http_header headers[HTTP_HEADERS_MAX];
  size_t count = list_headers (i, headers);

  jsonw_object (w);
  jsonw_name (w, "request");
  jsonw_object (w);
  jsonw_name_string (w, "method", i->method);
  jsonw_name_string (w, "url", i->url);
  write_body (w, &i->asked);
  jsonw_end (w);
  jsonw_name (w, "response");
  jsonw_object (w);
  jsonw_name_int (w, "status", i->status);
  jsonw_name (w, "headers");
  jsonw_array (w);
  for (size_t k = 0; k < count; k++) {
    jsonw_array (w);
    jsonw_string (w, headers[k].name);
    jsonw_string (w, headers[k].value);
    jsonw_end (w);
  }
  jsonw_end (w);
  write_body (w, &i->answer);
  jsonw_end (w);
  jsonw_end (w);
}

void
http_cassette_write (const struct http_cassette *cassette, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "interactions");
  jsonw_array (&w);
  for (size_t i = 0; i < cassette->count; i++)
    write_interaction (&w, cassette->list[i]);
  jsonw_end (&w);
  jsonw_end (&w);
}

/* ---- replaying -------------------------------------------------------------------------- */

struct transfer {
  struct http_cassette *cassette;
  const struct http_hop_events *events; /* NULL: dropped */
  void *ctx;
  /* replaying */
  struct interaction *played; /* NULL: there is none */
  ev_timer timer;
  bool headed, inside;
  size_t at;
  char *missing; /* what there is no answer to */
  /* recording */
  void *inner;
  struct interaction *recorded;
};

static bool
is_asked (const struct interaction *i, const struct http_hop *hop, const struct buf *url)
{
  return strcmp (i->method, http_method_name (hop->method)) == 0 && strcmp (i->url, url->data) == 0
         && i->asked.len == hop->body_len
         && (hop->body_len == 0 || memcmp (i->asked.data, hop->body, hop->body_len) == 0);
}

/* The first that was not played, else the last. */
static struct interaction *
find (const struct http_cassette *cassette, const struct http_hop *hop, const struct buf *url)
{
  struct interaction *found = NULL;

  for (size_t i = 0; i < cassette->count; i++) {
    if (!is_asked (cassette->list[i], hop, url))
      continue;
    found = cassette->list[i];
    if (!found->played)
      break;
  }
  if (found != NULL)
    found->played = true;
  return found;
}

static void
transfer_free (struct transfer *t)
{
  if (t->cassette->over.begin == NULL)
    ev_timer_stop (t->cassette->loop, &t->timer);
  free (t->missing);
  free (t);
}

static void
end (struct transfer *t, enum http_failure failure, const char *text)
{
  const struct http_hop_events *events = t->events;
  void *ctx = t->ctx;
  CLEANUP_BUF struct buf copy = { 0 };

  buf_puts (&copy, text);
  transfer_free (t);
  events->end (ctx, failure, buf_cstr (&copy));
}

/* As far as it is taken. */
static void
play (struct transfer *t)
{
  struct http_header headers[HTTP_HEADERS_MAX];
  const struct buf *body = &t->played->answer;

  if (!t->headed) {
    t->headed = true;
    t->events->head (t->ctx, t->played->status, headers, list_headers (t->played, headers));
  }
  while (t->events != NULL && t->at < body->len) {
    size_t piece = body->len - t->at < PIECE ? body->len - t->at : PIECE;
    if (!t->events->body (t->ctx, body->data + t->at, piece)) {
      t->inside = false;
      return;
    }
    t->at += piece;
  }
  if (t->events != NULL)
    end (t, HTTP_FINE, "");
  else
    transfer_free (t);
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct transfer *t = timer->data;

  (void) loop;
  (void) revents;
  if (t->played == NULL) {
    end (t, HTTP_CONNECT, t->missing);
    return;
  }
  t->inside = true;
  play (t);
}

static void *
begin_replay (struct http_cassette *cassette, const struct http_hop *hop, struct transfer *t)
{
  CLEANUP_BUF struct buf url = { 0 };
  CLEANUP_BUF struct buf missing = { 0 };

  url_write (hop->url, &url);
  (void) buf_cstr (&url);
  t->played = find (cassette, hop, &url);
  buf_printf (&missing, "the cassette has no answer to %s %s", http_method_name (hop->method),
              url.data);
  t->missing = xstrdup (buf_cstr (&missing));
  ev_timer_init (&t->timer, on_timer, 0, 0);
  t->timer.data = t;
  ev_timer_start (cassette->loop, &t->timer);
  return t;
}

/* ---- recording -------------------------------------------------------------------------- */

static void
forget (struct transfer *t)
{
  if (t->recorded != NULL)
    interaction_free (t->recorded);
  t->recorded = NULL;
}

static void
record_head (void *ctx, int status, const struct http_header *headers, size_t count)
{
  struct transfer *t = ctx;

  t->recorded->status = status;
  for (size_t i = 0; i < count; i++)
    if (strcmp (headers[i].name, "set-cookie") != 0)
      add_header (t->recorded, headers[i].name, headers[i].value);
  /* a redirect drops it from within, with no body to come: that is all of it */
  if (status >= 300 && status < 400) {
    add (t->cassette, t->recorded);
    t->recorded = NULL;
  }
  t->events->head (t->ctx, status, headers, count);
}

/* What is not taken comes again; what is taken may be the end of this transfer. */
static bool
record_body (void *ctx, const char *data, size_t len)
{
  struct transfer *t = ctx;
  struct interaction *i = t->recorded;
  bool taken;

  if (i != NULL && t->cassette->bytes + len > RECORDED_MAX) {
    forget (t);
    i = NULL;
  }
  if (i != NULL)
    buf_append (&i->answer, data, len);
  t->cassette->bytes += i != NULL ? len : 0;
  taken = t->events->body (t->ctx, data, len);
  if (!taken && i != NULL) {
    i->answer.len -= len;
    t->cassette->bytes -= len;
  }
  return taken;
}

static void
record_end (void *ctx, enum http_failure failure, const char *text)
{
  struct transfer *t = ctx;

  if (failure == HTTP_FINE && t->recorded != NULL) {
    add (t->cassette, t->recorded);
    t->recorded = NULL;
  }
  forget (t);
  end (t, failure, text);
}

static const struct http_hop_events recording = { record_head, record_body, record_end };

static void *
begin_record (struct http_cassette *cassette, const struct http_hop *hop, struct transfer *t)
{
  CLEANUP_BUF struct buf url = { 0 };

  t->inner = cassette->over.begin (cassette->over.ctx, hop, &recording, t);
  if (t->inner == NULL) {
    free (t);
    return NULL;
  }
  url_write (hop->url, &url);
  t->recorded = xcalloc (1, sizeof *t->recorded);
  t->recorded->method = xstrdup (http_method_name (hop->method));
  t->recorded->url = xstrndup (url.data, url.len);
  if (hop->body_len != 0)
    buf_append (&t->recorded->asked, hop->body, hop->body_len);
  return t;
}

/* ---- the transport ---------------------------------------------------------------------- */

static void *
begin (void *ctx, const struct http_hop *hop, const struct http_hop_events *events,
       void *events_ctx)
{
  struct http_cassette *cassette = ctx;
  struct transfer *t = xcalloc (1, sizeof *t);

  t->cassette = cassette;
  t->events = events;
  t->ctx = events_ctx;
  return cassette->over.begin != NULL ? begin_record (cassette, hop, t)
                                      : begin_replay (cassette, hop, t);
}

static void
resume (void *transfer)
{
  struct transfer *t = transfer;

  if (t->inner != NULL)
    t->cassette->over.resume (t->inner);
  else
    ev_timer_start (t->cassette->loop, &t->timer);
}

static void
drop (void *transfer)
{
  struct transfer *t = transfer;

  t->events = NULL;
  if (t->inner != NULL) {
    t->cassette->over.drop (t->inner);
    forget (t);
    transfer_free (t);
  }
  else if (!t->inside)
    transfer_free (t);
}

/* ---- names ------------------------------------------------------------------------------ */

struct question {
  struct http_cassette *cassette;
  http_resolved *done;
  void *ctx;
  ev_timer timer;
};

static void
on_question (struct ev_loop *loop, ev_timer *timer, int revents)
{
  static const char public_one[] = "2000::1";
  struct question *q = timer->data;
  struct address address;

  (void) loop;
  (void) revents;
  (void) address_read (&address, public_one, sizeof public_one - 1);
  q->done (q->ctx, &address, 1, "");
  free (q);
}

static void *
look_up (void *ctx, const char *host, http_resolved *done, void *done_ctx)
{
  struct question *q = xcalloc (1, sizeof *q);

  (void) host;
  *q = (struct question){ .cassette = ctx, .done = done, .ctx = done_ctx };
  ev_timer_init (&q->timer, on_question, 0, 0);
  q->timer.data = q;
  ev_timer_start (q->cassette->loop, &q->timer);
  return q;
}

static void
forget_question (void *question)
{
  struct question *q = question;

  ev_timer_stop (q->cassette->loop, &q->timer);
  free (q);
}

/* ---- all of it -------------------------------------------------------------------------- */

struct http_cassette *
http_cassette_new (struct ev_loop *loop, struct http_transport over)
{
  struct http_cassette *cassette = xcalloc (1, sizeof *cassette);

  cassette->loop = loop;
  cassette->over = over;
  return cassette;
}

struct http_cassette *
http_cassette_read (struct ev_loop *loop, const char *json, size_t len, struct error *err)
{
  struct http_cassette *cassette = http_cassette_new (loop, (struct http_transport){ 0 });

  if (read_all (cassette, json, len, err))
    return cassette;
  http_cassette_free (cassette);
  return NULL;
}

void
http_cassette_free (struct http_cassette *cassette)
{
  if (cassette == NULL)
    return;
  for (size_t i = 0; i < cassette->count; i++)
    interaction_free (cassette->list[i]);
  free (cassette->list);
  free (cassette);
}

struct http_transport
http_cassette_transport (struct http_cassette *cassette)
{
  return (struct http_transport){ .begin = begin, .resume = resume, .drop = drop, .ctx = cassette };
}

struct http_resolver
http_cassette_resolver (struct http_cassette *cassette)
{
  return (struct http_resolver){ .look_up = look_up, .forget = forget_question, .ctx = cassette };
}

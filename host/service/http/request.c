#include "service/http/request.h"

#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"

/* A text without U+0000, or nothing at all. */
static bool
read_text (const struct json_tape *tape, const char *name, const char **text, struct arena *arena)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);

  if (node != NULL)
    *text = json_cstring (tape, node, arena);
  return node == NULL || *text != NULL;
}

static bool
read_count (const struct json_tape *tape, const char *name, int64_t *count)
{
  const struct json_node *node = json_member (tape, json_root (tape), name);

  return node == NULL || (json_int64 (tape, node, count) && *count >= 0);
}

static bool
read_headers (struct http_ask *request, const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *list = json_member (tape, json_root (tape), "headers");
  struct http_header *headers;

  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY))
    return false;
  headers = arena_alloc (arena, (list->count + 1) * sizeof *headers);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    struct http_header *h = &headers[request->headers_count++];
    if (!json_is (n, JSON_ARRAY) || n->count != 2)
      return false;
    h->name = json_cstring (tape, json_first (n), arena);
    h->value = json_cstring (tape, json_next (json_first (n)), arena);
    if (h->name == NULL || h->value == NULL)
      return false;
  }
  request->headers = headers;
  return true;
}

bool
http_ask_read (struct http_ask *request, const char *json, size_t len, struct arena *arena)
{
  int64_t redirects = HTTP_REDIRECTS_DEFAULT, response_max = 0;
  struct json_tape tape;

  memset (request, 0, sizeof *request);
  if (!json_read (&tape, json, len, &json_default_limits, arena)
      || !json_is (json_root (&tape), JSON_OBJECT)
      || !read_text (&tape, "method", &request->method, arena)
      || !read_text (&tape, "url", &request->url, arena) || request->url == NULL
      || !read_text (&tape, "idempotency_key", &request->idempotency_key, arena)
      || !read_count (&tape, "timeout_ms", &request->timeout_ms)
      || !read_count (&tape, "response_max", &response_max)
      || !read_count (&tape, "redirects", &redirects))
    return false;
  request->response_max = (size_t) response_max;
  request->redirects = redirects < HTTP_REDIRECTS_MAX ? (unsigned) redirects : HTTP_REDIRECTS_MAX;
  request->has_body = json_is (json_member (&tape, json_root (&tape), "body"), JSON_TRUE);
  return read_headers (request, &tape, arena);
}

void
http_answer_write (const struct http_answer *answer, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_int (&w, "status", answer->status);
  jsonw_name_string (&w, "url", answer->url);
  jsonw_name_int (&w, "redirects", answer->redirects);
  jsonw_name_int (&w, "tries", answer->tries);
  jsonw_name (&w, "headers");
  jsonw_array (&w);
  for (size_t i = 0; i < answer->headers_count; i++) {
    jsonw_array (&w);
    jsonw_string (&w, answer->headers[i].name);
    jsonw_string (&w, answer->headers[i].value);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}

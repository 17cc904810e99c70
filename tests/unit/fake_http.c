#include "fake_http.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const struct front_peer fake_anonymous = {
  .uid = (uid_t) -1, .gid = (gid_t) -1, .roles = ROLES_LOCAL, .principal = "anonymous"
};
const struct front_peer fake_manager = {
  .local = true, .uid = 0, .gid = 0, .roles = ROLES_ALL, .principal = "uid:0"
};

struct http_exchange {
  struct http_request request;
  struct arena arena;
  const char *headers;
  struct fake_answer *answer;
  void *data;
  void (*gone) (void *data);
  bool choked;
};

static char *
kept (struct http_exchange *x, const char *text)
{
  return arena_strndup (&x->arena, text, strlen (text));
}

void
fake_http_request (struct fake_answer *answer, const struct front_peer *peer, const char *method,
                   const char *path, const char *headers, const char *body)
{
  struct http_exchange *x = xcalloc (1, sizeof *x);
  size_t path_len = strcspn (path, "?");
  const char *query = path[path_len] != '\0' ? path + path_len + 1 : "";

  *answer = (struct fake_answer){ .x = x };
  x->answer = answer;
  x->headers = kept (x, headers);
  x->request.peer = peer;
  x->request.arena = &x->arena;
  x->request.method = (struct slice){ kept (x, method), strlen (method) };
  x->request.path = (struct slice){ kept (x, path), path_len };
  x->request.query = (struct slice){ kept (x, query), strlen (query) };
  if (body != NULL)
    x->request.body = (struct slice){ kept (x, body), strlen (body) };
}

static void
end_exchange (struct http_exchange *x)
{
  x->answer->x = NULL;
  arena_free (&x->arena);
  free (x);
}

void
fake_http_lose (struct fake_answer *answer)
{
  struct http_exchange *x = answer->x;

  answer->lost = true;
  if (x->gone != NULL)
    x->gone (x->data);
  end_exchange (x);
}

void
fake_http_choke (struct fake_answer *answer)
{
  answer->x->choked = true;
}

bool
fake_http_ended (const struct fake_answer *answer)
{
  return answer->x == NULL && !answer->lost;
}

const char *
fake_http_body (struct fake_answer *answer)
{
  return buf_cstr (&answer->body);
}

void
fake_answer_free (struct fake_answer *answer)
{
  if (answer->x != NULL)
    fake_http_lose (answer);
  buf_free (&answer->body);
}

/* ---- front/http/http.h ---- */

/* The value behind "name" and `mark`, up to one of `ends`. */
static struct slice
find_value (const char *text, const char *name, size_t name_len, const char *mark, const char *ends)
{
  size_t mark_len = strlen (mark);

  while (*text != '\0') {
    size_t len = strcspn (text, ends);
    if (len >= name_len + mark_len && strncmp (text, name, name_len) == 0
        && strncmp (text + name_len, mark, mark_len) == 0)
      return (struct slice){ text + name_len + mark_len, len - name_len - mark_len };
    text += len + (text[len] != '\0');
  }
  return (struct slice){ NULL, 0 };
}

void
http_set_peer (struct http_exchange *x, const struct front_peer *peer)
{
  x->request.peer = peer;
}

struct slice
http_header_len (const struct http_exchange *x, const char *name, size_t len)
{
  return find_value (x->headers, name, len, ": ", "\n");
}

struct slice
http_query (const struct http_exchange *x, const char *name)
{
  return find_value (x->request.query.data, name, strlen (name), "=", "&");
}

int64_t
http_came_ns (const struct http_exchange *x)
{
  (void) x;
  return 0;
}

const struct http_request *
http_request (const struct http_exchange *x)
{
  return &x->request;
}

static void
take_head (struct http_exchange *x, int status, const char *type, const char *headers)
{
  struct fake_answer *answer = x->answer;

  assert (answer->status == 0);
  answer->status = status;
  snprintf (answer->type, sizeof answer->type, "%s", type != NULL ? type : "");
  snprintf (answer->headers, sizeof answer->headers, "%s", headers != NULL ? headers : "");
}

void
http_reply (struct http_exchange *x, int status, const char *content_type, const char *headers,
            const void *body, size_t len)
{
  take_head (x, status, content_type, headers);
  buf_append (&x->answer->body, body, len);
  end_exchange (x);
}

void
http_reply_take (struct http_exchange *x, int status, const char *content_type, const char *headers,
                 struct buf *body)
{
  http_reply (x, status, content_type, headers, body->data, body->len);
}

void
http_reply_json (struct http_exchange *x, int status, const char *headers, const struct buf *json)
{
  http_reply (x, status, "application/json", headers, json->data, json->len);
}

void
http_reply_error (struct http_exchange *x, int status, const char *code, const char *fmt, ...)
{
  char message[256];
  CLEANUP_BUF struct buf body = { 0 };
  va_list args;

  va_start (args, fmt);
  vsnprintf (message, sizeof message, fmt, args);
  va_end (args);
  buf_printf (&body, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}", code, message);
  http_reply_json (x, status, NULL, &body);
}

void
http_stream_begin (struct http_exchange *x, int status, const char *content_type,
                   const char *headers)
{
  take_head (x, status, content_type, headers);
  x->answer->streaming = true;
}

bool
http_stream_write (struct http_exchange *x, const void *data, size_t len)
{
  assert (x->answer->streaming);
  if (x->choked) {
    fake_http_lose (x->answer);
    return false;
  }
  buf_append (&x->answer->body, data, len);
  return true;
}

size_t
http_stream_backlog (const struct http_exchange *x)
{
  return x->answer->backlog;
}

void
http_stream_end (struct http_exchange *x)
{
  assert (x->answer->streaming);
  end_exchange (x);
}

void
http_set_data (struct http_exchange *x, void *data)
{
  x->data = data;
}

void *
http_data (const struct http_exchange *x)
{
  return x->data;
}

void
http_on_gone (struct http_exchange *x, void (*gone) (void *data))
{
  x->gone = gone;
}

#include "front/rest/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/offload.h"
#include "call/results.h"

enum { AT_ONCE = 256 * 1024 /* bytes; more are read by a thread */ };

/* The bytes a request wants. */
struct range {
  bool partial;
  uint64_t first, len;
};

/* An answer while its bytes are read. */
struct reading {
  const struct front_env *env;
  struct http_exchange *x; /* NULL: nobody waits */
  struct offload_job *work;
  struct result_kept kept;
  struct range range;
  char *principal, *session;
  struct buf bytes;
};

/* ---- Range ---- */

static bool
read_number (const char **at, const char *end, uint64_t *number)
{
  const char *begin = *at;

  *number = 0;
  for (; *at != end && **at >= '0' && **at <= '9'; ++*at)
    *number = *number * 10 + (uint64_t) (**at - '0');
  return *at != begin && *at - begin <= 15;
}

enum { RANGE_WHOLE, RANGE_PART, RANGE_NOWHERE };

/* "bytes=FIRST-LAST", "bytes=FIRST-" or "bytes=-COUNT"; anything else may be answered with the
 * whole (RFC 9110, 14.2). */
static int
read_range (struct slice header, uint64_t size, struct range *range)
{
  static const char unit[] = "bytes=";
  const char *at = header.data, *end = at + header.len;
  uint64_t first, last = UINT64_MAX;

  if (header.data == NULL || header.len < sizeof unit || memcmp (at, unit, sizeof unit - 1) != 0)
    return RANGE_WHOLE;
  at += sizeof unit - 1;
  if (*at == '-') {
    at++;
    if (!read_number (&at, end, &last) || at != end)
      return RANGE_WHOLE;
    first = last < size ? size - last : 0;
    if (last == 0)
      return RANGE_NOWHERE;
    last = UINT64_MAX;
  }
  else if (!read_number (&at, end, &first) || at == end || *at++ != '-'
           || (at != end && (!read_number (&at, end, &last) || at != end)) || last < first)
    return RANGE_WHOLE;
  if (first >= size)
    return RANGE_NOWHERE;
  *range = (struct range){ .partial = true, .first = first };
  range->len = (last < size ? last + 1 : size) - first;
  return RANGE_PART;
}

/* ---- answers ---- */

static void
refuse_unknown (struct http_exchange *x)
{
  http_reply_error (x, 404, "result_not_found", "There is no such result (any more)");
}

/* What a tool gave is no page of this server: it is not shown in place, and runs nowhere. */
static void
put_headers (const struct result_kept *kept, const struct range *range, char *room, size_t size)
{
  int len = snprintf (room, size,
                      "Accept-Ranges: bytes\r\nCache-Control: no-store\r\n"
                      "Content-Disposition: attachment\r\nX-Content-Type-Options: nosniff\r\n");

  if (range->partial)
    (void) snprintf (room + len, size - (size_t) len, "Content-Range: bytes %llu-%llu/%llu\r\n",
                     (unsigned long long) range->first,
                     (unsigned long long) (range->first + range->len - 1),
                     (unsigned long long) kept->place.len);
}

static void
answer (struct http_exchange *x, const struct result_kept *kept, const struct range *range,
        struct buf *bytes)
{
  char headers[384], type[RESULT_MIME_MAX + 32];
  bool plain =
    kept->text && strncmp (kept->mime, "text/", 5) == 0 && strchr (kept->mime, ';') == NULL;

  put_headers (kept, range, headers, sizeof headers);
  (void) snprintf (type, sizeof type, "%s%s",
                   kept->mime[0] != '\0' ? kept->mime : "application/octet-stream",
                   plain ? "; charset=utf-8" : "");
  http_reply_take (x, range->partial ? 206 : 200, type, headers, bytes);
}

/* ---- much ---- */

static void
read_much (void *ctx, const struct offload_job *job)
{
  struct reading *g = ctx;

  (void) job;
  results_read (g->env->results, &g->kept.place, g->range.first, (size_t) g->range.len, &g->bytes);
}

/* What was forgotten meanwhile may have been read as zeros. */
static bool
is_kept (const struct reading *g)
{
  return results_find (g->env->results, g->kept.id, RESULT_ID_LEN, g->principal, g->session, 0)
         != NULL;
}

static void
has_read (void *ctx, bool cancelled)
{
  struct reading *g = ctx;

  if (g->x != NULL) {
    http_on_gone (g->x, NULL);
    if (cancelled || !is_kept (g))
      refuse_unknown (g->x);
    else
      answer (g->x, &g->kept, &g->range, &g->bytes);
  }
  buf_free (&g->bytes);
  free (g->principal);
  free (g->session);
  free (g);
}

static void
on_gone (void *data)
{
  struct reading *g = data;

  g->x = NULL;
  offload_cancel (g->work);
}

static void
begin (const struct front_env *env, struct http_exchange *x, const struct result_kept *kept,
       const struct range *range, const char *session)
{
  struct reading *g = xcalloc (1, sizeof *g);

  *g = (struct reading){ .env = env, .x = x, .kept = *kept, .range = *range };
  g->principal = xstrdup (http_request (x)->peer->principal);
  g->session = session != NULL ? xstrdup (session) : NULL;
  http_set_data (x, g);
  http_on_gone (x, on_gone);
  g->work = offload_submit (
    env->readers, &(struct offload_work){ .work = read_much, .done = has_read, .ctx = g });
}

static void
refuse_range (struct http_exchange *x, const struct result_kept *kept)
{
  static const char body[] = "{\"error\":{\"code\":\"bad_range\","
                             "\"message\":\"The result has no such bytes\"}}";
  char header[64];

  (void) snprintf (header, sizeof header, "Content-Range: bytes */%llu\r\n",
                   (unsigned long long) kept->place.len);
  http_reply (x, 416, "application/json", header, body, sizeof body - 1);
}

void
rest_result_get (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  struct slice session_id = http_query (x, "session_id");
  const char *session = session_id.data != NULL
                          ? arena_strndup (http_request (x)->arena, session_id.data, session_id.len)
                          : NULL;
  const struct result_kept *kept = NULL;
  CLEANUP_BUF struct buf bytes = { 0 };
  struct range range;
  struct slice header = { NULL, 0 };

  if (env->results != NULL)
    kept = results_find (env->results, id.data, id.len, http_request (x)->peer->principal, session,
                         ev_now (env->loop));
  if (kept == NULL)
    return refuse_unknown (x);
  range = (struct range){ .len = kept->place.len };
  if (http_header (x, "if-range").data == NULL) /* there is nothing it could name */
    header = http_header (x, "range");
  if (read_range (header, kept->place.len, &range) == RANGE_NOWHERE)
    return refuse_range (x, kept);
  if (env->readers != NULL && range.len > AT_ONCE)
    return begin (env, x, kept, &range, session);
  results_read (env->results, &kept->place, range.first, (size_t) range.len, &bytes);
  answer (x, kept, &range, &bytes);
}

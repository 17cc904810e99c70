#include "front/mcp/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/encode.h"

enum {
  EVENT_KEEP = 64 * 1024,
  RETRY_MS = 1000,                /* until a client that was cut off comes back */
  REPLAY_OF_SESSION = 1024 * 1024 /* bytes */
};

/* ---- the journal of a session ---- */

void
mcp_journal_init (struct mcp_journal *journal, struct mcp_streams *all)
{
  *journal = (struct mcp_journal){ .all = all };
  journal->replay = (struct replay){ .budget = &all->budget, .max = REPLAY_OF_SESSION };
}

void
mcp_journal_free (struct mcp_journal *journal)
{
  replay_free (&journal->replay);
}

/* ---- events ---- */

/* A number in decimal, behind which `end` stands. */
static bool
read_number (struct slice *text, char end, uint64_t *number)
{
  size_t i = 0;

  *number = 0;
  for (; i < text->len && text->data[i] >= '0' && text->data[i] <= '9'; i++) {
    if (i == 19) /* digits: more may not fit */
      return false;
    *number = *number * 10 + (uint64_t) (text->data[i] - '0');
  }
  if (i == 0 || (end != '\0' && (i == text->len || text->data[i] != end)))
    return false;
  text->data += i + (end != '\0');
  text->len -= i + (end != '\0');
  return true;
}

bool
mcp_event_id_read (struct slice text, uint64_t *stream, uint64_t *number)
{
  return text.data != NULL && read_number (&text, '-', stream) && read_number (&text, '\0', number)
         && text.len == 0;
}

static void
begin (struct mcp_stream *stream)
{
  struct buf *event = &stream->all->event;

  stream->begun = true;
  http_stream_begin (stream->x, 200, SSE_TYPE, SSE_HEADERS);
  if (stream->journal == NULL || !stream->journal->primes)
    return;
  buf_reset (event, EVENT_KEEP);
  buf_printf (event, "id: %" PRIu64 "-%" PRIu64 "\nretry: %d\ndata: \n\n", stream->number,
              stream->said, RETRY_MS);
  (void) http_stream_write (stream->x, event->data, event->len);
}

static void
frame (struct mcp_stream *stream, const struct buf *message)
{
  struct buf *event = &stream->all->event;

  buf_reset (event, EVENT_KEEP);
  if (stream->journal != NULL)
    buf_printf (event, "id: %" PRIu64 "-%" PRIu64 "\n", stream->number, ++stream->said);
  sse_event (event, "message", message->data, message->len);
}

static struct http_exchange *
detach (struct mcp_stream *stream)
{
  struct http_exchange *x = stream->x;

  stream->x = NULL;
  if (x != NULL)
    http_on_gone (x, NULL);
  return x;
}

/* Of a stream that has begun.  One that is no session's may be gone when this returns false, or
 * with the last event. */
static bool
put_event (struct mcp_stream *stream, const struct buf *message, bool last)
{
  const struct buf *event = &stream->all->event;
  struct http_exchange *x = last ? detach (stream) : stream->x;
  bool kept = stream->journal != NULL;

  frame (stream, message);
  if (kept)
    replay_keep (&stream->journal->replay, stream->number, stream->said, last,
                 ev_now (stream->all->loop), event->data, event->len);
  if (x == NULL || !http_stream_write (x, event->data, event->len))
    return kept;
  if (last)
    http_stream_end (x);
  return true;
}

/* ---- opening ---- */

static void
gone (void *data)
{
  struct mcp_stream *stream = data;

  stream->x = NULL;
}

/* What is a session's outlives its connection. */
static void
attach (struct mcp_stream *stream, struct http_exchange *x)
{
  stream->x = x;
  http_set_data (x, stream);
  http_on_gone (x, gone);
}

void
mcp_stream_open (struct mcp_stream *stream, struct mcp_streams *all, struct mcp_journal *journal,
                 struct http_exchange *x)
{
  stream->all = all;
  stream->journal = journal;
  stream->takes_events = media_accepted (http_header (x, "accept"), SSE_TYPE);
  attach (stream, x);
  if (journal == NULL)
    return;
  stream->number = ++journal->count;
  stream->next = journal->open;
  stream->prev = &journal->open;
  if (stream->next != NULL)
    stream->next->prev = &stream->next;
  journal->open = stream;
}

void
mcp_stream_standalone (struct mcp_stream *stream, struct mcp_journal *journal)
{
  *stream = (struct mcp_stream){ .all = journal->all, .journal = journal, .takes_events = true };
}

/* ---- talking ---- */

/* Answers that were collected for one document become events. */
static void
begin_batch (struct mcp_stream *stream)
{
  const struct mcp_answers *batch = stream->batch;

  stream->batch = NULL;
  for (unsigned i = 0; batch != NULL && i < batch->count; i++)
    (void) put_event (stream, &batch->list[i], false);
}

void
mcp_stream_connect (struct mcp_stream *stream, struct http_exchange *x)
{
  attach (stream, x);
  begin (stream);
  if (!stream->journal->primes)
    mcp_stream_tick (stream);
}

bool
mcp_stream_say (struct mcp_stream *stream, const struct buf *message)
{
  if (!stream->begun && (stream->x == NULL || !stream->takes_events))
    return false;
  if (!stream->begun) {
    begin (stream);
    begin_batch (stream);
  }
  return put_event (stream, message, false);
}

void
mcp_stream_hang_up (struct mcp_stream *stream)
{
  struct http_exchange *x = detach (stream);

  if (x != NULL)
    http_stream_end (x);
}

/* The whole answer of what did not begin as a stream: one document, or none. */
static void
reply (struct mcp_stream *stream, int status, const char *headers, struct buf *message)
{
  struct http_exchange *x = detach (stream);

  if (x != NULL && message != NULL)
    http_reply_take (x, status, "application/json", headers, message);
  else if (x != NULL)
    http_reply (x, 202, NULL, NULL, NULL, 0);
}

static void
unlink_stream (struct mcp_stream *stream)
{
  if (stream->prev == NULL)
    return;
  *stream->prev = stream->next;
  if (stream->next != NULL)
    stream->next->prev = stream->prev;
}

/* One that is nobody's to free goes with its exchange. */
static void
free_stream (struct mcp_stream *stream, void (*complete) (struct mcp_stream *stream))
{
  if (complete != NULL)
    complete (stream);
}

void
mcp_stream_answer (struct mcp_stream *stream, int status, const char *headers, struct buf *message)
{
  void (*complete) (struct mcp_stream * stream) = stream->complete;
  bool last = --stream->due == 0;

  if (last)
    unlink_stream (stream);
  if (!stream->begun && stream->batch != NULL)
    mcp_answers_add (stream->batch, message);
  if (stream->begun)
    (void) put_event (stream, message, last);
  else if (stream->batch == NULL)
    reply (stream, status, headers, message);
  else if (last)
    reply (stream, 200, NULL, mcp_answers_end (stream->batch));
  if (last)
    free_stream (stream, complete);
}

/* An event stream without events says least to a client that has forgotten the request. */
static void
end_silently (struct mcp_stream *stream)
{
  if (stream->batch != NULL)
    return reply (stream, 200, NULL, mcp_answers_end (stream->batch));
  if (!stream->begun && !stream->takes_events)
    return reply (stream, 202, NULL, NULL);
  if (!stream->begun && stream->x != NULL)
    http_stream_begin (stream->x, 200, SSE_TYPE, SSE_HEADERS);
  mcp_stream_hang_up (stream);
}

void
mcp_stream_silence (struct mcp_stream *stream)
{
  void (*complete) (struct mcp_stream * stream) = stream->complete;

  if (--stream->due != 0)
    return;
  unlink_stream (stream);
  end_silently (stream);
  free_stream (stream, complete);
}

/* ---- going on ---- */

static bool
send_again (void *ctx, const char *event, size_t len)
{
  return http_stream_write (ctx, event, len);
}

bool
mcp_stream_reaches (const struct mcp_stream *stream, uint64_t number)
{
  return number <= stream->said
         && replay_count (&stream->journal->replay, stream->number, number)
              == stream->said - number;
}

void
mcp_stream_resume (struct mcp_stream *stream, struct http_exchange *x, uint64_t number)
{
  mcp_stream_hang_up (stream);
  attach (stream, x);
  stream->begun = true;
  http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
  replay_each (&stream->journal->replay, stream->number, number, send_again, x);
}

bool
mcp_stream_replay (struct mcp_journal *journal, struct http_exchange *x, uint64_t stream,
                   uint64_t number)
{
  uint64_t end = replay_end (&journal->replay, stream);

  if (end == 0 || number > end || replay_count (&journal->replay, stream, number) != end - number)
    return false;
  http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
  replay_each (&journal->replay, stream, number, send_again, x);
  http_stream_end (x);
  return true;
}

void
mcp_stream_tick (struct mcp_stream *stream)
{
  static const char comment[] = ": keep-alive\n\n";

  bool seen = stream->seen;

  stream->seen = true;
  if (stream->x == NULL || !stream->takes_events)
    return;
  if (stream->begun) {
    (void) http_stream_write (stream->x, comment, sizeof comment - 1);
    return;
  }
  if (seen) {
    begin (stream);
    begin_batch (stream);
  }
}

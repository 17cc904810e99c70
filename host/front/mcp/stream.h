/* stream.h - what a POST or GET of /mcp is answered with: one JSON document, or an event stream as
 * soon as something comes before the answer.
 *
 * Streams of a session outlive their connection: their events are numbered and kept, and a GET with
 * Last-Event-ID goes on where the client left off.  Streams of 2026-07-28 end with their
 * connection.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_STREAM_H
#define TOOLHOST_FRONT_MCP_STREAM_H

#include "front/http/http.h"
#include "front/mcp/batch.h"
#include "front/mcp/replay.h"

/* What all streams share. */
struct mcp_streams {
  struct ev_loop *loop;
  struct buf event; /* scratch of one being framed */
  struct replay_budget budget;
};

struct mcp_stream;

/* The streams of one session. */
struct mcp_journal {
  struct mcp_streams *all;
  struct mcp_stream *open; /* without the standalone one */
  uint64_t count;          /* streams so far: the next one's number is one more */
  bool primes;             /* its client reads events without data */
  struct replay replay;
};

struct mcp_stream {
  struct mcp_streams *all;
  struct http_exchange *x;         /* NULL: there is no connection */
  struct mcp_journal *journal;     /* NULL: it is no session's */
  struct mcp_stream *next, **prev; /* among the journal's open ones */
  uint64_t number;                 /* 0: the standalone one */
  uint64_t said;                   /* events */
  unsigned due;                    /* answers, until it is complete */
  bool takes_events;               /* the client accepts an event stream */
  bool begun;                      /* it is one, and was at least once sent as such */
  bool seen;                       /* by mcp_stream_tick */
  struct mcp_answers *batch;       /* where answers are collected until it has begun; or NULL */
  /* It is complete, and its connection has its answer: free it.  NULL: its memory is the
   * exchange's. */
  void (*complete) (struct mcp_stream *stream);
};

void mcp_journal_init (struct mcp_journal *journal, struct mcp_streams *all);
/* There must be no open streams. */
void mcp_journal_free (struct mcp_journal *journal);

/* Set up a zeroed stream that answers `x`.  With a journal it gets a number there. */
void mcp_stream_open (struct mcp_stream *stream, struct mcp_streams *all,
                      struct mcp_journal *journal, struct http_exchange *x);
/* Set up the standalone stream of a session: without a connection, never complete. */
void mcp_stream_standalone (struct mcp_stream *stream, struct mcp_journal *journal);
/* … which begins on this connection. */
void mcp_stream_connect (struct mcp_stream *stream, struct http_exchange *x);

/* A message that is no answer.  False: it can't be heard, not even later. */
bool mcp_stream_say (struct mcp_stream *stream, const struct buf *message);
/* One of the answers that are due.  `headers`: more lines for a plain answer, or NULL.  The
 * message's memory may be taken. */
void mcp_stream_answer (struct mcp_stream *stream, int status, const char *headers,
                        struct buf *message);
/* One of the answers that are due will not come. */
void mcp_stream_silence (struct mcp_stream *stream);

/* Is everything behind event `number` there to be sent again? */
bool mcp_stream_reaches (const struct mcp_stream *stream, uint64_t number);
/* Go on with an open stream on this connection, behind event `number`.  A connection it still has
 * is ended. */
void mcp_stream_resume (struct mcp_stream *stream, struct http_exchange *x, uint64_t number);
/* Answer `x` with what a stream that has ended said behind event `number`.  False, and nothing is
 * answered: that is not there any more. */
bool mcp_stream_replay (struct mcp_journal *journal, struct http_exchange *x, uint64_t stream,
                        uint64_t number);

/* End its connection, if it has one; more may follow on another. */
void mcp_stream_hang_up (struct mcp_stream *stream);

/* A while has passed: show a sign of life.  What has no answer since the last time begins as an
 * event stream, so that a client can resume it and nothing in between takes it for dead. */
void mcp_stream_tick (struct mcp_stream *stream);

/* Last-Event-ID, as it was given out.  False: it is none of ours. */
bool mcp_event_id_read (struct slice text, uint64_t *stream, uint64_t *number);

#endif

/* sessions.h - the HTTP sessions of clients that speak the handshake: a bounded table.
 *
 * A session is found by an id of 128 random bits, only by the principal that opened it.  One that
 * was idle for the given time ends; when the table is full, the one idle longest makes room if it
 * has been idle for a minute, else nobody gets in.  The clock is the caller's.  Owned by
 * mcp_http.c. Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_SESSIONS_H
#define TOOLHOST_FRONT_MCP_SESSIONS_H

#include "front/mcp/core.h"
#include "front/mcp/stream.h"

enum { MCP_SESSION_ID_LEN = 32, MCP_SESSION_SPARED = 60 /* seconds */ };

struct mcp_session {
  struct mcp_peer peer;
  char id[MCP_SESSION_ID_LEN + 1];
  char name[24]; /* for log and tools, which must not learn the id: it is a credential */
  char *principal;
  char *tenant;                 /* of its calls; NULL: "default" */
  double used;                  /* when a request last came */
  struct mcp_stream standalone; /* of GET */
  struct mcp_journal journal;   /* of its other streams */
  struct mcp_session *bucket_next;
  struct mcp_session *newer, *older; /* in order of use */
};

struct mcp_sessions;

/* `ending` is called for each session that ends, whatever the reason, before it is freed; it must
 * end the requests and the stream. */
struct mcp_sessions *mcp_sessions_new (size_t max, double idle_seconds,
                                       void (*ending) (void *ctx, struct mcp_session *session),
                                       void *ctx);
void mcp_sessions_free (struct mcp_sessions *sessions);

/* NULL: full. */
struct mcp_session *mcp_sessions_open (struct mcp_sessions *sessions, const char *principal,
                                       double now);
/* The principal's session, now used; NULL when there is none. */
struct mcp_session *mcp_sessions_find (struct mcp_sessions *sessions, struct slice id,
                                       const char *principal, double now);
void mcp_sessions_close (struct mcp_sessions *sessions, struct mcp_session *session);
/* End those that were idle too long; one with a stream or a running request is not idle. */
void mcp_sessions_expire (struct mcp_sessions *sessions, double now);

/* Walk: the most recently used, then session->older. */
struct mcp_session *mcp_sessions_first (const struct mcp_sessions *sessions);
size_t mcp_sessions_count (const struct mcp_sessions *sessions);

#endif

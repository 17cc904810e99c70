/* core.h - what MCP does, whatever carries it: methods, calls in flight, subscriptions.
 *
 * A carrier (mcp_http.c, ../stdio/stdio.c) reads messages, makes a struct mcp_request for each
 * request and dispatches it; the core ends it through the carrier's functions exactly once: with an
 * answer, or in silence when the client cancelled it.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_CORE_H
#define TOOLHOST_FRONT_MCP_CORE_H

#include "front/front.h"
#include "front/mcp/lists.h"
#include "front/mcp/message.h"

struct mcp_core;
struct mcp_request;

enum mcp_era {
  MCP_LEGACY = 1, /* the handshake: 2024-11-05 … 2025-11-25 */
  MCP_MODERN = 2  /* 2026-07-28 */
};

struct mcp_carrier {
  const char *front;           /* for the log: "mcp", "stdio" */
  const char *const *versions; /* of the handshake, newest first, NULL-terminated */
  /* A notification that belongs to a running request. */
  void (*notify) (struct mcp_request *r, const struct buf *message);
  /* The answer, with the HTTP status it has; the request is the carrier's to free. */
  void (*answer) (struct mcp_request *r, int status, const struct buf *message);
  /* The client cancelled it and hears no more of it; the request is the carrier's to free. */
  void (*silence) (struct mcp_request *r);
  /* A handshake has come: remember the version.  False: no room for another peer. */
  bool (*connect) (struct mcp_request *r, const char *version);
};

/* One end of a conversation: an HTTP session, all stateless HTTP clients together, or the process
 * at the other end of the pipes. */
struct mcp_peer {
  const char *version;          /* agreed by the handshake; NULL: none */
  bool initialized;             /* the client said so */
  size_t listening;             /* of the requests, how many are subscriptions */
  struct mcp_request *requests; /* unanswered */
};

struct mcp_core {
  const struct front_env *env;
  const struct mcp_carrier *carrier;
  struct json_limits limits;
  struct mcp_lists lists;
  struct buf server_info; /* rendered once */
  struct buf scratch;     /* the message being built; whoever sends it copies it */
};

enum { MCP_NAME_KEPT = 128 };

struct mcp_request {
  struct mcp_core *core;
  struct mcp_peer *peer;
  struct mcp_request *next, **prev; /* among the peer's */
  enum mcp_era era;
  struct slice id;       /* raw JSON */
  struct slice token;    /* for progress, raw JSON; empty: not wanted */
  const char *principal; /* of the caller; used until the call has started */
  const char *session;   /* name of the session for the log and the tool, or NULL; likewise */
  double progress;       /* the last that was told */
  struct call *call;     /* while it runs */
  bool listening;        /* a subscription */
  bool wants_tools;      /* … to tools/list_changed */
  unsigned name_len;
  char name[MCP_NAME_KEPT]; /* begin of the called tool's name, for "Unknown tool" */
};

void mcp_core_init (struct mcp_core *core, const struct front_env *env,
                    const struct mcp_carrier *carrier);
void mcp_core_free (struct mcp_core *core);

/* Bytes for id and token of a request that outlives its message. */
size_t mcp_request_room (const struct mcp_message *m);
/* Set up a zeroed request (principal and session may be set before) and put it among the peer's.
 * With `room` id and token are copied there, with NULL they stay in the message's text. */
void mcp_request_begin (struct mcp_request *r, struct mcp_core *core, struct mcp_peer *peer,
                        enum mcp_era era, const struct mcp_message *m, char *room);
/* Serve it.  It may be gone when this returns. */
void mcp_dispatch (struct mcp_request *r, const struct mcp_message *m);
/* Answer with an error.  It may be gone when this returns. */
void mcp_refuse (struct mcp_request *r, const struct mcp_fault *fault);
/* The carrier has lost the client: stop the call, forget the request, call no carrier function. */
void mcp_request_drop (struct mcp_request *r);

/* The daemon stops or the session ends: the call is stopped and answered with an error that says
 * `why`, a subscription is closed as the protocol asks.  The request is gone when this returns. */
void mcp_request_stop (struct mcp_request *r, const char *why);

/* A notification of this peer. */
void mcp_notified (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m);
/* The tools have changed: tell the peer's subscriptions. */
void mcp_tell_listeners (struct mcp_core *core, struct mcp_peer *peer);

/* Is `name` a method of this era, and does its request name a thing in params (as Mcp-Name repeats
 * it)?  The member's name, or NULL. */
const char *mcp_named_by (enum mcp_era era, struct slice method);

#endif

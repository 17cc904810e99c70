/* core.h - what MCP does, whatever carries it: peers, their requests, how each ends.
 *
 * A carrier (post.c, ../stdio/stdio.c) reads messages, makes a struct mcp_request for each
 * request and dispatches it (methods.h); the core ends it through the carrier's functions exactly
 * once: with an answer, or in silence when the client cancelled it.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_CORE_H
#define TOOLHOST_FRONT_MCP_CORE_H

#include "front/front.h"
#include "front/mcp/client.h"
#include "front/mcp/lists.h"
#include "front/mcp/logging.h"
#include "front/mcp/message.h"
#include "front/mcp/uris.h"

struct mcp_core;
struct mcp_peer;
struct mcp_request;
struct mcp_upcall;
struct mcp_asking; /* asks.h */
struct mcp_tasks;  /* tasks.h */
struct span;       /* watch/trace.h */
struct trace_parent;

enum mcp_era {
  MCP_LEGACY = 1, /* the handshake: 2024-11-05 … 2025-11-25 */
  MCP_MODERN = 2  /* 2026-07-28 */
};

/* What is listed, and can change. */
enum mcp_listed {
  MCP_TOOLS = 1 << 0,
  MCP_PROMPTS = 1 << 1,
  MCP_RESOURCES = 1 << 2,
  /* All that is served: what clients are told of, and may ask to be. */
  MCP_SERVED = MCP_TOOLS | MCP_PROMPTS | MCP_RESOURCES
};

struct mcp_carrier {
  const char *front;           /* for the log: "mcp", "stdio" */
  const char *const *versions; /* of the handshake, newest first, NULL-terminated */
  /* A message that belongs to a running request: a notification, or a request to the client.
   * False: it can't be heard, and won't be. */
  bool (*send) (struct mcp_request *r, const struct buf *message);
  /* A message of a peer of the handshake that belongs to no request.  False: it can't be heard
   * now. */
  bool (*tell) (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message);
  /* The answer, with the HTTP status it has; the request is the carrier's to free, and the
   * message's memory its to take. */
  void (*answer) (struct mcp_request *r, int status, struct buf *message);
  /* The client cancelled it and hears no more of it; the request is the carrier's to free. */
  void (*silence) (struct mcp_request *r);
  /* A handshake has come: the peer whose version it sets up, or NULL: no room for another. */
  struct mcp_peer *(*connect) (struct mcp_request *r, const char *version);
};

/* One end of a conversation: an HTTP session, all stateless HTTP clients together, or the process
 * at the other end of the pipes. */
struct mcp_peer {
  /* of the handshake */
  const char *version;        /* agreed; NULL: there was none */
  bool initialized;           /* the client said so */
  unsigned client;            /* enum mcp_client */
  enum mcp_log_level log_at;  /* from which on it hears what tools log */
  unsigned missed;            /* enum mcp_listed: what changed while it could not be told */
  struct mcp_uris uris;       /* of the resources it subscribed to */
  struct mcp_upcall *upcalls; /* requests of ours that it has not answered */
  uint64_t upcall_ids;
  /* of every peer */
  size_t listening;              /* of the requests, how many are subscriptions */
  const char *tenant;            /* of the handshake: whose it is; NULL: "default" */
  struct mcp_request *requests;  /* unanswered */
  struct mcp_peer *next, **prev; /* among the core's */
};

struct mcp_core {
  const struct front_env *env;
  const struct mcp_carrier *carrier;
  struct json_limits limits;
  struct mcp_lists lists;
  bool draining; /* no new subscriptions */
  struct catalog_watcher watcher;
  struct mcp_peer *peers;
  struct mcp_tasks *tasks;
  struct call_batch *batch; /* while the messages of a batch are taken: of their calls; else NULL */
  struct buf server_info;   /* rendered once */
  struct buf scratch;       /* the message being built; whoever sends it copies it */
};

enum { MCP_NAME_KEPT = 128, MCP_SCRATCH_KEEP = 256 * 1024 /* bytes between messages */ };

struct mcp_request {
  struct mcp_core *core;
  struct mcp_peer *peer;
  struct mcp_request *next, **prev; /* among the peer's */
  enum mcp_era era;
  struct toolset *set;       /* the tools it is about: while it is dispatched */
  bool search;               /* its client looks for tools instead of being shown all */
  struct slice id;           /* raw JSON */
  struct slice token;        /* for progress, raw JSON; empty: not wanted */
  const char *principal;     /* of the caller; used until the call has started */
  unsigned roles;            /* ROLE_…, of the caller */
  const char *tenant;        /* likewise, of a subscription as long as it is one; NULL: "default" */
  const char *session;       /* name of the session for the log and the tool, or NULL; likewise */
  unsigned client;           /* enum mcp_client: what its client can do */
  enum mcp_log_level log_at; /* from which on it hears what the tool logs */
  const struct trace_parent *ambient; /* what its carrier says of a trace: while it is dispatched */
  int64_t came_ns;                    /* when it was there; 0: this turn */
  struct span *span;                  /* of it; NULL: it is not sampled */
  bool is_local;                      /* over the Unix socket */
  double progress;                    /* the last that was told */
  struct call *call;                  /* while it runs, … */
  void (*done) (struct mcp_request *r, const struct result *result); /* … and who answers then */
  struct mcp_asking *asking; /* NULL: it has nothing to do with asking */
  unsigned upcalls;          /* requests of ours to the client, for it */
  bool listening;            /* a subscription … */
  unsigned wants;            /* … to these lists (enum mcp_listed) */
  struct mcp_uris uris;      /* … and these resources */
  struct mcp_uris task_ids;  /* … and these tasks, which are its principal's */
  unsigned name_len;
  char name[MCP_NAME_KEPT]; /* begin of what is called, for "Unknown tool" and the log */
};

/* All messages of the batch were taken: the calls among them that may begin do. */
void mcp_end_batch (struct mcp_core *core);

void mcp_core_init (struct mcp_core *core, const struct front_env *env,
                    const struct mcp_carrier *carrier);
/* There must be no peers any more. */
void mcp_core_free (struct mcp_core *core);

/* Set up a zeroed peer. */
void mcp_peer_add (struct mcp_core *core, struct mcp_peer *peer);
/* Its requests are stopped (mcp_request_stop). */
void mcp_peer_remove (struct mcp_core *core, struct mcp_peer *peer, const char *why);

/* Bytes for id and token of a request that outlives its message. */
size_t mcp_request_room (const struct mcp_message *m);
/* Set up a zeroed request (principal and session may be set before) and put it among the peer's.
 * With `room` id and token are copied there, with NULL they stay in the message's text. */
void mcp_request_begin (struct mcp_request *r, struct mcp_core *core, struct mcp_peer *peer,
                        enum mcp_era era, const struct mcp_message *m, char *room);
/* Its client takes nothing but the answer. */
void mcp_request_mute (struct mcp_request *r);
/* The carrier has lost the client: stop the call, forget the request, call no carrier function. */
void mcp_request_drop (struct mcp_request *r);
/* The client takes its request back. */
void mcp_request_cancel (struct mcp_request *r);
/* The daemon stops or the session ends: the call is stopped and answered with an error that says
 * `why`, a subscription is closed as the protocol asks.  The request is gone when this returns. */
void mcp_request_stop (struct mcp_request *r, const char *why);

/* For methods: the buffer to build a message in, emptied. */
struct buf *mcp_scratch (struct mcp_core *core);
/* The same, of a result that brings memory for its answer, or NULL. */
struct buf *mcp_scratch_for (struct mcp_core *core, struct buf *room);
/* Answer with what is in the scratch buffer.  The request is gone when this returns. */
void mcp_answer (struct mcp_request *r, int status);
/* Answer with an error.  The request is gone when this returns. */
void mcp_refuse (struct mcp_request *r, const struct mcp_fault *fault);
/* … -32602 and why. */
void mcp_refuse_params (struct mcp_request *r, const char *what);

#endif

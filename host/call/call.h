/* call.h - the life of one call: the one pipeline that every front uses, for tools and for what
 * else plugins offer.
 *
 * received → resolved → parsed → checked → queued → running → done.  Every accepted call ends in
 * exactly one result, within its deadline plus what the loop needs.  Loop thread only. */
#ifndef TOOLHOST_CALL_CALL_H
#define TOOLHOST_CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame.h"
#include "base/json_tape.h"
#include "call/ask.h"
#include "catalog/toolset.h"

struct approval_facts; /* approval/approvals.h */
struct span;           /* watch/trace.h */
struct call_batch;     /* call/batch.h */
struct calls;          /* all calls of a daemon */
struct call;           /* one of them, while it runs */

enum call_error {
  CALL_OK = 0,
#define ERROR(name, http, level, text) CALL_##name,
#include "call/errors.def"
#undef ERROR
  CALL_ERRORS
};

struct call_error_info {
  const char *code;
  int http;
  int level; /* enum log_level */
  const char *text;
};
const struct call_error_info *call_error_info (enum call_error error);

/* What it cost, by who measured it. */
struct usage {
  /* the daemon */
  uint64_t wall_us;  /* from call_start to done */
  uint64_t queue_us; /* of it, waiting for a worker */
  uint64_t run_us;   /* of it, between dispatch and result */
  uint64_t bytes_in, bytes_out;
  uint64_t http_requests, http_sent, http_received; /* that it made for the call; bytes */
  /* the worker, so that a plugin may have had its hand in it */
  bool told_cpu;
  uint64_t cpu_us; /* of the callbacks' thread */
  /* the kernel */
  uint64_t rss_peak; /* bytes of the process, all its calls so far together; 0: not seen */
};

/* What is wanted, and so what the name of a request names. */
enum call_kind {
  CALL_TOOL,              /* a tool, by its name */
  CALL_READ,              /* what stands at a URI */
  CALL_PROMPT,            /* a prompt, by its name */
  CALL_COMPLETE_PROMPT,   /* values for an argument of a prompt, by its name */
  CALL_COMPLETE_RESOURCE, /* values for a variable of a template, by its text */
  CALL_LIST,              /* which resources a template lists, by its text; for the daemon */
  CALL_KINDS
};

/* Lives while `done` runs.  All JSON in it has passed the strict reader. */
struct result {
  enum call_kind kind;
  enum call_error error; /* CALL_OK: it worked; tool_execution_failed also for a tool's own code */
  const char *code;      /* NULL when ok; the registry's, or the tool's own */
  const char *message;   /* for the model, UTF-8; "" when ok */
  size_t message_len;
  const struct tool *tool; /* what was called; NULL: there is none */
  const char *name;        /* as the caller named it: of a read the URI */
  size_t name_len;
  const char *content; /* JSON array; "[]" at least: of a tool MCP content blocks, of a read what
                          stands there, of a prompt its messages (frame.h, enum frame_content) */
  size_t content_len;
  const char
    *structured; /* JSON value, or NULL; of a completion { "values", "total", "hasMore" } */
  size_t structured_len;
  const char
    *problems; /* tool_args_invalid, tool_output_invalid: as problems_json writes; or NULL */
  size_t problems_len;
  const char
    *repairs; /* what of the arguments was mended: [{"rule","pointer","note"}, …]; or NULL */
  size_t repairs_len;
  const char *links; /* resource_link blocks with commas between them, to what of the content is
                        not shown; or NULL */
  size_t links_len;
  struct buf *room;       /* for a large answer: empty, with memory that may be taken; or NULL */
  bool replayed;          /* its tool ran at another time, for a call of the same id */
  struct call *asking;    /* input_required: whose questions can be taken; else NULL */
  unsigned needs;         /* capability_required: enum frame_ask */
  int64_t retry_after_ms; /* > 0 for tool_overloaded and tool_unavailable */
  struct usage usage;
};

/* What the front hears.  done comes exactly once, and possibly before call_start returns; the
 * others only before it.  A call is gone when done returns. */
struct call_events {
  void (*progress) (void *ctx, double done, double total, const char *text, size_t len);
  void (*log) (void *ctx, int level, const char *text,
               size_t len); /* TOOLHOST_DEBUG …; may be NULL */
  void (*done) (void *ctx, const struct result *result);
  /* What the tool has for the user and not for the model: a JSON object with a "type", which was
   * read strictly and may hold line breaks between its tokens.  NULL: there is no user, and the
   * tool is told so. */
  void (*emitted) (void *ctx, const char *json, size_t len);
  /* The arguments could be read; may be NULL. */
  void (*parsed) (void *ctx, const struct json_tape *tape, const struct json_node *args);
  /* A person has to approve it first (approval/approvals.h); it is durable that it waits, and
   * nothing of it has begun.  True: nobody waits here any more, `done` is not called, and the call
   * runs without its caller once it is approved.  Not to be cancelled from in here.  May be NULL.
   */
  bool (*waits) (void *ctx, const struct approval_facts *facts);
  /* What it wants of its session, as job_events.state says of it (pool/job.h); with `emitted`. */
  enum frame_served_status (*state) (void *ctx, const char *json, size_t len, struct buf *out,
                                     size_t *cost);
};

/* Who calls, and what.  Everything is copied or used before call_start returns. */
struct call_request {
  enum call_kind kind;
  struct toolset *toolset;
  const char *name;
  size_t name_len;
  /* Of a completion: which argument, and what of its value is there. */
  const char *argument;
  size_t argument_len;
  const char *partial;
  size_t partial_len;
  /* The arguments: as a node of a tape that was read already, or as text that was not and that a
   * model or a person wrote, so that its syntax may be mended (NULL: "{}").  A read has none: its
   * arguments are what the URI says. */
  const struct json_tape *tape;
  const struct json_node *args_node;
  const char *args;
  size_t args_len;
  const char *front;     /* "mcp", "rest", "stdio": for the log */
  const char *tenant;    /* NULL: "default" */
  const char *principal; /* who may cancel it by id; NULL: anybody who may call */
  const char *call_id;   /* the model's id or an idempotency key; NULL: one is made */
  /* Its caller has named it: of this principal, in the session that the caller knows by this id
   * ("": in none), it runs once, also over restarts (claim.h).  NULL: nothing is claimed. */
  const char *claimed_in;
  const char *session_id; /* NULL: none */
  const char *thread_id;  /* NULL: none */
  const char *run_id;     /* NULL: none */
  const char *metadata;   /* JSON object text that was read strictly; NULL: none */
  size_t metadata_len;
  int64_t deadline_ms; /* the caller's wish, from now; 0: none */
  bool wants_progress;
  struct call_service *phone; /* of its session, which outlives the call; NULL: none */
  struct call *outer;  /* it runs for a tool that has invoked it, and no longer than that one;
                          NULL: for its caller */
  bool preview;        /* of a large result of a tool show the begin, and keep the rest */
  unsigned askable;    /* enum frame_ask: what the caller can be asked */
  struct ask *ask;     /* of the rounds before, from here on the call's; NULL: this is the first */
  struct claim *claim; /* likewise; NULL: none */
  /* Of a conversation whose handler the tool is: that was approved when it was called. */
  bool is_event;
  /* Where its caller may decide whether it runs it is asked that, as what its tool asks. */
  bool asks_approval;
  /* Its caller may decide whether it runs, also where only approvers may. */
  bool may_approve;
  const char *decider; /* who has answered whether it may run; NULL: the caller */
  /* It was approved, by this entry of the book; for the pipeline itself.  NULL: it was not. */
  const struct approval_facts *approved;
  /* With which others it belongs together: it begins when all of them may.  NULL: with none. */
  struct call_batch *batch;
  /* Answers to questions that are still to come, { key: result, … }, of a caller that keeps no
   * state; such a call asks only for what is not among them.  NULL: none. */
  const struct json_tape *responses_tape;
  const struct json_node *responses;
  /* Its front has decided whether it is traced: as part of this span, or not (NULL).  Else the
   * pipeline does, by what the metadata say of a trace, and links it to the span. */
  bool traced;
  const struct span *span;
};

/* What a result asks that is input_required, taken over: the caller's.  See also held.h. */
struct ask *result_take_ask (const struct result *result);

/* The rules of asking, for fronts that take answers; made when they are first asked for. */
const struct ask_rules *calls_ask_rules (struct calls *calls);

/* Start a call.  NULL when it has ended already (done was called). */
struct call *call_start (struct calls *calls, const struct call_request *request,
                         const struct call_events *events, void *ctx);

/* The caller has lost interest: done is called at once with tool_cancelled (before this returns),
 * the worker gets its cancel, grace and, if need be, kill. */
void call_cancel (struct call *call);

/* The same, and done is not called: its ctx may be gone when this returns. */
void call_abandon (struct call *call);

/* As call_cancel, but a tool that stops within 250 ms has its say: done comes later then, with
 * tool_cancelled and what the tool has given by then as content and structured (S4-13, U4-5).  A
 * second time is as good as none. */
void call_interrupt (struct call *call);

/* It waits for a person's approval, and nothing of it has begun. */
bool call_waits (const struct call *call);

/* May a call of one of these tools, by somebody of this tenant (NULL: "default"), need approval? */
bool calls_may_ask (const struct calls *calls, const char *tenant, const struct toolset *set);

/* The id the call is known by (in the log, in DELETE /v1/calls/{id}). */
const char *call_id (const struct call *call);

/* The arguments of a running call, as its tool has them. */
const char *call_arguments (const struct call *call, size_t *len);

/* Circuits of tools that have failed, as call_circuits_see shows them (circuits.h). */
struct circuit_view;
void calls_see_circuits (struct calls *calls, const char *tenant,
                         void (*see) (void *ctx, const struct circuit_view *view), void *ctx);

/* A running call by its id; NULL when there is none that this principal may touch.  A NULL
 * principal is a manager's: it may touch any. */
struct call *call_find (struct calls *calls, const char *id, const char *principal);

#endif

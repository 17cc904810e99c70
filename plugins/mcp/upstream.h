/* upstream.h - one MCP server as this process knows it: the way to it, which revision it speaks,
 * and what is asked of it.  Any thread; each of its tools holds a reference. */
#ifndef TOOLHOST_PLUGINS_MCP_UPSTREAM_H
#define TOOLHOST_PLUGINS_MCP_UPSTREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <toolhost.h>

#include "config.h"
#include "message.h"

struct upstream_pipe;

enum { UPSTREAM_SESSION_MAX = 512 };

enum upstream_state { UPSTREAM_DOWN, UPSTREAM_CONNECTING, UPSTREAM_READY };

struct upstream {
  const toolhost_host *host;
  struct server_config config;
  atomic_uint references;
  atomic_llong next_id;
  pthread_mutex_t lock; /* of what follows, but for `pipe`, which has its own */
  pthread_cond_t changed;
  enum upstream_state state;
  enum era era;                       /* ERA_AUTO: it is not known yet */
  char revision[16];                  /* that was agreed on */
  char session[UPSTREAM_SESSION_MAX]; /* of a server over HTTP that has them; or "" */
  uint64_t tools_digest;              /* of the list its tools were built of; 0: none was */
  bool listed;                        /* tools_digest holds */
  int64_t again_at;                   /* CLOCK_MONOTONIC, ms: not before is it connected to again */
  int64_t pause_ms;                   /* … and so long the time after */
  char problem[256];                  /* why it is down */
  struct upstream_pipe *pipe;         /* of a program; NULL: it is asked over HTTP */
};

/* One request, as the thread that makes it sees it. */
struct asking {
  struct upstream *upstream;
  toolhost_call *call; /* a call's, or a build's */
  const char *method;
  const char *name;         /* tools/call: the tool, for a header; NULL */
  const char *params;       /* members, see message_request */
  const char *const *extra; /* headers over HTTP; name, value, …, NULL; or NULL */
  const char *trace;        /* members of _meta that say what it is part of; or NULL */
  bool modern;              /* which of the two ways it is asked */
  bool progress;            /* what it says meanwhile is passed on */
  int64_t until;            /* CLOCK_MONOTONIC, ms */
  /* what came of it */
  struct values pool;         /* of the answer; freed by asking_free */
  const struct value *result; /* NULL: there is none … */
  const struct value *error;  /* … because the server said so: of JSON-RPC; or NULL … */
  const char *code;           /* … or this went wrong; a code of ours, or NULL */
  char message[400];          /* … in words */
  int status;                 /* over HTTP */
  bool late;                  /* its time was up */
};

void asking_free (struct asking *asking);
/* What went wrong; false always. */
bool asking_failed (struct asking *asking, const char *code, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

/* Takes the configuration over. */
struct upstream *upstream_new (const toolhost_host *host, struct server_config *config);
struct upstream *upstream_ref (struct upstream *upstream);
void upstream_unref (struct upstream *upstream);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t upstream_now (void);

/* Connect if need be, ask, and hear the answer.  True: there is a result. */
bool upstream_ask (struct asking *asking);
/* The list of its tools, all pages: an array in the asking's pool; NULL: it failed. */
const struct value *upstream_list (struct asking *asking);

/* ---- for the transports ---- */

/* It is gone, or unusable: the next who asks connects again, after a pause. */
void upstream_lost (struct upstream *upstream, const char *why);
/* NULL: there is none. */
void upstream_set_session (struct upstream *upstream, const char *session);
/* A notification that belongs to no request: its list has changed, a line for the log. */
void upstream_heard (struct upstream *upstream, const struct message *message);
/* … that belongs to this one: progress, a line for the log. */
void upstream_progress (struct asking *asking, const struct message *message);

/* pipe.c: a program beside this process. */
struct upstream_pipe *pipe_new (struct upstream *upstream);
void pipe_free (struct upstream_pipe *pipe);
/* Start it (again).  False: asking says why. */
bool pipe_open (struct upstream_pipe *pipe, struct asking *asking);
bool pipe_ask (struct upstream_pipe *pipe, struct asking *asking, int64_t id,
               const struct text *message);
bool pipe_tell (struct upstream_pipe *pipe, const struct text *message);
/* End it, with all it has started. */
void pipe_close (struct upstream_pipe *pipe);

/* http.c: a server with a URL. */
bool http_ask (struct asking *asking, int64_t id, const struct text *message);
/* A notification.  False: it was not taken. */
bool http_tell (struct asking *asking, const struct text *message);

#endif

/* inside.h - the mock host as its files share it.  Nobody else includes this. */
#ifndef TOOLHOST_MOCK_INSIDE_H
#define TOOLHOST_MOCK_INSIDE_H

#include <pthread.h>
#include <toolhost-mock.h>

#include "base/buf.h"
#include "worker/host_table.h"
#include "worker/plugin.h"
#include "worker/tool_call.h"

enum { INFOS = 6 };

struct toolhost_mock {
  struct plugin plugin;
  struct plugin_host host;
  int64_t deadline_ms;
  unsigned cancel_after;
  char *infos[INFOS];
  struct secret *secrets;
  struct answer *answers;
  char *extension_id; /* of what the host offers beyond the table; NULL: nothing more */
  const void *extension;
  unsigned askable;      /* enum frame_ask */
  struct buf kept;       /* by the last call, which asked */
  bool in_session;       /* the next calls are */
  struct known *known;   /* of the session's context */
  struct buf changes;    /* that the call has made, one a line */
  size_t committed;      /* bytes of them that stay when it fails */
  struct canned *canned; /* answers of servers */
  struct buf request;    /* to one of them, as far as it has come: head, then body */
  size_t head_len, body_len;
  enum frame_service_what asked; /* whose these bytes are */
  struct invocable *invocables;  /* tools that may be invoked, by name */
  struct buf invocations;        /* one a line */
  struct buf requests;           /* all there were, one a line */
  struct mock_call *strays;      /* that the plugin never completed and may still hold */

  pthread_mutex_t lock; /* of what follows: a plugin's own threads come in, too */
  pthread_cond_t ended;
  int64_t now;
  unsigned questions;
  struct buf log;
  struct buf emitted; /* one a line */
};

struct own_result {
  toolhost_mock_result pub; /* first */
  struct arena texts;
};

/* What is called, and with what. */
struct mock_request {
  const struct plugin_tool *tool; /* NULL: there is none … */
  const char *absent;             /* … and this is said of it */
  const char *args;               /* JSON text; NULL: {} */
  const char *uri;                /* of a read; NULL: it is none */
  unsigned flags;                 /* FRAME_CALL_COMPLETE, _LIST, _ON_ERROR */
  const char *completing;         /* of a completion, with `partial`; NULL: it is none */
  const char *partial;
};

/* Run it.  Never NULL; the caller's. */
toolhost_mock_result *mock_run (toolhost_mock *mock, struct mock_request *request);

/* The one of a kind whose definition has this text as this member; NULL: none. */
const struct plugin_tool *mock_find (const struct toolhost_mock *mock, enum plugin_kind kind,
                                     const char *member, const char *name);
/* A result of the mock's own. */
struct own_result *mock_result (toolhost_status status, const char *message);
bool mock_is_object (const char *text);

/* ---- http.c ---- */

void mock_service (struct toolhost_mock *mock, struct tool_call *call,
                   const struct frame_service *head, const void *data, size_t len);
void mock_free_http (struct toolhost_mock *mock);

/* ---- invoke.c ---- */

/* What comes of FRAME_SERVICE_TOOLS and FRAME_SERVICE_INVOKE. */
void mock_invoke (struct toolhost_mock *mock, enum frame_service_what what, const char *json,
                  size_t len, struct buf *out);
void mock_free_invoke (struct toolhost_mock *mock);

/* ---- session.c ---- */

/* What a call wants of its session (FRAME_SERVICE_STATE). */
enum frame_served_status mock_state (struct toolhost_mock *mock, const char *json, size_t len,
                                     struct buf *out);
/* The call has ended: what it has written takes effect, or nothing of it. */
void mock_settle_session (struct toolhost_mock *mock, bool succeeded);
void mock_free_session (struct toolhost_mock *mock);

/* ---- ask.c ---- */

/* Give a call the answers, and what the last one kept. */
void mock_begin_round (struct toolhost_mock *mock, struct tool_call *call);
/* What a call kept comes back in the next one, if it asked. */
void mock_end_round (struct toolhost_mock *mock, const struct tool_call *call);
/* The questions of a call that asked, in the result's arena. */
const char *mock_asks (struct own_result *own, struct span asked);
void mock_free_asks (struct toolhost_mock *mock);

#endif

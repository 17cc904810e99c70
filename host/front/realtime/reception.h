/* reception.h - incoming telephone calls of OpenAI's Realtime service, from the moment that they
 * are known: whose they are by the number that was dialled (U0-4), whether there is room (U0-3),
 * the session with the tenant's tools, the service's acceptance, and who attends the call then.
 *
 * A call is rejected with SIP's 404 (nobody has the number), 486 (the tenant has no room) or 603
 * (the daemon has none).  One whose session ends before the call does is hung up.  Loop thread
 * only. */
#ifndef TOOLHOST_FRONT_REALTIME_RECEPTION_H
#define TOOLHOST_FRONT_REALTIME_RECEPTION_H

#include "catalog/provider.h"
#include "service/call/openai.h"
#include "session/session.h"

struct reception;

/* Whose a number is; borrowed while it is asked. */
struct called {
  const char *tenant;
  const char *session; /* members of the service's session, a JSON object; NULL: none */
  size_t calls_max;    /* at once; 0: any number */
};

struct reception_settings {
  struct log *log;
  struct sessions *sessions;
  struct openai *openai;
  struct openai_voice voice;
  const struct providers *providers;
  const char *session; /* of every tenant; the tenant's own members count before these */
  size_t calls_max;    /* at once, of all tenants */
  /* False: nobody's. */
  bool (*find) (void *ctx, const char *number, struct called *called);
  /* The call was accepted with these tools.  False: err says why it can't be attended. */
  bool (*attend) (void *ctx, struct session *session, const char *call_id, struct toolset *told,
                  struct error *err);
  bool (*open) (void *ctx); /* new calls are taken; false: the daemon stops */
  void *ctx;
};

struct reception *reception_new (const struct reception_settings *settings);
/* Requests that are open are dropped; sessions live on. */
void reception_free (struct reception *reception);

enum reception_verdict {
  RECEPTION_ACCEPTING,
  RECEPTION_KNOWN, /* the call is there already: nothing is done (T0-16) */
  RECEPTION_REJECTING,
  RECEPTION_BAD_ID /* no call is called so: nothing is done (T0-19) */
};
/* A call comes in for a number ("": none was told). */
enum reception_verdict reception_take (struct reception *reception, const char *call_id,
                                       const char *number);
/* Calls that are being accepted, or have a session. */
size_t reception_count (const struct reception *reception);

/* The body of an acceptance: { "type": "realtime", …, "tools", "tool_choice" }; members of
 * `tenants` stand in the place of those of `common` (either may be NULL); the last two are the
 * toolset's (A0-12).  False: the tools can't be written. */
bool reception_body (const struct providers *providers, const struct toolset *tools,
                     const char *common, const char *tenants, struct buf *out);

#endif

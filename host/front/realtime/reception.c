#include "front/realtime/reception.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NOT_FOUND = 404, BUSY = 486, DECLINED = 603 };

static const char principal[] = "realtime";

/* A call, from its acceptance to the end of its session. */
struct incoming_call {
  struct openai_request request; /* first: it is handed back */
  struct reception *reception;
  struct subscriber ear;
  struct session *session; /* NULL: it has ended */
  struct toolset *told;
  char *tenant;
  bool attended;
  bool over; /* the service says so, or will be asked */
  UT_hash_handle hh;
  char call_id[];
};

/* A call that is turned away, or that nobody wants any more. */
struct farewell {
  struct openai_request request; /* first: it is handed back */
  struct reception *reception;
  struct farewell *next, **prev;
  const char *verb;
  char call_id[];
};

struct reception {
  struct reception_settings settings;
  struct incoming_call *calls;
  struct farewell *farewells;
};

struct reception *
reception_new (const struct reception_settings *settings)
{
  struct reception *reception = xcalloc (1, sizeof *reception);

  reception->settings = *settings;
  return reception;
}

size_t
reception_count (const struct reception *reception)
{
  return HASH_COUNT (reception->calls);
}

static struct log *
log_of (const struct reception *reception)
{
  return reception->settings.log;
}

/* ---- farewells ---- */

static void
farewell_free (struct farewell *farewell)
{
  *farewell->prev = farewell->next;
  if (farewell->next != NULL)
    farewell->next->prev = farewell->prev;
  free (farewell);
}

static void
on_farewell (struct openai_request *request, int status, const char *why)
{
  struct farewell *farewell = (struct farewell *) request;

  if (why != NULL && status != NOT_FOUND) /* else the caller was faster */
    log_event (log_of (farewell->reception), LOG_WARNING, "realtime_request_failed", "call_id",
               farewell->call_id, "verb", farewell->verb, "why", why, NULL);
  farewell_free (farewell);
}

static struct farewell *
farewell_new (struct reception *reception, const char *call_id, const char *verb)
{
  const size_t len = strlen (call_id);
  struct farewell *farewell = xcalloc (1, sizeof *farewell + len + 1);

  farewell->request.ended = on_farewell;
  farewell->reception = reception;
  farewell->verb = verb;
  memcpy (farewell->call_id, call_id, len);
  farewell->next = reception->farewells;
  farewell->prev = &reception->farewells;
  if (farewell->next != NULL)
    farewell->next->prev = &farewell->next;
  reception->farewells = farewell;
  return farewell;
}

static void
hang_up (struct reception *reception, const char *call_id)
{
  struct farewell *farewell = farewell_new (reception, call_id, "hangup");

  openai_hangup (reception->settings.openai, call_id, &farewell->request);
}

static enum reception_verdict
reject (struct reception *reception, const char *call_id, const char *tenant, int status,
        const char *why)
{
  struct farewell *farewell = farewell_new (reception, call_id, "reject");

  log_event (log_of (reception), LOG_WARNING, "realtime_call_rejected", "call_id", call_id,
             "tenant_id", tenant, "status", LOG_INT (status), "why", why, NULL);
  openai_reject (reception->settings.openai, call_id, status, &farewell->request);
  return RECEPTION_REJECTING;
}

/* ---- a call and its session ---- */

static void
call_free (struct incoming_call *call)
{
  HASH_DEL (call->reception->calls, call);
  if (call->told != NULL)
    toolset_unref (call->told);
  free (call->tenant);
  free (call);
}

static bool
says (const char *json, size_t len, const char *text)
{
  return memmem (json, len, text, strlen (text)) != NULL;
}

/* Only the last event concerns us: it says whether there still is a call to hang up. */
static enum subscriber_took
on_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  static const char type[] = "{\"type\":\"session_ended\"";
  struct incoming_call *call =
    (struct incoming_call *) ((char *) subscriber - offsetof (struct incoming_call, ear));

  (void) number;
  if (len > sizeof type - 1 && memcmp (json, type, sizeof type - 1) == 0)
    call->over =
      says (json, len, "\"reason\":\"call_ended\"") || says (json, len, "\"reason\":\"stopped\"");
  return SUBSCRIBER_TOOK;
}

static void
on_session_closed (struct subscriber *subscriber)
{
  struct incoming_call *call =
    (struct incoming_call *) ((char *) subscriber - offsetof (struct incoming_call, ear));

  call->session = NULL;
  if (!call->attended)
    return; /* the answer to the acceptance decides */
  if (!call->over)
    hang_up (call->reception, call->call_id);
  call_free (call);
}

/* ---- acceptance ---- */

static void
end_session (struct incoming_call *call, const char *reason)
{
  struct session *session = call->session;

  session_unsubscribe (&call->ear);
  call_free (call);
  if (session != NULL)
    session_end (session, reason);
}

static void
attend (struct incoming_call *call)
{
  struct reception *reception = call->reception;
  const struct reception_settings *settings = &reception->settings;
  struct error err = { { 0 } };

  session_set_call_service (call->session,
                            call_service_openai (settings->openai, settings->voice, call->call_id));
  call->attended = true;
  if (settings->attend (settings->ctx, call->session, call->call_id, call->told, &err))
    return;
  log_event (log_of (reception), LOG_ERROR, "realtime_attend_failed", "call_id", call->call_id,
             "tenant_id", call->tenant, "why", err.text, NULL);
  hang_up (reception, call->call_id);
  end_session (call, "not_attended");
}

static void
on_accepted (struct openai_request *request, int status, const char *why)
{
  struct incoming_call *call = (struct incoming_call *) request;
  struct reception *reception = call->reception;

  if (why == NULL && call->session != NULL) {
    log_event (log_of (reception), LOG_INFO, "realtime_call_accepted", "call_id", call->call_id,
               "tenant_id", call->tenant, NULL);
    return attend (call);
  }
  if (why == NULL)
    hang_up (reception, call->call_id); /* its session was ended meanwhile */
  else if (status == NOT_FOUND)
    log_event (log_of (reception), LOG_INFO, "realtime_call_gone", "call_id", call->call_id,
               "tenant_id", call->tenant, NULL);
  else
    log_event (log_of (reception), LOG_ERROR, "realtime_accept_failed", "call_id", call->call_id,
               "tenant_id", call->tenant, "why", why, NULL);
  end_session (call, status == NOT_FOUND ? "caller_gone" : "accept_failed");
}

static struct incoming_call *
call_new (struct reception *reception, const char *call_id, const char *tenant,
          struct session *session)
{
  const size_t len = strlen (call_id);
  struct incoming_call *call = xcalloc (1, sizeof *call + len + 1);

  call->request.ended = on_accepted;
  call->reception = reception;
  call->session = session;
  call->tenant = xstrdup (tenant);
  call->told = toolset_ref (session_toolset (session));
  call->ear = (struct subscriber){ .event = on_event, .closed = on_session_closed };
  memcpy (call->call_id, call_id, len);
  HASH_ADD_STR (reception->calls, call_id, call);
  (void) session_subscribe (session, &call->ear, session_said (session));
  return call;
}

static enum reception_verdict
accept_call (struct reception *reception, const char *call_id, const struct called *called)
{
  const struct reception_settings *settings = &reception->settings;
  const struct session_wish wish = { .tenant = called->tenant,
                                     .principal = principal,
                                     .call_id = call_id };
  CLEANUP_BUF struct buf body = { 0 };
  struct error err = { { 0 } };
  const char *code;
  struct session *session = session_open (settings->sessions, &wish, &code, &err);
  struct incoming_call *call;

  if (session == NULL)
    return reject (reception, call_id, called->tenant, DECLINED, err.text);
  if (!reception_body (settings->providers, session_toolset (session), settings->session,
                       called->session, &body)) {
    session_end (session, "accept_failed");
    return reject (reception, call_id, called->tenant, DECLINED, "the tools can't be written");
  }
  call = call_new (reception, call_id, called->tenant, session);
  log_event (log_of (reception), LOG_INFO, "realtime_call_accepting", "call_id", call_id,
             "tenant_id", called->tenant, "session", session_name (session), "tools",
             LOG_INT (call->told->count), NULL);
  openai_accept (settings->openai, call_id, body.data, body.len, &call->request);
  return RECEPTION_ACCEPTING;
}

/* ---- who comes in ---- */

static size_t
calls_of (const struct reception *reception, const char *tenant)
{
  size_t count = 0;

  for (const struct incoming_call *c = reception->calls; c != NULL; c = c->hh.next)
    count += strcmp (c->tenant, tenant) == 0;
  return count;
}

enum reception_verdict
reception_take (struct reception *reception, const char *call_id, const char *number)
{
  const struct reception_settings *settings = &reception->settings;
  struct incoming_call *known = NULL;
  struct called called = { 0 };

  if (!openai_call_id_ok (call_id))
    return RECEPTION_BAD_ID;
  HASH_FIND_STR (reception->calls, call_id, known);
  if (known != NULL) {
    log_event (log_of (reception), LOG_INFO, "realtime_call_ignored_already_known", "call_id",
               call_id, NULL);
    return RECEPTION_KNOWN;
  }
  if (!settings->find (settings->ctx, number, &called))
    return reject (reception, call_id, NULL, NOT_FOUND, "no tenant has the number");
  if (!settings->open (settings->ctx))
    return reject (reception, call_id, called.tenant, DECLINED, "the daemon stops");
  if (reception_count (reception) >= settings->calls_max)
    return reject (reception, call_id, called.tenant, DECLINED, "there are too many calls");
  if (called.calls_max != 0 && calls_of (reception, called.tenant) >= called.calls_max)
    return reject (reception, call_id, called.tenant, BUSY, "the tenant has too many calls");
  return accept_call (reception, call_id, &called);
}

void
reception_free (struct reception *reception)
{
  struct incoming_call *call, *next;

  if (reception == NULL)
    return;
  HASH_ITER (hh, reception->calls, call, next)
  {
    openai_drop (&call->request);
    session_unsubscribe (&call->ear);
    call_free (call);
  }
  while (reception->farewells != NULL) {
    openai_drop (&reception->farewells->request);
    farewell_free (reception->farewells);
  }
  free (reception);
}

/* What brings calls, as the span that they are part of. */
#include <stdlib.h>

#include "base/clock.h"
#include "session/parts.h"

struct cause {
  unsigned refs;
  unsigned open;     /* who is at it: with the last of them it is over */
  bool ends;         /* its span ends then: it is no front's, and has not ended yet */
  struct span *span; /* referred to; NULL: it is not sampled */
};

/* ---- one of them ---- */

static void
unref (struct cause *cause)
{
  if (cause == NULL || --cause->refs != 0)
    return;
  span_unref (cause->span);
  free (cause);
}

static struct cause *
cause_new (struct span *span, bool ends)
{
  struct cause *cause = xcalloc (1, sizeof *cause);

  cause->refs = cause->open = 1;
  cause->span = span_ref (span);
  cause->ends = ends;
  return cause;
}

struct cause *
cause_join (struct cause *cause)
{
  if (cause == NULL)
    return NULL;
  cause->refs++;
  cause->open++;
  return cause;
}

void
cause_leave (struct cause *cause)
{
  if (cause == NULL)
    return;
  if (--cause->open == 0 && cause->ends) {
    cause->ends = false;
    span_end (cause->span, 0);
  }
  unref (cause);
}

struct span *
cause_span (const struct cause *cause)
{
  return cause != NULL ? cause->span : NULL;
}

/* ---- where one begins ---- */

static struct cause *
begin (const struct session *session, const char *name, const struct trace_parent *parent)
{
  struct span *span =
    span_root (session->all->settings.tracer, parent->known ? parent : &session->parent,
               SPAN_SERVER, clock_ns ());

  span_name (span, "%s", name);
  span_text (span, "gen_ai.conversation.id", session->name);
  return cause_new (span, true);
}

/* Its calls come one by one, and have one response that they are part of. */
static struct cause *
of_response (struct session *session, const struct session_call *call,
             const struct trace_parent *parent)
{
  if (session->response == NULL) {
    session->response = begin (session, "response", parent);
    span_text (session->response->span, "gen_ai.response.id", call->response_id);
    session->response->refs++;
  }
  else
    (void) cause_join (session->response);
  if (call->more && !session->expects) {
    session->expects = true;
    (void) cause_join (session->response);
  }
  return session->response;
}

struct cause *
cause_of_call (struct session *session, const struct session_call *call)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct trace_parent parent;

  if (call->traced)
    return cause_new (call->span, false);
  if (session->all->settings.tracer == NULL || call->span != NULL)
    return NULL;
  parent = trace_parent_in (call->metadata, call->metadata_len, &arena);
  return call->response_id != NULL ? of_response (session, call, &parent)
                                   : begin (session, "tool_call", &parent);
}

struct cause *
cause_of_event (struct session *session, const struct session_speaker *from,
                const struct trace_parent *parent)
{
  if (from->traced)
    return cause_new (from->span, false);
  return session->all->settings.tracer != NULL ? begin (session, "event", parent) : NULL;
}

/* ---- the response of a session's turn ---- */

void
cause_response_done (struct session *session)
{
  if (session->expects)
    cause_leave (session->response);
  session->expects = false;
}

void
cause_response_forget (struct session *session)
{
  struct cause *response = session->response;

  cause_response_done (session);
  session->response = NULL;
  unref (response);
}

void
session_set_trace (struct session *session, const struct trace_parent *parent)
{
  if (!parent->known)
    return;
  free (session->parent_state);
  session->parent = *parent;
  session->parent_state =
    parent->state != NULL ? xstrndup (parent->state, parent->state_len) : NULL;
  session->parent.state = session->parent_state;
}

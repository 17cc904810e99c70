#include <stdlib.h>

#include "session/parts.h"

/* ---- events that wait ---- */

static struct routed *
routed_new (struct cause *cause, const char *json, size_t len)
{
  struct routed *routed = xcalloc (1, sizeof *routed + len);

  routed->cause = cause;
  routed->len = len;
  memcpy (routed->json, json, len);
  return routed;
}

static void
routed_free (struct routed *routed)
{
  cause_leave (routed->cause);
  free (routed);
}

bool
route_event (struct session *session, const struct session_speaker *from,
             const struct trace_parent *parent, const char *json, size_t len)
{
  struct routed *routed;

  if (session->target == NULL)
    return true;
  if (session->routed_count == ROUTED_MAX)
    return false;
  routed = routed_new (cause_of_event (session, from, parent), json, len);
  *session->routed_end = routed;
  session->routed_end = &routed->next;
  session->routed_count++;
  work_route (session);
  return true;
}

void
route_introduce (struct session *session, const struct work *from)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct json_writer w = { .out = &json };
  struct routed *routed;

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "agent_handed_off");
  jsonw_name_string (&w, "from", from->name);
  jsonw_end (&w);
  routed = routed_new (cause_join (from->cause), json.data, json.len);
  routed->next = session->routed;
  if (session->routed == NULL)
    session->routed_end = &routed->next;
  session->routed = routed;
  session->routed_count++;
}

static struct routed *
take_first (struct session *session)
{
  struct routed *event = session->routed;

  if (event == NULL)
    return NULL;
  session->routed = event->next;
  if (session->routed == NULL)
    session->routed_end = &session->routed;
  session->routed_count--;
  return event;
}

void
route_forget (struct session *session)
{
  for (struct routed *event; (event = take_first (session)) != NULL;)
    routed_free (event);
}

/* ---- the active target ---- */

void
route_to (struct session *session, char *target, char *args)
{
  free (session->target);
  free (session->target_args);
  session->target = target;
  session->target_args = args;
  if (target == NULL) /* the application, which has sent them, sees to them itself */
    route_forget (session);
  log_event (session_log (session), LOG_INFO, "agent_handed_off", SESSION_LOG (session), "agent",
             target, NULL);
}

static void
route (struct session *session, const struct routed *event)
{
  CLEANUP_BUF struct buf metadata = { 0 };
  struct session_call call = { .name = session->target, .name_len = strlen (session->target) };
  struct work *work = work_new (session, NULL, session->target, call.name_len);

  work_put_event (&metadata, event->json, event->len, NULL);
  call.metadata = metadata.data;
  call.metadata_len = metadata.len;
  call.args = session->target_args;
  call.args_len = session->target_args != NULL ? strlen (session->target_args) : 0;
  call.traced = event->cause != NULL;
  call.span = cause_span (event->cause);
  work->cause = cause_join (event->cause);
  session->routing = work;
  work_start (work, &call);
}

void
work_route (struct session *session)
{
  struct routed *event;

  if (session->routing != NULL || session->target == NULL || (event = take_first (session)) == NULL)
    return;
  route (session, event);
  routed_free (event);
}

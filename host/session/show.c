#include "session/parts.h"

static void
put_running (const struct session *session, struct json_writer *w)
{
  jsonw_name (w, "calls");
  jsonw_array (w);
  for (const struct work *work = session->works; work != NULL; work = work->next) {
    jsonw_object (w);
    if (work->entry != NULL)
      jsonw_name_string (w, "call_id", work->entry->id);
    jsonw_name_string (w, "name", work->name);
    if (work->response_id != NULL)
      jsonw_name_string (w, "response_id", work->response_id);
    jsonw_name_bool (w, "background", work->background);
    asking_put (work, w);
    jsonw_end (w);
  }
  jsonw_end (w);
}

void
session_put (const struct session *session, bool whole, struct json_writer *w)
{
  const double now = session->all->settings.now (session->all->settings.ctx);

  jsonw_object (w);
  if (whole) /* it is half of the right to use it */
    jsonw_name_string (w, "session_id", session->id);
  jsonw_name_string (w, "name", session->name);
  jsonw_name_string (w, "tenant", session->tenant);
  jsonw_name_string (w, "principal", session->principal);
  jsonw_name_string (w, "state", session->end_reason != NULL ? "ending" : "open");
  jsonw_name_int (w, "age_ms", (int64_t) ((now - session->began) * 1000));
  jsonw_name_int (w, "expires_in_ms", (int64_t) ((session->used + session->ttl - now) * 1000));
  jsonw_name_int (w, "running", session->running);
  jsonw_name_int (w, "executed", (int64_t) (session->ledger.count - session->ledger.pending));
  jsonw_name_int (w, "events", (int64_t) session->feed.said);
  jsonw_name (w, "active");
  jsonw_string (w, session->target);
  if (whole) {
    put_running (session, w);
    jsonw_name (w, "context");
    context_put (&session->context, w);
  }
  jsonw_end (w);
}

void
sessions_put (const struct sessions *sessions, const char *tenant, const char *principal,
              struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name (w, "sessions");
  jsonw_array (w);
  for (const struct session *s = sessions->newest; s != NULL; s = s->older)
    if (principal == NULL
        || (strcmp (s->principal, principal) == 0
            && strcmp (s->tenant, tenant != NULL ? tenant : "default") == 0))
      session_put (s, false, w);
  jsonw_end (w);
  jsonw_end (w);
}

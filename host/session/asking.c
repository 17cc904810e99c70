/* Calls that wait for answers, in their session.  They hold no worker and no thread. */
#include "call/held.h"
#include "session/parts.h"

/* ---- waiting ---- */

static void
put_requests (const struct work *work, struct json_writer *w)
{
  const struct ask *ask = held_ask (work->held);

  jsonw_name_raw (w, "requests", ask->open.data, ask->open.len);
}

void
asking_put (const struct work *work, struct json_writer *w)
{
  if (work->held != NULL)
    put_requests (work, w);
  if (work->approval.id != NULL)
    jsonw_name_string (w, "approval_id", work->approval.id);
}

static void
say_asks (struct work *work)
{
  const struct sessions *all = work->session->all;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "tool_call_asks", work->entry->id);
  jsonw_name_string (&w, "name", work->name);
  if (work->response_id != NULL)
    jsonw_name_string (&w, "response_id", work->response_id);
  put_requests (work, &w);
  jsonw_name_int (&w, "expires_in_ms", (int64_t) (all->settings.ask_ttl * 1000));
  say_end (work->session, &w);
}

static struct result
failure (enum call_error error, const char *message)
{
  return (struct result){ .error = error,
                          .code = call_error_info (error)->code,
                          .message = message,
                          .message_len = strlen (message),
                          .content = "[]",
                          .content_len = strlen ("[]") };
}

static void
end_as (struct work *work, enum call_error error, const char *message)
{
  const struct result result = failure (error, message);

  work_done (work, &result);
}

static void
stop_waiting (struct work *work)
{
  if (work->held != NULL)
    work->session->all->asking--;
  held_free (work->held);
  work->held = NULL;
}

void
asking_begin (struct work *work, const struct result *result)
{
  struct session *session = work->session;
  struct sessions *all = session->all;

  work->held = held_take (result);
  all->asking++;
  if (session->end_reason != NULL) {
    work->interrupted = true;
    return asking_cancel (work);
  }
  if (all->asking > all->settings.asks_max) {
    stop_waiting (work);
    return end_as (work, CALL_tool_overloaded, "Too many calls wait for answers; try again later.");
  }
  work->expires = all->settings.now (all->settings.ctx) + all->settings.ask_ttl;
  log_event (session_log (session), LOG_INFO, "tool_call_asks", SESSION_LOG (session),
             "function_call_id", work->entry->id, "tool_name", work->name, NULL);
  say_asks (work);
}

void
asking_cancel (struct work *work)
{
  stop_waiting (work);
  end_as (work, CALL_tool_cancelled, call_error_info (CALL_tool_cancelled)->text);
}

/* ---- answers ---- */

/* Run it again with what was answered; it may have ended when this returns. */
static void
go_on (struct work *work)
{
  struct session *session = work->session;
  struct held *held = work->held;

  work->held = NULL;
  session->all->asking--;
  work_go_on (work, held);
}

static struct work *
find (const struct session *session, const char *call_id)
{
  struct work *work = session->works;

  while (work != NULL
         && (work->held == NULL || work->entry == NULL || strcmp (work->entry->id, call_id) != 0))
    work = work->next;
  return work;
}

bool
session_answer_ask (struct session *session, const char *call_id, const struct json_tape *tape,
                    const struct json_node *responses, const char **code, struct error *err)
{
  const struct ask_rules *rules = calls_ask_rules (session->all->settings.calls);
  struct work *work = find (session, call_id);

  *code = work == NULL ? "ask_not_found" : "input_invalid";
  if (work == NULL)
    return error_set (err, "/call_id: no call of this id waits for answers");
  if (responses == NULL)
    ask_settle (held_ask (work->held), NULL, "declined");
  else if (!ask_answer (held_ask (work->held), rules, tape, responses, NULL, err))
    return error_wrap (err, "/responses: ");
  if (held_ask (work->held)->open_count == 0)
    go_on (work);
  return true;
}

bool
session_drop_ask (struct session *session, const char *call_id)
{
  struct work *work = find (session, call_id);

  if (work == NULL)
    return false;
  work->interrupted = true;
  asking_cancel (work);
  return true;
}

/* ---- all of them ---- */

static void
see_work (const struct work *work, double now, void (*see) (void *, const struct session_ask *),
          void *ctx)
{
  const struct session *session = work->session;
  const struct ask *ask = held_ask (work->held);

  see (ctx, &(struct session_ask){ .session = session->name,
                                   .tenant = session->tenant,
                                   .principal = session->principal,
                                   .call_id = work->entry->id,
                                   .tool = work->name,
                                   .requests = ask->open.data,
                                   .requests_len = ask->open.len,
                                   .expires_in = work->expires - now });
}

void
sessions_see_asks (const struct sessions *sessions,
                   void (*see) (void *ctx, const struct session_ask *ask), void *ctx)
{
  const double now = sessions->settings.now (sessions->settings.ctx);

  if (sessions->asking == 0)
    return;
  for (const struct session *s = sessions->newest; s != NULL; s = s->older)
    for (const struct work *work = s->works; work != NULL; work = work->next)
      if (work->held != NULL && work->entry != NULL)
        see_work (work, now, see, ctx);
}

void
asking_expire (struct session *session, double now)
{
  for (struct work *work = session->works, *next; work != NULL; work = next) {
    next = work->next;
    if (work->held == NULL || now < work->expires)
      continue;
    log_event (session_log (session), LOG_INFO, "ask_expired", SESSION_LOG (session),
               "function_call_id", work->entry->id, "tool_name", work->name, NULL);
    ask_settle (held_ask (work->held), NULL, "expired");
    go_on (work);
  }
}

/* Calls that wait for a person's approval, in their session: it is asked for one after the other,
 * and only who is asked for can be answered here. */
#include <stdlib.h>

#include "call/approval_form.h"
#include "session/parts.h"

/* ---- asking ---- */

static bool
waits (const struct work *work)
{
  return work->approval.id != NULL;
}

/* The one that has waited longest. */
static struct work *
first_of (const struct session *session)
{
  struct work *first = NULL;

  for (struct work *work = session->works; work != NULL; work = work->next)
    if (waits (work) && (first == NULL || work->approval.number < first->approval.number))
      first = work;
  return first;
}

static void
say_required (struct work *work)
{
  const struct work_approval *approval = &work->approval;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "tool_approval_required", work->entry->id);
  jsonw_name_string (&w, "name", work->name);
  if (work->response_id != NULL)
    jsonw_name_string (&w, "response_id", work->response_id);
  jsonw_name_string (&w, "approval_id", approval->id);
  jsonw_name_raw (&w, "arguments", approval->shown, strlen (approval->shown));
  if (approval->reason != NULL)
    jsonw_name_string (&w, "reason", approval->reason);
  jsonw_name_bool (&w, "may_decide", approval->by_caller || work->session->may_approve);
  jsonw_name_int (&w, "expires_at_ms", approval->expires_ms);
  say_end (work->session, &w);
}

/* Ask for the next one, once. */
static void
ask_next (struct session *session)
{
  struct work *first = session->end_reason == NULL ? first_of (session) : NULL;

  if (first == NULL || first->approval.asked)
    return;
  first->approval.asked = true;
  say_required (first);
}

bool
approval_begin (struct work *work, const struct approval_facts *facts)
{
  struct session *session = work->session;

  if (facts->state != APPROVAL_PENDING || work->entry == NULL)
    return false;
  work_approval_clear (&work->approval);
  work->approval = (struct work_approval){ .id = xstrdup (facts->id),
                                           .shown = xstrndup (facts->shown.data, facts->shown.len),
                                           .reason = facts->reason != NULL && *facts->reason != '\0'
                                                       ? xstrdup (facts->reason)
                                                       : NULL,
                                           .by_caller = facts->by_caller,
                                           .expires_ms = facts->expires_ms,
                                           .number = ++session->approvals };
  log_event (session_log (session), LOG_INFO, "tool_approval_required", SESSION_LOG (session),
             "function_call_id", work->entry->id, "tool_name", work->name, "approval", facts->id,
             NULL);
  ask_next (session);
  return false;
}

void
work_approval_clear (struct work_approval *approval)
{
  free (approval->id);
  free (approval->shown);
  free (approval->reason);
  *approval = (struct work_approval){ .id = NULL };
}

/* ---- when it is decided ---- */

static void
say_decided (struct work *work, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "tool_approval_decided", work->entry->id);
  jsonw_name_string (&w, "approval_id", facts->id);
  jsonw_name_string (&w, "state", approval_state_name (facts->state));
  say_end (work->session, &w);
}

void
approval_end (struct work *work)
{
  work_approval_clear (&work->approval);
  ask_next (work->session);
}

static struct work *
find (const struct session *session, const char *id)
{
  struct work *work = session->works;

  while (work != NULL && (!waits (work) || strcmp (work->approval.id, id) != 0))
    work = work->next;
  return work;
}

void
approval_changed (struct approvals_watcher *watcher, const struct approval_facts *facts)
{
  const struct sessions *all =
    (const struct sessions *) ((const char *) watcher - offsetof (struct sessions, watcher));
  struct work *work = NULL;

  if (facts->state == APPROVAL_PENDING || facts->session_id == NULL)
    return;
  for (const struct session *s = all->newest; s != NULL && work == NULL; s = s->older)
    if (strcmp (s->name, facts->session_id) == 0)
      work = find (s, facts->id);
  if (work == NULL || work->session->end_reason != NULL)
    return;
  say_decided (work, facts);
  approval_end (work);
}

/* ---- answers ---- */

static void
on_decided (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  (void) facts;
  if (verdict == DECISION_UNAVAILABLE)
    log_event (ctx, LOG_ERROR, "tool_approval_not_recorded", NULL);
}

static bool
may_decide (const struct work *work, const struct session_speaker *from)
{
  const char *caller = work->session->principal;

  return from->may_approve
         || (work->approval.by_caller && caller != NULL && from->principal != NULL
             && strcmp (caller, from->principal) == 0);
}

bool
session_approve (struct session *session, const struct session_speaker *from,
                 const struct json_tape *tape, const struct json_node *event, const char **code,
                 struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const char *id = json_cstring (tape, json_member (tape, event, "approval_id"), &arena);
  const struct work *work = id != NULL ? find (session, id) : NULL;
  struct approval_decision decision = { .tenant = session->tenant,
                                        .principal = from->principal,
                                        .may_approve = from->may_approve };

  *code = "approval_not_found";
  if (work == NULL || !work->approval.asked)
    return error_set (err, "/approval_id: this conversation is not asked for such an approval");
  *code = "approval_not_allowed";
  if (!may_decide (work, from))
    return error_set (err, "/approval_id: somebody with the role approve has to decide it");
  *code = "bad_event";
  if (!approval_form_decide (tape, event, &decision, &arena, err))
    return false;
  decision.id = work->approval.id;
  approvals_decide (session->all->settings.approvals, &decision, on_decided, session_log (session));
  return true;
}

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "session/parts.h"

const struct sessions_settings sessions_defaults = {
  .ttl = 3600,
  .ask_ttl = 600,
  .asks_max = 1000,
  .max = 10000,
  .tenant_max = 2000,
  .principal_max = 1000,
  .calls_max = 10000,
  .answers_room = 256 << 10,
  .events_room = 256 << 10,
  .events_room_all = 64 << 20,
  .context_max = 64 << 10,
  .json_depth = 64,
};

struct share {
  UT_hash_handle hh;
  size_t count;
  char who[];
};

/* ---- shares ---- */

static size_t
share_of (struct share *shares, const char *who)
{
  struct share *share;

  HASH_FIND_STR (shares, who, share);
  return share != NULL ? share->count : 0;
}

static void
share_take (struct share **shares, const char *who)
{
  const size_t len = strlen (who);
  struct share *share;

  HASH_FIND_STR (*shares, who, share);
  if (share == NULL) {
    share = xcalloc (1, sizeof *share + len + 1);
    memcpy (share->who, who, len + 1);
    HASH_ADD_STR (*shares, who, share);
  }
  share->count++;
}

static void
share_give (struct share **shares, const char *who)
{
  struct share *share;

  HASH_FIND_STR (*shares, who, share);
  if (--share->count != 0)
    return;
  HASH_DEL (*shares, share);
  free (share);
}

/* "TENANT\nPRINCIPAL": neither holds a line break. */
static void
name_owner (const char *tenant, const char *principal, struct buf *out)
{
  buf_printf (out, "%s\n%s", tenant, principal);
  (void) buf_cstr (out);
}

/* ---- the table ---- */

static double
now_of (const struct sessions *sessions)
{
  return sessions->settings.now (sessions->settings.ctx);
}

struct sessions *
sessions_new (const struct sessions_settings *settings)
{
  struct sessions *sessions = xcalloc (1, sizeof *sessions);

  sessions->settings = *settings;
  sessions->budget.max = settings->events_room_all;
  sessions->watcher.changed = approval_changed;
  if (settings->approvals != NULL)
    approvals_watch (settings->approvals, &sessions->watcher);
  return sessions;
}

static void
list_remove (struct session *s)
{
  *(s->newer != NULL ? &s->newer->older : &s->all->newest) = s->older;
  *(s->older != NULL ? &s->older->newer : &s->all->oldest) = s->newer;
}

static void
list_add (struct session *s)
{
  s->newer = NULL;
  s->older = s->all->newest;
  *(s->older != NULL ? &s->older->newer : &s->all->oldest) = s;
  s->all->newest = s;
}

static void
use (struct session *session)
{
  session->used = now_of (session->all);
  list_remove (session);
  list_add (session);
}

static void
session_free (struct session *session)
{
  struct sessions *all = session->all;
  CLEANUP_BUF struct buf owner = { 0 };

  name_owner (session->tenant, session->principal, &owner);
  share_give (&all->tenants, session->tenant);
  share_give (&all->principals, owner.data);
  HASH_DEL (all->by_id, session);
  list_remove (session);
  route_forget (session);
  call_service_free (session->phone);
  ledger_free (&session->ledger);
  context_free (&session->context);
  toolset_unref (session->base);
  toolset_unref (session->toolset);
  toolset_unref (session->next_toolset);
  free (session->target_args);
  free (session->target);
  cause_response_forget (session);
  free (session->parent_state);
  free (session->turn);
  call_batch_unref (session->gathering);
  free (session->gathered);
  free (session->end_reason);
  free (session->call_id);
  free (session->principal);
  free (session->tenant);
  free (session);
}

/* ---- beginning ---- */

static void
random_hex (char *text, size_t digits)
{
  unsigned char bytes[16];

  /* never short: libc waits for the pool at start only */
  if (getrandom (bytes, digits / 2, 0) != (ssize_t) (digits / 2))
    abort ();
  for (size_t i = 0; i < digits / 2; i++)
    (void) sprintf (text + 2 * i, "%02x", bytes[i]);
}

/* False: err says who has too many. */
static bool
has_room (const struct sessions *sessions, const char *tenant, const char *principal,
          struct error *err)
{
  const struct sessions_settings *settings = &sessions->settings;
  CLEANUP_BUF struct buf owner = { 0 };

  name_owner (tenant, principal, &owner);
  if (sessions_count (sessions) >= settings->max)
    return error_set (err, "There are %zu sessions; end one, or try again later", settings->max);
  if (share_of (sessions->tenants, tenant) >= settings->tenant_max)
    return error_set (err, "The tenant has %zu sessions; end one first", settings->tenant_max);
  if (share_of (sessions->principals, owner.data) >= settings->principal_max)
    return error_set (err, "You have %zu sessions; end one first", settings->principal_max);
  return true;
}

static void
enter (struct session *session)
{
  struct sessions *all = session->all;
  CLEANUP_BUF struct buf owner = { 0 };

  name_owner (session->tenant, session->principal, &owner);
  share_take (&all->tenants, session->tenant);
  share_take (&all->principals, owner.data);
  HASH_ADD_STR (all->by_id, id, session);
  list_add (session);
}

static struct session *
make_session (struct sessions *sessions, const struct session_wish *wish, const char *tenant)
{
  const struct sessions_settings *settings = &sessions->settings;
  struct session *session = xcalloc (1, sizeof *session);

  memcpy (session->id, "ses_", 4);
  random_hex (session->id + 4, SESSION_ID_LEN - 4);
  memcpy (session->name, "ses-", 4);
  random_hex (session->name + 4, SESSION_NAME_LEN - 4);
  session->all = sessions;
  session->tenant = xstrdup (tenant);
  session->principal = xstrdup (wish->principal);
  session->may_approve = wish->may_approve;
  session->call_id = xstrdup (wish->call_id != NULL ? wish->call_id : session->name);
  session->began = session->used = now_of (sessions);
  session->ttl = wish->ttl > 0 && wish->ttl < settings->ttl ? wish->ttl : settings->ttl;
  session->toolset = toolset_ref (settings->toolset (settings->ctx, tenant));
  session->base = toolset_ref (session->toolset);
  session->ledger = (struct ledger){ .max = settings->calls_max, .room = settings->answers_room };
  session->feed = (struct feed){ .budget = &sessions->budget, .max = settings->events_room };
  session->context.max = settings->context_max;
  session->routed_end = &session->routed;
  enter (session);
  return session;
}

struct session *
session_open (struct sessions *sessions, const struct session_wish *wish, const char **code,
              struct error *err)
{
  const char *tenant = wish->tenant != NULL ? wish->tenant : "default";
  struct session *session;

  *code = "session_limit";
  if (!has_room (sessions, tenant, wish->principal, err))
    return NULL;
  session = make_session (sessions, wish, tenant);
  if ((wish->user != NULL || wish->data != NULL)
      && !context_begin (&session->context, wish->tape, wish->user, wish->data, err)) {
    *code = "bad_context";
    session_free (session);
    return NULL;
  }
  if (sessions->settings.fake_telephone)
    session_set_call_service (session, call_service_recording (session->call_id));
  log_event (sessions->settings.log, LOG_INFO, "session_started", SESSION_LOG (session),
             "principal", session->principal, NULL);
  if (sessions_count (sessions) == 1 && sessions->settings.began != NULL)
    sessions->settings.began (sessions->settings.ctx);
  return session;
}

/* ---- being found ---- */

static struct session *
find_named (const struct sessions *sessions, const char *name)
{
  struct session *session = sessions->newest;

  while (session != NULL && memcmp (session->name, name, SESSION_NAME_LEN) != 0)
    session = session->older;
  return session;
}

struct session *
session_find (struct sessions *sessions, const char *id, size_t len, const char *tenant,
              const char *principal)
{
  struct session *session = NULL;

  if (len == SESSION_ID_LEN)
    HASH_FIND (hh, sessions->by_id, id, len, session);
  else if (len == SESSION_NAME_LEN && principal == NULL)
    session = find_named (sessions, id);
  if (session == NULL || session->end_reason != NULL)
    return NULL;
  if (principal != NULL
      && (strcmp (session->principal, principal) != 0
          || strcmp (session->tenant, tenant != NULL ? tenant : "default") != 0))
    return NULL;
  use (session);
  return session;
}

const char *
session_id (const struct session *session)
{
  return session->id;
}

const char *
session_name (const struct session *session)
{
  return session->name;
}

struct toolset *
session_toolset (const struct session *session)
{
  return session->next_toolset != NULL ? session->next_toolset : session->toolset;
}

uint64_t
session_said (const struct session *session)
{
  return session->feed.said;
}

uint64_t
session_first (const struct session *session)
{
  return feed_first (&session->feed);
}

size_t
sessions_count (const struct sessions *sessions)
{
  return HASH_COUNT (sessions->by_id);
}

/* ---- the end ---- */

void
session_has_ended (struct session *session)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  log_event (session->all->settings.log, LOG_INFO, "tool_cancel_all_finished",
             SESSION_LOG (session), "remaining_tasks", LOG_INT (session->running),
             "remaining_pending", LOG_INT (session->ledger.pending), NULL);
  say_begin (&w, "session_ended", NULL);
  jsonw_name_string (&w, "reason", session->end_reason);
  say_end (session, &w);
  feed_close (&session->feed);
  log_event (session->all->settings.log, LOG_INFO, "session_ended", SESSION_LOG (session), "reason",
             session->end_reason, NULL);
  session_free (session);
}

static void
end_now (struct session *session)
{
  (void) work_cancel (session, WORK_ALL);
  session_has_ended (session);
}

void
session_end (struct session *session, const char *reason)
{
  const double grace = session->all->settings.grace;

  if (session->end_reason != NULL)
    return;
  session->end_reason = xstrdup (reason);
  log_event (session->all->settings.log, LOG_INFO, "tool_cancel_all_started", SESSION_LOG (session),
             "cancellable_tasks", LOG_INT (session->running), "tracked_tasks",
             LOG_INT (session->ledger.pending), NULL);
  (void) work_cancel (session, grace <= 0 ? WORK_ALL : WORK_ASKING);
  if (session->works == NULL)
    return session_has_ended (session);
  session->ends = now_of (session->all) + grace;
}

/* Someone listens, or something runs. */
static bool
is_busy (const struct session *session)
{
  return session->works != NULL || session->feed.subscribers != NULL;
}

static void
look_at (struct session *session, double now)
{
  asking_expire (session, now);
  if (session->end_reason != NULL) {
    if (now >= session->ends)
      end_now (session);
  }
  else if (is_busy (session))
    session->used = now;
  else if (now - session->used >= session->ttl)
    session_end (session, "expired");
}

void
sessions_tick (struct sessions *sessions)
{
  const double now = now_of (sessions);

  for (struct session *s = sessions->oldest, *newer; s != NULL; s = newer) {
    newer = s->newer;
    look_at (s, now);
  }
}

void
sessions_end_all (struct sessions *sessions, const char *reason)
{
  struct session *s;

  while ((s = sessions->newest) != NULL) {
    if (s->end_reason == NULL)
      s->end_reason = xstrdup (reason);
    end_now (s);
  }
}

void
sessions_free (struct sessions *sessions)
{
  if (sessions == NULL)
    return;
  sessions_end_all (sessions, "stopped");
  if (sessions->settings.approvals != NULL)
    approvals_unwatch (&sessions->watcher);
  free (sessions);
}

/* ---- toolsets ---- */

void
sessions_toolsets_changed (struct sessions *sessions)
{
  const struct sessions_settings *settings = &sessions->settings;

  for (struct session *s = sessions->newest; s != NULL; s = s->older)
    turns_follow (s, settings->toolset (settings->ctx, s->tenant));
}

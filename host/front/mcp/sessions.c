#include "front/mcp/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { BUCKETS = 4096 };

struct mcp_sessions {
  size_t max;
  double idle;
  void (*ending) (void *ctx, struct mcp_session *session);
  void *ctx;
  size_t count;
  struct mcp_session *newest, *oldest;
  struct mcp_session *buckets[BUCKETS];
};

struct mcp_sessions *
mcp_sessions_new (size_t max, double idle_seconds,
                  void (*ending) (void *ctx, struct mcp_session *session), void *ctx)
{
  struct mcp_sessions *sessions = xcalloc (1, sizeof *sessions);

  sessions->max = max;
  sessions->idle = idle_seconds;
  sessions->ending = ending;
  sessions->ctx = ctx;
  return sessions;
}

void
mcp_sessions_free (struct mcp_sessions *sessions)
{
  if (sessions == NULL)
    return;
  while (sessions->newest != NULL)
    mcp_sessions_close (sessions, sessions->newest);
  free (sessions);
}

/* Ids are random and only ours are stored, so that a few characters spread well. */
static struct mcp_session **
bucket (struct mcp_sessions *sessions, const char *id)
{
  char head[4] = { id[0], id[1], id[2], '\0' };

  return &sessions->buckets[strtoul (head, NULL, 16) % BUCKETS];
}

static void
list_remove (struct mcp_sessions *sessions, struct mcp_session *session)
{
  *(session->newer != NULL ? &session->newer->older : &sessions->newest) = session->older;
  *(session->older != NULL ? &session->older->newer : &sessions->oldest) = session->newer;
}

static void
list_add (struct mcp_sessions *sessions, struct mcp_session *session)
{
  session->newer = NULL;
  session->older = sessions->newest;
  *(session->older != NULL ? &session->older->newer : &sessions->oldest) = session;
  sessions->newest = session;
}

static void
use (struct mcp_sessions *sessions, struct mcp_session *session, double now)
{
  session->used = now;
  list_remove (sessions, session);
  list_add (sessions, session);
}

static bool
is_busy (const struct mcp_session *session)
{
  return session->standalone.x != NULL || session->peer.requests != NULL;
}

/* End the session idle longest if it has been for `spared` seconds.  Busy ones met on the way count
 * as used now, so that each is looked at once a while only. */
static bool
end_oldest (struct mcp_sessions *sessions, double spared, double now)
{
  struct mcp_session *oldest;

  while ((oldest = sessions->oldest) != NULL && now - oldest->used >= spared) {
    if (!is_busy (oldest)) {
      mcp_sessions_close (sessions, oldest);
      return true;
    }
    use (sessions, oldest, now);
  }
  return false;
}

void
mcp_sessions_expire (struct mcp_sessions *sessions, double now)
{
  while (end_oldest (sessions, sessions->idle, now))
    continue;
}

/* Hex of random bytes; a kernel without randomness has no sessions to offer. */
static bool
random_hex (char *text, size_t bytes)
{
  unsigned char raw[MCP_SESSION_ID_LEN / 2];

  if (getrandom (raw, bytes, 0) != (ssize_t) bytes)
    return false;
  for (size_t i = 0; i < bytes; i++)
    (void) snprintf (text + 2 * i, 3, "%02x", raw[i]);
  return true;
}

struct mcp_session *
mcp_sessions_open (struct mcp_sessions *sessions, const char *principal, double now)
{
  struct mcp_session *session;
  struct mcp_session **at;

  if (sessions->count >= sessions->max && !end_oldest (sessions, MCP_SESSION_SPARED, now))
    return NULL;
  session = xcalloc (1, sizeof *session);
  memcpy (session->name, "mcp-", 4);
  if (!random_hex (session->id, MCP_SESSION_ID_LEN / 2) || !random_hex (session->name + 4, 8)) {
    free (session);
    return NULL;
  }
  session->principal = xstrdup (principal);
  session->used = now;
  at = bucket (sessions, session->id);
  session->bucket_next = *at;
  *at = session;
  list_add (sessions, session);
  sessions->count++;
  return session;
}

/* Equal, in a time that does not tell how much of it was. */
static bool
same_id (const char *a, const char *b)
{
  unsigned char differ = 0;

  for (size_t i = 0; i < MCP_SESSION_ID_LEN; i++)
    differ |= (unsigned char) (a[i] ^ b[i]);
  return differ == 0;
}

struct mcp_session *
mcp_sessions_find (struct mcp_sessions *sessions, struct slice id, const char *principal,
                   double now)
{
  struct mcp_session *session;

  if (id.data == NULL || id.len != MCP_SESSION_ID_LEN)
    return NULL;
  for (session = *bucket (sessions, id.data); session != NULL; session = session->bucket_next)
    if (same_id (session->id, id.data) && strcmp (session->principal, principal) == 0)
      break;
  if (session != NULL)
    use (sessions, session, now);
  return session;
}

void
mcp_sessions_close (struct mcp_sessions *sessions, struct mcp_session *session)
{
  struct mcp_session **at = bucket (sessions, session->id);

  while (*at != session)
    at = &(*at)->bucket_next;
  *at = session->bucket_next;
  list_remove (sessions, session);
  sessions->count--;
  sessions->ending (sessions->ctx, session);
  free (session->principal);
  free (session->tenant);
  free (session);
}

struct mcp_session *
mcp_sessions_first (const struct mcp_sessions *sessions)
{
  return sessions->newest;
}

size_t
mcp_sessions_count (const struct mcp_sessions *sessions)
{
  return sessions->count;
}

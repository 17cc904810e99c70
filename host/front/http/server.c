#include "front/http/server.h"

#include <stdlib.h>

#include "front/http/threads.h"
#include "watch/metrics.h"

static const double linger_seconds = 5;
static const double peer_seconds = 1;

static void
give_turns (struct http_server *server)
{
  conn_turns (server);
  if (server->turn_count == 0)
    ev_idle_stop (server->env->loop, &server->turn);
}

static void
on_turn (struct ev_loop *loop, ev_idle *idle, int events)
{
  (void) loop;
  (void) events;
  give_turns (idle->data);
}

/* Before the loop sleeps: whoever asked in this turn need not wait for the next one, unless it has
 * been long. */
static void
on_turn_end (struct ev_loop *loop, ev_prepare *prepare, int events)
{
  struct http_server *server = prepare->data;

  (void) loop;
  (void) events;
  if (server->turn_count != 0 && !turns_is_long (server->env->turns))
    give_turns (server);
}

struct http_server *
http_server_new (const struct front_env *env, const struct http_limits *limits,
                 http_handler handler, void *ctx)
{
  struct http_server *server = xcalloc (1, sizeof *server);
  const double seconds[WAIT_KINDS] = {
    [WAIT_HEAD] = limits->head_timeout, [WAIT_BODY] = limits->body_timeout,
    [WAIT_IDLE] = limits->idle_timeout, [WAIT_WRITE] = limits->write_timeout,
    [WAIT_PEER] = peer_seconds,         [WAIT_LINGER] = linger_seconds,
  };

  server->env = env;
  server->limits = *limits;
  server->handler = handler;
  server->ctx = ctx;
  server->pool.limits = &server->limits;
  server->overflow_uid = peer_overflow_uid ();
  TAILQ_INIT (&server->turns);
  waits_init (&server->waits, env->loop, seconds, conn_expired);
  ev_idle_init (&server->turn, on_turn);
  ev_set_priority (&server->turn, EV_MAXPRI); /* in every turn, however busy */
  ev_prepare_init (&server->turn_end, on_turn_end);
  ev_set_priority (&server->turn_end, EV_MAXPRI); /* calls that begin here are sent by others */
  server->turn.data = server->turn_end.data = server;
  ev_prepare_start (env->loop, &server->turn_end);
  ev_unref (env->loop);
  server->crowd = &server->own_crowd;
  crowd_init (server->crowd, limits->connections_max, limits->connections_per_peer_max);
  accept_init (server);
  return server;
}

bool
http_server_spread (struct http_server *server, unsigned threads, struct error *err)
{
  accept_stop (server); /* its own descriptor in reserve is not needed */
  server->threads = threads_new (server, threads, err);
  return server->threads != NULL;
}

void
http_server_listen (struct http_server *server, int fd)
{
  if (server->threads != NULL)
    return threads_listen (server->threads, &fd, 1, false);
  accept_listen (server, fd, false);
}

void
http_server_listen_apart (struct http_server *server, const int *fds, size_t count)
{
  threads_listen (server->threads, fds, count, false);
}

void
http_server_listen_tls (struct http_server *server, const int *fds, size_t count)
{
  if (server->threads != NULL)
    return threads_listen (server->threads, fds, count, true);
  accept_listen (server, fds[0], true);
}

void
http_server_use_tls (struct http_server *server, struct tls_server *tls)
{
  if (server->tls == NULL)
    server->tls = tls;
  else
    tls_server_become (server->tls, tls);
}

static void
close_idle (struct http_server *server)
{
  static const enum wait_kind kinds[] = { WAIT_HEAD, WAIT_IDLE };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (struct wait *w = TAILQ_FIRST (&server->waits.queues[kinds[i]]), *next; w != NULL;
         w = next) {
      next = TAILQ_NEXT (w, link);
      if (conn_is_idle (conn_of (w)))
        conn_lose (conn_of (w));
    }
}

void
http_server_drain (struct http_server *server)
{
  server->draining = true;
  if (server->threads != NULL)
    return threads_tell (server->threads, MAIL_DRAIN);
  accept_stop (server);
  close_idle (server);
}

void
http_server_relieve (struct http_server *server)
{
  if (server->threads != NULL)
    return threads_tell (server->threads, MAIL_RELIEVE);
  close_idle (server);
  exchange_pool_free (&server->pool);
}

void
http_counts_add (struct http_counts *counts, const struct http_counts *more)
{
  counts->connections += more->connections;
  counts->accepted += more->accepted;
  counts->pauses += more->pauses;
  for (size_t i = 0; i < AWAY_KINDS; i++)
    counts->away[i] += more->away[i];
  for (size_t i = 0; i < HANDSHAKE_ENDS; i++)
    counts->handshakes[i] += more->handshakes[i];
}

void
http_server_count (const struct http_server *server, struct http_counts *counts)
{
  *counts = (struct http_counts){ .connections = server->connections - server->lingering,
                                  .accepted = server->accepted,
                                  .pauses = server->pauses };
  for (size_t i = 0; i < AWAY_KINDS; i++)
    counts->away[i] = server->away[i].total;
  memcpy (counts->handshakes, server->handshakes, sizeof counts->handshakes);
}

/* Its own, and those of its threads. */
static struct http_counts
count_all (const struct http_server *server)
{
  struct http_counts counts;

  http_server_count (server, &counts);
  if (server->threads != NULL)
    threads_count (server->threads, &counts);
  return counts;
}

size_t
http_server_connections (const struct http_server *server)
{
  return count_all (server).connections;
}

static void
put_metric (struct buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, (double) value);
}

static void
put_tls_metrics (const struct http_server *server, const struct http_counts *counts,
                 struct buf *out)
{
  static const char *const labels[HANDSHAKE_ENDS] = {
    [HANDSHAKE_DONE] = "outcome=\"done\"",
    [HANDSHAKE_FAILED] = "outcome=\"failed\"",
    [HANDSHAKE_SLOW] = "outcome=\"slow\"",
    [HANDSHAKE_PLAIN] = "outcome=\"plain_http\"",
  };

  if (server->tls == NULL)
    return;
  metrics_head (out, "toolhost_tls_handshakes_total", "counter", "Handshakes of TLS, by outcome.");
  for (size_t i = 0; i < HANDSHAKE_ENDS; i++)
    metrics_sample (out, "toolhost_tls_handshakes_total", labels[i],
                    (double) counts->handshakes[i]);
  metrics_head (out, "toolhost_tls_certificate_expires_seconds", "gauge",
                "When the certificate ends, in seconds since 1970.");
  metrics_sample (out, "toolhost_tls_certificate_expires_seconds", NULL,
                  (double) tls_server_expires (server->tls));
}

void
http_server_metrics (const struct http_server *server, struct buf *out)
{
  static const char *const labels[] = {
    [AWAY_FULL] = "reason=\"connections_max\"",
    [AWAY_PEER_FULL] = "reason=\"connections_per_peer_max\"",
    [AWAY_DESCRIPTORS] = "reason=\"no_descriptors\"",
  };
  const struct http_counts counts = count_all (server);

  put_metric (out, "toolhost_http_connections", "gauge", "Open HTTP connections.",
              counts.connections);
  put_metric (out, "toolhost_http_accepted_total", "counter", "HTTP connections that were served.",
              counts.accepted);
  put_metric (out, "toolhost_http_accept_failures_total", "counter",
              "Times no connection could be accepted for want of descriptors or memory.",
              counts.away[AWAY_FAILED]);
  put_metric (out, "toolhost_http_accept_pauses_total", "counter",
              "Times a listener paused after that.", counts.pauses);
  metrics_head (out, "toolhost_http_connections_refused_total", "counter",
                "HTTP connections that were told there are too many, by reason.");
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    metrics_sample (out, "toolhost_http_connections_refused_total", labels[i],
                    (double) counts.away[i]);
  put_tls_metrics (server, &counts, out);
  if (server->threads != NULL)
    threads_metrics (server->threads, out);
}

void
http_server_close (struct http_server *server)
{
  struct wait *wait;

  accept_stop (server);
  for (int kind = 0; kind < WAIT_KINDS; kind++)
    while ((wait = TAILQ_FIRST (&server->waits.queues[kind])) != NULL)
      conn_lose (conn_of (wait));
}

void
http_server_free (struct http_server *server)
{
  if (server == NULL)
    return;
  threads_free (server->threads);
  http_server_close (server);
  waits_stop (&server->waits);
  ev_idle_stop (server->env->loop, &server->turn);
  ev_ref (server->env->loop);
  ev_prepare_stop (server->env->loop, &server->turn_end);
  exchange_pool_free (&server->pool);
  tls_server_free (server->tls);
  free (server);
}

#include "front/http/server.h"

#include <stdlib.h>

#include "watch/metrics.h"

static const double linger_seconds = 5;
static const double peer_seconds = 1;

static void
on_turn (struct ev_loop *loop, ev_idle *idle, int events)
{
  struct http_server *server = idle->data;

  (void) events;
  conn_turns (server);
  if (server->turn_count == 0)
    ev_idle_stop (loop, idle);
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
  server->turn.data = server;
  crowd_init (&server->crowd, limits->connections_max, limits->connections_per_peer_max);
  accept_init (server);
  return server;
}

void
http_server_listen (struct http_server *server, int fd)
{
  accept_listen (server, fd);
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
  accept_stop (server);
  close_idle (server);
}

void
http_server_relieve (struct http_server *server)
{
  close_idle (server);
  exchange_pool_free (&server->pool);
}

size_t
http_server_connections (const struct http_server *server)
{
  return server->connections - server->lingering;
}

static void
put_metric (struct buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, (double) value);
}

void
http_server_metrics (const struct http_server *server, struct buf *out)
{
  static const char *const labels[] = {
    [AWAY_FULL] = "reason=\"connections_max\"",
    [AWAY_PEER_FULL] = "reason=\"connections_per_peer_max\"",
    [AWAY_DESCRIPTORS] = "reason=\"no_descriptors\"",
  };

  put_metric (out, "toolhost_http_connections", "gauge", "Open HTTP connections.",
              http_server_connections (server));
  put_metric (out, "toolhost_http_accepted_total", "counter", "HTTP connections that were served.",
              server->accepted);
  put_metric (out, "toolhost_http_accept_failures_total", "counter",
              "Times no connection could be accepted for want of descriptors or memory.",
              server->away[AWAY_FAILED].total);
  put_metric (out, "toolhost_http_accept_pauses_total", "counter",
              "Times a listener paused after that.", server->pauses);
  metrics_head (out, "toolhost_http_refused_total", "counter",
                "HTTP connections that were told there are too many, by reason.");
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    metrics_sample (out, "toolhost_http_refused_total", labels[i], (double) server->away[i].total);
}

void
http_server_free (struct http_server *server)
{
  struct wait *wait;

  if (server == NULL)
    return;
  accept_stop (server);
  for (int kind = 0; kind < WAIT_KINDS; kind++)
    while ((wait = TAILQ_FIRST (&server->waits.queues[kind])) != NULL)
      conn_lose (conn_of (wait));
  waits_stop (&server->waits);
  ev_idle_stop (server->env->loop, &server->turn);
  exchange_pool_free (&server->pool);
  free (server);
}

#include "service/http/resolver.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/offload.h"
#include "service/http/url.h"

enum { THREADS = 8, KEPT = 64 };

/* Seconds that an answer is good for: the system's functions don't tell how long it is meant. */
static const double KEEP = 10;

/* What is known of a name. */
struct known {
  char host[URL_HOST_MAX + 1];
  struct address addresses[RESOLVED_MAX];
  size_t count;
  double since; /* of the loop; 0: nothing */
};

struct http_dns {
  struct ev_loop *loop;
  struct offload *offload;
  struct known known[KEPT];
  size_t next; /* to be written over */
};

struct question {
  struct http_dns *dns;
  http_resolved *done; /* NULL: forgotten */
  void *ctx;
  struct known answer;
  const char *why; /* of gai_strerror, static */
  ev_timer soon;   /* it is known already */
};

/* ---- in a thread ------------------------------------------------------------------------ */

static void
keep_addresses (struct known *answer, const struct addrinfo *list)
{
  for (; list != NULL && answer->count < RESOLVED_MAX; list = list->ai_next)
    answer->count += address_of (&answer->addresses[answer->count], list->ai_addr);
}

static void
look_up_now (void *ctx, const struct offload_job *job)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
  struct question *q = ctx;
  struct addrinfo *list = NULL;
  int failed = getaddrinfo (q->answer.host, NULL, &hints, &list);

  (void) job;
  if (failed == 0)
    keep_addresses (&q->answer, list);
  if (list != NULL)
    freeaddrinfo (list);
  if (q->answer.count == 0)
    q->why = failed != 0 ? gai_strerror (failed) : "it has no addresses";
}

/* ---- on the loop ------------------------------------------------------------------------ */

static void
answer (struct question *q)
{
  if (q->done != NULL)
    q->done (q->ctx, q->answer.addresses, q->answer.count, q->why != NULL ? q->why : "");
  free (q);
}

static void
looked_up (void *ctx, bool cancelled)
{
  struct question *q = ctx;
  struct http_dns *dns = q->dns;

  if (cancelled)
    q->done = NULL;
  if (q->answer.count != 0) {
    q->answer.since = ev_now (dns->loop);
    dns->known[dns->next++ % KEPT] = q->answer;
  }
  answer (q);
}

static void
on_soon (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  answer (timer->data);
}

static const struct known *
find (const struct http_dns *dns, const char *host)
{
  double now = ev_now (dns->loop);

  for (size_t i = 0; i < KEPT; i++) {
    const struct known *k = &dns->known[i];
    if (k->since != 0 && now >= k->since && now - k->since < KEEP && strcmp (k->host, host) == 0)
      return k;
  }
  return NULL;
}

static void *
look_up (void *ctx, const char *host, http_resolved *done, void *done_ctx)
{
  struct http_dns *dns = ctx;
  const struct known *known = find (dns, host);
  struct question *q = xcalloc (1, sizeof *q);

  q->dns = dns;
  q->done = done;
  q->ctx = done_ctx;
  ev_timer_init (&q->soon, on_soon, 0, 0);
  q->soon.data = q;
  if (known != NULL) {
    q->answer = *known;
    ev_timer_start (dns->loop, &q->soon);
    return q;
  }
  memcpy (q->answer.host, host, strlen (host) + 1);
  (void) offload_submit (
    dns->offload, &(struct offload_work){ .work = look_up_now, .done = looked_up, .ctx = q });
  return q;
}

static void
forget (void *question)
{
  struct question *q = question;

  q->done = NULL;
  if (ev_is_active (&q->soon) || ev_is_pending (&q->soon)) {
    ev_timer_stop (q->dns->loop, &q->soon);
    free (q);
  }
}

struct http_dns *
http_dns_new (struct ev_loop *loop)
{
  struct http_dns *dns = xcalloc (1, sizeof *dns);

  dns->loop = loop;
  dns->offload = offload_new (loop, THREADS);
  return dns;
}

void
http_dns_free (struct http_dns *dns)
{
  if (dns == NULL)
    return;
  offload_free (dns->offload);
  free (dns);
}

struct http_resolver
http_dns_resolver (struct http_dns *dns)
{
  return (struct http_resolver){ .look_up = look_up, .forget = forget, .ctx = dns };
}

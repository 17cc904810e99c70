#include "worker/service.h"

#include <string.h>
#include <time.h>

#include "worker/host_table.h"
#include "worker/tool_call.h"

enum { CHUNK = FRAME_MAX - sizeof (struct frame_head) - sizeof (struct frame_service) };

#define NS_PER_S 1000000000LL

void
service_begin (struct tool_call *call)
{
  pthread_mutex_lock (&call->lock);
  call->service.number++;
  buf_reset (&call->service.inbox, FRAME_MAX);
  pthread_mutex_unlock (&call->lock);
}

toolhost_status
service_status (const struct frame_served *end)
{
  return service_status_of (end->status);
}

toolhost_status
service_status_of (uint32_t status)
{
  static const toolhost_status statuses[] = {
    [FRAME_SERVED_OK] = TOOLHOST_OK,
    [FRAME_SERVED_FAILED] = TOOLHOST_FAILED,
    [FRAME_SERVED_NOT_GRANTED] = TOOLHOST_NOT_GRANTED,
    [FRAME_SERVED_BAD_VALUE] = TOOLHOST_BAD_VALUE,
    [FRAME_SERVED_NOT_FOUND] = TOOLHOST_NOT_FOUND,
    [FRAME_SERVED_ASKED] = TOOLHOST_ASKED,
  };

  return status >= FRAME_SERVED_OK && status < sizeof statuses / sizeof *statuses ? statuses[status]
                                                                                  : TOOLHOST_FAILED;
}

/* What has come; true: that was all of it. */
static bool
take_answer (struct tool_call *call, struct buf *body, toolhost_status *status)
{
  struct frame_served head;
  const char *data;
  size_t len, at = 0;

  while (service_next (&call->service, &at, &head, &data, &len)) {
    if (head.what == FRAME_SERVED_END) {
      *status = service_status (&head);
      return true;
    }
    buf_append (body, data, len);
  }
  return false;
}

static void
send (struct tool_call *call, enum frame_service_what what, const char *data, size_t len)
{
  const struct call_port *port = call->host->port;
  struct frame_service head = { .what = what, .number = call->service.number, .head_len = len };
  size_t at = 0;

  do {
    size_t piece = len - at < CHUNK ? len - at : CHUNK;
    port->service (call->host->ctx, call, &head, data + at, piece);
    head.what = FRAME_SERVICE_MORE;
    at += piece;
  } while (at < len);
}

toolhost_status
service_ask (struct tool_call *call, enum frame_service_what what, const char *data, size_t len,
             const char **answer, size_t *answer_len)
{
  CLEANUP_BUF struct buf body = { 0 };
  toolhost_status status = TOOLHOST_CANCELLED;

  service_begin (call);
  send (call, what, data, len);
  while (!(service_take (call) && take_answer (call, &body, &status))) {
    if (tool_call_is_over (call))
      return TOOLHOST_CANCELLED;
    call->host->port->await (call->host->ctx, call);
  }
  *answer = arena_strndup (&call->arena, buf_cstr (&body), body.len);
  *answer_len = body.len;
  return status;
}

void
service_deliver (struct tool_call *call, const char *payload, size_t len)
{
  struct frame_served head;

  memcpy (&head, payload, sizeof head);
  pthread_mutex_lock (&call->lock);
  if (head.number == call->service.number) {
    buf_append (&call->service.inbox, &len, sizeof len);
    buf_append (&call->service.inbox, payload, len);
    pthread_cond_broadcast (&call->woken);
  }
  pthread_mutex_unlock (&call->lock);
}

static int64_t
monotonic (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * NS_PER_S + t.tv_nsec;
}

void
service_wait (struct tool_call *call, int64_t until)
{
  struct timespec at = { .tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S };

  pthread_mutex_lock (&call->lock);
  while (call->service.inbox.len == 0 && !atomic_load (&call->cancelled) && monotonic () < until)
    if (until == INT64_MAX)
      pthread_cond_wait (&call->woken, &call->lock);
    else
      pthread_cond_timedwait (&call->woken, &call->lock, &at);
  pthread_mutex_unlock (&call->lock);
}

bool
service_take (struct tool_call *call)
{
  struct service *service = &call->service;

  buf_reset (&service->letters, FRAME_MAX);
  pthread_mutex_lock (&call->lock);
  buf_swap (&service->letters, &service->inbox);
  pthread_mutex_unlock (&call->lock);
  return service->letters.len != 0;
}

bool
service_next (const struct service *service, size_t *at, struct frame_served *head,
              const char **data, size_t *len)
{
  if (*at >= service->letters.len)
    return false;
  memcpy (len, service->letters.data + *at, sizeof *len);
  *data = service->letters.data + *at + sizeof *len;
  *at += sizeof *len + *len;
  memcpy (head, *data, sizeof *head);
  *data += sizeof *head;
  *len -= sizeof *head;
  return true;
}

void
service_free (struct service *service)
{
  for (struct service_body *b = service->bodies; b != NULL; b = b->next)
    buf_free (&b->bytes);
  service->bodies = NULL;
  buf_free (&service->inbox);
  buf_free (&service->letters);
}

#include "service/call/service.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

const char *const phone_act_names[] = { "refer", "hangup", "dtmf", "say", NULL };
const char *const phone_act_texts[] = { "target_uri", "reason", "digits", "text" };

struct call_service {
  const struct phone_way *way;
  void *ctx;
  char *call_id;
  struct phone_watch watch;
  struct phone_order *orders; /* that are under way, or kept for their key */
  size_t count;
};

/* ---- the service ---- */

struct call_service *
call_service_new (const struct phone_way *way, void *ctx, const char *call_id)
{
  struct call_service *service = xcalloc (1, sizeof *service);

  service->way = way;
  service->ctx = ctx;
  service->call_id = xstrdup (call_id);
  return service;
}

void
call_service_watch (struct call_service *service, struct phone_watch watch)
{
  service->watch = watch;
}

const char *
call_service_call_id (const struct call_service *service)
{
  return service->call_id;
}

typedef void begin_fn (void *ctx, struct phone_order *order);

static begin_fn *
begin_of (const struct phone_way *way, enum phone_act act)
{
  begin_fn *const begins[] = { [PHONE_REFER] = way->refer,
                               [PHONE_HANGUP] = way->hangup,
                               [PHONE_DTMF] = way->dtmf,
                               [PHONE_SAY] = way->say };

  return begins[act];
}

unsigned
call_service_acts (const struct call_service *service)
{
  unsigned acts = 0;

  for (enum phone_act act = 0; act < PHONE_ACTS; act++)
    if (begin_of (service->way, act) != NULL)
      acts |= 1U << act;
  return acts;
}

/* ---- who waits ---- */

static void
wait_for (struct phone_order *order, struct phone_asker *asker)
{
  if (asker == NULL)
    return;
  asker->next = order->askers;
  asker->prev = &order->askers;
  if (asker->next != NULL)
    asker->next->prev = &asker->next;
  order->askers = asker;
}

void
call_service_leave (struct phone_asker *asker)
{
  if (asker->prev == NULL)
    return;
  *asker->prev = asker->next;
  if (asker->next != NULL)
    asker->next->prev = asker->prev;
  asker->prev = NULL;
}

static void
answer (struct phone_asker *asker, const char *why)
{
  if (asker != NULL)
    asker->answered (asker, why);
}

static void
answer_all (struct phone_order *order, const char *why)
{
  for (struct phone_asker *asker; (asker = order->askers) != NULL;) {
    call_service_leave (asker);
    asker->answered (asker, why);
  }
}

/* ---- orders ---- */

static void
order_free (struct phone_order *order)
{
  free (order->text);
  free (order->key);
  free (order);
}

static void
unlink_order (struct phone_order *order)
{
  *order->prev = order->next;
  if (order->next != NULL)
    order->next->prev = order->prev;
  order->service->count--;
}

static struct phone_order *
order_new (struct call_service *service, enum phone_act act, const char *text, const char *key)
{
  struct phone_order *order = xcalloc (1, sizeof *order);

  order->service = service;
  order->act = act;
  order->text = xstrdup (text);
  order->key = key != NULL ? xstrdup (key) : NULL;
  order->next = service->orders;
  order->prev = &service->orders;
  if (order->next != NULL)
    order->next->prev = &order->next;
  service->orders = order;
  service->count++;
  return order;
}

void
phone_order_end (struct phone_order *order, const char *why)
{
  const struct call_service *service = order->service;
  const struct phone_watch watch = service->watch;
  const char *way = service->way->name;
  CLEANUP_FREE char *text = xstrdup (order->text);
  CLEANUP_FREE char *key = order->key != NULL ? xstrdup (order->key) : NULL;
  const struct phone_order told = { .act = order->act, .text = text, .key = key };

  answer_all (order, why);
  order->done = why == NULL && order->key != NULL;
  if (!order->done) {
    unlink_order (order);
    order_free (order);
  }
  if (watch.ended != NULL)
    watch.ended (watch.ctx, way, &told, why);
}

void
call_service_free (struct call_service *service)
{
  if (service == NULL)
    return;
  for (struct phone_order *order; (order = service->orders) != NULL;) {
    if (!order->done)
      service->way->drop (order);
    answer_all (order, "the telephone call has ended");
    unlink_order (order);
    order_free (order);
  }
  if (service->way->free != NULL)
    service->way->free (service->ctx);
  free (service->call_id);
  free (service);
}

/* ---- asking ---- */

static bool
is_plain (const char *text)
{
  for (; *text != '\0'; text++)
    if ((unsigned char) *text < ' ' || *text == 0x7f)
      return false;
  return true;
}

static bool
is_tones (const char *digits)
{
  return *digits != '\0' && digits[strspn (digits, "0123456789*#ABCDabcd")] == '\0';
}

/* NULL: it is in order. */
static const char *
fault_of (const struct call_service *service, enum phone_act act, const char *text, const char *key)
{
  if (begin_of (service->way, act) == NULL)
    return "this telephone can't do that";
  if (act == PHONE_REFER && (*text == '\0' || !is_plain (text)))
    return "the target is neither a SIP URI nor a number";
  if (act == PHONE_DTMF && !is_tones (text))
    return "tones are written with 0 to 9, A to D, * and #";
  if (act == PHONE_SAY && *text == '\0')
    return "there is nothing to say";
  if (strlen (text) > PHONE_TEXT_MAX)
    return "the text is too long";
  if (key != NULL && (*key == '\0' || strlen (key) > PHONE_KEY_MAX || !is_plain (key)))
    return "the idempotency key is none";
  return NULL;
}

static struct phone_order *
find_key (const struct call_service *service, const char *key)
{
  struct phone_order *order = key != NULL ? service->orders : NULL;

  while (order != NULL && (order->key == NULL || strcmp (order->key, key) != 0))
    order = order->next;
  return order;
}

static void
ask_again (struct phone_order *order, enum phone_act act, const char *text,
           struct phone_asker *asker)
{
  if (order->act != act || strcmp (order->text, text) != 0)
    answer (asker, "the idempotency key is another request's");
  else if (order->done)
    answer (asker, NULL);
  else
    wait_for (order, asker);
}

void
call_service_ask (struct call_service *service, enum phone_act act, const char *text,
                  const char *key, struct phone_asker *asker)
{
  const char *fault = fault_of (service, act, text, key);
  struct phone_order *order;

  if (asker != NULL)
    asker->prev = NULL;
  if (fault != NULL)
    return answer (asker, fault);
  order = find_key (service, key);
  if (order != NULL)
    return ask_again (order, act, text, asker);
  if (service->count >= PHONE_ORDERS_MAX)
    return answer (asker, "too much was asked of this telephone call");
  order = order_new (service, act, text, key);
  wait_for (order, asker);
  begin_of (service->way, act) (service->ctx, order);
}

#include "pool/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/heap.h"

enum {
  TURN = 1 << 20, /* virtual time of a turn at weight 1 */
  REST_KEPT = 64, /* flows without calls that are kept for the next call … */
  REST_MAX = 4096 /* … and those whose next turn is not due yet */
};
enum {
  RETRY_MIN_MS = 50,
  RETRY_MAX_MS = 30000,
  RETRY_UNKNOWN_MS = 1000 /* before any call has ended */
};

/* The root holds the tenants' flows, a tenant's those of its principals, a principal's its jobs. */
struct flow {
  struct queue *queue;
  struct flow *of;       /* NULL: the root */
  struct tenant *tenant; /* of a tenant's */
  unsigned waiting;      /* jobs, its parts' too */
  unsigned running;      /* of root and tenants: jobs that were taken and have not ended */
  uint64_t due;          /* virtual time of its next turn */
  struct heap_node turn; /* in of->ready or of->rested; while it is passed over in neither */
  struct heap_node load; /* in of->loads while jobs wait */
  struct tenant_waiter waiter;
  struct job *first, *last; /* a principal's */
  /* of root and tenants: */
  struct flow *parts;      /* by name */
  struct flow *last_found; /* of them; or NULL */
  struct heap ready;       /* parts with jobs, by when they are due */
  struct heap rested;      /* parts without, likewise */
  struct heap loads;       /* parts with jobs, the longest backlog for its weight first */
  uint64_t clock;          /* virtual time */
  uint64_t latest;         /* the latest any part is due */
  UT_hash_handle hh;
  char name[];
};

#define FLOW_OF(node, member)                                                                      \
  ((struct flow *) (void *) ((char *) (node) -offsetof (struct flow, member)))

static unsigned
weight_of (const struct flow *flow)
{
  return flow->tenant != NULL ? flow->tenant->weight : 1;
}

/* ---- flows come and go ---- */

static void on_room (struct tenant_waiter *waiter);

static struct flow *
flow_new (struct queue *queue, struct flow *of, const char *name)
{
  size_t len = strlen (name);
  struct flow *flow = xcalloc (1, sizeof *flow + len + 1);

  flow->queue = queue;
  flow->of = of;
  flow->waiter.wake = on_room;
  memcpy (flow->name, name, len);
  if (of == NULL)
    return flow;
  HASH_ADD_KEYPTR (hh, of->parts, flow->name, len, flow);
  heap_add (&of->rested, &flow->turn, 0);
  return flow;
}

static struct flow *
find (struct flow *of, const char *name)
{
  struct flow *flow = of->last_found;

  if (flow != NULL && strcmp (flow->name, name) == 0)
    return flow;
  HASH_FIND (hh, of->parts, name, strlen (name), flow);
  of->last_found = flow;
  return flow;
}

static struct flow *
find_or_add (struct flow *of, const char *name)
{
  struct flow *flow = find (of, name);
  return flow != NULL ? flow : flow_new (of->queue, of, name);
}

static void
flow_free (struct flow *flow)
{
  struct flow *part, *next;

  assert (flow->waiting == 0 && flow->running == 0);
  HASH_ITER (hh, flow->parts, part, next)
  flow_free (part);
  if (flow->of != NULL) {
    heap_remove (&flow->of->rested, &flow->turn);
    if (flow->of->last_found == flow)
      flow->of->last_found = NULL;
    HASH_DEL (flow->of->parts, flow);
  }
  heap_free (&flow->ready);
  heap_free (&flow->rested);
  heap_free (&flow->loads);
  free (flow);
}

/* Whoever has had its turn is remembered until that has made no difference for long; and of the
 * others some, so that a caller that comes again finds its flow. */
static void
forget_rested (struct flow *of)
{
  while (of->rested.count > REST_KEPT) {
    struct flow *flow = FLOW_OF (heap_first (&of->rested), turn);
    if (flow->due > of->clock && of->rested.count <= REST_MAX)
      return;
    flow_free (flow);
  }
}

/* ---- counting ---- */

/* What a flow has waiting for its weight, in the order of heap.h: the most is first. */
static uint64_t
load_key (const struct flow *flow)
{
  return UINT64_MAX - (uint64_t) flow->waiting * TURN / weight_of (flow);
}

static void
rest_if_done (struct flow *flow)
{
  struct flow *of = flow->of;

  if (flow->waiting != 0 || flow->running != 0)
    return;
  heap_add (&of->rested, &flow->turn, flow->due);
  forget_rested (of);
}

/* Its turn comes when it is due, and not before now. */
static void
make_ready (struct flow *flow)
{
  struct flow *of = flow->of;

  heap_remove (&of->rested, &flow->turn);
  if (flow->due < of->clock)
    flow->due = of->clock;
  heap_add (&of->ready, &flow->turn, flow->due);
}

static void
count_in (struct flow *flow)
{
  for (; flow != NULL; flow = flow->of) {
    flow->waiting++;
    if (flow->of == NULL)
      return;
    if (flow->waiting == 1) {
      make_ready (flow);
      heap_add (&flow->of->loads, &flow->load, load_key (flow));
    }
    else
      heap_move (&flow->of->loads, &flow->load, load_key (flow));
  }
}

/* One job less in a flow that is part of another. */
static void
count_out_of (struct flow *flow)
{
  struct flow *of = flow->of;

  if (flow->waiting != 0) {
    heap_move (&of->loads, &flow->load, load_key (flow));
    return;
  }
  heap_remove (&of->loads, &flow->load);
  heap_remove (&of->ready, &flow->turn);
  if (flow->tenant != NULL)
    tenant_stop_waiting (flow->tenant, &flow->waiter);
  rest_if_done (flow);
}

static void
count_out (struct flow *flow)
{
  struct flow *of;

  for (; flow != NULL; flow = of) {
    of = flow->of;
    flow->waiting--;
    if (flow->waiting == 0)
      flow->clock = flow->latest; /* nobody is behind any more */
    if (of != NULL)
      count_out_of (flow);
  }
}

/* ---- limits ---- */

static bool
at_limit (const struct flow *flow)
{
  unsigned per_tenant = flow->queue->settings.per_tenant;
  return per_tenant != 0 && flow->running >= per_tenant;
}

/* Until one of its calls ends, here or (the tenant's limit over all) anywhere. */
static void
pass_over (struct flow *flow)
{
  heap_remove (&flow->of->ready, &flow->turn);
  if (!at_limit (flow))
    tenant_wait (flow->tenant, &flow->waiter);
}

static bool
may_run (const struct flow *flow)
{
  return !at_limit (flow) && tenant_has_room (flow->queue->settings.tenants, flow->tenant);
}

static void
take_part_again (struct flow *flow)
{
  if (flow->waiting != 0 && !heap_has (&flow->turn))
    make_ready (flow);
}

static void
on_room (struct tenant_waiter *waiter)
{
  struct flow *flow = FLOW_OF (waiter, waiter);
  const struct queue_settings *settings = &flow->queue->settings;

  take_part_again (flow);
  settings->wake (settings->ctx);
}

/* A mean that follows the last eight or so. */
static void
note_run (struct queue *queue, int64_t ran_ns)
{
  int64_t ran = ran_ns > 0 ? ran_ns : 1;
  queue->ran_ns += queue->ran_ns == 0 ? ran : (ran - queue->ran_ns) / 8;
}

void
flow_ended (struct flow *flow, int64_t ran_ns)
{
  const struct tenants *tenants = flow->queue->settings.tenants;
  struct tenant *tenant = flow->tenant;

  note_run (flow->queue, ran_ns);
  flow->of->running--;
  flow->running--;
  if (!at_limit (flow))
    take_part_again (flow);
  rest_if_done (flow);
  tenant_ended (tenants, tenant);
}

/* ---- a full queue ---- */

/* Has the newcomer, with one more, no more for its weight than the other with one less? */
static bool
has_less (const struct flow *newcomer, const struct flow *other)
{
  return (uint64_t) (newcomer->waiting + 1) * weight_of (other)
         <= (uint64_t) (other->waiting - 1) * weight_of (newcomer);
}

static struct flow *
most_loaded (const struct flow *of)
{
  struct heap_node *node = heap_first (&of->loads);
  return node != NULL ? FLOW_OF (node, load) : NULL;
}

/* Who loses a call to the newcomer; NULL: nobody. */
static struct job *
find_loser (const struct queue *queue, const struct flow *tenant, const struct flow *principal)
{
  const struct flow *most = most_loaded (queue->root);

  if (most != tenant && has_less (tenant, most))
    return most_loaded (most)->last;
  most = most_loaded (tenant);
  if (most != NULL && most != principal && has_less (principal, most))
    return most->last;
  return NULL;
}

/* ---- the queue ---- */

void
queue_init (struct queue *queue, const struct queue_settings *settings)
{
  queue->settings = *settings;
  queue->root = flow_new (queue, NULL, "");
}

void
queue_clear (struct queue *queue)
{
  struct flow *flow, *next;

  HASH_ITER (hh, queue->root->parts, flow, next)
  flow_free (flow);
  flow_free (queue->root);
  queue->root = NULL;
}

unsigned
queue_count (const struct queue *queue)
{
  return queue->root->waiting;
}

static void
append (struct flow *flow, struct job *job)
{
  job->flow = flow;
  job->next = NULL;
  job->prev = flow->last;
  if (flow->last != NULL)
    flow->last->next = job;
  else
    flow->first = job;
  flow->last = job;
  count_in (flow);
}

static struct flow *
flow_for (struct queue *queue, const struct job *job)
{
  const char *name = job->tenant != NULL ? job->tenant : "default";
  struct flow *flow = find_or_add (queue->root, name);

  if (flow->tenant == NULL)
    flow->tenant = tenants_get (queue->settings.tenants, name);
  return find_or_add (flow, job->principal != NULL ? job->principal : "");
}

int64_t
queue_retry_ms (const struct queue *queue)
{
  unsigned running = queue->root->running != 0 ? queue->root->running : 1;
  int64_t calls = (int64_t) queue_count (queue) / running + 1;
  int64_t ms;

  if (queue->ran_ns == 0)
    return RETRY_UNKNOWN_MS;
  if (queue->ran_ns > RETRY_MAX_MS * (int64_t) 1000000 / calls)
    return RETRY_MAX_MS;
  ms = calls * queue->ran_ns / 1000000;
  return ms < RETRY_MIN_MS ? RETRY_MIN_MS : ms;
}

struct job *
queue_put (struct queue *queue, struct job *job)
{
  struct flow *flow = flow_for (queue, job);
  struct job *loser = NULL;

  if (queue_count (queue) >= queue->settings.max) {
    loser = find_loser (queue, flow->of, flow);
    if (loser == NULL) {
      forget_rested (flow->of);
      forget_rested (queue->root);
      return job;
    }
    queue_remove (queue, loser);
  }
  append (flow, job);
  return loser;
}

struct job *
queue_next (struct queue *queue, const char *tenant)
{
  struct flow *root = queue->root, *flow;

  if (tenant != NULL) {
    flow = find (root, tenant);
    return flow != NULL && flow->waiting != 0 && may_run (flow)
             ? FLOW_OF (heap_first (&flow->ready), turn)->first
             : NULL;
  }
  while (root->ready.count != 0) {
    flow = FLOW_OF (heap_first (&root->ready), turn);
    if (may_run (flow))
      return FLOW_OF (heap_first (&flow->ready), turn)->first;
    pass_over (flow);
  }
  return NULL;
}

const struct tenant *
queue_tenant (const struct job *job)
{
  return job->flow->of->tenant;
}

struct job *
queue_any (const struct queue *queue)
{
  const struct flow *flow = most_loaded (queue->root);
  return flow != NULL ? most_loaded (flow)->last : NULL;
}

void
queue_remove (struct queue *queue, struct job *job)
{
  struct flow *flow = job->flow;

  assert (flow->queue == queue);
  if (job->prev != NULL)
    job->prev->next = job->next;
  else
    flow->first = job->next;
  if (job->next != NULL)
    job->next->prev = job->prev;
  else
    flow->last = job->prev;
  job->prev = job->next = NULL;
  job->flow = NULL;
  count_out (flow);
}

/* Virtual time is when the first of those that wait was due. */
static void
charge (struct flow *flow)
{
  struct flow *of = flow->of;
  const struct heap_node *first = heap_first (&of->ready);

  if (first != NULL && first->key > of->clock)
    of->clock = first->key;
  flow->due += TURN / weight_of (flow);
  if (flow->due > of->latest)
    of->latest = flow->due;
  if (heap_has (&flow->turn))
    heap_move (&of->ready, &flow->turn, flow->due);
}

struct flow *
queue_take (struct queue *queue, struct job *job)
{
  struct flow *principal = job->flow, *tenant = principal->of;

  charge (principal);
  charge (tenant);
  queue->root->running++;
  tenant->running++;
  tenant->tenant->running++;
  queue_remove (queue, job);
  return tenant;
}

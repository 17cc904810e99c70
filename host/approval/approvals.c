#include "approval/approvals.h"

#include <stdlib.h>
#include <string.h>

#include "approval/book.h"
#include "base/clock.h"

static const double AGAIN_S = 1, LOOK_S = 60; /* the wall's clock may be set */

static int64_t
wall_ms (void *ctx)
{
  (void) ctx;
  return clock_wall_ms ();
}

const struct approvals_settings approvals_defaults = {
  .now_ms = wall_ms,
  .ttl_ms = 600000,
  .keep_ms = 24 * 3600000LL,
  .pending_max = 10000,
  .tenant_max = 1000,
};

int64_t
book_now (const struct approvals *book)
{
  return book->settings.now_ms (book->settings.ctx);
}

int64_t
approvals_now (const struct approvals *book)
{
  return book_now (book);
}

/* ---- who is told ---- */

void
approvals_watch (struct approvals *book, struct approvals_watcher *watcher)
{
  watcher->next = book->watchers;
  watcher->prev = &book->watchers;
  if (watcher->next != NULL)
    watcher->next->prev = &watcher->next;
  book->watchers = watcher;
}

void
approvals_unwatch (struct approvals_watcher *watcher)
{
  if (watcher->prev == NULL)
    return;
  *watcher->prev = watcher->next;
  if (watcher->next != NULL)
    watcher->next->prev = watcher->prev;
  watcher->prev = NULL;
}

void
book_tell (struct approvals *book, const struct approval_facts *facts)
{
  for (struct approvals_watcher *w = book->watchers, *next; w != NULL; w = next) {
    next = w->next;
    w->changed (w, facts);
  }
}

/* ---- how many ---- */

static struct tenant_count *
count_of (struct approvals *book, const char *tenant)
{
  const size_t size = strlen (tenant) + 1;
  struct tenant_count *count;

  HASH_FIND_STR (book->tenants, tenant, count);
  if (count != NULL)
    return count;
  count = xcalloc (1, sizeof *count + size);
  memcpy (count->name, tenant, size);
  HASH_ADD_STR (book->tenants, name, count);
  return count;
}

static void
uncount (struct approvals *book, const char *tenant)
{
  struct tenant_count *count = count_of (book, tenant);

  book->open--;
  if (--count->open != 0)
    return;
  HASH_DEL (book->tenants, count);
  free (count);
}

/* ---- entries ---- */

static void on_due (struct ev_loop *loop, ev_timer *timer, int revents);

static void
set_timer (struct approvals *book)
{
  const struct heap_node *first = heap_first (&book->due);
  double wait;

  ev_timer_stop (book->settings.loop, &book->timer);
  if (first == NULL)
    return;
  wait = (double) ((int64_t) first->key - book_now (book)) / 1000;
  wait = wait > LOOK_S ? LOOK_S : wait < 0 ? 0 : wait;
  ev_timer_set (&book->timer, wait, 0);
  ev_timer_start (book->settings.loop, &book->timer);
}

static void
set_due (struct approval *entry, int64_t ms)
{
  struct heap *due = &entry->book->due;

  if (heap_has (&entry->due))
    heap_move (due, &entry->due, (uint64_t) ms);
  else
    heap_add (due, &entry->due, (uint64_t) ms);
  set_timer (entry->book);
}

struct approval *
entry_new (struct approvals *book, const struct approval_facts *facts)
{
  struct approval *entry = xcalloc (1, sizeof *entry);

  entry->book = book;
  facts_copy (&entry->facts, facts, &entry->arena);
  HASH_ADD (by_key, book->by_key, facts.key, STORE_HASH, entry);
  book->open++;
  count_of (book, entry->facts.tenant)->open++;
  ev_timer_init (&entry->again, NULL, 0, 0);
  entry->again.data = entry;
  return entry;
}

void
entry_free (struct approval *entry)
{
  struct approvals *book = entry->book;

  deciding_free (entry);
  ev_timer_stop (book->settings.loop, &entry->again);
  heap_remove (&book->due, &entry->due);
  set_timer (book);
  if (entry->in_by_id)
    HASH_DELETE (by_id, book->by_id, entry);
  HASH_DELETE (by_key, book->by_key, entry);
  uncount (book, entry->facts.tenant);
  arena_free (&entry->arena);
  free (entry);
}

struct approval *
book_find (const struct approvals *book, const char *id)
{
  struct approval *entry;

  HASH_FIND (by_id, book->by_id, id, strlen (id), entry);
  return entry;
}

void
entry_open (struct approval *entry)
{
  struct approvals *book = entry->book;
  const char *id = entry->facts.id;

  entry->step = ENTRY_OPEN;
  HASH_ADD_KEYPTR (by_id, book->by_id, id, strlen (id), entry);
  entry->in_by_id = true;
  if (entry->facts.state == APPROVAL_PENDING)
    set_due (entry, entry->facts.expires_ms);
}

void
entry_write (struct approval *entry, const struct approval_facts *facts, store_cb cb)
{
  CLEANUP_BUF struct buf body = { 0 };
  const bool ended = facts->state == APPROVAL_APPROVED && facts->ended_ms != 0;
  const bool over = ended || facts->state > APPROVAL_APPROVED;
  struct approvals *book = entry->book;

  facts_write (facts, &body);
  store_record_set (
    book->settings.store,
    &(struct store_record){ .kind = KIND_APPROVAL,
                            .tenant = facts->tenant,
                            .name = facts->id,
                            .owner = facts->principal,
                            .body = { body.data, body.len },
                            .state = ended ? RECORD_ENDED : (int) facts->state,
                            .forget_ms = over ? book_now (book) + book->settings.keep_ms : 0 },
    cb, entry);
}

/* ---- its end ---- */

static void on_settled (void *ctx, enum store_status status);

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct approval *entry = timer->data;

  (void) loop;
  (void) revents;
  entry_write (entry, &entry->facts, on_settled);
}

static void
on_settled (void *ctx, enum store_status status)
{
  struct approval *entry = ctx;

  if (status == STORE_UNAVAILABLE) {
    ev_timer_init (&entry->again, on_again, AGAIN_S, 0);
    ev_timer_start (entry->book->settings.loop, &entry->again);
    return;
  }
  entry_free (entry);
}

static void
log_end (const struct approval *entry)
{
  const struct approval_facts *f = &entry->facts;

  log_event (entry->book->settings.log, LOG_NOTICE,
             f->state == APPROVAL_EXPIRED     ? "approval_expired"
             : f->state == APPROVAL_WITHDRAWN ? "approval_withdrawn"
                                              : "approval_ended",
             "approval", f->id, "state", approval_state_name (f->state), "tool", f->tool, "tenant",
             f->tenant, "call", f->call_id, "outcome", f->outcome, NULL);
}

void
entry_settle (struct approval *entry)
{
  struct approvals *book = entry->book;

  entry->step = ENTRY_SETTLING;
  heap_remove (&book->due, &entry->due);
  set_timer (book);
  book->figures.ended[entry->facts.state]++;
  log_end (entry);
  book_tell (book, &entry->facts);
  deciding_drop (entry);
  entry_write (entry, &entry->facts, on_settled);
}

void
entry_refuse (struct approval *entry)
{
  const struct approval_waiter *waiter = entry->waiter;

  entry->waiter = NULL;
  if (waiter != NULL)
    waiter->refused (entry->ctx, &entry->facts);
}

static void
expire (struct approval *entry, const char *why)
{
  entry->facts.state = APPROVAL_EXPIRED;
  entry->facts.ended_ms = book_now (entry->book);
  if (why != NULL)
    entry->facts.text = arena_strndup (&entry->arena, why, strlen (why));
  entry_settle (entry);
  entry_refuse (entry);
}

static void
on_due (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct approvals *book = timer->data;
  struct heap_node *first;

  (void) loop;
  (void) revents;
  while ((first = heap_first (&book->due)) != NULL && (int64_t) first->key <= book_now (book)) {
    struct approval *entry = (struct approval *) first;

    if (entry->deciding != NULL) /* somebody was just in time, or is about to hear otherwise */
      heap_move (&book->due, first, first->key + 1000);
    else
      expire (entry, NULL);
  }
  set_timer (book);
}

void
approvals_withdraw (struct approval *entry)
{
  entry->waiter = NULL;
  if (entry->step == ENTRY_NEW)
    return entry_free (entry);
  if (entry->step == ENTRY_ASKED || entry->deciding != NULL) {
    entry->unwanted = true; /* when that has landed */
    return;
  }
  if (entry->step != ENTRY_OPEN || entry->facts.state != APPROVAL_PENDING)
    return;
  entry->facts.state = APPROVAL_WITHDRAWN;
  entry->facts.ended_ms = book_now (entry->book);
  entry_settle (entry);
}

void
approvals_end (struct approval *entry, const char *outcome)
{
  entry->waiter = NULL;
  entry->facts.outcome = arena_strndup (&entry->arena, outcome, strlen (outcome));
  entry->facts.ended_ms = book_now (entry->book);
  entry_settle (entry);
}

void
approvals_refuse (struct approval *entry, const char *why)
{
  expire (entry, why);
}

/* ---- its begin ---- */

/* It could not be written, or nobody knows whether it was: it is not to be found there. */
static void on_forgotten (void *ctx, enum store_status status);

static void
forget (struct approval *entry)
{
  store_record_set (entry->book->settings.store,
                    &(struct store_record){ .kind = KIND_APPROVAL,
                                            .tenant = entry->facts.tenant,
                                            .name = entry->facts.id },
                    on_forgotten, entry);
}

static void
on_forget_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  forget (timer->data);
}

static void
on_forgotten (void *ctx, enum store_status status)
{
  struct approval *entry = ctx;

  if (status != STORE_UNAVAILABLE)
    return entry_free (entry);
  ev_timer_init (&entry->again, on_forget_again, AGAIN_S, 0);
  ev_timer_start (entry->book->settings.loop, &entry->again);
}

static void
not_recorded (struct approval *entry)
{
  const struct approval_waiter *waiter = entry->waiter;

  log_event (entry->book->settings.log, LOG_ERROR, "approval_not_recorded", "tool",
             entry->facts.tool, "tenant", entry->facts.tenant, "call", entry->facts.call_id, NULL);
  entry->waiter = NULL;
  entry->step = ENTRY_SETTLING;
  if (waiter != NULL)
    waiter->not_recorded (entry->ctx);
  forget (entry);
}

static void
on_recorded (void *ctx, enum store_status status)
{
  struct approval *entry = ctx;
  const struct approval_facts *f = &entry->facts;

  if (status != STORE_OK)
    return not_recorded (entry);
  entry_open (entry);
  if (entry->unwanted) {
    entry->unwanted = false;
    return approvals_withdraw (entry);
  }
  log_event (entry->book->settings.log, LOG_NOTICE, "approval_requested", "approval", f->id, "tool",
             f->tool, "tenant", f->tenant, "principal", f->principal, "session", f->session_id,
             "front", f->front, "call", f->call_id, "reason", f->reason, NULL);
  book_tell (entry->book, f);
  stands_meet (entry);
  if (entry->waiter != NULL)
    entry->waiter->recorded (entry->ctx, entry);
}

void
entry_ask (struct approval *entry)
{
  entry->step = ENTRY_ASKED;
  entry_write (entry, &entry->facts, on_recorded);
}

static bool
has_room (struct approvals *book, const char *tenant, struct error *err)
{
  if (book->open >= book->settings.pending_max)
    return error_set (err, "%zu calls wait for approval already", book->open);
  if (count_of (book, tenant)->open >= book->settings.tenant_max)
    return error_set (err, "%zu calls of the tenant wait for approval already",
                      book->settings.tenant_max);
  return true;
}

struct approval *
approvals_ask (struct approvals *book, const struct approval_facts *facts,
               const struct approval_waiter *waiter, void *ctx, struct error *err)
{
  struct approval_facts asked = *facts;
  struct approval *entry;

  if (!has_room (book, facts->tenant, err))
    return NULL;
  asked.state = APPROVAL_PENDING;
  asked.created_ms = book_now (book);
  if (asked.expires_ms == 0)
    asked.expires_ms = book->settings.ttl_ms;
  asked.expires_ms += asked.created_ms;
  entry = entry_new (book, &asked);
  entry->waiter = waiter;
  entry->ctx = ctx;
  if (book->loaded)
    entry_ask (entry);
  return entry;
}

void
approval_make_id (char *room)
{
  make_name ("apr_", room);
}

struct approval *
approvals_find_key (struct approvals *book, const unsigned char key[STORE_HASH])
{
  struct approval *entry;

  HASH_FIND (by_key, book->by_key, key, STORE_HASH, entry);
  return entry != NULL && entry->step != ENTRY_SETTLING ? entry : NULL;
}

struct approval *
approvals_find_id (const struct approvals *book, const char *tenant, const char *id)
{
  struct approval *entry = book_find (book, id);

  if (entry == NULL || strcmp (entry->facts.tenant, tenant) != 0)
    return NULL;
  return entry->step != ENTRY_SETTLING ? entry : NULL;
}

const struct approval_facts *
approval_facts (const struct approval *entry)
{
  return &entry->facts;
}

bool
approval_is_awaited (const struct approval *entry)
{
  return entry->waiter != NULL;
}

void
approval_join (struct approval *entry, const struct approval_waiter *waiter, void *ctx)
{
  entry->waiter = waiter;
  entry->ctx = ctx;
  entry->unwanted = false;
  if (entry->step == ENTRY_OPEN)
    waiter->recorded (ctx, entry);
}

void
approval_leave (struct approval *entry)
{
  entry->waiter = NULL;
}

void
book_begin (struct approval *entry)
{
  entry->book->settings.approved (entry->book->settings.ctx, entry);
}

/* ---- life ---- */

struct approvals *
approvals_new (const struct approvals_settings *settings)
{
  struct approvals *book = xcalloc (1, sizeof *book);

  book->settings = *settings;
  ev_timer_init (&book->timer, on_due, 0, 0);
  book->timer.data = book;
  ev_timer_init (&book->again, NULL, 0, 0);
  book->again.data = book;
  return book;
}

bool
approvals_is_ready (const struct approvals *book)
{
  return book->loaded && book->rules_loaded;
}

void
approvals_free (struct approvals *book)
{
  struct approval *entry, *next;

  if (book == NULL)
    return;
  HASH_ITER (by_key, book->by_key, entry, next)
  {
    entry_free (entry);
  }
  while (book->watchers != NULL)
    approvals_unwatch (book->watchers);
  stands_free (book);
  unasked_free (book);
  ev_timer_stop (book->settings.loop, &book->timer);
  ev_timer_stop (book->settings.loop, &book->again);
  heap_free (&book->due);
  free (book);
}

struct approvals_figures
approvals_figures (const struct approvals *book)
{
  struct approvals_figures figures = book->figures;

  for (const struct approval *e = book->by_key; e != NULL; e = e->by_key.next)
    if (e->step == ENTRY_OPEN && e->facts.state == APPROVAL_PENDING)
      figures.pending++;
    else if (e->step == ENTRY_OPEN)
      figures.running++;
  return figures;
}

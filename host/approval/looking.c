/* looking.c - what is to be seen of the book, and what it finds when it begins. */
#include <stdlib.h>
#include <string.h>

#include "approval/book.h"

static const double LOAD_AGAIN_S = 0.2;

/* What a record says; false: it can't be read. */
static bool
take_record (struct approvals *book, const struct store_record *record,
             struct approval_facts *facts, struct arena *arena)
{
  const struct approval *entry;

  if (!facts_read (facts, record->body.data, record->body.len, arena)) {
    log_event (book->settings.log, LOG_ERROR, "approval_unreadable", "approval", record->name,
               "tenant", record->tenant, NULL);
    return false;
  }
  entry = book_find (book, record->name);
  if (entry != NULL && entry->step == ENTRY_SETTLING) /* the record follows */
    *facts = entry->facts;
  facts_age (facts, book_now (book));
  facts->number = record->number;
  return true;
}

/* ---- one ---- */

struct look {
  struct approvals *book;
  approval_cb cb;
  void *ctx;
};

static void
on_found (void *ctx, enum store_status status, const struct store_record *records, size_t count)
{
  CLEANUP_FREE struct look *look = ctx;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct approval_facts facts;

  if (status != STORE_OK)
    look->cb (look->ctx, STORE_UNAVAILABLE, NULL);
  else if (count == 0 || !take_record (look->book, &records[0], &facts, &arena))
    look->cb (look->ctx, STORE_NOT_FOUND, NULL);
  else
    look->cb (look->ctx, STORE_OK, &facts);
}

void
approvals_get (struct approvals *book, const char *tenant, const char *id, approval_cb cb,
               void *ctx)
{
  struct look *look = xcalloc (1, sizeof *look);

  *look = (struct look){ .book = book, .cb = cb, .ctx = ctx };
  store_records (
    book->settings.store,
    &(struct store_record_query){ .kind = KIND_APPROVAL, .tenant = tenant, .name = id, .limit = 1 },
    on_found, look);
}

/* ---- many ---- */

struct listing {
  struct approvals *book;
  approvals_cb cb;
  void *ctx;
  size_t limit;
  int state;
};

static void
on_listed (void *ctx, enum store_status status, const struct store_record *records, size_t count)
{
  CLEANUP_FREE struct listing *listing = ctx;
  CLEANUP_ARENA struct arena arena = { 0 };
  const size_t limit = listing->limit;
  struct approval_facts *facts;
  size_t shown = 0;

  if (status != STORE_OK)
    return listing->cb (listing->ctx, STORE_UNAVAILABLE, NULL, 0, false);
  facts = arena_alloc (&arena, (count + 1) * sizeof *facts);
  for (size_t i = 0; i < count && i < limit; i++)
    if (take_record (listing->book, &records[i], &facts[shown], &arena)
        && (listing->state < 0 || (int) facts[shown].state == listing->state))
      shown++;
  listing->cb (listing->ctx, STORE_OK, facts, shown, count > limit);
}

static unsigned
states_of (int state)
{
  if (state < 0)
    return 0;
  if (state == APPROVAL_APPROVED)
    return 1U << APPROVAL_APPROVED | 1U << RECORD_ENDED;
  return 1U << state;
}

void
approvals_list (struct approvals *book, const struct approvals_query *query, approvals_cb cb,
                void *ctx)
{
  struct listing *listing = xcalloc (1, sizeof *listing);

  *listing = (struct listing){
    .book = book, .cb = cb, .ctx = ctx, .limit = query->limit, .state = query->state
  };
  store_records (book->settings.store,
                 &(struct store_record_query){ .kind = KIND_APPROVAL,
                                               .tenant = query->tenant,
                                               .owner = query->principal,
                                               .states = states_of (query->state),
                                               .before = query->before,
                                               .limit = query->limit + 1 },
                 on_listed, listing);
}

/* ---- at the begin ---- */

static void load (struct approvals *book);

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  load (timer->data);
}

static void
load_again (struct approvals *book)
{
  if (ev_is_active (&book->again))
    return;
  ev_timer_init (&book->again, on_again, LOAD_AGAIN_S, 0);
  book->again.data = book;
  ev_timer_start (book->settings.loop, &book->again);
}

static void
take_open (struct approvals *book, const struct store_record *record)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct approval_facts facts;

  if (!facts_read (&facts, record->body.data, record->body.len, &arena))
    log_event (book->settings.log, LOG_ERROR, "approval_unreadable", "approval", record->name,
               "tenant", record->tenant, NULL);
  else
    entry_open (entry_new (book, &facts));
}

/* Those that came before all was read: a call that had asked already is the one that waits. */
static void
ask_new (struct approvals *book, struct approval *news)
{
  struct approval *known = NULL, *next;

  for (struct approval *e = news; e != NULL; e = next) {
    next = e->by_key.next;
    if (e->step != ENTRY_NEW)
      continue;
    for (known = book->by_key; known != NULL; known = known->by_key.next)
      if (known->step == ENTRY_OPEN && memcmp (known->facts.key, e->facts.key, STORE_HASH) == 0)
        break;
    if (known == NULL)
      entry_ask (e);
    else if (memcmp (known->facts.what, e->facts.what, STORE_HASH) == 0 && known->waiter == NULL) {
      approval_join (known, e->waiter, e->ctx);
      entry_free (e);
    }
    else {
      const struct approval_waiter *waiter = e->waiter;
      e->waiter = NULL;
      waiter->not_recorded (e->ctx);
      entry_free (e);
    }
  }
}

/* What was approved and had not ended is begun again. */
static void
begin_approved (struct approvals *book)
{
  struct approval *next;

  for (struct approval *e = book->by_key; e != NULL; e = next) {
    next = e->by_key.next;
    if (e->step == ENTRY_OPEN && e->facts.state == APPROVAL_APPROVED)
      book_begin (e);
  }
}

static void
on_loaded (void *ctx, enum store_status status, const struct store_record *records, size_t count)
{
  struct approvals *book = ctx;

  if (status != STORE_OK)
    return load_again (book);
  for (size_t i = count; i > 0; i--) /* oldest first */
    take_open (book, &records[i - 1]);
  book->loaded = true;
  ask_new (book, book->by_key);
  begin_approved (book);
}

static void
on_rules (void *ctx, enum store_status status, const struct store_record *records, size_t count)
{
  struct approvals *book = ctx;

  if (status != STORE_OK)
    return load_again (book);
  stands_take (book, records, count);
  book->rules_loaded = true;
}

static void
load (struct approvals *book)
{
  if (!book->rules_loaded)
    store_records (book->settings.store, &(struct store_record_query){ .kind = KIND_RULE },
                   on_rules, book);
  if (!book->loaded)
    store_records (
      book->settings.store,
      &(struct store_record_query){ .kind = KIND_APPROVAL,
                                    .states = 1U << APPROVAL_PENDING | 1U << APPROVAL_APPROVED },
      on_loaded, book);
}

void
approvals_load (struct approvals *book)
{
  load (book);
}

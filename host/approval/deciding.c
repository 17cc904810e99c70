#include <stdlib.h>
#include <string.h>

#include "approval/book.h"

/* One decision, until whoever made it is told. */
struct deciding {
  struct deciding *next;
  struct approvals *book;
  struct approval *entry;            /* NULL: it looks at the store */
  struct approval_decision decision; /* in `arena` */
  struct approval_facts facts;       /* what is being written, and then told of */
  approval_decided_cb cb;
  void *ctx;
  struct arena arena;
};

static void
tell (struct deciding *d, enum decision_verdict verdict, const struct approval_facts *facts)
{
  d->cb (d->ctx, verdict, facts);
  arena_free (&d->arena);
  free (d);
}

static bool
is_theirs (const struct approval_decision *decision, const struct approval_facts *facts)
{
  return decision->may_approve
         || (facts->by_caller && facts->principal != NULL && decision->principal != NULL
             && strcmp (facts->principal, decision->principal) == 0);
}

/* ---- one that can't be decided: why not ---- */

static void
on_looked (void *ctx, enum store_status status, const struct approval_facts *facts)
{
  struct deciding *d = ctx;

  if (status == STORE_NOT_FOUND)
    tell (d, DECISION_UNKNOWN, NULL);
  else if (status != STORE_OK)
    tell (d, DECISION_UNAVAILABLE, NULL);
  else if (!is_theirs (&d->decision, facts))
    tell (d, DECISION_NOT_THEIRS, NULL);
  else if (facts->state == APPROVAL_APPROVED || facts->state == APPROVAL_REJECTED)
    tell (d, DECISION_ALREADY, facts);
  else if (facts->state == APPROVAL_PENDING) /* only just: it is not in the book yet, or no more */
    tell (d, DECISION_UNAVAILABLE, NULL);
  else
    tell (d, DECISION_LATE, facts);
}

static void
look (struct deciding *d)
{
  d->entry = NULL;
  approvals_get (d->book, d->decision.tenant, d->decision.id, on_looked, d);
}

/* ---- one that can ---- */

static void
on_remembered (void *ctx, enum store_status status)
{
  struct deciding *d = ctx;

  if (status != STORE_OK)
    log_event (d->book->settings.log, LOG_ERROR, "standing_rule_not_kept", "approval", d->facts.id,
               "tenant", d->facts.tenant, NULL);
  tell (d, DECISION_TAKEN, &d->facts);
}

/* It is durable; whoever decided is told, of what it was then. */
static void
answer (struct deciding *d)
{
  const struct approval_decision *decision = &d->decision;
  const struct approval_run run = { d->facts.tenant, d->facts.principal, d->facts.session_id };

  if (!decision->by_rule)
    approvals_begin_run (d->book, &run);
  log_event (d->book->settings.log, LOG_NOTICE, "approval_decided", "decision",
             decision->approve ? "approve" : "reject", "approval", d->facts.id, "tool",
             d->facts.tool, "tenant", d->facts.tenant, "call", d->facts.call_id, "by",
             d->facts.decided_by, NULL);
  if (decision->approve && decision->remember != REMEMBER_NOT)
    stand_add (d->book, &d->facts, decision->remember, on_remembered, d);
  else
    tell (d, DECISION_TAKEN, &d->facts);
}

static void begin (struct approval *entry);

/* The entry is what was decided.  It may be gone when this returns. */
static void
follow (struct approval *entry)
{
  if (entry->unwanted) { /* its caller left meanwhile, and has been told so */
    entry->facts.state = APPROVAL_WITHDRAWN;
    entry->facts.ended_ms = book_now (entry->book);
    return entry_settle (entry);
  }
  if (entry->facts.state == APPROVAL_REJECTED) {
    entry_settle (entry);
    return entry_refuse (entry);
  }
  heap_remove (&entry->book->due, &entry->due);
  book_tell (entry->book, &entry->facts);
  deciding_drop (entry);
  book_begin (entry);
}

static void
on_decided (void *ctx, enum store_status status)
{
  struct approval *entry = ctx;
  struct deciding *d = entry->deciding;

  entry->deciding = d->next;
  d->entry = NULL;
  if (status != STORE_OK) {
    tell (d, DECISION_UNAVAILABLE, NULL);
    if (entry->unwanted && entry->deciding == NULL) {
      entry->unwanted = false;
      return approvals_withdraw (entry);
    }
    return begin (entry);
  }
  facts_copy (&entry->facts, &d->facts, &entry->arena);
  if (!d->decision.by_rule) {
    entry->book->figures.decisions++;
    entry->book->figures.decision_ms += (uint64_t) (d->facts.decided_ms - d->facts.created_ms);
  }
  answer (d);
  follow (entry);
}

static bool
is_decidable (const struct approval *entry, const struct approval_decision *decision)
{
  return entry->step == ENTRY_OPEN && entry->facts.state == APPROVAL_PENDING
         && entry->facts.expires_ms > book_now (entry->book) && !entry->unwanted
         && is_theirs (decision, &entry->facts);
}

/* Write the first of the decisions down. */
static void
begin (struct approval *entry)
{
  struct deciding *d = entry->deciding;
  const int64_t now = book_now (entry->book);

  if (d == NULL)
    return;
  if (!is_decidable (entry, &d->decision)) {
    entry->deciding = d->next;
    look (d);
    return begin (entry);
  }
  facts_copy (&d->facts, &entry->facts, &d->arena);
  d->facts.state = d->decision.approve ? APPROVAL_APPROVED : APPROVAL_REJECTED;
  d->facts.decided_ms = now;
  d->facts.decided_by = d->decision.principal;
  d->facts.text = d->decision.text;
  if (d->decision.approve)
    d->facts.expires_ms = now + entry->book->settings.ttl_ms;
  entry_write (entry, &d->facts, on_decided);
}

static struct deciding *
deciding_new (struct approvals *book, const struct approval_decision *decision)
{
  struct deciding *d = xcalloc (1, sizeof *d);
  struct approval_decision *copy = &d->decision;
  const char **texts[] = { &copy->id, &copy->tenant, &copy->principal, &copy->text };

  d->book = book;
  *copy = *decision;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (*texts[i] != NULL)
      *texts[i] = arena_strndup (&d->arena, *texts[i], strlen (*texts[i]));
  return d;
}

void
approvals_decide (struct approvals *book, const struct approval_decision *decision,
                  approval_decided_cb cb, void *ctx)
{
  struct deciding *d = deciding_new (book, decision), **last;
  struct approval *entry = book_find (book, decision->id);

  d->cb = cb;
  d->ctx = ctx;
  if (entry == NULL || entry->step != ENTRY_OPEN
      || (decision->tenant != NULL && strcmp (decision->tenant, entry->facts.tenant) != 0))
    return look (d);
  d->entry = entry;
  for (last = &entry->deciding; *last != NULL; last = &(*last)->next)
    ;
  *last = d;
  if (entry->deciding == d)
    begin (entry);
}

void
deciding_drop (struct approval *entry)
{
  struct deciding *d;

  while ((d = entry->deciding) != NULL) {
    entry->deciding = d->next;
    look (d);
  }
}

/* The book ends: nobody is told. */
void
deciding_free (struct approval *entry)
{
  struct deciding *d;

  while ((d = entry->deciding) != NULL) {
    entry->deciding = d->next;
    arena_free (&d->arena);
    free (d);
  }
}

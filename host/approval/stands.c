/* stands.c - rules that stand over restarts: what one covers is standing.h's affair. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/book.h"
#include "base/json_tape.h"

enum { STANDS_MAX = 10000 };

struct stand {
  struct stand *next;
  struct standing_rule rule; /* in `arena` */
  uint64_t number;           /* in the order they came to stand */
  struct arena arena;
};

static const char *
copy (struct arena *arena, const char *text)
{
  return arena_strndup (arena, text != NULL ? text : "", text != NULL ? strlen (text) : 0);
}

static void
stand_free (struct stand *stand)
{
  arena_free (&stand->arena);
  free (stand);
}

void
stands_free (struct approvals *book)
{
  for (struct stand *s = book->stands, *next; s != NULL; s = next) {
    next = s->next;
    stand_free (s);
  }
  book->stands = NULL;
}

static void
link_stand (struct approvals *book, struct stand *stand)
{
  struct stand **last;

  for (last = &book->stands; *last != NULL; last = &(*last)->next)
    ;
  *last = stand;
  book->stands_count++;
  stand->number = ++book->stands_made;
}

/* ---- as records ---- */

static void
put_bytes (struct json_writer *w, const char *name, struct store_bytes bytes)
{
  if (bytes.data != NULL)
    jsonw_name_raw (w, name, bytes.data, bytes.len);
}

/* What of a rule is a text, but for what its record is known by. */
static const struct {
  const char *name;
  size_t at;
} texts[] = {
#define TEXT(member)                                                                               \
  {                                                                                                \
#member, offsetof(struct standing_rule, member)                                                \
  }
  TEXT (principal), TEXT (tool), TEXT (digest), TEXT (made_by), TEXT (approval),
#undef TEXT
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char **
text_of (struct standing_rule *rule, size_t i)
{
  return (const char **) ((char *) rule + texts[i].at);
}

static void
write_rule (struct standing_rule *rule, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (size_t i = 0; i < TEXTS; i++)
    jsonw_name_string (&w, texts[i].name, *text_of (rule, i));
  put_bytes (&w, "arguments", rule->arguments);
  put_bytes (&w, "shown", rule->shown);
  jsonw_name_int (&w, "created_ms", rule->created_ms);
  jsonw_end (&w);
}

static struct store_bytes
read_bytes (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  struct store_bytes bytes = { 0 };

  if (!json_is (node, JSON_OBJECT))
    return bytes;
  bytes.data = json_raw (tape, node, &bytes.len);
  bytes.data = arena_strndup (arena, bytes.data, bytes.len);
  return bytes;
}

static bool
read_rule (struct stand *stand, const struct json_tape *tape, const struct json_node *root)
{
  struct standing_rule *rule = &stand->rule;

  for (size_t i = 0; i < TEXTS; i++) {
    const char *text = json_cstring (tape, json_member (tape, root, texts[i].name), &stand->arena);

    if (text == NULL)
      return false;
    *text_of (rule, i) = copy (&stand->arena, text);
  }
  rule->arguments = read_bytes (tape, json_member (tape, root, "arguments"), &stand->arena);
  rule->shown = read_bytes (tape, json_member (tape, root, "shown"), &stand->arena);
  return json_int64 (tape, json_member (tape, root, "created_ms"), &rule->created_ms)
         && (rule->arguments.data != NULL) == (json_member (tape, root, "arguments") != NULL);
}

static struct stand *
stand_read (const struct store_record *record)
{
  CLEANUP_ARENA struct arena nodes = { 0 };
  struct stand *stand = xcalloc (1, sizeof *stand);
  struct json_tape tape;

  stand->rule.id = copy (&stand->arena, record->name);
  stand->rule.tenant = copy (&stand->arena, record->tenant);
  if (json_read (&tape, record->body.data, record->body.len, &json_default_limits, &nodes)
      && read_rule (stand, &tape, json_root (&tape)))
    return stand;
  stand_free (stand);
  return NULL;
}

void
stands_take (struct approvals *book, const struct store_record *records, size_t count)
{
  for (size_t i = count; i > 0; i--) {
    struct stand *stand = stand_read (&records[i - 1]);

    if (stand != NULL)
      link_stand (book, stand);
    else
      log_event (book->settings.log, LOG_ERROR, "standing_rule_unreadable", "rule",
                 records[i - 1].name, "tenant", records[i - 1].tenant, NULL);
  }
}

/* ---- whether one does ---- */

static bool
is_of (const struct stand *stand, const char *tenant, const char *principal)
{
  return strcmp (stand->rule.tenant, tenant) == 0
         && strcmp (stand->rule.principal, principal != NULL ? principal : "") == 0;
}

static bool
covers (const struct stand *stand, const struct standing_call *call)
{
  const struct standing_words words = { .tool = stand->rule.tool,
                                        .digest = stand->rule.digest,
                                        .arguments = stand->rule.arguments };

  return standing_covers (&words, call);
}

const char *
approvals_standing (const struct approvals *book, const char *tenant, const char *principal,
                    const struct standing_call *call)
{
  for (const struct stand *s = book->stands; s != NULL; s = s->next)
    if (is_of (s, tenant, principal) && covers (s, call))
      return s->rule.id;
  return NULL;
}

uint64_t
approvals_rules_made (const struct approvals *book)
{
  return book->stands_made;
}

void
approvals_see_rules (const struct approvals *book, const char *tenant,
                     void (*see) (void *ctx, const struct standing_rule *rule), void *ctx)
{
  for (const struct stand *s = book->stands; s != NULL; s = s->next)
    if (tenant == NULL || strcmp (s->rule.tenant, tenant) == 0)
      see (ctx, &s->rule);
}

/* ---- a new one ---- */

struct adding {
  struct approvals *book;
  struct stand *stand;
  store_cb cb;
  void *ctx;
};

static void
on_approved (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  (void) ctx;
  (void) verdict; /* somebody was quicker, or it waits on */
  (void) facts;
}

static bool
is_for (const struct stand *stand, const struct approval *entry)
{
  const struct approval_facts *facts = &entry->facts;
  const struct standing_call call = { .tool = facts->tool,
                                      .digest = facts->digest,
                                      .arguments = facts->args };

  return entry->step == ENTRY_OPEN && facts->state == APPROVAL_PENDING
         && is_of (stand, facts->tenant, facts->principal) && covers (stand, &call);
}

static void
approve (const struct stand *stand, const struct approval *entry)
{
  char who[sizeof "rule:" + APPROVAL_ID_LEN];
  const struct approval_decision decision = { .id = entry->facts.id,
                                              .tenant = entry->facts.tenant,
                                              .principal = who,
                                              .may_approve = true,
                                              .by_rule = true,
                                              .approve = true };

  (void) snprintf (who, sizeof who, "rule:%s", stand->rule.id);
  approvals_decide (entry->book, &decision, on_approved, NULL);
}

/* What waits already and is such a call is approved as well. */
static void
approve_waiting (const struct approvals *book, const struct stand *stand)
{
  struct approval *entry, *next;

  HASH_ITER (by_id, book->by_id, entry, next)
  if (is_for (stand, entry))
    approve (stand, entry);
}

void
stands_meet (struct approval *entry)
{
  for (const struct stand *s = entry->book->stands; s != NULL; s = s->next)
    if (s->number > entry->facts.rules_seen && is_for (s, entry)) {
      approve (s, entry);
      return;
    }
}

static void
on_added (void *ctx, enum store_status status)
{
  CLEANUP_FREE struct adding *adding = ctx;
  struct stand *stand = adding->stand;

  if (status == STORE_OK) {
    log_event (adding->book->settings.log, LOG_NOTICE, "standing_rule_made", "rule", stand->rule.id,
               "tool", stand->rule.tool, "tenant", stand->rule.tenant, "principal",
               stand->rule.principal, "by", stand->rule.made_by, NULL);
    link_stand (adding->book, stand);
    approve_waiting (adding->book, stand);
  }
  else
    stand_free (stand);
  adding->cb (adding->ctx, status);
}

static struct stand *
stand_new (const struct approval_facts *facts, int64_t now_ms)
{
  struct stand *stand = xcalloc (1, sizeof *stand);
  struct standing_rule *rule = &stand->rule;
  char id[APPROVAL_ID_LEN + 1];

  make_name ("rul_", id);
  rule->id = copy (&stand->arena, id);
  rule->tenant = copy (&stand->arena, facts->tenant);
  rule->principal = copy (&stand->arena, facts->principal);
  rule->tool = copy (&stand->arena, facts->tool);
  rule->digest = copy (&stand->arena, facts->digest);
  rule->made_by = copy (&stand->arena, facts->decided_by);
  rule->approval = copy (&stand->arena, facts->id);
  rule->created_ms = now_ms;
  return stand;
}

/* False: they can't be. */
static bool
keep_arguments (struct stand *stand, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (!standing_arguments (facts->args, &text))
    return false;
  stand->rule.arguments =
    (struct store_bytes){ arena_strndup (&stand->arena, text.data, text.len), text.len };
  stand->rule.shown =
    (struct store_bytes){ arena_strndup (&stand->arena, facts->shown.data, facts->shown.len),
                          facts->shown.len };
  return true;
}

static bool
same_bytes (struct store_bytes a, struct store_bytes b)
{
  return (a.data != NULL) == (b.data != NULL) && a.len == b.len
         && (a.len == 0 || memcmp (a.data, b.data, a.len) == 0);
}

/* There is one for just the same calls. */
static bool
is_known (const struct approvals *book, const struct standing_rule *rule)
{
  for (const struct stand *s = book->stands; s != NULL; s = s->next)
    if (is_of (s, rule->tenant, rule->principal) && strcmp (s->rule.tool, rule->tool) == 0
        && strcmp (s->rule.digest, rule->digest) == 0
        && same_bytes (s->rule.arguments, rule->arguments))
      return true;
  return false;
}

void
stand_add (struct approvals *book, const struct approval_facts *facts,
           enum approval_remember remember, store_cb cb, void *ctx)
{
  struct stand *stand = stand_new (facts, book_now (book));
  CLEANUP_BUF struct buf body = { 0 };
  struct adding *adding;

  if (book->stands_count >= STANDS_MAX
      || (remember == REMEMBER_ARGUMENTS && !keep_arguments (stand, facts))) {
    stand_free (stand);
    return cb (ctx, STORE_TOO_LARGE);
  }
  if (is_known (book, &stand->rule)) {
    stand_free (stand);
    return cb (ctx, STORE_OK);
  }
  adding = xcalloc (1, sizeof *adding);
  *adding = (struct adding){ .book = book, .stand = stand, .cb = cb, .ctx = ctx };
  write_rule (&stand->rule, &body);
  store_record_set (book->settings.store,
                    &(struct store_record){ .kind = KIND_RULE,
                                            .tenant = facts->tenant,
                                            .name = stand->rule.id,
                                            .owner = facts->principal,
                                            .body = { body.data, body.len } },
                    on_added, adding);
}

/* ---- one that no longer does ---- */

struct dropping {
  struct approvals *book;
  char id[APPROVAL_ID_LEN + 1];
  store_cb cb;
  void *ctx;
};

static struct stand **
find_stand (struct approvals *book, const char *tenant, const char *id)
{
  struct stand **at;

  for (at = &book->stands; *at != NULL; at = &(*at)->next)
    if (strcmp ((*at)->rule.id, id) == 0
        && (tenant == NULL || strcmp ((*at)->rule.tenant, tenant) == 0))
      break;
  return at;
}

static void
on_dropped (void *ctx, enum store_status status)
{
  CLEANUP_FREE struct dropping *dropping = ctx;
  struct stand **at = find_stand (dropping->book, NULL, dropping->id), *stand = *at;

  if (status == STORE_OK && stand != NULL) {
    log_event (dropping->book->settings.log, LOG_NOTICE, "standing_rule_removed", "rule",
               stand->rule.id, "tool", stand->rule.tool, "tenant", stand->rule.tenant, NULL);
    *at = stand->next;
    dropping->book->stands_count--;
    stand_free (stand);
  }
  dropping->cb (dropping->ctx, status);
}

void
approvals_drop_rule (struct approvals *book, const char *tenant, const char *id, store_cb cb,
                     void *ctx)
{
  struct stand *stand = *find_stand (book, tenant, id);
  struct dropping *dropping;

  if (stand == NULL)
    return cb (ctx, STORE_NOT_FOUND);
  dropping = xcalloc (1, sizeof *dropping);
  *dropping = (struct dropping){ .book = book, .cb = cb, .ctx = ctx };
  memcpy (dropping->id, stand->rule.id, strlen (stand->rule.id) + 1);
  store_record_set (book->settings.store,
                    &(struct store_record){
                      .kind = KIND_RULE, .tenant = stand->rule.tenant, .name = stand->rule.id },
                    on_dropped, dropping);
}

#include "call/claim.h"

#include <stdlib.h>
#include <string.h>

#include "approval/approvals.h"
#include "base/hash.h"
#include "call/running.h"
#include "call/stored.h"
#include "catalog/hash.h"

static const double AGAIN_MAX = 5;

enum claim_state {
  CLAIM_ASKED, /* the store has not said yet */
  CLAIM_HELD,  /* it is ours */
  CLAIM_ENDING /* its end, or its release, is on its way to the store */
};

struct claim {
  struct claims *claims;
  struct claim *next, **prev;
  enum claim_state state;
  struct call *call; /* NULL: nobody waits */
  bool cancelled;    /* while it was asked for, by its caller */
  bool known;        /* it is in the table */
  bool noted;        /* a note stands in the place of its result */
  struct store_key key;
  char *tenant;
  char *tool;
  struct buf about;              /* whose it is, JSON */
  struct buf stored;             /* its result, until that is durable */
  struct buf letter;             /* what the outside hears of it, … */
  char *hooks[LETTER_HOOKS_MAX]; /* … by these hooks */
  size_t hooks_count;
  struct result result; /* what its caller is told then … */
  struct buf room;      /* … and the memory of it */
  ev_timer again;
  double waited;
  UT_hash_handle hh;
};

struct claims {
  struct claims_settings settings;
  struct claim *all, *by_key;
  size_t count;
};

/* ---- the table ---- */

struct claims *
claims_new (const struct claims_settings *settings)
{
  struct claims *claims = xcalloc (1, sizeof *claims);

  claims->settings = *settings;
  return claims;
}

static void
forget_hooks (struct claim *claim)
{
  while (claim->hooks_count != 0)
    free (claim->hooks[--claim->hooks_count]);
}

static void
forget (struct claim *claim)
{
  struct claims *claims = claim->claims;

  ev_timer_stop (claims->settings.loop, &claim->again);
  if (claim->known)
    HASH_DEL (claims->by_key, claim);
  *claim->prev = claim->next;
  if (claim->next != NULL)
    claim->next->prev = claim->prev;
  claims->count--;
  buf_free (&claim->stored);
  buf_free (&claim->about);
  buf_free (&claim->letter);
  forget_hooks (claim);
  free (claim->tool);
  buf_free (&claim->room);
  free (claim->tenant);
  free (claim);
}

void
claims_free (struct claims *claims)
{
  if (claims == NULL)
    return;
  while (claims->all != NULL)
    forget (claims->all);
  free (claims);
}

size_t
claims_count (const struct claims *claims)
{
  return claims->count;
}

struct store *
claims_store (const struct claims *claims)
{
  return claims->settings.store;
}

struct call *
claims_find (const struct claims *claims, const struct call_name *name)
{
  const struct store_key key = claim_key (name);
  struct claim *claim = NULL;

  HASH_FIND (hh, claims->by_key, key.id, sizeof key.id, claim);
  return claim != NULL ? claim->call : NULL;
}

/* ---- keys ---- */

static void
add_text (struct hash *hash, const char *text, size_t len)
{
  const uint64_t n = len;
  unsigned char before[8];

  for (size_t i = 0; i < sizeof before; i++)
    before[i] = (unsigned char) (n >> (8 * i));
  hash_add (hash, before, sizeof before);
  hash_add (hash, text, len);
}

static void
add_cstr (struct hash *hash, const char *text)
{
  add_text (hash, text != NULL ? text : "", text != NULL ? strlen (text) : 0);
}

static const char *
tenant_or_default (const char *tenant)
{
  return tenant != NULL ? tenant : TENANT_DEFAULT;
}

struct store_key
claim_key (const struct call_name *name)
{
  struct store_key key = { .tenant = tenant_or_default (name->tenant) };
  struct hash *hash = hash_new ();

  add_cstr (hash, key.tenant);
  add_cstr (hash, name->principal);
  add_cstr (hash, name->session);
  add_cstr (hash, name->id);
  hash_end_bytes (hash, key.id);
  return key;
}

/* A call is its name and its arguments as they were given, byte for byte. */
void
claim_what (const struct call_request *request, unsigned char what[STORE_HASH])
{
  struct hash *hash = hash_new ();
  size_t len = request->args_len;
  const char *args = request->args;

  if (request->args_node != NULL)
    args = json_raw (request->tape, request->args_node, &len);
  add_text (hash, request->name, request->name_len);
  add_text (hash, args != NULL ? args : "", args != NULL ? len : 0);
  hash_end_bytes (hash, what);
}

/* ---- what its caller is told when it is not won ---- */

static void
set_message (struct result *result, const char *message)
{
  result->message = message;
  result->message_len = strlen (message);
}

static bool
replay (const struct store_call *known, struct arena *arena, struct result *result)
{
  if (stored_read (result, known->result.data, known->result.len, arena)) {
    result->replayed = true;
    return true;
  }
  *result = (struct result){ .error = CALL_internal_error };
  return false;
}

bool
claim_known (enum store_claimed state, const struct store_call *known, struct arena *arena,
             struct result *result)
{
  switch (state) {
  case STORE_ENDED:
    return replay (known, arena, result);
  case STORE_RUNNING:
    result->error = CALL_call_in_progress;
    result->retry_after_ms = 1000;
    break;
  case STORE_CANCELLED:
    result->error = CALL_tool_cancelled;
    break;
  case STORE_UNKNOWN:
    result->error = CALL_outcome_unknown;
    set_message (result, "The call ran when the host stopped: it is not known how far it came, "
                         "and it is not run again.");
    break;
  case STORE_OTHER:
    result->error = CALL_call_id_reused;
    break;
  default:
    result->error = CALL_tool_unavailable;
    result->retry_after_ms = 1000;
    set_message (result,
                 "The call could not be recorded, so it was not run; try again in a moment.");
  }
  return true;
}

static void
refuse (struct claim *claim, enum store_claimed verdict, const struct store_call *known)
{
  const struct claims_events *events = claim->claims->settings.events;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct call *call = claim->call;
  struct result result = { 0 };

  if (!claim_known (verdict, known, &arena, &result))
    log_event (claim->claims->settings.log, LOG_ERROR, "stored_result_unreadable", "tool",
               known->tool, "tenant", claim->tenant, NULL);
  forget (claim);
  events->lost (call, &result);
}

/* ---- its end ---- */

static void ask_again (struct claim *claim);

static void
tell (struct claim *claim, const struct result *result)
{
  struct call *call = claim->call;

  claim->call = NULL;
  if (call != NULL)
    claim->claims->settings.events->kept (call, result);
}

/* Whether it was done or not: the next claim wins. */
static void
on_released (void *ctx, enum store_status status)
{
  (void) status;
  forget (ctx);
}

static void
ask_release (struct claim *claim)
{
  claim->state = CLAIM_ENDING;
  store_release (claim->claims->settings.store, &claim->key, on_released, claim);
}

static void on_finished (void *ctx, enum store_status status);

/* What is told to the outside, of a result that has been written down: the same however often the
 * store is asked. */
static void
write_letters (struct claim *claim, enum call_error error)
{
  const struct claims_hooks *hooks = claim->claims->settings.hooks;
  const enum call_event event = call_event_of (error);
  const char *names[LETTER_HOOKS_MAX];
  size_t count;

  forget_hooks (claim);
  count =
    hooks != NULL ? hooks->wanting (hooks->ctx, claim->tenant, event, names, LETTER_HOOKS_MAX) : 0;
  if (count == 0)
    return;
  for (; claim->hooks_count < count; claim->hooks_count++)
    claim->hooks[claim->hooks_count] = xstrdup (names[claim->hooks_count]);
  buf_reset (&claim->letter, 0);
  letter_write (&claim->letter, &(struct letter){ .event = event,
                                                  .tenant = claim->tenant,
                                                  .tool = claim->tool,
                                                  .about = &claim->about,
                                                  .stored = &claim->stored,
                                                  .now_ms = hooks->now_ms (hooks->ctx) });
}

static void
ask_finish (struct claim *claim)
{
  struct store_letter letters[LETTER_HOOKS_MAX];
  const struct store_finish finish = { .key = claim->key,
                                       .result = { claim->stored.data, claim->stored.len },
                                       .letters = letters,
                                       .letters_count = claim->hooks_count };

  for (size_t i = 0; i < claim->hooks_count; i++)
    letters[i] = (struct store_letter){ .tenant = claim->tenant,
                                        .hook = claim->hooks[i],
                                        .payload = { claim->letter.data, claim->letter.len } };
  claim->state = CLAIM_ENDING;
  store_finish (claim->claims->settings.store, &finish, on_finished, claim);
}

/* What is too large for the store goes to who waits, and to nobody else. */
static void
keep_note (struct claim *claim)
{
  const size_t len = claim->stored.len;

  log_event (claim->claims->settings.log, LOG_WARNING, "result_too_large_to_keep", "tenant",
             claim->tenant, "bytes", LOG_INT (len), NULL);
  claim->noted = true;
  buf_reset (&claim->stored, 0);
  stored_write_too_large (&claim->stored, len);
  write_letters (claim, claim->result.error);
  ask_finish (claim);
}

static void
on_finished (void *ctx, enum store_status status)
{
  struct claim *claim = ctx;

  if (status == STORE_UNAVAILABLE)
    return ask_again (claim);
  if (status == STORE_TOO_LARGE && !claim->noted)
    return keep_note (claim);
  if (status != STORE_OK)
    log_event (claim->claims->settings.log, LOG_ERROR, "result_not_kept", "tenant", claim->tenant,
               "status", LOG_INT (status), NULL);
  else if (claim->hooks_count != 0)
    claim->claims->settings.hooks->posted (claim->claims->settings.hooks->ctx);
  tell (claim, &claim->result);
  forget (claim);
}

/* ---- a store that is not available is asked again, until it is ---- */

/* Whoever waits is not kept waiting for ever; what it would be told may be lost, so it is not told
 * that. */
static void
lose_patience (struct claim *claim)
{
  struct result unknown = { .error = CALL_outcome_unknown };

  if (claim->call == NULL || claim->waited < claim->claims->settings.patience)
    return;
  log_event (claim->claims->settings.log, LOG_ERROR, "result_not_kept_yet", "call", claim->call->id,
             "tenant", claim->tenant, NULL);
  set_message (&unknown, "The tool has run, but its result could not be recorded yet; ask for the "
                         "call again.");
  unknown.usage = claim->result.usage;
  tell (claim, &unknown);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct claim *claim = timer->data;

  (void) loop;
  (void) revents;
  lose_patience (claim);
  ask_finish (claim);
}

static void
ask_again (struct claim *claim)
{
  const double first = claim->claims->settings.again;
  double wait = claim->waited < first ? first : claim->waited;

  wait = wait < AGAIN_MAX ? wait : AGAIN_MAX;
  claim->waited += wait;
  ev_timer_init (&claim->again, on_again, wait, 0);
  claim->again.data = claim;
  ev_timer_start (claim->claims->settings.loop, &claim->again);
}

void
claim_drop (struct claim *claim)
{
  if (claim == NULL)
    return;
  claim->call = NULL;
  if (claim->state == CLAIM_HELD) /* else it is when the store has said whose it is */
    ask_release (claim);
}

void
claim_cancel (struct claim *claim, const struct result *result)
{
  if (claim == NULL)
    return;
  claim->call = NULL;
  claim->cancelled = true;
  claim->result.error = result->error;
  stored_write (&claim->stored, result);
  write_letters (claim, result->error);
  if (claim->state == CLAIM_HELD)
    ask_finish (claim);
}

void
claim_finish (struct claim *claim, const struct result *result)
{
  stored_write (&claim->stored, result);
  write_letters (claim, result->error);
  stored_copy (&claim->result, result, &claim->room);
  ask_finish (claim);
}

void
claim_leave (struct claim *claim)
{
  claim->call = NULL;
}

/* ---- its begin ---- */

static void
on_claimed (void *ctx, enum store_claimed verdict, const struct store_call *known)
{
  struct claim *claim = ctx;

  if (verdict != STORE_WON) {
    if (claim->call != NULL)
      refuse (claim, verdict, known);
    else
      forget (claim);
    return;
  }
  claim->state = CLAIM_HELD;
  HASH_ADD (hh, claim->claims->by_key, key.id, sizeof claim->key.id, claim);
  claim->known = true;
  if (claim->call != NULL)
    claim->claims->settings.events->won (claim->call);
  else if (claim->cancelled)
    ask_finish (claim);
  else
    ask_release (claim);
}

static struct claim *
claim_new (struct claims *claims, struct call *call, const struct store_key *key)
{
  struct claim *claim = xcalloc (1, sizeof *claim);

  claim->claims = claims;
  claim->call = call;
  claim->key = *key;
  claim->tenant = xstrdup (claim->key.tenant);
  claim->key.tenant = claim->tenant;
  claim->next = claims->all;
  claim->prev = &claims->all;
  if (claim->next != NULL)
    claim->next->prev = &claim->next;
  claims->all = claim;
  claims->count++;
  return claim;
}

/* For whoever looks into the store. */
static void
put_about (struct buf *out, const struct call_request *request, const char *approval)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", request->call_id);
  if (request->session_id != NULL)
    jsonw_name_string (&w, "session_id", request->session_id);
  if (request->principal != NULL)
    jsonw_name_string (&w, "principal", request->principal);
  if (approval[0] != '\0')
    jsonw_name_string (&w, "approval", approval);
  jsonw_name_string (&w, "front", request->front);
  jsonw_end (&w);
}

/* As what the store knows the call: by its caller's name for it, or by its approval. */
static struct store_key
name_it (const struct call *call, const struct call_request *request,
         unsigned char what[STORE_HASH])
{
  struct call_name name = { .tenant = request->tenant,
                            .principal = request->principal,
                            .session = request->claimed_in,
                            .id = request->call_id };
  struct store_key key;

  if (request->approved != NULL) {
    key.tenant = tenant_or_default (request->tenant);
    memcpy (key.id, request->approved->key, STORE_HASH);
    memcpy (what, request->approved->what, STORE_HASH);
    return key;
  }
  if (request->claimed_in == NULL) { /* a later round of one that nobody named */
    name.session = NULL;
    name.id = call->approval;
    key = claim_key (&name);
    memcpy (what, key.id, STORE_HASH);
    return key;
  }
  claim_what (request, what);
  return claim_key (&name);
}

struct claim *
claim_begin (struct claims *claims, struct call *call, const struct call_request *request)
{
  struct store_claim wanted = { .tool = call->tool->name };
  const struct store_key key = name_it (call, request, wanted.what);
  struct claim *claim = claim_new (claims, call, &key);

  wanted.key = claim->key;
  claim->tool = xstrdup (call->tool->name);
  put_about (&claim->about, request, call->approval);
  wanted.about = (struct store_bytes){ claim->about.data, claim->about.len };
  store_claim (claims->settings.store, &wanted, on_claimed, claim);
  return claim;
}

void
claim_move (struct claim *claim, struct call *call)
{
  claim->call = call;
}

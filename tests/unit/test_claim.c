/* Calls that their callers have named, against a store and a pool that the test plays: what becomes
 * of each verdict, when a caller is told, and what is kept. */
#include <ev.h>
#include <stdlib.h>

#include "call/calls.h"
#include "call/claim.h"
#include "call/held.h"
#include "call/stored.h"
#include "played_unit.h"
#include "tap.h"

/* ---- the store, played: what was asked waits until the test answers ---- */

enum asked { ASKED_CLAIM, ASKED_FINISH, ASKED_RELEASE, ASKED_CANCEL, ASKED_LOOKUP };

struct act {
  size_t letters;
  char hook[64], letter[4096]; /* the last of them */
  enum asked asked;
  struct store_key key;
  unsigned char what[STORE_HASH];
  char text[4096]; /* a result, or what a claim is about */
  store_claim_cb claimed;
  store_cb done;
  store_call_cb looked;
  void *ctx;
};

struct store {
  struct act acts[16];
  size_t count;
};

static struct act *
put (struct store *store, enum asked asked, const struct store_key *key, struct store_bytes text,
     void *ctx)
{
  struct act *act = &store->acts[store->count++];

  *act = (struct act){ .asked = asked, .key = *key, .ctx = ctx };
  (void) snprintf (act->text, sizeof act->text, "%.*s", (int) text.len,
                   text.data != NULL ? (const char *) text.data : "");
  return act;
}

void
store_claim (struct store *store, const struct store_claim *claim, store_claim_cb cb, void *ctx)
{
  struct act *act = put (store, ASKED_CLAIM, &claim->key, claim->about, ctx);

  memcpy (act->what, claim->what, sizeof act->what);
  act->claimed = cb;
}

void
store_finish (struct store *store, const struct store_finish *finish, store_cb cb, void *ctx)
{
  struct act *act = put (store, ASKED_FINISH, &finish->key, finish->result, ctx);

  act->done = cb;
  act->letters = finish->letters_count;
  for (size_t i = 0; i < finish->letters_count; i++) {
    const struct store_letter *letter = &finish->letters[i];
    CU_ASSERT_STRING_EQUAL (letter->tenant, "acme");
    (void) snprintf (act->hook, sizeof act->hook, "%s", letter->hook);
    (void) snprintf (act->letter, sizeof act->letter, "%.*s", (int) letter->payload.len,
                     (const char *) letter->payload.data);
  }
}

void
store_release (struct store *store, const struct store_key *key, store_cb cb, void *ctx)
{
  put (store, ASKED_RELEASE, key, (struct store_bytes){ NULL, 0 }, ctx)->done = cb;
}

void
store_cancel (struct store *store, const struct store_key *key, store_cb cb, void *ctx)
{
  put (store, ASKED_CANCEL, key, (struct store_bytes){ NULL, 0 }, ctx)->done = cb;
}

void
store_lookup (struct store *store, const struct store_key *key, store_call_cb cb, void *ctx)
{
  put (store, ASKED_LOOKUP, key, (struct store_bytes){ NULL, 0 }, ctx)->looked = cb;
}

/* Nothing here needs a person. */
void
store_record_set (struct store *store, const struct store_record *record, store_cb cb, void *ctx)
{
  (void) store, (void) record, (void) cb, (void) ctx;
  CU_FAIL ("a record");
}

void
store_records (struct store *store, const struct store_record_query *query, store_records_cb cb,
               void *ctx)
{
  (void) store, (void) query, (void) cb, (void) ctx;
  CU_FAIL ("records");
}

/* Take the first that waits, which must be this. */
static struct act
take (struct store *store, enum asked asked)
{
  struct act act = store->acts[0];

  CU_ASSERT_TRUE_FATAL (store->count > 0 && act.asked == asked);
  memmove (store->acts, store->acts + 1, --store->count * sizeof *store->acts);
  return act;
}

static struct act
say_claim (struct store *store, enum store_claimed verdict, const char *result)
{
  struct act act = take (store, ASKED_CLAIM);
  const struct store_call known = { .state = verdict,
                                    .tool = "t",
                                    .result = { result, result != NULL ? strlen (result) : 0 } };

  act.claimed (act.ctx, verdict, verdict == STORE_WON ? NULL : &known);
  return act;
}

static struct act
say (struct store *store, enum asked asked, enum store_status status)
{
  struct act act = take (store, asked);

  act.done (act.ctx, status);
  return act;
}

/* ---- the caller ---- */

struct heard {
  int done;
  enum call_error error;
  bool replayed;
  char message[256], content[256], structured[256];
  int64_t retry_after_ms;
  struct held *held; /* taken over when it asks, if `holds` */
  bool holds;
};

static void
keep (char *room, size_t size, const char *text, size_t len)
{
  (void) snprintf (room, size, "%.*s", (int) len, text != NULL ? text : "");
}

static void
on_done (void *ctx, const struct result *r)
{
  struct heard *h = ctx;

  h->done++;
  h->error = r->error;
  h->replayed = r->replayed;
  keep (h->message, sizeof h->message, r->message, r->message_len);
  keep (h->content, sizeof h->content, r->content, r->content_len);
  keep (h->structured, sizeof h->structured, r->structured, r->structured_len);
  h->retry_after_ms = r->retry_after_ms;
  CU_ASSERT_PTR_NOT_NULL (r->tool);
  if (r->error == CALL_input_required && h->holds)
    h->held = held_take (r);
}

static const struct call_events events = { .done = on_done };

/* ---- hooks ---- */

struct hooking {
  enum call_event event; /* the last that was asked for */
  size_t count, posted;
};

static size_t
wanting (void *ctx, const char *tenant, enum call_event event, const char **names, size_t max)
{
  struct hooking *hooking = ctx;

  CU_ASSERT_STRING_EQUAL (tenant, "acme");
  CU_ASSERT_TRUE (hooking->count <= max);
  hooking->event = event;
  for (size_t i = 0; i < hooking->count; i++)
    names[i] = i == 0 ? "books" : "watch";
  return hooking->count;
}

static void
on_posted (void *ctx)
{
  ((struct hooking *) ctx)->posted++;
}

static int64_t
at_noon (void *ctx)
{
  (void) ctx;
  return 1795348800123;
}

/* ---- what each test has ---- */

struct bed {
  struct ev_loop *loop;
  struct unit unit;
  struct store store;
  struct toolset *set;
  struct calls *calls;
  struct hooking hooking;
  struct claims_hooks hooks;
};

static void
set_up (struct bed *bed)
{
  *bed = (struct bed){ .loop = ev_loop_new (EVFLAG_AUTO) };
  bed->set = unit_toolset (&bed->unit);
  bed->calls = calls_new (
    bed->loop, NULL, NULL,
    &(struct calls_settings){ .deadline_ms = 60000, .running_max = 100, .json_depth = 64 });
  bed->hooks = (struct claims_hooks){
    .wanting = wanting, .posted = on_posted, .now_ms = at_noon, .ctx = &bed->hooking
  };
  calls_keep (bed->calls,
              &(struct calls_store){
                .store = &bed->store, .again = 0.001, .patience = 0.004, .hooks = &bed->hooks });
}

static void
tear_down (struct bed *bed)
{
  CU_ASSERT_EQUAL (calls_running (bed->calls), 0);
  CU_ASSERT_EQUAL (bed->store.count, 0);
  CU_ASSERT_TRUE (calls_are_settled (bed->calls));
  calls_free (bed->calls);
  toolset_unref (bed->set);
  ev_loop_destroy (bed->loop);
}

static struct call *
start_with (struct bed *bed, const char *id, const char *args, int64_t deadline_ms,
            struct heard *heard)
{
  return call_start (bed->calls,
                     &(struct call_request){ .toolset = bed->set,
                                             .name = "t",
                                             .name_len = 1,
                                             .args = args,
                                             .args_len = strlen (args),
                                             .front = "test",
                                             .tenant = "acme",
                                             .principal = "key:a",
                                             .call_id = id,
                                             .session_id = "s",
                                             .claimed_in = id != NULL ? "s" : NULL,
                                             .deadline_ms = deadline_ms,
                                             .askable = FRAME_ASK_ALL },
                     &events, heard);
}

static struct call *
start (struct bed *bed, struct heard *heard)
{
  return start_with (bed, "c1", "{\"a\":1}", 0, heard);
}

/* ---- the way of a call ---- */

static void
test_told_when_kept (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct act act;

  set_up (&bed);
  CU_ASSERT_PTR_NOT_NULL (start (&bed, &heard));
  CU_ASSERT_EQUAL (bed.unit.submitted, 0); /* not before the claim is durable */
  act = say_claim (&bed.store, STORE_WON, NULL);
  CU_ASSERT_STRING_EQUAL (act.key.tenant, "acme");
  CU_ASSERT_PTR_NOT_NULL (strstr (act.text, "\"call_id\":\"c1\""));
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  unit_gives (&bed.unit, "[{\"type\":\"text\",\"text\":\"hi\"}]", "{\"x\": 1}");
  CU_ASSERT_EQUAL (heard.done, 0); /* not before its result is */
  CU_ASSERT_FALSE (calls_are_settled (bed.calls));
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (heard.done, 1);
  CU_ASSERT_EQUAL (heard.error, CALL_OK);
  CU_ASSERT_FALSE (heard.replayed);
  CU_ASSERT_STRING_EQUAL (heard.content, "[{\"type\":\"text\",\"text\":\"hi\"}]");
  CU_ASSERT_STRING_EQUAL (heard.structured, "{\"x\": 1}");
  tear_down (&bed);
}

static void
test_without_a_name (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  CU_ASSERT_PTR_NOT_NULL (start_with (&bed, NULL, "{}", 0, &heard));
  CU_ASSERT_EQUAL (bed.store.count, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  unit_works (&bed.unit);
  CU_ASSERT_EQUAL (heard.done, 1);
  tear_down (&bed);
}

/* What was kept is what the first was told, whatever it was. */
static void
test_replayed (void)
{
  struct bed bed;
  struct heard first = { 0 }, again = { 0 };
  struct act act;

  set_up (&bed);
  start (&bed, &first);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_gives (&bed.unit, "[{\"type\":\"text\",\"text\":\"hi\"}]", "[1,2]");
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  start (&bed, &again);
  say_claim (&bed.store, STORE_ENDED, act.text);
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  CU_ASSERT_EQUAL (again.done, 1);
  CU_ASSERT_EQUAL (again.error, CALL_OK);
  CU_ASSERT_TRUE (again.replayed);
  CU_ASSERT_STRING_EQUAL (again.content, first.content);
  CU_ASSERT_STRING_EQUAL (again.structured, first.structured);
  tear_down (&bed);
}

static void
test_failures_are_results (void)
{
  struct bed bed;
  struct heard first = { 0 }, again = { 0 };
  struct act act;

  set_up (&bed);
  start (&bed, &first);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_crashes (&bed.unit);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (first.error, CALL_tool_crashed);
  start (&bed, &again);
  say_claim (&bed.store, STORE_ENDED, act.text);
  CU_ASSERT_EQUAL (again.error, CALL_tool_crashed);
  CU_ASSERT_TRUE (again.replayed);
  CU_ASSERT_STRING_EQUAL (again.message, first.message);
  tear_down (&bed);
}

static void
check_refused (struct bed *bed, enum store_claimed verdict, const char *stored,
               enum call_error error, int64_t retry_after_ms)
{
  struct heard heard = { 0 };

  start (bed, &heard);
  say_claim (&bed->store, verdict, stored);
  CU_ASSERT_EQUAL (heard.done, 1);
  CU_ASSERT_EQUAL (heard.error, error);
  CU_ASSERT_EQUAL (heard.retry_after_ms, retry_after_ms);
  CU_ASSERT_FALSE (heard.replayed);
  CU_ASSERT_TRUE (heard.message[0] != '\0');
}

static void
test_not_won (void)
{
  struct bed bed;

  set_up (&bed);
  check_refused (&bed, STORE_RUNNING, NULL, CALL_call_in_progress, 1000);
  check_refused (&bed, STORE_CANCELLED, NULL, CALL_tool_cancelled, 0);
  check_refused (&bed, STORE_UNKNOWN, NULL, CALL_outcome_unknown, 0);
  check_refused (&bed, STORE_OTHER, NULL, CALL_call_id_reused, 0);
  check_refused (&bed, STORE_NOT_CLAIMED, NULL, CALL_tool_unavailable, 1000);
  check_refused (&bed, STORE_ENDED, "{\"content\":[]", CALL_internal_error, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

/* ---- it ends while it is claimed ---- */

static void
test_cancelled_while_claimed (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct act act;

  set_up (&bed);
  call_cancel (start (&bed, &heard));
  CU_ASSERT_EQUAL (heard.done, 1); /* at once */
  CU_ASSERT_EQUAL (heard.error, CALL_tool_cancelled);
  say_claim (&bed.store, STORE_WON, NULL);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_PTR_NOT_NULL (strstr (act.text, "\"error\":\"tool_cancelled\""));
  tear_down (&bed);
}

static void
test_left_while_claimed (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  call_abandon (start (&bed, &heard));
  say_claim (&bed.store, STORE_WON, NULL);
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK); /* it may come again */
  call_abandon (start (&bed, &heard));
  say_claim (&bed.store, STORE_RUNNING, NULL);
  CU_ASSERT_EQUAL (heard.done, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

static void
test_deadline_while_claimed (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start_with (&bed, "c1", "{}", 1, &heard);
  while (heard.done == 0)
    ev_run (bed.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_timeout);
  say_claim (&bed.store, STORE_WON, NULL);
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

/* ---- it was claimed, and not begun ---- */

static void
test_released_when_not_begun (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  bed.unit.answer = (struct unit_answer){ .refusal = UNIT_QUEUE_FULL, .retry_after_ms = 5 };
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_overloaded);
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK);
  bed.unit.answer = (struct unit_answer){ .refusal = UNIT_TAKEN };
  bed.unit.full = true;
  call_abandon (start (&bed, &heard)); /* nothing was asked of its worker */
  say_claim (&bed.store, STORE_WON, NULL);
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK);
  tear_down (&bed);
}

static void
test_cancelled_in_the_queue (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct call *call;

  set_up (&bed);
  bed.unit.full = true;
  call = start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  call_cancel (call); /* by its caller: it shall not run */
  CU_ASSERT_EQUAL (heard.error, CALL_tool_cancelled);
  (void) say (&bed.store, ASKED_FINISH, STORE_OK);
  tear_down (&bed);
}

static void
test_left_while_running (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct call *call;
  struct act act;

  set_up (&bed);
  call = start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  call_abandon (call);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_PTR_NOT_NULL (strstr (act.text, "tool_cancelled"));
  CU_ASSERT_EQUAL (heard.done, 0);
  tear_down (&bed);
}

/* ---- it has ended, and that is not durable yet ---- */

static void
test_cancelled_while_kept (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct call *call;
  struct act act;

  set_up (&bed);
  call = start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_gives (&bed.unit, "[]", "7");
  call_cancel (call);
  CU_ASSERT_EQUAL (heard.done, 1);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_cancelled);
  act = say (&bed.store, ASKED_FINISH, STORE_OK); /* what it was is kept */
  CU_ASSERT_PTR_NOT_NULL (strstr (act.text, "\"structured\":7"));
  CU_ASSERT_EQUAL (heard.done, 1);
  tear_down (&bed);
}

static void
wait_asked (struct bed *bed)
{
  while (bed->store.count == 0)
    ev_run (bed->loop, EVRUN_ONCE);
}

static void
test_asked_again (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_works (&bed.unit);
  (void) say (&bed.store, ASKED_FINISH, STORE_UNAVAILABLE);
  CU_ASSERT_EQUAL (heard.done, 0);
  wait_asked (&bed);
  (void) say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (heard.done, 1);
  CU_ASSERT_EQUAL (heard.error, CALL_OK);
  tear_down (&bed);
}

static void
test_patience (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_works (&bed.unit);
  while (heard.done == 0) {
    (void) say (&bed.store, ASKED_FINISH, STORE_UNAVAILABLE);
    wait_asked (&bed);
  }
  CU_ASSERT_EQUAL (heard.error, CALL_outcome_unknown); /* what may be lost is not told */
  (void) say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (heard.done, 1);
  tear_down (&bed);
}

static void
test_too_large_to_keep (void)
{
  struct bed bed;
  struct heard heard = { 0 }, again = { 0 };
  struct act act;

  set_up (&bed);
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_gives (&bed.unit, "[]", "\"large\"");
  (void) say (&bed.store, ASKED_FINISH, STORE_TOO_LARGE);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_STRING_EQUAL (heard.structured, "\"large\""); /* who waited has it */
  start (&bed, &again);
  say_claim (&bed.store, STORE_ENDED, act.text);
  CU_ASSERT_EQUAL (again.error, CALL_result_too_large_to_keep);
  CU_ASSERT_TRUE (again.replayed);
  tear_down (&bed);
}

/* ---- hooks hear of it ---- */

static bool
holds (const struct act *act, const char *text)
{
  if (strstr (act->letter, text) != NULL)
    return true;
  printf ("# expected: %s\n# in: %s\n", text, act->letter);
  return false;
}

/* U2-10: the envelope. */
static void
test_letters (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct act act, again;

  set_up (&bed);
  bed.hooking.count = 2;
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_gives (&bed.unit, "[]", "{\"x\":1}");
  CU_ASSERT_EQUAL (bed.hooking.event, CALL_EVENT_COMPLETED);
  act = say (&bed.store, ASKED_FINISH, STORE_UNAVAILABLE);
  CU_ASSERT_EQUAL (bed.hooking.posted, 0);
  CU_ASSERT_EQUAL (act.letters, 2);
  CU_ASSERT_STRING_EQUAL (act.hook, "watch");
  CU_ASSERT_TRUE (holds (&act, "{\"id\":\"evt_"));
  CU_ASSERT_TRUE (holds (&act, "\"object\":\"event\",\"api_version\":\"2026-11-22\","
                               "\"created\":1795348800,\"type\":\"call.completed\","
                               "\"tenant_id\":\"acme\",\"livemode\":true,"
                               "\"data\":{\"call\":{\"call_id\":\"c1\",\"session_id\":\"s\","
                               "\"principal\":\"key:a\",\"front\":\"test\"},\"tool\":\"t\","
                               "\"result\":{\"message\":\"\",\"content\":[],"
                               "\"structured\":{\"x\":1}"));
  wait_asked (&bed);
  again = say (&bed.store, ASKED_FINISH, STORE_OK); /* the very same */
  CU_ASSERT_STRING_EQUAL (act.letter, again.letter);
  CU_ASSERT_EQUAL (bed.hooking.posted, 1);
  tear_down (&bed);
}

static void
test_which_event (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct act act;

  set_up (&bed);
  bed.hooking.count = 1;
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_crashes (&bed.unit);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_TRUE (holds (&act, "\"type\":\"call.failed\""));
  call_cancel (start (&bed, &heard));
  say_claim (&bed.store, STORE_WON, NULL);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_TRUE (holds (&act, "\"type\":\"call.cancelled\""));
  CU_ASSERT_EQUAL (call_event_of (CALL_tool_timeout), CALL_EVENT_TIMEOUT);
  bed.hooking.count = 0;
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_works (&bed.unit);
  act = say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (act.letters, 0);
  CU_ASSERT_EQUAL (bed.hooking.posted, 2);
  tear_down (&bed);
}

/* ---- it asks ---- */

#define ASKS                                                                                       \
  "{\"asks\":{\"n\":{\"kind\":\"form\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":"      \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}}},\"needs\":0}"

static void
test_goes_on_with_its_claim (void)
{
  struct bed bed;
  struct heard heard = { .holds = true };

  set_up (&bed);
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_asks (&bed.unit, ASKS, "");
  CU_ASSERT_EQUAL (heard.error, CALL_input_required);
  CU_ASSERT_EQUAL (bed.store.count, 0);
  ask_settle (held_ask (heard.held), NULL, "declined");
  (void) held_start (heard.held, bed.calls, bed.set, &events, &heard);
  CU_ASSERT_EQUAL (bed.store.count, 0); /* it is claimed already */
  CU_ASSERT_EQUAL (bed.unit.submitted, 2);
  unit_works (&bed.unit);
  (void) say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_EQUAL (heard.done, 2);
  CU_ASSERT_EQUAL (heard.error, CALL_OK);
  tear_down (&bed);
}

static void
test_released_when_not_answered (void)
{
  struct bed bed;
  struct heard heard = { .holds = true }, other = { 0 };

  set_up (&bed);
  start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  unit_asks (&bed.unit, ASKS, "");
  held_free (heard.held);
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK);
  start (&bed, &other); /* … by a front that holds nothing */
  say_claim (&bed.store, STORE_WON, NULL);
  unit_asks (&bed.unit, ASKS, "");
  (void) say (&bed.store, ASKED_RELEASE, STORE_OK);
  tear_down (&bed);
}

/* ---- names ---- */

static bool
same_key (const struct call_name *a, const struct call_name *b)
{
  const struct store_key x = claim_key (a), y = claim_key (b);

  return memcmp (x.id, y.id, sizeof x.id) == 0;
}

static void
test_keys (void)
{
  const struct call_name name = { "t", "p", "s", "c" };

  CU_ASSERT_TRUE (same_key (&name, &(struct call_name){ "t", "p", "s", "c" }));
  CU_ASSERT_FALSE (same_key (&name, &(struct call_name){ "u", "p", "s", "c" }));
  CU_ASSERT_FALSE (same_key (&name, &(struct call_name){ "t", "q", "s", "c" }));
  CU_ASSERT_FALSE (same_key (&name, &(struct call_name){ "t", "p", NULL, "c" }));
  CU_ASSERT_FALSE (same_key (&name, &(struct call_name){ "t", "ps", "", "c" }));
  CU_ASSERT_TRUE (same_key (&(struct call_name){ NULL, NULL, NULL, "c" },
                            &(struct call_name){ "default", "", "", "c" }));
}

static void
test_what (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct act one, same, other;

  set_up (&bed);
  start_with (&bed, "c1", "{\"a\":1}", 0, &heard);
  one = say_claim (&bed.store, STORE_RUNNING, NULL);
  start_with (&bed, "c1", "{\"a\":1}", 0, &heard);
  same = say_claim (&bed.store, STORE_RUNNING, NULL);
  start_with (&bed, "c1", "{\"a\":2}", 0, &heard);
  other = say_claim (&bed.store, STORE_RUNNING, NULL);
  CU_ASSERT_EQUAL (memcmp (one.what, same.what, STORE_HASH), 0);
  CU_ASSERT_NOT_EQUAL (memcmp (one.what, other.what, STORE_HASH), 0);
  CU_ASSERT_EQUAL (memcmp (one.key.id, other.key.id, STORE_HASH), 0);
  tear_down (&bed);
}

static void
test_found_while_it_runs (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  const struct call_name name = { "acme", "key:a", "s", "c1" };
  const struct call_name others = { "acme", "key:b", "s", "c1" };
  struct call *call;

  set_up (&bed);
  call = start (&bed, &heard);
  say_claim (&bed.store, STORE_WON, NULL);
  CU_ASSERT_PTR_EQUAL (calls_find_named (bed.calls, &name), call);
  CU_ASSERT_PTR_NULL (calls_find_named (bed.calls, &others));
  unit_works (&bed.unit);
  (void) say (&bed.store, ASKED_FINISH, STORE_OK);
  CU_ASSERT_PTR_NULL (calls_find_named (bed.calls, &name));
  tear_down (&bed);
}

struct looked {
  int count;
  enum store_status status;
  enum store_claimed state;
  char structured[64];
};

static void
on_known (void *ctx, enum store_status status, const struct call_known *known)
{
  struct looked *looked = ctx;

  looked->count++;
  looked->status = status;
  if (known == NULL)
    return;
  looked->state = known->state;
  if (known->result != NULL)
    keep (looked->structured, sizeof looked->structured, known->result->structured,
          known->result->structured_len);
}

static void
test_looked_up (void)
{
  static const char stored[] = "{\"message\":\"\",\"content\":[],\"structured\":5}";
  const struct store_call ended = { .state = STORE_ENDED,
                                    .tool = "t",
                                    .result = { stored, sizeof stored - 1 } };
  const struct call_name name = { "acme", "key:a", "s", "c1" };
  struct looked looked = { 0 };
  struct bed bed;
  struct act act;

  set_up (&bed);
  CU_ASSERT_TRUE (calls_look (bed.calls, &name, on_known, &looked));
  act = take (&bed.store, ASKED_LOOKUP);
  act.looked (act.ctx, STORE_OK, &ended);
  CU_ASSERT_EQUAL (looked.state, STORE_ENDED);
  CU_ASSERT_STRING_EQUAL (looked.structured, "5");
  CU_ASSERT_TRUE (calls_look (bed.calls, &name, on_known, &looked));
  act = take (&bed.store, ASKED_LOOKUP);
  act.looked (act.ctx, STORE_NOT_FOUND, NULL);
  CU_ASSERT_EQUAL (looked.count, 2);
  CU_ASSERT_EQUAL (looked.status, STORE_NOT_FOUND);
  tear_down (&bed);
}

/* ---- results as JSON ---- */

static void
test_stored_whole (void)
{
  const struct result given = { .error = CALL_tool_execution_failed,
                                .code = "no_stock",
                                .message = "none \"left\"\n",
                                .message_len = 12,
                                .content = "[1]",
                                .content_len = 3,
                                .structured = "null",
                                .structured_len = 4,
                                .problems = "[{}]",
                                .problems_len = 4,
                                .repairs = "[2]",
                                .repairs_len = 3,
                                .links = "{\"a\":1},{\"b\":2}",
                                .links_len = 15,
                                .usage = { .wall_us = 9, .told_cpu = true, .cpu_us = 3 } };
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf once = { 0 }, twice = { 0 };
  struct result read;

  stored_write (&once, &given);
  CU_ASSERT_TRUE_FATAL (stored_read (&read, once.data, once.len, &arena));
  CU_ASSERT_EQUAL (read.error, CALL_tool_execution_failed);
  CU_ASSERT_STRING_EQUAL (read.code, "no_stock");
  CU_ASSERT_EQUAL (read.links_len, given.links_len);
  CU_ASSERT_TRUE (read.usage.told_cpu);
  stored_write (&twice, &read);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&once), buf_cstr (&twice));
}

static void
test_stored_read_strictly (void)
{
  static const char *const bad[] = {
    "",
    "[]",
    "{}",
    "{\"message\":\"\"}",
    "{\"message\":\"\",\"content\":{}}",
    "{\"message\":\"\",\"content\":[],\"more\":1}",
    "{\"error\":\"no_such_code\",\"code\":\"x\",\"message\":\"\",\"content\":[]}",
    "{\"error\":\"input_required\",\"code\":\"x\",\"message\":\"\",\"content\":[]}",
    "{\"error\":\"tool_timeout\",\"message\":\"\",\"content\":[]}",
    "{\"code\":\"x\",\"message\":\"\",\"content\":[]}",
    "{\"message\":\"\",\"content\":[],\"usage\":{\"wall_us\":-1}}",
    "{\"message\":\"\",\"content\":[],\"usage\":7}",
  };

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct result result;
    CU_ASSERT_FALSE (stored_read (&result, bad[i], strlen (bad[i]), &arena));
  }
}

static CU_TestInfo way[] = {
  { "told when kept", test_told_when_kept },
  { "without a name nothing is asked", test_without_a_name },
  { "replayed", test_replayed },
  { "failures are results", test_failures_are_results },
  { "not won", test_not_won },
  { "cancelled while claimed", test_cancelled_while_claimed },
  { "left while claimed", test_left_while_claimed },
  { "deadline while claimed", test_deadline_while_claimed },
  { "released when not begun", test_released_when_not_begun },
  { "cancelled in the queue", test_cancelled_in_the_queue },
  { "left while running", test_left_while_running },
  { "cancelled while kept", test_cancelled_while_kept },
  { "asked again", test_asked_again },
  { "patience", test_patience },
  { "too large to keep", test_too_large_to_keep },
  { "U2-10 letters", test_letters },
  { "which event", test_which_event },
  { "goes on with its claim", test_goes_on_with_its_claim },
  { "released when not answered", test_released_when_not_answered },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo names[] = {
  { "keys", test_keys },
  { "what a call is", test_what },
  { "found while it runs", test_found_while_it_runs },
  { "looked up", test_looked_up },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo stored[] = {
  { "whole", test_stored_whole },
  { "read strictly", test_stored_read_strictly },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "claim", NULL, NULL, NULL, NULL, way },
  { "named", NULL, NULL, NULL, NULL, names },
  { "stored", NULL, NULL, NULL, NULL, stored },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

/* Calls that need a person's approval, in the pipeline: the book with a store that keeps what it is
 * told, or often can't say whether it did, a pool that the test plays, and a clock of its own. */
#include <ev.h>
#include <stdlib.h>

#include "approval/approvals.h"
#include "approval/rules.h"
#include "call/calls.h"
#include "call/claim.h"
#include "call/held.h"
#include "call/tenancy.h"
#include "catalog/catalog.h"
#include "played_unit.h"
#include "store_faults.h"
#include "tap.h"

struct heard {
  int done, waits, logs;
  enum call_error error;
  bool replayed, leaves;
  char message[200], id[APPROVAL_ID_LEN + 1];
};

static void
on_done (void *ctx, const struct result *r)
{
  struct heard *h = ctx;

  h->done++;
  h->error = r->error;
  h->replayed = r->replayed;
  (void) snprintf (h->message, sizeof h->message, "%.*s", (int) r->message_len, r->message);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  (void) level, (void) text, (void) len;
  ((struct heard *) ctx)->logs++;
}

static bool
on_waits (void *ctx, const struct approval_facts *facts)
{
  struct heard *h = ctx;

  h->waits++;
  (void) snprintf (h->id, sizeof h->id, "%s", facts->id);
  return h->leaves;
}

static const struct call_events events = { .log = on_log, .done = on_done, .waits = on_waits };

/* ---- what each test has ---- */

struct bed {
  struct ev_loop *loop;
  struct unit unit;
  struct store *store;
  struct catalog *catalog;
  struct tenancies *tenancies;
  struct approval_rules *rules;
  struct calls *calls;
  struct approvals *book;
  struct store_engine *faults;
  ev_timer turns; /* the loop turns, whatever else there is */
  int64_t now_ms;
};

static void
on_turn (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop, (void) timer, (void) revents;
}

static int64_t
at (void *ctx)
{
  return ((struct bed *) ctx)->now_ms;
}

static struct bed *the_bed;

static int64_t
book_at (void *ctx)
{
  (void) ctx;
  return the_bed->now_ms;
}

/* Pipeline and book of a daemon on the store that is there. */
static void
begin_daemon (struct bed *bed)
{
  struct approvals_settings settings = approvals_defaults;

  bed->calls = calls_new (bed->loop, NULL, NULL,
                          &(struct calls_settings){ .deadline_ms = 60000,
                                                    .running_max = 100,
                                                    .json_depth = 64,
                                                    .approval_rules = bed->rules,
                                                    .tenancies = bed->tenancies });
  calls_keep (bed->calls,
              &(struct calls_store){ .store = bed->store, .again = 0.001, .patience = 5 });
  settings.loop = bed->loop;
  settings.store = bed->store;
  settings.now_ms = book_at;
  settings.approved = calls_begin_approved;
  settings.ctx = bed->calls;
  settings.tenant_max = bed->faults != NULL ? 1000 : 3;
  bed->book = approvals_new (&settings);
  calls_ask_people (bed->calls, bed->book);
  approvals_load (bed->book);
}

static void
end_daemon (struct bed *bed)
{
  calls_cancel_all (bed->calls);
  for (int turns = 0; turns < 50; turns++) /* what was asked of the store is answered */
    ev_run (bed->loop, EVRUN_ONCE);
  approvals_free (bed->book);
  calls_free (bed->calls);
}

static void
set_up_with (struct bed *bed, bool faults)
{
  struct approval_words words = { .mode = "always" };
  struct store_settings settings = store_defaults;
  struct error err;

  *bed = (struct bed){ .loop = ev_loop_new (EVFLAG_AUTO), .now_ms = 1000000 };
  the_bed = bed;
  ev_timer_init (&bed->turns, on_turn, 0.0005, 0.0005);
  ev_timer_start (bed->loop, &bed->turns);
  settings.loop = bed->loop;
  settings.now_ms = at;
  settings.ctx = bed;
  if (faults)
    bed->faults = faults_new (memory_engine_new (&settings), bed->loop);
  bed->store = faults ? store_open (bed->faults, &settings) : store_open_memory (&settings);
  bed->catalog = catalog_new ();
  catalog_swap (bed->catalog, unit_toolset (&bed->unit));
  bed->tenancies = tenancies_new (bed->catalog, NULL);
  bed->rules = approval_rules_new (&words, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (bed->rules);
  begin_daemon (bed);
}

static void
set_up (struct bed *bed)
{
  set_up_with (bed, false);
}

static void
tear_down (struct bed *bed)
{
  calls_cancel_all (bed->calls);
  store_close (bed->store);
  approvals_free (bed->book);
  calls_free (bed->calls);
  approval_rules_unref (bed->rules);
  tenancies_free (bed->tenancies);
  catalog_free (bed->catalog);
  ev_timer_stop (bed->loop, &bed->turns);
  ev_loop_destroy (bed->loop);
}

/* Turn the loop until it holds, or nothing moves any more. */
#define UNTIL(condition)                                                                           \
  do {                                                                                             \
    for (int turns = 0; turns < 20000 && !(condition); turns++)                                    \
      ev_run (bed.loop, EVRUN_ONCE);                                                               \
    CU_ASSERT_TRUE_FATAL (condition);                                                              \
  } while (0)

static struct call *
start (struct bed *bed, const char *id, const char *args, struct heard *heard)
{
  return call_start (bed->calls,
                     &(struct call_request){ .toolset = catalog_toolset (bed->catalog),
                                             .name = "t",
                                             .name_len = 1,
                                             .args = args,
                                             .args_len = strlen (args),
                                             .front = "test",
                                             .tenant = "acme",
                                             .principal = "key:a",
                                             .call_id = id,
                                             .claimed_in = id != NULL ? "" : NULL },
                     &events, heard);
}

struct decided {
  int told;
  enum decision_verdict verdict;
};

static void
on_decided (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  struct decided *d = ctx;

  (void) facts;
  d->told++;
  d->verdict = verdict;
}

static enum decision_verdict
decide_as (struct bed *given, const struct approval_decision *decision)
{
  struct bed bed = *given;
  struct decided decided = { 0 };

  approvals_decide (bed.book, decision, on_decided, &decided);
  CU_ASSERT_EQUAL (decided.told, 0);
  UNTIL (decided.told != 0);
  CU_ASSERT_EQUAL (decided.told, 1);
  return decided.verdict;
}

static enum decision_verdict
decide (struct bed *bed, const char *id, bool approve)
{
  return decide_as (bed, &(struct approval_decision){ .id = id,
                                                      .principal = "key:boss",
                                                      .may_approve = true,
                                                      .approve = approve,
                                                      .text = approve ? NULL : "No." });
}

/* ---- tests ---- */

static void
test_approved (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  CU_ASSERT_PTR_NOT_NULL (start (&bed, NULL, "{\"a\":1}", &heard));
  UNTIL (heard.waits == 1);
  CU_ASSERT_EQUAL (heard.logs, 1);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 1);
  CU_ASSERT_TRUE (unit_was_told (&bed.unit, "{\"a\":1}", "", ""));
  unit_works (&bed.unit);
  UNTIL (heard.done == 1);
  CU_ASSERT_EQUAL (heard.error, CALL_OK);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_ALREADY);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, false), DECISION_ALREADY);
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  UNTIL (calls_are_settled (bed.calls));
  tear_down (&bed);
}

static void
test_rejected (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, false), DECISION_TAKEN);
  UNTIL (heard.done == 1);
  CU_ASSERT_EQUAL (heard.error, CALL_approval_rejected);
  CU_ASSERT_STRING_EQUAL (heard.message, "No.");
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_ALREADY);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

static void
test_expired (void)
{
  struct bed bed;
  struct heard heard = { 0 }, other = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  bed.now_ms += 600000;
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_LATE);
  start (&bed, NULL, "{}", &other); /* the clock is looked at */
  UNTIL (heard.done == 1);
  CU_ASSERT_EQUAL (heard.error, CALL_approval_expired);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_LATE);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

static void
test_not_theirs (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  CU_ASSERT_EQUAL (decide_as (&bed, &(struct approval_decision){ .id = heard.id,
                                                                 .tenant = "acme",
                                                                 .principal = "key:a",
                                                                 .approve = true }),
                   DECISION_NOT_THEIRS);
  CU_ASSERT_EQUAL (decide_as (&bed, &(struct approval_decision){ .id = heard.id,
                                                                 .tenant = "else",
                                                                 .may_approve = true,
                                                                 .approve = true }),
                   DECISION_UNKNOWN);
  CU_ASSERT_EQUAL (decide (&bed, "apr_00000000000000000000000000000000", true), DECISION_UNKNOWN);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

static void
test_withdrawn (void)
{
  struct bed bed;
  struct heard heard = { 0 }, gone = { 0 };
  struct call *call;

  set_up (&bed);
  call = start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  call_cancel (call);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_cancelled);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_LATE);
  call_abandon (start (&bed, NULL, "{}", &gone)); /* before it is in the book */
  UNTIL (store_figures (bed.store).records == 2 && approvals_figures (bed.book).pending == 0
         && approvals_figures (bed.book).ended[APPROVAL_WITHDRAWN] == 2);
  CU_ASSERT_EQUAL (gone.done, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

/* Its caller does not wait: it has the id, and nobody is told later. */
static void
test_left (void)
{
  struct bed bed;
  struct heard heard = { .leaves = true };

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  CU_ASSERT_EQUAL (calls_running (bed.calls), 0);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 1);
  unit_works (&bed.unit);
  UNTIL (calls_are_settled (bed.calls));
  CU_ASSERT_EQUAL (heard.done, 0);
  tear_down (&bed);
}

/* What waits outlives its daemon, and is run by the next one. */
static void
test_restart (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{\"a\":2}", &heard);
  UNTIL (heard.waits == 1);
  calls_drain (bed.calls);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_unavailable);
  end_daemon (&bed);
  begin_daemon (&bed);
  UNTIL (approvals_figures (bed.book).pending == 1);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 1);
  CU_ASSERT_TRUE (unit_was_told (&bed.unit, "{\"a\":2}", "", ""));
  unit_works (&bed.unit);
  UNTIL (calls_are_settled (bed.calls));
  tear_down (&bed);
}

/* Approved, and the daemon ends before it has begun: the next one begins it, once. */
static void
test_restart_after_the_decision (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  bed.unit.answer = (struct unit_answer){ .refusal = UNIT_QUEUE_FULL };
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_TAKEN);
  UNTIL (bed.unit.submitted != 0);
  CU_ASSERT_EQUAL (heard.done, 0); /* it is tried again */
  calls_drain (bed.calls);
  UNTIL (heard.done == 1);
  end_daemon (&bed);
  bed.unit.submitted = 0;
  bed.unit.answer = (struct unit_answer){ .refusal = UNIT_TAKEN };
  begin_daemon (&bed);
  UNTIL (bed.unit.submitted == 1);
  unit_works (&bed.unit);
  UNTIL (calls_are_settled (bed.calls));
  end_daemon (&bed);
  begin_daemon (&bed);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_ALREADY);
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  tear_down (&bed);
}

/* The caller that has named its call comes again: while it waits, runs, and after. */
static void
test_named (void)
{
  struct bed bed;
  struct heard first = { 0 }, busy = { 0 }, other = { 0 }, again = { 0 };
  struct call *call;

  set_up (&bed);
  call = start (&bed, "c1", "{\"a\":1}", &first);
  UNTIL (first.waits == 1);
  start (&bed, "c1", "{\"a\":1}", &busy);
  CU_ASSERT_EQUAL (busy.error, CALL_call_in_progress);
  start (&bed, "c1", "{\"a\":2}", &other);
  CU_ASSERT_EQUAL (other.error, CALL_call_id_reused);
  call_abandon (call);
  CU_ASSERT_EQUAL (approvals_figures (bed.book).pending, 1);
  first = (struct heard){ 0 };
  start (&bed, "c1", "{\"a\":1}", &first);
  CU_ASSERT_EQUAL (first.waits, 1);
  CU_ASSERT_EQUAL (decide (&bed, first.id, true), DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 1);
  unit_works (&bed.unit);
  UNTIL (first.done == 1);
  CU_ASSERT_FALSE (first.replayed);
  start (&bed, "c1", "{\"a\":1}", &again);
  UNTIL (again.done == 1);
  CU_ASSERT_TRUE (again.replayed);
  CU_ASSERT_EQUAL (again.waits, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 1);
  UNTIL (calls_are_settled (bed.calls));
  tear_down (&bed);
}

/* The tool is another one now. */
static void
test_changed (void)
{
  struct bed bed;
  struct heard heard = { 0 };
  struct toolset *set;

  set_up (&bed);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.waits == 1);
  set = unit_toolset (&bed.unit);
  (void) snprintf (set->tools[0]->digest, sizeof set->tools[0]->digest, "another");
  catalog_swap (bed.catalog, set);
  CU_ASSERT_EQUAL (decide (&bed, heard.id, true), DECISION_TAKEN);
  /* No digest at all is a plugin that is not there yet; this one was asked about without one. */
  UNTIL (heard.done == 1);
  CU_ASSERT_EQUAL (heard.error, CALL_approval_expired);
  CU_ASSERT_PTR_NOT_NULL (strstr (heard.message, "not what it was"));
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  tear_down (&bed);
}

static void
test_too_many (void)
{
  struct bed bed;
  struct heard heard[4] = { 0 };

  set_up (&bed);
  for (size_t i = 0; i < 4; i++)
    start (&bed, NULL, "{}", &heard[i]);
  CU_ASSERT_EQUAL (heard[3].error, CALL_tool_overloaded);
  CU_ASSERT_STRING_EQUAL (heard[3].message, "3 calls of the tenant wait for approval already");
  UNTIL (heard[2].waits == 1);
  tear_down (&bed);
}

static void
test_standing (void)
{
  struct bed bed;
  struct heard heard = { 0 }, same = { 0 }, other = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{\"a\":1,\"b\":2}", &heard);
  UNTIL (heard.waits == 1);
  CU_ASSERT_EQUAL (decide_as (&bed, &(struct approval_decision){ .id = heard.id,
                                                                 .principal = "key:boss",
                                                                 .may_approve = true,
                                                                 .approve = true,
                                                                 .remember = REMEMBER_ARGUMENTS }),
                   DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 1);
  unit_works (&bed.unit);
  UNTIL (heard.done == 1);
  end_daemon (&bed);
  begin_daemon (&bed);
  UNTIL (approvals_is_ready (bed.book));
  start (&bed, NULL, "{\"b\":2,\"a\":1}", &same);
  CU_ASSERT_EQUAL (bed.unit.submitted, 2);
  unit_works (&bed.unit);
  CU_ASSERT_EQUAL (same.error, CALL_OK);
  start (&bed, NULL, "{\"a\":1}", &other);
  UNTIL (other.waits == 1);
  CU_ASSERT_EQUAL (bed.unit.submitted, 2);
  tear_down (&bed);
}

static const struct approval_run one = { "acme", "key:a", NULL };

/* A cap of three; what begins a run anew, and what does not. */
static void
test_unasked (void)
{
  static const struct approval_run others[] = { { "acme", "key:b", NULL },
                                                { "other", "key:a", NULL },
                                                { "acme", "key:a", "talk" },
                                                { "acme", NULL, "key:a" } };
  struct bed bed;

  set_up (&bed);
  for (int i = 0; i < 3; i++)
    CU_ASSERT_TRUE (approvals_unasked (bed.book, &one, 3));
  for (int i = 0; i < 3; i++)
    CU_ASSERT_FALSE (approvals_unasked (bed.book, &one, 3));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    CU_ASSERT_TRUE (approvals_unasked (bed.book, &others[i], 1));
    CU_ASSERT_FALSE (approvals_unasked (bed.book, &others[i], 1));
    approvals_begin_run (bed.book, &others[i]);
    CU_ASSERT_TRUE (approvals_unasked (bed.book, &others[i], 1));
  }
  CU_ASSERT_FALSE (approvals_unasked (bed.book, &one, 3));
  CU_ASSERT_TRUE (approvals_unasked (bed.book, &one, 4)); /* the cap is another one now */
  bed.now_ms += 599999;
  CU_ASSERT_FALSE (approvals_unasked (bed.book, &one, 4));
  bed.now_ms++; /* ten minutes since one went */
  for (int i = 0; i < 4; i++)
    CU_ASSERT_TRUE (approvals_unasked (bed.book, &one, 4));
  CU_ASSERT_FALSE (approvals_unasked (bed.book, &one, 4));
  tear_down (&bed);
}

static bool
goes (struct bed *bed, int i)
{
  char name[16];

  (void) snprintf (name, sizeof name, "key:%d", i);
  return approvals_unasked (bed->book, &(struct approval_run){ "acme", name, NULL }, 1);
}

/* Who is pushed out is who was quiet for longest. */
static void
test_unasked_many (void)
{
  struct bed bed;

  set_up (&bed);
  for (int i = 0; i < 10000; i++)
    CU_ASSERT_TRUE (goes (&bed, i));
  CU_ASSERT_FALSE (goes (&bed, 0));
  CU_ASSERT_FALSE (goes (&bed, 9999));
  CU_ASSERT_TRUE (goes (&bed, 10000));
  CU_ASSERT_TRUE (goes (&bed, 0)); /* … in whose place that came; now in the place of 1 */
  CU_ASSERT_FALSE (goes (&bed, 2));
  CU_ASSERT_TRUE (goes (&bed, 1));
  tear_down (&bed);
}

/* A rule that comes to stand approves what waits already, and nothing else. */
static void
test_rest_of_a_queue (void)
{
  struct bed bed;
  struct heard first = { 0 }, alike = { 0 }, other = { 0 };

  set_up (&bed);
  start (&bed, NULL, "{\"a\":1}", &first);
  start (&bed, NULL, "{\"a\":1.0}", &alike);
  start (&bed, NULL, "{\"a\":2}", &other);
  UNTIL (first.waits == 1 && alike.waits == 1 && other.waits == 1);
  CU_ASSERT_EQUAL (decide_as (&bed, &(struct approval_decision){ .id = first.id,
                                                                 .principal = "key:boss",
                                                                 .may_approve = true,
                                                                 .approve = true,
                                                                 .remember = REMEMBER_ARGUMENTS }),
                   DECISION_TAKEN);
  UNTIL (bed.unit.submitted == 2);
  CU_ASSERT_EQUAL (approvals_figures (bed.book).decisions, 1);
  CU_ASSERT_EQUAL (decide (&bed, alike.id, false), DECISION_ALREADY);
  CU_ASSERT_EQUAL (decide (&bed, other.id, false), DECISION_TAKEN);
  UNTIL (other.done == 1);
  CU_ASSERT_EQUAL (bed.unit.submitted, 2);
  tear_down (&bed);
}

static void
test_not_recorded (void)
{
  struct bed bed;
  struct heard heard = { 0 };

  set_up_with (&bed, true);
  faults_set (bed.faults, FAULT_NONE);
  UNTIL (approvals_is_ready (bed.book));
  faults_set (bed.faults, FAULT_NOT_DONE);
  start (&bed, NULL, "{}", &heard);
  UNTIL (heard.done == 1);
  CU_ASSERT_EQUAL (heard.error, CALL_tool_unavailable);
  CU_ASSERT_EQUAL (heard.waits, 0);
  CU_ASSERT_EQUAL (bed.unit.submitted, 0);
  faults_set (bed.faults, FAULT_NONE);
  tear_down (&bed);
}

/* A store that often can't say what it did: each that was approved runs once, no other runs. */
static void
test_faults (void)
{
  struct bed bed;
  unsigned approved = 0;

  set_up_with (&bed, true);
  UNTIL (approvals_is_ready (bed.book));
  for (unsigned i = 0; i < 200; i++) {
    struct heard heard = { 0 };
    enum decision_verdict verdict;

    start (&bed, NULL, "{}", &heard);
    UNTIL (heard.waits + heard.done == 1);
    if (heard.done != 0) {
      CU_ASSERT_EQUAL (heard.error, CALL_tool_unavailable);
      continue;
    }
    do
      verdict = decide (&bed, heard.id, i % 3 != 0);
    while (verdict == DECISION_UNAVAILABLE);
    CU_ASSERT_EQUAL (verdict, DECISION_TAKEN);
    if (i % 3 != 0) {
      approved++;
      UNTIL (bed.unit.submitted == approved || heard.done == 1);
      CU_ASSERT_EQUAL (bed.unit.submitted, approved);
      unit_works (&bed.unit);
    }
    UNTIL (heard.done == 1);
    CU_ASSERT_EQUAL (heard.error, i % 3 != 0 ? CALL_OK : CALL_approval_rejected);
    CU_ASSERT_EQUAL (bed.unit.submitted, approved);
  }
  CU_ASSERT_TRUE (approved > 10);
  faults_set (bed.faults, FAULT_NONE);
  tear_down (&bed);
}

static CU_TestInfo tests[] = {
  { "an approved call runs once", test_approved },
  { "T3-3 a rejected call does not run", test_rejected },
  { "an approval expires", test_expired },
  { "U3-11 who may not decide does not", test_not_theirs },
  { "a call that is cancelled is withdrawn", test_withdrawn },
  { "a caller may leave", test_left },
  { "what waits outlives its daemon", test_restart },
  { "what was approved outlives its daemon", test_restart_after_the_decision },
  { "a named call comes again", test_named },
  { "a tool that changed is not run", test_changed },
  { "too many wait", test_too_many },
  { "U3-10 a rule stands over a restart", test_standing },
  { "T3-13 a rule that comes to stand approves what waits", test_rest_of_a_queue },
  { "T3-13 U3-10 how many go unasked", test_unasked },
  { "how many go unasked, of very many", test_unasked_many },
  { "what can't be recorded is not run", test_not_recorded },
  { "T3-5 once, also when the store can't say", test_faults },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "approve", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

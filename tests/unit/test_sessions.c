#include <stdlib.h>

#include "scenarios.h"
#include "session/context.h"
#include "session/ledger.h"
#include "session_stage.h"
#include "tap.h"

/* ---- what a scenario can't say ---- */

#define CALL(id) "{\"type\":\"tool_call\",\"call_id\":\"" id "\",\"name\":\"later\"}"

static void
test_fallback (void)
{
  struct stage stage;
  char *log;

  stage_open (&stage);
  stage_begin (&stage, NULL);
  CU_ASSERT_PTR_NULL (stage_hear (&stage, CALL ("c")));
  stage.deaf = true;
  fake_done (&stage.fake.calls, 0, fake_result ("[]", "{\"large\":1}"));
  CU_ASSERT_EQUAL_FATAL (stage.count, 2);
  CU_ASSERT_PTR_NOT_NULL (strstr (stage.events[1], "Tool execution is unavailable."));
  CU_ASSERT_PTR_NOT_NULL (strstr (stage.events[1], "\"call_id\":\"c\""));
  log = stage_log (&stage);
  CU_ASSERT_PTR_NOT_NULL (strstr (log, "\"tool_run_and_respond_fallback_output_sent\""));
  free (log);
  stage_close (&stage);
}

static enum subscriber_took
take_nothing (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  (void) subscriber;
  (void) number;
  (void) json;
  (void) len;
  return SUBSCRIBER_REFUSED;
}

static void
test_fallback_fails (void)
{
  struct subscriber broken = { .event = take_nothing };
  struct stage stage;
  char *log;

  stage_open (&stage);
  stage_begin (&stage, NULL);
  CU_ASSERT_PTR_NULL (stage_hear (&stage, CALL ("c")));
  CU_ASSERT_TRUE (session_subscribe (stage.session, &broken, session_said (stage.session)));
  fake_done (&stage.fake.calls, 0, fake_result ("[]", "1"));
  CU_ASSERT_EQUAL (stage.count, 2);
  CU_ASSERT_PTR_NULL (broken.prev); /* told no more */
  CU_ASSERT_PTR_NULL (stage_hear (&stage, CALL ("d")));
  CU_ASSERT_EQUAL (stage.count, 3);
  CU_ASSERT_FALSE (stage.closed);
  log = stage_log (&stage);
  CU_ASSERT_PTR_NOT_NULL (strstr (log, "\"tool_run_and_respond_fallback_output_failed\""));
  free (log);
  stage_close (&stage);
}

struct waiting {
  struct session_waiter waiter;
  unsigned answers;
  bool running;
  char json[256];
};

static void
on_answered (struct session_waiter *waiter, const struct session_answer *answer)
{
  struct waiting *w = (struct waiting *) waiter;

  w->answers++;
  w->running = answer->running;
  snprintf (w->json, sizeof w->json, "%.*s", (int) answer->len,
            answer->json != NULL ? answer->json : "");
}

static const struct session_call later = { .call_id = "c", .name = "later", .name_len = 5 };

static void
test_waiters (void)
{
  struct waiting w[4] = { 0 };
  struct stage stage;

  stage_open (&stage);
  stage_begin (&stage, NULL);
  for (size_t i = 0; i < 4; i++)
    w[i].waiter.answered = on_answered;
  CU_ASSERT_EQUAL (session_call (stage.session, &later, &w[0].waiter), SESSION_TAKEN);
  CU_ASSERT_EQUAL (session_call (stage.session, &later, &w[1].waiter), SESSION_PENDING);
  CU_ASSERT_EQUAL (session_call (stage.session, &later, &w[2].waiter), SESSION_PENDING);
  session_unwait (&w[1].waiter);
  fake_done (&stage.fake.calls, 0, fake_result ("[]", "7"));
  CU_ASSERT_EQUAL (session_call (stage.session, &later, &w[3].waiter), SESSION_EXECUTED);
  CU_ASSERT_EQUAL (stage.fake.calls.started, 1);
  CU_ASSERT_EQUAL (w[0].answers, 1);
  CU_ASSERT_EQUAL (w[1].answers, 0);
  CU_ASSERT_EQUAL (w[2].answers, 1);
  CU_ASSERT_EQUAL (w[3].answers, 1);
  CU_ASSERT_PTR_NOT_NULL (strstr (w[0].json, "\"output\":\"7\""));
  CU_ASSERT_STRING_EQUAL (w[0].json, w[2].json);
  CU_ASSERT_STRING_EQUAL (w[0].json, w[3].json);
  stage_close (&stage);
}

static void
test_nameless (void)
{
  const struct session_call call = { .name = "later", .name_len = 5 };
  struct waiting w = { .waiter = { .answered = on_answered } };
  struct stage stage;

  stage_open (&stage);
  stage_begin (&stage, NULL);
  CU_ASSERT_EQUAL (session_call (stage.session, &call, &w.waiter), SESSION_TAKEN);
  CU_ASSERT_EQUAL (session_call (stage.session, &call, NULL), SESSION_TAKEN);
  CU_ASSERT_EQUAL (stage.fake.calls.started, 2);
  fake_done (&stage.fake.calls, 0, fake_result ("[]", "1"));
  CU_ASSERT_EQUAL (w.answers, 1);
  session_end (stage.session, "over");
  CU_ASSERT_TRUE (stage.closed);
  CU_ASSERT_EQUAL (stage.fake.calls.cancelled, 1);
  stage_close (&stage);
}

static struct session *
open_one (struct stage *stage, const char *tenant, const char *principal, const char **code)
{
  struct error err = { 0 };

  return session_open (stage->sessions,
                       &(struct session_wish){ .tenant = tenant, .principal = principal }, code,
                       &err);
}

static void
test_caps (void)
{
  struct stage stage;
  const char *code;

  stage_open (&stage);
  stage.settings.max = 5;
  stage.settings.tenant_max = 3;
  stage.settings.principal_max = 2;
  stage_begin (&stage, NULL); /* acme, key:test */
  CU_ASSERT_PTR_NOT_NULL (open_one (&stage, "acme", "key:test", &code));
  CU_ASSERT_PTR_NULL (open_one (&stage, "acme", "key:test", &code));
  CU_ASSERT_STRING_EQUAL (code, "session_limit");
  CU_ASSERT_PTR_NOT_NULL (open_one (&stage, "acme", "key:other", &code));
  CU_ASSERT_PTR_NULL (open_one (&stage, "acme", "key:third", &code));
  CU_ASSERT_PTR_NOT_NULL (open_one (&stage, "corp", "key:test", &code));
  CU_ASSERT_PTR_NOT_NULL (open_one (&stage, "corp", "key:test", &code));
  CU_ASSERT_PTR_NULL (open_one (&stage, "third", "key:test", &code));
  session_end (stage.session, "over");
  CU_ASSERT_PTR_NOT_NULL (open_one (&stage, "third", "key:test", &code));
  stage_close (&stage);
}

static void
test_owners (void)
{
  struct stage stage;
  const char *code, *id;
  struct session *s;

  stage_open (&stage);
  stage_begin (&stage, NULL);
  s = open_one (&stage, NULL, "anonymous", &code);
  id = session_id (s);
#define FIND(tenant, who) session_find (stage.sessions, id, SESSION_ID_LEN, tenant, who)
  CU_ASSERT_PTR_EQUAL (FIND (NULL, "anonymous"), s);
  CU_ASSERT_PTR_EQUAL (FIND ("default", "anonymous"), s);
  CU_ASSERT_PTR_EQUAL (FIND ("whichever", NULL), s); /* a manager */
  CU_ASSERT_PTR_NULL (FIND ("acme", "anonymous"));
  CU_ASSERT_PTR_NULL (FIND (NULL, "key:test"));
  CU_ASSERT_PTR_NULL (session_find (stage.sessions, id, SESSION_ID_LEN - 1, NULL, NULL));
  CU_ASSERT_PTR_EQUAL (session_find (stage.sessions, session_name (s), 20, NULL, NULL), s);
  CU_ASSERT_PTR_NULL (session_find (stage.sessions, session_name (s), 20, NULL, "anonymous"));
#undef FIND
  stage_close (&stage);
}

static void
test_expiry (void)
{
  struct stage stage;
  const char *code;
  struct session *idle, *busy;

  stage_open (&stage);
  stage.settings.ttl = 60;
  stage_begin (&stage, NULL);
  idle = open_one (&stage, NULL, "a", &code);
  busy = open_one (&stage, NULL, "b", &code);
  CU_ASSERT_PTR_NOT_NULL_FATAL (idle);
  CU_ASSERT_EQUAL (session_call (busy, &later, NULL), SESSION_TAKEN);
  stage.now += 59;
  sessions_tick (stage.sessions);
  CU_ASSERT_EQUAL (sessions_count (stage.sessions), 3);
  stage.now += 2;
  sessions_tick (stage.sessions);
  CU_ASSERT_EQUAL (sessions_count (stage.sessions), 2);
  fake_done (&stage.fake.calls, 0, fake_result ("[]", "1"));
  stage.now += 61;
  sessions_tick (stage.sessions);
  CU_ASSERT_EQUAL (sessions_count (stage.sessions), 1); /* somebody listens to it */
  stage_close (&stage);
}

/* ---- the parts ---- */

struct ear {
  struct subscriber is;
  uint64_t last;
  unsigned count;
};

static enum subscriber_took
count_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  struct ear *ear = (struct ear *) subscriber;

  (void) json;
  (void) len;
  CU_ASSERT_EQUAL (number, ear->last + 1);
  ear->last = number;
  ear->count++;
  return SUBSCRIBER_TOOK;
}

static void
count_end (struct subscriber *subscriber)
{
  (void) subscriber;
}

static void
test_feed (void)
{
  struct feed_budget budget = { .max = 4096 };
  struct feed feed = { .budget = &budget, .max = 1024 };
  struct ear ear = { .is = { .event = count_event, .closed = count_end } };
  char event[200];

  memset (event, ' ', sizeof event);
  CU_ASSERT_TRUE (feed_reaches (&feed, 0));
  CU_ASSERT_FALSE (feed_reaches (&feed, 1));
  for (unsigned i = 0; i < 10; i++)
    CU_ASSERT_EQUAL (feed_say (&feed, event, sizeof event, NULL, 0), FEED_TAKEN);
  CU_ASSERT (feed.used <= feed.max);
  CU_ASSERT_EQUAL (feed.used, budget.used);
  CU_ASSERT_FALSE (feed_reaches (&feed, 0));
  CU_ASSERT_TRUE (feed_reaches (&feed, feed_first (&feed)));
  ear.last = feed_first (&feed);
  CU_ASSERT_TRUE (feed_join (&feed, &ear.is, ear.last));
  CU_ASSERT_EQUAL (ear.last, 10);
  CU_ASSERT_EQUAL (feed_say (&feed, event, sizeof event, NULL, 0), FEED_TAKEN);
  CU_ASSERT_EQUAL (ear.last, 11);
  budget.max = 0; /* others have it all */
  CU_ASSERT_EQUAL (feed_say (&feed, event, sizeof event, NULL, 0), FEED_TAKEN);
  CU_ASSERT_EQUAL (ear.last, 12);
  CU_ASSERT_EQUAL (feed.used, 0);
  CU_ASSERT_EQUAL (feed_first (&feed), 12);
  feed_close (&feed);
  CU_ASSERT_EQUAL (budget.used, 0);
}

static void
execute (struct ledger *ledger, const char *id, size_t bytes)
{
  struct ledger_entry *entry;
  struct buf answer = { 0 };

  CU_ASSERT_EQUAL_FATAL (ledger_reserve (ledger, id, "t", 1, "{}", 2, &entry), LEDGER_NEW);
  memset (buf_reserve (&answer, bytes), 'x', bytes);
  answer.len = bytes;
  ledger_execute (ledger, entry, true, &answer);
}

static void
test_ledger_room (void)
{
  struct ledger ledger = { .max = 100, .room = 250 };
  struct ledger_entry *entry;

  execute (&ledger, "a", 100);
  execute (&ledger, "b", 100);
  execute (&ledger, "c", 100); /* the oldest answer is forgotten, not the call */
  CU_ASSERT_EQUAL (ledger.answers, 200);
  CU_ASSERT_EQUAL (ledger_reserve (&ledger, "a", "t", 1, "{}", 2, &entry), LEDGER_EXECUTED);
  CU_ASSERT_EQUAL (entry->answer.len, 0);
  CU_ASSERT_EQUAL (ledger_reserve (&ledger, "b", "t", 1, "{}", 2, &entry), LEDGER_EXECUTED);
  CU_ASSERT_EQUAL (entry->answer.len, 100);
  CU_ASSERT_EQUAL (ledger_reserve (&ledger, "b", "t", 1, "{ }", 3, &entry), LEDGER_OTHER);
  CU_ASSERT_EQUAL (ledger_reserve (&ledger, "b", "t{", 2, "}", 1, &entry), LEDGER_OTHER);
  execute (&ledger, "d", 300); /* larger than all the room */
  CU_ASSERT_EQUAL (ledger.answers, 0);
  CU_ASSERT_EQUAL (ledger.count, 4);
  CU_ASSERT_EQUAL (ledger.pending, 0);
  ledger_free (&ledger);
}

static bool
change (struct context *context, const char *text, bool *denied, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_FATAL (json_read (&tape, text, strlen (text), &json_default_limits, &arena));
  return context_change (context, &tape, json_root (&tape), denied, err);
}

static void
check_context (const struct context *context, const char *path, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };
  const bool found = context_get (context, path, &out);

  CU_ASSERT_EQUAL (found, expected != NULL);
  if (expected != NULL)
    CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
}

static void
test_context (void)
{
  struct context context = { .max = 300 };
  struct error err = { 0 };
  bool denied;

  check_context (&context, "workflow", "{}");
  CU_ASSERT_TRUE (change (&context,
                          "{\"set\":{\"workflow.a.b\":1.50,\"agents.sales.mood\":\"good\"},"
                          "\"append\":{\"history\":{\"n\":1},\"workflow.list\":2},"
                          "\"flags\":{\"vip\":true}}",
                          &denied, &err));
  check_context (&context, "workflow.a", "{\"b\":1.50}");
  check_context (&context, "history", "[{\"n\":1}]");
  check_context (&context, "workflow.list", "[2]");
  check_context (&context, "flags", "{\"vip\":true}");
  check_context (&context, "workflow.nothing", NULL);
  check_context (&context, "history.x", NULL);
  check_context (&context, "", NULL);
  CU_ASSERT_FALSE (
    change (&context, "{\"set\":{\"workflow.a\":2},\"append\":{\"user\":1}}", &denied, &err));
  CU_ASSERT_TRUE (denied);
  CU_ASSERT_STRING_EQUAL (err.text, "/append/user: this part of the context can't be written");
  check_context (&context, "workflow.a", "{\"b\":1.50}"); /* nothing of it took effect */
  CU_ASSERT_FALSE (change (&context, "{\"set\":{\"history\":[]}}", &denied, &err));
  CU_ASSERT_TRUE (denied);
  CU_ASSERT_FALSE (change (&context, "{\"set\":{\"workflow..a\":1}}", &denied, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "/set/workflow..a: expected a path like \"workflow.step\"");
  CU_ASSERT_TRUE (change (&context, "{\"flags\":{\"vip\":false}}", &denied, &err));
  check_context (&context, "flags", "{}");
  char large[400];
  snprintf (large, sizeof large, "{\"set\":{\"workflow.large\":\"%0300d\"}}", 0);
  CU_ASSERT_FALSE (change (&context, large, &denied, &err));
  CU_ASSERT_FALSE (denied);
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "it may have 300"));
  context_free (&context);
}

/* What is shown has all roots in their order; what is kept has those with something in them. */
static void
test_context_roots (void)
{
  struct context context = { .max = 300 };
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  struct error err;
  bool denied;

  CU_ASSERT_TRUE (change (&context, "{\"append\":{\"history\":1}}", &denied, &err));
  CU_ASSERT_TRUE (change (&context, "{\"set\":{\"workflow.a\":1}}", &denied, &err));
  CU_ASSERT_EQUAL_FATAL (json_object_object_length (context.document), 2);
  context_put (&context, &w);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out),
                          "{\"user\":{},\"tenant\":{},\"workflow\":{\"a\":1},\"agents\":{},"
                          "\"flags\":{},\"history\":[1]}");
  check_context (&context, "agents", "{}");
  CU_ASSERT_FALSE (context_flag (context.document, "vip"));
  CU_ASSERT_TRUE (change (&context, "{\"flags\":{\"vip\":true}}", &denied, &err));
  CU_ASSERT_TRUE (context_flag (context.document, "vip"));
  CU_ASSERT_TRUE (change (&context, "{\"flags\":{\"vip\":false}}", &denied, &err));
  CU_ASSERT_EQUAL (json_object_object_length (context.document), 2);
  context_free (&context);
}

static CU_TestInfo tests[] = {
  { "S0-64 an answer that can't be taken is replaced", test_fallback },
  { "S0-64 the session lives when even that fails", test_fallback_fails },
  { "S0-38 who waits for the same call gets the same answer", test_waiters },
  { "calls without an id are never the same", test_nameless },
  { "caps of tenant, principal and all", test_caps },
  { "a session is its principal's and tenant's", test_owners },
  { "what is idle expires", test_expiry },
  { "events are kept within bounds", test_feed },
  { "answers are forgotten, calls are not", test_ledger_room },
  { "the context", test_context },
  { "empty roots of a context are shown and not kept", test_context_roots },
  CU_TEST_INFO_NULL,
};

int
main (int argc, char **argv)
{
  const struct scenarios scenarios = { "sessions.jsonl", "session", stage_play };

  return scenarios_main (&scenarios, "sessions", tests, argc, argv);
}

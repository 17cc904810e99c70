/* The tools of a stream of AG-UI's events, against a pipeline that the test plays. */
#include "fake_calls.h"
#include "front/agui/run.h"
#include "tap.h"

#define E(type, more) "{\"type\":\"" type "\"" more "}\n"
#define ID(name, id) ",\"" name "\":\"" id "\""
#define BEGIN E ("RUN_STARTED", ID ("threadId", "t1") ID ("runId", "r1"))
#define FINISH E ("RUN_FINISHED", ID ("threadId", "t1") ID ("runId", "r1"))
#define CALL(id, tool) E ("TOOL_CALL_START", ID ("toolCallId", id) ID ("toolCallName", tool))
#define ARGS(id, text) E ("TOOL_CALL_ARGS", ID ("toolCallId", id) ID ("delta", text))
#define CALLED(id) E ("TOOL_CALL_END", ID ("toolCallId", id))
#define STATUS(status, id, tool, more)                                                             \
  E ("CUSTOM", ID ("name", "tool_execution") ",\"value\":{\"status\":\"" status "\"" ID (          \
                 "toolCallId", id) ID ("toolCallName", tool) more "}")
#define RESULT(n, id, content)                                                                     \
  E ("TOOL_CALL_RESULT",                                                                           \
     ID ("messageId", "msg_" n) ID ("toolCallId", id) ID ("content", content) ID ("role", "tool"))
#define ERRED(n, id, content, error)                                                               \
  E ("TOOL_CALL_RESULT", ID ("messageId", "msg_" n) ID ("toolCallId", id) ID ("content", content)  \
                           ID ("role", "tool") ID ("error", error))
#define PROTOCOL(message) E ("RUN_ERROR", ID ("message", message) ID ("code", "protocol_error"))

struct fixture {
  struct fake_env fake;
  struct agui_run *run;
  struct buf said;
  const char *leave_at; /* the listener leaves when this is said */
  bool over;
};

static struct toolset *
toolset (void *ctx)
{
  return catalog_toolset (((struct fixture *) ctx)->fake.env.catalog);
}

static int64_t
now_ms (void *ctx)
{
  (void) ctx;
  return 1700000000000;
}

static void
say (void *ctx, const char *json, size_t len)
{
  struct fixture *f = ctx;

  CU_ASSERT_PTR_NOT_NULL (f->run);
  buf_append (&f->said, json, len);
  buf_putc (&f->said, '\n');
  if (f->leave_at != NULL && strstr (buf_cstr (&f->said), f->leave_at) != NULL) {
    agui_run_free (f->run);
    f->run = NULL;
  }
}

static void
over (void *ctx)
{
  struct fixture *f = ctx;

  CU_ASSERT_FALSE (f->over);
  f->over = true;
}

static void
setup (struct fixture *f, bool verify)
{
  *f = (struct fixture){ .run = NULL };
  fake_env_init (&f->fake);
  f->run = agui_run_new (&(struct agui_settings){ .env = &f->fake.env,
                                                  .principal = "me",
                                                  .limits = &json_default_limits,
                                                  .verify = verify,
                                                  .toolset = toolset,
                                                  .now_ms = now_ms,
                                                  .say = say,
                                                  .over = over,
                                                  .ctx = f });
}

static void
teardown (struct fixture *f)
{
  agui_run_free (f->run);
  buf_free (&f->said);
  fake_env_free (&f->fake);
}

static void
feed (struct fixture *f, const char *text, bool end)
{
  agui_run_feed (f->run, text, strlen (text), end);
}

static void
check (struct fixture *f, const char *expected)
{
  if (strcmp (buf_cstr (&f->said), expected) != 0)
    printf ("# got\n%s# expected\n%s", buf_cstr (&f->said), expected);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&f->said), expected);
  f->said.len = 0;
}

#define ECHOED "[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"echo\\\"},{\\\"text\\\":\\\"hi\\\"}]"

/* Without a run around it, as its own manager takes it. */
static void
test_lifecycle (void)
{
  struct fixture f;

  setup (&f, false);
  feed (&f,
        CALL ("call-1", "echo") ARGS ("call-1", "{\\\"text\\\":") ARGS ("call-1", "\\\"hi\\\"}"),
        false);
  check (&f, CALL ("call-1", "echo") STATUS ("started", "call-1", "echo", "")
               ARGS ("call-1", "{\\\"text\\\":") ARGS ("call-1", "\\\"hi\\\"}"));
  feed (&f, CALLED ("call-1") FINISH, true);
  check (&f, CALLED ("call-1") STATUS ("executing", "call-1", "echo", "")
               RESULT ("1700000000000", "call-1", ECHOED)
                 STATUS ("succeeded", "call-1", "echo",
                         ",\"result\":{\"success\":true,\"result\":[{\"type\":\"text\",\"text\":"
                         "\"echo\"},{\"text\":\"hi\"}],\"message\":\"echo\"}") FINISH);
  CU_ASSERT (f.over);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.session, ""); /* no run, no thread */
  CU_ASSERT_STRING_EQUAL (f.fake.calls.metadata,
                          "{\"startTime\":1700000000000,\"toolCallId\":\"call-1\"}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.principal, "me");
  teardown (&f);
}

static void
test_unknown (void)
{
  struct fixture f;

  setup (&f, true);
  feed (&f, BEGIN CALL ("c1", "theirs") CALLED ("c1") FINISH, true);
  check (&f, BEGIN CALL ("c1", "theirs") STATUS ("started", "c1", "theirs", "") CALLED ("c1")
               STATUS ("failed", "c1", "theirs", ",\"error\":\"Tool not found (server-handled)\"")
                 FINISH);
  CU_ASSERT_EQUAL (f.fake.calls.started, 0);
  CU_ASSERT (f.over);
  teardown (&f);
}

static void
test_waits (void)
{
  struct fixture f;

  setup (&f, true);
  feed (&f,
        BEGIN CALL ("c1", "later") CALL ("c2", "later") CALLED ("c1") CALLED ("c2")
          FINISH BEGIN FINISH,
        true);
  check (&f, BEGIN CALL ("c1", "later") STATUS ("started", "c1", "later", "") CALL ("c2", "later")
               STATUS ("started", "c2", "later", "") CALLED ("c1")
                 STATUS ("executing", "c1", "later", "") CALLED ("c2")
                   STATUS ("executing", "c2", "later", ""));
  CU_ASSERT_STRING_EQUAL (f.fake.calls.session, "t1");
  fake_progress (&f.fake.calls, 1, 1, 2, "half");
  check (&f, STATUS ("progress", "c2", "later", ",\"done\":1,\"total\":2,\"message\":\"half\""));
  fake_done (&f.fake.calls, 1, fake_result ("[]", "16.0"));
  check (&f, RESULT ("1700000000000", "c2", "16.0") STATUS (
               "succeeded", "c2", "later", ",\"result\":{\"success\":true,\"result\":16.0}"));
  CU_ASSERT_FALSE (f.over);
  fake_done (&f.fake.calls, 0, fake_failure (CALL_tool_timeout, NULL, "Too slow."));
  check (&f, ERRED ("1700000000001", "c1", "Error: Tool execution failed - Too slow.",
                    "Tool execution failed: Too slow.")
               STATUS ("failed", "c1", "later", ",\"error\":\"Tool execution failed: Too slow.\"")
                 FINISH BEGIN FINISH);
  CU_ASSERT (f.over);
  teardown (&f);
}

static void
test_failures (void)
{
  struct fixture f;

  setup (&f, true);
  f.fake.calls.canned = fake_failure (CALL_tool_execution_failed, "network_error", "no route");
  feed (&f, BEGIN CALL ("c1", "canned") CALLED ("c1") E ("RUN_ERROR", ID ("message", "enough")),
        true);
  check (&f, BEGIN CALL ("c1", "canned") STATUS ("started", "c1", "canned", "") CALLED ("c1")
               STATUS ("executing", "c1", "canned", "")
                 ERRED ("1700000000000", "c1", "Network error: no route", "Network error: no route")
                   STATUS ("failed", "c1", "canned", ",\"error\":\"Network error: no route\"")
                     E ("RUN_ERROR", ID ("message", "enough")));
  CU_ASSERT (f.over);
  teardown (&f);
}

/* Nobody looks at the rules here: what fits nothing is passed on, and no more. */
static void
test_ignored (void)
{
  struct fixture f;

  setup (&f, false);
  feed (&f, ARGS ("x", "{}") CALLED ("x") E ("CUSTOM", ID ("name", "n")), true);
  check (&f, ARGS ("x", "{}") CALLED ("x") E ("CUSTOM", ID ("name", "n")));
  CU_ASSERT_EQUAL (f.fake.calls.started, 0);
  teardown (&f);
}

static void
test_protocol_error (void)
{
  struct fixture f;

  setup (&f, true);
  feed (&f, BEGIN CALL ("c1", "later") CALLED ("c1") CALLED ("c1") FINISH, true);
  check (&f, BEGIN CALL ("c1", "later") STATUS ("started", "c1", "later", "") CALLED ("c1")
               STATUS ("executing", "c1", "later", ""));
  CU_ASSERT_FALSE (f.over);
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  check (&f, RESULT ("1700000000000", "c1", "true")
               STATUS ("succeeded", "c1", "later", ",\"result\":{\"success\":true}") PROTOCOL (
                 "Cannot send 'TOOL_CALL_END' event: No active tool call found with ID 'c1'. "
                 "A 'TOOL_CALL_START' event must be sent first."));
  CU_ASSERT (f.over);
  teardown (&f);

  setup (&f, true);
  feed (&f, BEGIN, true);
  check (&f, BEGIN PROTOCOL ("Event stream ended before RUN_FINISHED or RUN_ERROR"));
  CU_ASSERT (f.over);
  teardown (&f);
}

static void
test_chunks (void)
{
  struct fixture f;

  setup (&f, true);
  feed (&f,
        BEGIN E ("TOOL_CALL_CHUNK",
                 ID ("toolCallId", "c1") ID ("toolCallName", "later") ID ("delta", "{}")) FINISH,
        true);
  check (&f, BEGIN CALL ("c1", "later") STATUS ("started", "c1", "later", "") ARGS ("c1", "{}")
               CALLED ("c1") STATUS ("executing", "c1", "later", ""));
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  check (&f, RESULT ("1700000000000", "c1", "true")
               STATUS ("succeeded", "c1", "later", ",\"result\":{\"success\":true}") FINISH);
  teardown (&f);
}

static void
test_malformed (void)
{
  struct fixture f;

  setup (&f, true);
  feed (&f,
        "data: " BEGIN "\ndata: {\n\nnonsense\ndata: {\"type\":\"TOOL_CALL_END\"}\n\ndata: " FINISH,
        true);
  check (&f, BEGIN FINISH);
  CU_ASSERT (f.over);
  teardown (&f);
}

/* Whoever listens may leave at each event; what runs is given up. */
static void
test_leaves (void)
{
  static const char *const at[] = { "RUN_STARTED", "TOOL_CALL_START",  "started",  "TOOL_CALL_END",
                                    "executing",   "TOOL_CALL_RESULT", "succeeded" };

  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
    struct fixture f;
    setup (&f, true);
    f.leave_at = at[i];
    feed (&f, BEGIN CALL ("c0", "later") CALLED ("c0") CALL ("c1", "echo") CALLED ("c1") FINISH,
          true);
    CU_ASSERT_PTR_NULL (f.run);
    CU_ASSERT_FALSE (f.over);
    CU_ASSERT_EQUAL (f.fake.calls.abandoned,
                     f.fake.calls.running[0] == NULL && f.fake.calls.started != 0 ? 1 : 0);
    teardown (&f);
  }
}

static void
test_input (void)
{
  static const char input[] =
    "{\"threadId\":\"t1\",\"runId\":\"r1\",\"state\":{},\"tools\":[],\"context\":[],\"messages\":["
    "{\"id\":\"1\",\"role\":\"user\",\"content\":\"go\"},"
    "{\"id\":\"2\",\"role\":\"assistant\",\"toolCalls\":["
    "{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"later\",\"arguments\":\"{}\"}},"
    "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"later\",\"arguments\":{}}}]},"
    "{\"id\":\"3\",\"role\":\"tool\",\"toolCallId\":\"a\",\"content\":\"done\"}]}";
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct fixture f;

  setup (&f, true);
  CU_ASSERT_FATAL (json_read (&tape, input, strlen (input), &json_default_limits, &arena));
  agui_run_input (f.run, &tape, json_root (&tape));
  check (&f, BEGIN STATUS ("executing", "b", "later", ""));
  CU_ASSERT_EQUAL (f.fake.calls.started, 1);
  fake_done (&f.fake.calls, 0, fake_result ("[]", "1"));
  check (&f, RESULT ("1700000000000", "b", "1") STATUS (
               "succeeded", "b", "later", ",\"result\":{\"success\":true,\"result\":1}") FINISH);
  CU_ASSERT (f.over);
  teardown (&f);
}

static CU_TestInfo tests[] = {
  { "S1-4 U1-13 U1-14 T1-1 a call's life, every event first and unchanged", test_lifecycle },
  { "U1-15 T1-2 A1-7 a tool that is not there is left to others", test_unknown },
  { "U1-13 U1-15 A1-10 the end of a run waits for what runs", test_waits },
  { "S1-12 A1-10 a failure is told, and RUN_ERROR comes last", test_failures },
  { "U1-13 what fits nothing is passed on", test_ignored },
  { "U1-21 a stream that breaks the rules ends with RUN_ERROR", test_protocol_error },
  { "U1-22 chunks are calls, too", test_chunks },
  { "T1-16 what is no event is dropped", test_malformed },
  { "U1-16 whoever listens may leave at any event", test_leaves },
  { "S1-6 U1-18 A1-1 a RunAgentInput is a run of its own", test_input },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "agui_run", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

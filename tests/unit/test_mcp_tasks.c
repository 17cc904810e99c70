/* The table of tasks: whose they are, how they end, how long they are kept. */
#include "front/mcp/tasks.h"
#include "mcp_rig.h"
#include "tap.h"

#define TASKS_META                                                                                 \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"                               \
  "\"io.modelcontextprotocol/tasks\":{}}}}"
#define CALL_HEADERS MODERN ("tools/call") "mcp-name: later\n"

static void
setup (struct mcp_rig *f)
{
  struct toolset *set;

  rig_setup (f);
  f->fake.env.task_ttl = 60;
  f->fake.env.tasks_max = 2;
  set = catalog_toolset (f->fake.env.catalog);
  toolset_find (set, "later", 5)->background = BACKGROUND_MAY;
}

static const struct front_peer other = { .roles = ROLES_LOCAL, .principal = "uid:8" };

/* Make a task; its id. */
static void
create (struct mcp_rig *f, char id[64])
{
  struct fake_answer a = { 0 };
  const char *at;

  rig_post (f, &a, CALL_HEADERS,
            MESSAGE ("1", "tools/call", "{\"name\":\"later\"," TASKS_META "}"));
  CU_ASSERT_TRUE (rig_has (fake_http_body (&a), "\"resultType\":\"task\""));
  CU_ASSERT_TRUE (rig_has (fake_http_body (&a), "\"ttlMs\":60000"));
  at = strstr (fake_http_body (&a), "\"taskId\":\"");
  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  snprintf (id, 64, "%.*s", (int) strcspn (at + 10, "\""), at + 10);
  fake_answer_free (&a);
}

/* tasks/METHOD of this task as this peer; NULL: as nobody in particular. */
static void
ask_after (struct mcp_rig *f, const struct front_peer *peer, const char *method, const char *id,
           const char *expected)
{
  struct fake_answer a = { 0 };
  char headers[512], body[1024];

  snprintf (headers, sizeof headers, JSON_TYPE BOTH V "mcp-method: %s\nmcp-name: %s\n", method, id);
  snprintf (body, sizeof body,
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"%s\",\"params\":{\"taskId\":\"%s\","
            "\"inputResponses\":{}," TASKS_META "}}",
            method, id);
  if (peer != NULL)
    rig_send_as (f, &a, peer, "POST", headers, body);
  else
    rig_post (f, &a, headers, body);
  CU_ASSERT_TRUE (rig_has (fake_http_body (&a), expected));
  fake_answer_free (&a);
}

static void
test_time (void)
{
  struct mcp_rig f;
  char id[64];
  double now;

  setup (&f);
  now = ev_now (f.fake.env.loop);
  create (&f, id);
  mcp_tasks_expire (f.mcp->core.tasks, now + 59);
  ask_after (&f, NULL, "tasks/get", id, "\"status\":\"working\"");
  mcp_tasks_expire (f.mcp->core.tasks, now + 61); /* it goes with its call */
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  ask_after (&f, NULL, "tasks/get", id, "-32602");
  rig_teardown (&f);
}

static void
test_whose (void)
{
  struct mcp_rig f;
  char id[64];

  setup (&f);
  create (&f, id);
  ask_after (&f, &other, "tasks/get", id, "-32602");
  ask_after (&f, &other, "tasks/cancel", id, "-32602");
  ask_after (&f, &other, "tasks/update", id, "-32602");
  CU_ASSERT_EQUAL (f.fake.calls.cancelled, 0);
  ask_after (&f, NULL, "tasks/update", id, "\"resultType\":\"complete\"");
  ask_after (&f, NULL, "tasks/cancel", id, "\"resultType\":\"complete\"");
  CU_ASSERT_EQUAL (f.fake.calls.cancelled, 1);
  ask_after (&f, NULL, "tasks/get", id, "\"status\":\"cancelled\"");
  ask_after (&f, NULL, "tasks/cancel", id, "\"resultType\":\"complete\"");
  rig_teardown (&f);
}

static void
test_ends (void)
{
  static const struct {
    enum call_error error;
    const char *code, *expected;
  } rows[] = {
    { CALL_tool_execution_failed, "mine", "\"status\":\"completed\"" },
    { CALL_tool_timeout, NULL, "\"status\":\"completed\"" },
    { CALL_tool_execution_failed, "internal_error", "\"status\":\"failed\"" },
    { CALL_tool_crashed, NULL, "\"error\":{\"code\":-32603,\"message\":\"why\"}" },
    { CALL_worker_lost, NULL, "\"status\":\"failed\"" },
  };
  struct mcp_rig f;
  char id[64];

  setup (&f);
  f.fake.env.tasks_max = 100;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    create (&f, id);
    fake_progress (&f.fake.calls, i, 1, 2, "half way");
    ask_after (&f, NULL, "tasks/get", id, "\"statusMessage\":\"half way\"");
    fake_done (&f.fake.calls, i, fake_failure (rows[i].error, rows[i].code, "why"));
    ask_after (&f, NULL, "tasks/get", id, rows[i].expected);
  }
  rig_teardown (&f);
}

static void
test_result_that_is_too_long (void)
{
  CLEANUP_BUF struct buf content = { 0 };
  struct mcp_rig f;
  char id[64];

  setup (&f);
  create (&f, id);
  buf_puts (&content, "[{\"type\":\"text\",\"text\":\"");
  for (int i = 0; i < 1 << 20; i++)
    buf_putc (&content, 'x');
  buf_puts (&content, "\"}]");
  fake_done (&f.fake.calls, 0, fake_result (buf_cstr (&content), NULL));
  ask_after (&f, NULL, "tasks/get", id, "longer than a task may keep");
  rig_teardown (&f);
}

/* No room: a tool that can be answered at once is, one that can't is refused. */
static void
test_room (void)
{
  struct mcp_rig f;
  struct fake_answer a = { 0 };
  char id[64];

  setup (&f);
  create (&f, id);
  create (&f, id);
  rig_post (&f, &a, CALL_HEADERS,
            MESSAGE ("1", "tools/call", "{\"name\":\"later\"," TASKS_META "}"));
  CU_ASSERT_EQUAL (f.fake.calls.started, 3);
  fake_done (&f.fake.calls, 2, fake_result ("[]", NULL));
  CU_ASSERT_TRUE (rig_has (fake_http_body (&a), "\"resultType\":\"complete\""));
  fake_answer_free (&a);
  toolset_find (catalog_toolset (f.fake.env.catalog), "later", 5)->background = BACKGROUND_MUST;
  rig_post (&f, &a, CALL_HEADERS,
            MESSAGE ("1", "tools/call", "{\"name\":\"later\"," TASKS_META "}"));
  CU_ASSERT_TRUE (rig_has (fake_http_body (&a), "Too many tasks"));
  fake_answer_free (&a);
  rig_teardown (&f);
}

static CU_TestInfo tests[] = {
  { "time", test_time }, { "whose they are", test_whose },
  { "ends", test_ends }, { "a result that is too long", test_result_that_is_too_long },
  { "room", test_room }, CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "tasks", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

/* The mock host, and through it the loader's sentences and the order of the callbacks. */
#include <pthread.h>
#include <toolhost-mock.h>

#include "tap.h"

/* ---- a plugin that does what its argument "do" says -------------------------------------- */

static struct {
  bool allowed;
  toolhost_status valid;
  bool report;
  int executed, opened, closed;
  char config[64];
} world;

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "do", "description" : "Does it.", "inputSchema" : { "type" : "object" } });
}

static bool
can_execute (void *self, toolhost_call *call)
{
  (void) self;
  return world.allowed || toolhost_why (call, "not before %s", "noon");
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  (void) self;
  if (world.report) {
    toolhost_invalid (call, "/a", "too %s", "small");
    toolhost_invalid (call, "/b", "too large");
  }
  return world.valid;
}

static toolhost_status
do_parts (toolhost_call *call)
{
  toolhost_text (call, "one ");
  toolhost_textf (call, "and %d", 2);
  return toolhost_json (call, "{\"n\": 3}");
}

static toolhost_status
do_fail (toolhost_call *call)
{
  return toolhost_fail (call, "no_money", "%d missing", 5);
}

static toolhost_status
do_work (toolhost_call *call)
{
  for (int i = 1; i <= 5; i++) {
    toolhost_progress (call, i, 5, "step %d", i);
    if (toolhost_sleep (call, 1000) != TOOLHOST_OK)
      return toolhost_fail (call, "stopped", "at %d", i);
  }
  return toolhost_textf (call, "%d ms left", (int) toolhost_time_left (call));
}

static toolhost_status
do_who (toolhost_call *call)
{
  const char *secret = "";
  size_t len;

  toolhost_secret (call, "key", &secret, &len);
  toolhost_log (call, TOOLHOST_WARNING, "as %s", toolhost_tenant (call));
  return toolhost_textf (call, "%s %s %s", toolhost_call_id (call), toolhost_metadata (call),
                         secret != NULL ? secret : "none");
}

static void *
complete (void *call)
{
  toolhost_text ((toolhost_call *) call, "later");
  toolhost_complete ((toolhost_call *) call, TOOLHOST_OK);
  return NULL;
}

static toolhost_status
do_later (toolhost_call *call)
{
  pthread_t thread;

  toolhost_retain (call);
  if (pthread_create (&thread, NULL, complete, call) != 0)
    return TOOLHOST_FAILED;
  pthread_detach (thread);
  return TOOLHOST_LATER;
}

static toolhost_status
do_asked (toolhost_call *call)
{
  (void) call;
  return TOOLHOST_ASKED;
}

static const struct {
  const char *what;
  toolhost_status (*run) (toolhost_call *call);
} deeds[] = {
  { "parts", do_parts }, { "fail", do_fail },   { "work", do_work },
  { "who", do_who },     { "later", do_later }, { "asked", do_asked },
};

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *what = toolhost_arg_string_or (call, "do", "");

  (void) self;
  world.executed++;
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
    if (strcmp (deeds[i].what, what) == 0)
      return deeds[i].run (call);
  return TOOLHOST_OK;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 1234;
}

static toolhost_status
open_plugin (toolhost_build *build, const char *config, size_t len, void **self)
{
  (void) self;
  world.opened++;
  snprintf (world.config, sizeof world.config, "%.*s", (int) len, config);
  if (strstr (config, "\"bad\"") != NULL)
    return toolhost_build_error (build, "/bad", "must not be there");
  return TOOLHOST_OK;
}

static void
close_plugin (void *self)
{
  (void) self;
  world.closed++;
}

static const toolhost_tool tool = { TOOLHOST_TOOL,        .definition = definition,
                                    .validate = validate, .can_execute = can_execute,
                                    .execute = execute,   .max_time = max_time };

TOOLHOST_PLUGIN (.name = "doer", .version = "1.0", .threads = TOOLHOST_EVENTED,
                 TOOLHOST_TOOLS (&tool), .open = open_plugin, .close = close_plugin)

/* ---- calls ------------------------------------------------------------------------------ */

static toolhost_mock *mock;

static int
set_up (void)
{
  memset (&world, 0, sizeof world);
  world.allowed = true;
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
tear_down (void)
{
  toolhost_mock_free (mock);
  return world.closed != 1;
}

static void
test_parts (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"parts\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "one and 2");
  CU_ASSERT_STRING_EQUAL (r->json, "{\"n\":3}");
  CU_ASSERT_STRING_EQUAL (
    r->content, "[{\"type\":\"text\",\"text\":\"one \"},{\"type\":\"text\",\"text\":\"and 2\"}]");
  CU_ASSERT_STRING_EQUAL (r->problems, "[]");
  toolhost_mock_result_free (r);
}

static void
test_nothing (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", NULL);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "");
  CU_ASSERT_PTR_NULL (r->json);
  CU_ASSERT_STRING_EQUAL (r->content, "[]");
  toolhost_mock_result_free (r);
}

static void
test_fail (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"fail\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, "no_money");
  CU_ASSERT_STRING_EQUAL (r->message, "5 missing");
  toolhost_mock_result_free (r);
}

static void
test_refusals_do_not_execute (void)
{
  toolhost_mock_result *r;
  int before = world.executed;

  world.allowed = false;
  r = toolhost_mock_call (mock, "do", "{}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_NOT_GRANTED);
  CU_ASSERT_STRING_EQUAL (r->message, "not before noon");
  toolhost_mock_result_free (r);
  world.allowed = world.report = true;
  r = toolhost_mock_call (mock, "do", "{}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_BAD_VALUE);
  CU_ASSERT_STRING_EQUAL (r->problems, "[{\"pointer\":\"/a\",\"message\":\"too small\"},"
                                       "{\"pointer\":\"/b\",\"message\":\"too large\"}]");
  toolhost_mock_result_free (r);
  world.report = false;
  world.valid = TOOLHOST_FAILED;
  r = toolhost_mock_call (mock, "do", "{}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_BAD_VALUE);
  toolhost_mock_result_free (r);
  world.valid = TOOLHOST_OK;
  CU_ASSERT_EQUAL (world.executed, before);
}

static void
test_bad_requests (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "nothing", "{}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_NOT_FOUND);
  toolhost_mock_result_free (r);
  r = toolhost_mock_call (mock, "do", "[]");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_BAD_VALUE);
  toolhost_mock_result_free (r);
}

static void
test_time_stands_still (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"work\"}");

  CU_ASSERT_STRING_EQUAL (r->text, "25000 ms left");
  CU_ASSERT_STRING_EQUAL (r->log, "progress 1/5 step 1\nprogress 2/5 step 2\nprogress 3/5 step 3\n"
                                  "progress 4/5 step 4\nprogress 5/5 step 5\n");
  toolhost_mock_result_free (r);
  toolhost_mock_set_deadline (mock, 2500);
  r = toolhost_mock_call (mock, "do", "{\"do\":\"work\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_CANCELLED);
  CU_ASSERT_STRING_EQUAL (r->message, "at 3");
  toolhost_mock_result_free (r);
  toolhost_mock_set_deadline (mock, 30000);
}

static void
test_cancel (void)
{
  toolhost_mock_result *r;

  toolhost_mock_cancel_after (mock, 2);
  r = toolhost_mock_call (mock, "do", "{\"do\":\"work\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_CANCELLED);
  CU_ASSERT_STRING_EQUAL (r->message, "at 2");
  toolhost_mock_result_free (r);
  r = toolhost_mock_call (mock, "do", "{\"do\":\"work\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  toolhost_mock_result_free (r);
}

static void
test_who (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"who\"}");

  CU_ASSERT_STRING_EQUAL (r->text, "mock-call {} none");
  CU_ASSERT_STRING_EQUAL (r->log, "warning as default\n");
  toolhost_mock_result_free (r);
  toolhost_mock_set_info (mock, TOOLHOST_CALL_ID, "c7");
  toolhost_mock_set_info (mock, TOOLHOST_METADATA, "{\"k\":1}");
  toolhost_mock_set_secret (mock, "key", "s3cret");
  r = toolhost_mock_call (mock, "do", "{\"do\":\"who\"}");
  CU_ASSERT_STRING_EQUAL (r->text, "c7 {\"k\":1} s3cret");
  toolhost_mock_result_free (r);
}

static void
test_later (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"later\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "later");
  toolhost_mock_result_free (r);
}

static void
test_broken (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "do", "{\"do\":\"asked\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->message, "returned TOOLHOST_ASKED without having asked anybody");
  toolhost_mock_result_free (r);
}

static void
test_descriptions (void)
{
  CU_ASSERT_PTR_NOT_NULL (strstr (toolhost_mock_definition (mock, "do"), "Does it."));
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "done"));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "do"), 1234);
}

/* ---- the loader's sentences ------------------------------------------------------------- */

static toolhost_plugin given;
static const toolhost_plugin *to_return;

static const toolhost_plugin *
entry (const toolhost_host *host)
{
  (void) host;
  return to_return;
}

static void
good_plugin (void)
{
  static const toolhost_tool *const tools[] = { &tool, NULL };

  given = (toolhost_plugin){
    .struct_size = sizeof given, .abi = TOOLHOST_ABI, .name = "x", .version = "1", .tools = tools
  };
  to_return = &given;
}

static void
expect (const char *sentence)
{
  toolhost_mock *made = toolhost_mock_new (entry, NULL);

  CU_ASSERT_PTR_NULL (made);
  if (strncmp (toolhost_mock_error (), sentence, strlen (sentence)) != 0) {
    printf ("# expected: %s\n# got:      %s\n", sentence, toolhost_mock_error ());
    CU_FAIL ("another sentence was expected");
  }
  toolhost_mock_free (made);
  good_plugin ();
}

static void
test_plugin_faults (void)
{
  static const toolhost_tool *const none[] = { NULL };

  good_plugin ();
  to_return = NULL;
  expect ("plugin \"mocked\": toolhost_plugin_entry returned NULL");
  given.struct_size = 4;
  expect ("plugin \"mocked\": struct_size is 4, too small to hold abi");
  given.abi = 0;
  expect ("plugin \"mocked\": abi is missing");
  given.abi = 2;
  expect ("plugin \"mocked\": abi is 2, this host speaks 1");
  given.name = NULL;
  expect ("plugin \"mocked\": name is missing");
  given.name = "Not A Name";
  expect ("plugin \"mocked\": name must be 1 to 64 of a-z, 0-9, '_' and '-', got \"Not A Name\"");
  given.version = NULL;
  expect ("plugin \"x\": version is missing");
  given.description = "\xFF";
  expect ("plugin \"x\": description is not UTF-8");
  given.threads = 17;
  expect ("plugin \"x\": threads is 17: expected TOOLHOST_SERIAL");
  given.min_host = "soon";
  expect ("plugin \"x\": min_host is no version: expected one like \"1.2\", got \"soon\"");
  given.min_host = "999.0";
  expect ("plugin \"x\": min_host is 999.0, this host is ");
  given.tools = none;
  expect ("plugin \"x\": it offers neither tools nor builders, resources, prompts nor guards");
}

static const char *
no_definition (void *self)
{
  (void) self;
  return NULL;
}

static const char *
no_json (void *self)
{
  (void) self;
  return "{";
}

static int64_t
no_time (void *self)
{
  (void) self;
  return 0;
}

static void
expect_tool (const toolhost_tool *bad, const char *sentence)
{
  const toolhost_tool *const tools[] = { &tool, bad, NULL };

  good_plugin ();
  given.tools = tools;
  expect (sentence);
}

static void
test_tool_faults (void)
{
  toolhost_tool bad = tool;

  bad.struct_size = 0;
  expect_tool (&bad, "plugin \"x\", tool 2: struct_size is 0: begin the struct with TOOLHOST_TOOL");
  bad.struct_size = 16;
  expect_tool (&bad, "plugin \"x\", tool 2: struct_size is 16, abi 1 begins at ");
  bad = tool;
  bad.definition = NULL;
  expect_tool (&bad, "plugin \"x\", tool 2: the callback definition is missing");
  bad = tool;
  bad.execute = NULL;
  expect_tool (&bad, "plugin \"x\", tool 2: the callback execute is missing");
  bad = tool;
  bad.definition = no_definition;
  expect_tool (&bad, "plugin \"x\", tool 2: definition returned NULL");
  bad.definition = no_json;
  expect_tool (&bad, "plugin \"x\", tool 2: definition is not JSON: byte 1: ");
  bad = tool;
  bad.max_time = no_time;
  expect_tool (&bad, "plugin \"x\", tool 2: max_time is 0: expected milliseconds above 0");
}

static toolhost_status
build (toolhost_build *b, const char *config, size_t len)
{
  (void) config;
  (void) len;
  return toolhost_add_tool (b, &tool, NULL);
}

static void
expect_builder (const toolhost_builder *bad, const char *sentence)
{
  const toolhost_builder *const builders[] = { bad, NULL };

  good_plugin ();
  given.builders = builders;
  expect (sentence);
}

static void
test_builder_faults (void)
{
  toolhost_builder bad = { .feature = "f", .build = build };

  expect_builder (&bad, "plugin \"x\", builder 1: struct_size is 0: begin the struct with "
                        "TOOLHOST_BUILDER");
  bad = (toolhost_builder){ TOOLHOST_BUILDER, .build = build };
  expect_builder (&bad, "plugin \"x\", builder 1: feature is missing");
  bad = (toolhost_builder){ TOOLHOST_BUILDER, .feature = "f" };
  expect_builder (&bad, "plugin \"x\", builder \"f\": the callback build is missing");
}

static unsigned released;

static void
count_release (void *self)
{
  released += self != NULL;
}

/* What it builds is what its configuration says. */
static toolhost_status
build_as_told (toolhost_build *b, const char *config, size_t len)
{
  static toolhost_tool bad;
  static char self;

  bad = tool;
  bad.execute = NULL;
  CU_ASSERT_EQUAL (strlen (config), len);
  CU_ASSERT_EQUAL (toolhost_host_event (b->host, TOOLHOST_INFO, "built_it", config), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_host_event (b->host, TOOLHOST_INFO, "Built", NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_host_event (b->host, TOOLHOST_INFO, "b", "[1]"), TOOLHOST_BAD_VALUE);
  if (strstr (config, "refuse") != NULL) {
    (void) toolhost_add_tool (b, &tool, &self);
    return toolhost_build_error (b, "/refuse", "not %s", "today");
  }
  if (strstr (config, "silent") != NULL)
    return TOOLHOST_FAILED;
  return toolhost_add_tool (b, strstr (config, "bad") != NULL ? &bad : &tool, &self);
}

static void
test_building (void)
{
  static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "f",
                                            .build = build_as_told, .release = count_release };
  static const toolhost_builder *const builders[] = { &builder, NULL };
  static const struct {
    const char *feature, *config, *sentence;
  } rows[] = {
    { "g", "{}", "plugin \"x\" has no builder of this feature" },
    { "f", "{\"refuse\":1}", "builder \"f\": /refuse: not today" },
    { "f", "{\"silent\":1}", "builder \"f\": build failed with status 1000 and no reason" },
    { "f", "{\"bad\":1}", "builder \"f\": plugin \"x\", tool 1: the callback execute is missing" },
  };
  toolhost_mock *made;

  released = 0;
  good_plugin ();
  given.builders = builders;
  made = toolhost_mock_new (entry, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (made);
  CU_ASSERT_EQUAL (toolhost_mock_build (made, "f", "{\"a\":1}"), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (toolhost_mock_log (made), "info built_it {\"a\":1}\n");
  CU_ASSERT_EQUAL (toolhost_mock_build (made, "f", "{}"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (released, 1); /* what was built before */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (made, rows[i].feature, rows[i].config), TOOLHOST_FAILED);
    if (strstr (toolhost_mock_error (), rows[i].sentence) == NULL)
      printf ("# got %s\n", toolhost_mock_error ());
    CU_ASSERT_PTR_NOT_NULL (strstr (toolhost_mock_error (), rows[i].sentence));
  }
  CU_ASSERT_EQUAL (released, 3); /* the second build's, and what the refused one had added */
  CU_ASSERT_EQUAL (toolhost_mock_build (made, "f", "{}"), TOOLHOST_OK);
  toolhost_mock_free (made);
  CU_ASSERT_EQUAL (released, 4);
}

/* Structs of a later header are longer; what this host does not know it does not look at. */
static void
test_newer_structs (void)
{
  struct {
    toolhost_tool known;
    void *later;
  } newer = { tool, NULL };
  const toolhost_tool *const tools[] = { &newer.known, NULL };
  toolhost_mock *made;

  good_plugin ();
  newer.known.struct_size = sizeof newer;
  given.tools = tools;
  made = toolhost_mock_new (entry, NULL);
  CU_ASSERT_PTR_NOT_NULL (made);
  toolhost_mock_free (made);
}

static void
test_open (void)
{
  int closed = world.closed;
  toolhost_mock *made = toolhost_mock_new (toolhost_plugin_entry, "{\"bad\":1}");

  CU_ASSERT_PTR_NULL (made);
  CU_ASSERT_STRING_EQUAL (toolhost_mock_error (),
                          "plugin \"doer\": open refused: /bad: must not be there");
  CU_ASSERT_EQUAL (world.closed, closed);
  CU_ASSERT_STRING_EQUAL (world.config, "{\"bad\":1}");
}

static CU_TestInfo calls[] = {
  { "parts", test_parts },
  { "nothing", test_nothing },
  { "fail", test_fail },
  { "refusals do not execute", test_refusals_do_not_execute },
  { "bad requests", test_bad_requests },
  { "time stands still", test_time_stands_still },
  { "cancel", test_cancel },
  { "who calls", test_who },
  { "later", test_later },
  { "broken rules", test_broken },
  { "descriptions", test_descriptions },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo loading[] = {
  { "faults of a plugin", test_plugin_faults },
  { "faults of a tool", test_tool_faults },
  { "faults of a builder", test_builder_faults },
  { "building", test_building },
  { "newer structs", test_newer_structs },
  { "open refuses", test_open },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mock calls", set_up, tear_down, NULL, NULL, calls },
  { "mock loading", NULL, NULL, NULL, NULL, loading },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

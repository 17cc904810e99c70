/* Resources, prompts and completions under the mock host, and the loader's sentences about them. */
#include <toolhost-mock.h>

#include "tap.h"

/* ---- a plugin with one of each ---- */

static const char *
note_definition (void *self)
{
  (void) self;
  return "{\"uri\":\"note:///one\",\"name\":\"one\"}";
}

static toolhost_status
note_read (void *self, toolhost_call *call)
{
  toolhost_part more = { .struct_size = sizeof more,
                         .kind = TOOLHOST_PART_BLOB,
                         .data = "\1\2",
                         .len = 2,
                         .uri = "note:///one/more",
                         .meta = "{ \"k\" : 1 }" };

  (void) self;
  toolhost_contents (call, "text/plain", "one", 3);
  CU_ASSERT_EQUAL (toolhost_text (call, "no contents"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_json (call, "{}"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_role (call, TOOLHOST_USER), TOOLHOST_BAD_VALUE);
  return toolhost_part_add (call, &more);
}

static const char *
any_definition (void *self)
{
  (void) self;
  return "{\"uriTemplate\":\"note:///any/{id}{?as}\",\"name\":\"any\"}";
}

static toolhost_status
any_read (void *self, toolhost_call *call)
{
  const char *id = toolhost_arg_string_or (call, "id", "?");
  char text[128];

  (void) self;
  if (strcmp (id, "none") == 0)
    return TOOLHOST_NOT_FOUND;
  if (strcmp (id, "empty") == 0)
    return TOOLHOST_OK;
  snprintf (text, sizeof text, "%s as %s", id, toolhost_arg_string_or (call, "as", "it is"));
  return toolhost_contents (call, NULL, text, strlen (text));
}

static toolhost_status
any_complete (void *self, toolhost_call *call)
{
  (void) self;
  for (int i = 0; i < 120; i++) {
    char value[32];
    snprintf (value, sizeof value, "%s%s%d", toolhost_completing (call), toolhost_partial (call),
              i);
    CU_ASSERT_EQUAL (toolhost_suggest (call, value), TOOLHOST_OK);
  }
  CU_ASSERT_EQUAL (toolhost_text (call, "no value"), TOOLHOST_BAD_VALUE);
  return TOOLHOST_OK;
}

static toolhost_status
any_list (void *self, toolhost_call *call)
{
  (void) self;
  CU_ASSERT_EQUAL (toolhost_list (call, "[]"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_suggest (call, "no value"), TOOLHOST_BAD_VALUE);
  toolhost_list (call, "{ \"uri\" : \"note:///any/1\" }");
  return toolhost_list (call, "{\"uri\":\"note:///any/2\"}");
}

static const char *
prompt_definition (void *self)
{
  (void) self;
  return "{\"name\":\"talk\",\"description\":\"Talks.\",\"arguments\":[{\"name\":\"about\"}]}";
}

static bool
can_talk (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_arg_string (call, "about") != NULL || toolhost_why (call, "about what?");
}

static toolhost_status
talk (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_text (call, toolhost_arg_string (call, "about"));
  toolhost_role (call, TOOLHOST_ASSISTANT);
  CU_ASSERT_EQUAL (toolhost_role (call, 7), TOOLHOST_BAD_VALUE);
  toolhost_image (call, "png", 3, "image/png");
  toolhost_role (call, TOOLHOST_USER);
  toolhost_changed (call->host, TOOLHOST_PROMPTS_CHANGED, NULL);
  toolhost_changed (call->host, TOOLHOST_RESOURCE_UPDATED, "note:///one");
  CU_ASSERT_EQUAL (toolhost_changed (call->host, TOOLHOST_RESOURCE_UPDATED, NULL),
                   TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_changed (call->host, 1, NULL), TOOLHOST_BAD_VALUE);
  return toolhost_resource (call, "note:///two", "text/plain", "two", 3);
}

static const toolhost_readable note = { TOOLHOST_READABLE, .definition = note_definition,
                                        .read = note_read };
static const toolhost_readable any = { TOOLHOST_READABLE, .definition = any_definition,
                                       .read = any_read, .complete = any_complete,
                                       .list = any_list };
static const toolhost_prompt prompt = { TOOLHOST_PROMPT, .definition = prompt_definition,
                                        .can_get = can_talk, .get = talk };

static const char *
guard_definition (void *self)
{
  (void) self;
  return "{\"name\":\"strict\",\"description\":\"Checks.\"}";
}

/* "text" of the arguments is to be good, and what is said of it is its length. */
static toolhost_status
check (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_guard_stage (call) == TOOLHOST_STAGE_OUTPUT)
    return toolhost_textf (call, "%s %s", toolhost_guard_tool (call),
                           toolhost_arg_string_or (call, "/result/content/0/text", "?"));
  if (strcmp (toolhost_arg_string_or (call, "/arguments/text", ""), "bad") == 0)
    return toolhost_guard_reject (call, "\"%s\" is a bad text", "bad");
  if (toolhost_has_arg (call, "/config/other"))
    return toolhost_guard_arguments (call, "{ \"text\": \"other\" }");
  return toolhost_has_arg (call, "/arguments/odd") ? toolhost_fail (call, "odd", "no idea")
                                                   : TOOLHOST_OK;
}

static toolhost_status
comfort (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "%d: %s", (int) toolhost_guard_stage (call),
                         toolhost_arg_string_or (call, "/error/code", ""));
}

static const toolhost_guard guard = { TOOLHOST_GUARD, .definition = guard_definition,
                                      .check = check, .on_error = comfort };

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&note, &any), TOOLHOST_PROMPTS (&prompt),
                     TOOLHOST_GUARDS (&guard))
TOOLHOST_PLUGIN (.name = "beyond", .version = "1.0", .extension = toolhost_extensions)

static toolhost_mock *mock;

static int
begin (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
end (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* ---- calls ---- */

static void
test_read (void)
{
  toolhost_mock_result *r = toolhost_mock_read (mock, "note:///one");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "one");
  CU_ASSERT_STRING_EQUAL (r->content,
                          "[{\"uri\":\"note:///one\",\"mimeType\":\"text/plain\",\"text\":\"one\"},"
                          "{\"uri\":\"note:///one/more\",\"blob\":\"AQI=\",\"_meta\":{\"k\":1}}]");
  toolhost_mock_result_free (r);
}

static void
test_template (void)
{
  toolhost_mock_result *r = toolhost_mock_read (mock, "note:///any/7?as=text");

  CU_ASSERT_STRING_EQUAL (r->content,
                          "[{\"uri\":\"note:///any/7?as=text\",\"text\":\"7 as text\"}]");
  toolhost_mock_result_free (r);
}

static void
test_what_is_not_there (void)
{
  toolhost_mock_result *r = toolhost_mock_read (mock, "note:///any/none");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, "resource_not_found");
  toolhost_mock_result_free (r);
  r = toolhost_mock_read (mock, "other:///one");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_NOT_FOUND);
  toolhost_mock_result_free (r);
  r = toolhost_mock_read (mock, "note:///any/empty");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->message, "returned TOOLHOST_OK from read without any contents");
  toolhost_mock_result_free (r);
}

static void
test_prompt (void)
{
  toolhost_mock_result *r = toolhost_mock_prompt (mock, "talk", "{\"about\":\"us\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (
    r->content,
    "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"us\"}},"
    "{\"role\":\"assistant\",\"content\":{\"type\":\"image\",\"mimeType\":\"image/png\","
    "\"data\":\"cG5n\"}},{\"role\":\"user\",\"content\":{\"type\":\"resource\","
    "\"resource\":{\"uri\":\"note:///two\",\"mimeType\":\"text/plain\","
    "\"text\":\"two\"}}}]");
  CU_ASSERT_STRING_EQUAL (r->text, "us");
  CU_ASSERT_STRING_EQUAL (r->log, "changed prompts\nchanged resource note:///one\n");
  toolhost_mock_result_free (r);
  r = toolhost_mock_prompt (mock, "talk", NULL);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_NOT_GRANTED);
  CU_ASSERT_STRING_EQUAL (r->message, "about what?");
  toolhost_mock_result_free (r);
}

static void
test_completion (void)
{
  toolhost_mock_result *r = toolhost_mock_complete (mock, "note:///any/{id}{?as}", "id", "a", NULL);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_EQUAL (strncmp (r->json, "{\"values\":[\"ida0\",\"ida1\",", 24), 0);
  CU_ASSERT_PTR_NOT_NULL (strstr (r->json, "\"ida99\"],\"total\":120,\"hasMore\":true}"));
  CU_ASSERT_STRING_EQUAL (r->content, "[]");
  toolhost_mock_result_free (r);
  r = toolhost_mock_complete (mock, "talk", "about", "", "{\"about\":\"a\"}");
  CU_ASSERT_STRING_EQUAL (r->json, "{\"values\":[],\"total\":0,\"hasMore\":false}");
  toolhost_mock_result_free (r);
}

static void
test_list (void)
{
  toolhost_mock_result *r = toolhost_mock_list (mock, "note:///any/{id}{?as}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->content, "[{\"uri\":\"note:///any/1\"},{\"uri\":\"note:///any/2\"}]");
  toolhost_mock_result_free (r);
}

/* S3-5: what a guard may say. */
static void
test_guard (void)
{
  static const struct {
    const char *checked;
    toolhost_status status;
    const char *code, *message, *json, *text;
  } rows[] = {
    { "{\"stage\":\"input\",\"tool\":\"t\",\"arguments\":{\"text\":\"good\"}}", TOOLHOST_OK, "", "",
      NULL, "" },
    { "{\"stage\":\"input\",\"arguments\":{\"text\":\"bad\"}}", TOOLHOST_FAILED, TOOLHOST_REJECTED,
      "\"bad\" is a bad text", NULL, "" },
    { "{\"stage\":\"input\",\"arguments\":{},\"config\":{\"other\":1}}", TOOLHOST_OK, "", "",
      "{\"text\":\"other\"}", "" },
    { "{\"stage\":\"input\",\"arguments\":{\"odd\":1}}", TOOLHOST_FAILED, "odd", "no idea", NULL,
      "" },
    { "{\"stage\":\"output\",\"tool\":\"t\",\"result\":{\"content\":[{\"text\":\"x\"}]}}",
      TOOLHOST_OK, "", "", NULL, "t x" },
    { "{\"stage\":\"error\",\"error\":{\"code\":\"tool_timeout\"}}", TOOLHOST_OK, "", "", NULL,
      "3000: tool_timeout" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    toolhost_mock_result *r = toolhost_mock_guard (mock, "strict", rows[i].checked);
    CU_ASSERT_EQUAL (r->status, rows[i].status);
    CU_ASSERT_STRING_EQUAL (r->code, rows[i].code);
    CU_ASSERT_STRING_EQUAL (r->message, rows[i].message);
    CU_ASSERT_STRING_EQUAL (r->json != NULL ? r->json : "",
                            rows[i].json != NULL ? rows[i].json : "");
    CU_ASSERT_STRING_EQUAL (r->text, rows[i].text);
    toolhost_mock_result_free (r);
  }
}

static void
test_definitions (void)
{
  CU_ASSERT_STRING_EQUAL (toolhost_mock_definition_of (mock, "note:///one"),
                          note_definition (NULL));
  CU_ASSERT_STRING_EQUAL (toolhost_mock_definition_of (mock, "talk"), prompt_definition (NULL));
  CU_ASSERT_PTR_NULL (toolhost_mock_definition_of (mock, "note:///two"));
}

/* ---- what the loader refuses ---- */

static toolhost_readable readable;
static toolhost_prompt a_prompt;
static toolhost_resources resources;
static toolhost_prompts prompts;
static toolhost_guard a_guard;
static toolhost_guards guards;

static const void *
given (const char *id)
{
  if (strcmp (id, TOOLHOST_GUARDS_ID) == 0)
    return &guards;
  return strcmp (id, TOOLHOST_RESOURCES_ID) == 0 ? (const void *) &resources : &prompts;
}

static const toolhost_plugin *
entry (const toolhost_host *host)
{
  static const toolhost_readable *const readables[] = { &readable, NULL };
  static const toolhost_prompt *const all_prompts[] = { &a_prompt, NULL };
  static const toolhost_guard *const all_guards[] = { &a_guard, NULL };
  static const toolhost_plugin plugin = { .struct_size = sizeof plugin,
                                          .abi = TOOLHOST_ABI,
                                          .name = "x",
                                          .version = "1",
                                          .extension = given };

  (void) host;
  resources.readables = readables;
  prompts.prompts = all_prompts;
  guards.guards = all_guards;
  return &plugin;
}

static void
good (void)
{
  readable = note;
  a_prompt = prompt;
  resources.struct_size = sizeof resources;
  prompts.struct_size = sizeof prompts;
  a_guard = guard;
  guards.struct_size = sizeof guards;
}

static void
expect (const char *sentence)
{
  toolhost_mock *refused = toolhost_mock_new (entry, NULL);

  CU_ASSERT_PTR_NULL (refused);
  CU_ASSERT_STRING_EQUAL (toolhost_mock_error (), sentence);
  toolhost_mock_free (refused);
}

static void
test_what_is_refused (void)
{
  good ();
  resources.struct_size = 4;
  expect (
    "plugin \"x\": extension \"toolhost.resources/1\": struct_size is 4, it begins at 16: make "
    "it with TOOLHOST_EXTENSIONS");
  good ();
  readable.struct_size = 8;
  expect ("plugin \"x\", resource 1: struct_size is 8, it begins at 48: begin the struct with "
          "TOOLHOST_READABLE");
  good ();
  readable.read = NULL;
  expect ("plugin \"x\", resource 1: the callback read is missing");
  good ();
  a_prompt.definition = NULL;
  expect ("plugin \"x\", prompt 1: the callback definition is missing");
  good ();
  a_prompt.get = NULL;
  expect ("plugin \"x\", prompt 1: the callback get is missing");
  good ();
  guards.struct_size = 8;
  expect (
    "plugin \"x\": extension \"toolhost.guard/1\": struct_size is 8, it begins at 16: make it "
    "with TOOLHOST_EXTENSIONS");
  good ();
  a_guard.struct_size = 24;
  expect ("plugin \"x\", guard 1: struct_size is 24, it begins at 32: begin the struct with "
          "TOOLHOST_GUARD");
  good ();
  a_guard.check = NULL;
  a_guard.on_error = NULL;
  expect ("plugin \"x\", guard 1: the callback check is missing");
}

static CU_TestInfo calls[] = {
  { "a resource is read", test_read },
  { "a template gives its variables", test_template },
  { "what is not there is told as that", test_what_is_not_there },
  { "a prompt gives messages", test_prompt },
  { "a completion gives the first hundred values", test_completion },
  { "a template lists", test_list },
  { "definitions are found by what they are known by", test_definitions },
  { "S3-5: a guard allows, rejects, fails, gives other arguments and other results", test_guard },
  { "each fault has its sentence", test_what_is_refused },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "mock beyond tools", begin, end, NULL, NULL, calls },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

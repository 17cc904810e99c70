/* The feature "agents" under the mock host, and its readers of streams, with pieces of any size. */
#include "common/plugin_test.h"

#include "agent.h"
#include "common/sse.h"
#include "protocol.h"

#define URL "https://a.example/v1"
#define ONE(protocol, members)                                                                     \
  "{\"agents\":[{\"name\":\"helper\",\"description\":\"Helps.\",\"endpoint\":\"" URL               \
  "\",\"protocol\":\"" protocol "\"" members "}]}"
#define CHAT(members) ONE ("openai-chat", ",\"model\":\"m\"" members)
#define TASK "{\"task\":\"Do it.\"}"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
built (const char *config)
{
  CU_ASSERT_EQUAL (toolhost_mock_build (mock, "agents", config), TOOLHOST_OK);
  if (*toolhost_mock_error () != '\0')
    printf ("# %s\n", toolhost_mock_error ());
}

static void
serves (const char *type, const char *body)
{
  const char *const headers[] = { "content-type", type, NULL };

  toolhost_mock_http_once (mock, "POST", URL, 200, headers, body, strlen (body));
}

/* ---- the definition and the configuration ----------------------------------------------- */

static void
U3_13_definition (void)
{
  built (CHAT (""));
  CU_ASSERT (
    told ("definition", "",
          "{\"name\":\"helper\",\"description\":\"Helps.\",\"inputSchema\":{\"type\":"
          "\"object\",\"properties\":{\"task\":{\"type\":\"string\",\"description\":\"Task "
          "for helper\"}},\"required\":[\"task\"],\"additionalProperties\":false},"
          "\"annotations\":{\"openWorldHint\":true},\"toolhost\":{\"kind\":\"loopback\",\"text\":"
          "\"task\"}}",
          toolhost_mock_definition (mock, "helper")));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "helper"), 300000);
  built (
    CHAT (",\"output\":{\"schema\":{\"type\":\"object\"}},\"kind\":\"handoff\",\"deadline\":5"));
  CU_ASSERT (told_part ("definition", "", "\"outputSchema\":{\"type\":\"object\"}",
                        toolhost_mock_definition (mock, "helper")));
  CU_ASSERT (told_part ("definition", "", "\"kind\":\"handoff\"",
                        toolhost_mock_definition (mock, "helper")));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "helper"), 5);
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{\"agents\":{}}", "/agents: expected a list of agents" },
    { "{\"agent\":[]}", "/agent: there is no such member" },
    { "{\"agents\":[{}]}", "/agents/0/name: expected the name of a tool" },
    { ONE ("openai", ""), "/agents/0/protocol: expected \"openai-chat\"" },
    { ONE ("openai-chat", ""), "/agents/0/model: expected the name of a model" },
    { ONE ("a2a", ",\"tools\":[\"x\"]"), "/agents/0/tools: expected none" },
    { ONE ("a2a", ",\"instructions\":\"x\""), "/agents/0/instructions: expected none" },
    { CHAT (",\"tools\":[\"a b\"]"), "/agents/0/tools: expected a list" },
    { CHAT (",\"tools\":\"a\""), "/agents/0/tools: expected a list" },
    { CHAT (",\"additional_tools\":[1]"), "/agents/0/additional_tools: expected a list" },
    { CHAT (",\"parameters\":[]"), "/agents/0/parameters: expected an object" },
    { CHAT (",\"stream\":1"), "/agents/0/stream: expected true or false" },
    { CHAT (",\"max_iterations\":0"), "/agents/0/max_iterations: expected a whole number from 1" },
    { CHAT (",\"max_function_calls\":-1"),
      "/agents/0/max_function_calls: expected a whole number" },
    { CHAT (",\"max_consecutive_errors\":-1"), "/agents/0/max_consecutive_errors: expected" },
    { CHAT (",\"terminate_on_unknown_calls\":0"),
      "/agents/0/terminate_on_unknown_calls: expected" },
    { CHAT (",\"include_detailed_errors\":0"), "/agents/0/include_detailed_errors: expected" },
    { CHAT (",\"deadline\":\"1s\""), "/agents/0/deadline: expected a whole number" },
    { CHAT (",\"output\":{\"pointer\":\"a\"}"),
      "/agents/0/output/pointer: expected a JSON pointer" },
    { CHAT (",\"output\":{\"schema\":[]}"), "/agents/0/output/schema: expected an object" },
    { CHAT (",\"output\":{\"path\":\"\"}"), "/agents/0/output/path: there is no such member" },
    { CHAT (",\"propagate_session\":null"), "/agents/0/propagate_session: expected true or" },
    { CHAT (",\"kind\":\"passthrough\""), "/agents/0/kind: expected \"loopback\" or \"handoff\"" },
    { CHAT (",\"key\":\"sk\""), "/agents/0/key: there is no such member" },
    { "{\"agents\":[{\"name\":\"a\",\"protocol\":\"a2a\",\"endpoint\":\"ftp://x/\"}]}",
      "/agents/0/endpoint: expected a URL" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "agents", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
}

/* Which limits there may be: the least, a large one, and those that are none. */
static void
T3_9_limits (void)
{
  static const struct {
    const char *label, *members, *said; /* said NULL: it is good */
  } rows[] = {
    { "T3-9.8 max_iterations", ",\"max_iterations\":1", NULL },
    { "T3-9.8 max_iterations", ",\"max_iterations\":100", NULL },
    { "T3-9.8 max_iterations", ",\"max_iterations\":0", "/max_iterations: expected" },
    { "T3-9.8 max_iterations", ",\"max_iterations\":-1", "/max_iterations: expected" },
    { "T3-9.9 max_consecutive_errors", ",\"max_consecutive_errors\":0", NULL },
    { "T3-9.9 max_consecutive_errors", ",\"max_consecutive_errors\":5", NULL },
    { "T3-9.9 max_consecutive_errors", ",\"max_consecutive_errors\":-1",
      "/max_consecutive_errors: expected a whole number from 0" },
    { "T3-9.10 max_function_calls", "", NULL },
    { "T3-9.10 max_function_calls", ",\"max_function_calls\":0", NULL }, /* any number */
    { "T3-9.10 max_function_calls", ",\"max_function_calls\":1", NULL },
    { "T3-9.10 max_function_calls", ",\"max_function_calls\":100", NULL },
    { "T3-9.10 max_function_calls", ",\"max_function_calls\":-1",
      "/max_function_calls: expected a whole number" },
    { "T3-9.10 max_function_calls", ",\"max_function_calls\":null", "/max_function_calls" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text config = { 0 };
    text_addf (&config, CHAT ("%s"), rows[i].members);
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "agents", text_get (&config)),
                     rows[i].said == NULL ? TOOLHOST_OK : TOOLHOST_FAILED);
    CU_ASSERT (told_part (rows[i].label, rows[i].members, rows[i].said != NULL ? rows[i].said : "",
                          toolhost_mock_error ()));
  }
}

/* ---- a call ----------------------------------------------------------------------------- */

#define WHOLE(text)                                                                                \
  "{\"choices\":[{\"message\":{\"content\":\"" text "\"},\"finish_reason\":\"stop\"}]}"
#define CALL(name, args)                                                                           \
  "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"function\":{"     \
  "\"name\":\"" name "\",\"arguments\":\"" args "\"}}]}}]}"
#define ADD "{\"name\":\"add\",\"description\":\"Adds.\",\"inputSchema\":{\"type\":\"object\"}}"

static void
one_round (void)
{
  toolhost_mock_invocable (mock, ADD, TOOLHOST_OK,
                           "{\"is_error\":false,\"content\":[],\"structured\":{\"sum\":3}}");
  built (CHAT (",\"tools\":[\"add\"],\"stream\":false"));
  serves ("application/json", CALL ("add", "{\\\"a\\\":1}"));
  serves ("application/json", WHOLE ("Three."));
  CU_ASSERT (says (mock, "helper", TASK, "Three."));
  CU_ASSERT_STRING_EQUAL (toolhost_mock_invocations (mock), "add {\"a\":1}\n");
  CU_ASSERT_PTR_NOT_NULL (
    strstr (toolhost_mock_http_requests (mock),
            "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"{\\\"sum\\\":3}\"}"));
}

static void
A3_8_the_only_text_is_the_task (void)
{
  built (CHAT (",\"stream\":false"));
  serves ("application/json", WHOLE ("Yes."));
  CU_ASSERT (says (mock, "helper", "{\"question\":\"Is it?\"}", "Yes."));
  CU_ASSERT_PTR_NOT_NULL (strstr (toolhost_mock_http_requests (mock), "\"content\":\"Is it?\""));
  CU_ASSERT (fails (mock, "helper", "{\"a\":\"x\",\"b\":\"y\"}", "agent_error", "must be a text"));
  CU_ASSERT (fails (mock, "helper", "{\"a\":1}", "agent_error", "must be a text"));
}

static toolhost_mock_result *
asked (const char *question)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "helper", TASK);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT (told_part ("asks", TASK, question, r->asks));
  return r;
}

static void
T3_16_a_question_and_what_is_kept (void)
{
  toolhost_mock_invocable (
    mock, ADD, TOOLHOST_ASKED,
    "{\"is_error\":true,\"content\":[],\"asks\":{\"sure\":{\"kind\":\"form\",\"params\":{"
    "\"message\":\"Sure?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}}}");
  built (CHAT (",\"tools\":[\"add\"],\"stream\":false"));
  serves ("application/json", CALL ("add", "{}"));
  serves ("application/json", WHOLE ("Done."));
  toolhost_mock_result_free (asked ("\"t1.0.0\":{\"kind\":\"form\",\"params\":{\"message\":"));
  toolhost_mock_answer (mock, "t1.0.0", TOOLHOST_ANSWERED, "{\"ok\":true}");
  toolhost_mock_invocable (mock, ADD, TOOLHOST_OK, "{\"content\":[{\"text\":\"3\"}]}");
  CU_ASSERT (says (mock, "helper", TASK, "Done."));
  CU_ASSERT (told ("invocations", "",
                   "add {}\nadd {} {\"sure\":{\"action\":\"accept\",\"content\":{\"ok\":true}}}\n",
                   toolhost_mock_invocations (mock)));
}

static void
T3_16_what_is_too_much_to_keep (void)
{
  static char text[12000];
  static char body[sizeof text + 1000];

  memset (text, 'x', sizeof text - 1);
  (void) snprintf (body, sizeof body,
                   "{\"choices\":[{\"message\":{\"content\":\"%s\",\"tool_calls\":[{\"id\":\"c1\","
                   "\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]}}]}",
                   text);
  toolhost_mock_invocable (mock, ADD, TOOLHOST_ASKED,
                           "{\"asks\":{\"k\":{\"kind\":\"roots\",\"params\":{}}}}");
  built (CHAT (",\"tools\":[\"add\"],\"stream\":false"));
  serves ("application/json", body);
  CU_ASSERT (fails (mock, "helper", TASK, "agent_error", "too much to be kept"));
}

static void
nobody_can_be_asked (void)
{
  toolhost_mock_set_askable (mock, "");
  toolhost_mock_invocable (mock, ADD, TOOLHOST_ASKED,
                           "{\"asks\":{\"k\":{\"kind\":\"roots\",\"params\":{}}}}");
  built (CHAT (",\"tools\":[\"add\"],\"stream\":false"));
  serves ("application/json", CALL ("add", "{}"));
  serves ("application/json", WHOLE ("Well."));
  CU_ASSERT (says (mock, "helper", TASK, "Well."));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (toolhost_mock_http_requests (mock), "\"content\":\"Error: Function failed.\""));
}

static void
it_stops_when_it_is_cancelled (void)
{
  built (CHAT (""));
  serves ("text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n");
  toolhost_mock_cancel_after (mock, 1);
  {
    toolhost_mock_result *r = toolhost_mock_call (mock, "helper", TASK);
    CU_ASSERT_EQUAL (r->status, TOOLHOST_CANCELLED);
    toolhost_mock_result_free (r);
  }
}

/* ---- streams in pieces ------------------------------------------------------------------ */

struct reading {
  struct turn turn;
  const struct protocol *protocol;
};

static bool
take (void *ctx, const struct sse_event *event)
{
  struct reading *r = ctx;

  turn_take_event (&r->turn, r->protocol, event->data, event->len);
  return r->turn.state == TURN_RUNS;
}

/* What a turn has come to, in one line. */
static void
show (const struct turn *turn, struct text *out)
{
  static const char *const states[] = { "runs", "done", "asks", "failed" };

  text_addf (out, "%s|%s|%s|%s|%s", states[turn->state], text_get (&turn->text),
             text_get (&turn->error), text_get (&turn->context), text_get (&turn->task));
  for (size_t i = 0; i < turn->count; i++)
    text_addf (out, "|%s %s %s", text_get (&turn->calls[i].id), text_get (&turn->calls[i].name),
               text_get (&turn->calls[i].args));
}

static void
read_in_pieces (const char *name, const char *stream, size_t piece, struct text *out)
{
  struct values pool = { 0 };
  struct reading r = { .turn = { .pool = &pool }, .protocol = protocol_find (name) };
  struct sse sse = { .lines.max = 1 << 20 };
  const size_t len = strlen (stream);

  for (size_t at = 0; at < len; at += piece)
    if (!sse_feed (&sse, stream + at, len - at < piece ? len - at : piece, take, &r))
      break;
  show (&r.turn, out);
  turn_free (&r.turn);
  sse_free (&sse);
  values_free (&pool);
}

#define D(json) "data: " json "\n\n"

static const struct {
  const char *protocol, *stream, *turn;
} streams[] = {
  { "openai-chat",
    D ("{\"choices\":[{\"delta\":{\"content\":\"caf\xc3\xa9 \"}}]}") ": ping\n\n" D (
      "{\"choices\":[{\"delta\":{\"content\":\"2\"},\"finish_reason\":\"stop\"}]}") D ("[DONE]"),
    "done|caf\xc3\xa9 2|||" },
  { "openai-chat",
    D ("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":"
       "\"y\"}},{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{\\\"\"}}]}}"
       "]}")
      D ("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"q"
         "\\\":1}\"}}]}}]}") D ("[DONE]"),
    "done|||||b y |a x {\"q\":1}" },
  { "openai-chat", D ("{\"choices\":[{\"delta\":{\"content\":\"cut\"}}]}"), "runs|cut|||" },
  { "openai-chat", D ("{\"error\":{\"message\":\"over\xff\"}}"),
    "failed||its answer is no JSON object||" },
  { "openai-chat", D ("{\"error\":{\"message\":\"over\"}}"), "failed||over||" },
  { "openai-chat", D ("{\"error\":\"plain\"}"), "failed||plain||" },
  { "openai-chat", D ("[1]"), "failed||its answer is no JSON object||" },
  { "openai-responses",
    D ("{\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}") D (
      "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"call_id\":"
      "\"c\",\"name\":\"n\",\"arguments\":\"{}\"}}")
      D ("{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}"),
    "done|hi||||c n {}" },
  { "openai-responses",
    D ("{\"type\":\"response.failed\",\"response\":{\"error\":{\"message\":\"quota\"}}}"),
    "failed||quota||" },
  { "openai-responses",
    D ("{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\","
       "\"content\":[{\"type\":\"output_text\",\"text\":\"late\"}]}]}}"),
    "done|late|||" },
  { "anthropic-messages",
    "event: content_block_start\r\n" D (
      "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
      "\"id\":\"t\",\"name\":\"n\",\"input\":{}}}")
      D ("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
         "\"partial_json\":\"{\\\"a\\\"\"}}")
        D ("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
           "\"partial_json\":\":2}\"}}") D ("{\"type\":\"message_stop\"}"),
    "done|||||t n {\"a\":2}" },
  { "anthropic-messages", D ("{\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}"),
    "failed||Overloaded||" },
  { "a2a",
    D ("{\"result\":{\"kind\":\"task\",\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
       "\"working\"}}}") D ("{\"result\":{\"kind\":\"artifact-update\",\"artifact\":{"
                            "\"artifactId\":\"a\",\"parts\":["
                            "{\"kind\":\"text\",\"text\":\"one\"}]}}}")
      D ("{\"result\":{\"kind\":\"artifact-update\",\"artifact\":{\"artifactId\":\"b\",\"parts\":["
         "{\"kind\":\"data\",\"data\":{\"n\":1}}]}}}")
        D ("{\"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"contextId\":\"c\",\"final\":"
           "true,\"status\":{\"state\":\"completed\"}}}"),
    "done|one\n{\"n\":1}||c|t" },
  { "a2a",
    D ("{\"result\":{\"kind\":\"message\",\"contextId\":\"c\",\"parts\":[{\"kind\":\"text\","
       "\"text\":\"hello\"}]}}"),
    "done|hello||c|" },
  { "a2a",
    D (
      "{\"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"status\":{\"state\":\"rejected\","
      "\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"no\"}]}}}}"),
    "failed|no|its task is rejected: no||t" },
  { "a2a", D ("{\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}"),
    "failed||Task not found||" },
  { "a2a", D ("{\"result\":3}"), "failed||its answer has no result||" },
};

static void
streams_in_pieces_of_any_size (void)
{
  static const size_t sizes[] = { 1, 2, 3, 7, 64, 1 << 20 };

  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      CLEANUP_TEXT struct text got = { 0 };
      read_in_pieces (streams[i].protocol, streams[i].stream, sizes[k], &got);
      CU_ASSERT (told ("turn", streams[i].stream, streams[i].turn, text_get (&got)));
    }
}

static void
too_many_calls_fail_the_turn (void)
{
  CLEANUP_TEXT struct text stream = { 0 }, got = { 0 };

  for (int i = 0; i < 70; i++)
    text_addf (
      &stream,
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,\"id\":\"i\"}]}}]}\n\n", i);
  read_in_pieces ("openai-chat", text_get (&stream), 50, &got);
  CU_ASSERT (
    told_part ("turn", "70 calls", "failed||it calls too many tools at once", text_get (&got)));
}

static CU_TestInfo tests[] = {
  { "U3-13 S3-18 the definition", U3_13_definition },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "T3-9 limits", T3_9_limits },
  { "one round with a tool", one_round },
  { "A3-8 the only text is the task", A3_8_the_only_text_is_the_task },
  { "T3-16 a question, and what is kept", T3_16_a_question_and_what_is_kept },
  { "T3-16 what is too much to be kept", T3_16_what_is_too_much_to_keep },
  { "nobody can be asked", nobody_can_be_asked },
  { "it stops when it is cancelled", it_stops_when_it_is_cancelled },
  { "streams in pieces of any size", streams_in_pieces_of_any_size },
  { "too many calls fail the turn", too_many_calls_fail_the_turn },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "agent", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* AG-UI's rules for streams of events (its clients' own tests, as rows), its chunks, its framing.
 */
#include "front/agui/chunks.h"
#include "front/agui/lines.h"
#include "front/agui/verify.h"
#include "tap.h"

#define E(type, more) "{\"type\":\"" type "\"" more "}\n"
#define ID(name, id) ",\"" name "\":\"" id "\""
#define STARTED(t, r) E ("RUN_STARTED", ID ("threadId", t) ID ("runId", r))
#define FINISHED(t, r) E ("RUN_FINISHED", ID ("threadId", t) ID ("runId", r))
#define BEGIN STARTED ("t1", "r1")
#define FINISH FINISHED ("t1", "r1")
#define FAILED E ("RUN_ERROR", ID ("message", "it broke"))
#define TEXT(id) E ("TEXT_MESSAGE_START", ID ("messageId", id))
#define ROLE(id, role) E ("TEXT_MESSAGE_START", ID ("messageId", id) ID ("role", role))
#define SAY(id) E ("TEXT_MESSAGE_CONTENT", ID ("messageId", id) ID ("delta", "Hello"))
#define SAID(id) E ("TEXT_MESSAGE_END", ID ("messageId", id))
#define CALL(id) E ("TOOL_CALL_START", ID ("toolCallId", id) ID ("toolCallName", "tool"))
#define ARGS(id) E ("TOOL_CALL_ARGS", ID ("toolCallId", id) ID ("delta", "{}"))
#define CALLED(id) E ("TOOL_CALL_END", ID ("toolCallId", id))
#define STEP(name) E ("STEP_STARTED", ID ("stepName", name))
#define STEPPED(name) E ("STEP_FINISHED", ID ("stepName", name))
#define THINK E ("THINKING_START", "")
#define THOUGHT E ("THINKING_END", "")
#define MUSE E ("THINKING_TEXT_MESSAGE_START", "")
#define MUSING E ("THINKING_TEXT_MESSAGE_CONTENT", ID ("delta", "hm"))
#define MUSED E ("THINKING_TEXT_MESSAGE_END", "")
#define SPAN(id) E ("REASONING_START", ID ("messageId", id))
#define SPANNED(id) E ("REASONING_END", ID ("messageId", id))
#define REASON(id) E ("REASONING_MESSAGE_START", ID ("messageId", id))
#define REASONING(id) E ("REASONING_MESSAGE_CONTENT", ID ("messageId", id) ID ("delta", "so"))
#define REASONED(id) E ("REASONING_MESSAGE_END", ID ("messageId", id))
#define CUSTOM E ("CUSTOM", ID ("name", "n") ",\"value\":1")

static const struct row {
  const char *events;
  const char *fault; /* of the last of them, or of the end; NULL: none */
} rows[] = {
  { "", NULL },
  { BEGIN TEXT ("m1") SAY ("m1") SAID ("m1") FINISH, NULL },
  { TEXT ("m1"), "First event must be 'RUN_STARTED'" },
  { CUSTOM, "First event must be 'RUN_STARTED'" },
  { FAILED, NULL },
  { BEGIN STARTED ("t2", "r2"),
    "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished with "
    "'RUN_FINISHED' before starting a new run." },
  { BEGIN FINISH TEXT ("m1"),
    "Cannot send event type 'TEXT_MESSAGE_START': The run has already finished with "
    "'RUN_FINISHED'. Start a new run with 'RUN_STARTED'." },
  { BEGIN FINISH FINISH,
    "Cannot send event type 'RUN_FINISHED': The run has already finished with 'RUN_FINISHED'. "
    "Start a new run with 'RUN_STARTED'." },
  { BEGIN FAILED TEXT ("m1"),
    "Cannot send event type 'TEXT_MESSAGE_START': The run has already errored with 'RUN_ERROR'. No "
    "further events can be sent." },
  { BEGIN FAILED BEGIN,
    "Cannot send event type 'RUN_STARTED': The run has already errored with 'RUN_ERROR'. No "
    "further events can be sent." },
  { BEGIN FINISH FAILED, NULL },
  { BEGIN TEXT ("m1") FAILED, NULL },
  { BEGIN FINISH STARTED ("t1", "r2") TEXT ("m1") SAID ("m1") FINISHED ("t1", "r2"), NULL },
  { BEGIN SPAN ("m1") SPANNED ("m1") FINISH STARTED ("t2", "r2") FINISHED ("t2", "r2"), NULL },
  { BEGIN FINISHED ("t2", "r1"), "RUN_FINISHED identifiers must match RUN_STARTED" },
  { BEGIN FINISHED ("t1", "r2"), "RUN_FINISHED identifiers must match RUN_STARTED" },
  { BEGIN, "Event stream ended before RUN_FINISHED or RUN_ERROR" },
  { BEGIN TEXT ("m1"), "Event stream ended before RUN_FINISHED or RUN_ERROR" },
  /* messages */
  { BEGIN TEXT ("m1") SAY ("m1") SAY ("m1") SAID ("m1") FINISH, NULL },
  { BEGIN TEXT ("m1") TEXT ("m2") SAY ("m1") SAY ("m2") SAID ("m1") SAID ("m2") FINISH, NULL },
  { BEGIN TEXT ("m1") TEXT ("m1"),
    "Cannot send 'TEXT_MESSAGE_START' event: A text message with ID 'm1' is already in progress. "
    "Complete it with 'TEXT_MESSAGE_END' first." },
  { BEGIN SAY ("m1"),
    "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm1'. Start a "
    "text message with 'TEXT_MESSAGE_START' first." },
  { BEGIN SAID ("m1"),
    "Cannot send 'TEXT_MESSAGE_END' event: No active text message found with ID 'm1'. A "
    "'TEXT_MESSAGE_START' event must be sent first." },
  { BEGIN TEXT ("m1") SAY ("m2"),
    "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm2'. Start a "
    "text message with 'TEXT_MESSAGE_START' first." },
  { BEGIN TEXT ("m1") SAID ("m1") SAY ("m1"),
    "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm1'. Start a "
    "text message with 'TEXT_MESSAGE_START' first." },
  { BEGIN TEXT ("m1") FINISH,
    "Cannot send 'RUN_FINISHED' while text messages are still active: m1" },
  { BEGIN TEXT ("m1") TEXT ("m2") FINISH,
    "Cannot send 'RUN_FINISHED' while text messages are still active: m1, m2" },
  { BEGIN TEXT ("m1") CALL ("c1") CALLED ("c1") CUSTOM SAY ("m1") SAID ("m1") FINISH, NULL },
  { BEGIN TEXT ("m1") SAID ("m1") TEXT ("m1") SAID ("m1") FINISH, NULL },
  { BEGIN TEXT ("m1") SAID ("m1") ROLE ("m1", "user"),
    "Cannot reopen text message 'm1' with a different role" },
  /* calls */
  { BEGIN CALL ("tc1") ARGS ("tc1") ARGS ("tc1") CALLED ("tc1") FINISH, NULL },
  { BEGIN CALL ("tc1") CALL ("tc2") ARGS ("tc1") ARGS ("tc2") CALLED ("tc1") CALLED ("tc2") FINISH,
    NULL },
  { BEGIN CALL ("x") TEXT ("x") CALLED ("x") SAID ("x") FINISH, NULL },
  { BEGIN CALL ("tc1") CALL ("tc1"),
    "Cannot send 'TOOL_CALL_START' event: A tool call with ID 'tc1' is already in progress. "
    "Complete it with 'TOOL_CALL_END' first." },
  { BEGIN ARGS ("tc1"),
    "Cannot send 'TOOL_CALL_ARGS' event: No active tool call found with ID 'tc1'. Start a tool "
    "call with 'TOOL_CALL_START' first." },
  { BEGIN CALL ("tc1") ARGS ("tc2"),
    "Cannot send 'TOOL_CALL_ARGS' event: No active tool call found with ID 'tc2'. Start a tool "
    "call with 'TOOL_CALL_START' first." },
  { BEGIN CALLED ("tc1"),
    "Cannot send 'TOOL_CALL_END' event: No active tool call found with ID 'tc1'. A "
    "'TOOL_CALL_START' event must be sent first." },
  { BEGIN CALL ("tc1") FINISH,
    "Cannot send 'RUN_FINISHED' while tool calls are still active: tc1" },
  { BEGIN CALL ("tc1") CALLED ("tc1") CALL ("tc1") CALLED ("tc1") FINISH, NULL },
  { BEGIN CALL ("c") ARGS ("c") CALLED ("c") E (
      "TOOL_CALL_RESULT", ID ("toolCallId", "c") ID ("messageId", "m") ID ("content", "1")) FINISH,
    NULL },
  /* steps */
  { BEGIN STEP ("step1") STEP ("step2") STEPPED ("step1") STEPPED ("step2") FINISH, NULL },
  { BEGIN STEP ("step1") STEP ("step1"), "Step \"step1\" is already active for 'STEP_STARTED'" },
  { BEGIN STEPPED ("step1"),
    "Cannot send 'STEP_FINISHED' for step \"step1\" that was not started" },
  { BEGIN STEP ("step1") STEPPED ("step1") STEPPED ("step1"),
    "Cannot send 'STEP_FINISHED' for step \"step1\" that was not started" },
  { BEGIN STEP ("step1") FINISH, "Cannot send 'RUN_FINISHED' while steps are still active: step1" },
  /* thinking */
  { BEGIN THINK MUSE MUSING MUSING MUSED THOUGHT FINISH, NULL },
  { BEGIN THINK THINK,
    "Cannot send 'THINKING_START' event: A thinking step is already in progress. "
    "Complete it with 'THINKING_END' first." },
  { BEGIN THOUGHT, "Cannot send 'THINKING_END' event: No active thinking step found. A "
                   "'THINKING_START' event must be sent first." },
  { BEGIN MUSE, "Cannot send 'THINKING_TEXT_MESSAGE_START' event: No active thinking step found. A "
                "'THINKING_START' event must be sent first." },
  { BEGIN THINK MUSE MUSE,
    "Cannot send 'THINKING_TEXT_MESSAGE_START' event: A thinking text message is already in "
    "progress. Complete it with 'THINKING_TEXT_MESSAGE_END' first." },
  { BEGIN THINK MUSING,
    "Cannot send 'THINKING_TEXT_MESSAGE_CONTENT' event: No active thinking text message found. "
    "Start a thinking text message with 'THINKING_TEXT_MESSAGE_START' first." },
  { BEGIN THINK MUSED,
    "Cannot send 'THINKING_TEXT_MESSAGE_END' event: No active thinking text message found. A "
    "'THINKING_TEXT_MESSAGE_START' event must be sent first." },
  /* reasoning */
  { BEGIN SPAN ("a") REASON ("a") REASONING ("a") REASONED ("a") SPANNED ("a") FINISH, NULL },
  { BEGIN SPAN ("a") SPAN ("a"), "Reasoning span 'a' is already active" },
  { BEGIN SPANNED ("a"), "Reasoning span 'a' was not started" },
  { BEGIN REASON ("a") REASON ("a"), "Reasoning message 'a' is already active" },
  { BEGIN REASONING ("a"), "Reasoning message 'a' was not started" },
  { BEGIN REASONED ("a"), "Reasoning message 'a' was not started" },
  { BEGIN SPAN ("a") FINISH, "Cannot send RUN_FINISHED while reasoning is still active" },
  { BEGIN REASON ("a") FINISH, "Cannot send RUN_FINISHED while reasoning is still active" },
  /* interrupts, and what nobody knows */
  { BEGIN E ("RUN_FINISHED",
             ID ("threadId", "t1") ID ("runId", "r1") ",\"outcome\":{\"interrupts\""
                                                      ":[{\"id\":\"i\"},{\"id\":\"i\"}]}"),
    "Interrupt identifiers must be unique" },
  { BEGIN E ("RUN_FINISHED",
             ID ("threadId", "t1") ID ("runId", "r1") ",\"outcome\":{\"interrupts\""
                                                      ":[{\"id\":\"i\"},{\"id\":\"j\"}]}"),
    NULL },
  { BEGIN E ("RUN_FINISHED", ID ("threadId", "t1") ID ("runId", "r1") ",\"outcome\":null"), NULL },
  { BEGIN E ("STATE_SNAPSHOT", ",\"snapshot\":{}") E ("OF_TOMORROW", "") FINISH, NULL },
};

/* Read line by line; false: a fault, told in `why`. */
static bool
verify (const char *events, struct buf *why)
{
  struct agui_verifier v = { .marks = NULL };
  bool good = true;

  for (const char *line = events; *line != '\0' && good; line = strchr (line, '\n') + 1) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct json_tape tape;
    struct agui_event e;
    bool read = agui_event_read (&e, &tape, line, (size_t) (strchr (line, '\n') - line),
                                 &json_default_limits, &arena, why);
    CU_ASSERT_FATAL (read);
    good = agui_verify (&v, &e, why);
    CU_ASSERT (good || strchr (line, '\n')[1] == '\0');
  }
  good = good && agui_verify_end (&v, why);
  agui_verifier_free (&v);
  return good;
}

static void
test_verify (void)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    CLEANUP_BUF struct buf why = { 0 };
    bool good = verify (rows[i].events, &why);
    const char *expected = rows[i].fault != NULL ? rows[i].fault : "";
    if (good != (rows[i].fault == NULL) || strcmp (buf_cstr (&why), expected) != 0)
      printf ("# %s# got      %s\n# expected %s\n", rows[i].events, buf_cstr (&why), expected);
    CU_ASSERT_EQUAL (good, rows[i].fault == NULL);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&why), expected);
  }
}

/* ---- what is no event ---- */

static void
test_malformed (void)
{
  static const struct {
    const char *text, *why;
  } bad[] = {
    { "{", "not JSON: " },
    { "[]", "expected an object" },
    { "{}", "/type: expected a string" },
    { "{\"type\":1}", "/type: expected a string" },
    { "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\"}", "RUN_STARTED: /runId: expected a string" },
    { "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c\",\"toolCallName\":7}",
      "TOOL_CALL_START: /toolCallName: expected a string" },
    { "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"a\\u0000b\"}",
      "TOOL_CALL_END: /toolCallId: expected a string" },
  };

  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    CLEANUP_BUF struct buf why = { 0 };
    struct json_tape tape;
    struct agui_event e;
    CU_ASSERT_FALSE (agui_event_read (&e, &tape, bad[i].text, strlen (bad[i].text),
                                      &json_default_limits, &arena, &why));
    CU_ASSERT_EQUAL (strncmp (buf_cstr (&why), bad[i].why, strlen (bad[i].why)), 0);
  }
}

/* ---- chunks ---- */

#define CHUNK(more) E ("TOOL_CALL_CHUNK", more)
#define TOOL(id, name) ID ("toolCallId", id) ID ("toolCallName", name)
#define DELTA(text) ID ("delta", text)
#define WORDS(more) E ("TEXT_MESSAGE_CHUNK", more)
#define ASSISTANT(id) ROLE (id, "assistant")

static const struct {
  const char *in, *out, *fault;
} chunk_rows[] = {
  { BEGIN CUSTOM FINISH, BEGIN CUSTOM FINISH, NULL },
  { CHUNK (TOOL ("c1", "f") DELTA ("{")) CHUNK (DELTA ("}")),
    E ("TOOL_CALL_START", TOOL ("c1", "f"))
      E ("TOOL_CALL_ARGS", ID ("toolCallId", "c1") DELTA ("{"))
        E ("TOOL_CALL_ARGS", ID ("toolCallId", "c1") DELTA ("}")) CALLED ("c1"),
    NULL },
  { CHUNK (TOOL ("c1", "f") ID ("parentMessageId", "m1")),
    E ("TOOL_CALL_START", TOOL ("c1", "f") ID ("parentMessageId", "m1")) CALLED ("c1"), NULL },
  { CHUNK (TOOL ("c1", "f") DELTA ("")), E ("TOOL_CALL_START", TOOL ("c1", "f")) CALLED ("c1"),
    NULL },
  { CHUNK (TOOL ("c1", "f")) CHUNK (TOOL ("c2", "g")),
    E ("TOOL_CALL_START", TOOL ("c1", "f")) CALLED ("c1") E ("TOOL_CALL_START", TOOL ("c2", "g"))
      CALLED ("c2"),
    NULL },
  { CHUNK (TOOL ("c1", "f")) CHUNK (ID ("toolCallId", "c1")) FINISH,
    E ("TOOL_CALL_START", TOOL ("c1", "f")) CALLED ("c1") FINISH, NULL },
  { CHUNK (ID ("toolCallId", "c1")), "",
    "First TOOL_CALL_CHUNK must provide toolCallId and toolCallName" },
  { CHUNK (ID ("toolCallName", "f")), "",
    "First TOOL_CALL_CHUNK must provide toolCallId and toolCallName" },
  { CHUNK (TOOL ("c1", "f")) CHUNK (TOOL ("c1", "g")), E ("TOOL_CALL_START", TOOL ("c1", "f")),
    "TOOL_CALL_CHUNK name disagrees with its opener" },
  { CHUNK (TOOL ("c1", "f")) CALL ("c1"), E ("TOOL_CALL_START", TOOL ("c1", "f")),
    "Cannot explicitly start a tool call opened by a chunk" },
  { WORDS (ID ("messageId", "m1") DELTA ("a")) WORDS (DELTA ("b")) CHUNK (TOOL ("c1", "f")),
    ASSISTANT ("m1") E ("TEXT_MESSAGE_CONTENT", ID ("messageId", "m1") DELTA ("a"))
      E ("TEXT_MESSAGE_CONTENT", ID ("messageId", "m1") DELTA ("b")) SAID ("m1")
        E ("TOOL_CALL_START", TOOL ("c1", "f")) CALLED ("c1"),
    NULL },
  { WORDS (ID ("messageId", "m1") ID ("role", "user")) WORDS (ID ("messageId", "m2")),
    ROLE ("m1", "user") SAID ("m1") ASSISTANT ("m2") SAID ("m2"), NULL },
  { WORDS (DELTA ("a")), "", "First TEXT_MESSAGE_CHUNK must provide messageId" },
  { WORDS (ID ("messageId", "m1")) WORDS (ID ("role", "user")), ASSISTANT ("m1"),
    "TEXT_MESSAGE_CHUNK role disagrees with its opener" },
  { WORDS (ID ("messageId", "m1")) TEXT ("m1"), ASSISTANT ("m1"),
    "Cannot explicitly start a text message opened by a chunk" },
  { WORDS (ID ("messageId", "m1")) E ("RAW", ",\"event\":1") WORDS (DELTA ("b")),
    ASSISTANT ("m1") E ("RAW", ",\"event\":1")
      E ("TEXT_MESSAGE_CONTENT", ID ("messageId", "m1") DELTA ("b")) SAID ("m1"),
    NULL },
  { CHUNK (TOOL ("c1", "f") ",\"timestamp\":7,\"rawEvent\":{\"x\":1}"),
    E ("TOOL_CALL_START", TOOL ("c1", "f") ",\"timestamp\":7,\"rawEvent\":{\"x\":1}") CALLED ("c1"),
    NULL },
  { CALL ("c1") ARGS ("c1") CALLED ("c1") CHUNK (TOOL ("c2", "f")),
    CALL ("c1") ARGS ("c1") CALLED ("c1") E ("TOOL_CALL_START", TOOL ("c2", "f")) CALLED ("c2"),
    NULL },
  { E ("REASONING_MESSAGE_CHUNK", ID ("messageId", "a") DELTA ("so")),
    E ("REASONING_MESSAGE_START", ID ("messageId", "a") ID ("role", "reasoning")) REASONING ("a")
      REASONED ("a"),
    NULL },
};

static bool
note (void *ctx, const struct agui_event *e)
{
  size_t len;
  const char *raw = json_raw (e->tape, e->event, &len);

  buf_append (ctx, raw, len);
  buf_putc (ctx, '\n');
  return true;
}

static void
test_chunks (void)
{
  for (size_t i = 0; i < sizeof chunk_rows / sizeof chunk_rows[0]; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    CLEANUP_BUF struct buf why = { 0 };
    const struct agui_sink sink = { note, &out };
    struct agui_chunks c = { .id = NULL };
    bool good = true;
    for (const char *line = chunk_rows[i].in; *line != '\0' && good;
         line = strchr (line, '\n') + 1) {
      CLEANUP_ARENA struct arena arena = { 0 };
      struct json_tape tape;
      struct agui_event e;
      CU_ASSERT_FATAL (agui_event_read (&e, &tape, line, (size_t) (strchr (line, '\n') - line),
                                        &json_default_limits, &arena, &why));
      good = agui_expand (&c, &e, &sink, &why);
    }
    if (good)
      CU_ASSERT (agui_expand_end (&c, &sink));
    agui_chunks_free (&c);
    if (strcmp (buf_cstr (&out), chunk_rows[i].out) != 0)
      printf ("# got\n%s# expected\n%s", buf_cstr (&out), chunk_rows[i].out);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&out), chunk_rows[i].out);
    CU_ASSERT_EQUAL (good, chunk_rows[i].fault == NULL);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&why),
                            chunk_rows[i].fault != NULL ? chunk_rows[i].fault : "");
  }
}

/* ---- framing ---- */

/* The events of the text, with '|' after each, taken in pieces of this size. */
static void
frame (const char *text, size_t piece, struct buf *out)
{
  struct agui_lines lines = { .data = { 0 } };
  CLEANUP_BUF struct buf event = { 0 };
  size_t at = 0, len = strlen (text);

  for (size_t have = piece < len ? piece : len;; have = have + piece < len ? have + piece : len) {
    while (agui_lines_next (&lines, text, have, have == len, &at, &event)) {
      buf_append (out, event.data, event.len);
      buf_putc (out, '|');
    }
    if (have == len)
      break;
  }
  buf_free (&lines.data);
}

static void
test_lines (void)
{
  static const struct {
    const char *text, *events;
  } streams[] = {
    { "", "" },
    { "{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}|{\"b\":2}|" },
    { "{\"a\":1}\r\n\r\n{\"b\":2}", "{\"a\":1}|{\"b\":2}|" },
    { "data: {\"a\":1}\n\ndata: {\"b\":2}\n\n", "{\"a\":1}|{\"b\":2}|" },
    { "data:{\"a\":1}\n\n", "{\"a\":1}|" },
    { ": hello\nevent: message\nid: 7\nretry: 5\ndata: {\ndata: \"a\":1}\n\n", "{\n\"a\":1}|" },
    { "data: {\"a\":1}", "{\"a\":1}|" },
    { "\n\n", "" },
  };

  for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
    for (size_t piece = 1; piece < 40; piece += 3) {
      CLEANUP_BUF struct buf out = { 0 };
      frame (streams[i].text, piece, &out);
      CU_ASSERT_STRING_EQUAL (buf_cstr (&out), streams[i].events);
    }
}

static CU_TestInfo tests[] = {
  { "U1-21 T1-13 the rules of a stream, with their sentences", test_verify },
  { "U1-22 T1-14 chunks become what they stand for", test_chunks },
  { "T1-16 what is no event", test_malformed },
  { "T1-16 server-sent events and lines, in pieces of any size", test_lines },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "agui_events", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* What a call asks and is answered: the rules for both, and the rounds of a call against a pool
 * that the test plays. */
#include <ev.h>
#include <stdlib.h>

#include "call/calls.h"
#include "played_unit.h"
#include "tap.h"

#define NAME_FORM                                                                                  \
  "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":"       \
  "{\"type\":\"string\",\"minLength\":2}},\"required\":[\"name\"]}}"
#define FORM(key) "\"" key "\":{\"kind\":\"form\",\"params\":" NAME_FORM "}"
#define ASKED(asks) "{\"asks\":{" asks "},\"needs\":0}"
#define ACCEPT(name) "{\"action\":\"accept\",\"content\":{\"name\":\"" name "\"}}"

static struct ask_rules *rules;

static int
make_rules (void)
{
  rules = ask_rules_new ();
  return 0;
}

static int
free_rules (void)
{
  ask_rules_free (rules);
  return 0;
}

static bool
open_text (struct ask *ask, const char *asked, unsigned kinds, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, asked, strlen (asked), &json_default_limits, &arena));
  return ask_open (ask, rules, &tape, json_root (&tape), kinds, err);
}

static bool
answer_text (struct ask *ask, const char *responses, size_t *taken, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (
    json_read (&tape, responses, strlen (responses), &json_default_limits, &arena));
  return ask_answer (ask, rules, &tape, json_root (&tape), taken, err);
}

static bool
is (struct buf *b, const char *text)
{
  if (strcmp (buf_cstr (b), text) == 0)
    return true;
  printf ("# expected: %s\n# got:      %s\n", text, buf_cstr (b));
  return false;
}

/* ---- questions ---- */

static void
test_questions (void)
{
  struct ask *ask = ask_new ();
  struct error err = { 0 };

  CU_ASSERT_TRUE (
    open_text (ask,
               ASKED (FORM ("f") ",\"u\":{\"kind\":\"url\",\"params\":{\"message\":\"Pay\","
                                 "\"url\":\"https://pay.example/1?x=y\"}},"
                                 "\"s\":{\"kind\":\"sampling\",\"params\":{\"messages\":[{\"role\":"
                                 "\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\"}}],"
                                 "\"maxTokens\":5}},\"r\":{\"kind\":\"roots\",\"params\":{}}"),
               FRAME_ASK_ALL, &err));
  CU_ASSERT_TRUE (
    is (&ask->open,
        "{\"f\":{\"method\":\"elicitation/create\",\"params\":" NAME_FORM "},"
        "\"u\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"Pay\","
        "\"url\":\"https://pay.example/1?x=y\"}},"
        "\"s\":{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\","
        "\"content\":{\"type\":\"text\",\"text\":\"hi\"}}],\"maxTokens\":5}},"
        "\"r\":{\"method\":\"roots/list\"}}"));
  CU_ASSERT_EQUAL (ask->open_count, 4);
  ask_free (ask);
}

#define FIELD(field)                                                                               \
  ASKED ("\"k\":{\"kind\":\"form\",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":"   \
         "\"object\",\"properties\":{\"a\":" field "}}}}")
#define URL(url)                                                                                   \
  ASKED ("\"k\":{\"kind\":\"url\",\"params\":{\"message\":\"m\",\"url\":\"" url "\"}}")

static void
test_good_fields (void)
{
  static const char *const rows[] = {
    FIELD ("{\"type\":\"string\",\"title\":\"t\",\"description\":\"d\",\"format\":\"email\","
           "\"maxLength\":5,\"default\":\"x\"}"),
    FIELD ("{\"type\":\"integer\",\"minimum\":0,\"maximum\":9,\"default\":1}"),
    FIELD ("{\"type\":\"number\",\"default\":95.5}"),
    FIELD ("{\"type\":\"boolean\",\"default\":true}"),
    FIELD ("{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"enumNames\":[\"A\",\"B\"]}"),
    FIELD ("{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}]}"),
    FIELD ("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]},\"minItems\":1}"),
    FIELD ("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":\"A\"}]},"
           "\"maxItems\":2,\"default\":[\"a\"]}"),
    URL ("https://example.com"),
    URL ("https://[::1]:8443/a/b#c"),
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ask *ask = ask_new ();
    struct error err = { 0 };
    CU_ASSERT_TRUE (open_text (ask, rows[i], FRAME_ASK_ALL, &err));
    if (err.text[0] != '\0')
      printf ("# %s: %s\n", rows[i], err.text);
    ask_free (ask);
  }
}

static void
test_bad_questions (void)
{
  static const struct {
    const char *asked, *sentence;
  } rows[] = {
    { "{}", "asks" },
    { "{\"asks\":{},\"needs\":32}", "/needs" },
    { "{\"asks\":{\"a b\":{\"kind\":\"roots\",\"params\":{}}},\"needs\":0}", "/asks" },
    { ASKED ("\"k\":{\"kind\":\"mail\",\"params\":{}}"), "/asks/k/kind" },
    { ASKED ("\"k\":{\"kind\":\"roots\",\"params\":{\"a\":1}}"), "/asks/k/params" },
    { ASKED ("\"k\":{\"kind\":\"form\",\"params\":{\"message\":\"m\"}}"), "/asks/k/params" },
    { ASKED ("\"k\":{\"kind\":\"sampling\",\"params\":{\"messages\":[],\"maxTokens\":1}}"),
      "/asks/k/params/messages" },
    { FIELD ("{\"type\":\"object\"}"), "/properties/a/type" },
    { FIELD ("{\"type\":\"string\",\"pattern\":\"a\"}"), "/properties/a/pattern" },
    { FIELD ("{\"type\":\"string\",\"format\":\"password\"}"), "/properties/a/format" },
    { FIELD ("{\"type\":\"array\"}"), "/properties/a" },
    { FIELD ("{\"type\":\"array\",\"items\":{\"type\":\"number\"}}"), "/properties/a/items" },
    { URL ("http://example.com/"), "https URL" },
    { URL ("https://user@example.com/"), "https URL" },
    { URL ("javascript:alert(1)"), "https URL" },
    { URL ("https://example.com/ x"), "https URL" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ask *ask = ask_new ();
    struct error err = { 0 };
    CU_ASSERT_FALSE (open_text (ask, rows[i].asked, FRAME_ASK_ALL, &err));
    if (strstr (err.text, rows[i].sentence) == NULL) {
      printf ("# expected: %s\n# got: %s\n", rows[i].sentence, err.text);
      CU_FAIL ("another sentence was expected");
    }
    CU_ASSERT_TRUE (is (&ask->open, "{}"));
    ask_free (ask);
  }
}

/* A worker that does not heed what it was told. */
static void
test_what_can_not_be_asked (void)
{
  struct ask *ask = ask_new ();
  struct error err = { 0 };

  CU_ASSERT_FALSE (open_text (ask, ASKED (FORM ("f")), FRAME_ASK_ALL & ~FRAME_ASK_FORM, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "asks what this caller can't be asked");
  CU_ASSERT_FALSE (open_text (ask,
                              ASKED ("\"s\":{\"kind\":\"sampling\",\"params\":{\"messages\":[{"
                                     "\"role\":\"user\",\"content\":{}}],\"maxTokens\":5,"
                                     "\"tools\":[]}}"),
                              FRAME_ASK_SAMPLING, &err));
  ask_free (ask);
}

/* ---- answers ---- */

static void
test_answers (void)
{
  struct ask *ask = ask_new ();
  struct error err = { 0 };
  size_t taken;

  CU_ASSERT_TRUE (open_text (
    ask,
    ASKED (FORM ("a") "," FORM ("b") "," FORM ("c") ",\"r\":{\"kind\":\"roots\",\"params\":{}}"),
    FRAME_ASK_ALL, &err));
  CU_ASSERT_TRUE (answer_text (ask,
                               "{\"other\":1,\"a\":" ACCEPT ("Ada") ",\"b\":{\"action\":"
                                                                    "\"decline\"}}",
                               &taken, &err));
  CU_ASSERT_EQUAL (taken, 2);
  CU_ASSERT_EQUAL (ask->open_count, 2);
  CU_ASSERT_PTR_NULL (strstr (buf_cstr (&ask->open), "\"a\":"));
  CU_ASSERT_TRUE (answer_text (ask, "{\"a\":7}", &taken, &err)); /* it is not open any more */
  CU_ASSERT_EQUAL (taken, 0);
  CU_ASSERT_TRUE (answer_text (ask,
                               "{\"c\":{\"action\":\"cancel\",\"content\":{\"name\":1}},\"r\":{"
                               "\"roots\":[{\"uri\":\"file:///a\"}]}}",
                               &taken, &err));
  CU_ASSERT_EQUAL (ask->open_count, 0);
  CU_ASSERT_TRUE (is (&ask->open, "{}"));
  CU_ASSERT_TRUE (is (&ask->answers, "{\"a\":{\"is\":\"answered\",\"value\":{\"name\":\"Ada\"}},"
                                     "\"b\":{\"is\":\"declined\"},\"c\":{\"is\":\"dismissed\"},"
                                     "\"r\":{\"is\":\"answered\",\"value\":{\"roots\":[{\"uri\":"
                                     "\"file:///a\"}]}}}"));
  ask_free (ask);
}

static void
test_bad_answers (void)
{
  static const struct {
    const char *responses, *sentence;
  } rows[] = {
    { "{\"f\":12345}", "f: expected object" },
    { "{\"f\":{}}", "action" },
    { "{\"f\":{\"action\":\"maybe\"}}", "f/action" },
    { "{\"f\":{\"action\":\"accept\"}}", "f/content: expected the content that was asked for" },
    { "{\"f\":{\"action\":\"accept\",\"content\":{}}}", "f/content/name" },
    { "{\"f\":" ACCEPT ("x") "}", "f/content/name" },
    { "{\"s\":{\"role\":\"user\",\"content\":{}}}", "s/model" },
    { "{\"r\":{\"roots\":[{\"uri\":\"http://x\"}]}}", "r/roots/0/uri" },
    { "{\"r\":{\"roots\":[]},\"f\":null}", "f: expected object" },
  };
  struct ask *ask = ask_new ();
  struct error err = { 0 };

  CU_ASSERT_TRUE (open_text (
    ask,
    ASKED (
      FORM ("f") ",\"s\":{\"kind\":\"sampling\",\"params\":{\"messages\":[{\"role\":\"user\","
                 "\"content\":{}}],\"maxTokens\":5}},\"r\":{\"kind\":\"roots\",\"params\":{}}"),
    FRAME_ASK_ALL, &err));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_FALSE (answer_text (ask, rows[i].responses, NULL, &err));
    if (strstr (err.text, rows[i].sentence) == NULL) {
      printf ("# expected: %s\n# got: %s\n", rows[i].sentence, err.text);
      CU_FAIL ("another sentence was expected");
    }
    CU_ASSERT_EQUAL (ask->open_count, 3); /* none was taken */
  }
  ask_settle (ask, "s", "declined");
  CU_ASSERT_EQUAL (ask->open_count, 2);
  ask_settle (ask, NULL, "expired");
  CU_ASSERT_TRUE (is (&ask->answers, "{\"s\":{\"is\":\"declined\"},\"f\":{\"is\":\"expired\"},"
                                     "\"r\":{\"is\":\"expired\"}}"));
  ask_free (ask);
}

static void
test_packed (void)
{
  struct ask *ask = ask_new (), *again;
  struct error err = { 0 };
  CLEANUP_BUF struct buf packed = { 0 };

  CU_ASSERT_TRUE (open_text (ask, ASKED (FORM ("a") "," FORM ("b")), FRAME_ASK_ALL, &err));
  CU_ASSERT_TRUE (answer_text (ask, "{\"a\":" ACCEPT ("Ada") "}", NULL, &err));
  buf_append (&ask->kept, "k\0pt", 4);
  ask->rounds = 3;
  ask_pack (ask, &packed);
  again = ask_unpack (packed.data, packed.len);
  CU_ASSERT_PTR_NOT_NULL_FATAL (again);
  CU_ASSERT_EQUAL (again->rounds, 3);
  CU_ASSERT_EQUAL (again->open_count, 1);
  CU_ASSERT_EQUAL (again->kept.len, 4);
  CU_ASSERT_EQUAL (memcmp (again->kept.data, "k\0pt", 4), 0);
  CU_ASSERT_TRUE (is (&again->answers, buf_cstr (&ask->answers)));
  CU_ASSERT_FALSE (answer_text (again, "{\"b\":" ACCEPT ("x") "}", NULL, &err));
  CU_ASSERT_TRUE (answer_text (again, "{\"b\":" ACCEPT ("xy") "}", NULL, &err));
  CU_ASSERT_EQUAL (again->open_count, 0);
  for (size_t len = 0; len < packed.len - 4; len++)
    CU_ASSERT_PTR_NULL (ask_unpack (packed.data, len));
  ask_free (again);
  ask_free (ask);
}

static void
test_capabilities (void)
{
  static const struct {
    unsigned kinds;
    const char *json;
  } rows[] = { { FRAME_ASK_SAMPLING, "{\"sampling\":{}}" },
               { FRAME_ASK_FORM, "{\"elicitation\":{}}" },
               { FRAME_ASK_URL | FRAME_ASK_SAMPLING_TOOLS,
                 "{\"elicitation\":{\"url\":{}},\"sampling\":{\"tools\":{}}}" },
               { FRAME_ASK_ROOTS, "{\"roots\":{}}" } };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    ask_capabilities (rows[i].kinds, &out);
    CU_ASSERT_TRUE (is (&out, rows[i].json));
  }
}

/* ---- the fixture ---- */

struct fixture {
  struct ev_loop *loop;
  struct calls *calls;
  struct unit unit;
  struct toolset *set;
  int done;
  enum call_error error;
  char message[512];
  unsigned needs;
  struct ask *ask;
};

static void
on_done (void *ctx, const struct result *r)
{
  struct fixture *f = ctx;

  f->done++;
  f->error = r->error;
  snprintf (f->message, sizeof f->message, "%.*s", (int) r->message_len, r->message);
  f->needs = r->needs;
  f->ask = r->error == CALL_input_required ? result_take_ask (r) : NULL;
}

static const struct call_events events = { .done = on_done };

static void
setup (struct fixture *f)
{
  const struct calls_settings settings = {
    .deadline_ms = 30000, .running_max = 4, .json_depth = 8, .log_per_second = 1
  };

  memset (f, 0, sizeof *f);
  f->loop = ev_loop_new (EVFLAG_AUTO);
  f->calls = calls_new (f->loop, NULL, NULL, &settings);
  f->set = unit_toolset (&f->unit);
}

static void
teardown (struct fixture *f)
{
  CU_ASSERT_EQUAL (calls_running (f->calls), 0);
  ask_free (f->ask);
  calls_free (f->calls);
  toolset_unref (f->set);
  ev_loop_destroy (f->loop);
}

/* Call, with what an earlier round has brought and with answers that come unasked. */
static struct call *
start (struct fixture *f, struct ask *ask, unsigned kinds, const char *responses)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct call_request request = { .toolset = f->set,
                                  .name = "t",
                                  .name_len = 1,
                                  .args = "{\"n\":1}",
                                  .args_len = 7,
                                  .askable = kinds,
                                  .ask = ask };

  if (responses != NULL) {
    CU_ASSERT_TRUE_FATAL (
      json_read (&tape, responses, strlen (responses), &json_default_limits, &arena));
    request.responses_tape = &tape;
    request.responses = json_root (&tape);
  }
  f->done = 0;
  f->ask = NULL;
  return call_start (f->calls, &request, &events, f);
}

static void
test_two_rounds (void)
{
  struct fixture f;
  struct error err = { 0 };
  struct ask *ask;

  setup (&f);
  (void) start (&f, NULL, FRAME_ASK_FORM, NULL);
  CU_ASSERT_EQUAL (f.unit.job->askable, FRAME_ASK_FORM);
  CU_ASSERT_TRUE (unit_was_told (&f.unit, "{\"n\":1}", "", ""));
  unit_asks (&f.unit, ASKED (FORM ("who")), "state");
  CU_ASSERT_EQUAL (f.error, CALL_input_required);
  CU_ASSERT_EQUAL (f.ask->rounds, 1);
  ask = f.ask;
  CU_ASSERT_TRUE (answer_text (ask, "{\"who\":" ACCEPT ("Ada") "}", NULL, &err));
  (void) start (&f, ask, FRAME_ASK_FORM, NULL);
  CU_ASSERT_TRUE (unit_was_told (
    &f.unit, "{\"n\":1}", "{\"who\":{\"is\":\"answered\",\"value\":{\"name\":\"Ada\"}}}", "state"));
  unit_asks (&f.unit, ASKED (FORM ("why")), "");
  CU_ASSERT_EQUAL (f.error, CALL_input_required);
  CU_ASSERT_EQUAL (f.ask->rounds, 2);
  CU_ASSERT_EQUAL (f.ask->kept.len, 0);
  CU_ASSERT_TRUE (answer_text (f.ask, "{\"why\":{\"action\":\"decline\"}}", NULL, &err));
  (void) start (&f, f.ask, FRAME_ASK_FORM, NULL);
  unit_works (&f.unit);
  CU_ASSERT_EQUAL (f.done, 1);
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  teardown (&f);
}

static void
test_answers_that_came_first (void)
{
  struct fixture f;

  setup (&f);
  (void) start (&f, NULL, FRAME_ASK_FORM, "{\"x\":1,\"who\":" ACCEPT ("Ada") "}");
  unit_asks (&f.unit, ASKED (FORM ("who")), "");
  CU_ASSERT_EQUAL (f.done, 0);
  CU_ASSERT_EQUAL (f.unit.submitted, 2);
  CU_ASSERT_TRUE (unit_was_told (
    &f.unit, "{\"n\":1}", "{\"who\":{\"is\":\"answered\",\"value\":{\"name\":\"Ada\"}}}", ""));
  unit_works (&f.unit);
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  (void) start (&f, NULL, FRAME_ASK_FORM, "{\"wrong\":" ACCEPT ("Ada") "}");
  unit_asks (&f.unit, ASKED (FORM ("who")), "");
  CU_ASSERT_EQUAL (f.error, CALL_input_required);
  ask_free (f.ask);
  (void) start (&f, NULL, FRAME_ASK_FORM, "{\"who\":12345}");
  unit_asks (&f.unit, ASKED (FORM ("who")), "");
  CU_ASSERT_EQUAL (f.error, CALL_input_invalid);
  CU_ASSERT_PTR_NOT_NULL (strstr (f.message, "who: expected object"));
  (void) start (&f, NULL, FRAME_ASK_FORM, "{\"who\":" ACCEPT ("Ada") "}");
  f.unit.answer = (struct unit_answer){ .refusal = UNIT_QUEUE_FULL };
  unit_asks (&f.unit, ASKED (FORM ("who")), "");
  CU_ASSERT_EQUAL (f.error, CALL_tool_overloaded);
  teardown (&f);
}

static void
test_ends_that_are_no_question (void)
{
  struct fixture f;
  struct ask *ask = ask_new ();

  setup (&f);
  (void) start (&f, NULL, 0, NULL);
  unit_asks (&f.unit, "{\"asks\":{},\"needs\":4}", "");
  CU_ASSERT_EQUAL (f.error, CALL_capability_required);
  CU_ASSERT_EQUAL (f.needs, FRAME_ASK_SAMPLING);
  (void) start (&f, NULL, 0, NULL);
  unit_asks (&f.unit, ASKED (FORM ("who")), ""); /* it was told not to */
  CU_ASSERT_EQUAL (f.error, CALL_tool_execution_failed);
  (void) start (&f, NULL, 0, NULL);
  unit_asks (&f.unit, "", "");
  CU_ASSERT_EQUAL (f.error, CALL_tool_execution_failed);
  ask->rounds = ASK_ROUNDS_MAX;
  (void) start (&f, ask, FRAME_ASK_FORM, NULL);
  unit_asks (&f.unit, ASKED (FORM ("who")), "");
  CU_ASSERT_EQUAL (f.error, CALL_tool_execution_failed);
  teardown (&f);
}

/* Whose call is refused or given up keeps nothing of its ask. */
static void
test_ask_of_a_call_that_ends (void)
{
  struct fixture f;

  setup (&f);
  f.unit.answer = (struct unit_answer){ .refusal = UNIT_UNAVAILABLE };
  CU_ASSERT_PTR_NULL (start (&f, ask_new (), FRAME_ASK_FORM, NULL));
  CU_ASSERT_EQUAL (f.error, CALL_tool_unavailable);
  f.unit.answer = (struct unit_answer){ .refusal = UNIT_TAKEN };
  call_cancel (start (&f, ask_new (), FRAME_ASK_FORM, NULL));
  CU_ASSERT_EQUAL (f.error, CALL_tool_cancelled);
  calls_drain (f.calls);
  CU_ASSERT_PTR_NULL (start (&f, ask_new (), FRAME_ASK_FORM, NULL));
  CU_ASSERT_EQUAL (f.error, CALL_tool_overloaded);
  teardown (&f);
}

static CU_TestInfo asking[] = {
  { "questions", test_questions },
  { "good fields", test_good_fields },
  { "bad questions", test_bad_questions },
  { "what can't be asked", test_what_can_not_be_asked },
  { "answers", test_answers },
  { "bad answers", test_bad_answers },
  { "packed and unpacked", test_packed },
  { "capabilities", test_capabilities },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo rounds[] = {
  { "two rounds", test_two_rounds },
  { "answers that came first", test_answers_that_came_first },
  { "ends that are no question", test_ends_that_are_no_question },
  { "the ask of a call that ends", test_ask_of_a_call_that_ends },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "ask", make_rules, free_rules, NULL, NULL, asking },
  { "rounds", make_rules, free_rules, NULL, NULL, rounds },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

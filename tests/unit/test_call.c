/* The pipeline of a call, against a pool that the test plays: what is refused before a worker hears
 * of it, and what becomes of each way a worker's work can end. */
#include <ev.h>
#include <stdlib.h>

#include "call/calls.h"
#include "call/problems.h"
#include "pool/unit.h"
#include "schema/schema.h"
#include "tap.h"

/* ---- the pool, played ---- */

struct unit {
  struct policy policy;
  struct job *jobs[8]; /* taken and not ended */
  size_t count;
  unsigned submitted;
  struct unit_answer answer;
  enum frame_cancel_reason cancelled;
  bool interruptible; /* a tool works on what it has */
  unsigned interrupted;
};

struct unit_answer
unit_submit (struct unit *unit, struct job *job)
{
  unit->submitted++;
  if (unit->answer.refusal == UNIT_TAKEN) {
    unit->jobs[unit->count++] = job;
    job->unit = unit;
    job->events->started (job);
  }
  return unit->answer;
}

void
job_cancel (struct job *job, enum frame_cancel_reason reason)
{
  struct unit *unit = job->unit;

  for (size_t i = 0; i < unit->count; i++)
    if (unit->jobs[i] == job)
      unit->jobs[i] = unit->jobs[--unit->count];
  unit->cancelled = reason;
  job->unit = NULL;
}

/* One that waits for a worker is no tool's yet. */
bool
job_interrupt (struct job *job)
{
  if (job->unit->interruptible)
    job->unit->interrupted++;
  return job->unit->interruptible;
}

const struct policy *
unit_policy (const struct unit *unit)
{
  return &unit->policy;
}

static void
end_last (struct unit *unit, const struct job_end *end)
{
  struct job *job = unit->jobs[--unit->count];

  job->unit = NULL;
  job->events->ended (job, end);
}

/* The worker answers. */
static void
answer (struct unit *unit, enum frame_outcome outcome, const char *code, const char *message,
        const char *structured, const char *content)
{
  const struct frame_result head = { .outcome = outcome,
                                     .code_len = (uint32_t) strlen (code),
                                     .message_len = (uint32_t) strlen (message),
                                     .structured_len = (uint32_t) strlen (structured),
                                     .content_len = (uint32_t) strlen (content),
                                     .cpu_ns = 7000 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (*structured != '\0')
    CU_ASSERT_TRUE_FATAL (
      json_read (&tape, structured, strlen (structured), &json_default_limits, &arena));
  end_last (unit, &(struct job_end){ .fate = JOB_RESULT,
                                     .result = &head,
                                     .code = code,
                                     .message = message,
                                     .structured = structured,
                                     .structured_tape = *structured != '\0' ? &tape : NULL,
                                     .content = content });
}

static void
fate (struct unit *unit, enum job_fate fate)
{
  end_last (unit, &(struct job_end){ .fate = fate, .text = "was ended by signal 11" });
}

/* ---- what the front heard ---- */

static bool
begins (const char *text, const char *with)
{
  if (strncmp (text, with, strlen (with)) == 0)
    return true;
  printf ("# expected to begin with: %s\n# got: %s\n", with, text);
  return false;
}

struct heard {
  int done, progress, logs;
  enum call_error error;
  char code[64], message[4096], content[256], structured[256], problems[8192], repairs[1024];
  int64_t retry_after_ms;
  struct usage usage;
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
  keep (h->code, sizeof h->code, r->code, r->code != NULL ? strlen (r->code) : 0);
  keep (h->message, sizeof h->message, r->message, r->message_len);
  keep (h->content, sizeof h->content, r->content, r->content_len);
  keep (h->structured, sizeof h->structured, r->structured, r->structured_len);
  keep (h->problems, sizeof h->problems, r->problems, r->problems_len);
  keep (h->repairs, sizeof h->repairs, r->repairs, r->repairs_len);
  h->retry_after_ms = r->retry_after_ms;
  h->usage = r->usage;
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  (void) done;
  (void) total;
  (void) text;
  (void) len;
  ((struct heard *) ctx)->progress++;
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  (void) level;
  (void) text;
  (void) len;
  ((struct heard *) ctx)->logs++;
}

static const struct call_events events = { .progress = on_progress,
                                           .log = on_log,
                                           .done = on_done };

/* ---- the fixture: one tool ---- */

struct fixture {
  struct ev_loop *loop;
  struct metrics *metrics;
  struct calls *calls;
  struct unit unit;
  struct tool *tool;
  struct toolset *set;
  struct heard heard;
};

static struct schema *
compiled (const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, text, strlen (text), &json_default_limits, &arena));
  return schema_compile (&tape, json_root (&tape), NULL, &err);
}

static void
setup (struct fixture *f)
{
  const struct calls_settings settings = {
    .deadline_ms = 30000, .running_max = 4, .json_depth = 8, .log_per_second = 1
  };

  memset (f, 0, sizeof *f);
  f->loop = ev_loop_new (EVFLAG_AUTO);
  f->metrics = metrics_new ();
  f->calls = calls_new (f->loop, NULL, f->metrics, &settings);
  f->tool = xcalloc (1, sizeof *f->tool);
  f->tool->refs = 1;
  f->tool->name = xstrdup ("t");
  f->tool->name_len = 1;
  f->tool->plugin = xstrdup ("p");
  f->tool->unit = &f->unit;
  f->tool->input = compiled ("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
                             "\"additionalProperties\":false}");
  f->set = toolset_new (&f->tool, 1, 1);
}

static void
teardown (struct fixture *f)
{
  CU_ASSERT_EQUAL (calls_running (f->calls), 0);
  calls_free (f->calls);
  f->tool->unit = NULL; /* the unit is the fixture's */
  toolset_unref (f->set);
  metrics_free (f->metrics);
  ev_loop_destroy (f->loop);
}

/* A call whose arguments a front has read already, as those of MCP are. */
static struct call *
start_read (struct fixture *f, const char *args)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct call_request request = { .toolset = f->set, .name = "t", .name_len = 1, .tape = &tape };

  CU_ASSERT_TRUE_FATAL (json_read (&tape, args, strlen (args), &json_default_limits, &arena));
  request.args_node = json_root (&tape);
  memset (&f->heard, 0, sizeof f->heard);
  return call_start (f->calls, &request, &events, &f->heard);
}

static struct call *
start (struct fixture *f, const char *name, const char *args, const char *id)
{
  const struct call_request request = { .toolset = f->set,
                                        .name = name,
                                        .name_len = strlen (name),
                                        .args = args,
                                        .args_len = args != NULL ? strlen (args) : 0,
                                        .principal = "uid:7",
                                        .call_id = id };

  memset (&f->heard, 0, sizeof f->heard);
  return call_start (f->calls, &request, &events, &f->heard);
}

/* ---- refused before a worker hears of it ---- */

static void
refused_early (void)
{
  static const struct {
    const char *name, *args;
    enum call_error error;
    const char *message;
  } rows[] = {
    { "u", "{}", CALL_tool_not_found, "no tool" },
    { "t", "{", CALL_tool_args_parse_error, "not JSON: byte 1" },
    { "t", "[]", CALL_tool_args_parse_error, "must be a JSON object" },
    { "t", "{\"n\":[[[[[[[[[1]]]]]]]]]}", CALL_tool_args_parse_error, "byte" },
    { "t", "{\"n\":\"x\"}", CALL_tool_args_invalid, "/n: " },
    { "t", "{\"m\":1}", CALL_tool_args_invalid, "m" },
  };
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_PTR_NULL (start (&f, rows[i].name, rows[i].args, NULL));
    CU_ASSERT_EQUAL (f.heard.done, 1);
    CU_ASSERT_EQUAL (f.heard.error, rows[i].error);
    CU_ASSERT_STRING_EQUAL (f.heard.code, call_error_info (rows[i].error)->code);
    CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, rows[i].message));
  }
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.problems, "\"instancePath\":\"/m\""));
  CU_ASSERT_EQUAL (f.unit.submitted, 0);
  CU_ASSERT_EQUAL (metrics_tool (f.metrics, "p", "t")->outcomes[CALL_tool_args_invalid], 2);
  teardown (&f);
}

static void
refused_by_the_pool (void)
{
  struct fixture f;

  setup (&f);
  f.unit.answer = (struct unit_answer){ .refusal = UNIT_QUEUE_FULL, .retry_after_ms = 1000 };
  CU_ASSERT_PTR_NULL (start (&f, "t", NULL, NULL));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_overloaded);
  CU_ASSERT_EQUAL (f.heard.retry_after_ms, 1000);
  f.unit.answer = (struct unit_answer){ .refusal = UNIT_UNAVAILABLE, .why = "quarantined" };
  CU_ASSERT_PTR_NULL (start (&f, "t", NULL, NULL));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_unavailable);
  CU_ASSERT_PTR_NULL (strstr (f.heard.message, "quarantined")); /* that is for the log */
  teardown (&f);
}

static void
too_many_at_once_and_draining (void)
{
  struct fixture f;

  setup (&f);
  for (int i = 0; i < 4; i++)
    CU_ASSERT_PTR_NOT_NULL (start (&f, "t", NULL, NULL));
  CU_ASSERT_PTR_NULL (start (&f, "t", NULL, NULL));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_overloaded);
  calls_cancel_all (f.calls);
  CU_ASSERT_EQUAL (calls_running (f.calls), 0);
  calls_drain (f.calls);
  CU_ASSERT_PTR_NULL (start (&f, "t", NULL, NULL));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_overloaded);
  teardown (&f);
}

/* ---- the ways it can end ---- */

static void
it_works (void)
{
  struct fixture f;

  setup (&f);
  CU_ASSERT_PTR_NOT_NULL (start (&f, "t", "{ \"n\": 1.0 }", "mine"));
  CU_ASSERT_EQUAL (f.heard.done, 0);
  CU_ASSERT_EQUAL (f.unit.jobs[0]->args_len, 12); /* as it came */
  CU_ASSERT_NSTRING_EQUAL (f.unit.jobs[0]->meta, "{\"call_id\":\"mine\",\"tenant\":\"default\"}",
                           f.unit.jobs[0]->meta_len);
  f.unit.jobs[0]->events->progress (f.unit.jobs[0], 1, 2, "x", 1);
  f.unit.jobs[0]->events->log (f.unit.jobs[0], 2000, "x", 1);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "{\"a\":1}", "[{\"type\":\"text\",\"text\":\"a\"}]");
  CU_ASSERT_EQUAL (f.heard.done, 1);
  CU_ASSERT_EQUAL (f.heard.error, CALL_OK);
  CU_ASSERT_EQUAL (f.heard.progress, 1);
  CU_ASSERT_EQUAL (f.heard.logs, 1);
  CU_ASSERT_STRING_EQUAL (f.heard.structured, "{\"a\":1}");
  CU_ASSERT_STRING_EQUAL (f.heard.content, "[{\"type\":\"text\",\"text\":\"a\"}]");
  CU_ASSERT_EQUAL (f.heard.usage.cpu_us, 7);
  CU_ASSERT_EQUAL (f.heard.usage.bytes_in, 12);
  CU_ASSERT_EQUAL (metrics_tool (f.metrics, "p", "t")->outcomes[CALL_OK], 1);
  teardown (&f);
}

static void
no_content_is_an_empty_list (void)
{
  struct fixture f;

  setup (&f);
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
  CU_ASSERT_STRING_EQUAL (f.heard.content, "[]");
  teardown (&f);
}

static void
the_tool_says_no (void)
{
  struct fixture f;

  setup (&f);
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_FAILED, "no_such_city", "There is no Atlantis.", "", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_execution_failed);
  CU_ASSERT_STRING_EQUAL (f.heard.code, "no_such_city"); /* its own code and words pass */
  CU_ASSERT_STRING_EQUAL (f.heard.message, "There is no Atlantis.");
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_FAILED, "", "", "", "");
  CU_ASSERT_STRING_EQUAL (f.heard.code, "tool_execution_failed");
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_NOT_ALLOWED, "", "Not before noon.", "", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_not_allowed);
  CU_ASSERT_STRING_EQUAL (f.heard.message, "Not before noon.");
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_INVALID, "", "", "[{\"pointer\":\"/n\",\"message\":\"too odd\"}]",
          "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_invalid);
  /* in the same shape as what breaks the schema */
  CU_ASSERT_STRING_EQUAL (f.heard.message, "t: 1 argument error; nothing was executed. Correct it "
                                           "and call again.\n- /n: too odd");
  CU_ASSERT_STRING_EQUAL (
    f.heard.problems,
    "[{\"instancePath\":\"/n\",\"message\":\"too odd\",\"keyword\":\"validate\"}]");
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_BROKEN, "", "returned the unknown status 77", "", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_execution_failed);
  CU_ASSERT_PTR_NULL (strstr (f.heard.message, "77")); /* a bug is told to the log */
  teardown (&f);
}

static void
a_result_must_fit_what_is_declared (void)
{
  struct fixture f;

  setup (&f);
  f.tool->output = compiled ("{\"type\":\"object\",\"required\":[\"a\"]}");
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "{\"b\":1}", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_output_invalid);
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "outputSchema (1 error)"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /a: "));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.problems, "\"instancePath\":\"/a\""));
  CU_ASSERT_STRING_EQUAL (f.heard.structured, ""); /* it is not passed on */
  CU_ASSERT_EQUAL (f.heard.usage.cpu_us, 7);
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "[{\"type\":\"text\",\"text\":\"a\"}]");
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_output_invalid);
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- result: expected a structured result"));
  (void) start (&f, "t", NULL, NULL);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "{\"a\":1}", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_OK);
  (void) start (&f, "t", NULL, NULL); /* a tool that failed owes no result */
  answer (&f.unit, FRAME_OUTCOME_FAILED, "no_such_city", "There is no Atlantis.", "", "");
  CU_ASSERT_STRING_EQUAL (f.heard.code, "no_such_city");
  teardown (&f);
}

/* What is false or nothing in other languages is a result all the same. */
static void
any_value_is_a_result (void)
{
  static const char *const values[] = { "null", "0", "false", "\"\"", "[]", "{}" };
  struct fixture f;

  setup (&f);
  f.tool->output = compiled ("true");
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    (void) start (&f, "t", NULL, NULL);
    answer (&f.unit, FRAME_OUTCOME_OK, "", "", values[i], "");
    CU_ASSERT_EQUAL (f.heard.error, CALL_OK);
    CU_ASSERT_STRING_EQUAL (f.heard.structured, values[i]);
  }
  teardown (&f);
}

/* ---- what is told of arguments ---- */

static void
every_problem_is_told (void)
{
  struct fixture f;

  setup (&f);
  (void) start (&f, "t", "{\"n\":\"x\",\"m\":1}", NULL);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_invalid);
  CU_ASSERT_TRUE (
    begins (f.heard.message,
            "t: 2 argument errors; nothing was executed. Correct them and call again.\n- /"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /n: expected integer"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /m: "));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.problems, "{\"instancePath\":\"/n\",\"message\":\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.problems, "\"schemaPath\":\"/properties/n/type\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.problems, "\"keyword\":\"additionalProperties\""));
  teardown (&f);
}

/* An object that was sent as text, a text in it that is a list, and what is wrong in both. */
static void
problems_inside_a_text_are_told (void)
{
  struct fixture f;

  setup (&f);
  schema_free (f.tool->input);
  f.tool->input = compiled (
    "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"integer\"},\"l\":{\"type\":\"array\",\"items\":{\"type\":\"null\"}}}},"
    "\"p\":{\"type\":\"array\"},\"s\":{\"type\":\"integer\"}}}");
  (void) start_read (&f, "{\"s\":\"{\",\"p\":\"[]\",\"o\":\"{\\\"n\\\":\\\"4\\\","
                         "\\\"l\\\":\\\"[1]\\\"}\"}");
  CU_ASSERT_TRUE (begins (f.heard.message, "t: 6 argument errors;"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /s: expected integer"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /p: expected array"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /o: expected object"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /o/n: expected integer, got string \"4\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /o/l: expected array"));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.message, "\n- /o/l/0: expected null"));
  teardown (&f);
}

static void
no_text_is_long (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  char message[500];
  struct schema_report report = { .count = SCHEMA_MAX_PROBLEMS, .more = 7 };

  memset (message, 'x', sizeof message - 1);
  message[sizeof message - 1] = '\0';
  for (size_t i = 0; i < report.count; i++)
    report.problems[i] = (struct schema_problem){ .pointer = "/p", .message = message };
  buf_puts (&text, "head");
  problems_text (&report, "arguments", &text);
  CU_ASSERT_TRUE (text.len > 1500 && text.len <= 2048);
  CU_ASSERT_STRING_EQUAL (strrchr (buf_cstr (&text), '\n'), "\nand 14 more");
}

static void
even_one_long_problem_is_cut (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  char message[6001];
  struct schema_report report = { .count = 1 };

  for (size_t i = 0; i < 3000; i++)
    memcpy (message + 2 * i, "\xC3\xA4", 2);
  message[6000] = '\0';
  report.problems[0] = (struct schema_problem){ .pointer = "", .message = message };
  problems_text (&report, "arguments", &text);
  CU_ASSERT_TRUE (text.len <= 2048);
  CU_ASSERT_TRUE (utf8_valid (text.data, text.len));
  CU_ASSERT_TRUE (begins (buf_cstr (&text), "\n- arguments: "));
}

/* ---- mending ---- */

static void
mended_arguments_are_what_runs (void)
{
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_SAFE);
  CU_ASSERT_PTR_NOT_NULL (start_read (&f, "{\"n\":\"5\"}"));
  CU_ASSERT_NSTRING_EQUAL (f.unit.jobs[0]->args, "{\"n\":5}", 7);
  CU_ASSERT_EQUAL (f.unit.jobs[0]->args_len, 7);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
  CU_ASSERT_EQUAL (f.heard.error, CALL_OK);
  CU_ASSERT_TRUE (begins (f.heard.repairs, "[{\"rule\":\"scalar\",\"pointer\":\"/n\",\"note\":\""));
  CU_ASSERT_EQUAL (metrics_tool (f.metrics, "p", "t")->repairs[REPAIR_SCALAR], 1);
  (void) start_read (&f, "{\"n\":5}"); /* the next call of the same memory */
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
  CU_ASSERT_STRING_EQUAL (f.heard.repairs, "");
  teardown (&f);
}

static void
what_cannot_be_mended_is_told_as_it_came (void)
{
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_SAFE);
  CU_ASSERT_PTR_NULL (start_read (&f, "{\"n\":\"x\"}"));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_invalid);
  CU_ASSERT_STRING_EQUAL (f.heard.repairs, "");
  CU_ASSERT_EQUAL (metrics_tool (f.metrics, "p", "t")->repairs[REPAIR_SCALAR], 0);
  teardown (&f);
}

/* The tool's own setting wins over the daemon's, in both directions. */
static void
a_tool_has_its_own_setting (void)
{
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_LENIENT);
  f.tool->repair_set = true;
  f.tool->repair = REPAIR_OFF;
  CU_ASSERT_PTR_NULL (start_read (&f, "{\"n\":\"5\"}"));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_invalid);
  calls_set_repair (f.calls, REPAIR_OFF);
  f.tool->repair = REPAIR_SAFE;
  CU_ASSERT_PTR_NOT_NULL (start_read (&f, "{\"n\":\"5\"}"));
  calls_cancel_all (f.calls);
  teardown (&f);
}

/* What was mended of the whole: text, rule of the note, and what then runs. */
static void
text_of_a_model (void)
{
  static const struct {
    const char *args, *rule, *runs;
  } rows[] = {
    { "", NULL, "{}" },
    { " \n", NULL, "{}" },
    { "{\"n\":1}", NULL, "{\"n\":1}" },
    { "{\"n\":1,}", "syntax", "{\"n\":1}" },
    { "null", "whole", "{}" },
    { "\"\"", "whole", "{}" },
    { "\" \"", "whole", "{}" },
    { "\"{\\\"n\\\":1}\"", "whole", "{\"n\":1}" },
  };
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_SAFE);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char rule[32] = "";
    CU_ASSERT_PTR_NOT_NULL_FATAL (start (&f, "t", rows[i].args, NULL));
    CU_ASSERT_NSTRING_EQUAL (f.unit.jobs[0]->args, rows[i].runs, strlen (rows[i].runs));
    CU_ASSERT_EQUAL (f.unit.jobs[0]->args_len, strlen (rows[i].runs));
    answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
    if (rows[i].rule != NULL)
      (void) snprintf (rule, sizeof rule, "[{\"rule\":\"%s\"", rows[i].rule);
    CU_ASSERT_TRUE (begins (f.heard.repairs, rule));
    CU_ASSERT_EQUAL (f.heard.repairs[0] == '\0', rows[i].rule == NULL);
  }
  calls_set_repair (f.calls, REPAIR_OFF);
  for (size_t i = 3; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_PTR_NULL (start (&f, "t", rows[i].args, NULL));
    CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_parse_error);
  }
  teardown (&f);
}

/* What arrived may be half of what was meant: only lenient mode runs it. */
static void
text_that_is_cut_off (void)
{
  static const char told[] = "The arguments are not JSON: byte 6: the object has no end. They seem "
                             "to be cut off, and nothing was executed: send them again, whole.";
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_SAFE);
  CU_ASSERT_PTR_NULL (start (&f, "t", "{\"n\":1", NULL));
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_args_parse_error);
  CU_ASSERT_STRING_EQUAL (f.heard.message, told);
  calls_set_repair (f.calls, REPAIR_OFF);
  CU_ASSERT_PTR_NULL (start (&f, "t", "{\"n\":1", NULL));
  CU_ASSERT_EQUAL (strlen (f.heard.message), (size_t) (strstr (told, " They") - told));
  calls_set_repair (f.calls, REPAIR_LENIENT);
  CU_ASSERT_PTR_NOT_NULL_FATAL (start (&f, "t", "{\"n\":1", NULL));
  CU_ASSERT_NSTRING_EQUAL (f.unit.jobs[0]->args, "{\"n\":1}", 7);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
  CU_ASSERT_TRUE (begins (f.heard.repairs, "[{\"rule\":\"syntax\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.repairs, "\"note\":\"bracket closed\""));
  teardown (&f);
}

/* Two repairs of the whole and one inside it are told in the order they were made. */
static void
mended_twice (void)
{
  struct fixture f;

  setup (&f);
  calls_set_repair (f.calls, REPAIR_SAFE);
  CU_ASSERT_PTR_NOT_NULL_FATAL (start (&f, "t", "{\"n\":\"5\",}", NULL));
  CU_ASSERT_EQUAL (f.unit.jobs[0]->args_len, 7);
  answer (&f.unit, FRAME_OUTCOME_OK, "", "", "", "");
  CU_ASSERT_TRUE (begins (f.heard.repairs, "[{\"rule\":\"syntax\",\"pointer\":\"\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (f.heard.repairs, "{\"rule\":\"scalar\",\"pointer\":\"/n\""));
  teardown (&f);
}

static void
the_process_dies (void)
{
  struct fixture f;

  setup (&f);
  (void) start (&f, "t", NULL, NULL);
  fate (&f.unit, JOB_CRASHED);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_crashed);
  CU_ASSERT_PTR_NULL (strstr (f.heard.message, "signal"));
  (void) start (&f, "t", NULL, NULL);
  fate (&f.unit, JOB_LOST);
  CU_ASSERT_EQUAL (f.heard.error, CALL_worker_lost);
  (void) start (&f, "t", NULL, NULL);
  fate (&f.unit, JOB_UNAVAILABLE);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_unavailable);
  teardown (&f);
}

/* What the process used up is told; how else it ended is not. */
static void
the_process_takes_too_much (void)
{
  static const struct {
    enum reason reason;
    const char *message;
  } rows[] = {
    { REASON_OOM, "The tool used up its memory." },
    { REASON_CPU, "The tool used up its processor time." },
    { REASON_SIGNAL, "The tool crashed." },
    { REASON_POLICY_VIOLATION, "The tool crashed." },
  };
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    (void) start (&f, "t", NULL, NULL);
    end_last (&f.unit, &(struct job_end){
                         .fate = JOB_CRASHED, .reason = rows[i].reason, .text = "was ended" });
    CU_ASSERT_EQUAL (f.heard.error, CALL_tool_crashed);
    CU_ASSERT_STRING_EQUAL (f.heard.message, rows[i].message);
  }
  teardown (&f);
}

static void
an_idempotent_one_runs_once_more (void)
{
  struct fixture f;

  setup (&f);
  f.tool->idempotent = true;
  (void) start (&f, "t", NULL, NULL);
  fate (&f.unit, JOB_LOST);
  CU_ASSERT_EQUAL (f.heard.done, 0);
  CU_ASSERT_EQUAL (f.unit.submitted, 2);
  fate (&f.unit, JOB_LOST);
  CU_ASSERT_EQUAL (f.heard.error, CALL_worker_lost);
  CU_ASSERT_EQUAL (f.unit.submitted, 2);
  (void) start (&f, "t", NULL, NULL);
  fate (&f.unit, JOB_CRASHED); /* its own doing: not again */
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_crashed);
  CU_ASSERT_EQUAL (f.unit.submitted, 3);
  teardown (&f);
}

/* ---- deadlines and cancelling ---- */

static void
the_shortest_limit_counts (void)
{
  struct fixture f;
  int64_t base;

  setup (&f);
  f.tool->max_time_ms = 5000;
  f.unit.policy.max_time_ms = 3000;
  (void) start (&f, "t", NULL, NULL);
  base = f.unit.jobs[0]->deadline_ns;
  f.unit.policy.max_time_ms = 0;
  (void) start (&f, "t", NULL, NULL);
  CU_ASSERT_TRUE (f.unit.jobs[1]->deadline_ns - base > 1900000000);
  f.tool->max_time_ms = INT64_MAX;
  (void) start (&f, "t", NULL, NULL);
  CU_ASSERT_EQUAL (f.unit.jobs[2]->deadline_ns, INT64_MAX);
  calls_cancel_all (f.calls);
  teardown (&f);
}

static void
a_deadline_passes (void)
{
  struct fixture f;

  setup (&f);
  f.tool->max_time_ms = 1;
  CU_ASSERT_PTR_NOT_NULL (start (&f, "t", NULL, NULL));
  while (f.heard.done == 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_timeout);
  CU_ASSERT_EQUAL (f.unit.cancelled, FRAME_CANCEL_DEADLINE);
  teardown (&f);
}

static void
cancelled_and_abandoned (void)
{
  struct fixture f;
  struct call *call;

  setup (&f);
  call = start (&f, "t", NULL, "mine");
  CU_ASSERT_PTR_EQUAL (call_find (f.calls, "mine", "uid:7"), call);
  CU_ASSERT_PTR_NULL (call_find (f.calls, "mine", "uid:8"));
  CU_ASSERT_PTR_EQUAL (call_find (f.calls, "mine", NULL), call); /* a manager */
  CU_ASSERT_PTR_NULL (call_find (f.calls, "other", NULL));
  call_cancel (call);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_cancelled);
  CU_ASSERT_EQUAL (f.unit.cancelled, FRAME_CANCEL_CALLER);
  CU_ASSERT_PTR_NULL (call_find (f.calls, "mine", NULL));
  call = start (&f, "t", NULL, NULL);
  call_abandon (call);
  CU_ASSERT_EQUAL (f.heard.done, 0);
  teardown (&f);
}

#define SOME "[{\"type\":\"text\",\"text\":\"two are left\"}]"

/* Whatever its end is: nobody wants it any more. */
static void
interrupted (void)
{
  static const struct {
    enum frame_outcome outcome;
    enum job_fate fate;
    const char *content;
  } rows[] = {
    { FRAME_OUTCOME_FAILED, JOB_RESULT, SOME },  { FRAME_OUTCOME_OK, JOB_RESULT, SOME },
    { FRAME_OUTCOME_INVALID, JOB_RESULT, "[]" }, { FRAME_OUTCOME_ASKED, JOB_RESULT, "[]" },
    { FRAME_OUTCOME_BROKEN, JOB_RESULT, "[]" },  { FRAME_OUTCOME_OK, JOB_CRASHED, "[]" },
    { FRAME_OUTCOME_OK, JOB_OVERLOADED, "[]" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct frame_result head = { .outcome = rows[i].outcome, .content_len = sizeof SOME - 1 };
    const struct job_end end = { .fate = rows[i].fate, .result = &head, .content = SOME };
    struct fixture f;
    struct call *call;
    setup (&f);
    f.unit.interruptible = true;
    call = start (&f, "t", NULL, NULL);
    call_interrupt (call);
    call_interrupt (call);
    CU_ASSERT_EQUAL (f.unit.interrupted, 1);
    CU_ASSERT_EQUAL (f.heard.done, 0);
    end_last (&f.unit, &end);
    CU_ASSERT_EQUAL (f.heard.done, 1);
    CU_ASSERT_EQUAL (f.heard.error, CALL_tool_cancelled);
    CU_ASSERT_STRING_EQUAL (f.heard.content, rows[i].content);
    teardown (&f);
  }
}

static void
interrupted_in_vain (void)
{
  struct fixture f;

  setup (&f);
  call_interrupt (start (&f, "t", NULL, NULL)); /* it waits for a worker */
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_cancelled);
  CU_ASSERT_EQUAL (f.unit.cancelled, FRAME_CANCEL_CALLER);
  f.unit.interruptible = true;
  call_interrupt (start (&f, "t", NULL, NULL));
  CU_ASSERT_EQUAL (f.heard.done, 0);
  while (f.heard.done == 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.heard.error, CALL_tool_cancelled);
  CU_ASSERT_EQUAL (f.unit.count, 0);
  teardown (&f);
}

static void
an_id_that_is_taken (void)
{
  struct fixture f;
  struct call *first, *second;

  setup (&f);
  first = start (&f, "t", NULL, "mine");
  second = start (&f, "t", NULL, "mine");
  CU_ASSERT_STRING_EQUAL (call_id (first), "mine");
  CU_ASSERT_STRING_NOT_EQUAL (call_id (second), "mine");
  CU_ASSERT_PTR_EQUAL (call_find (f.calls, call_id (second), NULL), second);
  calls_cancel_all (f.calls);
  teardown (&f);
}

static void
every_error_is_whole (void)
{
  for (int e = 1; e < CALL_ERRORS; e++) {
    const struct call_error_info *info = call_error_info ((enum call_error) e);
    CU_ASSERT_TRUE (e == CALL_input_required ? info->http == 202
                                             : info->http >= 400 && info->http < 600);
    CU_ASSERT_STRING_NOT_EQUAL (info->text, "");
    CU_ASSERT_STRING_EQUAL (calls_outcome_name ((unsigned) e), info->code);
  }
}

static CU_TestInfo tests[] = {
  { "refused early", refused_early },
  { "refused by the pool", refused_by_the_pool },
  { "too many at once, and draining", too_many_at_once_and_draining },
  { "it works", it_works },
  { "no content is an empty list", no_content_is_an_empty_list },
  { "the tool says no", the_tool_says_no },
  { "a result must fit what is declared", a_result_must_fit_what_is_declared },
  { "any value is a result", any_value_is_a_result },
  { "every problem is told", every_problem_is_told },
  { "problems inside a text are told", problems_inside_a_text_are_told },
  { "no text is long", no_text_is_long },
  { "even one long problem is cut", even_one_long_problem_is_cut },
  { "mended arguments are what runs", mended_arguments_are_what_runs },
  { "what can't be mended is told as it came", what_cannot_be_mended_is_told_as_it_came },
  { "a tool has its own setting", a_tool_has_its_own_setting },
  { "text of a model", text_of_a_model },
  { "text that is cut off", text_that_is_cut_off },
  { "mended twice", mended_twice },
  { "the process dies", the_process_dies },
  { "the process takes too much", the_process_takes_too_much },
  { "an idempotent one runs once more", an_idempotent_one_runs_once_more },
  { "the shortest limit counts", the_shortest_limit_counts },
  { "a deadline passes", a_deadline_passes },
  { "cancelled and abandoned", cancelled_and_abandoned },
  { "S4-13 U4-5 what an interrupted tool had given goes along", interrupted },
  { "S4-13 who does not stop is cancelled", interrupted_in_vain },
  { "an id that is taken", an_id_that_is_taken },
  { "every error is whole", every_error_is_whole },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "call", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

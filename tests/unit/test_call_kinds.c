/* The pipeline with what is no tool: reads, prompts and completions, against a pool that the test
 * plays. */
#include <ev.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "call/calls.h"
#include "catalog/definition.h"
#include "pool/unit.h"
#include "tap.h"

/* ---- the pool, played ---- */

struct unit {
  struct policy policy;
  struct job *job; /* taken and not ended */
  unsigned submitted;
};

struct unit_answer
unit_submit (struct unit *unit, struct job *job)
{
  unit->submitted++;
  unit->job = job;
  job->unit = unit;
  return (struct unit_answer){ .refusal = UNIT_TAKEN };
}

void
job_cancel (struct job *job, enum frame_cancel_reason reason)
{
  (void) reason;
  job->unit->job = NULL;
}

bool
job_interrupt (struct job *job)
{
  (void) job;
  return false;
}

const struct policy *
unit_policy (const struct unit *unit)
{
  return &unit->policy;
}

static void
no_unref (struct unit *unit)
{
  (void) unit;
}

/* ---- the fixture: a resource, a template, a prompt that completes and one that doesn't ---- */

static const char description[] =
  "{\"name\":\"p\",\"version\":\"1\",\"threads\":\"parallel\",\"tools\":[],"
  "\"resources\":["
  "{\"max_time\":0,\"completes\":false,\"definition\":\"{\\\"uri\\\":\\\"a:one\\\",\\\"name\\\":"
  "\\\"n\\\"}\"},"
  "{\"max_time\":0,\"completes\":true,\"definition\":\"{\\\"uriTemplate\\\":\\\"a:x/{id}\\\","
  "\\\"name\\\":\\\"n\\\"}\"}],"
  "\"prompts\":["
  "{\"max_time\":0,\"completes\":true,\"definition\":\"{\\\"name\\\":\\\"q\\\",\\\"description\\\":"
  "\\\"d\\\",\\\"arguments\\\":[{\\\"name\\\":\\\"w\\\",\\\"required\\\":true}]}\"},"
  "{\"max_time\":0,\"completes\":false,\"definition\":\"{\\\"name\\\":\\\"mute\\\","
  "\\\"description\\\":\\\"d\\\",\\\"arguments\\\":[{\\\"name\\\":\\\"w\\\"}]}\"}]}";

static struct {
  struct ev_loop *loop;
  struct metrics *metrics;
  struct calls *calls;
  struct unit unit;
  struct toolset *set;
  /* what the front heard */
  int done;
  enum call_error error;
  char message[512], content[256], structured[256], name[64], tool[64];
} f;

static void
on_done (void *ctx, const struct result *r)
{
  (void) ctx;
  f.done++;
  f.error = r->error;
  snprintf (f.message, sizeof f.message, "%.*s", (int) r->message_len, r->message);
  snprintf (f.content, sizeof f.content, "%.*s", (int) r->content_len, r->content);
  snprintf (f.structured, sizeof f.structured, "%.*s", (int) r->structured_len,
            r->structured != NULL ? r->structured : "");
  snprintf (f.name, sizeof f.name, "%.*s", (int) r->name_len, r->name);
  snprintf (f.tool, sizeof f.tool, "%s", r->tool != NULL ? r->tool->name : "");
}

static int
setup (void)
{
  const struct calls_settings settings = {
    .deadline_ms = 30000, .running_max = 4, .json_depth = 8, .repair = REPAIR_SAFE
  };
  struct described d = { 0 };
  struct error err = { 0 };

  memset (&f, 0, sizeof f);
  f.loop = ev_loop_new (EVFLAG_AUTO);
  f.metrics = metrics_new ();
  f.calls = calls_new (f.loop, NULL, f.metrics, &settings);
  if (!described_read (&d, "p", description, strlen (description), NULL, &err)
      || d.tools_count != 4)
    return 1;
  for (size_t i = 0; i < d.tools_count; i++) {
    tool_ref (d.tools[i])->unit = &f.unit;
    d.tools[i]->unit_unref = no_unref;
  }
  f.set = toolset_new (d.tools, d.tools_count, 1);
  described_free (&d);
  return 0;
}

static int
teardown (void)
{
  calls_free (f.calls);
  toolset_unref (f.set);
  metrics_free (f.metrics);
  ev_loop_destroy (f.loop);
  return 0;
}

static void
start (enum call_kind kind, const char *name, const char *args, const char *argument)
{
  static const struct call_events events = { .done = on_done };
  const struct call_request request = { .kind = kind,
                                        .toolset = f.set,
                                        .name = name,
                                        .name_len = strlen (name),
                                        .args = args,
                                        .args_len = args != NULL ? strlen (args) : 0,
                                        .argument = argument,
                                        .argument_len = argument != NULL ? strlen (argument) : 0,
                                        .partial = "pa",
                                        .partial_len = 2,
                                        .call_id = "c" };

  f.done = 0;
  f.unit.job = NULL;
  (void) call_start (f.calls, &request, &events, NULL);
}

static void
answer (enum frame_outcome outcome, const char *code, const char *structured, const char *content)
{
  const struct frame_result head = { .outcome = outcome,
                                     .code_len = (uint32_t) strlen (code),
                                     .structured_len = (uint32_t) strlen (structured),
                                     .content_len = (uint32_t) strlen (content) };
  const struct job_end end = { .fate = JOB_RESULT,
                               .result = &head,
                               .code = code,
                               .message = "",
                               .structured = structured,
                               .content = content };

  f.unit.job->unit = NULL;
  f.unit.job->events->ended (f.unit.job, &end);
}

static bool
sent (uint32_t tool, enum frame_content content, const char *args, const char *meta)
{
  const struct job *job = f.unit.job;

  if (job == NULL)
    return false;
  if (job->meta_len != strlen (meta) || memcmp (job->meta, meta, job->meta_len) != 0)
    printf ("# meta: %.*s\n", (int) job->meta_len, job->meta);
  return job->tool == tool && job->content == content && job->args_len == strlen (args)
         && memcmp (job->args, args, job->args_len) == 0 && job->meta_len == strlen (meta)
         && memcmp (job->meta, meta, job->meta_len) == 0;
}

/* ---- the tests ---- */

static void
a_read (void)
{
  start (CALL_READ, "a:one", NULL, NULL);
  CU_ASSERT_TRUE_FATAL (
    sent (0, FRAME_CONTENTS, "{}", "{\"call_id\":\"c\",\"tenant\":\"default\",\"uri\":\"a:one\"}"));
  answer (FRAME_OUTCOME_OK, "", "", "[{\"uri\":\"a:one\",\"text\":\"\"}]");
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  CU_ASSERT_STRING_EQUAL (f.content, "[{\"uri\":\"a:one\",\"text\":\"\"}]");
  CU_ASSERT_EQUAL (metrics_tool (f.metrics, "p", "resource a:one")->outcomes[CALL_OK], 1);
}

static void
a_read_of_a_template (void)
{
  start (CALL_READ, "a:x/7", NULL, NULL);
  CU_ASSERT_TRUE_FATAL (sent (1, FRAME_CONTENTS, "{\"id\":\"7\"}",
                              "{\"call_id\":\"c\",\"tenant\":\"default\",\"uri\":\"a:x/7\"}"));
  answer (FRAME_OUTCOME_FAILED, "resource_not_found", "", "");
  CU_ASSERT_EQUAL (f.error, CALL_resource_not_found);
  CU_ASSERT_STRING_EQUAL (f.name, "a:x/7");
  CU_ASSERT_STRING_EQUAL (f.tool, "a:x/{id}");
  start (CALL_READ, "a:x/7", NULL, NULL);
  answer (FRAME_OUTCOME_FAILED, "on_fire", "", "");
  CU_ASSERT_EQUAL (f.error, CALL_tool_execution_failed);
}

static void
a_prompt (void)
{
  start (CALL_PROMPT, "q", "{\"w\":\"v\"}", NULL);
  CU_ASSERT_TRUE_FATAL (
    sent (2, FRAME_MESSAGES, "{\"w\":\"v\"}", "{\"call_id\":\"c\",\"tenant\":\"default\"}"));
  answer (FRAME_OUTCOME_OK, "", "", "[]");
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  start (CALL_PROMPT, "q", NULL, NULL);
  CU_ASSERT_EQUAL (f.error, CALL_tool_args_invalid);
  CU_ASSERT_PTR_NOT_NULL (strstr (f.message, "/w: required string is missing"));
  CU_ASSERT_PTR_NULL (f.unit.job);
}

static void
completions (void)
{
  start (CALL_COMPLETE_PROMPT, "q", NULL, "w");
  CU_ASSERT_TRUE_FATAL (sent (2, FRAME_VALUES, "{}",
                              "{\"call_id\":\"c\",\"tenant\":\"default\",\"completing\":\"w\","
                              "\"partial\":\"pa\"}"));
  answer (FRAME_OUTCOME_OK, "", "{\"values\":[\"pad\"],\"total\":1,\"hasMore\":false}", "");
  CU_ASSERT_STRING_EQUAL (f.structured, "{\"values\":[\"pad\"],\"total\":1,\"hasMore\":false}");
  start (CALL_COMPLETE_RESOURCE, "a:x/{id}", NULL, "id");
  CU_ASSERT_PTR_NOT_NULL_FATAL (f.unit.job);
  answer (FRAME_OUTCOME_OK, "", "{\"values\":[],\"total\":0,\"hasMore\":false}", "");
  start (CALL_COMPLETE_RESOURCE, "a:x/{id}", NULL, "other");
  CU_ASSERT_EQUAL (f.error, CALL_tool_args_invalid);
  start (CALL_COMPLETE_PROMPT, "q", NULL, "other");
  CU_ASSERT_STRING_EQUAL (f.message, "q: it has no argument of this name to be completed.");
}

/* Who suggests nothing is not asked. */
static void
no_completions (void)
{
  start (CALL_COMPLETE_PROMPT, "mute", NULL, "w");
  CU_ASSERT_PTR_NULL (f.unit.job);
  CU_ASSERT_EQUAL (f.done, 1);
  CU_ASSERT_EQUAL (f.error, CALL_OK);
  CU_ASSERT_STRING_EQUAL (f.structured, "{\"values\":[],\"total\":0,\"hasMore\":false}");
}

static void
what_is_not_there (void)
{
  static const struct {
    enum call_kind kind;
    const char *name;
    enum call_error error;
  } rows[] = {
    { CALL_TOOL, "q", CALL_tool_not_found },
    { CALL_READ, "a:two", CALL_resource_not_found },
    { CALL_READ, "q", CALL_resource_not_found },
    { CALL_PROMPT, "a:one", CALL_prompt_not_found },
    { CALL_COMPLETE_PROMPT, "x", CALL_prompt_not_found },
    { CALL_COMPLETE_RESOURCE, "a:one", CALL_resource_not_found },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    start (rows[i].kind, rows[i].name, NULL, "w");
    CU_ASSERT_EQUAL (f.done, 1);
    CU_ASSERT_EQUAL (f.error, rows[i].error);
    CU_ASSERT_STRING_EQUAL (f.name, rows[i].name);
    CU_ASSERT_STRING_EQUAL (f.tool, "");
  }
}

static CU_TestInfo tests[] = {
  { "a read", a_read },
  { "a read of what a template matches", a_read_of_a_template },
  { "a prompt, and its missing argument", a_prompt },
  { "completions", completions },
  { "who suggests nothing is not asked", no_completions },
  { "what is not there", what_is_not_there },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "call kinds", setup, teardown, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

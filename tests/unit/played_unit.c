#include "played_unit.h"

#include <string.h>

#include "base/clock.h"
#include "base/json_tape.h"
#include "schema/schema.h"
#include "tap.h"

/* A unit is the test's. */
static void
keep (struct unit *unit)
{
  (void) unit;
}

struct toolset *
unit_toolset (struct unit *unit)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct tool *tool = xcalloc (1, sizeof *tool);
  struct json_tape tape;

  tool->refs = 1;
  tool->name = xstrdup ("t");
  tool->name_len = 1;
  tool->unit = unit;
  tool->unit_unref = keep;
  CU_ASSERT_TRUE_FATAL (json_read (&tape, "{}", 2, &json_default_limits, &arena));
  tool->input = schema_compile (&tape, json_root (&tape), NULL, NULL);
  return toolset_new (&tool, 1, 1);
}

struct unit_answer
unit_submit (struct unit *unit, struct job *job)
{
  unit->submitted++;
  if (unit->answer.refusal == UNIT_TAKEN) {
    unit->job = job;
    job->unit = unit;
    if (!unit->full) {
      job->sent_ns = clock_ns ();
      job->events->started (job);
    }
  }
  return unit->answer;
}

void
job_cancel (struct job *job, enum frame_cancel_reason reason)
{
  (void) reason;
  if (job->unit == NULL)
    return;
  job->unit->job = NULL;
  job->unit = NULL;
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
end (struct unit *unit, const struct frame_result *head, const char *structured,
     const char *content, const char *kept)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct job *job = unit->job;
  struct frame_result result = *head;
  struct json_tape tape;

  result.structured_len = (uint32_t) strlen (structured);
  result.content_len = (uint32_t) strlen (content);
  result.kept_len = (uint32_t) strlen (kept);
  if (*structured != '\0')
    CU_ASSERT_TRUE_FATAL (
      json_read (&tape, structured, strlen (structured), &json_default_limits, &arena));
  unit->job = NULL;
  job->unit = NULL;
  job->events->ended (job, &(struct job_end){ .fate = JOB_RESULT,
                                              .result = &result,
                                              .code = "",
                                              .message = "",
                                              .structured = structured,
                                              .structured_tape = *structured != '\0' ? &tape : NULL,
                                              .content = content,
                                              .kept = kept });
}

void
unit_asks (struct unit *unit, const char *asked, const char *kept)
{
  end (unit, &(struct frame_result){ .outcome = FRAME_OUTCOME_ASKED }, asked, "", kept);
}

void
unit_works (struct unit *unit)
{
  end (unit, &(struct frame_result){ .outcome = FRAME_OUTCOME_OK }, "", "[]", "");
}

void
unit_gives (struct unit *unit, const char *content, const char *structured)
{
  end (unit, &(struct frame_result){ .outcome = FRAME_OUTCOME_OK, .cpu_ns = 5000 }, structured,
       content, "");
}

void
unit_crashes (struct unit *unit)
{
  struct job *job = unit->job;

  unit->job = NULL;
  job->unit = NULL;
  job->events->ended (job, &(struct job_end){ .fate = JOB_CRASHED, .text = "signal 11" });
}

bool
unit_was_told (const struct unit *unit, const char *args, const char *answers, const char *kept)
{
  const struct job *job = unit->job;
  CLEANUP_BUF struct buf all = { 0 };

  buf_printf (&all, "%s%s%s", args, answers, kept);
  return job->args_len == all.len && memcmp (job->args, all.data, all.len) == 0
         && job->answers_len == strlen (answers) && job->kept_len == strlen (kept);
}

/* Guards of plugins: one call of the guard's, in its sandbox, with a deadline of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "call/call_log.h"
#include "call/guarding_parts.h"
#include "call/tenancy.h"
#include "pool/unit.h"
#include "schema/schema.h"

static struct guarding *
of_job (struct job *job)
{
  return ((struct check *) job)->guarding;
}

static struct planned *
planned_of (struct guarding *g)
{
  return &g->plan[g->next];
}

void
check_stop (struct guarding *g)
{
  struct check *c = &g->check;

  if (c->tool == NULL)
    return;
  ev_timer_stop (g->call->calls->loop, &c->late);
  if (c->job.unit != NULL || c->job.checking != NULL)
    job_cancel (&c->job, FRAME_CANCEL_CALLER);
  tool_unref (c->tool);
  c->tool = NULL;
  free (c->tenant);
  c->tenant = NULL;
}

/* It goes on after a verdict, or after none. */
static void
resume (struct guarding *g, enum guarded verdict)
{
  if (verdict == GUARDED_PASSES)
    guarding_resume (g);
}

/* ---- what a guard answers ---- */

/* What it gives takes the place of what it looked at.  False: that can't be used. */
static bool
take_replacement (struct guarding *g, const struct job_end *end)
{
  const struct frame_result *head = end->result;
  const bool is_object =
    end->structured_tape != NULL && json_is (json_root (end->structured_tape), JSON_OBJECT);

  if (g->at == GUARDED_INPUT) {
    if (!is_object)
      return false;
    guarding_replace (g, end->structured, head->structured_len);
    return true;
  }
  g->value.len = 0;
  output_write (end, &g->value);
  g->is_read = false;
  g->changed = true;
  return true;
}

static enum guarded
take_ok (struct guarding *g, const struct job_end *end)
{
  struct planned *p = planned_of (g);
  const bool gives = end->result->structured_len != 0 || end->result->content_len > 2;

  if (gives && !take_replacement (g, end))
    return guarding_no_answer (g, "it gave something else than arguments");
  p->verdict = gives ? VERDICT_REPLACE : VERDICT_ALLOW;
  guarding_count (g, p);
  g->next++;
  return GUARDED_PASSES;
}

static enum guarded
take_failed (struct guarding *g, const struct job_end *end)
{
  const struct frame_result *head = end->result;
  struct planned *p = planned_of (g);
  const bool rejects = head->code_len == sizeof TOOLHOST_REJECTED - 1
                       && memcmp (end->code, TOOLHOST_REJECTED, head->code_len) == 0;
  CLEANUP_BUF struct buf cause = { 0 };

  p->verdict = rejects ? VERDICT_REJECT : VERDICT_FAIL;
  guarding_count (g, p);
  if (rejects)
    return guarding_reject (g, end->message, head->message_len, NULL);
  buf_printf (&cause, "%s: %.*s%s%.*s", p->entry->name, (int) head->code_len, end->code,
              head->code_len != 0 && head->message_len != 0 ? ": " : "", (int) head->message_len,
              end->message);
  return guarding_fail (g, buf_cstr (&cause));
}

/* All the texts that an error function gave, one after the other. */
static void
join_texts (const struct job_end *end, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  size_t len;

  if (!json_read (&tape, end->content, end->result->content_len, &json_default_limits, &arena))
    return;
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (n)) {
    const char *text = json_string (&tape, json_member (&tape, n, "text"), &arena, &len);
    if (text == NULL || !json_equals (&tape, json_member (&tape, n, "type"), "text"))
      continue;
    if (out->len != 0)
      buf_putc (out, '\n');
    buf_append (out, text, len);
  }
}

/* What the error function gave is what is told; as an error its texts are the message. */
static enum guarded
take_comfort (struct guarding *g, const struct job_end *end)
{
  const struct frame_result *head = end->result;
  struct planned *p = planned_of (g);
  CLEANUP_BUF struct buf text = { 0 }, content = { 0 };
  struct result told = g->failed;
  size_t len = head->content_len;

  if (head->outcome != FRAME_OUTCOME_OK || len <= 2)
    return guarding_no_answer (g, "its error function failed");
  p->verdict = VERDICT_REPLACE;
  guarding_count (g, p);
  told.problems = NULL;
  told.problems_len = 0;
  told.content = call_redact_json (g->call, end->content, &len, &content);
  told.content_len = told.content != NULL ? len : 0;
  told.structured = NULL;
  told.structured_len = 0;
  if (p->entry->is_ok && g->call->tool->output == NULL && told.content != NULL) {
    told.error = CALL_OK;
    told.code = NULL;
    told.message = "";
    told.message_len = 0;
  }
  else {
    join_texts (end, &text);
    call_redact_buf (g->call, g->tool, &text);
    told.message = text.data;
    told.message_len = text.len;
    told.content = NULL;
    told.content_len = 0;
  }
  g->fails = false;
  call_settle (g->call, &told);
  return GUARDED_ENDED;
}

static enum guarded
judge (struct guarding *g, const struct job_end *end)
{
  if (end->fate != JOB_RESULT)
    return guarding_no_answer (g, end->text != NULL ? end->text : "its process was lost");
  if (g->at == GUARDED_ERROR)
    return take_comfort (g, end);
  switch (end->result->outcome) {
  case FRAME_OUTCOME_OK:
    return take_ok (g, end);
  case FRAME_OUTCOME_FAILED:
    return take_failed (g, end);
  default:
    return guarding_no_answer (g, "what it answered is no verdict");
  }
}

/* ---- its job ---- */

static void
on_started (struct job *job)
{
  (void) job;
}

static void
on_progress (struct job *job, double done, double total, const char *text, size_t len)
{
  (void) job;
  (void) done;
  (void) total;
  (void) text;
  (void) len;
}

/* What guards write is about a call, so it is redacted as that is. */
static void
on_log (struct job *job, int level, const char *text, size_t len)
{
  struct guarding *g = of_job (job);
  CLEANUP_BUF struct buf room = { 0 };

  text = call_redact (g->call, text, &len, &room);
  call_log_text (g->call, level, text, len);
}

static bool
on_event (struct job *job, int level, const char *text, size_t len, size_t name_len)
{
  (void) job;
  (void) level;
  (void) text;
  (void) len;
  (void) name_len;
  return true; /* guards have no events of their own */
}

static void
on_overran (struct job *job, uint64_t cpu_ns)
{
  struct guarding *g = of_job (job);

  (void) cpu_ns;
  job_cancel (job, FRAME_CANCEL_CPU);
  check_stop (g);
  resume (g, guarding_no_answer (g, "it used up its processor time"));
}

static void
take_time (struct guarding *g)
{
  planned_of (g)->us = (uint64_t) (clock_ns () - g->check.began_ns) / 1000;
}

static void
on_ended (struct job *job, const struct job_end *end)
{
  struct guarding *g = of_job (job);

  take_time (g);
  check_stop (g);
  resume (g, judge (g, end));
}

static void
on_late (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct guarding *g = ((struct check *) timer->data)->guarding;
  char why[64];

  (void) loop;
  (void) revents;
  take_time (g);
  (void) snprintf (why, sizeof why, "it did not answer within %" PRId64 " ms",
                   planned_of (g)->entry->timeout_ms);
  job_cancel (&g->check.job, FRAME_CANCEL_DEADLINE);
  check_stop (g);
  resume (g, guarding_no_answer (g, why));
}

static const struct job_events check_events = { .started = on_started,
                                                .progress = on_progress,
                                                .log = on_log,
                                                .event = on_event,
                                                .overran = on_overran,
                                                .ended = on_ended };

/* ---- asking ---- */

/* As toolhost_guard of the SDK has it. */
static void
write_args (struct guarding *g, struct buf *out)
{
  const struct call *call = g->call;
  const struct planned *p = planned_of (g);
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "stage", guarded_at_word (g->at));
  jsonw_name_string (&w, "tool", g->tool);
  if (g->at == GUARDED_INPUT)
    jsonw_name_raw (&w, "arguments", g->value.data, g->value.len);
  else
    jsonw_name_raw (&w, "arguments", call->args.data, call->args_len);
  if (g->at == GUARDED_OUTPUT)
    jsonw_name_raw (&w, "result", g->value.data, g->value.len);
  if (g->at == GUARDED_ERROR) {
    jsonw_name (&w, "error");
    jsonw_object (&w);
    jsonw_name_string (&w, "code", g->failed.code);
    jsonw_name (&w, "message");
    jsonw_string_len (&w, g->failed.message, g->failed.message_len);
    jsonw_end (&w);
  }
  jsonw_name_raw (&w, "config", p->entry->config, strlen (p->entry->config));
  jsonw_end (&w);
}

/* Does the operator's "config" fit what the guard says of it?  Looked at once for each guard. */
static bool
config_fits (struct guards_entry *entry, const struct tool *guard)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };
  struct json_tape tape;

  if (guard->input == NULL || (*guard->digest != '\0' && strcmp (entry->fits, guard->digest) == 0))
    return true;
  if (!json_read (&tape, entry->config, strlen (entry->config), &json_default_limits, &arena)
      || !schema_validate (guard->input, &tape, json_root (&tape), &report, &arena))
    return false;
  memcpy (entry->fits, guard->digest, sizeof entry->fits);
  return true;
}

/* The guard, if it can be asked this; else NULL, and why. */
static struct tool *
find_guard (struct guarding *g, const char **why)
{
  static const unsigned checks[] = { [GUARDED_INPUT] = CHECKS_INPUT,
                                     [GUARDED_OUTPUT] = CHECKS_OUTPUT,
                                     [GUARDED_ERROR] = CHECKS_ERRORS };
  struct guards_entry *entry = planned_of (g)->entry;
  const struct toolset *set = catalog_toolset (tenancies_whole (g->call->tenancy->all));
  struct tool *guard = offers_find (&set->of[OFFER_GUARD], entry->offer, strlen (entry->offer));

  *why = NULL;
  if (guard == NULL || guard->unit == NULL)
    *why = "there is no such guard";
  else if ((guard->checks & checks[g->at]) == 0)
    *why = "it does not do that";
  else if (!config_fits (entry, guard))
    *why = "its \"config\" does not fit the guard's configSchema";
  return *why == NULL ? guard : NULL;
}

/* It waits in a turn of its own, beside its tenant's calls: else those that run could keep the
 * guards waiting that others wait for. */
static char *
turn_of (const struct call *call)
{
  const char *tenant = call->tenant != NULL ? call->tenant : TENANT_DEFAULT;
  const size_t size = sizeof "guards:" + strlen (tenant);
  char *turn = xmalloc (size);

  (void) snprintf (turn, size, "guards:%s", tenant);
  return turn;
}

enum guarded
check_start (struct guarding *g)
{
  struct check *c = &g->check;
  const struct call *call = g->call;
  const int64_t timeout_ms = planned_of (g)->entry->timeout_ms;
  struct unit_answer answer;
  const char *why;
  struct tool *guard = find_guard (g, &why);

  planned_of (g)->us = 0;
  if (guard == NULL)
    return guarding_no_answer (g, why);
  if (g->at == GUARDED_OUTPUT)
    output_keep (g);
  c->guarding = g;
  c->tool = tool_ref (guard);
  c->tenant = turn_of (call);
  c->began_ns = clock_ns ();
  c->args.len = 0;
  write_args (g, &c->args);
  c->job = (struct job){ .events = &check_events,
                         .tool = guard->index,
                         .id = call->id,
                         .content = FRAME_BLOCKS,
                         .args = c->args.data,
                         .args_len = c->args.len,
                         .meta = call->meta.data,
                         .meta_len = call->meta.len,
                         .deadline_ns = c->began_ns + timeout_ms * 1000000,
                         .on_error = g->at == GUARDED_ERROR,
                         .tenant = c->tenant,
                         .principal = call->principal };
  ev_timer_init (&c->late, on_late, (double) timeout_ms / 1000, 0);
  c->late.data = c;
  answer = unit_submit (guard->unit, &c->job);
  if (answer.refusal != UNIT_TAKEN) {
    c->job.unit = NULL;
    check_stop (g);
    return guarding_no_answer (g, answer.why != NULL ? answer.why : "its plugin takes no more");
  }
  ev_timer_start (call->calls->loop, &c->late);
  return GUARDED_WAITS;
}

/* Units and their workers: real processes of the built worker program, with plugins of
 * tests/hostile. */
#include <ev.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "pool/spawn.h"
#include "pool/unit.h"
#include "pool/worker.h"
#include "tap.h"

struct fixture {
  struct ev_loop *loop;
  struct pool pool;
  struct policy policy;
  struct unit *unit;
  struct history *history;
  int program;
  struct spawner *spawner;
  /* what was heard of the description */
  bool described;
  struct buf description;
  char why[512];
};

struct task {
  struct job job; /* first */
  bool started, logged, ended;
  int pid; /* of the process it was given to */
  enum job_fate fate;
  enum frame_outcome outcome;
  struct buf content;
};

static void
on_described (void *ctx, const char *json, size_t len, const struct error *err)
{
  struct fixture *f = ctx;

  f->described = true;
  if (json != NULL)
    buf_append (&f->description, json, len);
  else
    (void) snprintf (f->why, sizeof f->why, "%s", err->text);
}

static void
on_started (struct job *job)
{
  ((struct task *) job)->started = true;
  ((struct task *) job)->pid = job->worker->proc.pid;
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

static void
on_log (struct job *job, int level, const char *text, size_t len)
{
  ((struct task *) job)->logged = true;
  (void) level;
  (void) text;
  (void) len;
}

static void
on_ended (struct job *job, const struct job_end *end)
{
  struct task *task = (struct task *) job;

  CU_ASSERT_FALSE (task->ended); /* exactly once */
  task->ended = true;
  task->fate = end->fate;
  if (end->fate != JOB_RESULT)
    return;
  task->outcome = (enum frame_outcome) end->result->outcome;
  buf_append (&task->content, end->content, end->result->content_len);
}

static bool
on_event (struct job *job, int level, const char *text, size_t len, size_t name_len)
{
  (void) job;
  (void) level;
  return name_len != 0 && name_len < len && text != NULL;
}

static const struct job_events job_events = { .started = on_started,
                                              .progress = on_progress,
                                              .log = on_log,
                                              .event = on_event,
                                              .ended = on_ended };

static int
open_built (const char *path)
{
  const char *build = getenv ("TOOLHOST_BUILD");
  CLEANUP_BUF struct buf whole = { 0 };

  buf_printf (&whole, "%s/%s", build != NULL ? build : ".", path);
  return open (buf_cstr (&whole), O_RDONLY | O_CLOEXEC);
}

/* A unit with the fixture's policy, in the place of the one that is there. */
static void
make_unit (struct fixture *f, const char *plugin)
{
  CLEANUP_BUF struct buf path = { 0 };
  int fd;

  unit_unref (f->unit);
  buf_printf (&path, "tests/hostile/.libs/%s.so", plugin);
  fd = open_built (buf_cstr (&path));
  CU_ASSERT_TRUE_FATAL (f->program >= 0 && fd >= 0);
  f->unit = unit_new (&f->pool, plugin, fd, &f->policy, f->history);
  unit_set_capacity (f->unit, 1);
}

static void
setup (struct fixture *f, const char *plugin)
{
  struct pool_settings settings;
  struct error err;

  memset (f, 0, sizeof *f);
  f->loop = ev_loop_new (EVFLAG_AUTO);
  pool_settings_default (&settings);
  f->program = open_built ("toolhost-worker");
  f->spawner = spawner_new (
    &(struct spawner_settings){ .loop = f->loop, .program = f->program, .uid_count = 64 }, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (f->spawner);
  settings.spawner = f->spawner;
  settings.build = TOOLHOST_BUILD_ID;
  settings.grace = 0.02;
  settings.drain = 0.02;
  settings.breaker = (struct breaker_settings){ .backoff_min = 0.01,
                                                .backoff_max = 0.02,
                                                .max_crashes = 3,
                                                .window = 60,
                                                .quarantine = 600,
                                                .quarantine_max = 600 };
  pool_init (&f->pool, f->loop, NULL, &settings);
  policy_init (&f->policy);
  f->history = history_new ();
  make_unit (f, plugin);
}

static void
run_until (struct fixture *f, const bool *flag)
{
  while (!*flag)
    ev_run (f->loop, EVRUN_ONCE);
}

static void
teardown (struct fixture *f)
{
  unit_unref (f->unit);
  while (f->pool.workers != 0)
    ev_run (f->loop, EVRUN_ONCE);
  pool_clear (&f->pool);
  policy_free (&f->policy);
  history_unref (f->history);
  buf_free (&f->description);
  spawner_free (f->spawner);
  (void) close (f->program);
  ev_loop_destroy (f->loop);
}

static struct unit_answer
submit (struct fixture *f, struct task *task, const char *args)
{
  *task = (struct task){ .job = { .events = &job_events,
                                  .args = args,
                                  .args_len = strlen (args),
                                  .meta = "{}",
                                  .meta_len = 2,
                                  .deadline_ns = INT64_MAX } };
  return unit_submit (f->unit, &task->job);
}

static void
described (void)
{
  struct fixture f;
  struct unit_status status;

  setup (&f, "slow_echo");
  unit_describe (f.unit, &(struct unit_describer){ on_described, &f, 0 });
  run_until (&f, &f.described);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&f.description), "\"slow_echo\""));
  while (f.pool.workers != 0) /* nobody calls: it is stopped again */
    ev_run (f.loop, EVRUN_ONCE);
  unit_status (f.unit, &status);
  CU_ASSERT_STRING_EQUAL (status.state, "idle");
  CU_ASSERT_PTR_NOT_NULL (strstr (status.guarantees, "no-network"));
  CU_ASSERT_EQUAL (history_crashes (f.history), 0);
  CU_ASSERT_EQUAL (history_past (f.history, 0)->end.reason, REASON_STOPPED);
  teardown (&f);
}

static void
what_cannot_be_loaded (void)
{
  struct fixture f;
  struct task task;

  setup (&f, "no_entry");
  unit_describe (f.unit, &(struct unit_describer){ on_described, &f, 0 });
  run_until (&f, &f.described);
  CU_ASSERT_PTR_NOT_NULL (strstr (f.why, "toolhost_plugin_entry"));
  CU_ASSERT_EQUAL (submit (&f, &task, "{}").refusal, UNIT_UNAVAILABLE);
  teardown (&f);
}

/* A limit that was written down and can't be enforced here is an error; a default is none. */
static void
what_nobody_can_watch (void)
{
  static const struct {
    unsigned asked;
    int64_t address_space;
    const char *told; /* NULL: it is loaded */
  } rows[] = {
    { 0, 0, NULL },
    { LIMIT_MEMORY, 0, NULL }, /* its address space is limited */
    { LIMIT_CPU, 0, "/limits/cpu_per_call of its policy can't be enforced here" },
    { LIMIT_MEMORY, (int64_t) 8 << 30, "/limits/memory of its policy can't be enforced here" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fixture f;
    bool told = rows[i].told != NULL;
    setup (&f, "slow_echo");
    if (rows[i].address_space != 0 && spawner_means (f.spawner)->cgroup != 0)
      told = false; /* its cgroup limits its memory */
    (void) close (f.pool.watchdog.proc);
    f.pool.watchdog.proc = -1;
    f.policy.asked = rows[i].asked;
    f.policy.address_space = rows[i].address_space;
    make_unit (&f, "slow_echo");
    unit_describe (f.unit, &(struct unit_describer){ on_described, &f, 0 });
    run_until (&f, &f.described);
    CU_ASSERT_EQUAL (f.description.len == 0, told);
    if (told)
      CU_ASSERT_PTR_NOT_NULL (strstr (f.why, rows[i].told));
    teardown (&f);
  }
}

static void
a_worker_starts_with_the_first_call (void)
{
  struct fixture f;
  struct task task;

  setup (&f, "slow_echo");
  CU_ASSERT_EQUAL (submit (&f, &task, "{\"text\":\"hi\",\"ms\":0}").refusal, UNIT_TAKEN);
  CU_ASSERT_FALSE (task.started);
  run_until (&f, &task.ended);
  CU_ASSERT_EQUAL (task.fate, JOB_RESULT);
  CU_ASSERT_EQUAL (task.outcome, FRAME_OUTCOME_OK);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&task.content), "hi"));
  buf_free (&task.content);
  teardown (&f);
}

static void
the_queue_has_a_bound (void)
{
  struct fixture f;
  struct task tasks[3];

  setup (&f, "slow_echo");
  unit_unref (f.unit);
  f.policy.queue = 2;
  f.unit = unit_new (&f.pool, "slow_echo", open_built ("tests/hostile/.libs/slow_echo.so"),
                     &f.policy, f.history);
  CU_ASSERT_EQUAL (submit (&f, &tasks[0], "{}").refusal, UNIT_TAKEN);
  CU_ASSERT_EQUAL (submit (&f, &tasks[1], "{}").refusal, UNIT_TAKEN);
  CU_ASSERT_EQUAL (submit (&f, &tasks[2], "{}").refusal, UNIT_QUEUE_FULL);
  job_cancel (&tasks[0].job, FRAME_CANCEL_CALLER); /* a queued one goes without a word */
  CU_ASSERT_FALSE (tasks[0].ended);
  CU_ASSERT_EQUAL (submit (&f, &tasks[2], "{}").refusal, UNIT_TAKEN);
  job_cancel (&tasks[1].job, FRAME_CANCEL_CALLER);
  job_cancel (&tasks[2].job, FRAME_CANCEL_CALLER);
  teardown (&f);
}

static void
crashes_end_in_quarantine (void)
{
  struct fixture f;
  struct unit_status status;
  struct task task;

  setup (&f, "null_deref");
  for (int i = 0; i < 3; i++) {
    CU_ASSERT_EQUAL (submit (&f, &task, "{}").refusal, UNIT_TAKEN);
    run_until (&f, &task.ended);
    CU_ASSERT_EQUAL (task.fate, JOB_CRASHED);
  }
  unit_status (f.unit, &status);
  CU_ASSERT_STRING_EQUAL (status.state, "quarantined");
  CU_ASSERT_TRUE (status.wait_ms > 590000);
  CU_ASSERT_EQUAL (f.history->ends[REASON_SIGNAL], 3);
  CU_ASSERT_EQUAL (history_most_frequent (f.history), REASON_SIGNAL);
  CU_ASSERT_PTR_NOT_NULL (strstr (status.why, "SIG"));
  CU_ASSERT_EQUAL (submit (&f, &task, "{}").refusal, UNIT_UNAVAILABLE);
  unit_release (f.unit);
  CU_ASSERT_EQUAL (submit (&f, &task, "{}").refusal, UNIT_TAKEN);
  run_until (&f, &task.ended);
  CU_ASSERT_EQUAL (task.fate, JOB_CRASHED);
  teardown (&f);
}

/* A call that would outlive its own deadline in the back-off is told so at once. */
static void
a_back_off_longer_than_the_deadline (void)
{
  struct fixture f;
  struct unit_answer answer;
  struct task task;

  setup (&f, "null_deref");
  f.pool.settings.breaker.backoff_min = f.pool.settings.breaker.backoff_max = 600;
  (void) submit (&f, &task, "{}");
  run_until (&f, &task.ended);
  task = (struct task){ .job = { .events = &job_events,
                                 .args = "{}",
                                 .args_len = 2,
                                 .deadline_ns = clock_ns () + 30 * 1000000000LL } };
  answer = unit_submit (f.unit, &task.job);
  CU_ASSERT_EQUAL (answer.refusal, UNIT_UNAVAILABLE);
  CU_ASSERT_TRUE (answer.retry_after_ms > 250000);
  teardown (&f);
}

static void
a_cancelled_call_that_does_not_return (void)
{
  struct fixture f;
  struct task task;

  setup (&f, "spin");
  (void) submit (&f, &task, "{}");
  run_until (&f, &task.logged); /* it says so before it begins to spin */
  job_cancel (&task.job, FRAME_CANCEL_DEADLINE);
  while (f.pool.killed == 0) /* grace, then the process is condemned and killed */
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_FALSE (task.ended);
  CU_ASSERT_EQUAL (f.pool.crashed, 0);
  while (f.history->ended == 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (history_past (f.history, 0)->end.reason, REASON_DEADLINE);
  CU_ASSERT_EQUAL (history_crashes (f.history), 0);
  teardown (&f);
}

/* Answer `count` calls, one after the other. */
static void
answer (struct fixture *f, unsigned count)
{
  struct task task;

  while (count-- > 0) {
    CU_ASSERT_EQUAL (submit (f, &task, "{\"text\":\"hi\",\"ms\":0}").refusal, UNIT_TAKEN);
    run_until (f, &task.ended);
    CU_ASSERT_EQUAL (task.fate, JOB_RESULT);
    buf_free (&task.content);
  }
}

/* Another unit under another policy. */
static void
renew (struct fixture *f, const char *plugin)
{
  CLEANUP_BUF struct buf path = { 0 };

  unit_unref (f->unit);
  buf_printf (&path, "tests/hostile/.libs/%s.so", plugin);
  f->unit = unit_new (&f->pool, plugin, open_built (buf_cstr (&path)), &f->policy, f->history);
  unit_set_capacity (f->unit, 1);
}

static void
ready_without_a_call (void)
{
  struct fixture f;
  struct unit_status status;

  setup (&f, "slow_echo");
  f.policy.workers_ready = f.policy.workers_max = 2;
  renew (&f, "slow_echo");
  unit_serve (f.unit);
  do {
    ev_run (f.loop, EVRUN_ONCE);
    unit_status (f.unit, &status);
  } while (status.workers < 2 || status.starting != 0);
  CU_ASSERT_STRING_EQUAL (status.state, "running");
  CU_ASSERT_EQUAL (f.history->starts, 2);
  answer (&f, 3);
  CU_ASSERT_EQUAL (f.history->starts, 2);
  teardown (&f);
}

static void
another_process_when_calls_wait (void)
{
  struct fixture f;
  struct task tasks[4];

  setup (&f, "slow_echo");
  f.policy.workers_max = 2;
  renew (&f, "slow_echo");
  for (int i = 0; i < 4; i++)
    CU_ASSERT_EQUAL (submit (&f, &tasks[i], "{\"text\":\"hi\",\"ms\":100}").refusal, UNIT_TAKEN);
  for (int i = 0; i < 4; i++) {
    run_until (&f, &tasks[i].ended);
    CU_ASSERT_EQUAL (tasks[i].fate, JOB_RESULT);
    buf_free (&tasks[i].content);
  }
  CU_ASSERT_EQUAL (f.history->starts, 2); /* and no more */
  teardown (&f);
}

static void
recycled_after_so_many_calls (void)
{
  struct fixture f;

  setup (&f, "slow_echo");
  f.policy.recycle_calls = 3;
  renew (&f, "slow_echo");
  while (f.history->ends[REASON_RECYCLED] < 2)
    answer (&f, 1);
  CU_ASSERT_EQUAL (history_crashes (f.history), 0);
  CU_ASSERT_TRUE (f.history->starts >= 3);
  teardown (&f);
}

static void
one_call_is_tried_after_the_quarantine (void)
{
  struct fixture f;
  struct unit_status status;
  struct task task, other;
  uint64_t starts;

  setup (&f, "null_deref");
  f.pool.settings.breaker.max_crashes = 1;
  f.pool.settings.breaker.quarantine = 0.001;
  (void) submit (&f, &task, "{}");
  run_until (&f, &task.ended);
  starts = f.history->starts;
  do
    unit_status (f.unit, &status);
  while (strcmp (status.state, "quarantined") == 0);
  CU_ASSERT_STRING_EQUAL (status.state, "half_open");
  CU_ASSERT_EQUAL (submit (&f, &task, "{}").refusal, UNIT_TAKEN);
  CU_ASSERT_EQUAL (submit (&f, &other, "{}").refusal, UNIT_UNAVAILABLE);
  f.pool.settings.breaker.quarantine = 600; /* the next one lasts */
  run_until (&f, &task.ended);
  CU_ASSERT_EQUAL (task.fate, JOB_CRASHED);
  CU_ASSERT_EQUAL (f.history->starts, starts + 1);
  teardown (&f);
}

/* The old generation finishes; each worker goes when it has nothing to do. */
static void
superseded (void)
{
  struct fixture f;
  struct unit_status status;
  struct task task;

  setup (&f, "slow_echo");
  (void) submit (&f, &task, "{\"text\":\"hi\",\"ms\":50}");
  run_until (&f, &task.started);
  unit_supersede (f.unit);
  unit_status (f.unit, &status);
  CU_ASSERT_STRING_EQUAL (status.state, "draining");
  run_until (&f, &task.ended);
  CU_ASSERT_EQUAL (task.fate, JOB_RESULT);
  buf_free (&task.content);
  while (f.pool.workers != 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.history->ends[REASON_REPLACED], 1);
  teardown (&f);
}

/* With `warm`, so many workers are ready when the plugin is described, and stay. */
static void
described_warm (void)
{
  struct fixture f;
  struct unit_status status;

  setup (&f, "slow_echo");
  f.policy.workers_max = 3;
  renew (&f, "slow_echo");
  unit_describe (f.unit, &(struct unit_describer){ on_described, &f, 3 });
  run_until (&f, &f.described);
  unit_status (f.unit, &status);
  CU_ASSERT_EQUAL (status.workers, 3);
  CU_ASSERT_EQUAL (status.starting, 0);
  unit_serve (f.unit);
  answer (&f, 2);
  CU_ASSERT_EQUAL (f.history->starts, 3);
  CU_ASSERT_EQUAL (f.history->ended, 0);
  teardown (&f);
}

/* ---- who shares a process ---- */

static void
submit_as (struct fixture *f, struct task *task, const char *tenant)
{
  *task = (struct task){ .job = { .events = &job_events,
                                  .args = "{\"ms\":10}",
                                  .args_len = 9,
                                  .meta = "{}",
                                  .meta_len = 2,
                                  .deadline_ns = INT64_MAX,
                                  .tenant = tenant } };
  CU_ASSERT_EQUAL_FATAL (unit_submit (f->unit, &task->job).refusal, UNIT_TAKEN);
}

static void
finish (struct fixture *f, struct task *tasks, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    run_until (f, &tasks[i].ended);
    CU_ASSERT_EQUAL (tasks[i].fate, JOB_RESULT);
    buf_free (&tasks[i].content);
  }
}

/* Three tenants come again and again; there may be so many processes. */
static void
share_by_tenant (unsigned processes)
{
  static const char *const tenants[] = { "a", "b", "c" };
  enum { CALLS = 18 };
  struct fixture f;
  struct task tasks[CALLS];

  setup (&f, "slow_echo");
  f.policy.isolate = ISOLATE_TENANT;
  f.policy.workers_max = processes;
  renew (&f, "slow_echo");
  unit_set_capacity (f.unit, 2);
  for (unsigned i = 0; i < CALLS; i++)
    submit_as (&f, &tasks[i], tenants[i % 3]);
  finish (&f, tasks, CALLS);
  for (unsigned i = 0; i < CALLS; i++)
    for (unsigned j = 0; j < i; j++)
      CU_ASSERT_TRUE (i % 3 == j % 3 || tasks[i].pid != tasks[j].pid);
  submit_as (&f, &tasks[0], "d"); /* all that are there are others', and idle */
  finish (&f, tasks, 1);
  for (unsigned i = 1; i < CALLS; i++)
    CU_ASSERT_NOT_EQUAL (tasks[i].pid, tasks[0].pid);
  teardown (&f);
}

static void
tenants_share_no_process (void)
{
  share_by_tenant (1);
  share_by_tenant (2);
  share_by_tenant (5);
}

/* One that always has calls waiting does not keep the only process for ever. */
static void
a_tenant_gives_way (void)
{
  enum { CALLS = 200 };
  struct fixture f;
  struct task tasks[CALLS], other;
  unsigned before = 0;

  setup (&f, "slow_echo");
  f.policy.isolate = ISOLATE_TENANT;
  renew (&f, "slow_echo");
  for (unsigned i = 0; i < CALLS; i++)
    submit_as (&f, &tasks[i], "a");
  run_until (&f, &tasks[0].ended);
  submit_as (&f, &other, "b");
  finish (&f, &other, 1);
  for (unsigned i = 0; i < CALLS; i++)
    before += tasks[i].ended;
  CU_ASSERT_TRUE (before < CALLS / 2);
  finish (&f, tasks, CALLS);
  teardown (&f);
}

static void
a_process_for_each_call (void)
{
  enum { CALLS = 8 };
  struct fixture f;
  struct task tasks[CALLS];
  struct unit_status status;

  setup (&f, "slow_echo");
  f.policy.isolate = ISOLATE_CALL;
  f.policy.workers_max = 2;
  renew (&f, "slow_echo");
  unit_set_capacity (f.unit, 100);
  for (unsigned i = 0; i < CALLS; i++)
    submit_as (&f, &tasks[i], "a");
  for (unsigned i = 0; i < CALLS; i++) {
    run_until (&f, &tasks[i].started);
    unit_status (f.unit, &status);
    CU_ASSERT_TRUE (status.running <= 2);
  }
  finish (&f, tasks, CALLS);
  for (unsigned i = 0; i < CALLS; i++)
    for (unsigned j = 0; j < i; j++)
      CU_ASSERT_NOT_EQUAL (tasks[i].pid, tasks[j].pid);
  CU_ASSERT_EQUAL (history_crashes (f.history), 0);
  teardown (&f);
}

/* ---- floods ---- */

static void
how_much_is_listened_to (void)
{
  struct chatter chatter = { 0 };
  double rest;
  int logs = 0;

  do
    logs++;
  while ((rest = chatter_spend (&chatter, 7.004, CHATTER_LOG)) == 0);
  CU_ASSERT_EQUAL (logs, CHATTER_PER_PERIOD);
  CU_ASSERT (rest > 0 && rest <= CHATTER_PERIOD);
  CU_ASSERT (chatter_spend (&chatter, 7.013, CHATTER_LOG) > 0);
  CU_ASSERT_EQUAL (chatter_spend (&chatter, 7.015, CHATTER_PROGRESS), 0); /* the next period */
  CU_ASSERT_EQUAL (chatter_spend (&chatter, 3, CHATTER_PROGRESS), 0);     /* the clock was set */
  CU_ASSERT_EQUAL (chatter.used, CHATTER_PROGRESS);
}

static void
a_flood_of_log_lines (void)
{
  struct fixture f;
  struct task flood;

  setup (&f, "log_flood");
  CU_ASSERT_EQUAL (submit (&f, &flood, "{}").refusal, UNIT_TAKEN);
  while (f.pool.rests < 5)
    ev_run (f.loop, EVRUN_ONCE);
  job_cancel (&flood.job, FRAME_CANCEL_CALLER);
  CU_ASSERT_FALSE (flood.ended);
  teardown (&f);
}

/* ---- large results ---- */

/* The only thread that reads results, held up until somebody lets it go. */
struct reader {
  struct offload *offload;
  sem_t go;
};

static void
be_held_up (void *ctx, const struct offload_job *job)
{
  (void) job;
  (void) sem_wait (&((struct reader *) ctx)->go);
}

static void
not_held_up (void *ctx, bool cancelled)
{
  (void) ctx;
  (void) cancelled;
}

static void
hold_up (struct fixture *f, struct reader *reader)
{
  reader->offload = f->pool.offload = offload_new (f->loop, 1);
  (void) sem_init (&reader->go, 0, 0);
  (void) offload_submit (
    reader->offload,
    &(struct offload_work){ .work = be_held_up, .done = not_held_up, .ctx = reader });
}

static void
let_go (struct reader *reader)
{
  (void) sem_post (&reader->go);
}

static void
end_reader (struct fixture *f, struct reader *reader)
{
  offload_free (reader->offload);
  f->pool.offload = NULL;
  (void) sem_destroy (&reader->go);
}

/* Until the result has come and waits to be read. */
static void
submit_large (struct fixture *f, struct task *task)
{
  CU_ASSERT_EQUAL (submit (f, task, "{\"bytes\":1000000}").refusal, UNIT_TAKEN);
  while (task->job.checking == NULL)
    ev_run (f->loop, EVRUN_ONCE);
}

static void
check_large (struct task *task)
{
  CU_ASSERT_EQUAL (task->fate, JOB_RESULT);
  CU_ASSERT_EQUAL (task->outcome, FRAME_OUTCOME_OK);
  CU_ASSERT_TRUE (task->content.len > 1000000);
  buf_free (&task->content);
}

static void
a_large_result_holds_nobody_up (void)
{
  struct fixture f;
  struct reader reader;
  struct task large, small;

  setup (&f, "huge_result");
  unit_set_capacity (f.unit, 2);
  hold_up (&f, &reader);
  submit_large (&f, &large);
  CU_ASSERT_EQUAL (submit (&f, &small, "{\"bytes\":10}").refusal, UNIT_TAKEN);
  run_until (&f, &small.ended);
  CU_ASSERT_EQUAL (small.fate, JOB_RESULT);
  buf_free (&small.content);
  CU_ASSERT_FALSE (large.ended);
  let_go (&reader);
  run_until (&f, &large.ended);
  check_large (&large);
  CU_ASSERT_EQUAL (f.history->starts, 1);
  end_reader (&f, &reader);
  teardown (&f);
}

/* The worker has done with the call: it is neither told nor condemned, and takes the next one when
 * the result has been read. */
static void
cancelled_while_its_result_is_read (void)
{
  struct fixture f;
  struct reader reader;
  struct task task, next;

  setup (&f, "huge_result");
  hold_up (&f, &reader);
  submit_large (&f, &task);
  job_cancel (&task.job, FRAME_CANCEL_DEADLINE);
  CU_ASSERT_PTR_NULL (task.job.checking);
  CU_ASSERT_EQUAL (submit (&f, &next, "{\"bytes\":10}").refusal, UNIT_TAKEN);
  CU_ASSERT_FALSE (next.started);
  let_go (&reader);
  run_until (&f, &next.ended);
  CU_ASSERT_EQUAL (next.fate, JOB_RESULT);
  buf_free (&next.content);
  CU_ASSERT_FALSE (task.ended);
  CU_ASSERT_EQUAL (f.pool.killed, 0);
  CU_ASSERT_EQUAL (f.history->starts, 1);
  end_reader (&f, &reader);
  teardown (&f);
}

/* All of it has come: it is told. */
static void
its_worker_dies_while_its_result_is_read (void)
{
  struct fixture f;
  struct reader reader;
  struct task told, cancelled;

  setup (&f, "huge_result");
  hold_up (&f, &reader);
  for (int i = 0; i < 2; i++) {
    struct task *task = i == 0 ? &told : &cancelled;
    submit_large (&f, task);
    (void) kill (task->pid, SIGKILL);
    while (f.pool.workers != 0)
      ev_run (f.loop, EVRUN_ONCE);
    CU_ASSERT_FALSE (task->ended);
    CU_ASSERT_PTR_NOT_NULL (task->job.checking);
  }
  job_cancel (&cancelled.job, FRAME_CANCEL_CALLER);
  let_go (&reader);
  run_until (&f, &told.ended);
  check_large (&told);
  CU_ASSERT_FALSE (cancelled.ended);
  end_reader (&f, &reader);
  teardown (&f);
}

static void
a_bad_result_that_is_read_in_a_thread (void)
{
  struct fixture f;
  struct reader reader;
  struct task task;

  setup (&f, "bad_json");
  f.pool.large_result = 4;
  hold_up (&f, &reader);
  let_go (&reader);
  CU_ASSERT_EQUAL (submit (&f, &task, "{\"kind\":\"utf8\"}").refusal, UNIT_TAKEN);
  run_until (&f, &task.ended);
  CU_ASSERT_EQUAL (task.fate, JOB_CRASHED);
  while (f.history->ended == 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (history_past (f.history, 0)->end.reason, REASON_PROTOCOL);
  end_reader (&f, &reader);
  teardown (&f);
}

static CU_TestInfo tests[] = {
  { "described", described },
  { "what can't be loaded", what_cannot_be_loaded },
  { "what nobody can watch", what_nobody_can_watch },
  { "a worker starts with the first call", a_worker_starts_with_the_first_call },
  { "the queue has a bound", the_queue_has_a_bound },
  { "crashes end in quarantine", crashes_end_in_quarantine },
  { "a back-off longer than the deadline", a_back_off_longer_than_the_deadline },
  { "a cancelled call that does not return", a_cancelled_call_that_does_not_return },
  { "ready without a call", ready_without_a_call },
  { "another process when calls wait", another_process_when_calls_wait },
  { "recycled after so many calls", recycled_after_so_many_calls },
  { "one call is tried after the quarantine", one_call_is_tried_after_the_quarantine },
  { "superseded", superseded },
  { "described warm", described_warm },
  { "tenants share no process", tenants_share_no_process },
  { "a tenant gives way", a_tenant_gives_way },
  { "a process for each call", a_process_for_each_call },
  { "how much is listened to", how_much_is_listened_to },
  { "a flood of log lines", a_flood_of_log_lines },
  { "a large result holds nobody up", a_large_result_holds_nobody_up },
  { "cancelled while its result is read", cancelled_while_its_result_is_read },
  { "its worker dies while its result is read", its_worker_dies_while_its_result_is_read },
  { "a bad result that is read in a thread", a_bad_result_that_is_read_in_a_thread },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "pool", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* The log and the metrics. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "pool/said.h"
#include "tap.h"
#include "watch/log.h"
#include "watch/log_tail.h"
#include "watch/metrics.h"
#include "watch/redact.h"
#include "watch/turns.h"

/* Everything a log wrote into a pipe, once it was freed. */
static void
read_pipe (int fd, struct buf *text)
{
  ssize_t n;

  while ((n = read (fd, buf_reserve (text, 4096), 4096)) > 0)
    text->len += (size_t) n;
  (void) buf_cstr (text);
  (void) close (fd);
}

static void
a_line_is_json (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct log *log;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  log = log_new (ends[1], LOG_INFO);
  log_event (log, LOG_DEBUG, "not_wanted", NULL);
  log_event (log, LOG_WARNING, "an_event", "a", "line\nbreak \"quoted\"", "absent", NULL, "n",
             LOG_INT (-7), NULL);
  log_free (log);
  (void) close (ends[1]);
  read_pipe (ends[0], &text);
  CU_ASSERT_PTR_EQUAL (strchr (text.data, '\n'), text.data + text.len - 1); /* one line */
  CU_ASSERT_TRUE_FATAL (json_read (&tape, text.data, text.len - 1, &json_default_limits, &arena));
  CU_ASSERT_TRUE (json_equals (&tape, json_member (&tape, json_root (&tape), "event"), "an_event"));
  CU_ASSERT_TRUE (json_equals (&tape, json_member (&tape, json_root (&tape), "level"), "warning"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_member (&tape, json_root (&tape), "a"), "line\nbreak \"quoted\""));
  CU_ASSERT_TRUE (json_equals (&tape, json_member (&tape, json_root (&tape), "n"), "-7"));
  CU_ASSERT_PTR_NULL (json_member (&tape, json_root (&tape), "absent"));
}

/* What a plugin says of itself stands behind what the daemon knows, on the same line. */
static void
events_of_plugins_can_t_forge (void)
{
  static const char said[] =
    "an_event{ \"tenant_id\" : \"other\",\n\"a\":[1,\r\n2], \"\\u0070lugin\":"
    "\"x\",\"level\":\"error\", \"b\\n\":\"c\\nd\" }";
  static const char *const bad[] = { "Event{}", "{}", "event[]", "event{\"a\":1,\"a\":2}",
                                     "event" };
  static const size_t bad_names[] = { 5, 0, 5, 5, 5 };
  CLEANUP_BUF struct buf text = { 0 }, known = { 0 };
  struct log *log;
  int ends[2];

  buf_puts (&known, "{\"plugin\":\"p\",\"tenant_id\":\"t\"}");
  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  log = log_new (ends[1], LOG_INFO);
  CU_ASSERT (said_event (log, 4000, said, strlen (said), 8, &known));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CU_ASSERT_FALSE (said_event (log, 4000, bad[i], strlen (bad[i]), bad_names[i], &known));
  log_free (log);
  (void) close (ends[1]);
  read_pipe (ends[0], &text);
  CU_ASSERT_PTR_EQUAL (strchr (text.data, '\n'), text.data + text.len - 1); /* one line */
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data,
                                  "\"level\":\"warning\",\"event\":\"an_event\",\"plugin\":\"p\","
                                  "\"tenant_id\":\"t\",\"a\":[1,  2],\"b\\n\":\"c\\nd\"}"));
}

/* A sink nobody reads: logging goes on, lines are dropped and counted, and the end comes. */
static void
a_slow_sink_blocks_nobody (void)
{
  struct log *log;
  char value[2000];
  int ends[2];

  memset (value, 'x', sizeof value - 1);
  value[sizeof value - 1] = '\0';
  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC | O_NONBLOCK), 0);
  log = log_new (ends[1], LOG_INFO);
  for (int i = 0; i < 3000; i++)
    log_event (log, LOG_INFO, "e", "v", value, NULL);
  CU_ASSERT_TRUE (log_dropped (log) > 0);
  (void) close (ends[0]);
  log_free (log);
  (void) close (ends[1]);
}

enum { MANY = 3000 };

/* Much at once: lines of a kilobyte, more than there is room for. */
static void
log_many (struct log *log)
{
  char value[1000];

  memset (value, 'x', sizeof value - 1);
  value[sizeof value - 1] = '\0';
  for (int i = 0; i < MANY; i++)
    log_event (log, LOG_INFO, "e", "v", value, NULL);
}

struct reader {
  pthread_t thread;
  int fd;
  unsigned lines;
  bool dropped;
};

static void *
read_lines (void *arg)
{
  struct reader *reader = arg;
  CLEANUP_BUF struct buf text = { 0 };

  read_pipe (reader->fd, &text);
  for (const char *at = text.data; (at = strchr (at, '\n')) != NULL; at++)
    reader->lines++;
  reader->dropped = strstr (text.data, "log_dropped") != NULL;
  return NULL;
}

static void
a_patient_log_drops_nothing (void)
{
  struct reader reader = { .lines = 0 };
  struct log *log;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  reader.fd = ends[0];
  log = log_new (ends[1], LOG_INFO);
  log_be_patient (log, 600000);
  CU_ASSERT_EQUAL_FATAL (pthread_create (&reader.thread, NULL, read_lines, &reader), 0);
  log_many (log);
  CU_ASSERT_EQUAL (log_dropped (log), 0);
  log_free (log);
  (void) close (ends[1]);
  (void) pthread_join (reader.thread, NULL);
  CU_ASSERT_EQUAL (reader.lines, MANY);
  CU_ASSERT_FALSE (reader.dropped);
}

/* Patience is for all lines together, and ends; a notice still has room. */
static void
patience_ends (void)
{
  struct reader reader = { .lines = 0 };
  struct log *log;
  uint64_t dropped;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  log = log_new (ends[1], LOG_INFO);
  log_be_patient (log, 5);
  log_many (log);
  dropped = log_dropped (log);
  CU_ASSERT_TRUE (dropped > 0);
  log_event (log, LOG_NOTICE, "ready", NULL);
  CU_ASSERT_EQUAL (log_dropped (log), dropped);
  reader.fd = ends[0];
  CU_ASSERT_EQUAL_FATAL (pthread_create (&reader.thread, NULL, read_lines, &reader), 0);
  log_free (log);
  (void) close (ends[1]);
  (void) pthread_join (reader.thread, NULL);
  CU_ASSERT_EQUAL (reader.lines, MANY - dropped + 2); /* what was dropped is told before "ready" */
  CU_ASSERT_TRUE (reader.dropped);
}

static void
no_log_is_no_error (void)
{
  log_event (NULL, LOG_ERROR, "e", NULL);
  CU_ASSERT_FALSE (log_wants (NULL, LOG_ERROR));
  CU_ASSERT_EQUAL (log_level_from_name ("notice"), LOG_NOTICE);
  CU_ASSERT_EQUAL (log_level_from_name ("loud"), -1);
  log_free (NULL);
}

static const char *
outcome_name (unsigned outcome)
{
  return outcome == 0 ? "ok" : "other";
}

static const char *
repair_name (unsigned rule)
{
  return rule == 4 ? "scalar" : "other";
}

static void
metrics_are_rendered (void)
{
  static const struct metrics_names names = { .outcome = outcome_name, .repair = repair_name };
  CLEANUP_BUF struct buf text = { 0 };
  struct metrics *metrics = metrics_new ();
  struct tool_stats *stats = metrics_tool (metrics, "p", "t");

  CU_ASSERT_PTR_EQUAL (metrics_tool (metrics, "p", "t"), stats);
  CU_ASSERT_PTR_NOT_EQUAL (metrics_tool (metrics, "p", "never called"), stats);
  stats->outcomes[0] = 3;
  histogram_add (&stats->stages[STAGE_TOTAL], 40);
  histogram_add (&stats->stages[STAGE_TOTAL], 60000001);
  stats->repairs[4] = 2;
  metrics_render (metrics, &names, false, &text);
  (void) buf_cstr (&text);
  CU_ASSERT_PTR_NOT_NULL (
    strstr (text.data, "toolhost_calls_total{plugin=\"p\",tool=\"t\",outcome=\"ok\"} 3\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "stage=\"total\",le=\"0.00005\"} 1\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "stage=\"total\",le=\"60\"} 1\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "stage=\"total\",le=\"+Inf\"} 2\n"));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (text.data, "toolhost_repairs_total{plugin=\"p\",tool=\"t\",rule=\"scalar\"} 2\n"));
  CU_ASSERT_PTR_NULL (strstr (text.data, "never called"));
  metrics_free (metrics);
}

/* Only what is traced has exemplars, and only who knows them is shown them. */
static void
exemplars_are_told (void)
{
  static const char trace[] = "0af7651916cd43dd8448eb211c80319c";
  CLEANUP_BUF struct buf text = { 0 }, plain = { 0 };
  struct histogram h = { .count = 0 };

  histogram_add (&h, 40);
  CU_ASSERT_PTR_NULL (h.exemplars);
  histogram_add_traced (&h, 40, NULL);
  CU_ASSERT_PTR_NULL (h.exemplars);
  histogram_add_traced (&h, 300, trace);
  histogram_add_traced (&h, 90000000, trace);
  histogram_render (&h, "x_seconds", "a=\"b\"", true, &text);
  histogram_render (&h, "x_seconds", NULL, false, &plain);
  (void) buf_cstr (&text);
  (void) buf_cstr (&plain);
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "x_seconds_bucket{a=\"b\",le=\"0.00005\"} 2\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data,
                                  "x_seconds_bucket{a=\"b\",le=\"0.0005\"} 3 # "
                                  "{trace_id=\"0af7651916cd43dd8448eb211c80319c\"} 0.000300 "));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"+Inf\"} 4 # {trace_id="));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "x_seconds_count{a=\"b\"} 4\n"));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (plain.data, "x_seconds_bucket{le=\"+Inf\"} 4\nx_seconds_sum 90.000380\n"));
  CU_ASSERT_PTR_NULL (strchr (plain.data, '#'));
  histogram_clear (&h);
}

static void
openmetrics_has_an_end (void)
{
  CLEANUP_BUF struct buf text = { 0 };

  metrics_head (&text, "a_total", "counter", "Of _total.");
  metrics_sample (&text, "a_total", NULL, 1);
  metrics_head (&text, "b_bytes", "gauge", "Of b.");
  metrics_sample (&text, "b_bytes", "c=\"d_total e\"", 2);
  metrics_as_openmetrics (&text);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "# HELP a Of _total.\n# TYPE a counter\na_total 1\n"
                                            "# HELP b_bytes Of b.\n# TYPE b_bytes gauge\n"
                                            "b_bytes{c=\"d_total e\"} 2\n# EOF\n");
}

static void
labels_are_escaped (void)
{
  CLEANUP_BUF struct buf text = { 0 };

  metrics_label (&text, "a\"b\\c\nd");
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "a\\\"b\\\\c\\nd");
}

/* ---- turns of the loop ---- */

static int64_t hands = 1; /* of the test's clock */

static int64_t
now (void)
{
  return hands;
}

/* What a processor did for this thread. */
static int64_t work;

static int64_t
worked (void)
{
  return work;
}

static void
on_turn (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  hands += *(int64_t *) timer->data;
}

static void
on_two_steps (struct ev_loop *loop, ev_timer *timer, int revents)
{
  const struct turns *turns = timer->data;

  (void) loop;
  (void) revents;
  hands += 3000000;
  CU_ASSERT_FALSE (turns_is_long (turns));
  hands++;
  CU_ASSERT_TRUE (turns_is_long (turns));
}

static void
a_turn_gets_long (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct turns turns;
  ev_timer timer;

  turns_init (&turns, loop, &(struct turns_clock){ .now = now, .worked = worked });
  CU_ASSERT_FALSE (turns_is_long (&turns));
  CU_ASSERT_FALSE (turns_is_long (NULL));
  ev_timer_init (&timer, on_two_steps, 0, 0);
  timer.data = &turns;
  ev_timer_start (loop, &timer);
  ev_run (loop, EVRUN_ONCE);
  turns_clear (&turns);
  ev_loop_destroy (loop);
}

static void
on_wait_begin (struct ev_loop *loop)
{
  (void) loop;
}

/* Waiting counts for no turn. */
static void
on_wait_end (struct ev_loop *loop)
{
  (void) loop;
  hands += 70000000;
}

/* What a timer does is in its turn, whatever its priority is. */
static void
turns_are_measured (void)
{
  static const int64_t took[] = { 50000, 1000000, 9000000, 11000000, 2000000000 };
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  CLEANUP_BUF struct buf text = { 0 };
  struct turns turns;

  ev_set_loop_release_cb (loop, on_wait_begin, on_wait_end);
  turns_init (&turns, loop, &(struct turns_clock){ .now = now, .worked = worked });
  for (size_t i = 0; i < sizeof took / sizeof *took; i++) {
    ev_timer timer;
    ev_timer_init (&timer, on_turn, 0, 0);
    ev_set_priority (&timer, i % 2 == 0 ? EV_MAXPRI : EV_MINPRI);
    timer.data = (void *) (uintptr_t) &took[i];
    ev_timer_start (loop, &timer);
    ev_run (loop, EVRUN_ONCE);
  }
  ev_run (loop, EVRUN_NOWAIT);
  turns_metrics (&turns, &text);
  (void) buf_cstr (&text);
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"0.0001\"} 1\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"0.001\"} 2\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"0.01\"} 3\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"0.02\"} 4\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"1\"} 4\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "le=\"+Inf\"} 5\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "toolhost_loop_turn_seconds_count 5\n"));
  turns_clear (&turns);
  ev_loop_destroy (loop);
}

struct turn {
  int64_t took, worked;
};

static void
on_interrupted (struct ev_loop *loop, ev_timer *timer, int revents)
{
  const struct turn *turn = timer->data;

  (void) loop;
  (void) revents;
  hands += turn->took;
  work += turn->worked;
}

/* What others were given of a turn is not the loop's work. */
static void
turns_tell_work_from_waiting (void)
{
  static const struct turn seen[] = {
    { 2900000, 10 },        /* short: not asked */
    { 15000000, 4000000 },  /* others had most of it */
    { 15000000, 14000000 }, /* the loop's own */
    { 15000000, 90000000 }, /* no more than it took */
  };
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  CLEANUP_BUF struct buf text = { 0 };
  struct turns turns;

  turns_init (&turns, loop, &(struct turns_clock){ .now = now, .worked = worked });
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    ev_timer timer;
    ev_timer_init (&timer, on_interrupted, 0, 0);
    timer.data = (void *) (uintptr_t) &seen[i];
    ev_timer_start (loop, &timer);
    ev_run (loop, EVRUN_ONCE);
  }
  ev_run (loop, EVRUN_NOWAIT);
  turns_metrics (&turns, &text);
  (void) buf_cstr (&text);
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_seconds_bucket{le=\"0.01\"} 1\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_seconds_bucket{le=\"0.02\"} 4\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_work_seconds_bucket{le=\"0.005\"} 2\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_work_seconds_bucket{le=\"0.01\"} 2\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_work_seconds_bucket{le=\"0.02\"} 4\n"));
  CU_ASSERT_PTR_NOT_NULL (strstr (text.data, "turn_work_seconds_sum 0.035900\n"));
  turns_clear (&turns);
  ev_loop_destroy (loop);
}

/* Of arguments the shape, and of what callers say nothing. */
static void
arguments_are_redacted (void)
{
  static const struct {
    const char *text, *shown;
  } rows[] = {
    { "{\"to\":\"+14155551234\",\"n\":[1,-2.5e3],\"sure\":true,\"no\":false,\"x\":null,\"o\":{}}",
      "{\"to\":\"<string of 12>\",\"n\":[\"<number>\",\"<number>\"],\"sure\":\"<boolean>\","
      "\"no\":\"<boolean>\",\"x\":null,\"o\":{}}" },
    { "{\"my name is Ada\":1,\"\":2,\"\\u0061\":3}",
      "{\"<name>\":\"<number>\",\"<name>\":\"<number>\",\"<name>\":\"<number>\"}" },
    { "[[[[[1]]],[[{}]]]]", "[[[[\"<array>\"]],[[\"<object>\"]]]]" },
    { "\"secret\"", "\"<string of 6>\"" },
    { "", "{}" },
    { "{\"secret\":", "\"<no JSON, 10 bytes>\"" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    redact_json (rows[i].text, strlen (rows[i].text), &out);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&out), rows[i].shown);
  }
}

static void
redaction_is_bounded (void)
{
  CLEANUP_BUF struct buf list = { 0 }, object = { 0 }, out = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  buf_putc (&list, '[');
  buf_putc (&object, '{');
  for (unsigned i = 0; i < 10000; i++) {
    buf_printf (&list, "%s%u", i != 0 ? "," : "", i);
    buf_printf (&object, "%s\"n%u\":%u", i != 0 ? "," : "", i, i);
  }
  buf_putc (&list, ']');
  buf_putc (&object, '}');
  redact_json (list.data, list.len, &out);
  CU_ASSERT (out.len < REDACTED_MAX + 100);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out), "\"<more>\"]"));
  buf_reset (&out, out.cap);
  redact_json (object.data, object.len, &out);
  CU_ASSERT (out.len < REDACTED_MAX + 100);
  CU_ASSERT (json_read (&tape, out.data, out.len, &json_default_limits, &arena));
}

/* ---- the last lines ---- */

static void
add_line (struct log_tail *tail, unsigned number)
{
  char line[32];

  (void) snprintf (line, sizeof line, "line %u", number);
  log_tail_add (tail, number % 5, line, strlen (line));
}

static void
expect_line (struct log_tail *tail, struct log_reader *reader, unsigned number)
{
  CLEANUP_BUF struct buf text = { 0 };
  unsigned level = 99;
  char line[32];

  (void) snprintf (line, sizeof line, "line %u", number);
  CU_ASSERT_TRUE_FATAL (log_tail_read (tail, reader, &level, &text));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), line);
  CU_ASSERT_EQUAL (level, number % 5);
}

static void
last_lines_are_kept (void)
{
  struct log_tail *tail = log_tail_new (256);
  CLEANUP_BUF struct buf text = { 0 };
  struct log_reader early, late;
  unsigned level;

  log_tail_at_begin (tail, &early);
  CU_ASSERT_FALSE (log_tail_read (tail, &early, &level, &text));
  for (unsigned i = 1; i <= 3; i++)
    add_line (tail, i);
  for (unsigned i = 1; i <= 3; i++)
    expect_line (tail, &early, i);
  CU_ASSERT_FALSE (log_tail_read (tail, &early, &level, &text));
  CU_ASSERT_EQUAL (early.missed, 0);
  log_tail_at_begin (tail, &late);
  expect_line (tail, &late, 1);
  log_tail_free (tail);
}

/* Of 24 bytes and a mark of 16 each, 256 bytes hold a few: the edge is passed many times. */
static void
who_reads_too_slowly_misses_lines (void)
{
  struct log_tail *tail = log_tail_new (256);
  CLEANUP_BUF struct buf text = { 0 };
  struct log_reader slow, fast;
  unsigned level, seen = 0;

  log_tail_at_begin (tail, &slow);
  log_tail_at_begin (tail, &fast);
  for (unsigned i = 1; i <= 1000; i++) {
    add_line (tail, i);
    expect_line (tail, &fast, i);
  }
  CU_ASSERT_EQUAL (fast.missed, 0);
  while (log_tail_read (tail, &slow, &level, &text))
    seen++;
  CU_ASSERT (seen >= 8);
  CU_ASSERT_EQUAL (slow.missed + seen, 1000);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "");
  log_tail_free (tail);
}

static void
a_line_that_is_too_large_is_missed (void)
{
  struct log_tail *tail = log_tail_new (256);
  struct log_reader reader;
  char large[65];

  memset (large, 'x', sizeof large);
  log_tail_at_begin (tail, &reader);
  log_tail_add (tail, 0, large, 65);
  add_line (tail, 2);
  expect_line (tail, &reader, 2);
  CU_ASSERT_EQUAL (reader.missed, 1);
  log_tail_add (tail, 0, large, 64);
  log_tail_free (tail);
}

static void
count_wakes (void *ctx)
{
  ++*(unsigned *) ctx;
}

static void
who_waits_for_lines_is_woken (void)
{
  struct log_tail *tail = log_tail_new (256);
  unsigned wakes = 0;

  add_line (tail, 1);
  log_tail_wake (tail, count_wakes, &wakes);
  add_line (tail, 2);
  CU_ASSERT_EQUAL (wakes, 1);
  log_tail_wake (tail, NULL, NULL);
  add_line (tail, 3);
  CU_ASSERT_EQUAL (wakes, 1);
  log_tail_free (tail);
}

/* Lines are kept also when the sink takes none. */
static void
a_log_keeps_its_last_lines (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct log_reader reader;
  struct log *log;
  unsigned level;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  (void) close (ends[0]);
  log = log_new (ends[1], LOG_INFO);
  log_event (log, LOG_WARNING, "kept", NULL);
  log_event (log, LOG_DEBUG, "not_wanted", NULL);
  log_tail_at_begin (log_last_lines (log), &reader);
  CU_ASSERT_TRUE (log_tail_read (log_last_lines (log), &reader, &level, &text));
  CU_ASSERT_EQUAL (level, LOG_WARNING);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&text), "\"event\":\"kept\"}"));
  CU_ASSERT_FALSE (log_tail_read (log_last_lines (log), &reader, &level, &text));
  CU_ASSERT_PTR_NULL (log_last_lines (NULL));
  log_free (log);
  (void) close (ends[1]);
}

static size_t
threads_of_ours (void)
{
  DIR *list = opendir ("/proc/self/task");
  size_t count = 0;

  CU_ASSERT_PTR_NOT_NULL_FATAL (list);
  for (struct dirent *entry = readdir (list); entry != NULL; entry = readdir (list))
    count += entry->d_name[0] != '.';
  (void) closedir (list);
  return count;
}

/* Who has said nothing can change its ids as a process of one thread. */
static void
a_log_has_no_thread_before_its_first_line (void)
{
  const size_t before = threads_of_ours ();
  struct log *log;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe2 (ends, O_CLOEXEC), 0);
  log = log_new (ends[1], LOG_INFO);
  log_event (log, LOG_DEBUG, "not_wanted", NULL);
  CU_ASSERT_EQUAL (threads_of_ours (), before);
  log_event (log, LOG_INFO, "wanted", NULL);
  CU_ASSERT_EQUAL (threads_of_ours (), before + 1);
  log_free (log);
  CU_ASSERT_EQUAL (threads_of_ours (), before);
  (void) close (ends[0]);
  (void) close (ends[1]);
}

static CU_TestInfo tests[] = {
  { "S0-34 arguments are redacted", arguments_are_redacted },
  { "S0-34 what is left of arguments is bounded", redaction_is_bounded },
  { "a line is JSON", a_line_is_json },
  { "events of plugins can't forge", events_of_plugins_can_t_forge },
  { "a slow sink blocks nobody", a_slow_sink_blocks_nobody },
  { "a patient log drops nothing", a_patient_log_drops_nothing },
  { "patience ends, and a notice has room", patience_ends },
  { "no log is no error", no_log_is_no_error },
  { "last lines are kept", last_lines_are_kept },
  { "who reads too slowly misses lines", who_reads_too_slowly_misses_lines },
  { "a line that is too large is missed", a_line_that_is_too_large_is_missed },
  { "who waits for lines is woken", who_waits_for_lines_is_woken },
  { "a log keeps its last lines", a_log_keeps_its_last_lines },
  { "a log has no thread before its first line", a_log_has_no_thread_before_its_first_line },
  { "metrics are rendered", metrics_are_rendered },
  { "labels are escaped", labels_are_escaped },
  { "exemplars are told", exemplars_are_told },
  { "OpenMetrics has an end", openmetrics_has_an_end },
  { "turns of the loop are measured", turns_are_measured },
  { "turns tell work from waiting", turns_tell_work_from_waiting },
  { "a turn of the loop gets long", a_turn_gets_long },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "watch", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* metrics.h - counters and histograms, shown in Prometheus' text format or as OpenMetrics.  Loop
 * thread only. */
#ifndef TOOLHOST_WATCH_METRICS_H
#define TOOLHOST_WATCH_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct metrics; /* all of a daemon */

struct metrics *metrics_new (void);
void metrics_free (struct metrics *metrics);

/* Latency in microseconds, in buckets from 50 µs to 60 s. */
enum { METRICS_BUCKETS = 14 };
struct histogram {
  uint64_t buckets[METRICS_BUCKETS + 1]; /* the last one: above all bounds */
  uint64_t count;
  uint64_t sum_us;
  struct exemplar *exemplars; /* the last of each bucket; NULL: none was traced */
};
struct exemplar {
  char trace[33]; /* its trace's id in hex; "": there is none */
  uint64_t us;
  int64_t wall_ms; /* Unix time */
};
void histogram_add (struct histogram *h, uint64_t us);
/* … of what belongs to a trace (its id in hex); NULL: it belongs to none. */
void histogram_add_traced (struct histogram *h, uint64_t us, const char *trace);
/* What it has allocated. */
void histogram_clear (struct histogram *h);
/* Append its lines.  `labels` is what goes between the braces, or NULL; `exemplars`: these too. */
void histogram_render (const struct histogram *h, const char *name, const char *labels,
                       bool exemplars, struct buf *out);

/* Of a call: until the pipeline had it, until a worker had it, until that had answered; and all but
 * the first. */
enum metrics_stage { STAGE_FRONT, STAGE_QUEUE, STAGE_RUN, STAGE_TOTAL, STAGES };
enum { METRICS_OUTCOMES = 48, METRICS_REPAIRS = 16 };

/* How a tool's executions went; it can be begun anew. */
struct tool_record {
  uint64_t executions, successes, failures, total_us;
};
void tool_record_add (struct tool_record *record, int success, uint64_t us);

/* What is counted of one tool; it outlives swaps of its plugin. */
struct tool_stats {
  uint64_t outcomes[METRICS_OUTCOMES]; /* by number; metrics_render's caller names them */
  uint64_t repairs[METRICS_REPAIRS];   /* of arguments, by rule; likewise */
  struct histogram stages[STAGES];
  uint64_t bytes_in, bytes_out;
  uint64_t http_requests, http_sent, http_received; /* that were made for it; bytes */
  uint64_t cpu_us;                                  /* as the worker says */
  uint64_t refused; /* of the outcomes, those of calls that never reached a worker */
  unsigned running; /* calls that were taken and have not ended */
  struct tool_record record;
};

/* The stats of a tool, made when new; owned by the registry. */
struct tool_stats *metrics_tool (struct metrics *metrics, const char *plugin, const char *tool);

/* Every tool that was ever called, in no order.  `tool` is its name, or what it is and its name. */
void metrics_each_tool (const struct metrics *metrics,
                        void (*each) (void *ctx, const char *plugin, const char *tool,
                                      const struct tool_stats *stats),
                        void *ctx);
/* The upper bound of a bucket, microseconds. */
uint64_t metrics_bound_us (size_t bucket);

/* What guards say. */
enum metrics_verdict {
  VERDICT_ALLOW,
  VERDICT_REPLACE,
  VERDICT_REJECT,
  VERDICT_FAIL,
  VERDICT_NO_ANSWER, /* it hung, crashed, or what it said was none of these */
  VERDICTS
};
/* "allow", "replace" … */
const char *metrics_verdict_word (enum metrics_verdict verdict);

/* What is counted of one guard at one stage of one tool's calls. */
struct guard_stats {
  uint64_t verdicts[VERDICTS];
  struct histogram time; /* of a check */
};

/* Made when new; owned by the registry. */
struct guard_stats *metrics_guard (struct metrics *metrics, const char *guard, const char *tool,
                                   const char *stage);

/* The labels of numbers. */
struct metrics_names {
  const char *(*outcome) (unsigned outcome);
  const char *(*repair) (unsigned rule);
};
/* Append the metrics of tools and of guards; exemplars are no part of Prometheus' text format. */
void metrics_render (struct metrics *metrics, const struct metrics_names *names, bool exemplars,
                     struct buf *out);

/* Make OpenMetrics of Prometheus' text format: counters are told of without "_total", and there is
 * an end. */
void metrics_as_openmetrics (struct buf *text);

/* One sample of a metric of the daemon: "# HELP", "# TYPE" and the line.  `labels` is what goes
 * between the braces, or NULL. */
void metrics_head (struct buf *out, const char *name, const char *type, const char *help);
void metrics_sample (struct buf *out, const char *name, const char *labels, double value);

/* A label's value with backslash, quote and newline escaped. */
void metrics_label (struct buf *out, const char *value);

#endif

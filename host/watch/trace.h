/* trace.h - spans: what was done for a request, when, as part of what (OpenTelemetry), rendered as
 * OTLP's JSON for whoever sends it on.
 *
 * Whoever has no tracer, or a trace that is not sampled, has no span: NULL, which every function
 * takes, and does nothing with.  So work that is not traced costs a look at a pointer.
 *
 * Finished spans wait in a queue of fixed room; what finds no room there is dropped and counted.
 * Nothing here waits or fails.  Loop thread only. */
#ifndef TOOLHOST_WATCH_TRACE_H
#define TOOLHOST_WATCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_tape.h"

enum { TRACE_ID = 16, TRACE_SPAN_ID = 8, TRACEPARENT_LEN = 55, TRACESTATE_MAX = 512 };

/* The span of somebody else that a request says it is part of (W3C Trace Context).  Zero: none. */
struct trace_parent {
  bool known;
  bool sampled;
  bool local;      /* one of ours: what it has decided counts, … */
  int64_t wall_ns; /* … and what its clock said; else 0 */
  uint8_t trace[TRACE_ID], span[TRACE_SPAN_ID];
  const char *state; /* tracestate, borrowed; NULL: none */
  size_t state_len;
};
/* Of a traceparent.  False, and *parent is none: it has not the form of version 00, or an id is
 * zero. */
bool trace_parent_read (struct trace_parent *parent, const char *text, size_t len);
/* … with its tracestate, which is left out when it is longer than TRACESTATE_MAX. */
void trace_parent_state (struct trace_parent *parent, const char *state, size_t len);
/* Of the members "traceparent" and "tracestate" of an object (else, or NULL: none), in the arena …
 */
struct trace_parent trace_parent_of (const struct json_tape *tape, const struct json_node *object,
                                     struct arena *arena);
/* … and of one that is JSON text, or NULL. */
struct trace_parent trace_parent_in (const char *json, size_t len, struct arena *arena);

/* As OTLP numbers them. */
enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 };

struct tracer;
struct span;

struct tracer_settings {
  double ratio;           /* of traces that begin here, how many are sampled: 0 to 1 */
  bool parent_based;      /* what a parent has decided counts, whatever the ratio */
  bool content;           /* arguments and results may be told */
  size_t queue_max;       /* finished spans that wait */
  int64_t (*wall) (void); /* nanoseconds of Unix time; NULL: CLOCK_REALTIME */
};

/* `ready` is called with the number of spans that wait, after each that was added. */
struct tracer *tracer_new (const struct tracer_settings *settings,
                           void (*ready) (void *ctx, size_t waiting), void *ctx);
/* After its last span. */
void tracer_free (struct tracer *tracer);
/* False of NULL. */
bool tracer_tells_content (const struct tracer *tracer);

/* Append all that waits to a JSON array's inside, and forget it; how many. */
size_t tracer_take (struct tracer *tracer, struct buf *out);

struct tracer_counts {
  uint64_t finished, dropped;
  size_t waiting;
};
struct tracer_counts tracer_counts (const struct tracer *tracer);

/* ---- spans ---- */

/* The first of a request here, of a parent or of a trace of its own.  `start_ns`: of clock_ns.
 * NULL: it is not sampled (or there is no tracer). */
struct span *span_root (struct tracer *tracer, const struct trace_parent *parent,
                        enum span_kind kind, int64_t start_ns);
/* A part of another one, which it may outlive.  NULL of NULL. */
struct span *span_child (const struct span *of, enum span_kind kind, int64_t start_ns);

/* It as the parent of spans that begin elsewhere in here; of NULL one of which none is sampled.
 * Borrows from it. */
struct trace_parent span_context (const struct span *span);

/* Who keeps it may make parts of it also when it has ended.  NULL of NULL. */
struct span *span_ref (struct span *span);
void span_unref (struct span *span);

void span_name (struct span *span, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Attributes; a text is cut to `SPAN_TEXT_MAX` bytes, a content to `SPAN_CONTENT_MAX`. */
enum { SPAN_TEXT_MAX = 1024, SPAN_CONTENT_MAX = 16 * 1024, SPAN_ATTRIBUTES_MAX = 64 };
void span_text_len (struct span *span, const char *key, const char *text, size_t len);
/* NULL: no attribute. */
void span_text (struct span *span, const char *key, const char *text);
void span_content (struct span *span, const char *key, const char *text, size_t len);
void span_int (struct span *span, const char *key, int64_t value);
/* Something else that it has to do with. */
void span_link (struct span *span, const struct trace_parent *to);
/* It failed: `type` becomes error.type, `message` (NULL: none) the description of its status. */
void span_fail (struct span *span, const char *type, const char *message);
/* It is over, and gone where nobody has kept it.  `end_ns`: of clock_ns; 0: now. */
void span_end (struct span *span, int64_t end_ns);

/* What a next one is told: a traceparent of this span, NUL-terminated. */
void span_traceparent (const struct span *span, char room[TRACEPARENT_LEN + 1]);
/* NULL: none. */
const char *span_tracestate (const struct span *span);
/* The trace's id in hex, NUL-terminated. */
void span_trace_id (const struct span *span, char room[2 * TRACE_ID + 1]);

#endif

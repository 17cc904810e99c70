#include "watch/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/json_write.h"

enum {
  NAME_MAX_BYTES = 256,
  RANDOM_KEPT = 512,          /* bytes asked of the kernel at once */
  WAITING_BYTES = 8 << 20,    /* all that waits together */
  FLAG_SAMPLED = 1,           /* of W3C … */
  FLAG_KNOWS_REMOTE = 1 << 8, /* … and of OTLP: the next bit means something, … */
  FLAG_REMOTE = 1 << 9,       /* … the parent is somewhere else */
  STATUS_ERROR = 2
};

struct tracer {
  struct tracer_settings settings;
  void (*ready) (void *ctx, size_t waiting);
  void *ctx;
  uint64_t threshold; /* of the random part of a trace's id, below which it is sampled */
  int64_t wall_ns;    /* what is to be added to clock_ns to have Unix time, as it was last seen */
  struct buf spans;   /* those that wait, with commas between them */
  struct tracer_counts counts;
  uint8_t random[RANDOM_KEPT];
  size_t random_left;
};

struct span {
  struct tracer *tracer;
  unsigned refs;
  uint8_t trace[TRACE_ID], id[TRACE_SPAN_ID], parent[TRACE_SPAN_ID];
  bool has_parent, remote;
  enum span_kind kind;
  int64_t start_ns;
  int64_t wall_ns; /* the tracer's, when the first span of its trace began */
  char *state;     /* NULL: none */
  struct buf name;
  struct buf attributes; /* as JSON, with commas between them */
  unsigned attributes_count;
  struct buf links; /* likewise */
  bool failed;
  char *message; /* of its status, or NULL */
};

/* ---- what others say -------------------------------------------------------------------- */

static int
digit (char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: no hex in lower case, or all zero. */
static bool
read_hex (const char *text, uint8_t *bytes, size_t count)
{
  unsigned any = 0;

  for (size_t i = 0; i < count; i++) {
    int high = digit (text[2 * i]), low = digit (text[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes[i] = (uint8_t) (high << 4 | low);
    any |= bytes[i];
  }
  return any != 0;
}

bool
trace_parent_read (struct trace_parent *parent, const char *text, size_t len)
{
  enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53 };
  int high, low;

  *parent = (struct trace_parent){ .known = false };
  if (text == NULL || len != TRACEPARENT_LEN || memcmp (text, "00-", TRACE_AT) != 0
      || text[SPAN_AT - 1] != '-' || text[FLAGS_AT - 1] != '-'
      || !read_hex (text + TRACE_AT, parent->trace, TRACE_ID)
      || !read_hex (text + SPAN_AT, parent->span, TRACE_SPAN_ID))
    return false;
  high = digit (text[FLAGS_AT]);
  low = digit (text[FLAGS_AT + 1]);
  parent->known = high >= 0 && low >= 0;
  parent->sampled = parent->known && (low & FLAG_SAMPLED) != 0;
  return parent->known;
}

void
trace_parent_state (struct trace_parent *parent, const char *state, size_t len)
{
  if (!parent->known || state == NULL || len == 0 || len > TRACESTATE_MAX)
    return;
  parent->state = state;
  parent->state_len = len;
}

struct trace_parent
trace_parent_of (const struct json_tape *tape, const struct json_node *object, struct arena *arena)
{
  struct trace_parent parent = { .known = false };
  const char *text;
  size_t len = 0;

  if (!json_is (object, JSON_OBJECT))
    return parent;
  text = json_string (tape, json_member (tape, object, "traceparent"), arena, &len);
  if (!trace_parent_read (&parent, text, len))
    return parent;
  text = json_string (tape, json_member (tape, object, "tracestate"), arena, &len);
  trace_parent_state (&parent, text, len);
  return parent;
}

struct trace_parent
trace_parent_in (const char *json, size_t len, struct arena *arena)
{
  static const char name[] = "\"traceparent\"";
  struct json_tape tape;

  if (json == NULL || memmem (json, len, name, sizeof name - 1) == NULL
      || !json_read (&tape, json, len, &json_default_limits, arena))
    return (struct trace_parent){ .known = false };
  return trace_parent_of (&tape, json_root (&tape), arena);
}

/* ---- the tracer ------------------------------------------------------------------------- */

static int64_t
wall_clock (void)
{
  struct timespec now;

  (void) clock_gettime (CLOCK_REALTIME, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Unix time may be set; traces that begin later follow it, and those that have begun stay whole. */
static void
look_at_the_wall (struct tracer *tracer)
{
  tracer->wall_ns = tracer->settings.wall () - clock_ns ();
}

struct tracer *
tracer_new (const struct tracer_settings *settings, void (*ready) (void *ctx, size_t waiting),
            void *ctx)
{
  struct tracer *tracer = xcalloc (1, sizeof *tracer);
  double ratio = settings->ratio;

  tracer->settings = *settings;
  if (settings->wall == NULL)
    tracer->settings.wall = wall_clock;
  tracer->ready = ready;
  tracer->ctx = ctx;
  tracer->threshold = ratio >= 1   ? UINT64_MAX
                      : ratio <= 0 ? 0
                                   : (uint64_t) (ratio * 18446744073709549568.0);
  look_at_the_wall (tracer);
  return tracer;
}

void
tracer_free (struct tracer *tracer)
{
  if (tracer == NULL)
    return;
  buf_free (&tracer->spans);
  free (tracer);
}

bool
tracer_tells_content (const struct tracer *tracer)
{
  return tracer != NULL && tracer->settings.content;
}

size_t
tracer_take (struct tracer *tracer, struct buf *out)
{
  const size_t count = tracer->counts.waiting;

  look_at_the_wall (tracer);
  buf_append (out, tracer->spans.data, tracer->spans.len);
  buf_free (&tracer->spans);
  tracer->counts.waiting = 0;
  return count;
}

struct tracer_counts
tracer_counts (const struct tracer *tracer)
{
  return tracer->counts;
}

/* Without a source of chance there are no ids, and no spans. */
static bool
take_random (struct tracer *tracer, uint8_t *bytes, size_t count)
{
  if (tracer->random_left < count) {
    if (getrandom (tracer->random, sizeof tracer->random, GRND_NONBLOCK) != sizeof tracer->random)
      return false;
    tracer->random_left = sizeof tracer->random;
  }
  tracer->random_left -= count;
  memcpy (bytes, tracer->random + tracer->random_left, count);
  return true;
}

/* ---- spans ------------------------------------------------------------------------------ */

static struct span *
span_new (struct tracer *tracer, enum span_kind kind, int64_t start_ns)
{
  struct span *span = xcalloc (1, sizeof *span);

  span->tracer = tracer;
  span->refs = 1;
  span->kind = kind;
  span->start_ns = start_ns;
  span->wall_ns = tracer->wall_ns;
  if (take_random (tracer, span->id, sizeof span->id))
    return span;
  free (span);
  return NULL;
}

/* By the last bytes of the id, as others decide, too. */
static bool
is_below (const struct tracer *tracer, const uint8_t trace[TRACE_ID])
{
  uint64_t number = 0;

  for (size_t i = TRACE_ID / 2; i < TRACE_ID; i++)
    number = number << 8 | trace[i];
  return number < tracer->threshold || tracer->threshold == UINT64_MAX;
}

/* What the trace is, and whether it is sampled. */
static bool
choose (struct tracer *tracer, const struct trace_parent *parent, uint8_t trace[TRACE_ID])
{
  if (parent != NULL && (parent->known || parent->local)) {
    memcpy (trace, parent->trace, TRACE_ID);
    return parent->local || tracer->settings.parent_based ? parent->sampled
                                                          : is_below (tracer, trace);
  }
  if (tracer->threshold == 0 || !take_random (tracer, trace, TRACE_ID))
    return false;
  return is_below (tracer, trace);
}

struct span *
span_root (struct tracer *tracer, const struct trace_parent *parent, enum span_kind kind,
           int64_t start_ns)
{
  uint8_t trace[TRACE_ID];
  struct span *span;

  if (tracer == NULL || !choose (tracer, parent, trace))
    return NULL;
  span = span_new (tracer, kind, start_ns);
  if (span == NULL)
    return NULL;
  memcpy (span->trace, trace, sizeof trace);
  if (parent != NULL && parent->local && parent->known)
    span->wall_ns = parent->wall_ns;
  if (parent == NULL || !parent->known)
    return span;
  span->has_parent = true;
  span->remote = !parent->local;
  memcpy (span->parent, parent->span, sizeof span->parent);
  if (parent->state != NULL)
    span->state = xstrndup (parent->state, parent->state_len);
  return span;
}

struct span *
span_child (const struct span *of, enum span_kind kind, int64_t start_ns)
{
  struct span *span = of != NULL ? span_new (of->tracer, kind, start_ns) : NULL;

  if (span == NULL)
    return NULL;
  span->wall_ns = of->wall_ns;
  memcpy (span->trace, of->trace, sizeof span->trace);
  memcpy (span->parent, of->id, sizeof span->parent);
  span->has_parent = true;
  span->state = of->state != NULL ? xstrdup (of->state) : NULL;
  return span;
}

struct trace_parent
span_context (const struct span *span)
{
  struct trace_parent context = { .local = true };

  if (span == NULL)
    return context;
  context.known = context.sampled = true;
  context.wall_ns = span->wall_ns;
  memcpy (context.trace, span->trace, sizeof context.trace);
  memcpy (context.span, span->id, sizeof context.span);
  context.state = span->state;
  context.state_len = span->state != NULL ? strlen (span->state) : 0;
  return context;
}

void
span_name (struct span *span, const char *fmt, ...)
{
  char text[NAME_MAX_BYTES];
  va_list ap;

  if (span == NULL)
    return;
  va_start (ap, fmt);
  (void) vsnprintf (text, sizeof text, fmt, ap);
  va_end (ap);
  span->name.len = 0;
  json_escape (&span->name, text, strlen (text));
}

/* The begin of an attribute, up to its value; false: there are enough of them. */
static bool
begin_attribute (struct span *span, const char *key)
{
  if (span == NULL || span->attributes_count == SPAN_ATTRIBUTES_MAX)
    return false;
  buf_printf (&span->attributes, "%s{\"key\":\"%s\",\"value\":{",
              span->attributes_count++ != 0 ? "," : "", key);
  return true;
}

/* At most so many bytes, and none of a character that is cut. */
static size_t
cut (const char *text, size_t len, size_t max)
{
  if (len <= max)
    return len;
  while (max != 0 && ((unsigned char) text[max] & 0xc0) == 0x80)
    max--;
  return max;
}

static void
put_text (struct span *span, const char *key, const char *text, size_t len, size_t max)
{
  if (text == NULL || !begin_attribute (span, key))
    return;
  buf_puts (&span->attributes, "\"stringValue\":\"");
  json_escape (&span->attributes, text, cut (text, len, max));
  buf_puts (&span->attributes, "\"}}");
}

void
span_text_len (struct span *span, const char *key, const char *text, size_t len)
{
  put_text (span, key, text, len, SPAN_TEXT_MAX);
}

void
span_text (struct span *span, const char *key, const char *text)
{
  if (text != NULL)
    put_text (span, key, text, strlen (text), SPAN_TEXT_MAX);
}

void
span_content (struct span *span, const char *key, const char *text, size_t len)
{
  put_text (span, key, text, len, SPAN_CONTENT_MAX);
}

void
span_int (struct span *span, const char *key, int64_t value)
{
  if (begin_attribute (span, key))
    buf_printf (&span->attributes, "\"intValue\":\"%" PRId64 "\"}}", value);
}

static void
put_hex (char *out, const uint8_t *bytes, size_t count)
{
  static const char digits[] = "0123456789abcdef";

  for (size_t i = 0; i < count; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out = '\0';
}

void
span_link (struct span *span, const struct trace_parent *to)
{
  char trace[2 * TRACE_ID + 1], id[2 * TRACE_SPAN_ID + 1];

  if (span == NULL || !to->known)
    return;
  put_hex (trace, to->trace, TRACE_ID);
  put_hex (id, to->span, TRACE_SPAN_ID);
  buf_printf (&span->links, "%s{\"traceId\":\"%s\",\"spanId\":\"%s\",\"flags\":%d}",
              span->links.len != 0 ? "," : "", trace, id,
              (to->sampled ? FLAG_SAMPLED : 0) | FLAG_KNOWS_REMOTE | (to->local ? 0 : FLAG_REMOTE));
}

void
span_fail (struct span *span, const char *type, const char *message)
{
  if (span == NULL || span->failed)
    return;
  span->failed = true;
  span_text (span, "error.type", type);
  span->message =
    message != NULL ? xstrndup (message, cut (message, strlen (message), SPAN_TEXT_MAX)) : NULL;
}

/* ---- the end ---------------------------------------------------------------------------- */

struct span *
span_ref (struct span *span)
{
  if (span != NULL)
    span->refs++;
  return span;
}

void
span_unref (struct span *span)
{
  if (span == NULL || --span->refs != 0)
    return;
  free (span->state);
  free (span->message);
  buf_free (&span->name);
  buf_free (&span->attributes);
  buf_free (&span->links);
  free (span);
}

static void
name_raw (struct json_writer *w, const char *name, char open, const struct buf *inside, char close)
{
  struct buf *out = w->out;

  jsonw_name_raw (w, name, &open, 1);
  buf_append (out, inside->data, inside->len);
  buf_putc (out, close);
}

static void
render (const struct span *span, int64_t end_ns, struct buf *out)
{
  const int64_t wall_ns = span->wall_ns;
  char trace[2 * TRACE_ID + 1], hex[2 * TRACE_SPAN_ID + 1];
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  put_hex (trace, span->trace, TRACE_ID);
  jsonw_name_string (&w, "traceId", trace);
  put_hex (hex, span->id, TRACE_SPAN_ID);
  jsonw_name_string (&w, "spanId", hex);
  if (span->state != NULL)
    jsonw_name_string (&w, "traceState", span->state);
  if (span->has_parent) {
    put_hex (hex, span->parent, TRACE_SPAN_ID);
    jsonw_name_string (&w, "parentSpanId", hex);
  }
  jsonw_name_int (&w, "flags", FLAG_SAMPLED | FLAG_KNOWS_REMOTE | (span->remote ? FLAG_REMOTE : 0));
  name_raw (&w, "name", '"', &span->name, '"');
  jsonw_name_int (&w, "kind", (int64_t) span->kind);
  jsonw_name (&w, "startTimeUnixNano");
  jsonw_stringf (&w, "%" PRId64, span->start_ns + wall_ns);
  jsonw_name (&w, "endTimeUnixNano");
  jsonw_stringf (&w, "%" PRId64, (end_ns > span->start_ns ? end_ns : span->start_ns) + wall_ns);
  if (span->attributes.len != 0)
    name_raw (&w, "attributes", '[', &span->attributes, ']');
  if (span->links.len != 0)
    name_raw (&w, "links", '[', &span->links, ']');
  if (span->failed) {
    jsonw_name (&w, "status");
    jsonw_object (&w);
    if (span->message != NULL)
      jsonw_name_string (&w, "message", span->message);
    jsonw_name_int (&w, "code", STATUS_ERROR);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

void
span_end (struct span *span, int64_t end_ns)
{
  struct tracer *tracer;

  if (span == NULL)
    return;
  tracer = span->tracer;
  if (tracer->counts.waiting >= tracer->settings.queue_max || tracer->spans.len >= WAITING_BYTES)
    tracer->counts.dropped++;
  else {
    if (tracer->counts.waiting++ != 0)
      buf_putc (&tracer->spans, ',');
    render (span, end_ns != 0 ? end_ns : clock_ns (), &tracer->spans);
    tracer->counts.finished++;
  }
  span_unref (span);
  if (tracer->ready != NULL)
    tracer->ready (tracer->ctx, tracer->counts.waiting);
}

/* ---- what is passed on ------------------------------------------------------------------ */

void
span_traceparent (const struct span *span, char room[TRACEPARENT_LEN + 1])
{
  char trace[2 * TRACE_ID + 1], id[2 * TRACE_SPAN_ID + 1];

  put_hex (trace, span->trace, TRACE_ID);
  put_hex (id, span->id, TRACE_SPAN_ID);
  (void) snprintf (room, TRACEPARENT_LEN + 1, "00-%s-%s-01", trace, id);
}

const char *
span_tracestate (const struct span *span)
{
  return span->state;
}

void
span_trace_id (const struct span *span, char room[2 * TRACE_ID + 1])
{
  put_hex (room, span->trace, TRACE_ID);
}

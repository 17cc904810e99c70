/* Spans: what is sampled, what is rendered, what is dropped. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_tape.h"
#include "daemon/trace_config.h"
#include "tap.h"
#include "watch/trace.h"

static const char PARENT[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
static const struct tracer_settings all = { .ratio = 1, .parent_based = true, .queue_max = 100 };

static bool
reads (const char *text)
{
  struct trace_parent parent;
  const bool good = trace_parent_read (&parent, text, strlen (text));

  CU_ASSERT_EQUAL (parent.known, good);
  return good;
}

static void
what_is_a_parent (void)
{
  struct trace_parent parent;

  CU_ASSERT_TRUE_FATAL (trace_parent_read (&parent, PARENT, sizeof PARENT - 1));
  CU_ASSERT_TRUE (parent.sampled);
  CU_ASSERT_EQUAL (parent.trace[0], 0x0a);
  CU_ASSERT_EQUAL (parent.trace[15], 0x9c);
  CU_ASSERT_EQUAL (parent.span[0], 0xb7);
  CU_ASSERT_EQUAL (parent.span[7], 0x31);
  CU_ASSERT_TRUE (
    trace_parent_read (&parent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", 55));
  CU_ASSERT_FALSE (parent.sampled);
  CU_ASSERT_FALSE (trace_parent_read (&parent, NULL, 0));
  CU_ASSERT_FALSE (reads (""));
  CU_ASSERT_FALSE (reads ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0"));
  CU_ASSERT_FALSE (reads ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g"));
  CU_ASSERT_FALSE (reads ("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  CU_ASSERT_FALSE (reads ("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
  CU_ASSERT_FALSE (reads ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"));
  CU_ASSERT_FALSE (reads ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  CU_ASSERT_FALSE (reads ("00 0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
}

static void
a_tracestate_has_an_end (void)
{
  char state[TRACESTATE_MAX + 2] = { 0 };
  struct trace_parent parent;

  memset (state, 'a', sizeof state - 1);
  (void) trace_parent_read (&parent, PARENT, sizeof PARENT - 1);
  trace_parent_state (&parent, state, TRACESTATE_MAX + 1);
  CU_ASSERT_PTR_NULL (parent.state);
  trace_parent_state (&parent, state, TRACESTATE_MAX);
  CU_ASSERT_EQUAL (parent.state_len, TRACESTATE_MAX);
}

/* How many of 1000 traces that begin here are sampled. */
static unsigned
sampled (double ratio)
{
  struct tracer_settings settings = all;
  unsigned count = 0;
  struct tracer *tracer;

  settings.ratio = ratio;
  tracer = tracer_new (&settings, NULL, NULL);
  for (int i = 0; i < 1000; i++) {
    struct span *span = span_root (tracer, NULL, SPAN_SERVER, 1);
    count += span != NULL;
    span_end (span, 2);
  }
  tracer_free (tracer);
  return count;
}

static void
a_ratio_is_sampled (void)
{
  CU_ASSERT_EQUAL (sampled (1), 1000);
  CU_ASSERT_EQUAL (sampled (0), 0);
  CU_ASSERT_TRUE (sampled (0.5) > 350 && sampled (0.5) < 650);
}

/* Whether a trace of these flags is sampled. */
static bool
follows (double ratio, bool parent_based, bool parent_sampled)
{
  struct tracer_settings settings = { .ratio = ratio,
                                      .parent_based = parent_based,
                                      .queue_max = 9 };
  struct tracer *tracer = tracer_new (&settings, NULL, NULL);
  struct trace_parent parent;
  struct span *span;

  (void) trace_parent_read (&parent, PARENT, sizeof PARENT - 1);
  parent.sampled = parent_sampled;
  span = span_root (tracer, &parent, SPAN_SERVER, 1);
  span_end (span, 2);
  tracer_free (tracer);
  return span != NULL;
}

static void
a_parent_decides (void)
{
  CU_ASSERT_TRUE (follows (0, true, true));
  CU_ASSERT_FALSE (follows (1, true, false));
  CU_ASSERT_FALSE (follows (0, false, true));
  CU_ASSERT_TRUE (follows (1, false, false));
}

static void
no_span_is_no_work (void)
{
  struct trace_parent none = { .known = false };

  CU_ASSERT_PTR_NULL (span_root (NULL, &none, SPAN_SERVER, 1));
  CU_ASSERT_PTR_NULL (span_child (NULL, SPAN_CLIENT, 1));
  span_name (NULL, "%d", 1);
  span_text (NULL, "a", "b");
  span_int (NULL, "a", 1);
  span_link (NULL, &none);
  span_fail (NULL, "a", NULL);
  span_end (NULL, 0);
  CU_ASSERT_FALSE (tracer_tells_content (NULL));
}

static void
a_span_is_json (void)
{
  struct tracer *tracer = tracer_new (&all, NULL, NULL);
  CLEANUP_BUF struct buf json = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root, *child;
  struct trace_parent parent;
  struct json_tape tape;
  struct span *span, *inner;

  (void) trace_parent_read (&parent, PARENT, sizeof PARENT - 1);
  trace_parent_state (&parent, "a=\"b", 4);
  span = span_root (tracer, &parent, SPAN_SERVER, 1000);
  span_name (span, "a \"%s\"\n\xff", "name");
  span_text (span, "text", "line\nbreak \xc3\xa4 \xff");
  span_text (span, "absent", NULL);
  span_int (span, "number", -5);
  span_link (span, &parent);
  span_fail (span, "first", "why");
  span_fail (span, "second", "not told");
  inner = span_child (span, SPAN_CLIENT, 5000);
  span_name (inner, "inner");
  span_end (span, 9000);
  span_end (inner, 4000); /* a clock that is read late ends nothing before it begins */
  buf_putc (&json, '[');
  CU_ASSERT_EQUAL (tracer_take (tracer, &json), 2);
  buf_putc (&json, ']');
  CU_ASSERT_TRUE_FATAL (json_read (&tape, json.data, json.len, &json_default_limits, &arena));
  root = json_first (json_root (&tape));
  child = json_next (root);
  CU_ASSERT_TRUE (
    json_equals (&tape, json_member (&tape, root, "traceId"), "0af7651916cd43dd8448eb211c80319c"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_member (&tape, root, "parentSpanId"), "b7ad6b7169203331"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_member (&tape, root, "name"), "a \"name\"\n\xef\xbf\xbd"));
  CU_ASSERT_TRUE (json_equals (&tape, json_member (&tape, root, "traceState"), "a=\"b"));
  CU_ASSERT_EQUAL (json_member (&tape, root, "attributes")->count, 3);
  CU_ASSERT_TRUE (json_equals (&tape,
                               json_pointer (&tape, root, "/attributes/0/value/stringValue", 31),
                               "line\nbreak \xc3\xa4 \xef\xbf\xbd"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_pointer (&tape, root, "/attributes/1/value/intValue", 28), "-5"));
  CU_ASSERT_TRUE (json_equals (
    &tape, json_pointer (&tape, root, "/attributes/2/value/stringValue", 31), "first"));
  CU_ASSERT_TRUE (json_equals (&tape, json_pointer (&tape, root, "/status/message", 15), "why"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_pointer (&tape, root, "/links/0/spanId", 15), "b7ad6b7169203331"));
  CU_ASSERT_TRUE (
    json_equals (&tape, json_member (&tape, child, "traceId"), "0af7651916cd43dd8448eb211c80319c"));
  size_t len, same_len;
  const char *start = json_raw (&tape, json_member (&tape, child, "startTimeUnixNano"), &len);
  const char *end = json_raw (&tape, json_member (&tape, child, "endTimeUnixNano"), &same_len);
  CU_ASSERT_TRUE (len == same_len && memcmp (start, end, len) == 0);
  tracer_free (tracer);
}

/* A wall's clock that is set back by a second whenever somebody looks at it. */
static int64_t
set_back (void)
{
  static int64_t now = 2000000000000000000;

  return now -= 1000000000;
}

/* In nanoseconds, of the first of the spans that are ready. */
static int64_t
start_of (struct tracer *tracer)
{
  static const char name[] = "\"startTimeUnixNano\":\"";
  CLEANUP_BUF struct buf json = { 0 };
  const char *at;

  (void) tracer_take (tracer, &json);
  at = strstr (buf_cstr (&json), name);
  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  return strtoll (at + sizeof name - 1, NULL, 10);
}

static void
a_trace_has_one_clock (void)
{
  struct tracer_settings settings = all;
  struct trace_parent context;
  struct span *span, *part;
  struct tracer *tracer;
  int64_t start;

  settings.wall = set_back;
  tracer = tracer_new (&settings, NULL, NULL);
  span = span_root (tracer, NULL, SPAN_SERVER, 1000);
  span_end (span_child (span, SPAN_INTERNAL, 1000), 1500);
  start = start_of (tracer);
  part = span_child (span, SPAN_INTERNAL, 2000);
  span_end (span_child (part, SPAN_CLIENT, 3000), 3500);
  CU_ASSERT_EQUAL (start_of (tracer), start + 2000);
  span_end (part, 5000);
  CU_ASSERT_EQUAL (start_of (tracer), start + 1000);
  context = span_context (span);
  span_end (span_root (tracer, &context, SPAN_SERVER, 6000), 7000);
  CU_ASSERT_EQUAL (start_of (tracer), start + 5000);
  span_end (span, 8000);
  CU_ASSERT_EQUAL (start_of (tracer), start);
  span_end (span_root (tracer, NULL, SPAN_SERVER, 9000), 9500);
  CU_ASSERT_TRUE (start_of (tracer) < start);
  tracer_free (tracer);
}

static void
on_ready (void *ctx, size_t waiting)
{
  *(size_t *) ctx = waiting;
}

static void
what_has_no_room_is_dropped (void)
{
  struct tracer_settings settings = all;
  CLEANUP_BUF struct buf json = { 0 };
  struct tracer *tracer;
  size_t told = 0;

  settings.queue_max = 3;
  tracer = tracer_new (&settings, on_ready, &told);
  for (int i = 0; i < 5; i++)
    span_end (span_root (tracer, NULL, SPAN_SERVER, 1), 2);
  CU_ASSERT_EQUAL (told, 3);
  CU_ASSERT_EQUAL (tracer_counts (tracer).dropped, 2);
  CU_ASSERT_EQUAL (tracer_counts (tracer).finished, 3);
  CU_ASSERT_EQUAL (tracer_take (tracer, &json), 3);
  span_end (span_root (tracer, NULL, SPAN_SERVER, 1), 2);
  CU_ASSERT_EQUAL (tracer_counts (tracer).waiting, 1);
  tracer_free (tracer);
}

static void
attributes_have_an_end (void)
{
  struct tracer *tracer = tracer_new (&all, NULL, NULL);
  CLEANUP_BUF struct buf json = { 0 };
  struct span *span = span_root (tracer, NULL, SPAN_SERVER, 1);
  char *text = malloc (SPAN_CONTENT_MAX + 10);

  CU_ASSERT_PTR_NOT_NULL_FATAL (text);
  memset (text, 'x', SPAN_CONTENT_MAX + 10);
  memcpy (text + SPAN_TEXT_MAX - 1, "\xc3\xa4", 2); /* which is not cut in two */
  span_text_len (span, "text", text, SPAN_CONTENT_MAX + 10);
  span_content (span, "content", text, SPAN_CONTENT_MAX + 10);
  for (int i = 0; i < SPAN_ATTRIBUTES_MAX; i++)
    span_int (span, "number", i);
  span_end (span, 2);
  (void) tracer_take (tracer, &json);
  (void) buf_cstr (&json);
  CU_ASSERT_PTR_NULL (strstr (json.data, "\"intValue\":\"62\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (json.data, "\"intValue\":\"61\""));
  CU_ASSERT_PTR_NOT_NULL (strstr (json.data, "xx\"}},{\"key\":\"content\""));
  CU_ASSERT_TRUE (json.len < SPAN_CONTENT_MAX + 10000);
  free (text);
  tracer_free (tracer);
}

/* ---- the environment ---- */

static const char *const variables[] = {
  "OTEL_SDK_DISABLED",           "OTEL_TRACES_EXPORTER",
  "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",  "OTEL_EXPORTER_OTLP_TIMEOUT",
  "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER",         "OTEL_TRACES_SAMPLER_ARG",
  "OTEL_BSP_MAX_QUEUE_SIZE"
};

/* With these variables set ("NAME=VALUE", NULL at the end). */
static void
init_with (struct config_trace *trace, const char *const *set)
{
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    (void) unsetenv (variables[i]);
  for (; *set != NULL; set++)
    (void) putenv ((char *) *set);
  trace_config_init (trace);
}
#define WITH(trace, ...) init_with (trace, (const char *const[]){ __VA_ARGS__, NULL })

static void
variables_say_where (void)
{
  struct config_trace t;

  WITH (&t, "OTEL_SERVICE_NAME=x");
  CU_ASSERT_FALSE (trace_config_on (&t));
  trace_config_free (&t);
  WITH (&t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://a:4318");
  CU_ASSERT_STRING_EQUAL (t.endpoint, "http://a:4318/v1/traces");
  trace_config_free (&t);
  WITH (&t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://a:4318/", "OTEL_SDK_DISABLED=TRUE");
  CU_ASSERT_STRING_EQUAL (t.endpoint, "http://a:4318/v1/traces");
  CU_ASSERT_FALSE (trace_config_on (&t));
  trace_config_free (&t);
  WITH (&t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://a",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://b/x");
  CU_ASSERT_STRING_EQUAL (t.endpoint, "http://b/x");
  trace_config_free (&t);
  WITH (&t, "OTEL_TRACES_EXPORTER=otlp");
  CU_ASSERT_STRING_EQUAL (t.endpoint, "http://localhost:4318/v1/traces");
  trace_config_free (&t);
  WITH (&t, "OTEL_TRACES_EXPORTER=none", "OTEL_EXPORTER_OTLP_ENDPOINT=http://a");
  CU_ASSERT_PTR_NULL (t.endpoint);
  trace_config_free (&t);
}

static void
variables_say_how (void)
{
  struct config_trace t;

  WITH (&t, "OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25");
  CU_ASSERT_TRUE (t.parent_based && t.ratio == 0.25);
  trace_config_free (&t);
  WITH (&t, "OTEL_TRACES_SAMPLER=always_off");
  CU_ASSERT_TRUE (!t.parent_based && t.ratio == 0);
  trace_config_free (&t);
  WITH (&t, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=2",
        "OTEL_BSP_MAX_QUEUE_SIZE=x", "OTEL_EXPORTER_OTLP_TIMEOUT=250",
        "OTEL_EXPORTER_OTLP_HEADERS=novalue", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json");
  CU_ASSERT_EQUAL (t.timeout_ms, 250);
  CU_ASSERT_EQUAL (t.queue_max, 2048);
  CU_ASSERT_EQUAL (t.ratio, 1);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&t.ignored),
                          "OTEL_EXPORTER_OTLP_HEADERS, "
                          "OTEL_TRACES_SAMPLER_ARG, OTEL_BSP_MAX_QUEUE_SIZE");
  trace_config_free (&t);
  WITH (&t, "OTEL_EXPORTER_OTLP_HEADERS= a = b%20c ,d=,", "OTEL_TRACES_SAMPLER=jaeger_remote");
  CU_ASSERT_STRING_EQUAL (t.headers, "{\"a\":\"b c\",\"d\":\"\"}");
  CU_ASSERT_STRING_EQUAL (buf_cstr (&t.ignored), "OTEL_TRACES_SAMPLER");
  trace_config_free (&t);
}

static CU_TestInfo spans[] = { { "what is a parent", what_is_a_parent },
                               { "a tracestate has an end", a_tracestate_has_an_end },
                               { "a ratio is sampled", a_ratio_is_sampled },
                               { "a parent decides", a_parent_decides },
                               { "no span is no work", no_span_is_no_work },
                               { "a span is JSON", a_span_is_json },
                               { "a trace has one clock", a_trace_has_one_clock },
                               { "what has no room is dropped", what_has_no_room_is_dropped },
                               { "attributes have an end", attributes_have_an_end },
                               CU_TEST_INFO_NULL };
static CU_TestInfo environment[] = { { "variables say where", variables_say_where },
                                     { "variables say how", variables_say_how },
                                     CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "spans", NULL, NULL, NULL, NULL, spans },
                                 { "environment", NULL, NULL, NULL, NULL, environment },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

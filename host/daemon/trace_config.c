#include "daemon/trace_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json_tape.h"
#include "base/json_write.h"

enum { MS_MAX = 600000, COUNT_MAX = 1000000 };

static const char LOCAL[] = "http://localhost:4318/v1/traces";

/* ---- the environment -------------------------------------------------------------------- */

/* NULL: it is not set, or empty, which is the same. */
static const char *
variable (const char *name)
{
  const char *value = getenv (name);

  return value != NULL && *value != '\0' ? value : NULL;
}

static void
ignore (struct config_trace *trace, const char *name)
{
  buf_printf (&trace->ignored, "%s%s", trace->ignored.len != 0 ? ", " : "", name);
}

static int
hex (char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* Without blanks around it, and percent-encoding undone. */
static void
decode (const char *text, size_t len, struct buf *out)
{
  while (len != 0 && (text[0] == ' ' || text[0] == '\t')) {
    text++;
    len--;
  }
  while (len != 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
    len--;
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '%' && i + 2 < len && hex (text[i + 1]) >= 0 && hex (text[i + 2]) >= 0) {
      buf_putc (out, (char) (hex (text[i + 1]) << 4 | hex (text[i + 2])));
      i += 2;
    }
    else
      buf_putc (out, text[i]);
  }
}

/* "a=1,b=2" as a JSON object of texts; NULL: it is no such list. */
static char *
read_list (const char *text)
{
  struct buf json = { 0 };
  struct json_writer w = { .out = &json };
  bool good = true;

  jsonw_object (&w);
  while (good && *text != '\0') {
    CLEANUP_BUF struct buf name = { 0 }, value = { 0 };
    const size_t len = strcspn (text, ",");
    const char *equals = memchr (text, '=', len);
    if (equals != NULL) {
      decode (text, (size_t) (equals - text), &name);
      decode (equals + 1, (size_t) (text + len - equals - 1), &value);
    }
    good = name.len != 0;
    if (good) {
      jsonw_name_len (&w, name.data, name.len);
      jsonw_string_len (&w, value.len != 0 ? value.data : "", value.len);
    }
    text += len;
    text += *text == ',';
  }
  jsonw_end (&w);
  (void) buf_cstr (&json);
  if (good)
    return json.data;
  buf_free (&json);
  return NULL;
}

static void
take_list (struct config_trace *trace, const char *name, char **into)
{
  const char *text = variable (name);
  char *list = text != NULL ? read_list (text) : NULL;

  if (text == NULL)
    return;
  if (list == NULL)
    return ignore (trace, name);
  free (*into);
  *into = list;
}

static void
take_number (struct config_trace *trace, const char *name, int64_t min, int64_t max, int64_t *into)
{
  const char *text = variable (name);
  char *end;
  long long number;

  if (text == NULL)
    return;
  errno = 0;
  number = strtoll (text, &end, 10);
  if (errno != 0 || *end != '\0' || number < min || number > max)
    return ignore (trace, name);
  *into = number;
}

static void
take_endpoint (struct config_trace *trace)
{
  const char *whole = variable ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const char *base = variable ("OTEL_EXPORTER_OTLP_ENDPOINT");
  const char *exporter = variable ("OTEL_TRACES_EXPORTER");
  struct buf url = { 0 };

  if (exporter != NULL && strcmp (exporter, "otlp") != 0) {
    if (strcmp (exporter, "none") != 0)
      ignore (trace, "OTEL_TRACES_EXPORTER");
    return;
  }
  if (whole != NULL)
    buf_puts (&url, whole);
  else if (base != NULL)
    buf_printf (&url, "%s%sv1/traces", base, base[strlen (base) - 1] == '/' ? "" : "/");
  else if (exporter != NULL)
    buf_puts (&url, LOCAL);
  else
    return;
  (void) buf_cstr (&url);
  trace->endpoint = url.data;
}

static void
take_sampler (struct config_trace *trace)
{
  static const char parent[] = "parentbased_";
  const char *name = variable ("OTEL_TRACES_SAMPLER"), *arg = variable ("OTEL_TRACES_SAMPLER_ARG");
  const char *rest = name;
  char *end;
  double ratio;

  if (name == NULL)
    return;
  if (strncmp (name, parent, sizeof parent - 1) == 0)
    rest += sizeof parent - 1;
  if (strcmp (rest, "always_on") == 0)
    trace->ratio = 1;
  else if (strcmp (rest, "always_off") == 0)
    trace->ratio = 0;
  else if (strcmp (rest, "traceidratio") == 0) {
    ratio = arg != NULL ? strtod (arg, &end) : 1;
    if (arg != NULL && (*end != '\0' || !(ratio >= 0 && ratio <= 1)))
      return ignore (trace, "OTEL_TRACES_SAMPLER_ARG");
    trace->ratio = ratio;
  }
  else
    return ignore (trace, "OTEL_TRACES_SAMPLER");
  trace->parent_based = rest != name;
}

/* The one of traces goes before that of all signals. */
static void
take_exporter (struct config_trace *trace)
{
  static const char *const protocols[] = { "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
                                           "OTEL_EXPORTER_OTLP_PROTOCOL", NULL };

  take_list (trace, "OTEL_EXPORTER_OTLP_HEADERS", &trace->headers);
  take_list (trace, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", &trace->headers);
  take_number (trace, "OTEL_EXPORTER_OTLP_TIMEOUT", 1, MS_MAX, &trace->timeout_ms);
  take_number (trace, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", 1, MS_MAX, &trace->timeout_ms);
  for (size_t i = 0; protocols[i] != NULL; i++)
    if (variable (protocols[i]) != NULL && strcmp (variable (protocols[i]), "http/json") != 0)
      ignore (trace, protocols[i]);
}

static void
take_service (struct config_trace *trace)
{
  const char *name = variable ("OTEL_SERVICE_NAME");

  take_list (trace, "OTEL_RESOURCE_ATTRIBUTES", &trace->attributes);
  if (name != NULL)
    trace->service_name = xstrdup (name);
}

void
trace_config_init (struct config_trace *trace)
{
  const char *disabled = variable ("OTEL_SDK_DISABLED");

  *trace = (struct config_trace){ .ratio = 1,
                                  .parent_based = true,
                                  .queue_max = 2048,
                                  .batch = 512,
                                  .delay_ms = 5000,
                                  .timeout_ms = 10000 };
  trace->disabled = disabled != NULL && strcasecmp (disabled, "true") == 0;
  take_endpoint (trace);
  take_exporter (trace);
  take_service (trace);
  take_sampler (trace);
  take_number (trace, "OTEL_BSP_SCHEDULE_DELAY", 1, MS_MAX, &trace->delay_ms);
  take_number (trace, "OTEL_BSP_MAX_QUEUE_SIZE", 1, COUNT_MAX, &trace->queue_max);
  take_number (trace, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, COUNT_MAX, &trace->batch);
}

void
trace_config_free (struct config_trace *trace)
{
  free (trace->endpoint);
  free (trace->headers);
  free (trace->attributes);
  free (trace->service_name);
  secrets_free (&trace->secrets);
  buf_free (&trace->ignored);
  http_grants_free (&trace->grants);
}

bool
trace_config_on (const struct config_trace *trace)
{
  return trace->endpoint != NULL && !trace->disabled;
}

/* ---- where they go ---------------------------------------------------------------------- */

static bool
add_headers (struct http_grant *grant, const char *json, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root, *value;
  struct json_tape tape;

  if (!json_read (&tape, json, strlen (json), &json_default_limits, &arena))
    return error_set (err, ": expected an object of texts");
  root = json_root (&tape);
  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (value)) {
    const char *name = json_cstring (&tape, n, &arena), *text;
    value = json_next (n);
    text = json_cstring (&tape, value, &arena);
    if (name == NULL || text == NULL)
      return error_set (err, "/%s: expected a text", name != NULL ? name : "");
    if (!http_grant_add_extra (grant, false, name, text, err))
      return error_wrap (err, "/%s: ", name);
  }
  return true;
}

bool
trace_config_make (struct config_trace *trace, struct error *err)
{
  struct http_grant *grant;

  http_grants_free (&trace->grants);
  if (!trace_config_on (trace))
    return true;
  grant = http_grants_add (&trace->grants, trace->endpoint, err);
  if (grant == NULL)
    return error_wrap (err, "/trace/endpoint: expected a URL like "
                            "\"http://127.0.0.1:4318/v1/traces\": ");
  if (grant->pattern.any_host || grant->pattern.below)
    return error_set (err, "/trace/endpoint: expected one URL, without *");
  grant->methods = HTTP_POST;
  grant->private_too = true; /* the operator names it, and it is mostly on this machine */
  if (trace->headers != NULL && !add_headers (grant, trace->headers, err))
    return error_wrap (err, "/trace/headers");
  return http_grants_fill (&trace->grants, &trace->secrets, err)
         || error_wrap (err, "/trace/headers: ");
}

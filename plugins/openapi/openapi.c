/* openapi - services as tools: an OpenAPI document in, a tool for each of its operations out.
 *
 * They are built for each tenant from its feature "openapi", as docs/openapi-tools.md tells.
 * Documents are the operator's; what services answer is not.  All requests go through the host,
 * which adds credentials and sees to where they may go. */
#include <toolhost.h>

#include "../common/built.h"
#include "config.h"
#include "operations.h"
#include "request.h"
#include "search.h"
#include "security.h"

/* ---- a tool ---- */

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct service_tool *tool = self;
  CLEANUP_VALUES struct values pool = { 0 };
  size_t len;
  const char *args = toolhost_args (call, &len);
  const struct value *arguments = value_parse (&pool, args, len);

  if (arguments == NULL)
    return toolhost_fail (call, "openapi_error", "The arguments are nested too deeply.");
  return request_send (call, tool->operation, arguments, &pool);
}

static const char *
definition (void *self)
{
  return ((const struct service_tool *) self)->operation->definition;
}

static int64_t
max_time (void *self)
{
  return ((const struct service_tool *) self)->operation->timeout_ms;
}

static const toolhost_tool operation_tool = { TOOLHOST_TOOL, .definition = definition,
                                              .execute = execute, .max_time = max_time };

/* ---- the log of a build ---- */

enum { SCHEMES_MAX = 16, TOLD_MAX = 100 /* operations that are left out, one by one */ };

struct building {
  toolhost_build *build;
  struct service *service;
  size_t index, left_out;
  const char *schemes[SCHEMES_MAX]; /* whose credentials were told to be missing */
  size_t schemes_count;
  struct text first; /* why the first one was left out */
};

/* Once for each scheme: what the operator has to write. */
static void
log_credentials (struct building *b, const char *scheme, const char *server)
{
  CLEANUP_TEXT struct text event = { 0 }, policy = { 0 };

  for (size_t i = 0; i < b->schemes_count; i++)
    if (strcmp (b->schemes[i], scheme) == 0)
      return;
  if (b->schemes_count == SCHEMES_MAX)
    return;
  b->schemes[b->schemes_count++] = scheme;
  json_open (&event, '{');
  json_name_string (&event, "service", b->service->name);
  json_name_string (&event, "scheme", scheme);
  if (security_policy (b->service, scheme, server, &policy)) {
    json_name (&event, "policy");
    json_raw (&event, text_get (&policy));
  }
  json_close (&event, '}');
  (void) toolhost_host_event (b->build->host, TOOLHOST_WARNING, "openapi_credentials_missing",
                              text_get (&event));
}

static void
tell_left_out (void *ctx, const char *method, const char *path, const char *why, const char *scheme,
               const char *server)
{
  struct building *b = ctx;
  CLEANUP_TEXT struct text event = { 0 };

  if (b->left_out++ == 0)
    text_addf (&b->first, "%s %.100s: %s", method, path, why);
  if (scheme != NULL)
    log_credentials (b, scheme, server);
  if (b->left_out > TOLD_MAX)
    return;
  json_open (&event, '{');
  json_name_string (&event, "service", b->service->name);
  json_name_string (&event, "method", method);
  json_name_string (&event, "path", path);
  json_name_string (&event, "why", why);
  json_close (&event, '}');
  (void) toolhost_host_event (b->build->host, TOOLHOST_WARNING, "openapi_operation_left_out",
                              text_get (&event));
}

static void
log_built (const struct building *b)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_string (&event, "service", b->service->name);
  json_name_int (&event, "operations", (int64_t) b->service->count);
  json_name_int (&event, "left_out", (int64_t) b->left_out);
  json_name_bool (&event, "search", b->service->search);
  json_close (&event, '}');
  (void) toolhost_host_event (b->build->host, TOOLHOST_INFO, "openapi_service_built",
                              text_get (&event));
}

/* ---- building ---- */

/* What came of a service: tools; none, which is its own affair; or none, and no other is built. */
enum outcome { BUILT, FAILED, WRONG };

static bool
fail (const struct building *b, const char *member, const char *why)
{
  CLEANUP_TEXT struct text pointer = { 0 };

  text_addf (&pointer, "/services/%zu%s", b->index, member);
  (void) toolhost_build_error (b->build, text_get (&pointer), "%s", why);
  return false;
}

static const char *
member_of (const struct service *service)
{
  return service->file != NULL ? "/file" : "/document";
}

/* As an object, or a text that is one. */
static const struct value *
read_source (struct service *service, struct text *why)
{
  const struct value *inline_document = service->inline_document;
  CLEANUP_TEXT struct text text = { 0 };
  const char *slash;

  if (value_is (inline_document, VALUE_OBJECT))
    return inline_document;
  if (inline_document != NULL)
    return document_parse (&service->pool, inline_document->text, inline_document->count, why);
  slash = strrchr (service->file, '/');
  if (service->external_refs)
    service->document.folder =
      values_text (&service->pool, service->file, (size_t) (slash - service->file));
  (void) stat (service->file, &service->file_was);
  if (!document_load (service->file, &text, why))
    return NULL;
  return document_parse (&service->pool, text_get (&text), text.len, why);
}

static bool
read_service (struct building *b, struct text *why)
{
  const struct left_out left_out = { tell_left_out, b };
  const struct value *root = read_source (b->service, why);

  if (root == NULL || !document_take (&b->service->document, root, why)
      || !operations_read (b->service, &left_out, why)) {
    if (why->len == 0)
      text_add (why, "there is no memory");
    return false;
  }
  b->service->document.closed = true;
  if (b->service->count != 0)
    return true;
  text_add (why, "none of its operations can be a tool");
  if (b->left_out != 0)
    text_addf (why, ": %s", text_get (&b->first));
  return false;
}

static bool
add_operations (struct building *b)
{
  struct service *service = b->service;
  CLEANUP_TEXT struct text why = { 0 };

  if (service->count > (size_t) service->tools_max) {
    text_addf (&why,
               "it has %zu operations, tools_max is %lld: choose with \"include\", set \"group\" "
               "to \"search\", or raise it",
               service->count, (long long) service->tools_max);
    return fail (b, "/tools_max", text_get (&why));
  }
  for (size_t i = 0; i < service->count; i++) {
    struct service_tool *tool = service_tool_new (service);
    if (tool == NULL)
      return fail (b, "", "there is no memory");
    tool->operation = &service->operations[i];
    if (toolhost_add_tool (b->build, &operation_tool, tool) != TOOLHOST_OK) {
      service_tool_free (tool);
      return fail (b, "", "the host takes no more tools");
    }
  }
  return true;
}

/* The service keeps what it is made of. */
static const struct value *
copy (struct values *pool, const struct value *value)
{
  CLEANUP_TEXT struct text text = { 0 };

  value_write (&text, value);
  return text_ok (&text) ? value_parse (pool, text_get (&text), text.len) : NULL;
}

/* The others are built all the same, as other builders are. */
static enum outcome
log_failed (const struct building *b, const char *why)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_string (&event, "service", b->service->name);
  json_name_string (&event, "why", why);
  json_close (&event, '}');
  (void) toolhost_host_event (b->build->host, TOOLHOST_ERROR, "openapi_service_failed",
                              text_get (&event));
  return b->service->strict ? WRONG : FAILED;
}

static enum outcome
build_one (struct building *b, const struct value *config)
{
  const struct value *kept = copy (&b->service->pool, config);
  CLEANUP_TEXT struct text why = { 0 };

  if (kept == NULL) {
    (void) fail (b, "", "there is no memory");
    return WRONG;
  }
  if (!config_service (b->build, b->service, kept, b->index))
    return WRONG;
  if (!read_service (b, &why)) {
    (void) fail (b, member_of (b->service), text_get (&why));
    return log_failed (b, text_get (&why));
  }
  if (b->service->search ? search_add_tools (b->build, b->service) != TOOLHOST_OK
                         : !add_operations (b))
    return WRONG;
  log_built (b);
  return BUILT;
}

static enum outcome
build_service (toolhost_build *build, const struct value *config, size_t index)
{
  struct building b = { .build = build, .service = service_new (), .index = index };
  enum outcome outcome;

  if (b.service == NULL) {
    (void) built_nothing (build);
    return WRONG;
  }
  outcome = build_one (&b, config);
  service_unref (b.service);
  text_free (&b.first);
  return outcome;
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *services = config_services (build, &pool, config, len);
  size_t built = 0, failed = 0;

  for (size_t i = 0; services != NULL && i < services->count; i++)
    switch (build_service (build, services->items[i], i)) {
    case BUILT:
      built++;
      break;
    case FAILED:
      failed++;
      break;
    case WRONG:
      return TOOLHOST_FAILED;
    }
  return services == NULL || (failed != 0 && built == 0) ? TOOLHOST_FAILED : TOOLHOST_OK;
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "openapi", .build = build,
                                          .release = service_tool_free };

TOOLHOST_PLUGIN (.name = "openapi", .version = "1.0",
                 .description = "Services as tools, from their OpenAPI documents.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))

#include "search.h"

#include "../common/built.h"
#include "../common/near.h"
#include "check.h"
#include "definition.h"
#include "request.h"

enum { FOUND_MAX = 50, FOUND_USUAL = 10, SUMMARY_MAX = 200, TAGS_TOLD = 100 };

static const char *
definition (void *self)
{
  return text_get (&((const struct service_tool *) self)->definition);
}

static int64_t
max_time (void *self)
{
  return ((const struct service_tool *) self)->service->timeout_ms;
}

/* ---- operations by their ids ---- */

static const struct operation *
find (toolhost_call *call, const struct service *service)
{
  const char *id = toolhost_arg_string_or (call, "operation", "");
  CLEANUP_TEXT struct text why = { 0 };
  struct near near = { .word = id };

  for (size_t i = 0; i < service->count; i++)
    if (strcmp (service->operations[i].id, id) == 0)
      return &service->operations[i];
  for (size_t i = 0; i < service->count; i++)
    near_offer (&near, service->operations[i].id);
  text_add (&why, "There is no operation \"");
  text_add_line (&why, id, strlen (id));
  text_add (&why, "\"");
  near_say (&near, &why);
  (void) toolhost_fail (call, "openapi_error", "%s", text_get (&why));
  return NULL;
}

/* ---- search ---- */

static void
put_found (struct text *out, const struct operation *op)
{
  CLEANUP_TEXT struct text summary = { 0 };

  definition_summary (op, &summary, SUMMARY_MAX);
  json_open (out, '{');
  json_name_string (out, "operation", op->id);
  json_name_string (out, "method", op->method);
  json_name_string (out, "path", op->path);
  json_name_string (out, "summary", text_get (&summary));
  json_close (out, '}');
}

static toolhost_status
search (void *self, toolhost_call *call)
{
  const struct service_tool *tool = self;
  const struct operation *found[FOUND_MAX];
  const int64_t limit = toolhost_arg_int (call, "limit", FOUND_USUAL);
  CLEANUP_TEXT struct text out = { 0 };
  size_t total, count;

  count = search_find (tool->index, toolhost_arg_string_or (call, "query", ""),
                       toolhost_arg_string (call, "tag"), found,
                       limit >= 1 && limit <= FOUND_MAX ? (size_t) limit : FOUND_USUAL, &total);
  json_open (&out, '{');
  json_name (&out, "operations");
  json_open (&out, '[');
  for (size_t i = 0; i < count; i++)
    put_found (&out, found[i]);
  json_close (&out, ']');
  json_name_int (&out, "total", (int64_t) total);
  json_close (&out, '}');
  if (!text_ok (&out))
    return toolhost_fail (call, "out_of_memory", "There is no memory for the result.");
  return toolhost_json_len (call, out.data, out.len);
}

/* ---- describe ---- */

static toolhost_status
describe (void *self, toolhost_call *call)
{
  const struct operation *op = find (call, ((const struct service_tool *) self)->service);
  CLEANUP_TEXT struct text out = { 0 }, why = { 0 };

  if (op == NULL)
    return TOOLHOST_FAILED;
  json_open (&out, '{');
  json_name_string (&out, "operation", op->id);
  json_name_string (&out, "method", op->method);
  json_name_string (&out, "path", op->path);
  json_name (&out, "definition");
  if (!definition_write (op, &out, &why))
    return toolhost_fail (call, "openapi_error", "%s", text_get (&why));
  json_close (&out, '}');
  return toolhost_json_len (call, text_get (&out), out.len);
}

/* ---- call ---- */

static toolhost_status
call_operation (void *self, toolhost_call *call)
{
  const struct operation *op = find (call, ((const struct service_tool *) self)->service);
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text problems = { 0 }, why = { 0 };
  const struct value *arguments = &value_no_members, *schema;
  const char *json;
  size_t len;

  if (op == NULL)
    return TOOLHOST_FAILED;
  json = toolhost_arg_json (call, "arguments", &len);
  if (json != NULL)
    arguments = value_parse (&pool, json, len);
  schema = definition_input (op, &pool, &why);
  if (arguments == NULL || schema == NULL)
    return toolhost_fail (call, "openapi_error", "The arguments can't be read.");
  if (!check_value (arguments, schema, &problems))
    return toolhost_fail (call, "tool_args_invalid", "The arguments of %s don't fit:\n%s", op->id,
                          text_get (&problems));
  return request_send (call, op, arguments, &pool);
}

/* ---- definitions ---- */

/* clang-format off */
static const char search_arguments[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "query": {
      "type": "string",
      "maxLength": 400,
      "description": "Words for what is to be done; without it all operations come, by their ids.",
      "examples": ["create invoice"]
    },
    "tag": { "type": "string", "description": "Only operations with this tag." },
    "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "Operations to return, at most." }
  },
  "additionalProperties": false
});

static const char search_output[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "operations": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "operation": { "type": "string" },
          "method": { "type": "string" },
          "path": { "type": "string" },
          "summary": { "type": "string" }
        },
        "required": ["operation", "method", "path", "summary"]
      }
    },
    "total": { "type": "integer", "description": "Operations that were found, shown or not." }
  },
  "required": ["operations", "total"]
});

static const char describe_arguments[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "operation": { "type": "string", "description": "Its id, as the search gives it." }
  },
  "required": ["operation"],
  "additionalProperties": false
});

static const char call_arguments[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "operation": { "type": "string", "description": "Its id, as the search gives it." },
    "arguments": { "type": "object", "description": "As its description's inputSchema says.", "default": {} }
  },
  "required": ["operation"],
  "additionalProperties": false
});
/* clang-format on */

static bool
only_reads (const struct service *service)
{
  for (size_t i = 0; i < service->count; i++)
    if (strcmp (service->operations[i].method, "GET") != 0
        && strcmp (service->operations[i].method, "HEAD") != 0)
      return false;
  return true;
}

/* What one of the three is. */
struct kind {
  const char *suffix, *words;
  const char *arguments, *output; /* output: NULL */
  bool calls;
  toolhost_tool vtable;
};

static const struct kind kinds[] = {
  { "search_operations",
    "Find operations of the service by words. Then ask %s_describe_operation what one takes, and "
    "call it with %s_call.",
    search_arguments,
    search_output,
    false,
    { TOOLHOST_TOOL, .definition = definition, .execute = search, .max_time = max_time } },
  { "describe_operation",
    "Say what an operation of the service takes and gives: its inputSchema is for the arguments "
    "of %s_call. Operations are found with %s_search_operations.",
    describe_arguments,
    NULL,
    false,
    { TOOLHOST_TOOL, .definition = definition, .execute = describe, .max_time = max_time } },
  { "call",
    "Call an operation of the service, with arguments as %s_describe_operation says. Operations "
    "are found with %s_search_operations.",
    call_arguments,
    NULL,
    true,
    { TOOLHOST_TOOL, .definition = definition, .execute = call_operation, .max_time = max_time } },
};

static void
put_words (const struct kind *kind, const struct service *service, struct text *out)
{
  const struct value *info = value_get_z (service->document.root, "info");
  const char *title = value_cstring (value_get_z (info, "title")), *at = kind->words;
  CLEANUP_TEXT struct text words = { 0 };

  text_add_line (&words, title != NULL ? title : service->name,
                 strlen (title != NULL ? title : service->name));
  text_addf (&words, " (%zu operations). ", service->count);
  for (; *at != '\0'; at++)
    if (at[0] == '%' && at[1] == 's') {
      text_addf (&words, "%s%s", service->prefix, service->name);
      at++;
    }
    else
      text_add_len (&words, at, 1);
  json_name_string (out, "description", text_get (&words));
}

static void
define (const struct kind *kind, const struct service *service, struct text *out)
{
  CLEANUP_TEXT struct text name = { 0 };
  const bool reads = !kind->calls || only_reads (service);

  text_addf (&name, "%s%s_%s", service->prefix, service->name, kind->suffix);
  json_open (out, '{');
  json_name_string (out, "name", text_get (&name));
  put_words (kind, service, out);
  json_name (out, "inputSchema");
  json_raw (out, kind->arguments);
  if (kind->output != NULL) {
    json_name (out, "outputSchema");
    json_raw (out, kind->output);
  }
  json_name (out, "annotations");
  json_open (out, '{');
  json_name_bool (out, "readOnlyHint", reads);
  json_name_bool (out, "openWorldHint", kind->calls);
  json_close (out, '}');
  text_addf (out, ",\"toolhost\":{\"tags\":[\"%s\"]%s}", service->name,
             reads ? ",\"idempotent\":true" : "");
  json_close (out, '}');
}

toolhost_status
search_add_tools (toolhost_build *build, struct service *service)
{
  const struct search_index *index = search_index_new (service);

  if (index == NULL)
    return built_nothing (build);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct service_tool *tool = service_tool_new (service);
    if (tool == NULL)
      return built_nothing (build);
    tool->index = index;
    define (&kinds[i], service, &tool->definition);
    if (built_add (build, &kinds[i].vtable, tool, &tool->definition, service_tool_free)
        != TOOLHOST_OK)
      return TOOLHOST_FAILED;
  }
  return TOOLHOST_OK;
}

#include "tool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../common/base64.h"

enum {
  MARGIN_MS = 400, /* before its deadline a call ends by itself, to tell the server */
  NAME_MAX_LEN = 64
};

/* ---- its definition ---- */

void
tool_name (char *room, const char *prefix, const char *theirs)
{
  size_t len = 0;

  for (; *prefix != '\0' && len < NAME_MAX_LEN; prefix++)
    room[len++] = *prefix;
  for (; *theirs != '\0' && len < NAME_MAX_LEN; theirs++)
    room[len++] =
      isalnum ((unsigned char) *theirs) || *theirs == '_' || *theirs == '-' ? *theirs : '_';
  room[len] = '\0';
}

/* Members that are passed on as they are. */
static void
put_members (struct text *out, const struct value *listed)
{
  static const char *const members[] = { "title", "annotations", "icons", "_meta" };
  const struct value *output = value_get_z (listed, "outputSchema");

  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const struct value *member = value_get_z (listed, members[i]);
    if (member != NULL && member->type != VALUE_NULL)
      value_write_member (out, members[i], member);
  }
  if (value_is (output, VALUE_OBJECT) || value_is (output, VALUE_TRUE))
    value_write_member (out, "outputSchema", output);
}

static char *
define (const struct value *listed, const char *name)
{
  const char *description = value_cstring (value_get_z (listed, "description"));
  const char *title = value_cstring (value_get_z (listed, "title"));
  const struct value *input = value_get_z (listed, "inputSchema");
  CLEANUP_TEXT struct text out = { 0 };

  if (description == NULL || description[0] == '\0')
    description = title != NULL && title[0] != '\0' ? title : name;
  json_open (&out, '{');
  json_name_string (&out, "name", name);
  json_name_string (&out, "description", description);
  if (value_is (input, VALUE_OBJECT))
    value_write_member (&out, "inputSchema", input);
  else {
    json_name (&out, "inputSchema");
    json_raw (&out, "{\"type\":\"object\"}");
  }
  put_members (&out, listed);
  json_close (&out, '}');
  return text_ok (&out) ? strdup (text_get (&out)) : NULL;
}

static bool
is_token (const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    if (!isalnum ((unsigned char) *c) && strchr ("!#$%&'*+-.^_`|~", *c) == NULL)
      return false;
  return *text != '\0';
}

static void
note_headers (struct upstream_tool *tool, const struct value *listed)
{
  const struct value *properties = value_get_z (value_get_z (listed, "inputSchema"), "properties");

  if (!value_is (properties, VALUE_OBJECT))
    return;
  tool->headers = calloc (properties->count + 1, sizeof *tool->headers);
  for (size_t i = 0; tool->headers != NULL && i < properties->count; i++) {
    const struct value_member *member = &properties->members[i];
    const char *header = value_cstring (value_get_z (member->value, "x-mcp-header"));
    CLEANUP_TEXT struct text name = { 0 };
    if (header == NULL || !is_token (header) || tool->headers_count == 16)
      continue;
    text_addf (&name, "Mcp-Param-%s", header);
    tool->headers[tool->headers_count].argument = strdup (member->name);
    tool->headers[tool->headers_count++].header = strdup (text_get (&name));
  }
}

struct upstream_tool *
tool_new (struct upstream *upstream, const struct value *listed, const char *name)
{
  struct upstream_tool *tool = calloc (1, sizeof *tool);

  if (tool == NULL)
    return NULL;
  tool->upstream = upstream_ref (upstream);
  tool->name = strdup (value_cstring (value_get_z (listed, "name")));
  tool->definition = define (listed, name);
  note_headers (tool, listed);
  if (tool->name != NULL && tool->definition != NULL)
    return tool;
  tool_free (tool);
  return NULL;
}

void
tool_free (void *self)
{
  struct upstream_tool *tool = self;

  upstream_unref (tool->upstream);
  for (size_t i = 0; i < tool->headers_count; i++) {
    free (tool->headers[i].argument);
    free (tool->headers[i].header);
  }
  free (tool->headers);
  free (tool->name);
  free (tool->definition);
  free (tool);
}

/* ---- headers ---- */

static bool
is_plain (const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    if ((*c < ' ' && *c != '\t') || *c > '~')
      return false;
  return text[0] != ' ' && strncmp (text, "=?base64?", 9) != 0
         && (text[0] == '\0' || text[strlen (text) - 1] != ' ');
}

/* A value as a header has it. */
static void
put_header_value (struct text *out, const char *value)
{
  if (is_plain (value)) {
    text_add (out, value);
    return;
  }
  text_add (out, "=?base64?");
  base64_encode (out, value, strlen (value));
  text_add (out, "?=");
}

struct extra {
  struct text values[16];
  const char *list[2 * 16 + 1];
};

static void
set_extra (struct extra *extra, const struct upstream_tool *tool, toolhost_call *call)
{
  size_t count = 0;

  for (size_t i = 0; i < tool->headers_count; i++) {
    toolhost_value value;
    CLEANUP_TEXT struct text where = { 0 };
    text_add (&where, tool->headers[i].argument);
    if (toolhost_arg (call, text_get (&where), &value) != TOOLHOST_OK || value.type == TOOLHOST_NULL
        || value.type == TOOLHOST_ARRAY || value.type == TOOLHOST_OBJECT)
      continue;
    if (value.type == TOOLHOST_STRING)
      put_header_value (&extra->values[i], value.string);
    else
      text_add_len (&extra->values[i], value.json, value.json_len);
    extra->list[count++] = tool->headers[i].header;
    extra->list[count++] = text_get (&extra->values[i]);
  }
  extra->list[count] = NULL;
}

static void
free_extra (struct extra *extra)
{
  for (size_t i = 0; i < sizeof extra->values / sizeof *extra->values; i++)
    text_free (&extra->values[i]);
}

/* ---- a call ---- */

static void
put_call (struct text *params, const struct upstream_tool *tool, toolhost_call *call)
{
  size_t len;
  const char *args = toolhost_args (call, &len);

  text_add (params, "\"name\":");
  json_string (params, tool->name);
  text_add (params, ",\"arguments\":");
  text_add_len (params, args, len);
}

/* The server has answered with an error of the protocol. */
static toolhost_status
fail_with (toolhost_call *call, const struct asking *asking)
{
  const char *text = value_cstring (value_get_z (asking->error, "message"));

  return toolhost_fail (call, "upstream_error", "%s: %.2000s (%d)", asking->upstream->config.name,
                        text != NULL ? text : "an error", message_error_code (asking->error));
}

static toolhost_status
conclude (toolhost_call *call, struct asking *asking)
{
  if (asking->result == NULL && asking->error != NULL)
    return fail_with (call, asking);
  if (asking->result == NULL)
    return toolhost_fail (call, asking->code, "%s", asking->message);
  return questions_are_asked (asking->result) ? questions_ask (call, asking->result)
                                              : result_take (call, asking);
}

/* What the host has told of the call's trace, for the server. */
static void
put_trace (struct text *members, toolhost_call *call)
{
  static const char *const names[] = { "traceparent", "tracestate" };
  CLEANUP_VALUES struct values pool = { 0 };
  const char *text = toolhost_metadata (call);
  const struct value *metadata = value_parse (&pool, text, strlen (text));

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (value_is (value_get_z (metadata, names[i]), VALUE_STRING))
      value_write_text_member (members, names[i], value_cstring (value_get_z (metadata, names[i])));
}

static int64_t
deadline (const struct upstream_tool *tool, toolhost_call *call)
{
  int64_t left = toolhost_time_left (call), most = tool->upstream->config.timeout_ms;
  int64_t margin = left / 4 < MARGIN_MS ? left / 4 : MARGIN_MS;

  return upstream_now () + (left - margin < most ? left - margin : most);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct upstream_tool *tool = self;
  CLEANUP_TEXT struct text params = { 0 }, name = { 0 }, trace = { 0 };
  struct extra extra = { .list = { NULL } };
  struct asking asking = { .upstream = tool->upstream,
                           .call = call,
                           .method = "tools/call",
                           .extra = extra.list,
                           .progress = true,
                           .until = deadline (tool, call) };
  toolhost_status status = TOOLHOST_FAILED;

  put_header_value (&name, tool->name);
  put_call (&params, tool, call);
  if (!questions_answer (call, &params, &status))
    return status;
  set_extra (&extra, tool, call);
  put_trace (&trace, call);
  asking.trace = trace.len != 0 ? text_get (&trace) : NULL;
  asking.name = text_get (&name);
  asking.params = text_get (&params);
  if (!text_ok (&params))
    (void) asking_failed (&asking, "out_of_memory", "There is no memory for the request.");
  else
    (void) upstream_ask (&asking);
  status = conclude (call, &asking);
  asking_free (&asking);
  free_extra (&extra);
  return status;
}

static const char *
definition (void *self)
{
  return ((struct upstream_tool *) self)->definition;
}

static int64_t
max_time (void *self)
{
  return ((struct upstream_tool *) self)->upstream->config.timeout_ms;
}

const toolhost_tool tool_callbacks = { TOOLHOST_TOOL, .definition = definition, .execute = execute,
                                       .max_time = max_time };

#include "front/mcp/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "front/mcp/logging.h"

enum { ID_MAX = 1024 }; /* bytes of a request id: it is kept while the request runs */

bool
mcp_fault_set (struct mcp_fault *fault, enum mcp_code code, int status, const char *fmt, ...)
{
  va_list args;

  *fault = (struct mcp_fault){ .code = code, .status = status };
  va_start (args, fmt);
  (void) vsnprintf (fault->text, sizeof fault->text, fmt, args);
  va_end (args);
  return false;
}

static struct slice
raw (const struct json_tape *tape, const struct json_node *node)
{
  struct slice s;

  s.data = json_raw (tape, node, &s.len);
  return s;
}

static bool
is_string_or_integer (const struct json_node *node)
{
  return json_is (node, JSON_STRING) || (json_is (node, JSON_NUMBER) && node->integer);
}

static bool
read_id (struct mcp_message *m, const struct json_node *node, struct mcp_fault *fault)
{
  if (node == NULL)
    return true;
  if (!is_string_or_integer (node))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: id: expected a string or an integer");
  if (raw (&m->tape, node).len > ID_MAX)
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: id: expected at most %d bytes", ID_MAX);
  m->id = raw (&m->tape, node);
  return true;
}

static bool
read_method (struct mcp_message *m, const struct json_node *method, bool answers,
             struct mcp_fault *fault)
{
  if (method == NULL && answers) {
    m->kind = MCP_RESPONSE;
    return true;
  }
  if (!json_is (method, JSON_STRING))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: method: expected a string");
  m->method.data = json_string (&m->tape, method, m->arena, &m->method.len);
  m->kind = m->id.data != NULL ? MCP_REQUEST : MCP_NOTIFICATION;
  return true;
}

static void
read_meta (struct mcp_message *m, const struct json_node *meta)
{
  enum { VERSION, CAPABILITIES, LOG_LEVEL, TOKEN, TRACEPARENT, MEMBERS };
  static const struct json_name names[MEMBERS] = {
    [VERSION] = JSON_NAME (MCP_META "protocolVersion"),
    [CAPABILITIES] = JSON_NAME (MCP_META "clientCapabilities"),
    [LOG_LEVEL] = JSON_NAME (MCP_META "logLevel"),
    [TOKEN] = JSON_NAME ("progressToken"),
    [TRACEPARENT] = JSON_NAME ("traceparent"),
  };
  const struct json_node *found[MEMBERS];

  json_members (&m->tape, meta, names, MEMBERS, found);
  m->meta = meta;
  m->version = found[VERSION];
  m->capabilities = found[CAPABILITIES];
  m->log_level = found[LOG_LEVEL];
  m->token = found[TOKEN];
  m->traceparent = found[TRACEPARENT];
}

static bool
read_params (struct mcp_message *m, const struct json_node *params, struct mcp_fault *fault)
{
  enum { META, NAME, ARGUMENTS, RESPONSES, STATE, MEMBERS };
  static const struct json_name names[MEMBERS] = {
    [META] = JSON_NAME ("_meta"),          [NAME] = JSON_NAME ("name"),
    [ARGUMENTS] = JSON_NAME ("arguments"), [RESPONSES] = JSON_NAME ("inputResponses"),
    [STATE] = JSON_NAME ("requestState"),
  };
  const struct json_node *found[MEMBERS];

  if (params == NULL)
    return true;
  if (!json_is (params, JSON_OBJECT))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: params: expected an object");
  m->params = params;
  json_members (&m->tape, params, names, MEMBERS, found);
  m->name = found[NAME];
  m->arguments = found[ARGUMENTS];
  m->responses = found[RESPONSES];
  m->state = found[STATE];
  if (json_is (found[META], JSON_OBJECT))
    read_meta (m, found[META]);
  return true;
}

static bool
read_message (struct mcp_message *m, struct mcp_fault *fault)
{
  enum { ID, JSONRPC, METHOD, PARAMS, RESULT, ERROR, MEMBERS };
  static const struct json_name names[MEMBERS] = {
    [ID] = JSON_NAME ("id"),         [JSONRPC] = JSON_NAME ("jsonrpc"),
    [METHOD] = JSON_NAME ("method"), [PARAMS] = JSON_NAME ("params"),
    [RESULT] = JSON_NAME ("result"), [ERROR] = JSON_NAME ("error"),
  };
  const struct json_node *found[MEMBERS];

  if (!json_is (m->root, JSON_OBJECT))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400, "Invalid Request: expected an object");
  json_members (&m->tape, m->root, names, MEMBERS, found);
  if (!read_id (m, found[ID], fault))
    return false;
  if (!json_equals (&m->tape, found[JSONRPC], "2.0"))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: jsonrpc: expected \"2.0\"");
  return read_method (m, found[METHOD], found[RESULT] != NULL || found[ERROR] != NULL, fault)
         && read_params (m, found[PARAMS], fault);
}

bool
mcp_message_read (struct mcp_message *m, const char *text, size_t len,
                  const struct json_limits *limits, struct arena *arena, struct mcp_fault *fault)
{
  *m = (struct mcp_message){ .arena = arena };
  if (!json_read (&m->tape, text, len, limits, arena))
    return mcp_fault_set (fault, MCP_PARSE_ERROR, 400, "Parse error: byte %zu: %s", m->tape.offset,
                          m->tape.problem);
  m->root = json_root (&m->tape);
  if (!json_is (m->root, JSON_ARRAY))
    return read_message (m, fault);
  m->kind = MCP_BATCH;
  return true;
}

bool
mcp_message_read_item (struct mcp_message *m, const struct mcp_message *batch,
                       const struct json_node *item, struct mcp_fault *fault)
{
  *m = (struct mcp_message){ .tape = batch->tape, .arena = batch->arena, .root = item };
  return read_message (m, fault);
}

bool
mcp_check_envelope (const struct mcp_message *m, struct mcp_fault *fault)
{
  const char *wrong = NULL;

  if (!json_is (m->version, JSON_STRING))
    wrong = MCP_META "protocolVersion\"]: expected a string";
  else if (!json_is (m->capabilities, JSON_OBJECT))
    wrong = MCP_META "clientCapabilities\"]: expected an object";
  else if (m->log_level != NULL && mcp_log_level_read (&m->tape, m->log_level) == MCP_LOG_NONE)
    wrong = MCP_META "logLevel\"]: expected " MCP_LOG_LEVELS;
  else if (m->token != NULL && !is_string_or_integer (m->token))
    wrong = "progressToken\"]: expected a string or an integer";
  if (wrong == NULL)
    return true;
  return mcp_fault_set (fault, MCP_INVALID_PARAMS, 400, "Invalid params: _meta[\"%s", wrong);
}

bool
mcp_check_version (const struct mcp_message *m, struct mcp_fault *fault)
{
  if (json_equals (&m->tape, m->version, MCP_MODERN_VERSION))
    return true;
  (void) mcp_fault_set (fault, MCP_UNSUPPORTED_VERSION, 400, "Unsupported protocol version");
  fault->requested = raw (&m->tape, m->version);
  return false;
}

struct slice
mcp_progress_token (const struct mcp_message *m)
{
  struct slice none = { NULL, 0 };

  if (!is_string_or_integer (m->token) || raw (&m->tape, m->token).len > ID_MAX)
    return none;
  return raw (&m->tape, m->token);
}

struct slice
mcp_text (const struct mcp_message *m, const struct json_node *value)
{
  struct slice text = { NULL, 0 };

  text.data = json_string (&m->tape, value, m->arena, &text.len);
  return text;
}

struct slice
mcp_param_text (const struct mcp_message *m, const char *name)
{
  return mcp_text (m, json_member (&m->tape, m->params, name));
}

#include "message.h"

#include <string.h>

/* ---- what we say ---- */

static void
put_modern (struct text *out)
{
  json_name_string (out, "io.modelcontextprotocol/protocolVersion", MODERN_REVISION);
  json_name (out, "io.modelcontextprotocol/clientInfo");
  json_raw (out, "{\"name\":\"toolhost\",\"version\":\"1\"}");
  json_name (out, "io.modelcontextprotocol/clientCapabilities");
  json_raw (out, "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{},\"roots\":{}}");
}

static void
put_params (struct text *out, bool modern, int64_t id, const char *params, bool progress,
            const char *trace)
{
  json_name (out, "params");
  text_add (out, "{");
  text_add (out, params);
  if (modern || progress || trace != NULL) {
    text_add (out, params[0] != '\0' ? ",\"_meta\":" : "\"_meta\":");
    json_open (out, '{');
    if (modern)
      put_modern (out);
    if (progress)
      json_name_int (out, "progressToken", id);
    if (trace != NULL)
      json_raw (out, trace);
    json_close (out, '}');
  }
  text_add (out, "}");
}

void
message_request (struct text *out, bool modern, int64_t id, const char *method, const char *params,
                 bool progress, const char *trace)
{
  json_open (out, '{');
  json_name_string (out, "jsonrpc", "2.0");
  json_name_int (out, "id", id);
  json_name_string (out, "method", method);
  put_params (out, modern, id, params, progress, trace);
  text_add (out, "}");
}

void
message_notification (struct text *out, const char *method, const char *params)
{
  json_open (out, '{');
  json_name_string (out, "jsonrpc", "2.0");
  json_name_string (out, "method", method);
  put_params (out, false, 0, params, false, NULL);
  text_add (out, "}");
}

void
message_answer (struct text *out, const struct value *id, int code, const char *message)
{
  json_open (out, '{');
  json_name_string (out, "jsonrpc", "2.0");
  value_write_member (out, "id", id);
  if (message == NULL) {
    json_name (out, "result");
    json_raw (out, "{}");
  }
  else {
    json_name (out, "error");
    json_open (out, '{');
    json_name_int (out, "code", code);
    json_name_string (out, "message", message);
    json_close (out, '}');
  }
  json_close (out, '}');
}

/* ---- what they say ---- */

/* Ours are whole numbers. */
static int64_t
own_id (const struct value *id)
{
  double number = value_is (id, VALUE_NUMBER) ? value_number (id) : -1;

  return number >= 0 && number < 1e15 && (double) (int64_t) number == number ? (int64_t) number
                                                                             : -1;
}

void
message_read (struct message *message, struct values *pool, const char *text, size_t len)
{
  const struct value *root = value_parse (pool, text, len);

  *message = (struct message){ .kind = MESSAGE_NONE, .id = -1 };
  if (!value_is (root, VALUE_OBJECT))
    return;
  message->their_id = value_get_z (root, "id");
  message->method = value_cstring (value_get_z (root, "method"));
  message->params = value_get_z (root, "params");
  message->result = value_get_z (root, "result");
  message->error = value_get_z (root, "error");
  message->id = own_id (message->their_id);
  if (message->method != NULL)
    message->kind = message->their_id != NULL ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
  else if (value_is (message->result, VALUE_OBJECT))
    message->kind = MESSAGE_RESULT;
  else if (value_is (message->error, VALUE_OBJECT))
    message->kind = MESSAGE_ERROR;
}

int
message_error_code (const struct value *error)
{
  const struct value *code = value_get_z (error, "code");

  return value_is (code, VALUE_NUMBER) ? (int) value_number (code) : 0;
}

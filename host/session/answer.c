#include "session/parts.h"

/* The bodies are literal: S0-47, S0-49 and S0-53. */
static const struct body {
  enum call_error error;
  const char *message;
} bodies[] = {
  { CALL_tool_not_found, "Requested tool is not available." },
  { CALL_tool_args_parse_error, "Tool arguments could not be parsed." },
  { CALL_tool_execution_failed, "Tool execution failed." },
};

const char answer_fallback[] = "{\"ok\":false,\"error\":\"tool_unavailable\","
                               "\"message\":\"Tool execution is unavailable.\"}";

/* `partial`: what there is of a result, or nothing. */
static void
put_failure (struct buf *out, const char *code, const char *tool, const char *message, size_t len,
             const struct buf *partial)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "ok", false);
  jsonw_name_string (&w, "error", code);
  jsonw_name_string (&w, "tool", tool);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, message, len);
  if (partial->len != 0)
    jsonw_name_raw (&w, "partial", partial->data, partial->len);
  jsonw_end (&w);
}

/* The texts of the content, one under the other; false: it holds something else. */
static bool
texts_of (const struct result *result, struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  bool only = true;

  if (!json_read (&tape, result->content, result->content_len, &json_default_limits, &arena))
    return false;
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (n)) {
    size_t len;
    const char *piece = json_string (&tape, json_member (&tape, n, "text"), &arena, &len);
    if (piece == NULL || !json_equals (&tape, json_member (&tape, n, "type"), "text"))
      only = false;
    else {
      if (text->len != 0)
        buf_putc (text, '\n');
      buf_append (text, piece, len);
    }
  }
  return only && result->links_len == 0;
}

static bool
is_json (const struct buf *text, bool object)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return text->len != 0 && json_read (&tape, text->data, text->len, &json_default_limits, &arena)
         && (!object || json_is (json_root (&tape), JSON_OBJECT));
}

/* Text that is JSON is taken as it is, other text is { "result": text }; content that is not text
 * alone is { "result": text, "content": [ … ] }. */
static void
put_content (struct buf *out, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  const bool only = texts_of (result, &text);
  struct json_writer w = { .out = out };

  if (only && is_json (&text, false)) {
    buf_append (out, text.data, text.len);
    return;
  }
  jsonw_object (&w);
  jsonw_name (&w, "result");
  jsonw_string_len (&w, text.data, text.len);
  if (!only)
    jsonw_name_raw (&w, "content", result->content, result->content_len);
  if (result->links_len != 0) {
    jsonw_name (&w, "links");
    jsonw_array (&w);
    jsonw_raw (&w, result->links, result->links_len);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

/* A tool that failed with a code of its own may have said what the model is told. */
static bool
put_own (struct buf *out, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (result->error != CALL_tool_execution_failed || !texts_of (result, &text)
      || !is_json (&text, true))
    return false;
  buf_append (out, text.data, text.len);
  return true;
}

/* What a tool gave. */
static void
put_given (struct buf *out, const struct result *result)
{
  if (result->structured != NULL)
    buf_append (out, result->structured, result->structured_len);
  else
    put_content (out, result);
}

static bool
gave_something (const struct result *result)
{
  return result->structured != NULL || result->content_len > strlen ("[]")
         || result->links_len != 0;
}

void
answer_output (struct buf *out, const char *tool, const struct result *result)
{
  const char *code = result->code;
  CLEANUP_BUF struct buf partial = { 0 };

  if (result->error == CALL_OK)
    return put_given (out, result);
  if (result->error == CALL_tool_cancelled && gave_something (result))
    put_given (&partial, result);
  if (put_own (out, result))
    return;
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
    if (result->error == bodies[i].error
        && strcmp (code, call_error_info (result->error)->code) == 0)
      return put_failure (out, code, tool, bodies[i].message, strlen (bodies[i].message), &partial);
  put_failure (out, code, tool, result->message, result->message_len, &partial);
}

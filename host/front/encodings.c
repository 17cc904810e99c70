#include "front/encodings.h"

#include <string.h>

#include "front/encode.h"
#include "session/answer.h"

static const char *const names[] = {
  [ENCODING_OWN] = "",      [ENCODING_SONORE] = "sonore",
  [ENCODING_AGUI] = "agui", [ENCODING_AGENT_FRAMEWORK] = "agent-framework",
  [ENCODING_MCP] = "mcp",
};

bool
encoding_find (const char *name, size_t len, enum encoding *encoding, struct error *err)
{
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strlen (names[i]) == len && (len == 0 || memcmp (name, names[i], len) == 0)) {
      *encoding = (enum encoding) i;
      return true;
    }
  return error_set (err, "encoding: expected one of sonore, agui, agent-framework, mcp");
}

/* ---- content blocks ---- */

static bool
is_text (const struct json_tape *tape, const struct json_node *block)
{
  return json_equals (tape, json_member (tape, block, "type"), "text")
         && json_is (json_member (tape, block, "text"), JSON_STRING);
}

static bool
is_block (const struct json_tape *tape, const struct json_node *node)
{
  return json_is (json_member (tape, node, "type"), JSON_STRING);
}

static bool
are_blocks (const struct json_tape *tape, const struct json_node *array)
{
  if (!json_is (array, JSON_ARRAY) || array->count == 0)
    return false;
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n))
    if (!is_block (tape, n))
      return false;
  return true;
}

/* The texts of the content, one under the other.  False: it holds something else as well. */
static bool
texts_of (const struct result *result, struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  bool only = result->links_len == 0;
  size_t len;

  if (result->content_len == 0
      || !json_read (&tape, result->content, result->content_len, &json_default_limits, &arena))
    return only;
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (n)) {
    if (!is_text (&tape, n)) {
      only = false;
      continue;
    }
    const char *piece = json_string (&tape, json_member (&tape, n, "text"), &arena, &len);
    if (text->len != 0)
      buf_putc (text, '\n');
    buf_append (text, piece, len);
  }
  return only;
}

/* Content and links without a message in front. */
static void
put_blocks (struct json_writer *w, const struct result *result)
{
  struct result good = *result;

  good.error = CALL_OK;
  good.structured = NULL;
  encode_content (w, &good);
}

/* ---- AG-UI ---- */

/* S1-12: what a tool says of its failure by its code. */
static const struct {
  const char *code, *prefix;
} prefixes[] = {
  { "invalid_input", "Invalid input: " },
  { "network_error", "Network error: " },
  { "permission_denied", "Permission denied: " },
};

/* "Validation failed: a, b" */
static bool
put_problems (struct buf *out, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const char *separator = "Validation failed: ";

  if (result->error != CALL_tool_args_invalid || result->problems == NULL
      || !json_read (&tape, result->problems, result->problems_len, &json_default_limits, &arena))
    return false;
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (n)) {
    size_t len = 0;
    const char *text = json_string (&tape, json_member (&tape, n, "message"), &arena, &len);
    buf_puts (out, separator);
    buf_append (out, text, len);
    separator = ", ";
  }
  return json_root (&tape)->count != 0;
}

/* Did something befall the tool, which it did not say itself? */
static bool
is_exception (const struct result *result)
{
  struct slice message = encode_message (result);

  switch (result->error) {
  case CALL_tool_execution_failed: /* not a word of its own */
    return slice_is (message, call_error_info (result->error)->text);
  case CALL_tool_output_invalid:
  case CALL_tool_timeout:
  case CALL_tool_cancelled:
  case CALL_tool_crashed:
  case CALL_worker_lost:
  case CALL_outcome_unknown:
  case CALL_internal_error:
    return true;
  default:
    return false;
  }
}

static const char *
prefix_of (const struct result *result)
{
  if (result->error == CALL_tool_args_parse_error)
    return "Invalid JSON arguments: ";
  if (is_exception (result))
    return "Tool execution failed: ";
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strcmp (result->code, prefixes[i].code) == 0)
      return prefixes[i].prefix;
  return "";
}

bool
encoding_agui_message (struct buf *out, const struct result *result)
{
  struct slice message = encode_message (result);

  if (put_problems (out, result))
    return false;
  buf_puts (out, prefix_of (result));
  buf_append (out, message.data, message.len);
  return is_exception (result);
}

/* What a tool gave that is more than text; false: nothing is. */
static bool
put_agui_result (struct json_writer *w, const struct result *result, bool only_texts)
{
  if (result->structured != NULL)
    encode_raw (w, result->structured, result->structured_len);
  else if (!only_texts)
    put_blocks (w, result);
  return result->structured != NULL || !only_texts;
}

/* The text that stands for what is structured, for those who read nothing else, says nothing. */
static bool
repeats_structured (const struct result *result, const struct buf *text)
{
  return result->structured != NULL && text->len == result->structured_len
         && memcmp (text->data, result->structured, text->len) == 0;
}

static void
put_agui (struct buf *out, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf value = { 0 };
  struct json_writer w = { .out = out }, inner = { .out = &value };
  const bool ok = result->error == CALL_OK, only = texts_of (result, &text);

  if (repeats_structured (result, &text))
    text.len = 0;
  if (!ok) {
    text.len = 0;
    (void) encoding_agui_message (&text, result);
  }
  jsonw_object (&w);
  jsonw_name_bool (&w, "success", ok);
  if (put_agui_result (&inner, result, only))
    jsonw_name_raw (&w, "result", value.data, value.len);
  if (text.len != 0) {
    jsonw_name (&w, "message");
    jsonw_string_len (&w, text.data, text.len);
  }
  jsonw_end (&w);
}

void
encoding_agui_content (struct buf *out, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = out };
  const bool ok = result->error == CALL_OK, only = texts_of (result, &text);

  if (!ok) {
    text.len = 0;
    if (is_exception (result)) {
      struct slice message = encode_message (result);
      buf_puts (&text, "Error: Tool execution failed - ");
      buf_append (&text, message.data, message.len);
    }
    else
      (void) encoding_agui_message (&text, result);
  }
  if (put_agui_result (&w, result, only))
    return;
  if (text.len != 0)
    buf_append (out, text.data, text.len);
  else
    buf_puts (out, ok ? "true" : "false");
}

/* ---- the other three ---- */

static void
put_sonore (struct buf *out, const char *call_id, const struct result *result)
{
  CLEANUP_BUF struct buf output = { 0 };
  CLEANUP_FREE char *tool = xstrndup (result->name != NULL ? result->name : "",
                                      result->name != NULL ? result->name_len : 0);
  struct json_writer w = { .out = out };

  answer_output (&output, tool, result);
  jsonw_object (&w);
  jsonw_name_string (&w, "function_call_id", call_id);
  jsonw_name_bool (&w, "ok", result->error == CALL_OK);
  jsonw_name_string (&w, "error", result->error == CALL_OK ? NULL : result->code);
  jsonw_name (&w, "output");
  jsonw_string_len (&w, output.data, output.len);
  jsonw_end (&w);
}

/* What the framework's Error has: error_code, message, details. */
static void
put_error_details (struct json_writer *w, const struct result *result)
{
  const struct slice message = encode_message (result);

  jsonw_name_string (w, "error_code", result->code);
  jsonw_name (w, "message");
  jsonw_string_len (w, message.data, message.len);
  if (result->problems != NULL)
    encode_name_raw (w, "details", result->problems, result->problems_len);
}

static void
put_agent_framework (struct buf *out, const struct result *result)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "is_error", result->error != CALL_OK);
  jsonw_name (&w, "output");
  encode_content (&w, result);
  if (result->error != CALL_OK)
    put_error_details (&w, result);
  if (result->structured != NULL)
    encode_name_raw (&w, "structured", result->structured, result->structured_len);
  jsonw_end (&w);
}

static void
put_mcp (struct buf *out, const struct result *result)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "content");
  encode_content (&w, result);
  if (result->structured != NULL)
    encode_name_raw (&w, "structuredContent", result->structured, result->structured_len);
  jsonw_name_bool (&w, "isError", result->error != CALL_OK);
  if (result->error != CALL_OK) {
    jsonw_name (&w, "_meta");
    jsonw_object (&w);
    jsonw_name (&w, "toolhost/error");
    jsonw_object (&w);
    jsonw_name_string (&w, "code", result->code);
    jsonw_end (&w);
    if (result->problems != NULL)
      encode_name_raw (&w, "toolhost/validation", result->problems, result->problems_len);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

void
encoding_put (struct buf *out, enum encoding encoding, const char *call_id,
              const struct result *result)
{
  switch (encoding) {
  case ENCODING_SONORE:
    return put_sonore (out, call_id, result);
  case ENCODING_AGUI:
    return put_agui (out, result);
  case ENCODING_AGENT_FRAMEWORK:
    return put_agent_framework (out, result);
  case ENCODING_MCP:
    return put_mcp (out, result);
  case ENCODING_OWN:
    break;
  }
}

/* ---- reading ---- */

struct reader {
  const struct json_tape *tape;
  const struct json_node *root;
  struct arena *arena;
  const char *call_id;
  struct result *result;
};

static bool
read_bool (const struct reader *r, const char *name, bool *value, struct error *err)
{
  const struct json_node *node = json_member (r->tape, r->root, name);

  *value = json_is (node, JSON_TRUE);
  return *value || json_is (node, JSON_FALSE)
         || error_set (err, "/%s: expected true or false", name);
}

static void
take_raw (const struct json_tape *tape, const struct json_node *node, const char **text,
          size_t *len)
{
  *text = node != NULL ? json_raw (tape, node, len) : NULL;
  if (node == NULL)
    *len = 0;
}

/* A code of the registry is its error, any other one the tool's own. */
static void
take_code (const struct reader *r, const struct json_node *node)
{
  const char *code = json_cstring (r->tape, node, r->arena);

  r->result->error = CALL_tool_execution_failed;
  r->result->code = code != NULL ? code : call_error_info (CALL_tool_execution_failed)->code;
  for (int e = CALL_OK + 1; code != NULL && e < CALL_ERRORS; e++)
    if (strcmp (call_error_info ((enum call_error) e)->code, code) == 0)
      r->result->error = (enum call_error) e;
}

static void
take_message (const struct reader *r, const struct json_tape *tape, const struct json_node *node)
{
  r->result->message = json_string (tape, node, r->arena, &r->result->message_len);
  if (r->result->message != NULL)
    return;
  r->result->message = "";
  r->result->message_len = 0;
}

static void
keep (const struct reader *r, const struct buf *json)
{
  r->result->content = arena_strndup (r->arena, json->data, json->len);
  r->result->content_len = json->len;
}

static void
take_text (const struct reader *r, const char *text, size_t len)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct json_writer w = { .out = &json };

  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "text");
  jsonw_name (&w, "text");
  jsonw_string_len (&w, text, len);
  jsonw_end (&w);
  jsonw_end (&w);
  keep (r, &json);
}

/* Blocks of a failed result: the first one is its message. */
static void
take_failed_blocks (const struct reader *r, const struct json_node *blocks)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct json_writer w = { .out = &json };
  size_t len;

  jsonw_array (&w);
  for (const struct json_node *n = json_first (blocks); n != json_end (blocks); n = json_next (n)) {
    if (n == json_first (blocks) && is_text (r->tape, n)) {
      take_message (r, r->tape, json_member (r->tape, n, "text"));
      continue;
    }
    if (json_equals (r->tape, json_member (r->tape, n, "type"), "error"))
      continue;
    const char *raw = json_raw (r->tape, n, &len);
    jsonw_raw (&w, raw, len);
  }
  jsonw_end (&w);
  keep (r, &json);
}

/* Is it the text that stands for what is structured, for those who read nothing else? */
static bool
repeats (const struct reader *r, const struct json_node *blocks)
{
  const struct result *result = r->result;
  const struct json_node *first = json_first (blocks);
  size_t len = 0;
  const char *text = result->structured != NULL && blocks->count == 1 && is_text (r->tape, first)
                       ? json_string (r->tape, json_member (r->tape, first, "text"), r->arena, &len)
                       : NULL;

  return text != NULL && len == result->structured_len
         && memcmp (text, result->structured, len) == 0;
}

static bool
take_blocks (const struct reader *r, const char *name, struct error *err)
{
  const struct json_node *blocks = json_member (r->tape, r->root, name);

  if (!json_is (blocks, JSON_ARRAY) || (blocks->count != 0 && !are_blocks (r->tape, blocks)))
    return error_set (err, "/%s: expected an array of content blocks", name);
  if (r->result->error != CALL_OK)
    take_failed_blocks (r, blocks);
  else if (!repeats (r, blocks))
    take_raw (r->tape, blocks, &r->result->content, &r->result->content_len);
  return true;
}

/* All that was wrong with the arguments. */
static void
take_problems (const struct reader *r, const struct json_node *node)
{
  if (json_is (node, JSON_ARRAY))
    take_raw (r->tape, node, &r->result->problems, &r->result->problems_len);
}

static const char CODE[] = "/_meta/toolhost~1error/code";
static const char VALIDATION[] = "/_meta/toolhost~1validation";

static bool
read_mcp (struct reader *r, struct error *err)
{
  bool failed;

  if (json_member (r->tape, r->root, "isError") == NULL)
    failed = false; /* it is optional there */
  else if (!read_bool (r, "isError", &failed, err))
    return false;
  if (failed) {
    take_code (r, json_pointer (r->tape, r->root, CODE, sizeof CODE - 1));
    take_problems (r, json_pointer (r->tape, r->root, VALIDATION, sizeof VALIDATION - 1));
  }
  take_raw (r->tape, json_member (r->tape, r->root, "structuredContent"), &r->result->structured,
            &r->result->structured_len);
  return take_blocks (r, "content", err);
}

/* Its error stands in the result or, as the framework's own content has it, in a block of the
 * output: { "type": "error", "error_code", "message", "details" }. */
static const struct json_node *
error_of (const struct reader *r)
{
  const struct json_node *output = json_member (r->tape, r->root, "output");

  if (json_is (output, JSON_ARRAY))
    for (const struct json_node *n = json_first (output); n != json_end (output); n = json_next (n))
      if (json_equals (r->tape, json_member (r->tape, n, "type"), "error"))
        return n;
  return r->root;
}

static bool
read_agent_framework (struct reader *r, struct error *err)
{
  const struct json_node *error = error_of (r);
  const struct json_node *message = json_member (r->tape, error, "message");
  bool failed;

  if (!read_bool (r, "is_error", &failed, err))
    return false;
  if (failed) {
    take_code (r, json_member (r->tape, error, "error_code"));
    take_problems (r, json_member (r->tape, error, "details"));
  }
  take_raw (r->tape, json_member (r->tape, r->root, "structured"), &r->result->structured,
            &r->result->structured_len);
  if (!take_blocks (r, "output", err))
    return false;
  if (failed && json_is (message, JSON_STRING))
    take_message (r, r->tape, message);
  return true;
}

static bool
read_agui (struct reader *r, struct error *err)
{
  const struct json_node *value = json_member (r->tape, r->root, "result");
  const struct json_node *message = json_member (r->tape, r->root, "message");
  bool ok;
  size_t len;

  if (!read_bool (r, "success", &ok, err))
    return false;
  if (message != NULL && !json_is (message, JSON_STRING) && !json_is (message, JSON_NULL))
    return error_set (err, "/message: expected a string");
  if (!ok)
    take_code (r, NULL);
  if (!ok)
    take_message (r, r->tape, message);
  if (are_blocks (r->tape, value)) {
    take_raw (r->tape, value, &r->result->content, &r->result->content_len);
    return true;
  }
  if (!json_is (value, JSON_NULL))
    take_raw (r->tape, value, &r->result->structured, &r->result->structured_len);
  if (ok && json_is (message, JSON_STRING)) {
    const char *text = json_string (r->tape, message, r->arena, &len);
    take_text (r, text, len);
  }
  return true;
}

/* Was this text alone?  Only text that is no JSON itself is wrapped so. */
static bool
is_wrapped_text (const struct json_tape *tape, const struct json_node *root, struct arena *arena)
{
  const struct json_node *text = json_member (tape, root, "result");
  struct json_tape inner;
  size_t len;
  const char *said = json_string (tape, text, arena, &len);

  return said != NULL && root->count == 1
         && !json_read (&inner, said, len, &json_default_limits, arena);
}

static void
take_good_output (const struct reader *r, const struct json_tape *tape)
{
  const struct json_node *root = json_root (tape), *blocks = json_member (tape, root, "content");
  size_t len;

  if (is_wrapped_text (tape, root, r->arena)) {
    const char *text = json_string (tape, json_member (tape, root, "result"), r->arena, &len);
    take_text (r, text, len);
  }
  else if (json_is (json_member (tape, root, "result"), JSON_STRING) && root->count == 2
           && are_blocks (tape, blocks))
    take_raw (tape, blocks, &r->result->content, &r->result->content_len);
  else
    take_raw (tape, root, &r->result->structured, &r->result->structured_len);
}

/* { "ok": false, "error", "tool", "message" }, or what the tool says itself. */
static void
take_bad_output (const struct reader *r, const struct json_tape *tape)
{
  const struct json_node *root = json_root (tape);
  const struct json_node *tool = json_member (tape, root, "tool");
  size_t len;
  const char *raw = json_raw (tape, root, &len);

  if (json_is (json_member (tape, root, "ok"), JSON_FALSE) && tool != NULL) {
    take_message (r, tape, json_member (tape, root, "message"));
    r->result->name = json_string (tape, tool, r->arena, &r->result->name_len);
    return;
  }
  r->result->error = CALL_tool_execution_failed;
  take_message (r, tape, json_member (tape, root, "detail"));
  take_text (r, raw, len);
}

static bool
read_sonore (struct reader *r, struct error *err)
{
  struct json_tape *tape = arena_alloc (r->arena, sizeof *tape);
  bool ok;
  size_t len;
  const char *output =
    json_string (r->tape, json_member (r->tape, r->root, "output"), r->arena, &len);

  if (!read_bool (r, "ok", &ok, err))
    return false;
  if (output == NULL || !json_read (tape, output, len, &json_default_limits, r->arena))
    return error_set (err, "/output: expected a string that holds JSON");
  r->call_id = json_cstring (r->tape, json_member (r->tape, r->root, "function_call_id"), r->arena);
  if (ok)
    take_good_output (r, tape);
  else {
    take_code (r, json_member (r->tape, r->root, "error"));
    take_bad_output (r, tape);
  }
  return true;
}

bool
encoding_read (enum encoding encoding, const struct json_tape *tape, const struct json_node *root,
               struct arena *arena, const char **call_id, struct result *result, struct error *err)
{
  static bool (*const readers[]) (struct reader *, struct error *) = {
    [ENCODING_SONORE] = read_sonore,
    [ENCODING_AGUI] = read_agui,
    [ENCODING_AGENT_FRAMEWORK] = read_agent_framework,
    [ENCODING_MCP] = read_mcp,
  };
  struct reader r = { .tape = tape, .root = root, .arena = arena, .result = result };

  *result = (struct result){ .error = CALL_OK, .message = "", .content = "[]", .content_len = 2 };
  if (!json_is (root, JSON_OBJECT))
    return error_set (err, "expected an object");
  if (!readers[encoding](&r, err))
    return false;
  *call_id = r.call_id;
  return true;
}

/* ---- one text for a model ---- */

/* The text of a result that is one text, or one string, and nothing else. */
static bool
put_lone_text (struct buf *out, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const bool content = result->content_len > strlen ("[]"), value = result->structured != NULL;
  const struct json_node *node;
  struct json_tape tape;
  size_t len;

  if (result->error != CALL_OK || content == value || result->links_len != 0
      || !json_read (&tape, value ? result->structured : result->content,
                     value ? result->structured_len : result->content_len, &json_default_limits,
                     &arena))
    return false;
  node = json_root (&tape);
  if (content)
    node = node->count == 1 && is_text (&tape, json_first (node))
             ? json_member (&tape, json_first (node), "text")
             : NULL;
  if (!json_is (node, JSON_STRING))
    return false;
  const char *text = json_string (&tape, node, &arena, &len);
  buf_append (out, text, len);
  return true;
}

bool
output_form_find (const char *name, enum output_form *form)
{
  static const char *const forms[] = {
    [OUTPUT_SONORE] = "sonore", [OUTPUT_BLOCKS] = "blocks", [OUTPUT_TEXT] = "text"
  };

  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp (name != NULL ? name : forms[0], forms[i]) == 0) {
      *form = (enum output_form) i;
      return true;
    }
  return false;
}

void
encoding_put_output (struct buf *out, enum output_form form, const char *error, const char *sonore,
                     size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf whole = { 0 };
  struct json_writer w = { .out = &whole };
  struct json_tape tape;
  struct result result;
  const char *id;

  jsonw_object (&w);
  jsonw_name_bool (&w, "ok", error == NULL);
  jsonw_name_string (&w, "error", error);
  jsonw_name (&w, "output");
  jsonw_string_len (&w, sonore, len);
  jsonw_end (&w);
  if (form == OUTPUT_SONORE
      || !json_read (&tape, whole.data, whole.len, &json_default_limits, &arena)
      || !encoding_read (ENCODING_SONORE, &tape, json_root (&tape), &arena, &id, &result, NULL))
    buf_append (out, sonore, len);
  else if (form != OUTPUT_TEXT || !put_lone_text (out, &result))
    encoding_put (out, ENCODING_AGENT_FRAMEWORK, NULL, &result);
}

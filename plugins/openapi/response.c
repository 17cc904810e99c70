#include "response.h"

#include <strings.h>

#include "../common/utf8.h"
#include "trim.h"

enum { WHY_MAX = 600 /* bytes of what a service says went wrong */ };

static bool
type_begins (const char *type, const char *with)
{
  return strncasecmp (type, with, strlen (with)) == 0;
}

static bool
is_json (const char *type)
{
  const size_t len = strcspn (type, "; \t");

  return (len == 16 && type_begins (type, "application/json"))
         || (len > 5 && strncasecmp (type + len - 5, "+json", 5) == 0);
}

/* ---- failures ---- */

/* "detail", "title", "message", "error": the members services say it in. */
static bool
add_reason (struct text *out, const struct value *body)
{
  static const char *const members[] = { "detail", "message", "error_description", "title", "error",
                                         "errors", "reason" };
  const char *title = value_cstring (value_get_z (body, "title"));
  const struct value *detail = value_get_z (body, "detail");

  if (title != NULL && value_is (detail, VALUE_STRING)) {
    text_add_line (out, title, strlen (title));
    text_add (out, ": ");
  }
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const struct value *value = value_get_z (body, members[i]);
    if (value_is (value, VALUE_STRING) && value->count != 0) {
      text_add_line (out, value->text, value->count);
      return true;
    }
    if (value_is (value, VALUE_ARRAY) && value->count != 0)
      value = value->items[0];
    if (value_is (value, VALUE_OBJECT) && add_reason (out, value))
      return true;
  }
  return false;
}

static toolhost_status
tell_failure (toolhost_call *call, const toolhost_http_response *response)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text why = { 0 };
  const struct value *body = value_parse (&pool, response->body, response->body_len);
  const char *location = toolhost_http_header (response, "location");
  const char *text = response->body;

  if (response->status >= 300 && response->status < 400 && location != NULL) {
    text_add (&why, "redirects are not followed; it leads to ");
    text_add_line (&why, location, strlen (location));
  }
  else if (!add_reason (&why, body) && response->body_len != 0) {
    text_clear (&why);
    text_add_line (&why, text, utf8_cut (text, response->body_len, WHY_MAX));
  }
  why.len = utf8_cut (text_get (&why), why.len, WHY_MAX);
  return toolhost_fail (call, "openapi_error", "The service answered %d%s%.*s",
                        (int) response->status, why.len != 0 ? ": " : ".", (int) why.len,
                        text_get (&why));
}

/* ---- successes ---- */

static toolhost_status
no_memory (toolhost_call *call)
{
  return toolhost_fail (call, "out_of_memory", "There is no memory for the answer.");
}

/* An object as it is; what is none as the member "result" of one. */
static toolhost_status
tell_json (toolhost_call *call, const struct value *value, const struct text *note)
{
  CLEANUP_TEXT struct text json = { 0 };

  if (value->type == VALUE_OBJECT)
    value_write (&json, value);
  else {
    json_open (&json, '{');
    value_write_member (&json, "result", value);
    json_close (&json, '}');
  }
  if (!text_ok (&json) || !text_ok (note))
    return no_memory (call);
  if (note->len != 0) { /* else the host makes a text of the JSON */
    (void) toolhost_text_len (call, text_get (&json), json.len);
    (void) toolhost_text_len (call, text_get (note), note->len - 1);
  }
  return toolhost_json_len (call, text_get (&json), json.len);
}

static toolhost_status
tell_text (toolhost_call *call, const struct operation *op, const char *text, size_t len,
           struct text *note)
{
  const size_t told = utf8_cut (text, len, op->trim.max_bytes);

  if (told != len)
    text_addf (note, "Of its %zu bytes the first %zu are told.\n", len, told);
  (void) toolhost_text_len (call, text, told);
  return note->len != 0 ? toolhost_text_len (call, text_get (note), note->len - 1) : TOOLHOST_OK;
}

static toolhost_status
tell_structured (toolhost_call *call, const struct operation *op,
                 const toolhost_http_response *response, const struct value *body,
                 struct values *pool, struct text *note)
{
  const struct value *told;

  trim_say_more (op, body, toolhost_http_header (response, "link"), note);
  told = trim_answer (&op->trim, body, pool, note);
  if (told != NULL)
    return values_ok (pool) ? tell_json (call, told, note) : no_memory (call);
  if (op->declared)
    return toolhost_fail (call, "openapi_error",
                          "The answer has %zu bytes, more than the %zu that are told, and can't "
                          "be cut.",
                          response->body_len, op->trim.max_bytes);
  return tell_text (call, op, response->body, response->body_len, note);
}

static toolhost_status
tell_bytes (toolhost_call *call, const char *url, const char *type,
            const toolhost_http_response *response)
{
  if (type_begins (type, "image/"))
    return toolhost_image (call, response->body, response->body_len, type);
  if (type_begins (type, "audio/"))
    return toolhost_audio (call, response->body, response->body_len, type);
  return toolhost_blob (call, url, type, response->body, response->body_len);
}

toolhost_status
response_tell (toolhost_call *call, const struct operation *op, const char *url,
               const toolhost_http_response *response)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text note = { 0 };
  const char *type = toolhost_http_header (response, "content-type");
  const struct value *body = NULL;

  if (response->status < 200 || response->status > 299)
    return tell_failure (call, response);
  type = type != NULL ? type : "application/octet-stream";
  if (is_json (type))
    body = value_parse (&pool, response->body, response->body_len);
  if (body != NULL)
    return tell_structured (call, op, response, body, &pool, &note);
  if (op->declared)
    return toolhost_fail (call, "openapi_error",
                          "The service answered %d without the JSON that its "
                          "description promises.",
                          (int) response->status);
  if (response->body_len == 0)
    return toolhost_textf (call, "The service answered %d without content.",
                           (int) response->status);
  trim_say_more (op, NULL, toolhost_http_header (response, "link"), &note);
  if (type_begins (type, "image/") || type_begins (type, "audio/")
      || !utf8_valid (response->body, response->body_len))
    return tell_bytes (call, url, type, response);
  return tell_text (call, op, response->body, response->body_len, &note);
}

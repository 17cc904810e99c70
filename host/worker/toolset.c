#include "worker/toolset.h"

#include <string.h>

#include "base/json_write.h"
#include "worker/host_table.h"
#include "worker/tool_call.h"

_Static_assert((int) FRAME_INVOKES_MAX == (int) TOOLHOST_INVOKES_MAX
                 && (int) FRAME_INVOKE_RESULT_MAX == (int) TOOLHOST_INVOKE_BYTES_MAX
                 && (int) FRAME_INVOKE_DEPTH_MAX == (int) TOOLHOST_INVOKE_DEPTH_MAX,
               "the bounds that plugins are told are those of the frames");

/* ---- what is asked for ------------------------------------------------------------------ */

static toolhost_status
tools (toolhost_call *pub, const char *const *names, const char **json, size_t *len)
{
  struct tool_call *call = (struct tool_call *) pub;
  CLEANUP_BUF struct buf asked = { 0 };
  struct json_writer w = { .out = &asked };
  toolhost_status status;

  jsonw_array (&w);
  for (; names != NULL && *names != NULL; names++)
    jsonw_string (&w, *names);
  jsonw_end (&w);
  if (asked.len > FRAME_INVOKE_MAX)
    return TOOLHOST_BAD_VALUE;
  status = service_ask (call, FRAME_SERVICE_TOOLS, asked.data, asked.len, json, len);
  if (status != TOOLHOST_OK) {
    *json = NULL;
    *len = 0;
  }
  return status;
}

static bool
is_object (const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, text, strlen (text), &json_default_limits, &arena)
         && json_is (json_root (&tape), JSON_OBJECT);
}

/* What of it this host knows; false: it is none. */
static bool
read_one (const toolhost_invocation *given, toolhost_invocation *one)
{
  const size_t known = given->struct_size < sizeof *one ? given->struct_size : sizeof *one;

  *one = (toolhost_invocation){ 0 };
  memcpy (one, given, known);
  return known >= offsetof (toolhost_invocation, result_len) + sizeof one->result_len
         && one->tool != NULL && one->tool[0] != '\0' && (one->args != NULL || one->args_len == 0)
         && (one->answers == NULL || is_object (one->answers));
}

static bool
write_all (toolhost_invocation *const *list, size_t count, struct buf *out)
{
  struct json_writer w = { .out = out };
  size_t bytes = 0;

  jsonw_array (&w);
  for (size_t i = 0; i < count; i++) {
    toolhost_invocation one;
    if (!read_one (list[i], &one))
      return false;
    bytes += one.args_len + (one.answers != NULL ? strlen (one.answers) : 0);
    if (bytes > TOOLHOST_INVOKE_BYTES_MAX)
      return false;
    jsonw_object (&w);
    jsonw_name_string (&w, "tool", one.tool);
    jsonw_name (&w, "args");
    jsonw_string_len (&w, one.args != NULL ? one.args : "", one.args_len);
    if (one.answers != NULL)
      jsonw_name_raw (&w, "answers", one.answers, strlen (one.answers));
    jsonw_end (&w);
  }
  jsonw_end (&w);
  return out->len <= FRAME_INVOKE_MAX;
}

/* ---- what comes of it ------------------------------------------------------------------- */

/* The daemon's JSON, which is of our build. */
static toolhost_status
take_results (struct tool_call *call, const char *json, size_t len,
              toolhost_invocation *const *list, size_t count)
{
  struct json_limits limits = json_default_limits;
  const struct json_node *n;
  struct json_tape tape;

  limits.depth += 4; /* the results are values in it */
  if (!json_read (&tape, json, len, &limits, &call->arena)
      || !json_is (json_root (&tape), JSON_ARRAY) || json_root (&tape)->count != count)
    return TOOLHOST_FAILED;
  n = json_first (json_root (&tape));
  for (size_t i = 0; i < count; i++, n = json_next (n)) {
    int64_t status = 0;
    const char *text;
    size_t text_len;
    (void) json_int64 (&tape, json_member (&tape, n, "status"), &status);
    text = json_raw (&tape, json_member (&tape, n, "result"), &text_len);
    list[i]->status = service_status_of ((uint32_t) status);
    list[i]->result = arena_strndup (&call->arena, text, text_len);
    list[i]->result_len = text_len;
  }
  return TOOLHOST_OK;
}

static toolhost_status
invoke (toolhost_call *pub, toolhost_invocation *const *list, size_t count)
{
  struct tool_call *call = (struct tool_call *) pub;
  CLEANUP_BUF struct buf asked = { 0 };
  toolhost_status status;
  const char *json;
  size_t len;

  if (count == 0 || count > TOOLHOST_INVOKES_MAX || !write_all (list, count, &asked))
    return TOOLHOST_BAD_VALUE;
  if (call->host->port->service == NULL) /* a host that does nothing for tools */
    return TOOLHOST_NOT_GRANTED;
  for (size_t i = 0; i < count; i++) {
    list[i]->status = TOOLHOST_CANCELLED;
    list[i]->result = NULL;
    list[i]->result_len = 0;
  }
  status = service_ask (call, FRAME_SERVICE_INVOKE, asked.data, asked.len, &json, &len);
  if (status != TOOLHOST_OK) {
    for (size_t i = 0; i < count; i++)
      list[i]->status = status;
    return status;
  }
  return take_results (call, json, len, list, count);
}

const toolhost_toolset toolset = { .struct_size = sizeof toolset,
                                   .tools = tools,
                                   .invoke = invoke };

toolhost_status
toolset_invoke (toolhost_call *call, const char *tool, const char *args, size_t len,
                const char **result, size_t *result_len)
{
  toolhost_invocation one = { TOOLHOST_INVOCATION, .tool = tool, .args = args, .args_len = len };
  toolhost_invocation *const list[] = { &one };
  toolhost_status status = invoke (call, list, 1);

  if (result != NULL)
    *result = one.result;
  if (result_len != NULL)
    *result_len = one.result_len;
  return status == TOOLHOST_OK ? one.status : status;
}

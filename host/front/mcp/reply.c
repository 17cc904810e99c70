#include "front/mcp/reply.h"

#include <math.h>

#include "base/base64.h"
#include "front/encode.h"
#include "front/mcp/skills.h"
#include "front/mcp/tasks.h"

enum {
  DISCOVER_TTL_MS = 60000, /* versions and capabilities stay while the daemon runs */
  TOOLS_TTL_MS = 1000      /* tools come and go; who needs to know at once subscribes */
};

/* ---- frames of messages ---- */

static void
begin (struct json_writer *w, struct slice id)
{
  jsonw_object (w);
  jsonw_name_plain (w, "jsonrpc", "2.0");
  if (id.data != NULL)
    jsonw_name_raw (w, "id", id.data, id.len);
}

void
mcp_begin_result_of (struct json_writer *w, const struct mcp_request *r, const char *type)
{
  begin (w, r->id);
  jsonw_name (w, "result");
  jsonw_object (w);
  if (r->era == MCP_MODERN)
    jsonw_name_plain (w, "resultType", type);
}

void
mcp_begin_result (struct json_writer *w, const struct mcp_request *r)
{
  mcp_begin_result_of (w, r, "complete");
}

void
mcp_begin_notification (struct json_writer *w, const char *method)
{
  begin (w, (struct slice){ NULL, 0 });
  jsonw_name_string (w, "method", method);
  jsonw_name (w, "params");
  jsonw_object (w);
}

/* Of result or params, and of the message. */
void
mcp_end (struct json_writer *w)
{
  jsonw_end (w);
  jsonw_end (w);
}

static void
put_server_info (struct json_writer *w, const char *name, const struct mcp_request *r)
{
  jsonw_name_raw (w, name, r->core->server_info.data, r->core->server_info.len);
}

void
mcp_end_result (struct json_writer *w, const struct mcp_request *r)
{
  if (r->era == MCP_MODERN) {
    jsonw_name (w, "_meta");
    jsonw_object (w);
    put_server_info (w, MCP_META "serverInfo", r);
    jsonw_end (w);
  }
  mcp_end (w);
}

/* ---- errors and small answers ---- */

static void
put_fault_data (struct json_writer *w, const struct mcp_fault *fault)
{
  if (fault->data.data != NULL)
    jsonw_name_raw (w, "data", fault->data.data, fault->data.len);
  if (fault->requested.data == NULL)
    return;
  jsonw_name (w, "data");
  jsonw_object (w);
  jsonw_name (w, "supported");
  jsonw_array (w);
  jsonw_string (w, MCP_MODERN_VERSION);
  jsonw_end (w);
  encode_name_raw (w, "requested", fault->requested.data, fault->requested.len);
  jsonw_end (w);
}

void
mcp_put_error (struct buf *out, struct slice id, const struct mcp_fault *fault)
{
  struct json_writer w = { .out = out };

  begin (&w, id);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_int (&w, "code", fault->code);
  jsonw_name_string (&w, "message", fault->text);
  put_fault_data (&w, fault);
  mcp_end (&w);
}

void
mcp_put_empty (struct buf *out, const struct mcp_request *r)
{
  struct json_writer w = { .out = out };

  mcp_begin_result (&w, r);
  mcp_end_result (&w, r);
}

static const char LISTED[] = "{\"listChanged\":true}";
static const char SKILLS[] = "{\"directoryRead\":true}";
static const char SUBSCRIBED[] = "{\"subscribe\":true,\"listChanged\":true}";

/* Skills need nothing of a wire but requests; tasks are told of in ways that the handshake lacks.
 */
static void
put_extensions (struct json_writer *w, const struct mcp_request *r)
{
  jsonw_name (w, "extensions");
  jsonw_object (w);
  if (r->era == MCP_MODERN)
    jsonw_name_raw (w, MCP_TASKS, "{}", 2);
  jsonw_name_raw (w, MCP_SKILLS, SKILLS, sizeof SKILLS - 1);
  jsonw_end (w);
}

/* What is behind a capability is served: see the table in methods.c. */
static void
put_capabilities (struct json_writer *w, const struct mcp_request *r)
{
  jsonw_name (w, "capabilities");
  jsonw_object (w);
  jsonw_name_raw (w, "tools", LISTED, sizeof LISTED - 1);
  jsonw_name_raw (w, "resources", SUBSCRIBED, sizeof SUBSCRIBED - 1);
  jsonw_name_raw (w, "prompts", LISTED, sizeof LISTED - 1);
  jsonw_name_raw (w, "completions", "{}", 2);
  jsonw_name_raw (w, "logging", "{}", 2);
  put_extensions (w, r);
  jsonw_end (w);
}

static void
put_instructions (struct json_writer *w, const struct mcp_request *r)
{
  if (r->core->env->instructions != NULL)
    jsonw_name_string (w, "instructions", r->core->env->instructions);
}

/* "private": what is shown may come to depend on the caller, and a shared cache would not know. */
void
mcp_put_cache_hints (struct json_writer *w, const struct mcp_request *r, int ttl_ms)
{
  if (r->era != MCP_MODERN)
    return;
  jsonw_name_int (w, "ttlMs", ttl_ms);
  jsonw_name_string (w, "cacheScope", "private");
}

void
mcp_put_discover (struct buf *out, const struct mcp_request *r)
{
  struct json_writer w = { .out = out };

  mcp_begin_result (&w, r);
  jsonw_name (&w, "supportedVersions");
  jsonw_array (&w);
  jsonw_string (&w, MCP_MODERN_VERSION);
  jsonw_end (&w);
  put_capabilities (&w, r);
  put_instructions (&w, r);
  mcp_put_cache_hints (&w, r, DISCOVER_TTL_MS);
  mcp_end_result (&w, r);
}

void
mcp_put_initialize (struct buf *out, const struct mcp_request *r, const char *version)
{
  struct json_writer w = { .out = out };

  mcp_begin_result (&w, r);
  jsonw_name_string (&w, "protocolVersion", version);
  put_capabilities (&w, r);
  put_server_info (&w, "serverInfo", r);
  put_instructions (&w, r);
  mcp_end_result (&w, r);
}

/* ---- tools ---- */

void
mcp_put_cursor (struct json_writer *w, const char *name, size_t len)
{
  CLEANUP_BUF struct buf cursor = { 0 };

  base64_encode (BASE64_URL, name, len, &cursor);
  jsonw_name (w, "nextCursor");
  jsonw_string_len (w, cursor.data, cursor.len);
}

static const char *
revision_of (const struct mcp_request *r)
{
  return r->era == MCP_MODERN ? MCP_MODERN_VERSION : r->peer->version;
}

void
mcp_put_definition (struct buf *out, const struct mcp_request *r, const char *name, size_t len)
{
  const struct toolset *whole = front_toolset (r->core->env, r->tenant);
  size_t behind = toolset_after (whole, name, len);

  mcp_lists_put (&r->core->lists, whole, revision_of (r), behind - 1, behind, out);
}

static void
begin_tools (struct json_writer *w, const struct mcp_request *r, struct slice tools)
{
  mcp_begin_result (w, r);
  jsonw_name (w, "tools");
  jsonw_array (w);
  if (tools.len != 0)
    jsonw_raw (w, tools.data, tools.len);
  jsonw_end (w);
}

static void
end_tools (struct json_writer *w, const struct mcp_request *r)
{
  mcp_put_cache_hints (w, r, TOOLS_TTL_MS);
  mcp_end_result (w, r);
}

void
mcp_put_tool_list (struct buf *out, const struct mcp_request *r, struct slice tools)
{
  struct json_writer w = { .out = out };

  begin_tools (&w, r, tools);
  end_tools (&w, r);
}

/* Some of the tools there are, one by one from the list of all. */
static void
pick (const struct mcp_request *r, const struct toolset *set, size_t from, size_t end,
      struct buf *picked)
{
  for (size_t i = from; i < end; i++) {
    size_t start = picked->len;
    if (start != 0)
      buf_putc (picked, ',');
    mcp_put_definition (picked, r, set->tools[i]->name, set->tools[i]->name_len);
    if (start != 0 && picked->len == start + 1) /* it can't be written for the revision */
      picked->len = start;
  }
}

void
mcp_put_tools (struct buf *out, const struct mcp_request *r, const struct toolset *set, size_t from)
{
  struct json_writer w = { .out = out };
  CLEANUP_BUF struct buf tools = { 0 };
  size_t page = r->core->env->page_size;
  size_t end = page != 0 && set->count - from > page ? from + page : set->count;

  if (set == front_toolset (r->core->env, r->tenant))
    mcp_lists_put (&r->core->lists, set, revision_of (r), from, end, &tools);
  else
    pick (r, set, from, end, &tools);
  begin_tools (&w, r, (struct slice){ tools.data, tools.len });
  if (end != set->count)
    mcp_put_cursor (&w, set->tools[end - 1]->name, set->tools[end - 1]->name_len);
  end_tools (&w, r);
}

bool
mcp_cursor_read (struct slice cursor, char *room, size_t *len)
{
  if (cursor.data == NULL || cursor.len == 0 || base64_room (cursor.len) > MCP_CURSOR_ROOM)
    return false;
  if (!base64_decode (BASE64_URL, cursor.data, cursor.len, room, len))
    return false;
  return *len != 0 && *len <= MCP_CURSOR_NAME_MAX && utf8_valid (room, *len);
}

/* ---- results of calls ---- */

static void
put_structured (struct json_writer *w, const struct mcp_request *r, const struct result *result)
{
  const char *json = result->structured;
  size_t blank;

  if (json == NULL || result->error != CALL_OK)
    return;
  for (blank = 0; blank < result->structured_len; blank++)
    if (strchr (" \t\r\n", json[blank]) == NULL)
      break;
  if (r->era == MCP_LEGACY && (blank == result->structured_len || json[blank] != '{'))
    return;
  encode_name_raw (w, "structuredContent", json, result->structured_len);
}

static void
put_error_meta (struct json_writer *w, const struct result *result)
{
  jsonw_name (w, "toolhost/error");
  jsonw_object (w);
  jsonw_name_string (w, "code", result->code);
  if (result->retry_after_ms > 0)
    jsonw_name_int (w, "retryAfterMs", result->retry_after_ms);
  jsonw_end (w);
  if (result->problems != NULL)
    encode_name_raw (w, "toolhost/validation", result->problems, result->problems_len);
}

void
mcp_put_call_meta (struct json_writer *w, const struct mcp_request *r, const struct result *result)
{
  jsonw_name (w, "_meta");
  jsonw_object (w);
  if (r->era == MCP_MODERN)
    put_server_info (w, MCP_META "serverInfo", r);
  encode_usage (w, "toolhost/usage", &result->usage, ENCODE_MCP);
  if (result->error != CALL_OK)
    put_error_meta (w, result);
  if (result->repairs != NULL)
    encode_name_raw (w, "toolhost/repair", result->repairs, result->repairs_len);
  jsonw_end (w);
}

/* Blocks that link to resources came with 2025-06-18. */
static bool
knows_links (const struct mcp_request *r)
{
  return r->era == MCP_MODERN || strcmp (r->peer->version, "2025-06-18") >= 0;
}

void
mcp_put_result_members (struct json_writer *w, const struct mcp_request *r,
                        const struct result *result)
{
  struct result shown = *result;

  if (!knows_links (r)) /* the URI is in the text, too */
    shown.links_len = 0;
  jsonw_name (w, "content");
  encode_content (w, &shown);
  put_structured (w, r, result);
  jsonw_name_bool (w, "isError", result->error != CALL_OK);
  mcp_put_call_meta (w, r, result);
}

void
mcp_put_result (struct buf *out, const struct mcp_request *r, const struct result *result)
{
  struct json_writer w = { .out = out };

  mcp_begin_result (&w, r);
  mcp_put_result_members (&w, r, result);
  mcp_end (&w);
}

/* ---- notifications ---- */

void
mcp_put_progress (struct buf *out, const struct mcp_request *r, double done, double total,
                  const char *text, size_t len)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, "notifications/progress");
  jsonw_name_raw (&w, "progressToken", r->token.data, r->token.len);
  jsonw_name (&w, "progress");
  jsonw_double (&w, done);
  if (isfinite (total) && total > 0) {
    jsonw_name (&w, "total");
    jsonw_double (&w, total);
  }
  if (len != 0) {
    jsonw_name (&w, "message");
    jsonw_string_len (&w, text, len);
  }
  mcp_end (&w);
}

void
mcp_put_log (struct buf *out, const struct mcp_request *r, enum mcp_log_level level,
             const char *text, size_t len)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, "notifications/message");
  jsonw_name_string (&w, "level", mcp_log_level_name (level));
  jsonw_name (&w, "logger");
  jsonw_string_len (&w, r->name, r->name_len);
  jsonw_name (&w, "data");
  jsonw_string_len (&w, text, len);
  mcp_end (&w);
}

void
mcp_put_request (struct buf *out, struct slice id, const char *method, struct slice params)
{
  struct json_writer w = { .out = out };

  begin (&w, id);
  jsonw_name_string (&w, "method", method);
  if (params.data != NULL)
    jsonw_name_raw (&w, "params", params.data, params.len);
  jsonw_end (&w);
}

void
mcp_put_subscription (struct json_writer *w, struct slice id)
{
  if (id.data == NULL)
    return;
  jsonw_name (w, "_meta");
  jsonw_object (w);
  jsonw_name_raw (w, MCP_META "subscriptionId", id.data, id.len);
  jsonw_end (w);
}

void
mcp_put_cancelled (struct buf *out, struct slice id)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, "notifications/cancelled");
  jsonw_name_raw (&w, "requestId", id.data, id.len);
  mcp_end (&w);
}

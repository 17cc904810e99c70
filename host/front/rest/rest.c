#include "front/rest/rest.h"
#include "front/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "catalog/directory.h"
#include "front/agui/agui.h"
#include "front/asked.h"
#include "front/auth/auth.h"
#include "front/rest/approvals.h"
#include "front/rest/asks.h"
#include "front/rest/batch.h"
#include "front/rest/calls.h"
#include "front/rest/cost.h"
#include "front/rest/definitions.h"
#include "front/rest/formats.h"
#include "front/rest/logs.h"
#include "front/rest/named.h"
#include "front/rest/openapi.h"
#include "front/rest/params.h"
#include "front/rest/results.h"
#include "front/rest/route.h"
#include "front/rest/sessions.h"
#include "front/rest/stats.h"
#include "front/rest/store.h"

struct rest {
  const struct front_env *env;
  struct rest_calls calls;
  struct rest_asks asks;
  struct rest_formats formats;
  struct rest_sessions sessions;
  struct rest_logs logs;
  struct agui_front agui;
  struct slice second;    /* what stood at the second {…} of the request that is routed */
  struct buf description; /* of all this, as OpenAPI; made when it is first asked for */
  struct params *params;  /* … and what it says of queries; likewise */
};

static void
reply_json (struct http_exchange *x, int status, const struct buf *json)
{
  http_reply (x, status, "application/json", NULL, json->data, json->len);
}

/* What its caller is served. */
static struct catalog *
served (const struct rest *rest, const struct http_exchange *x)
{
  return front_catalog (rest->env, http_request (x)->peer->tenant);
}

/* { "status": … } */
static void
reply_status (struct http_exchange *x, int http, const char *status, const char *why)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "status", status);
  if (why != NULL)
    jsonw_name_string (&w, "why", why);
  jsonw_end (&w);
  reply_json (x, http, &out);
}

/* A number that its description has judged; 0: none is given. */
static uint64_t
read_number (struct slice text)
{
  uint64_t number = 0;

  for (size_t i = 0; i < text.len; i++)
    number = number * 10 + (uint64_t) (text.data[i] - '0');
  return number;
}

static void
get_costs (const struct rest *rest, struct http_exchange *x, const struct toolset *set)
{
  CLEANUP_BUF struct buf out = { 0 };

  cost_put (&out, rest->formats.providers, set, read_number (http_query (x, "budget")));
  reply_json (x, 200, &out);
}

/* Who manages may look at what any tenant is served: ?tenant=.  NULL: answered. */
static struct catalog *
served_or_named (const struct rest *rest, struct http_exchange *x)
{
  const struct slice tenant = http_query (x, "tenant");

  if (tenant.data == NULL)
    return served (rest, x);
  if (!auth_allows (rest->env->auth, x, ROLE_MANAGE))
    return NULL;
  return front_catalog (rest->env,
                        arena_strndup (http_request (x)->arena, tenant.data, tenant.len));
}

static void
get_tools (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  struct error err = { 0 };
  struct asked asked;
  const struct buf *body;
  struct catalog *catalog = served_or_named (rest, x);

  (void) segment;
  if (catalog == NULL)
    return;
  (void) asked_read (rest->env, x, &asked); /* providers know of no tools that are looked for */
  if (slice_is (http_query (x, "cost"), "1"))
    return get_costs (rest, x, catalog_meant (catalog, &asked.filter));
  body = rest_formats_body (&rest->formats, catalog_toolset (catalog),
                            catalog_meant (catalog, &asked.filter), http_query (x, "format"),
                            http_query (x, "strict"), &err);
  if (body == NULL)
    http_reply_error (x, 400, "bad_format", "%s", err.text);
  else
    reply_json (x, 200, body);
}

static void
post_call (struct rest *rest, struct http_exchange *x, struct slice tool)
{
  rest_call_post (&rest->calls, x, CALL_TOOL, tool);
}

static void
post_calls (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_batch_post (&rest->calls, x);
}

static void
post_agui (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  agui_post (&rest->agui, x);
}

/* ---- resources and prompts ---- */

/* All of one kind, as MCP lists them. */
static void
put_offers (struct json_writer *w, const struct toolset *set, enum offer offer, const char *name)
{
  const struct offers *offers = &set->of[offer];

  jsonw_name (w, name);
  jsonw_array (w);
  for (size_t i = 0; i < offers->count; i++)
    jsonw_raw (w, offers->list[i]->mcp.data, offers->list[i]->mcp.len);
  jsonw_end (w);
}

static void
get_resources (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct toolset *set = catalog_toolset (served (rest, x));
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) segment;
  jsonw_object (&w);
  put_offers (&w, set, OFFER_RESOURCE, "resources");
  put_offers (&w, set, OFFER_TEMPLATE, "templates");
  jsonw_end (&w);
  reply_json (x, 200, &out);
}

static void
get_read (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  struct slice uri = http_query (x, "uri");

  (void) segment;
  if (uri.data == NULL || uri.len == 0)
    http_reply_error (x, 400, "bad_request", "The parameter uri is missing: ?uri=…");
  else
    rest_call_read (&rest->calls, x, uri);
}

static void
get_skills (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) segment;
  jsonw_object (&w);
  put_offers (&w, catalog_toolset (served (rest, x)), OFFER_SKILL, "skills");
  jsonw_end (&w);
  reply_json (x, 200, &out);
}

static void
get_skill (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct offers *skills = &catalog_toolset (served (rest, x))->of[OFFER_SKILL];
  const struct slice uri = http_query (x, "uri");
  const struct tool *skill;

  (void) segment;
  if (uri.data == NULL || uri.len == 0)
    return http_reply_error (x, 400, "bad_request", "The parameter uri is missing: ?uri=…");
  skill = offers_find (skills, uri.data, uri.len);
  if (skill == NULL)
    http_reply_error (x, 404, "resource_not_found",
                      "There is no such skill; its URI ends with "
                      "/SKILL.md, and GET /v1/skills lists them");
  else
    reply_json (x, 200, &skill->mcp);
}

static void
get_directory (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  __attribute__ ((cleanup (directory_free))) struct directory directory = { .list = NULL };
  const struct slice uri = http_query (x, "uri");
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) segment;
  if (uri.data == NULL || uri.len == 0)
    return http_reply_error (x, 400, "bad_request", "The parameter uri is missing: ?uri=…");
  if (!directory_read (&directory, catalog_toolset (served (rest, x)), uri.data, uri.len))
    return http_reply_error (x, 404, "resource_not_found", "There is no such directory");
  jsonw_object (&w);
  jsonw_name (&w, "resources");
  jsonw_array (&w);
  for (size_t i = 0; i < directory.count; i++)
    jsonw_raw (&w, directory.list[i].resource.data, directory.list[i].resource.len);
  jsonw_end (&w);
  jsonw_end (&w);
  reply_json (x, 200, &out);
}

static void
get_prompts (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) segment;
  jsonw_object (&w);
  put_offers (&w, catalog_toolset (served (rest, x)), OFFER_PROMPT, "prompts");
  jsonw_end (&w);
  reply_json (x, 200, &out);
}

static void
post_prompt (struct rest *rest, struct http_exchange *x, struct slice prompt)
{
  rest_call_post (&rest->calls, x, CALL_PROMPT, prompt);
}

/* ---- the rest ---- */

static void
delete_call (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_named_delete (rest->env, x, id);
}

static void
get_call (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_named_get (rest->env, x, id);
}

static void
get_approvals (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_approvals_list (rest->env, x);
}

static void
get_approval (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_approval_get (rest->env, x, id);
}

static void
post_approval (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_approval_post (rest->env, x, id);
}

static void
get_rules (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_approval_rules_list (rest->env, x);
}

static void
delete_rule (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_approval_rule_delete (rest->env, x, id);
}

static void
get_asks (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_asks_list (&rest->asks, x);
}

static void
get_ask (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_ask_get (&rest->asks, x, id);
}

static void
post_ask (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_ask_post (&rest->asks, x, id);
}

static void
delete_ask (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_ask_delete (&rest->asks, x, id);
}

static void
get_result (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_result_get (rest->env, x, id);
}

/* ---- conversations ---- */

static void
post_session (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_session_post (&rest->sessions, x);
}

static void
get_sessions (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_sessions_get (&rest->sessions, x);
}

static void
get_session (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_session_get (&rest->sessions, x, id);
}

static void
delete_session (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_session_delete (&rest->sessions, x, id);
}

static void
get_session_events (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_session_events (&rest->sessions, x, id);
}

static void
post_session_event (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_session_hear (&rest->sessions, x, id);
}

static void
post_session_interrupt (struct rest *rest, struct http_exchange *x, struct slice id)
{
  rest_session_interrupt (&rest->sessions, x, id);
}

/* ---- managing ---- */

static void
get_plugins (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_BUF struct buf out = { 0 };

  (void) segment;
  manage->plugins (manage->ctx, &out);
  reply_json (x, 200, &out);
}

/* All tenants (an empty segment), or one. */
static void
get_tenants (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_FREE char *name = segment.len != 0 ? xstrndup (segment.data, segment.len) : NULL;
  CLEANUP_BUF struct buf out = { 0 };

  if ((name != NULL && strlen (name) != segment.len) || !manage->tenants (manage->ctx, name, &out))
    http_reply_error (x, 404, "not_found", "There is no file of such a tenant");
  else
    reply_json (x, 200, &out);
}

/* NULL: it holds U+0000, or it is not said. */
static char *
text_of (struct slice s)
{
  return s.data != NULL && memchr (s.data, '\0', s.len) == NULL ? xstrndup (s.data, s.len) : NULL;
}

static void
get_pins (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_FREE char *tenant = text_of (segment);
  CLEANUP_BUF struct buf out = { 0 };

  if (tenant == NULL || !manage->pins (manage->ctx, tenant, &out))
    http_reply_error (x, 404, "not_found", "There is no tenant of this name with pins");
  else
    reply_json (x, 200, &out);
}

static void
post_accept (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_FREE char *tenant = text_of (segment);
  CLEANUP_FREE char *name = text_of (http_query (x, "name"));
  const struct slice wanted = http_query (x, "digest");
  CLEANUP_FREE char *digest = text_of (wanted);
  struct error err = { 0 };

  if (tenant == NULL || name == NULL || (digest == NULL && wanted.data != NULL))
    http_reply_error (x, 400, "bad_request",
                      "expected name=, of what is accepted, and perhaps its digest=");
  else if (!manage->accept (manage->ctx, tenant, name, digest, &err))
    http_reply_error (x, 404, "not_found", "%s", err.text);
  else
    reply_status (x, 200, "accepted", NULL);
}

static void
get_health (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) rest;
  (void) segment;
  reply_status (x, 200, "ok", NULL);
}

static void
get_ready (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  const char *why = NULL;

  (void) segment;
  if (manage->ready (manage->ctx, &why))
    reply_status (x, 200, "ready", NULL);
  else
    reply_status (x, 503, "not_ready", why != NULL ? why : "starting");
}

static void
get_metrics (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_BUF struct buf out = { 0 };

  const bool openmetrics = media_named (http_header (x, "accept"), "application/openmetrics-text");

  (void) segment;
  manage->metrics (manage->ctx, openmetrics, &out);
  http_reply (x, 200,
              openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                          : "text/plain; version=0.0.4; charset=utf-8",
              NULL, out.data, out.len);
}

static void
get_stats (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_peer *peer = http_request (x)->peer;
  const char *tenant = peer->tenant != NULL ? peer->tenant : "default";
  CLEANUP_BUF struct buf out = { 0 };

  (void) segment;
  stats_put (&out, catalog_toolset (served (rest, x)), rest->env->calls,
             (peer->roles & ROLE_MANAGE) != 0 ? NULL : tenant);
  reply_json (x, 200, &out);
}

static void
delete_stats (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  stats_clear (catalog_toolset (served (rest, x)));
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

static void
get_top (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_BUF struct buf out = { 0 };

  (void) segment;
  manage->top (manage->ctx, &out);
  reply_json (x, 200, &out);
}

static void
get_logs (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_logs_get (&rest->logs, x);
}

static void
get_store (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_store_get (rest->env, x);
}

static void
post_backup (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  rest_store_backup (rest->env, x);
}

static void
post_release (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  CLEANUP_FREE char *name = xstrndup (segment.data, segment.len);

  if (strlen (name) != segment.len || !manage->release (manage->ctx, name))
    http_reply_error (x, 404, "not_found", "There is no such plugin");
  else
    reply_status (x, 200, "released", NULL);
}

static void
post_reload (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  const struct front_manage *manage = &rest->env->manage;
  struct error err = { 0 };

  (void) segment;
  if (!manage->reload (manage->ctx, &err))
    return http_reply_error (x, 422, "bad_configuration", "%s", err.text);
  reply_status (x, 200, "reloaded", NULL);
}

/* ---- what tenants make --------------------------------------------------------------------- */

static struct definition_path
tools_of (const struct rest *rest, struct slice tenant)
{
  return (struct definition_path){ tenant, DEFINITION_TOOL, rest->second };
}

static struct definition_path
endpoints_of (const struct rest *rest, struct slice tenant)
{
  return (struct definition_path){ tenant, DEFINITION_ENDPOINT, rest->second };
}

/* HANDLER (its name, whose documents, what is done) */
#define HANDLER(handler, of, ...)                                                                  \
  static void handler (struct rest *rest, struct http_exchange *x, struct slice tenant)            \
  {                                                                                                \
    const struct definition_path path = of (rest, tenant);                                         \
    __VA_ARGS__;                                                                                   \
  }
/* clang-format off */
HANDLER (list_made_tools, tools_of, rest_definitions_list (rest->env, x, &path))
HANDLER (get_made_tool, tools_of, rest_definition_get (rest->env, x, &path))
HANDLER (post_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_CREATE))
HANDLER (put_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_PUT))
HANDLER (patch_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_PATCH))
HANDLER (delete_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_DELETE))
HANDLER (test_made_tool, tools_of, rest_definition_test (rest->env, x, &path))
HANDLER (get_tool_history, tools_of, rest_definition_history (rest->env, x, &path))
HANDLER (restore_tool, tools_of, rest_definition_restore (rest->env, x, &path))
HANDLER (list_endpoints, endpoints_of, rest_definitions_list (rest->env, x, &path))
HANDLER (get_endpoint, endpoints_of, rest_definition_get (rest->env, x, &path))
HANDLER (put_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_PUT))
HANDLER (patch_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_PATCH))
HANDLER (delete_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_DELETE))
HANDLER (get_endpoint_history, endpoints_of, rest_definition_history (rest->env, x, &path))
HANDLER (restore_endpoint, endpoints_of, rest_definition_restore (rest->env, x, &path))
/* clang-format on */
#undef HANDLER

static void get_index (struct rest *rest, struct http_exchange *x, struct slice segment);

static const struct buf *
described (struct rest *rest)
{
  if (rest->description.len == 0)
    rest_describe (rest->env->version, &rest->description);
  return &rest->description;
}

static void
get_description (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  (void) segment;
  reply_json (x, 200, described (rest));
}

static const struct route routes[] = {
  { "GET", "/", "getIndex", "this list", get_index, ROLE_LIST },
  { "GET", "/v1/tools", "listTools",
    "the tools as a provider takes them: format=mcp, openai, anthropic, gemini, …", get_tools,
    ROLE_LIST },
  { "POST", "/v1/tools/{name}/call", "callTool", "call a tool", post_call, ROLE_CALL },
  { "POST", "/v1/agui", "runAgui", "run the tool calls of a stream of AG-UI's events", post_agui,
    ROLE_CALL },
  { "GET", "/v1/resources", "listResources", "the resources, and the templates of resources",
    get_resources, ROLE_LIST },
  { "GET", "/v1/resources/read", "readResource", "read a resource: uri=…", get_read, ROLE_CALL },
  { "GET", "/v1/resources/directory", "listDirectory",
    "what stands in a directory of skills: uri=…", get_directory, ROLE_LIST },
  { "GET", "/v1/skills", "listSkills", "the skills, with all their files", get_skills, ROLE_LIST },
  { "GET", "/v1/skills/get", "getSkill", "one of them: uri=…", get_skill, ROLE_LIST },
  { "GET", "/v1/prompts", "listPrompts", "the prompts", get_prompts, ROLE_LIST },
  { "POST", "/v1/prompts/{name}", "getPrompt", "get a prompt's messages", post_prompt, ROLE_CALL },
  { "POST", "/v1/calls", "callTools", "call several tools together", post_calls, ROLE_CALL },
  { "GET", "/v1/calls/{id}", "getCall", "what is known of a call by its id", get_call, ROLE_CALL },
  { "DELETE", "/v1/calls/{id}", "cancelCall", "cancel a call, running or to come", delete_call,
    ROLE_CALL },
  { "POST", "/v1/sessions", "openSession", "open a session", post_session, ROLE_CALL },
  { "GET", "/v1/sessions", "listSessions", "one's sessions", get_sessions, ROLE_CALL },
  { "GET", "/v1/sessions/{id}", "getSession", "one of them", get_session, ROLE_CALL },
  { "DELETE", "/v1/sessions/{id}", "endSession", "end it", delete_session, ROLE_CALL },
  { "GET", "/v1/sessions/{id}/events", "streamSessionEvents", "its events; takes Last-Event-ID",
    get_session_events, ROLE_CALL },
  { "POST", "/v1/sessions/{id}/events", "sendSessionEvent", "an event for it", post_session_event,
    ROLE_CALL },
  { "POST", "/v1/sessions/{id}/interrupt", "interruptSession",
    "cancel what a response started, or all", post_session_interrupt, ROLE_CALL },
  { "GET", "/v1/approvals", "listApprovals", "calls that wait for a person, or did", get_approvals,
    ROLE_LIST },
  { "GET", "/v1/approvals/rules", "listApprovalRules", "what is approved for good", get_rules,
    ROLE_APPROVE },
  { "DELETE", "/v1/approvals/rules/{id}", "dropApprovalRule", "no more", delete_rule,
    ROLE_APPROVE },
  { "GET", "/v1/approvals/{id}", "getApproval", "one of them, and what its call gave", get_approval,
    ROLE_LIST },
  { "POST", "/v1/approvals/{id}", "decideApproval", "approve or reject it", post_approval,
    ROLE_LIST },
  { "GET", "/v1/asks", "listAsks", "calls that wait for answers", get_asks, ROLE_LIST },
  { "GET", "/v1/asks/{id}", "getAsk", "one of them, its questions or its result", get_ask,
    ROLE_LIST },
  { "POST", "/v1/asks/{id}", "answerAsk", "answer it", post_ask, ROLE_LIST },
  { "DELETE", "/v1/asks/{id}", "dropAsk", "give it up", delete_ask, ROLE_LIST },
  { "GET", "/v1/results/{id}", "getResult", "a result that was too large to be shown; takes Range",
    get_result, ROLE_CALL },
  { "GET", "/v1/tenants", "listTenants", "the tenants that have a file", get_tenants, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}", "getTenant", "one of them", get_tenants, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/pins", "listPins", "what is pinned, and what waits to be accepted",
    get_pins, ROLE_MANAGE },
  { "POST", "/v1/tenants/{tenant}/pins/accept", "acceptPin", "let in what waits: name=…, digest=…",
    post_accept, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/tools", "listMadeTools",
    "declarative tools that the tenant has made: limit=, offset=, search=", list_made_tools,
    ROLE_MANAGE },
  { "POST", "/v1/tenants/{tenant}/tools", "createTool", "make one: its document", post_made_tool,
    ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/tools/{name}", "getMadeTool",
    "one of them, with its document; revision=: as it was", get_made_tool, ROLE_MANAGE },
  { "PUT", "/v1/tenants/{tenant}/tools/{name}", "putTool",
    "make it or put it in the place of what is there; validate=true: only check", put_made_tool,
    ROLE_MANAGE },
  { "PATCH", "/v1/tenants/{tenant}/tools/{name}", "patchTool",
    "change it by a merge patch (RFC 7396)", patch_made_tool, ROLE_MANAGE },
  { "DELETE", "/v1/tenants/{tenant}/tools/{name}", "deleteTool", "take it away", delete_made_tool,
    ROLE_MANAGE },
  { "POST", "/v1/tenants/{tenant}/tools/{name}/test", "testTool",
    "run it with a given context, without effect outside", test_made_tool, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/tools/{name}/history", "getToolHistory",
    "what it was, the newest first", get_tool_history, ROLE_MANAGE },
  { "POST", "/v1/tenants/{tenant}/tools/{name}/restore", "restoreTool",
    "make it again what it was at revision=", restore_tool, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/endpoints", "listEndpoints", "endpoints that the tenant has made",
    list_endpoints, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/endpoints/{name}", "getEndpoint", "one of them", get_endpoint,
    ROLE_MANAGE },
  { "PUT", "/v1/tenants/{tenant}/endpoints/{name}", "putEndpoint",
    "make it or put it in the place of what is there", put_endpoint, ROLE_MANAGE },
  { "PATCH", "/v1/tenants/{tenant}/endpoints/{name}", "patchEndpoint",
    "change it by a merge patch (RFC 7396)", patch_endpoint, ROLE_MANAGE },
  { "DELETE", "/v1/tenants/{tenant}/endpoints/{name}", "deleteEndpoint", "take it away",
    delete_endpoint, ROLE_MANAGE },
  { "GET", "/v1/tenants/{tenant}/endpoints/{name}/history", "getEndpointHistory",
    "what it was, the newest first", get_endpoint_history, ROLE_MANAGE },
  { "POST", "/v1/tenants/{tenant}/endpoints/{name}/restore", "restoreEndpoint",
    "make it again what it was at revision=", restore_endpoint, ROLE_MANAGE },
  { "GET", "/v1/plugins", "listPlugins", "the plugins and how they are", get_plugins,
    ROLE_OBSERVE },
  { "POST", "/v1/plugins/{name}/release", "releasePlugin", "end a plugin's quarantine",
    post_release, ROLE_MANAGE },
  { "GET", "/v1/store", "getStore", "the durable store: its file, its figures", get_store,
    ROLE_OBSERVE },
  { "POST", "/v1/store/backup", "backUpStore", "copy the store: name=…", post_backup, ROLE_MANAGE },
  { "POST", "/v1/reload", "reload", "read the configuration again", post_reload, ROLE_MANAGE },
  { "GET", "/healthz", "getHealth", "is the daemon alive?", get_health, 0 },
  { "GET", "/readyz", "getReadiness", "does it take calls?", get_ready, 0 },
  { "GET", "/v1/stats", "getStats", "how the executions of each tool went", get_stats,
    ROLE_OBSERVE },
  { "DELETE", "/v1/stats", "clearStats", "count them anew", delete_stats, ROLE_MANAGE },
  { "GET", "/v1/top", "getTop", "what runs now, and what has run", get_top, ROLE_OBSERVE },
  { "GET", "/v1/logs", "getLogs", "the log's last lines: last=, level=, event=; follow=true",
    get_logs, ROLE_MANAGE },
  { "GET", "/metrics", "getMetrics", "figures for Prometheus", get_metrics, ROLE_OBSERVE },
  { "GET", "/openapi.json", "getDescription", "this interface as OpenAPI 3.1", get_description, 0 },
  /* of other fronts */
  { "POST", "/mcp", "postMcp", "the Model Context Protocol", NULL, ROLE_LIST },
  { "GET", "/mcp", "streamMcp", "what a session of MCP is told", NULL, ROLE_LIST },
  { "DELETE", "/mcp", "endMcp", "end a session of MCP", NULL, ROLE_LIST },
  { "GET", "/v1/session", "converse", "a whole conversation over a WebSocket", NULL, ROLE_CALL },
  { "POST", "/v1/realtime/calls", "attendRealtimeCall",
    "attend a call of OpenAI's Realtime service", NULL, ROLE_MANAGE },
  { "POST", "/v1/realtime/incoming", "takeRealtimeWebhook", "the webhook of incoming calls, signed",
    NULL, 0 },
  { "GET", "/.well-known/oauth-protected-resource", "getResourceMetadata",
    "where tokens are to be had, with OAuth", NULL, 0 },
  { "GET", "/.well-known/oauth-protected-resource/mcp", "getMcpResourceMetadata",
    "where tokens are to be had, with OAuth", NULL, 0 },
};
enum { ROUTES = sizeof routes / sizeof routes[0] };

static void
put_path (struct json_writer *w, const char *method, const char *path, const char *summary)
{
  jsonw_object (w);
  jsonw_name_string (w, "method", method);
  jsonw_name_string (w, "path", path);
  jsonw_name_string (w, "summary", summary);
  jsonw_end (w);
}

static void
get_index (struct rest *rest, struct http_exchange *x, struct slice segment)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  (void) segment;
  jsonw_object (&w);
  jsonw_name_string (&w, "name", "toolhost");
  jsonw_name_string (&w, "version", rest->env->version);
  jsonw_name_string (&w, "openapi", "/openapi.json");
  jsonw_name (&w, "paths");
  jsonw_array (&w);
  for (size_t i = 0; i < ROUTES; i++)
    put_path (&w, routes[i].method, routes[i].pattern, routes[i].summary);
  jsonw_end (&w);
  jsonw_end (&w);
  reply_json (x, 200, &out);
}

static void
refuse_method (struct http_exchange *x, struct slice path)
{
  CLEANUP_BUF struct buf methods = { 0 };

  route_allow (routes, ROUTES, path, &methods);
  http_refuse_method (x, buf_cstr (&methods));
}

static void
refuse_path (struct http_exchange *x, struct slice path)
{
  const char *near = route_nearest (routes, ROUTES, path);

  if (near != NULL)
    http_reply_error (x, 404, "not_found", "There is no such path; did you mean %s?", near);
  else
    http_reply_error (x, 404, "not_found", "There is no such path; GET / lists those there are");
}

void
rest_describe (const char *version, struct buf *out)
{
  openapi_put (out, routes, ROUTES, version, NULL);
}

const struct route *
rest_routes (size_t *count)
{
  *count = ROUTES;
  return routes;
}

struct rest *
rest_new (const struct front_env *env)
{
  struct rest *rest = xcalloc (1, sizeof *rest);

  rest->env = env;
  rest_asks_init (&rest->asks, env);
  rest_calls_init (&rest->calls, env, &rest->asks);
  rest_formats_init (&rest->formats);
  rest_sessions_init (&rest->sessions, env);
  rest_logs_init (&rest->logs, env);
  agui_init (&rest->agui, env, &rest->asks);
  return rest;
}

/* Is the query one that the route takes?  False: it was answered. */
static bool
takes_query (struct rest *rest, const struct route *route, struct http_exchange *x)
{
  if (http_request (x)->query.len == 0)
    return true;
  if (rest->params == NULL)
    rest->params = params_new (described (rest), routes, ROUTES);
  return params_check (rest->params, (size_t) (route - routes), x);
}

bool
rest_takes (struct rest *rest, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  struct slice segments[ROUTE_SEGMENTS];
  bool known;
  const struct route *route =
    route_find (routes, ROUTES, request->method, request->path, segments, &known);

  return route == NULL || takes_query (rest, route, x);
}

void
rest_handle (struct rest *rest, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  struct slice segments[ROUTE_SEGMENTS];
  bool known;
  const struct route *route =
    route_find (routes, ROUTES, request->method, request->path, segments, &known);

  rest->second = segments[1];
  if (route != NULL && route->handle == NULL)
    http_reply_error (x, 404, "not_found", "This daemon is not configured to serve this path");
  else if (route != NULL) {
    if (auth_allows (rest->env->auth, x, route->role) && takes_query (rest, route, x))
      route->handle (rest, x, segments[0]);
  }
  else if (known)
    refuse_method (x, request->path);
  else
    refuse_path (x, request->path);
}

void
rest_drain (struct rest *rest)
{
  rest_sessions_drain (&rest->sessions);
  rest_logs_drain (&rest->logs);
}

void
rest_free (struct rest *rest)
{
  if (rest == NULL)
    return;
  rest_sessions_drain (&rest->sessions);
  rest_logs_drain (&rest->logs);
  agui_drain (&rest->agui);
  rest_calls_free (&rest->calls);
  rest_asks_free (&rest->asks);
  rest_formats_free (&rest->formats);
  buf_free (&rest->description);
  params_free (rest->params);
  free (rest);
}

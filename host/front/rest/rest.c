#include "front/rest/rest.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
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
#include "front/rest/managing.h"
#include "front/rest/named.h"
#include "front/rest/offers.h"
#include "front/rest/openapi.h"
#include "front/rest/params.h"
#include "front/rest/results.h"
#include "front/rest/route.h"
#include "front/rest/sessions.h"
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

/* What its caller is served. */
static struct catalog *
served (const struct rest *rest, const struct http_exchange *x)
{
  return front_catalog (rest->env, http_request (x)->peer->tenant);
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
  http_reply_json (x, 200, NULL, &out);
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
    http_reply_json (x, 200, NULL, body);
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

/* ---- what other files do ---- */

/* HANDLER (its name, what is done); `named` is what stood at the first {…}. */
#define HANDLER(handler, ...)                                                                      \
  static void handler (struct rest *rest, struct http_exchange *x, struct slice named)             \
  {                                                                                                \
    (void) rest;                                                                                   \
    (void) named;                                                                                  \
    __VA_ARGS__;                                                                                   \
  }
/* clang-format off */
HANDLER (post_call, rest_call_post (&rest->calls, x, CALL_TOOL, named))
HANDLER (post_calls, rest_batch_post (&rest->calls, x))
HANDLER (get_call, rest_named_get (rest->env, x, named))
HANDLER (delete_call, rest_named_delete (rest->env, x, named))
HANDLER (get_result, rest_result_get (rest->env, x, named))
HANDLER (post_agui, agui_post (&rest->agui, x))

HANDLER (get_resources, rest_resources_get (rest->env, x))
HANDLER (get_directory, rest_directory_get (rest->env, x))
HANDLER (get_skills, rest_skills_get (rest->env, x))
HANDLER (get_skill, rest_skill_get (rest->env, x))
HANDLER (get_prompts, rest_prompts_get (rest->env, x))
HANDLER (post_prompt, rest_call_post (&rest->calls, x, CALL_PROMPT, named))

HANDLER (get_approvals, rest_approvals_list (rest->env, x))
HANDLER (get_approval, rest_approval_get (rest->env, x, named))
HANDLER (post_approval, rest_approval_post (rest->env, x, named))
HANDLER (get_rules, rest_approval_rules_list (rest->env, x))
HANDLER (delete_rule, rest_approval_rule_delete (rest->env, x, named))
HANDLER (get_asks, rest_asks_list (&rest->asks, x))
HANDLER (get_ask, rest_ask_get (&rest->asks, x, named))
HANDLER (post_ask, rest_ask_post (&rest->asks, x, named))
HANDLER (delete_ask, rest_ask_delete (&rest->asks, x, named))

HANDLER (post_session, rest_session_post (&rest->sessions, x))
HANDLER (get_sessions, rest_sessions_get (&rest->sessions, x))
HANDLER (get_session, rest_session_get (&rest->sessions, x, named))
HANDLER (delete_session, rest_session_delete (&rest->sessions, x, named))
HANDLER (get_session_events, rest_session_events (&rest->sessions, x, named))
HANDLER (post_session_event, rest_session_hear (&rest->sessions, x, named))
HANDLER (post_session_interrupt, rest_session_interrupt (&rest->sessions, x, named))

HANDLER (get_health, rest_health_get (x))
HANDLER (get_ready, rest_ready_get (rest->env, x))
HANDLER (get_metrics, rest_metrics_get (rest->env, x))
HANDLER (get_top, rest_top_get (rest->env, x))
HANDLER (get_stats, rest_stats_get (rest->env, x))
HANDLER (delete_stats, rest_stats_clear (rest->env, x))
HANDLER (get_logs, rest_logs_get (&rest->logs, x))
HANDLER (get_store, rest_store_get (rest->env, x))
HANDLER (post_backup, rest_store_backup (rest->env, x))

HANDLER (get_plugins, rest_plugins_get (rest->env, x))
HANDLER (post_release, rest_plugin_release (rest->env, x, named))
HANDLER (get_tenants, rest_tenants_get (rest->env, x, named))
HANDLER (get_pins, rest_pins_get (rest->env, x, named))
HANDLER (post_accept, rest_pin_accept (rest->env, x, named))
HANDLER (post_reload, rest_reload (rest->env, x))
/* clang-format on */
#undef HANDLER

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

/* DOCUMENT (its name, whose documents, what is done) */
#define DOCUMENT(handler, of, ...)                                                                 \
  static void handler (struct rest *rest, struct http_exchange *x, struct slice tenant)            \
  {                                                                                                \
    const struct definition_path path = of (rest, tenant);                                         \
    __VA_ARGS__;                                                                                   \
  }
/* clang-format off */
DOCUMENT (list_made_tools, tools_of, rest_definitions_list (rest->env, x, &path))
DOCUMENT (get_made_tool, tools_of, rest_definition_get (rest->env, x, &path))
DOCUMENT (post_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_CREATE))
DOCUMENT (put_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_PUT))
DOCUMENT (patch_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_PATCH))
DOCUMENT (delete_made_tool, tools_of, rest_definition_write (rest->env, x, &path, MANAGE_DELETE))
DOCUMENT (test_made_tool, tools_of, rest_definition_test (rest->env, x, &path))
DOCUMENT (get_tool_history, tools_of, rest_definition_history (rest->env, x, &path))
DOCUMENT (restore_tool, tools_of, rest_definition_restore (rest->env, x, &path))
DOCUMENT (list_endpoints, endpoints_of, rest_definitions_list (rest->env, x, &path))
DOCUMENT (get_endpoint, endpoints_of, rest_definition_get (rest->env, x, &path))
DOCUMENT (put_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_PUT))
DOCUMENT (patch_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_PATCH))
DOCUMENT (delete_endpoint, endpoints_of, rest_definition_write (rest->env, x, &path, MANAGE_DELETE))
DOCUMENT (get_endpoint_history, endpoints_of, rest_definition_history (rest->env, x, &path))
DOCUMENT (restore_endpoint, endpoints_of, rest_definition_restore (rest->env, x, &path))
/* clang-format on */
#undef DOCUMENT

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
  http_reply_json (x, 200, NULL, described (rest));
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
  http_reply_json (x, 200, NULL, &out);
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

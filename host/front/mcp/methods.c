#include "front/mcp/methods.h"

#include "front/mcp/listen.h"
#include "front/mcp/prompts.h"
#include "front/mcp/reply.h"
#include "front/mcp/resources.h"
#include "front/mcp/skills.h"
#include "front/mcp/tasks.h"
#include "front/mcp/tools.h"
#include "front/mcp/trace.h"

/* ---- small ones ---- */

static void
discover (struct mcp_request *r, const struct mcp_message *m)
{
  (void) m;
  mcp_put_discover (mcp_scratch (r->core), r);
  mcp_answer (r, 200);
}

static void
answer_empty (struct mcp_request *r)
{
  mcp_put_empty (mcp_scratch (r->core), r);
  mcp_answer (r, 200);
}

static void
ping (struct mcp_request *r, const struct mcp_message *m)
{
  (void) m;
  answer_empty (r);
}

static void
set_level (struct mcp_request *r, const struct mcp_message *m)
{
  enum mcp_log_level level =
    mcp_log_level_read (&m->tape, json_member (&m->tape, m->params, "level"));

  if (level == MCP_LOG_NONE)
    return mcp_refuse_params (r, "level: expected " MCP_LOG_LEVELS);
  r->peer->log_at = level;
  answer_empty (r);
}

/* ---- the handshake ---- */

/* What the client asked for when it is served, else the newest. */
static const char *
agree (const struct mcp_core *core, struct slice wanted)
{
  const char *const *versions = core->carrier->versions;

  for (size_t i = 0; versions[i] != NULL; i++)
    if (slice_is (wanted, versions[i]))
      return versions[i];
  return versions[0];
}

static void
initialize (struct mcp_request *r, const struct mcp_message *m)
{
  struct slice wanted = mcp_param_text (m, "protocolVersion");
  const char *version = agree (r->core, wanted);
  struct mcp_fault fault;
  struct mcp_peer *peer;

  if (wanted.data == NULL)
    return mcp_refuse_params (r, "protocolVersion: expected a string");
  peer = r->core->carrier->connect (r, version);
  if (peer == NULL) {
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "Too many sessions; try again later");
    return mcp_refuse (r, &fault);
  }
  peer->version = version;
  peer->client = mcp_client_read (&m->tape, json_member (&m->tape, m->params, "capabilities"));
  mcp_put_initialize (mcp_scratch (r->core), r, version);
  mcp_answer (r, 200);
}

/* ---- which there are ---- */

static const struct method {
  const char *name;
  unsigned eras;
  const char *named_by;
  mcp_method *run;
  unsigned role;
} methods[] = {
  { "tools/call", MCP_MODERN | MCP_LEGACY, "name", mcp_tools_call, ROLE_CALL },
  { "tools/list", MCP_MODERN | MCP_LEGACY, NULL, mcp_tools_list, ROLE_LIST },
  { "resources/list", MCP_MODERN | MCP_LEGACY, NULL, mcp_resources_list, ROLE_LIST },
  { "resources/templates/list", MCP_MODERN | MCP_LEGACY, NULL, mcp_templates_list, ROLE_LIST },
  { "resources/read", MCP_MODERN | MCP_LEGACY, "uri", mcp_resources_read, ROLE_CALL },
  { "resources/subscribe", MCP_LEGACY, NULL, mcp_resources_subscribe, ROLE_LIST },
  { "resources/unsubscribe", MCP_LEGACY, NULL, mcp_resources_unsubscribe, ROLE_LIST },
  { "resources/directory/read", MCP_MODERN | MCP_LEGACY, NULL, mcp_directory_read, ROLE_LIST },
  { "skills/list", MCP_MODERN | MCP_LEGACY, NULL, mcp_skills_list, ROLE_LIST },
  { "skills/get", MCP_MODERN | MCP_LEGACY, NULL, mcp_skills_get, ROLE_LIST },
  { "prompts/list", MCP_MODERN | MCP_LEGACY, NULL, mcp_prompts_list, ROLE_LIST },
  { "prompts/get", MCP_MODERN | MCP_LEGACY, "name", mcp_prompts_get, ROLE_CALL },
  { "completion/complete", MCP_MODERN | MCP_LEGACY, NULL, mcp_complete, ROLE_CALL },
  { "server/discover", MCP_MODERN, NULL, discover, ROLE_LIST },
  { "subscriptions/listen", MCP_MODERN, NULL, mcp_listen, ROLE_LIST },
  { "tasks/get", MCP_MODERN, "taskId", mcp_tasks_get, ROLE_CALL },
  { "tasks/update", MCP_MODERN, "taskId", mcp_tasks_update, ROLE_CALL },
  { "tasks/cancel", MCP_MODERN, "taskId", mcp_tasks_cancel, ROLE_CALL },
  { "initialize", MCP_LEGACY, NULL, initialize, ROLE_LIST },
  { "ping", MCP_LEGACY, NULL, ping, ROLE_LIST },
  { "logging/setLevel", MCP_LEGACY, NULL, set_level, ROLE_LIST },
};

static const struct method *
find_method (enum mcp_era era, struct slice name)
{
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if ((methods[i].eras & era) != 0 && slice_is (name, methods[i].name))
      return &methods[i];
  return NULL;
}

const char *
mcp_named_by (enum mcp_era era, struct slice method)
{
  const struct method *found = find_method (era, method);

  return found != NULL ? found->named_by : NULL;
}

unsigned
mcp_method_role (struct slice method)
{
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if (slice_is (method, methods[i].name))
      return methods[i].role;
  return ROLE_LIST;
}

bool
mcp_check_method (enum mcp_era era, struct slice method, struct mcp_fault *fault)
{
  return find_method (era, method) != NULL
         || mcp_fault_set (fault, MCP_METHOD_NOT_FOUND, 404, "Method not found: %.*s",
                           (int) (method.len < 128 ? method.len : 128), method.data);
}

void
mcp_dispatch (struct mcp_request *r, const struct mcp_message *m)
{
  const struct method *method = find_method (r->era, m->method);
  struct mcp_fault fault;

  if (r->core->env->tracer != NULL)
    mcp_trace_begin (r, m, method != NULL ? method->name : NULL);
  if (method != NULL)
    return method->run (r, m);
  (void) mcp_check_method (r->era, m->method, &fault);
  mcp_refuse (r, &fault);
}

/* ---- notifications ---- */

static void
on_initialized (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m)
{
  (void) core;
  (void) m;
  peer->initialized = peer->version != NULL;
  peer->missed = 0; /* it has not listed anything yet */
}

static void
on_cancelled (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m)
{
  const struct json_node *id = json_member (&m->tape, m->params, "requestId");
  struct slice wanted;

  (void) core;
  if (id == NULL)
    return;
  wanted.data = json_raw (&m->tape, id, &wanted.len);
  for (struct mcp_request *r = peer->requests; r != NULL; r = r->next)
    if (r->id.len == wanted.len && memcmp (r->id.data, wanted.data, wanted.len) == 0)
      return mcp_request_cancel (r);
}

void
mcp_notified (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m)
{
  static const struct {
    const char *name;
    void (*run) (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m);
  } known[] = {
    { "notifications/initialized", on_initialized },
    { "notifications/cancelled", on_cancelled },
  };

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (slice_is (m->method, known[i].name))
      known[i].run (core, peer, m);
}

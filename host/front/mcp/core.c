#include "front/mcp/core.h"

#include <math.h>

#include "base/json_write.h"
#include "front/mcp/reply.h"

enum {
  SCRATCH_KEEP = 256 * 1024, /* bytes of the reply buffer kept between replies */
  LISTENERS_MAX = 1024       /* subscriptions of one peer */
};

void
mcp_core_init (struct mcp_core *core, const struct front_env *env,
               const struct mcp_carrier *carrier)
{
  struct json_writer w = { .out = &core->server_info };

  *core = (struct mcp_core){ .env = env, .carrier = carrier, .limits = json_default_limits };
  core->limits.depth = env->json_depth;
  mcp_lists_init (&core->lists, env->log);
  jsonw_object (&w);
  jsonw_name_string (&w, "name", "toolhost");
  jsonw_name_string (&w, "version", env->version);
  jsonw_end (&w);
}

void
mcp_core_free (struct mcp_core *core)
{
  mcp_lists_free (&core->lists);
  buf_free (&core->server_info);
  buf_free (&core->scratch);
}

/* ---- requests ---- */

size_t
mcp_request_room (const struct mcp_message *m)
{
  return m->id.len + mcp_progress_token (m).len;
}

static struct slice
copied (struct slice s, char **room)
{
  struct slice copy = { *room, s.len };

  if (s.len == 0)
    return s;
  memcpy (*room, s.data, s.len);
  *room += s.len;
  return copy;
}

void
mcp_request_begin (struct mcp_request *r, struct mcp_core *core, struct mcp_peer *peer,
                   enum mcp_era era, const struct mcp_message *m, char *room)
{
  r->core = core;
  r->peer = peer;
  r->era = era;
  r->progress = -INFINITY;
  r->id = m->id;
  r->token = mcp_progress_token (m);
  if (room != NULL) {
    r->id = copied (r->id, &room);
    r->token = copied (r->token, &room);
  }
  r->next = peer->requests;
  r->prev = &peer->requests;
  if (r->next != NULL)
    r->next->prev = &r->next;
  peer->requests = r;
}

static void
unlink_request (struct mcp_request *r)
{
  *r->prev = r->next;
  if (r->next != NULL)
    r->next->prev = r->prev;
  if (r->listening)
    r->peer->listening--;
}

void
mcp_request_drop (struct mcp_request *r)
{
  struct call *call = r->call;

  r->call = NULL;
  unlink_request (r);
  if (call != NULL)
    call_abandon (call);
}

static struct buf *
scratch (struct mcp_request *r)
{
  buf_reset (&r->core->scratch, SCRATCH_KEEP);
  return &r->core->scratch;
}

static void
answer (struct mcp_request *r, int status)
{
  struct mcp_core *core = r->core;

  unlink_request (r);
  core->carrier->answer (r, status, &core->scratch);
  buf_reset (&core->scratch, SCRATCH_KEEP);
}

void
mcp_refuse (struct mcp_request *r, const struct mcp_fault *fault)
{
  /* Clients of the handshake take 404 for "the session is gone": their errors travel on 200. */
  int status = r->era == MCP_MODERN || fault->status >= 500 ? fault->status : 200;

  mcp_put_error (scratch (r), r->id, fault);
  answer (r, status);
}

static void
refuse_params (struct mcp_request *r, const char *what)
{
  struct mcp_fault fault;

  (void) mcp_fault_set (&fault, MCP_INVALID_PARAMS, 200, "Invalid params: %s", what);
  mcp_refuse (r, &fault);
}

void
mcp_request_stop (struct mcp_request *r, const char *why)
{
  struct call *call = r->call;
  struct mcp_fault fault;

  if (r->listening) {
    mcp_put_listen_end (scratch (r), r);
    answer (r, 200);
    return;
  }
  r->call = NULL;
  if (call != NULL)
    call_abandon (call);
  (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "%s", why);
  mcp_refuse (r, &fault);
}

/* ---- calls ---- */

static void
call_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct mcp_request *r = ctx;

  if (r->token.len == 0 || !isfinite (done) || done <= r->progress)
    return;
  r->progress = done;
  mcp_put_progress (scratch (r), r, done, total, text, len);
  r->core->carrier->notify (r, &r->core->scratch);
}

static void
call_done (void *ctx, const struct result *result)
{
  struct mcp_request *r = ctx;
  struct mcp_fault fault;

  r->call = NULL;
  if (result->error == CALL_tool_not_found) {
    (void) mcp_fault_set (&fault, MCP_INVALID_PARAMS, 200, "Unknown tool: %.*s", (int) r->name_len,
                          r->name);
    mcp_refuse (r, &fault);
    return;
  }
  mcp_put_result (scratch (r), r, result);
  answer (r, 200);
}

static void
keep_name (struct mcp_request *r, struct slice name)
{
  r->name_len = (unsigned) (name.len < sizeof r->name ? name.len : sizeof r->name);
  memcpy (r->name, name.data, r->name_len);
}

static void
tools_call (struct mcp_request *r, const struct mcp_message *m)
{
  static const struct call_events events = { .progress = call_progress, .done = call_done };
  struct slice name = mcp_param_text (m, "name");
  const struct json_node *args = json_member (&m->tape, m->params, "arguments");
  struct call *call;

  if (name.data == NULL)
    return refuse_params (r, "name: expected a string, the tool's name");
  if (args != NULL && !json_is (args, JSON_OBJECT))
    return refuse_params (r, "arguments: expected an object");
  keep_name (r, name);
  call = call_start (r->core->env->calls,
                     &(struct call_request){
                       .toolset = catalog_toolset (r->core->env->catalog),
                       .name = name.data,
                       .name_len = name.len,
                       .tape = args != NULL ? &m->tape : NULL,
                       .args_node = args,
                       .front = r->core->carrier->front,
                       .principal = r->principal,
                       .session_id = r->session,
                       .wants_progress = r->token.len != 0,
                     },
                     &events, r);
  if (call != NULL)
    r->call = call;
}

/* ---- the other methods ---- */

static void
tools_list (struct mcp_request *r, const struct mcp_message *m)
{
  const struct toolset *set = catalog_toolset (r->core->env->catalog);
  const struct json_node *cursor = json_member (&m->tape, m->params, "cursor");
  char name[MCP_CURSOR_ROOM];
  size_t len;
  size_t from = 0;

  if (cursor != NULL) {
    if (!mcp_cursor_read (mcp_param_text (m, "cursor"), name, &len))
      return refuse_params (r, "cursor: expected a nextCursor of tools/list");
    from = toolset_after (set, name, len);
  }
  mcp_put_tools (scratch (r), r, set, from);
  answer (r, 200);
}

static void
discover (struct mcp_request *r, const struct mcp_message *m)
{
  (void) m;
  mcp_put_discover (scratch (r), r);
  answer (r, 200);
}

static void
ping (struct mcp_request *r, const struct mcp_message *m)
{
  (void) m;
  mcp_put_empty (scratch (r), r);
  answer (r, 200);
}

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

  if (wanted.data == NULL)
    return refuse_params (r, "protocolVersion: expected a string");
  if (!r->core->carrier->connect (r, version)) {
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "Too many sessions; try again later");
    return mcp_refuse (r, &fault);
  }
  mcp_put_initialize (scratch (r), r, version);
  answer (r, 200);
}

static void
listen_to_changes (struct mcp_request *r, const struct mcp_message *m)
{
  const struct json_node *filter = json_member (&m->tape, m->params, "notifications");
  struct mcp_fault fault;

  if (!json_is (filter, JSON_OBJECT))
    return refuse_params (r, "notifications: expected an object");
  if (r->peer->listening >= LISTENERS_MAX) {
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 200, "Too many subscriptions; at most %d",
                          LISTENERS_MAX);
    return mcp_refuse (r, &fault);
  }
  r->listening = true;
  r->peer->listening++;
  r->wants_tools = json_is (json_member (&m->tape, filter, "toolsListChanged"), JSON_TRUE);
  mcp_put_acknowledged (scratch (r), r);
  r->core->carrier->notify (r, &r->core->scratch);
}

void
mcp_tell_listeners (struct mcp_core *core, struct mcp_peer *peer)
{
  /* Telling one may lose it, and only it. */
  for (struct mcp_request *r = peer->requests, *next; r != NULL; r = next) {
    next = r->next;
    if (!r->wants_tools)
      continue;
    mcp_put_list_changed (scratch (r), r->id);
    core->carrier->notify (r, &core->scratch);
  }
}

/* ---- which there are ---- */

static const struct method {
  const char *name;
  unsigned eras;
  const char *named_by;
  void (*run) (struct mcp_request *r, const struct mcp_message *m);
} methods[] = {
  { "tools/call", MCP_MODERN | MCP_LEGACY, "name", tools_call },
  { "tools/list", MCP_MODERN | MCP_LEGACY, NULL, tools_list },
  { "server/discover", MCP_MODERN, NULL, discover },
  { "subscriptions/listen", MCP_MODERN, NULL, listen_to_changes },
  { "initialize", MCP_LEGACY, NULL, initialize },
  { "ping", MCP_LEGACY, NULL, ping },
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

void
mcp_dispatch (struct mcp_request *r, const struct mcp_message *m)
{
  const struct method *method = find_method (r->era, m->method);
  struct mcp_fault fault;

  if (method == NULL) {
    (void) mcp_fault_set (&fault, MCP_METHOD_NOT_FOUND, 404, "Method not found: %.*s",
                          (int) (m->method.len < 128 ? m->method.len : 128), m->method.data);
    return mcp_refuse (r, &fault);
  }
  method->run (r, m);
}

/* ---- notifications ---- */

static void
on_initialized (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m)
{
  (void) core;
  (void) m;
  peer->initialized = peer->version != NULL;
}

static void
on_cancelled (struct mcp_core *core, struct mcp_peer *peer, const struct mcp_message *m)
{
  const struct json_node *id = json_member (&m->tape, m->params, "requestId");
  struct slice wanted;

  if (id == NULL)
    return;
  wanted.data = json_raw (&m->tape, id, &wanted.len);
  for (struct mcp_request *r = peer->requests; r != NULL; r = r->next)
    if (r->id.len == wanted.len && memcmp (r->id.data, wanted.data, wanted.len) == 0) {
      mcp_request_drop (r);
      core->carrier->silence (r);
      return;
    }
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

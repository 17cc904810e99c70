#include "front/mcp/listen.h"

#include "front/mcp/reply.h"
#include "front/mcp/tasks.h"

enum { LISTENERS_MAX = 1024 /* subscriptions of one peer */ };

/* ---- subscribing ---- */

static const struct {
  enum mcp_listed list;
  const char *wish; /* in the filter */
} wishes[] = {
  { MCP_TOOLS, "toolsListChanged" },
  { MCP_PROMPTS, "promptsListChanged" },
  { MCP_RESOURCES, "resourcesListChanged" },
};

static bool
read_uris (struct mcp_request *r, const struct mcp_message *m, const struct json_node *list)
{
  if (list == NULL || (MCP_SERVED & MCP_RESOURCES) == 0)
    return true;
  if (!json_is (list, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    struct slice uri;
    uri.data = json_string (&m->tape, n, m->arena, &uri.len);
    if (uri.data == NULL || !mcp_uris_add (&r->uris, uri))
      return false;
  }
  return true;
}

/* Of the tasks it names, those that are its own; false: it lacks the extension. */
static bool
read_tasks (struct mcp_request *r, const struct mcp_message *m, const struct json_node *list)
{
  if (!json_is (list, JSON_ARRAY))
    return true;
  if ((r->client & MCP_CLIENT_TASKS) == 0)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    struct slice id;
    id.data = json_string (&m->tape, n, m->arena, &id.len);
    if (mcp_tasks_has (r->core->tasks, r->principal, id))
      (void) mcp_uris_add (&r->task_ids, id);
  }
  return true;
}

static unsigned
read_wishes (const struct mcp_message *m, const struct json_node *filter)
{
  unsigned wants = 0;

  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
    if (json_is (json_member (&m->tape, filter, wishes[i].wish), JSON_TRUE))
      wants |= wishes[i].list;
  return wants & MCP_SERVED;
}

static void
put_list (struct json_writer *w, const char *name, const struct mcp_uris *uris)
{
  if (uris->count == 0)
    return;
  jsonw_name (w, name);
  jsonw_array (w);
  for (size_t i = 0; i < uris->count; i++)
    jsonw_string (w, uris->list[i]);
  jsonw_end (w);
}

static void
put_acknowledged (struct buf *out, const struct mcp_request *r)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, "notifications/subscriptions/acknowledged");
  jsonw_name (&w, "notifications");
  jsonw_object (&w);
  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
    if ((r->wants & wishes[i].list) != 0)
      jsonw_name_bool (&w, wishes[i].wish, true);
  put_list (&w, "resourceSubscriptions", &r->uris);
  put_list (&w, "taskIds", &r->task_ids);
  jsonw_end (&w);
  mcp_put_subscription (&w, r->id);
  mcp_end (&w);
}

void
mcp_listen (struct mcp_request *r, const struct mcp_message *m)
{
  const struct json_node *filter = json_member (&m->tape, m->params, "notifications");
  struct mcp_fault fault;

  if (!json_is (filter, JSON_OBJECT))
    return mcp_refuse_params (r, "notifications: expected an object");
  if (r->core->draining) {
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "The daemon is stopping");
    return mcp_refuse (r, &fault);
  }
  if (r->peer->listening >= LISTENERS_MAX) {
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 200, "Too many subscriptions; at most %d",
                          LISTENERS_MAX);
    return mcp_refuse (r, &fault);
  }
  if (!read_uris (r, m, json_member (&m->tape, filter, "resourceSubscriptions")))
    return mcp_refuse_params (r, "notifications.resourceSubscriptions: expected an array of at most"
                                 " 1024 URIs of at most 4096 bytes");
  if (!read_tasks (r, m, json_member (&m->tape, filter, "taskIds"))) {
    mcp_tasks_fault (&fault);
    return mcp_refuse (r, &fault);
  }
  r->listening = true;
  r->peer->listening++;
  r->wants = read_wishes (m, filter);
  put_acknowledged (mcp_scratch (r->core), r);
  (void) r->core->carrier->send (r, &r->core->scratch);
}

void
mcp_listen_stop (struct mcp_request *r)
{
  struct json_writer w = { .out = mcp_scratch (r->core) };

  mcp_begin_result (&w, r);
  mcp_put_subscription (&w, r->id);
  mcp_end (&w);
  mcp_answer (r, 200);
}

void
mcp_listen_stop_all (struct mcp_peer *peer)
{
  for (struct mcp_request *r = peer->requests, *next; r != NULL; r = next) {
    next = r->next;
    if (r->listening)
      mcp_listen_stop (r);
  }
}

/* ---- telling ---- */

static void
put_list_changed (struct buf *out, enum mcp_listed list, struct slice subscription)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, list == MCP_TOOLS     ? "notifications/tools/list_changed"
                              : list == MCP_PROMPTS ? "notifications/prompts/list_changed"
                                                    : "notifications/resources/list_changed");
  mcp_put_subscription (&w, subscription);
  mcp_end (&w);
}

static void
put_updated (struct buf *out, struct slice uri, struct slice subscription)
{
  struct json_writer w = { .out = out };

  mcp_begin_notification (&w, "notifications/resources/updated");
  jsonw_name (&w, "uri");
  jsonw_string_len (&w, uri.data, uri.len);
  mcp_put_subscription (&w, subscription);
  mcp_end (&w);
}

static const struct slice no_subscription = { NULL, 0 };

/* Is the tenant served what `of` is?  NULL: whatever it is served. */
static bool
concerns (const struct mcp_core *core, const struct catalog *of, const char *tenant)
{
  return of == NULL || of == front_catalog (core->env, tenant);
}

/* Telling one may lose it, and only it. */
static void
tell_listeners (struct mcp_core *core, const struct catalog *of, struct mcp_peer *peer,
                enum mcp_listed list)
{
  for (struct mcp_request *r = peer->requests, *next; r != NULL; r = next) {
    next = r->next;
    if ((r->wants & list) == 0 || !concerns (core, of, r->tenant))
      continue;
    put_list_changed (mcp_scratch (core), list, r->id);
    (void) core->carrier->send (r, &core->scratch);
  }
}

static void
tell_peer (struct mcp_core *core, struct mcp_peer *peer, enum mcp_listed list)
{
  put_list_changed (mcp_scratch (core), list, no_subscription);
  if (core->carrier->tell (core, peer, &core->scratch))
    peer->missed &= ~(unsigned) list;
  else
    peer->missed |= list;
}

void
mcp_changed (struct mcp_core *core, const struct catalog *of, unsigned lists)
{
  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
    for (struct mcp_peer *p = core->peers; p != NULL && (lists & wishes[i].list) != 0;
         p = p->next) {
      tell_listeners (core, of, p, wishes[i].list);
      if (p->version != NULL && concerns (core, of, p->tenant))
        tell_peer (core, p, wishes[i].list);
    }
}

void
mcp_tell_missed (struct mcp_core *core, struct mcp_peer *peer)
{
  unsigned missed = peer->missed;

  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
    if ((missed & wishes[i].list) != 0)
      tell_peer (core, peer, wishes[i].list);
}

static void
tell_updated (struct mcp_core *core, struct mcp_peer *peer, struct slice uri)
{
  for (struct mcp_request *r = peer->requests, *next; r != NULL; r = next) {
    next = r->next;
    if (!mcp_uris_has (&r->uris, uri))
      continue;
    put_updated (mcp_scratch (core), uri, r->id);
    (void) core->carrier->send (r, &core->scratch);
  }
  if (!mcp_uris_has (&peer->uris, uri))
    return;
  put_updated (mcp_scratch (core), uri, no_subscription);
  (void) core->carrier->tell (core, peer, &core->scratch);
}

void
mcp_task_changed (struct mcp_core *core, struct slice id, struct slice members)
{
  struct mcp_request *next;

  for (struct mcp_peer *p = core->peers; p != NULL; p = p->next)
    for (struct mcp_request *r = p->requests; r != NULL; r = next) {
      struct json_writer w = { .out = NULL };
      next = r->next;
      if (!mcp_uris_has (&r->task_ids, id))
        continue;
      w.out = mcp_scratch (core);
      mcp_begin_notification (&w, "notifications/tasks");
      jsonw_raw (&w, members.data, members.len);
      mcp_put_subscription (&w, r->id);
      mcp_end (&w);
      (void) core->carrier->send (r, &core->scratch);
    }
}

void
mcp_resource_updated (struct mcp_core *core, struct slice uri)
{
  for (struct mcp_peer *p = core->peers; p != NULL; p = p->next)
    tell_updated (core, p, uri);
}

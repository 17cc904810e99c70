/* The telephone call that a session is, if it is one. */
#include <stdlib.h>

#include "pool/unit.h"
#include "session/parts.h"

static void
say_done (void *ctx, const char *way, const struct phone_order *order, const char *why)
{
  struct session *session = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  log_event (session->all->settings.log, why == NULL ? LOG_INFO : LOG_WARNING,
             why == NULL ? "call_service_done" : "call_service_failed", SESSION_LOG (session),
             "service", way, "action", phone_act_names[order->act], "idempotency_key", order->key,
             "why", why, NULL);
  say_begin (&w, "call_service", NULL);
  jsonw_name_string (&w, "service", way);
  jsonw_name_string (&w, "action", phone_act_names[order->act]);
  jsonw_name_string (&w, phone_act_texts[order->act], order->text);
  if (order->key != NULL)
    jsonw_name_string (&w, "idempotency_key", order->key);
  jsonw_name_bool (&w, "ok", why == NULL);
  if (why != NULL)
    jsonw_name_string (&w, "error", why);
  say_end (session, &w);
}

void
session_set_call_service (struct session *session, struct call_service *service)
{
  call_service_free (session->phone);
  session->phone = service;
  call_service_watch (service, (struct phone_watch){ .ended = say_done, .ctx = session });
}

struct call_service *
session_call_service (const struct session *session)
{
  return session->phone;
}

/* ---- what the log is told of a call's preparation: S0-50, S0-51 ---- */

enum { KEYS_BYTES = 4096 /* of the names of arguments in a line, about */ };

struct key {
  const char *text;
  size_t len;
};

static int
by_bytes (const void *a, const void *b)
{
  const struct key *x = a, *y = b;
  const int order = memcmp (x->text, y->text, x->len < y->len ? x->len : y->len);

  return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static void
put_sorted_keys (struct json_writer *w, const struct json_tape *tape, const struct json_node *args)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct key *keys = arena_alloc (&arena, (args->count + 1U) * sizeof *keys);
  const size_t begin = w->out->len;
  size_t count = 0;

  for (const struct json_node *name = json_first (args); name != json_end (args);
       name = json_next (json_next (name))) {
    keys[count].text = json_string (tape, name, &arena, &keys[count].len);
    count++;
  }
  qsort (keys, count, sizeof *keys, by_bytes);
  jsonw_array (w);
  for (size_t i = 0; i < count && w->out->len - begin < KEYS_BYTES; i++)
    jsonw_string_len (w, keys[i].text, keys[i].len < KEYS_BYTES ? keys[i].len : 0);
  jsonw_end (w);
}

static void
begin_line (struct json_writer *w, const struct work *work)
{
  const struct session *session = work->session;

  jsonw_object (w);
  jsonw_name_string (w, "call_id", session->call_id);
  jsonw_name_string (w, "tenant_id", session->tenant);
  jsonw_name_string (w, "session", session->name);
  jsonw_name_string (w, "function_call_id", work->entry->id);
  jsonw_name_string (w, "openai_sip_call_id", session->call_id);
  jsonw_name_string (w, "tool_name", work->name);
  if (work->response_id != NULL)
    jsonw_name_string (w, "response_id", work->response_id);
  if (work->item_id != NULL)
    jsonw_name_string (w, "item_id", work->item_id);
}

static void
end_line (struct json_writer *w, struct log *log, const char *event)
{
  jsonw_end (w);
  log_object (log, LOG_INFO, event, w->out->data, w->out->len);
}

/* Only a tool that is granted something of it is given the service. */
static bool
is_injected (const struct session *session, const struct tool *tool)
{
  return session->phone != NULL && tool != NULL && tool->unit != NULL
         && policy_phone (unit_policy (tool->unit), tool->name) != 0;
}

void
phone_log_parsed (const struct work *work, const struct json_tape *tape,
                  const struct json_node *args)
{
  const struct session *session = work->session;
  struct log *log = session->all->settings.log;
  CLEANUP_BUF struct buf parsed = { 0 }, prepared = { 0 };
  struct json_writer w = { .out = &parsed }, deps = { .out = &prepared };

  if (work->entry == NULL || !log_wants (log, LOG_INFO))
    return;
  begin_line (&w, work);
  jsonw_name (&w, "argument_keys");
  put_sorted_keys (&w, tape, args);
  end_line (&w, log, "tool_executor_arguments_parsed");
  if (!is_injected (session, toolset_find (session->toolset, work->name, strlen (work->name))))
    return;
  begin_line (&deps, work);
  jsonw_name_raw (&deps, "dependency_keys", "[\"call_service\"]", 16);
  end_line (&deps, log, "tool_executor_dependencies_prepared");
}

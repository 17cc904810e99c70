/* The texts of a call beside its result: what guards redact in results is redacted in them, too. */
#include <string.h>

#include "call/guarding_parts.h"
#include "call/tenancy.h"

static bool
redacts (const struct guards_entry *entry)
{
  return entry->kind == GUARDS_BUILT_IN && guard_redacts (entry->guard);
}

/* By the plan of a call: guards of its input and of its output. */
static bool
plan_redacts (const struct guarding *g)
{
  for (size_t i = 0; i < g->begins[GUARDED_ERROR]; i++)
    if (redacts (g->plan[i].entry))
      return true;
  return false;
}

static void
redact_by_plan (const struct guarding *g, struct buf *text)
{
  for (size_t i = 0; i < g->begins[GUARDED_ERROR]; i++)
    if (redacts (g->plan[i].entry))
      guard_redact (g->plan[i].entry->guard, text);
}

/* `text` NULL: nothing is done.  True: there is such a guard. */
static bool
redact_by_set (const struct guards *set, const char *tool, struct buf *text)
{
  bool any = false;

  for (size_t at = 0; set != NULL && at < GUARDED_ERROR; at++)
    for (size_t i = 0; i < set->count[at]; i++) {
      if (!redacts (&set->list[at][i]) || !guards_entry_means (&set->list[at][i], tool))
        continue;
      any = true;
      if (text != NULL)
        guard_redact (set->list[at][i].guard, text);
    }
  return any;
}

bool
call_may_redact (const struct call *call, const char *tool)
{
  struct guards *of_host, *of_tenant;

  if (call->guarding != NULL)
    return plan_redacts (call->guarding);
  if (call->tenancy == NULL || call->kind != CALL_TOOL)
    return false;
  tenancy_guards (call->tenancy, &of_host, &of_tenant);
  return redact_by_set (of_host, tool, NULL) || redact_by_set (of_tenant, tool, NULL);
}

void
call_redact_buf (const struct call *call, const char *tool, struct buf *text)
{
  struct guards *of_host, *of_tenant;

  if (text->len == 0)
    return;
  if (call->guarding != NULL)
    redact_by_plan (call->guarding, text);
  else if (call->tenancy != NULL && call->kind == CALL_TOOL && tool != NULL) {
    tenancy_guards (call->tenancy, &of_host, &of_tenant);
    (void) redact_by_set (of_host, tool, text);
    (void) redact_by_set (of_tenant, tool, text);
  }
}

const char *
call_redact (const struct call *call, const char *text, size_t *len, struct buf *room)
{
  if (call->guarding == NULL || *len == 0 || !plan_redacts (call->guarding))
    return text;
  buf_append (room, text, *len);
  redact_by_plan (call->guarding, room);
  *len = room->len;
  return room->len != 0 ? room->data : "";
}

const char *
call_redact_json (const struct call *call, const char *json, size_t *len, struct buf *room)
{
  const char *redacted = call_redact (call, json, len, room);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (redacted == json)
    return json;
  /* a text that was redacted as a whole is no object or array any more */
  if (!json_read (&tape, redacted, *len, &json_default_limits, &arena)
      || (!json_is (json_root (&tape), JSON_OBJECT) && !json_is (json_root (&tape), JSON_ARRAY)))
    return NULL;
  return redacted;
}

const char *
call_redact_event (const struct call *call, const char *json, size_t *len, struct buf *room)
{
  const char *redacted = call_redact_json (call, json, len, room);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (redacted == NULL || redacted == json)
    return redacted;
  return json_read (&tape, redacted, *len, &json_default_limits, &arena)
             && json_is (json_member (&tape, json_root (&tape), "type"), JSON_STRING)
           ? redacted
           : NULL;
}

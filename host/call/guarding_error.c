/* What is told of a call that has failed. */
#include "base/json_write.h"
#include "call/guarding_parts.h"
#include "call/stored.h"

/* The text of "on_error", as an error or, where the tool promises nothing else, as a result. */
static void
say_text (const struct guarding *g, const struct guards_entry *entry, struct result *result,
          struct buf *room)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = room };

  guards_write_text (entry, g->tool, result->code, &text);
  result->problems = NULL;
  result->problems_len = 0;
  result->content = "[]";
  result->content_len = 2;
  result->structured = NULL;
  result->structured_len = 0;
  result->links = NULL;
  result->links_len = 0;
  if (!entry->is_ok || g->call->tool->output != NULL) {
    buf_swap (room, &text);
    result->message = room->data;
    result->message_len = room->len;
    return;
  }
  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "text");
  jsonw_name (&w, "text");
  jsonw_string_len (&w, text.data, text.len);
  jsonw_end (&w);
  jsonw_end (&w);
  result->error = CALL_OK;
  result->code = NULL;
  result->message = "";
  result->message_len = 0;
  result->content = room->data;
  result->content_len = room->len;
}

bool
call_guard_error (struct call *call, struct result *result, struct buf *room)
{
  struct guarding *g = call->guarding;
  const struct guards_entry *entry;

  if (g == NULL || g->begins[GUARDED_ERROR] == g->begins[GUARDED_STAGES]
      || !guarding_is_failure (result))
    return false;
  entry = g->plan[g->begins[GUARDED_ERROR]].entry;
  if (entry->kind == GUARDS_TEXT) {
    say_text (g, entry, result, room);
    return false;
  }
  g->at = GUARDED_ERROR;
  g->next = g->begins[GUARDED_ERROR];
  g->end = g->begins[GUARDED_STAGES];
  g->fails = true;
  stored_copy (&g->failed, result, &g->failed_room);
  call_waits_no_more (call);
  ev_timer_stop (call->calls->loop, &call->deadline);
  (void) check_start (g);
  return true;
}

bool
call_settle_error (struct call *call)
{
  struct guarding *g = call->guarding;

  if (g == NULL || !g->fails)
    return false;
  g->fails = false;
  check_stop (g);
  call_settle (call, &g->failed);
  return true;
}

/* What a front shows a model is shortened where it is too much. */
#include <string.h>

#include "call/preview.h"
#include "call/running.h"

static void *
make (void *ctx, const struct job_end *end)
{
  const struct previewing *p = ctx;
  const struct frame_result *head = end->result;

  if (head->outcome != FRAME_OUTCOME_OK && head->outcome != FRAME_OUTCOME_FAILED)
    return NULL;
  return preview_new (p->results,
                      &(struct preview_of){
                        .content = end->content,
                        .content_len = head->content_len,
                        .structured = head->structured_len != 0 ? end->structured : NULL,
                        .structured_len = head->structured_len,
                        .promised = p->promised,
                      });
}

static void
drop (void *made)
{
  preview_free (made);
}

void
calls_make_makers (struct calls *calls)
{
  for (size_t i = 0; i < 2; i++) {
    calls->previewing[i] =
      (struct previewing){ .results = calls->settings.results, .promised = i != 0 };
    calls->makers[i] =
      (struct job_maker){ .make = make, .drop = drop, .ctx = &calls->previewing[i] };
  }
}

const struct job_maker *
call_maker (const struct calls *calls, const struct tool *tool, const struct call_request *request)
{
  if (!request->preview || calls->settings.results == NULL || request->kind != CALL_TOOL)
    return NULL;
  return &calls->makers[tool->output != NULL];
}

struct preview *
call_preview (struct call *call, const struct job_end *end)
{
  const struct job_maker *maker = call->job.maker;
  struct preview *made;

  if (maker == NULL)
    return NULL;
  if (end->made == NULL)
    return maker->make (maker->ctx, end);
  made = *end->made;
  *end->made = NULL;
  return made;
}

void
call_shorten (struct call *call, struct preview *preview, struct result *result)
{
  if (preview == NULL)
    return;
  result->usage.bytes_out = result->content_len + result->structured_len + result->message_len;
  result->content = preview->content.data;
  result->content_len = preview->content.len;
  result->links = preview->links.data;
  result->links_len = preview->links.len;
  if (preview->hides_structure) {
    result->structured = NULL;
    result->structured_len = 0;
  }
  preview_keep (preview, call->principal, call->session_id, ev_now (call->calls->loop));
}

void
call_shorten_message (const struct call *call, struct buf *text, struct result *result)
{
  char number[PREVIEW_NUMBER];
  size_t shown;

  if (call->job.maker == NULL)
    return;
  shown = results_settings (call->calls->settings.results)->shown;
  if (shown == 0 || result->message_len <= shown)
    return;
  buf_append (text, result->message, preview_cut (result->message, result->message_len, shown));
  buf_printf (text, "\n[This is the begin of a message of %s bytes; the rest was not kept.]",
              preview_number (result->message_len, number));
  result->message = text->data;
  result->message_len = text->len;
}

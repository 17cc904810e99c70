/* A read of what a skill brings: no worker runs for it, a thread reads the plugin's copy. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/offload.h"
#include "call/call_log.h"
#include "call/running.h"
#include "catalog/skill.h"

/* From how many bytes on an answer is large, what stands around them in it, and a page. */
enum { LARGE = 256 * 1024, AROUND = 64 * 1024, PAGE = 4096 };

struct call_reading {
  struct call *call; /* NULL: it has ended before */
  struct offload_job *job;
  const struct skill *skill; /* one reference held */
  const struct skill_file *file;
  char *uri;
  struct buf content; /* as a worker would give it (FRAME_CONTENTS) */
  struct buf room;    /* for the answer, when that is large: given by the system already */
  bool good;
  struct error err;
};

/* ---- in a thread ---- */

static bool
is_text (const struct buf *bytes)
{
  return utf8_valid (bytes->data, bytes->len)
         && (bytes->len == 0 || memchr (bytes->data, '\0', bytes->len) == NULL);
}

static void
write_contents (struct call_reading *r, const struct buf *bytes)
{
  struct json_writer w = { .out = &r->content };

  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_string (&w, "uri", r->uri);
  jsonw_name_string (&w, "mimeType", skill_file_type (r->file->path));
  if (is_text (bytes)) {
    jsonw_name (&w, "text");
    jsonw_string_len (&w, bytes->data, bytes->len);
  }
  else {
    jsonw_name (&w, "blob");
    jsonw_base64 (&w, bytes->data, bytes->len);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}

/* To be given so many pages takes longer than to fill them: the loop need not wait for that. */
static void
make_room (struct buf *room, size_t len)
{
  char *at = buf_reserve (room, len + AROUND);

  for (size_t i = 0; i < room->cap; i += PAGE)
    *(volatile char *) (at + i) = 0;
}

static void
read_it (void *ctx, const struct offload_job *job)
{
  CLEANUP_BUF struct buf bytes = { 0 };
  struct call_reading *r = ctx;

  (void) job;
  r->good = skill_read (r->skill, r->file, &bytes, &r->err);
  if (r->good)
    write_contents (r, &bytes);
  if (r->content.len >= LARGE)
    make_room (&r->room, r->content.len);
}

/* ---- on the loop ---- */

static void
reading_free (struct call_reading *r)
{
  skills_unref (r->skill->all);
  buf_free (&r->content);
  buf_free (&r->room);
  free (r->uri);
  free (r);
}

static void
on_read (void *ctx, bool cancelled)
{
  struct call_reading *r = ctx;
  struct call *call = r->call;

  if (call != NULL && !cancelled) {
    struct result result = { .content = r->content.data,
                             .content_len = r->content.len,
                             .room = r->room.cap != 0 ? &r->room : NULL };
    call->reading = NULL;
    result.error = r->good ? CALL_OK : CALL_internal_error;
    call_finish (call, &result, r->good ? NULL : r->err.text);
  }
  else if (call != NULL) {
    call->reading = NULL;
    call_finish_error (call, CALL_tool_cancelled, NULL);
  }
  reading_free (r);
}

void
call_read (struct call *call)
{
  struct call_reading *r = xcalloc (1, sizeof *r);
  const struct offload_work work = { .work = read_it, .done = on_read, .ctx = r };
  struct offload *offload = call->calls->settings.readers;

  r->call = call;
  r->skill = call->tool->skill;
  r->file = skill_file (r->skill, call->uri, strlen (call->uri));
  r->uri = xstrdup (call->uri);
  (void) skills_ref (r->skill->all);
  call->reading = r;
  call->sent_ns = clock_ns ();
  call_log_start (call);
  r->job = offload_submit (offload, &work);
}

void
call_forget_reading (struct call *call)
{
  if (call->reading == NULL)
    return;
  call->reading->call = NULL;
  offload_cancel (call->reading->job);
  call->reading = NULL;
}

/* A read of what a skill brings: no worker runs for it, a thread reads the plugin's copy. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/offload.h"
#include "call/call_log.h"
#include "call/running.h"
#include "catalog/skill.h"

struct call_reading {
  struct call *call; /* NULL: it has ended before */
  struct offload_job *job;
  const struct skill *skill; /* one reference held */
  const struct skill_file *file;
  char *uri;
  struct buf content; /* as a worker would give it (FRAME_CONTENTS) */
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

static void
read_it (void *ctx, const struct offload_job *job)
{
  CLEANUP_BUF struct buf bytes = { 0 };
  struct call_reading *r = ctx;

  (void) job;
  r->good = skill_read (r->skill, r->file, &bytes, &r->err);
  if (r->good)
    write_contents (r, &bytes);
}

/* ---- on the loop ---- */

static void
reading_free (struct call_reading *r)
{
  skills_unref (r->skill->all);
  buf_free (&r->content);
  free (r->uri);
  free (r);
}

static void
on_read (void *ctx, bool cancelled)
{
  struct call_reading *r = ctx;
  struct call *call = r->call;

  if (call != NULL && !cancelled) {
    struct result result = { .content = r->content.data, .content_len = r->content.len };
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

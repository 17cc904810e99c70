#include "front/rest/logs.h"

#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "call/tenancy.h"
#include "front/encode.h"
#include "watch/log_tail.h"

enum {
  BACKLOG_MAX = 64 * 1024, /* bytes the peer has not taken: the next lines wait in the ring */
  LINES_PER_TURN = 256,
  LAST_DEFAULT = 20,
  BEATS = 75 /* looks without a line, until a sign of life is sent */
};
static const double LOOK_SECONDS = 0.2;

/* Which lines somebody wants; NULL or 0: all. */
struct wish {
  enum log_level least;
  const char *event, *tool, *tenant;
};

struct log_follower {
  struct rest_logs *all;
  struct log_follower *next, **prev;
  struct http_exchange *x;
  struct wish wish;
  struct log_reader reader;
  unsigned silent; /* looks */
};

/* ---- which lines ---- */

static bool
says (const struct json_tape *tape, const char *member, const char *text)
{
  return json_equals (tape, json_member (tape, json_root (tape), member), text);
}

/* The default tenant's calls name none. */
static bool
is_of_tenant (const struct json_tape *tape, const char *tenant)
{
  const struct json_node *root = json_root (tape);

  return says (tape, "tenant", tenant) || says (tape, "tenant_id", tenant)
         || (strcmp (tenant, TENANT_DEFAULT) == 0 && json_member (tape, root, "call") != NULL
             && json_member (tape, root, "tenant") == NULL
             && json_member (tape, root, "tenant_id") == NULL);
}

static bool
is_wanted (const struct wish *wish, unsigned level, const struct buf *line)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (level < (unsigned) wish->least)
    return false;
  if (wish->event == NULL && wish->tool == NULL && wish->tenant == NULL)
    return true;
  return json_read (&tape, line->data, line->len, &json_default_limits, &arena)
         && (wish->event == NULL || says (&tape, "event", wish->event))
         && (wish->tool == NULL || says (&tape, "tool", wish->tool))
         && (wish->tenant == NULL || is_of_tenant (&tape, wish->tenant));
}

/* Set the reader on the last `count` of the lines that are wanted and kept. */
static void
begin_at_last (struct log_tail *tail, const struct wish *wish, uint64_t count,
               struct log_reader *reader)
{
  CLEANUP_BUF struct buf line = { 0 };
  uint64_t wanted = 0;
  unsigned level;

  log_tail_at_begin (tail, reader);
  for (struct log_reader r = *reader; log_tail_read (tail, &r, &level, &line);)
    wanted += is_wanted (wish, level, &line);
  while (wanted > count && log_tail_read (tail, reader, &level, &line))
    wanted -= is_wanted (wish, level, &line);
  reader->missed = 0;
}

/* ---- all that is there ---- */

static void
reply_lines (struct log_tail *tail, struct http_exchange *x, const struct wish *wish,
             struct log_reader *reader)
{
  CLEANUP_BUF struct buf line = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  unsigned level;

  jsonw_object (&w);
  jsonw_name (&w, "lines");
  jsonw_array (&w);
  while (log_tail_read (tail, reader, &level, &line))
    if (is_wanted (wish, level, &line))
      jsonw_raw (&w, line.data, line.len);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

/* ---- those that come ---- */

static void
wake (void *ctx)
{
  struct rest_logs *logs = ctx;

  ev_async_send (logs->env->loop, &logs->added);
}

static void
say_missed (struct log_follower *f)
{
  CLEANUP_BUF struct buf out = { 0 };

  if (f->reader.missed == 0)
    return;
  buf_printf (&out, "event: missed\ndata: {\"lines\":%llu}\n\n",
              (unsigned long long) f->reader.missed);
  f->reader.missed = 0;
  (void) http_stream_write (f->x, out.data, out.len);
}

static void
say_line (struct log_follower *f, const struct buf *line)
{
  CLEANUP_BUF struct buf out = { 0 };

  buf_puts (&out, "data: ");
  buf_append (&out, line->data, line->len);
  buf_puts (&out, "\n\n");
  f->silent = 0;
  (void) http_stream_write (f->x, out.data, out.len);
}

/* Send what there is, unless the peer has much to take already.  Its place in the ring is kept:
 * what is behind it waits, or is overwritten. */
static void
go_on (struct log_follower *f)
{
  struct rest_logs *logs = f->all;
  struct log_tail *tail = log_last_lines (logs->env->log);
  CLEANUP_BUF struct buf line = { 0 };
  unsigned level;

  for (unsigned n = 0; n < LINES_PER_TURN; n++) {
    if (http_stream_backlog (f->x) > BACKLOG_MAX
        || !log_tail_read (tail, &f->reader, &level, &line))
      return;
    say_missed (f);
    if (is_wanted (&f->wish, level, &line))
      say_line (f, &line);
  }
  ev_async_send (logs->env->loop, &logs->added);
}

static void
on_added (struct ev_loop *loop, ev_async *async, int revents)
{
  struct rest_logs *logs = async->data;

  (void) loop;
  (void) revents;
  for (struct log_follower *f = logs->followers; f != NULL; f = f->next)
    go_on (f);
}

static void
on_look (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct rest_logs *logs = timer->data;

  (void) loop;
  (void) revents;
  for (struct log_follower *f = logs->followers; f != NULL; f = f->next) {
    go_on (f);
    if (++f->silent >= BEATS) {
      f->silent = 0;
      (void) http_stream_write (f->x, ":\n\n", 3);
    }
  }
}

void
rest_logs_init (struct rest_logs *logs, const struct front_env *env)
{
  *logs = (struct rest_logs){ .env = env };
  ev_async_init (&logs->added, on_added);
  ev_timer_init (&logs->again, on_look, LOOK_SECONDS, LOOK_SECONDS);
  logs->added.data = logs->again.data = logs;
}

static void
begin_looking (struct rest_logs *logs)
{
  ev_async_start (logs->env->loop, &logs->added);
  ev_timer_again (logs->env->loop, &logs->again);
  log_tail_wake (log_last_lines (logs->env->log), wake, logs);
}

static void
end_looking (struct rest_logs *logs)
{
  log_tail_wake (log_last_lines (logs->env->log), NULL, NULL);
  ev_async_stop (logs->env->loop, &logs->added);
  ev_timer_stop (logs->env->loop, &logs->again);
}

static void
unlink_follower (struct log_follower *f)
{
  struct rest_logs *logs = f->all;

  *f->prev = f->next;
  if (f->next != NULL)
    f->next->prev = f->prev;
  if (--logs->count == 0)
    end_looking (logs);
}

static void
on_gone (void *data)
{
  unlink_follower (data);
}

void
rest_logs_drain (struct rest_logs *logs)
{
  while (logs->followers != NULL) {
    struct http_exchange *x = logs->followers->x;
    go_on (logs->followers);
    unlink_follower (logs->followers);
    http_on_gone (x, NULL);
    http_stream_end (x);
  }
}

static void
follow (struct rest_logs *logs, struct http_exchange *x, const struct wish *wish,
        const struct log_reader *reader)
{
  struct log_follower *f;

  if (logs->count == LOG_FOLLOWERS_MAX)
    return http_reply_error (x, 429, "too_many_followers", "%d follow the log already",
                             LOG_FOLLOWERS_MAX);
  log_event (logs->env->log, LOG_INFO, "log_followed", "principal",
             http_request (x)->peer->principal, NULL);
  f = arena_alloc (http_request (x)->arena, sizeof *f);
  *f = (struct log_follower){ .all = logs,
                              .next = logs->followers,
                              .prev = &logs->followers,
                              .x = x,
                              .wish = *wish,
                              .reader = *reader };
  if (f->next != NULL)
    f->next->prev = &f->next;
  logs->followers = f;
  if (logs->count++ == 0)
    begin_looking (logs);
  http_set_data (x, f);
  http_on_gone (x, on_gone);
  http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
  go_on (f);
}

/* ---- the request ---- */

/* A parameter that its description has judged; NULL: it is not given. */
static const char *
text_of (struct http_exchange *x, const char *name)
{
  const struct slice text = http_query (x, name);

  return text.data != NULL ? arena_strndup (http_request (x)->arena, text.data, text.len) : NULL;
}

static uint64_t
number_of (struct slice text, uint64_t otherwise)
{
  uint64_t number = 0;

  for (size_t i = 0; i < text.len; i++)
    number = number * 10 + (uint64_t) (text.data[i] - '0');
  return text.data != NULL ? number : otherwise;
}

void
rest_logs_get (struct rest_logs *logs, struct http_exchange *x)
{
  struct log_tail *tail = log_last_lines (logs->env->log);
  const char *level = text_of (x, "level");
  const struct wish wish = { .least = level != NULL ? (enum log_level) log_level_from_name (level)
                                                    : LOG_DEBUG,
                             .event = text_of (x, "event"),
                             .tool = text_of (x, "tool"),
                             .tenant = text_of (x, "tenant") };
  struct log_reader reader;

  if (tail == NULL)
    return http_reply_error (x, 404, "not_found", "This daemon keeps no log");
  begin_at_last (tail, &wish, number_of (http_query (x, "last"), LAST_DEFAULT), &reader);
  if (slice_is (http_query (x, "follow"), "true"))
    follow (logs, x, &wish, &reader);
  else
    reply_lines (tail, x, &wish, &reader);
}

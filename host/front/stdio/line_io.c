#include "front/stdio/line_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
  READ_SIZE = 64 * 1024,
  BACKLOG_PAUSE = 1024 * 1024,      /* unwritten bytes from which no more input is read */
  BACKLOG_RESUME = 256 * 1024,      /* … and below which it is again */
  BACKLOG_BEHIND = 8 * 1024 * 1024, /* … above which what can be left out is */
  KEEP = 64 * 1024                  /* bytes of idle buffers kept */
};

static size_t
unwritten (const struct line_io *lines)
{
  return lines->backlog.len - lines->written;
}

bool
line_io_behind (const struct line_io *lines)
{
  return unwritten (lines) >= BACKLOG_BEHIND;
}

bool
line_io_written (const struct line_io *lines)
{
  return unwritten (lines) == 0;
}

/* ---- output ---- */

void
line_io_wake (struct line_io *lines)
{
  if (!ev_is_active (&lines->out))
    ev_feed_event (lines->loop, &lines->out, EV_WRITE);
}

void
line_io_send (struct line_io *lines, const struct buf *text)
{
  if (lines->out_broken)
    return;
  buf_append (&lines->backlog, text->data, text->len);
  buf_putc (&lines->backlog, '\n');
  line_io_wake (lines);
}

static void
output_broken (struct line_io *lines)
{
  lines->out_broken = true;
  lines->in_ended = true;
  lines->written = 0;
  buf_reset (&lines->backlog, 0);
  ev_io_stop (lines->loop, &lines->in);
  lines->events->broken (lines->ctx);
}

static void
write_backlog (struct line_io *lines)
{
  while (unwritten (lines) != 0) {
    ssize_t n = write (lines->out.fd, lines->backlog.data + lines->written, unwritten (lines));
    if (n >= 0)
      lines->written += (size_t) n;
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      return;
    else if (errno != EINTR)
      return output_broken (lines);
  }
  lines->written = 0;
  buf_reset (&lines->backlog, KEEP);
}

static void
watch_output (struct line_io *lines)
{
  if (unwritten (lines) != 0)
    ev_io_start (lines->loop, &lines->out);
  else
    ev_io_stop (lines->loop, &lines->out);
  if (!lines->in_ended && unwritten (lines) < BACKLOG_RESUME)
    ev_io_start (lines->loop, &lines->in);
}

static void
on_writable (struct ev_loop *loop, struct ev_io *watcher, int events)
{
  struct line_io *lines = watcher->data;

  (void) loop;
  (void) events;
  if (!lines->out_broken)
    write_backlog (lines);
  watch_output (lines);
  lines->events->wrote (lines->ctx);
}

/* ---- input ---- */

/* Take the complete lines of the input. */
static void
take_lines (struct line_io *lines)
{
  struct buf *input = &lines->input;
  size_t begin = 0;
  const char *end;

  while (input->len > begin + lines->scanned
         && (end = memchr (input->data + begin + lines->scanned, '\n',
                           input->len - begin - lines->scanned))
              != NULL) {
    size_t len = (size_t) (end - input->data) - begin;
    lines->scanned = 0;
    if (lines->skipping)
      lines->skipping = false;
    else if (len > lines->line_max)
      lines->events->too_long (lines->ctx);
    else
      lines->events->line (lines->ctx, input->data + begin, len);
    begin += len + 1;
  }
  buf_consume (input, begin);
  lines->scanned = input->len;
  if (input->len == 0)
    buf_reset (input, 2 * READ_SIZE);
}

/* A line that will be too long is told of at once and thrown away as it comes. */
static void
skip_excess (struct line_io *lines)
{
  if (!lines->skipping && lines->input.len <= lines->line_max)
    return;
  if (!lines->skipping)
    lines->events->too_long (lines->ctx);
  lines->skipping = true;
  lines->scanned = 0;
  buf_reset (&lines->input, KEEP);
}

static void
input_ended (struct line_io *lines)
{
  if (lines->input.len != 0 && !lines->skipping)
    lines->events->line (lines->ctx, lines->input.data, lines->input.len);
  lines->in_ended = true;
  ev_io_stop (lines->loop, &lines->in);
  lines->events->ended (lines->ctx);
  line_io_wake (lines);
}

static void
on_readable (struct ev_loop *loop, struct ev_io *watcher, int events)
{
  struct line_io *lines = watcher->data;
  ssize_t n = read (watcher->fd, buf_reserve (&lines->input, READ_SIZE), READ_SIZE);

  (void) events;
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return;
  if (n <= 0)
    return input_ended (lines);
  lines->input.len += (size_t) n;
  take_lines (lines);
  skip_excess (lines);
  if (unwritten (lines) > BACKLOG_PAUSE)
    ev_io_stop (loop, &lines->in);
}

/* ---- all together ---- */

static int
set_nonblocking (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags >= 0)
    (void) fcntl (fd, F_SETFL, flags | O_NONBLOCK);
  return flags;
}

static void
restore_flags (int fd, int flags)
{
  if (flags >= 0)
    (void) fcntl (fd, F_SETFL, flags);
}

void
line_io_open (struct line_io *lines, struct ev_loop *loop, int in, int out, size_t line_max,
              const struct line_io_events *events, void *ctx)
{
  *lines = (struct line_io){ .loop = loop, .events = events, .ctx = ctx, .line_max = line_max };
  lines->in_flags = set_nonblocking (in);
  lines->out_flags = set_nonblocking (out);
  ev_io_init (&lines->in, on_readable, in, EV_READ);
  ev_io_init (&lines->out, on_writable, out, EV_WRITE);
  lines->in.data = lines->out.data = lines;
  ev_io_start (loop, &lines->in);
}

void
line_io_close (struct line_io *lines)
{
  if (!lines->out_broken)
    write_backlog (lines);
  ev_io_stop (lines->loop, &lines->in);
  ev_io_stop (lines->loop, &lines->out);
  /* In reverse: the two may share one open file. */
  restore_flags (lines->out.fd, lines->out_flags);
  restore_flags (lines->in.fd, lines->in_flags);
  buf_free (&lines->input);
  buf_free (&lines->backlog);
}

#include "pool/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pool/sealed.h"

enum {
  TX_MAX = 1 << 20, /* no more calls are put while so much waits */
  DATAGRAMS_PER_TURN = 64,
  BYTES_PER_TURN = 256 * 1024 /* so one worker's flood does not starve the others */
};

enum { HELLO_FDS = 3 /* two segments, and its text where that is large */ };

static const char BAD_INDEX[] = "moved an index of its ring to where it can't be";
static const char BAD_FRAME[] = "sent a malformed frame";

/* ---- segments --------------------------------------------------------------------------- */

/* A segment as the daemon sees it; NULL: errno says why. */
static void *
make_segment (const char *name, int protection, unsigned seals, int *fd)
{
  void *map;

  *fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*fd < 0 || ftruncate (*fd, RING_SEGMENT) < 0)
    return NULL;
  map = mmap (NULL, RING_SEGMENT, protection, MAP_SHARED, *fd, 0);
  if (map == MAP_FAILED)
    return NULL;
  if (fcntl (*fd, F_ADD_SEALS, seals) == 0)
    return map;
  (void) munmap (map, RING_SEGMENT);
  return NULL;
}

/* The worker adds F_SEAL_FUTURE_WRITE to its own when it has mapped it, so that its plugin can't
 * take pages away. */
static bool
make_segments (struct channel *channel, int fds[2], struct error *err)
{
  channel->down =
    make_segment ("toolhost-down", PROT_READ | PROT_WRITE,
                  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL, &fds[0]);
  channel->up = channel->down == NULL
                  ? NULL
                  : make_segment ("toolhost-up", PROT_READ, F_SEAL_SHRINK | F_SEAL_GROW, &fds[1]);
  if (channel->up == NULL)
    return error_set (err, "could not be given the memory it shares with the daemon: %s",
                      strerror (errno));
  ring_out_init (&channel->out, channel->down, channel->up);
  ring_in_init (&channel->in, channel->down, channel->up);
  return true;
}

/* ---- the socket ------------------------------------------------------------------------- */

/* A datagram with descriptors. */
static bool
send_with_fds (int control, const void *data, size_t len, const int *fds, size_t count)
{
  _Alignas(struct cmsghdr) char room[CMSG_SPACE (HELLO_FDS * sizeof (int))] = { 0 };
  struct iovec iov = { .iov_base = (void *) data, .iov_len = len };
  struct msghdr message = { .msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = room,
                            .msg_controllen = CMSG_SPACE (count * sizeof (int)) };
  struct cmsghdr *c = CMSG_FIRSTHDR (&message);

  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN (count * sizeof (int));
  memcpy (CMSG_DATA (c), fds, count * sizeof (int));
  return sendmsg (control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* In the frame itself, or in a file that comes along. */
static bool
send_hello (struct channel *channel, const struct buf *hello, const int segments[2],
            struct error *err)
{
  const bool large = frame_padded (sizeof (struct frame_head) + hello->len) > FRAME_MAX;
  const size_t len = large ? 0 : hello->len;
  const size_t room = frame_padded (sizeof (struct frame_head) + len);
  CLEANUP_FD int file = large ? sealed_file ("toolhost-hello", hello->data, hello->len) : -1;
  const int fds[HELLO_FDS] = { segments[0], segments[1], file };
  CLEANUP_BUF struct buf frame = { 0 };
  bool sent;

  if (large && file < 0)
    return error_set (err, "could not be given its configuration: %s", strerror (errno));
  frame.len = frame_put (buf_reserve (&frame, room), room, FRAME_HELLO, large ? FRAME_FD : 0, 0,
                         hello->data, len, NULL, 0, NULL, 0);
  sent = send_with_fds (channel->control, frame.data, frame.len, fds, large ? HELLO_FDS : 2)
         || error_set (err, "could not be sent HELLO: %s", strerror (errno));
  buf_wipe (&frame);
  return sent;
}

/* Send the letters, a datagram each; false: some are left.  A socket without another end takes
 * them all: the end is noticed elsewhere. */
static bool
send_letters (struct channel *channel)
{
  size_t sent = 0;

  while (sent < channel->letters.len) {
    struct frame_head head;
    memcpy (&head, channel->letters.data + sent, sizeof head);
    if (send (channel->control, channel->letters.data + sent, frame_padded (head.size),
              MSG_NOSIGNAL | MSG_DONTWAIT)
        < 0) {
      if (errno == EINTR)
        continue;
      if (errno == EAGAIN || errno == ENOBUFS)
        break;
    }
    sent += frame_padded (head.size);
  }
  buf_consume (&channel->letters, sent);
  return channel->letters.len == 0;
}

/* There is no harm in a full socket: whoever reads what is in it looks into the ring too. */
static void
knock (struct channel *channel)
{
  const struct frame_head head = { .size = sizeof head, .kind = FRAME_KNOCK };
  (void) send (channel->control, &head, sizeof head, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- open and close --------------------------------------------------------------------- */

static void
on_readable (struct ev_loop *loop, ev_io *io, int revents)
{
  struct channel *channel = io->data;

  (void) loop;
  (void) revents;
  channel->events->ready (channel);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct channel *channel = timer->data;

  (void) loop;
  (void) revents;
  channel->rests = false;
  channel->events->ready (channel);
}

static void
on_writable (struct ev_loop *loop, ev_io *io, int revents)
{
  struct channel *channel = io->data;

  (void) revents;
  ev_io_stop (loop, io);
  channel->events->writable (channel);
}

bool
channel_open (struct channel *channel, struct ev_loop *loop, const struct channel_events *events,
              void *owner, int control, const struct buf *hello, struct error *err)
{
  int fds[2] = { -1, -1 };
  bool good;

  *channel = (struct channel){ .loop = loop, .events = events, .owner = owner, .control = control };
  ev_io_init (&channel->readable, on_readable, control, EV_READ);
  ev_io_init (&channel->writable, on_writable, control, EV_WRITE);
  ev_timer_init (&channel->again, on_again, 0, 0);
  channel->readable.data = channel->writable.data = channel->again.data = channel;
  good = make_segments (channel, fds, err) && send_hello (channel, hello, fds, err);
  fd_cleanup (&fds[0]);
  fd_cleanup (&fds[1]);
  if (good)
    ev_io_start (loop, &channel->readable);
  else
    channel_close (channel);
  return good;
}

void
channel_close (struct channel *channel)
{
  if (channel->loop == NULL)
    return;
  ev_io_stop (channel->loop, &channel->readable);
  ev_io_stop (channel->loop, &channel->writable);
  ev_timer_stop (channel->loop, &channel->again);
  if (channel->down != NULL)
    (void) munmap (channel->down, RING_SEGMENT);
  if (channel->up != NULL)
    (void) munmap ((void *) channel->up, RING_SEGMENT);
  (void) close (channel->control);
  buf_free (&channel->tx);
  buf_free (&channel->letters);
  *channel = (struct channel){ .control = -1 };
}

void
channel_be_deaf (struct channel *channel)
{
  ev_io_stop (channel->loop, &channel->readable);
}

/* ---- sending ---------------------------------------------------------------------------- */

void
channel_put (struct channel *channel, enum frame_kind kind, uint64_t call, const void *a,
             size_t a_len, const void *b, size_t b_len, const void *c, size_t c_len)
{
  struct buf *to = frame_by_ring (kind, 0) ? &channel->tx : &channel->letters;
  size_t room = frame_padded (sizeof (struct frame_head) + a_len + b_len + c_len);

  to->len += frame_put (buf_reserve (to, room), room, kind, 0, call, a, a_len, b, b_len, c, c_len);
}

bool
channel_put_large (struct channel *channel, uint64_t call, const struct frame_call *head,
                   const char *meta, int fd)
{
  CLEANUP_BUF struct buf frame = { 0 };
  size_t room = frame_padded (sizeof (struct frame_head) + sizeof *head + head->meta_len);

  frame.len = frame_put (buf_reserve (&frame, room), room, FRAME_CALL, FRAME_FD, call, head,
                         sizeof *head, meta, head->meta_len, NULL, 0);
  if (send_with_fds (channel->control, frame.data, frame.len, &fd, 1))
    return true;
  channel->stuck = true;
  ev_io_start (channel->loop, &channel->writable);
  return false;
}

bool
channel_send_with_fds (struct channel *channel, enum frame_kind kind, const void *data, size_t len,
                       const int *fds, size_t count)
{
  CLEANUP_BUF struct buf frame = { 0 };
  size_t room = frame_padded (sizeof (struct frame_head) + len);

  frame.len =
    frame_put (buf_reserve (&frame, room), room, kind, FRAME_FD, 0, data, len, NULL, 0, NULL, 0);
  return channel->loop != NULL
         && send_with_fds (channel->control, frame.data, frame.len, fds, count);
}

bool
channel_is_full (const struct channel *channel)
{
  return channel->tx.len >= TX_MAX;
}

/* As many whole frames of `frames` as `room` holds. */
static size_t
whole_frames (const struct buf *frames, size_t room)
{
  size_t len = 0;

  while (len < frames->len) {
    struct frame_head head;
    memcpy (&head, frames->data + len, sizeof head);
    if (len + frame_padded (head.size) > room)
      break;
    len += frame_padded (head.size);
  }
  return len;
}

/* Put into the ring what finds room; false: RING_BROKEN. */
static bool
fill_ring (struct channel *channel)
{
  long room = ring_room (&channel->out);
  size_t len;

  if (room == RING_BROKEN)
    return false;
  len = whole_frames (&channel->tx, (size_t) room);
  ring_put (&channel->out, channel->tx.data, len);
  buf_consume (&channel->tx, len);
  return true;
}

/* The same; when something is left the worker is asked for a knock, and then what it has taken
 * meanwhile is seen. */
static bool
fill_ring_or_wait (struct channel *channel)
{
  ring_has_room (&channel->out);
  if (!fill_ring (channel))
    return false;
  if (channel->tx.len == 0)
    return true;
  ring_want_room (&channel->out);
  return fill_ring (channel);
}

bool
channel_flush (struct channel *channel)
{
  bool wanted = false, sent = true;

  if (channel->loop == NULL)
    return true;
  if (channel->tx.len != 0) {
    if (!fill_ring_or_wait (channel)) {
      channel->problem = BAD_INDEX;
      return false;
    }
    wanted = ring_publish (&channel->out);
  }
  if (channel->letters.len != 0 && channel->tx.len == 0) {
    sent = send_letters (channel);
    wanted = false; /* a letter wakes too, and a full socket is no sleeper's */
  }
  if (wanted)
    knock (channel);
  if (!sent)
    ev_io_start (channel->loop, &channel->writable);
  channel->stuck = channel->tx.len != 0 || !sent;
  return true;
}

/* ---- receiving -------------------------------------------------------------------------- */

/* The frames of one copy.  Returns the bytes of those that were taken, which are fewer than `len`
 * when the last one is cut off by `cut`, -1 for a malformed one. */
static long
take_frames (struct channel *channel, const char *data, size_t len, bool by_ring, bool cut,
             bool (*take) (void *owner, const struct frame *frame), bool *go_on)
{
  struct frame frame = { .by_ring = by_ring };
  size_t at = 0;

  while (at < len && *go_on) {
    long step = frame_next (data + at, len - at, &frame.head, &frame.payload, &frame.len);
    if (step < 0)
      return cut && at > 0 ? (long) at : -1;
    if (frame.head.kind != FRAME_KNOCK)
      *go_on = take (channel->owner, &frame);
    at += (size_t) step;
  }
  return (long) at;
}

static void
wake_writers (const struct channel *channel)
{
  const struct ring_side *own = channel->down;
  (void) syscall (SYS_futex, &own->consumed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static enum channel_news
empty_ring (struct channel *channel, char *room,
            bool (*take) (void *owner, const struct frame *frame))
{
  bool go_on = true;

  for (size_t bytes = 0; go_on && bytes < BYTES_PER_TURN;) {
    long len = ring_peek (&channel->in, room, FRAME_MAX);
    long taken;
    if (len == 0)
      return CHANNEL_OPEN;
    channel->problem = len < 0 ? BAD_INDEX : BAD_FRAME;
    if (len < 0)
      return CHANNEL_BROKEN;
    taken = take_frames (channel, room, (size_t) len, true, len == FRAME_MAX, take, &go_on);
    if (taken < 0)
      return CHANNEL_BROKEN;
    channel->received = true;
    bytes += (size_t) taken;
    if (ring_take (&channel->in, (size_t) taken))
      wake_writers (channel);
  }
  if (!go_on)
    return CHANNEL_STOPPED;
  if (ring_has_news (&channel->in)) {
    ev_timer_set (&channel->again, 0, 0);
    ev_timer_start (channel->loop, &channel->again);
  }
  return CHANNEL_OPEN;
}

/* One datagram; *more says whether to look for another. */
static enum channel_news
take_datagram (struct channel *channel, char *room,
               bool (*take) (void *owner, const struct frame *frame), bool *more)
{
  bool go_on = true;
  /* No room for control data: a descriptor that is sent along is closed by the kernel. */
  ssize_t n = recv (channel->control, room, FRAME_MAX, MSG_DONTWAIT | MSG_TRUNC);

  *more = n > (ssize_t) sizeof (struct frame_head) || (n < 0 && errno == EINTR);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return CHANNEL_OPEN;
  if (n <= 0)
    return CHANNEL_CLOSED;
  channel->received = true;
  channel->problem = n > FRAME_MAX ? "sent a datagram that is too long" : BAD_FRAME;
  if (n > FRAME_MAX || take_frames (channel, room, (size_t) n, false, false, take, &go_on) < 0)
    return CHANNEL_BROKEN;
  return go_on ? CHANNEL_OPEN : CHANNEL_STOPPED;
}

/* The socket before the ring: what breaks the protocol there is seen before results that were made
 * after it. */
enum channel_news
channel_receive (struct channel *channel, char *room,
                 bool (*take) (void *owner, const struct frame *frame))
{
  enum channel_news news = CHANNEL_OPEN, in_ring;
  bool more = true;

  channel->received = false;
  if (channel->loop == NULL)
    return CHANNEL_CLOSED;
  if (!channel->rests) {
    ev_timer_stop (channel->loop, &channel->again);
    (void) ring_listen (&channel->in); /* what comes from here on is worth a knock */
  }
  for (int i = 0; i < DATAGRAMS_PER_TURN && more && news == CHANNEL_OPEN; i++)
    news = take_datagram (channel, room, take, &more);
  if (channel->rests || (news != CHANNEL_OPEN && news != CHANNEL_CLOSED))
    return news;
  in_ring = empty_ring (channel, room, take);
  return in_ring == CHANNEL_OPEN ? news : in_ring;
}

void
channel_rest (struct channel *channel, double seconds)
{
  if (channel->loop == NULL)
    return;
  channel->rests = true;
  ring_awake (&channel->in);
  ev_timer_stop (channel->loop, &channel->again);
  ev_timer_set (&channel->again, seconds, 0);
  ev_timer_start (channel->loop, &channel->again);
}

#include "worker/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_write.h"

enum { CHUNK = FRAME_MAX - sizeof (struct frame_head) };

void
control_protocol_error (const char *what)
{
  (void) fprintf (stderr, "toolhost-worker: unreadable frame: %s\n", what);
  _exit (WORKER_EXIT_PROTOCOL);
}

/* A plugin may have made the descriptor non-blocking. */
static void
wait_until (short what)
{
  struct pollfd control = { .fd = FD_CONTROL, .events = what };
  (void) poll (&control, 1, -1);
}

/* ---- receiving -------------------------------------------------------------------------- */

static void
take_descriptors (struct datagram *in, struct msghdr *msg)
{
  in->fds_count = in->fds_taken = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR (msg); c != NULL; c = CMSG_NXTHDR (msg, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    in->fds_count = (c->cmsg_len - CMSG_LEN (0)) / sizeof (int);
    memcpy (in->fds, CMSG_DATA (c), in->fds_count * sizeof (int));
  }
}

bool
control_receive (struct datagram *in)
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE (DATAGRAM_FDS * sizeof (int))];
  struct iovec iov = { in->data, FRAME_MAX };
  struct msghdr msg = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  ssize_t len;

  while ((len = recvmsg (FD_CONTROL, &msg, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno == EAGAIN)
      wait_until (POLLIN);
    else if (errno != EINTR)
      return false;
  }
  if (len == 0)
    return false;
  in->len = (size_t) len;
  take_descriptors (in, &msg);
  if ((msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    control_protocol_error ("a datagram that is too long, or more descriptors than may be open");
  return true;
}

int
datagram_take_fd (struct datagram *in)
{
  return in->fds_taken < in->fds_count ? in->fds[in->fds_taken++] : -1;
}

void
datagram_end (struct datagram *in)
{
  while (in->fds_taken < in->fds_count)
    (void) close (in->fds[in->fds_taken++]);
}

/* ---- sending ---------------------------------------------------------------------------- */

/* A plugin may have closed the descriptor: that is its end. */
static void
send_frame (enum frame_kind kind, uint16_t flags, const char *text, size_t len)
{
  static const char zeros[FRAME_ALIGN];
  size_t size = sizeof (struct frame_head) + len;
  struct frame_head head = { .size = (uint32_t) size, .kind = (uint16_t) kind, .flags = flags };
  struct iovec iov[] = { { &head, sizeof head },
                         { (void *) text, len },
                         { (void *) zeros, frame_padded (size) - size } };
  struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };

  while (sendmsg (FD_CONTROL, &msg, MSG_NOSIGNAL) < 0) {
    if (errno == EPIPE || errno == ECONNRESET)
      _exit (WORKER_EXIT_OK);
    if (errno == EAGAIN)
      wait_until (POLLOUT);
    else if (errno != EINTR)
      _exit (WORKER_EXIT_PROTOCOL);
  }
}

void
control_send (enum frame_kind kind, const char *text, size_t len)
{
  send_frame (kind, 0, text, len < CHUNK ? len : CHUNK);
}

void
control_text (enum frame_kind kind, const char *text, size_t len)
{
  for (; len > CHUNK; text += CHUNK, len -= CHUNK)
    send_frame (kind, FRAME_MORE, text, CHUNK);
  send_frame (kind, 0, text, len);
}

void
control_bye (const char *reason, const char *message)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  jsonw_object (&w);
  jsonw_name_string (&w, "reason", reason);
  jsonw_name_string (&w, "message", message);
  jsonw_end (&w);
  control_send (FRAME_BYE, text.data, text.len);
}

void
control_knock (void)
{
  struct frame_head head = { .size = sizeof head, .kind = FRAME_KNOCK };
  struct iovec iov = { &head, sizeof head };
  struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

  if (sendmsg (FD_CONTROL, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN
      && errno != EINTR && errno != ENOBUFS)
    _exit (errno == EPIPE || errno == ECONNRESET ? WORKER_EXIT_OK : WORKER_EXIT_PROTOCOL);
}

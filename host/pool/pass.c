#include "pool/pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union room {
  char bytes[CMSG_SPACE (PASS_FDS_MAX * sizeof (int))];
  struct cmsghdr align;
};

bool
pass_send (int socket, const void *data, size_t len, const int *fds, size_t count)
{
  union room room = { { 0 } };
  struct iovec iov = { .iov_base = (void *) data, .iov_len = len };
  struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
  ssize_t sent;

  if (count > PASS_FDS_MAX) {
    errno = E2BIG;
    return false;
  }
  if (count != 0) {
    struct cmsghdr *head = &room.align;
    message.msg_control = room.bytes;
    message.msg_controllen = CMSG_SPACE (count * sizeof *fds);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN (count * sizeof *fds);
    memcpy (CMSG_DATA (head), fds, count * sizeof *fds);
  }
  do
    sent = sendmsg (socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t) len;
}

/* All descriptors of a message, one after the other; those beyond `max` are closed. */
static size_t
take_fds (struct msghdr *message, int *fds, size_t max)
{
  size_t count = 0;

  for (struct cmsghdr *head = CMSG_FIRSTHDR (message); head != NULL;
       head = CMSG_NXTHDR (message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
      continue;
    for (size_t at = 0; at + CMSG_LEN (sizeof *fds) <= head->cmsg_len; at += sizeof *fds) {
      int fd;
      memcpy (&fd, CMSG_DATA (head) + at, sizeof fd);
      if (count < max)
        fds[count] = fd;
      else
        (void) close (fd);
      count++;
    }
  }
  return count;
}

ssize_t
pass_receive (int socket, void *data, size_t size, int *fds, size_t max, size_t *count)
{
  union room room;
  struct iovec iov = { .iov_base = data, .iov_len = size };
  struct msghdr message = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes
  };
  ssize_t n;

  do /* SA_RESTART does not help a socket that has a timeout */
    n = recvmsg (socket, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  *count = 0;
  if (n < 0)
    return -1;
  *count = take_fds (&message, fds, max);
  if (*count <= max && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
    return n;
  for (size_t i = 0; i < *count && i < max; i++)
    (void) close (fds[i]);
  *count = 0;
  errno = EMSGSIZE;
  return -1;
}

/* Sends descriptors to the host, in frames that are well-formed, as many as fit.  The host takes
 * none of them. */
#include "hostile.h"

#include <sys/socket.h>
#include <unistd.h>

enum { CONTROL = 3, LOG = 10, DESCRIPTORS = 32, TIMES = 8 };

/* A line of the log that belongs to no call (host/base/frame.h). */
struct line {
  uint32_t size;
  uint16_t kind, flags;
  uint64_t call;
  int32_t level;
  uint32_t reserved;
  char text[8];
};

static bool
send_with (const int *fds, size_t count)
{
  struct line line = {
    .size = sizeof line, .kind = LOG, .level = TOOLHOST_INFO, .text = "with fds"
  };
  _Alignas(struct cmsghdr) char control[CMSG_SPACE (DESCRIPTORS * sizeof (int))] = { 0 };
  struct iovec iov = { &line, sizeof line };
  struct msghdr msg = { .msg_iov = &iov,
                        .msg_iovlen = 1,
                        .msg_control = control,
                        .msg_controllen = CMSG_SPACE (count * sizeof (int)) };
  struct cmsghdr *head = CMSG_FIRSTHDR (&msg);

  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN (count * sizeof (int));
  memcpy (CMSG_DATA (head), fds, count * sizeof (int));
  return sendmsg (CONTROL, &msg, 0) >= 0;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int fds[DESCRIPTORS], sent = 0;

  for (int i = 0; i < DESCRIPTORS; i++)
    fds[i] = dup (0);
  for (int i = 0; i < TIMES; i++)
    sent += send_with (fds, DESCRIPTORS) ? DESCRIPTORS : 0;
  for (int i = 0; i < DESCRIPTORS; i++)
    (void) close (fds[i]);
  return toolhost_textf (call, "%d", sent);
}

HOSTILE ("send_fds", TOOLHOST_SERIAL, "Sends descriptors to the host.", HOSTILE_NO_ARGUMENTS)

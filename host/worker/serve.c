#include "worker/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/frame.h"
#include "worker/crew.h"
#include "worker/outbox.h"

enum { MOST_FDS = 16, NAG_MS = 20 };

/* One datagram with the descriptors that came along. */
struct datagram {
  char *data; /* FRAME_MAX bytes */
  size_t len;
  int fds[MOST_FDS];
  size_t fds_count, fds_taken;
};

/* The daemon is of our build and doesn't say nonsense: whatever this is, it is not the daemon. */
static void __attribute__ ((noreturn)) protocol_error (const char *what)
{
  (void) fprintf (stderr, "toolhost-worker: unreadable frame: %s\n", what);
  _exit (WORKER_EXIT_PROTOCOL);
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

static void
close_descriptors (struct datagram *in)
{
  while (in->fds_taken < in->fds_count)
    (void) close (in->fds[in->fds_taken++]);
}

/* False: the daemon is gone. */
static bool
receive (struct datagram *in)
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE (MOST_FDS * sizeof (int))];
  struct iovec iov = { in->data, FRAME_MAX };
  struct msghdr msg = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  ssize_t len;

  do
    len = recvmsg (FD_CONTROL, &msg, MSG_CMSG_CLOEXEC);
  while (len < 0 && errno == EINTR);
  if (len <= 0)
    return false;
  in->len = (size_t) len;
  take_descriptors (in, &msg);
  if ((msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    protocol_error ("a datagram that is too long, or more descriptors than may be open");
  return true;
}

long
serve_hello (char *at)
{
  struct datagram in = { .data = at };
  struct frame_head head;
  const char *payload;
  size_t len;

  if (!receive (&in))
    return -1;
  close_descriptors (&in);
  if (frame_next (in.data, in.len, &head, &payload, &len) <= 0 || head.kind != FRAME_HELLO)
    return -1;
  memmove (at, payload, len);
  return (long) len;
}

/* ---- frames ----------------------------------------------------------------------------- */

/* Arguments in a memfd: mapped for as long as the call lives. */
static const char *
map_arguments (struct datagram *in, struct crew_call *call, size_t len)
{
  CLEANUP_FD int fd = -1;
  struct stat st;
  void *map;

  if (in->fds_taken == in->fds_count)
    protocol_error ("a CALL lacks its descriptor");
  fd = in->fds[in->fds_taken++];
  if (len == 0 || fstat (fd, &st) < 0 || st.st_size < 0 || (uint64_t) st.st_size < len)
    protocol_error ("a CALL's descriptor is shorter than its arguments");
  map = mmap (NULL, len, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return NULL;
  call->mapped = map;
  call->mapped_len = len;
  return map;
}

static void
fill_texts (struct crew_call *call, const struct frame_call *head, const char *args,
            const char *meta)
{
  struct arena *arena = &call->call.arena;

  if (call->mapped == NULL)
    args = arena_strndup (arena, args, head->args_len);
  tool_call_texts (&call->call, args, head->args_len, arena_strndup (arena, meta, head->meta_len),
                   head->meta_len);
  call->call.wants_progress = (head->flags & FRAME_CALL_PROGRESS) != 0;
}

static void
answer_no_memory (struct crew *crew, struct crew_call *call, uint64_t id)
{
  static const char code[] = "out_of_memory";
  static const char message[] = "the arguments are larger than the tool's memory allows";
  const struct frame_result result = { .outcome = FRAME_OUTCOME_FAILED,
                                       .code_len = sizeof code - 1,
                                       .message_len = sizeof message - 1 };

  outbox_result (
    crew->outbox, id, &result,
    (struct piece_of_frame[]){ { code, sizeof code - 1 }, { message, sizeof message - 1 } }, 2);
  outbox_flush (crew->outbox);
  crew_drop (crew, call);
}

static void
on_call (struct crew *crew, struct datagram *in, const struct frame_head *head, const char *payload,
         size_t len)
{
  const bool apart = (head->flags & FRAME_FD) != 0;
  struct frame_call want;
  struct crew_call *call;
  const char *args = payload + sizeof want, *meta = args;

  if (len < sizeof want)
    protocol_error ("a CALL is too short");
  memcpy (&want, payload, sizeof want);
  if ((uint64_t) sizeof want + (apart ? 0 : want.args_len) + want.meta_len != len
      || want.tool >= crew->plugin->tools_count)
    protocol_error ("a CALL's lengths or its tool are wrong");
  call = crew_new (crew);
  tool_call_begin (&call->call, &crew->host, &crew->plugin->tools[want.tool], head->call,
                   want.deadline_ns, crew->result_max);
  if (!apart)
    meta += want.args_len;
  else if ((args = map_arguments (in, call, want.args_len)) == NULL) {
    answer_no_memory (crew, call, head->call);
    return;
  }
  fill_texts (call, &want, args, meta);
  crew_add (crew, call);
}

static void
on_cancel (struct crew *crew, const struct frame_head *head, const char *payload, size_t len)
{
  struct frame_cancel cancel;

  if (len != sizeof cancel)
    protocol_error ("a CANCEL of another length");
  memcpy (&cancel, payload, sizeof cancel);
  crew_cancel (crew, head->call, cancel.grace_ms);
}

/* ---- the loop --------------------------------------------------------------------------- */

struct io {
  struct crew *crew;
  bool nagging;   /* a cancelled call still runs */
  int64_t nag_at; /* when its thread gets the next signal */
  bool watching;  /* a burst of quick calls is being worked off */
  bool leaving;   /* the daemon said BYE */
};

static void
on_frame (struct io *io, struct datagram *in, const struct frame_head *head, const char *payload,
          size_t len)
{
  switch (head->kind) {
  case FRAME_CALL:
    if (!io->leaving)
      on_call (io->crew, in, head, payload, len);
    break;
  case FRAME_CANCEL:
    on_cancel (io->crew, head, payload, len);
    io->nagging = true;
    io->nag_at = 0;
    break;
  case FRAME_BYE:
    io->leaving = true;
    crew_drain (io->crew);
    break;
  default:
    protocol_error ("a kind that no worker is sent");
  }
}

static void
on_datagram (struct io *io, struct datagram *in)
{
  struct frame_head head;
  const char *payload;
  size_t payload_len, at = 0;
  long step;

  while ((step = frame_next (in->data + at, in->len - at, &head, &payload, &payload_len)) > 0) {
    on_frame (io, in, &head, payload, payload_len);
    at += (size_t) step;
  }
  if (step < 0)
    protocol_error ("a head that is malformed");
  close_descriptors (in);
  io->watching = crew_kick (io->crew) || io->watching;
}

static int64_t
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Signal the threads of cancelled calls when it is time; how long to wait then, as poll wants it.
 */
static int
nag (struct io *io)
{
  int64_t now = now_ms ();

  if (io->nagging && now >= io->nag_at) {
    io->nagging = crew_nag (io->crew);
    io->nag_at = now + NAG_MS;
  }
  return io->nagging ? (int) (io->nag_at - now) : -1;
}

/* While nothing has to be done in between, waiting in recvmsg is enough.  True: a datagram may be
 * there; false: look again. */
static bool
wait_for_work (struct io *io, bool *done)
{
  struct pollfd fds[2] = { { .fd = FD_CONTROL, .events = POLLIN },
                           { .fd = io->crew->drained_fd, .events = POLLIN } };

  int ready, wait;

  if (!io->nagging && !io->leaving && !io->watching)
    return true;
  wait = nag (io);
  ready = poll (fds, 2, io->watching ? WATCH_MS : wait);
  if (ready == 0 && io->watching)
    io->watching = crew_watch (io->crew);
  if (ready <= 0)
    return false;
  *done = fds[1].revents != 0;
  return fds[0].revents != 0;
}

void
serve (struct crew *crew)
{
  struct datagram in = { .data = xmalloc (FRAME_MAX) };
  struct io io = { .crew = crew };
  bool done = false;

  while (!done)
    if (wait_for_work (&io, &done) && !done) {
      if (!receive (&in))
        _exit (WORKER_EXIT_OK);
      on_datagram (&io, &in);
    }
  free (in.data);
}

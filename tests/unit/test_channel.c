/* The daemon's end of the line to a worker, against a peer that does what no worker of ours does.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "pool/channel.h"
#include "tap.h"

enum { CALL_ROOM = 60000, BIG = 50000 };

struct fixture {
  struct ev_loop *loop;
  struct channel channel;
  char *room; /* FRAME_MAX bytes */
  int ready, writable;
  /* what was taken */
  unsigned frames;
  struct frame_head last;
  size_t bytes;
  bool (*also) (struct fixture *f);
  /* the peer */
  int control;
  int fds[3]; /* the two segments, and what did not fit HELLO */
  const void *down;
  struct ring_side *up;
  struct ring_out out;
  struct ring_in in;
};

static void
on_ready (struct channel *channel)
{
  ((struct fixture *) channel->owner)->ready++;
}

static void
on_writable (struct channel *channel)
{
  ((struct fixture *) channel->owner)->writable++;
}

static const struct channel_events events = { .ready = on_ready, .writable = on_writable };

static bool
take (void *owner, const struct frame *frame)
{
  struct fixture *f = owner;

  f->frames++;
  f->last = frame->head;
  f->bytes += frame->len;
  return f->also == NULL || f->also (f);
}

static enum channel_news
receive (struct fixture *f)
{
  return channel_receive (&f->channel, f->room, take);
}

/* ---- the peer --------------------------------------------------------------------------- */

static ssize_t
peer_datagram (struct fixture *f, struct frame_head *head)
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE (4 * sizeof (int))];
  struct iovec iov = { f->room, FRAME_MAX };
  struct msghdr msg = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  ssize_t n = recvmsg (f->control, &msg, MSG_DONTWAIT);
  struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR (&msg) : NULL;

  if (n >= (ssize_t) sizeof *head)
    memcpy (head, f->room, sizeof *head);
  if (c != NULL)
    memcpy (f->fds, CMSG_DATA (c), c->cmsg_len - CMSG_LEN (0));
  return n;
}

/* Bytes of the one datagram that is there, and its kind. */
static int
peer_kind (struct fixture *f)
{
  struct frame_head head = { 0 };
  return peer_datagram (f, &head) > 0 ? head.kind : -1;
}

/* As much as there is, or the frames of one call. */
static long
peer_read (struct fixture *f)
{
  long len = ring_peek (&f->in, f->room, FRAME_MAX);
  (void) ring_take (&f->in, (size_t) len);
  return len;
}

/* True: the daemon wants a knock. */
static bool
peer_say (struct fixture *f, enum frame_kind kind, size_t len)
{
  char *frame = xcalloc (1, FRAME_MAX);
  char *text = xcalloc (1, FRAME_MAX);
  size_t size = frame_put (frame, FRAME_MAX, kind, 0, 1, text, len, NULL, 0, NULL, 0);

  CU_ASSERT (ring_room (&f->out) >= (long) size);
  ring_put (&f->out, frame, size);
  free (frame);
  free (text);
  return ring_publish (&f->out);
}

static struct frame_head
setup_with (struct fixture *f, const struct buf *hello)
{
  struct frame_head head = { 0 };
  struct error err;
  int ends[2];

  memset (f, 0, sizeof *f);
  f->fds[2] = -1;
  f->loop = ev_loop_new (EVFLAG_AUTO);
  f->room = xmalloc (FRAME_MAX);
  CU_ASSERT_EQUAL_FATAL (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  f->control = ends[1];
  CU_ASSERT_FATAL (channel_open (&f->channel, f->loop, &events, f, ends[0], hello, &err));
  CU_ASSERT (peer_datagram (f, &head) > 0);
  CU_ASSERT_EQUAL (head.kind, FRAME_HELLO);
  f->down = mmap (NULL, RING_SEGMENT, PROT_READ, MAP_SHARED, f->fds[0], 0);
  f->up = mmap (NULL, RING_SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, f->fds[1], 0);
  CU_ASSERT_FATAL (f->down != MAP_FAILED && f->up != MAP_FAILED);
  ring_out_init (&f->out, f->up, f->down);
  ring_in_init (&f->in, f->up, f->down);
  return head;
}

static void
setup (struct fixture *f)
{
  CLEANUP_BUF struct buf hello = { 0 };

  buf_puts (&hello, "{}");
  CU_ASSERT_EQUAL (setup_with (f, &hello).flags, 0);
  CU_ASSERT_EQUAL (f->fds[2], -1);
}

static void
teardown (struct fixture *f)
{
  channel_close (&f->channel);
  channel_close (&f->channel); /* again, without harm */
  CU_ASSERT_EQUAL (receive (f), CHANNEL_CLOSED);
  munmap ((void *) f->down, RING_SEGMENT);
  munmap (f->up, RING_SEGMENT);
  close (f->fds[0]);
  close (f->fds[1]);
  close (f->control);
  free (f->room);
  ev_loop_destroy (f->loop);
}

static void
put_call (struct fixture *f, uint64_t call, size_t len)
{
  char *args = xcalloc (1, len);

  channel_put (&f->channel, FRAME_CALL, call, args, len, NULL, 0, NULL, 0);
  free (args);
}

/* ---- segments --------------------------------------------------------------------------- */

static void
test_what_the_worker_can_do_with_the_segments (void)
{
  struct fixture f;
  void *map;

  setup (&f);
  map = mmap (NULL, RING_SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, f.fds[0], 0);
  CU_ASSERT_PTR_EQUAL (map, MAP_FAILED);
  CU_ASSERT_NOT_EQUAL (mprotect ((void *) f.down, RING_SEGMENT, PROT_READ | PROT_WRITE), 0);
  CU_ASSERT_EQUAL (write (f.fds[0], "x", 1), -1);
  for (int i = 0; i < 2; i++) {
    CU_ASSERT_NOT_EQUAL (ftruncate (f.fds[i], 0), 0);
    CU_ASSERT_NOT_EQUAL (ftruncate (f.fds[i], 1 << 30), 0);
  }
  CU_ASSERT_NOT_EQUAL (fcntl (f.fds[0], F_ADD_SEALS, F_SEAL_WRITE), 0);
  /* what worker/segments.c adds to its own */
  CU_ASSERT_EQUAL (fcntl (f.fds[1], F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL), 0);
  CU_ASSERT_NOT_EQUAL (
    fallocate (f.fds[1], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, RING_SEGMENT), 0);
  CU_ASSERT_NOT_EQUAL (madvise (f.up, RING_SEGMENT, MADV_REMOVE), 0);
  teardown (&f);
}

/* A megabyte of configuration comes as a file that nobody can change. */
static void
test_a_large_hello (void)
{
  enum { LARGE = 1 << 20 };
  CLEANUP_BUF struct buf hello = { 0 };
  CLEANUP_FREE char *got = xmalloc (LARGE);
  struct fixture f;
  struct frame_head head;

  memset (buf_reserve (&hello, LARGE), 'x', LARGE);
  hello.len = LARGE;
  head = setup_with (&f, &hello);
  CU_ASSERT_EQUAL (head.flags, FRAME_FD);
  CU_ASSERT_EQUAL (head.size, sizeof head);
  CU_ASSERT_FATAL (f.fds[2] >= 0);
  CU_ASSERT_EQUAL (pread (f.fds[2], got, LARGE, 0), LARGE);
  CU_ASSERT_EQUAL (memcmp (got, hello.data, LARGE), 0);
  CU_ASSERT_EQUAL (pwrite (f.fds[2], "y", 1, 0), -1);
  CU_ASSERT_NOT_EQUAL (ftruncate (f.fds[2], 0), 0);
  CU_ASSERT_PTR_EQUAL (mmap (NULL, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fds[2], 0),
                       MAP_FAILED);
  close (f.fds[2]);
  teardown (&f);
}

/* ---- downwards -------------------------------------------------------------------------- */

static void
test_one_knock_for_what_a_turn_has_put (void)
{
  struct fixture f;

  setup (&f);
  CU_ASSERT (ring_listen (&f.in)); /* the worker sleeps */
  put_call (&f, 1, 10);
  put_call (&f, 2, 10);
  CU_ASSERT_EQUAL (peer_read (&f), 0);
  CU_ASSERT (channel_flush (&f.channel));
  CU_ASSERT_EQUAL (peer_kind (&f), FRAME_KNOCK);
  CU_ASSERT_EQUAL (peer_kind (&f), -1);
  CU_ASSERT_EQUAL (peer_read (&f), 2 * 32);
  put_call (&f, 3, 10);
  CU_ASSERT (channel_flush (&f.channel));
  CU_ASSERT_EQUAL (peer_kind (&f), -1); /* it was knocked at already */
  ring_awake (&f.in);
  put_call (&f, 4, 10);
  CU_ASSERT (channel_flush (&f.channel));
  CU_ASSERT_EQUAL (peer_kind (&f), -1); /* it is awake */
  CU_ASSERT_EQUAL (peer_read (&f), 2 * 32);
  CU_ASSERT_FALSE (f.channel.stuck);
  teardown (&f);
}

/* A letter waits for the calls before it, and the calls for room. */
static void
test_a_cancel_does_not_overtake_its_call (void)
{
  const uint64_t calls = RING_SIZE / BIG + 3;
  struct fixture f;

  setup (&f);
  for (uint64_t i = 1; i <= calls; i++)
    put_call (&f, i, BIG);
  channel_put (&f.channel, FRAME_CANCEL, calls, NULL, 0, NULL, 0, NULL, 0);
  CU_ASSERT (channel_flush (&f.channel));
  CU_ASSERT (f.channel.stuck);
  CU_ASSERT_FALSE (channel_is_full (&f.channel));
  CU_ASSERT_EQUAL (peer_kind (&f), -1);
  while (f.channel.stuck) {
    long len = ring_peek (&f.in, f.room, FRAME_MAX);
    CU_ASSERT (len >= BIG);
    CU_ASSERT (ring_take (&f.in, frame_padded (BIG + sizeof (struct frame_head)))); /* told so */
    CU_ASSERT (channel_flush (&f.channel));
  }
  CU_ASSERT_EQUAL (peer_kind (&f), FRAME_CANCEL);
  teardown (&f);
}

static void
test_a_worker_that_never_reads (void)
{
  struct fixture f;

  setup (&f);
  for (uint64_t i = 1; !channel_is_full (&f.channel); i++) {
    CU_ASSERT_FATAL (i < 1000);
    put_call (&f, i, CALL_ROOM);
    CU_ASSERT (channel_flush (&f.channel));
  }
  CU_ASSERT (f.channel.stuck);
  teardown (&f);
}

static void
test_a_full_socket (void)
{
  struct fixture f;
  unsigned sent = 0, got = 0;

  setup (&f);
  while (!f.channel.stuck && sent < 100000) {
    channel_put (&f.channel, FRAME_CANCEL, ++sent, NULL, 0, NULL, 0, NULL, 0);
    CU_ASSERT (channel_flush (&f.channel));
  }
  CU_ASSERT (f.channel.stuck);
  CU_ASSERT_EQUAL (f.writable, 0);
  while (got < sent) {
    while (peer_kind (&f) == FRAME_CANCEL)
      got++;
    if (f.channel.stuck) {
      while (f.writable == 0)
        ev_run (f.loop, EVRUN_ONCE);
      CU_ASSERT (channel_flush (&f.channel));
    }
  }
  CU_ASSERT_EQUAL (got, sent);
  CU_ASSERT_FALSE (f.channel.stuck);
  teardown (&f);
}

static void
test_a_consumer_that_lies (void)
{
  static const uint32_t lies[] = { 4, 64, UINT32_MAX - 7, RING_SIZE };
  struct fixture f;

  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    setup (&f);
    put_call (&f, 1, 10);
    CU_ASSERT (channel_flush (&f.channel));
    f.up->consumed = lies[i];
    put_call (&f, 2, 10);
    CU_ASSERT_FALSE (channel_flush (&f.channel));
    CU_ASSERT_PTR_NOT_NULL (strstr (f.channel.problem, "index"));
    teardown (&f);
  }
}

/* ---- upwards ---------------------------------------------------------------------------- */

static void
test_frames_of_both_ways_are_taken (void)
{
  const struct frame_head bye = { .size = sizeof bye, .kind = FRAME_BYE };
  struct fixture f;

  setup (&f);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);
  CU_ASSERT_FALSE (f.channel.received);
  (void) peer_say (&f, FRAME_LOG, 100);
  (void) peer_say (&f, FRAME_RESULT, 40000);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);
  CU_ASSERT (f.channel.received);
  CU_ASSERT_EQUAL (f.frames, 2);
  CU_ASSERT_EQUAL (f.bytes, 40100);
  CU_ASSERT_EQUAL (f.last.kind, FRAME_RESULT);
  (void) peer_say (&f, FRAME_LOG, 8);
  CU_ASSERT_EQUAL (send (f.control, &bye, sizeof bye, 0), sizeof bye);
  close (f.control);
  f.control = -1;
  (void) receive (&f);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_CLOSED); /* and what it had said was not lost */
  CU_ASSERT_EQUAL (f.frames, 4);
  teardown (&f);
}

/* Each frame that is taken makes room for another one. */
static bool
say_more (struct fixture *f)
{
  if (ring_room (&f->out) > CALL_ROOM + 64)
    (void) peer_say (f, FRAME_LOG, CALL_ROOM);
  return true;
}

static void
test_a_flood_is_bounded_and_comes_back (void)
{
  struct fixture f;

  setup (&f);
  f.also = say_more;
  (void) peer_say (&f, FRAME_LOG, CALL_ROOM);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);
  CU_ASSERT (f.bytes <= RING_SIZE / 4 + FRAME_MAX);
  CU_ASSERT (f.frames > 1);
  CU_ASSERT_EQUAL (f.ready, 0);
  ev_run (f.loop, EVRUN_ONCE); /* without a knock */
  CU_ASSERT_EQUAL (f.ready, 1);
  teardown (&f);
}

static void
test_a_rest (void)
{
  struct fixture f;

  setup (&f);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);
  channel_rest (&f.channel, 0.001);
  CU_ASSERT_FALSE (peer_say (&f, FRAME_LOG, 16)); /* nobody is to knock */
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);   /* as if it did */
  CU_ASSERT_FALSE (peer_say (&f, FRAME_LOG, 16));
  CU_ASSERT_EQUAL (f.frames, 0);
  while (f.ready == 0)
    ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_OPEN);
  CU_ASSERT_EQUAL (f.frames, 2);
  CU_ASSERT_TRUE (peer_say (&f, FRAME_LOG, 16));
  teardown (&f);
}

static bool
stop (struct fixture *f)
{
  return f->frames < 2;
}

static void
test_whoever_takes_can_stop (void)
{
  struct fixture f;

  setup (&f);
  f.also = stop;
  for (int i = 0; i < 4; i++)
    (void) peer_say (&f, FRAME_LOG, 16);
  CU_ASSERT_EQUAL (receive (&f), CHANNEL_STOPPED);
  CU_ASSERT_EQUAL (f.frames, 2);
  teardown (&f);
}

static void
test_malformed_frames (void)
{
  static const struct {
    struct frame_head head;
    uint32_t produced;
  } cases[] = {
    { { .size = 0, .kind = FRAME_LOG }, 16 },
    { { .size = 15, .kind = FRAME_LOG }, 16 },
    { { .size = 17, .kind = FRAME_LOG }, 16 }, /* beyond what there is */
    { { .size = FRAME_MAX + 1, .kind = FRAME_LOG }, RING_SIZE },
    { { .size = UINT32_MAX, .kind = FRAME_LOG }, RING_SIZE },
    { { .size = 16, .kind = 0 }, 16 },
    { { .size = 16, .kind = FRAME_KINDS }, 16 },
    { { .size = 16, .kind = FRAME_LOG }, 8 },
    { { .size = 16, .kind = FRAME_LOG }, 24 }, /* and half a head behind it */
    { { .size = 16, .kind = FRAME_LOG }, RING_SIZE + 8 },
    { { .size = 16, .kind = FRAME_LOG }, 17 },
  };
  struct fixture f;

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setup (&f);
    memcpy ((char *) f.up + RING_HEAD, &cases[i].head, sizeof cases[i].head);
    f.up->produced = cases[i].produced;
    if (receive (&f) != CHANNEL_BROKEN) {
      printf ("# case %zu was let through\n", i);
      CU_FAIL ("a malformed frame was let through");
    }
    CU_ASSERT_PTR_NOT_NULL (f.channel.problem);
    teardown (&f);
  }
}

/* Whatever is in the ring: what is taken lies within what was copied (AddressSanitizer looks too),
 * and a turn ends. */
static void
test_random_segments (void)
{
  enum { ROUNDS = 3000 };
  unsigned seed = 3, taken = 0;
  struct fixture f;

  setup (&f);
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t *words = (uint32_t *) (void *) ((char *) f.up + RING_HEAD);
    uint32_t len = (uint32_t) rand_r (&seed) % RING_SIZE & ~7U;
    for (uint32_t at = 0; at < 256; at += 4) {
      words[at] = (uint32_t) rand_r (&seed) % 64 * ((uint32_t) rand_r (&seed) % 8 != 0 ? 1 : 4096);
      words[at + 1] = (uint32_t) rand_r (&seed) % (FRAME_KINDS + 1);
    }
    ring_in_init (&f.channel.in, f.channel.down, f.channel.up);
    f.up->produced = len;
    f.bytes = 0;
    if (receive (&f) != CHANNEL_BROKEN)
      CU_ASSERT (len == 0 || f.bytes <= RING_SIZE);
    taken += f.frames;
    f.frames = 0;
  }
  CU_ASSERT (taken > 0);
  teardown (&f);
}

#ifndef __SANITIZE_THREAD__ /* the race is what is tested */
struct flipper {
  struct fixture *f;
  atomic_bool done;
};

static void *
flip (void *arg)
{
  struct flipper *flipper = arg;
  volatile unsigned char *bytes = (volatile unsigned char *) flipper->f->up;
  unsigned seed = 5;

  while (!atomic_load (&flipper->done)) {
    size_t at = (size_t) rand_r (&seed) % 4096;
    bytes[at < 512 ? at : RING_HEAD + at] ^= (unsigned char) (1U << (unsigned) rand_r (&seed) % 8);
  }
  return NULL;
}

static void
test_bytes_that_change_while_they_are_read (void)
{
  enum { ROUNDS = 20000 };
  struct fixture f;
  struct flipper flipper = { .f = &f };
  pthread_t thread;
  unsigned broken = 0;

  setup (&f);
  CU_ASSERT_EQUAL_FATAL (pthread_create (&thread, NULL, flip, &flipper), 0);
  for (int i = 0; i < ROUNDS; i++) {
    ring_in_init (&f.channel.in, f.channel.down, f.channel.up);
    broken += receive (&f) == CHANNEL_BROKEN;
  }
  atomic_store (&flipper.done, true);
  pthread_join (thread, NULL);
  CU_ASSERT (broken > 0);
  teardown (&f);
}
#endif

static CU_TestInfo tests[] = {
  { "what the worker can do with the segments", test_what_the_worker_can_do_with_the_segments },
  { "a HELLO that is too large for a frame", test_a_large_hello },
  { "one knock for what a turn has put", test_one_knock_for_what_a_turn_has_put },
  { "a CANCEL does not overtake its CALL", test_a_cancel_does_not_overtake_its_call },
  { "a worker that never reads", test_a_worker_that_never_reads },
  { "a full socket", test_a_full_socket },
  { "a consumer that lies", test_a_consumer_that_lies },
  { "frames of both ways are taken", test_frames_of_both_ways_are_taken },
  { "a flood is bounded, and comes back", test_a_flood_is_bounded_and_comes_back },
  { "a rest", test_a_rest },
  { "whoever takes can stop", test_whoever_takes_can_stop },
  { "malformed frames", test_malformed_frames },
  { "random segments", test_random_segments },
#ifndef __SANITIZE_THREAD__
  { "bytes that change while they are read", test_bytes_that_change_while_they_are_read },
#endif
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "channel", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

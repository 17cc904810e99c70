/* doorbell - what it takes at least to have another process do something and to wait for it: a
 * round trip between two processes, by each of the doorbells there could be.
 *
 * doorbell [ROUNDS], on the core it was started on (taskset), prints one JSON object: microseconds
 * by name.  "socket" is what daemon and worker do: a datagram down, one up, for which epoll waits.
 * "eventfd" has two eventfds instead. "futex" has a futex down, in memory that both have, and an
 * eventfd up. "pipe" has two pipes, whose ends are open files of their own: unlike an eventfd's,
 * no end of them can be made to block by who has the other. */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { RUNS = 11, ROUNDS = 20000 };

/* One way: what is written to one end is read from the other. */
struct way {
  int in, out;
};

struct line {
  struct way down, up;
  size_t size; /* bytes of a knock */
  _Atomic uint32_t *turn;
};

static void __attribute__ ((noreturn)) give_up (const char *what)
{
  perror (what);
  exit (1);
}

static void
check (bool good, const char *what)
{
  if (!good)
    give_up (what);
}

/* ---- the doorbells ---------------------------------------------------------------------- */

static void
open_sockets (struct line *line)
{
  int ends[2];

  check (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
  line->down = (struct way){ .in = ends[0], .out = ends[1] };
  line->up = (struct way){ .in = ends[1], .out = ends[0] };
  line->size = 1;
}

static struct way
open_eventfd (void)
{
  int fd = eventfd (0, EFD_CLOEXEC);

  check (fd >= 0, "eventfd");
  return (struct way){ fd, fd };
}

static void
open_eventfds (struct line *line)
{
  line->down = open_eventfd ();
  line->up = open_eventfd ();
  line->size = sizeof (eventfd_t);
}

static struct way
open_pipe (void)
{
  int ends[2];

  check (pipe2 (ends, O_CLOEXEC) == 0, "pipe2");
  return (struct way){ .in = ends[1], .out = ends[0] };
}

static void
open_pipes (struct line *line)
{
  line->down = open_pipe ();
  line->up = open_pipe ();
  line->size = 1;
}

static void
knock (const struct way *way, size_t size)
{
  const eventfd_t once = 1;

  check (write (way->in, &once, size) == (ssize_t) size, "write");
}

static void
hear (const struct way *way, size_t size)
{
  eventfd_t count;

  check (read (way->out, &count, size) == (ssize_t) size, "read");
}

static void
knock_down (struct line *line)
{
  knock (&line->down, line->size);
}

static void
hear_below (struct line *line)
{
  hear (&line->down, line->size);
}

static void
wake_futex (struct line *line)
{
  atomic_store (line->turn, 1);
  check (syscall (SYS_futex, line->turn, FUTEX_WAKE, 1, NULL, NULL, 0) >= 0, "futex");
}

static void
wait_futex (struct line *line)
{
  while (atomic_exchange (line->turn, 0) == 0)
    (void) syscall (SYS_futex, line->turn, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static const struct doorbell {
  const char *name;
  void (*open) (struct line *line);
  void (*down) (struct line *line);
  void (*await) (struct line *line);
} doorbells[] = {
  { "socket", open_sockets, knock_down, hear_below },
  { "eventfd", open_eventfds, knock_down, hear_below },
  { "futex", open_eventfds, wake_futex, wait_futex },
  { "pipe", open_pipes, knock_down, hear_below },
};

enum { DOORBELLS = sizeof doorbells / sizeof *doorbells };

/* ---- measuring -------------------------------------------------------------------------- */

static void
open_line (struct line *line, const struct doorbell *doorbell)
{
  doorbell->open (line);
  line->turn =
    mmap (NULL, sizeof *line->turn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check (line->turn != MAP_FAILED, "mmap");
}

/* Ends that are the same descriptor, or each other's, are closed once. */
static void
close_line (struct line *line)
{
  const int ends[] = { line->down.in, line->down.out, line->up.in, line->up.out };

  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    bool seen = false;
    for (size_t k = 0; k < i; k++)
      seen |= ends[k] == ends[i];
    if (!seen)
      (void) close (ends[i]);
  }
  (void) munmap (line->turn, sizeof *line->turn);
}

static pid_t
start_other (const struct doorbell *doorbell, struct line *line)
{
  pid_t pid = fork ();

  check (pid >= 0, "fork");
  if (pid != 0)
    return pid;
  check (prctl (PR_SET_PDEATHSIG, SIGKILL) == 0, "prctl");
  for (;;) {
    doorbell->await (line);
    knock (&line->up, line->size);
  }
}

/* Microseconds of a round. */
static double
measure (const struct doorbell *doorbell, int rounds)
{
  struct line line;
  struct epoll_event event = { .events = EPOLLIN };
  int epoll = epoll_create1 (EPOLL_CLOEXEC);
  int64_t begun;
  pid_t other;

  open_line (&line, doorbell);
  check (epoll >= 0 && epoll_ctl (epoll, EPOLL_CTL_ADD, line.up.out, &event) == 0, "epoll");
  other = start_other (doorbell, &line);
  begun = clock_ns ();
  for (int i = 0; i < rounds; i++) {
    doorbell->down (&line);
    check (epoll_wait (epoll, &event, 1, -1) == 1, "epoll_wait");
    hear (&line.up, line.size);
  }
  begun = clock_ns () - begun;
  check (kill (other, SIGKILL) == 0 && waitpid (other, NULL, 0) == other, "the other process");
  (void) close (epoll);
  close_line (&line);
  return (double) begun / 1e3 / rounds;
}

static int
by_value (const void *a, const void *b)
{
  const double *one = a, *other = b;

  return (*one > *other) - (*one < *other);
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : ROUNDS;
  double found[DOORBELLS][RUNS];

  for (size_t run = 0; run < RUNS; run++)
    for (size_t i = 0; i < DOORBELLS; i++)
      found[i][run] = measure (&doorbells[i], rounds > 0 ? rounds : ROUNDS);
  for (size_t i = 0; i < DOORBELLS; i++) {
    qsort (found[i], RUNS, sizeof *found[i], by_value);
    (void) printf ("%s\"%s\": %.2f", i == 0 ? "{" : ", ", doorbells[i].name, found[i][RUNS / 2]);
  }
  (void) printf ("}\n");
}

/* doorbell - what it takes at least to have another process do something and to wait for it: a
 * round trip between two processes, by each of the doorbells there could be.
 *
 * doorbell [ROUNDS], on the core it was started on (taskset), prints one JSON object: microseconds
 * by name.  "socket" is what daemon and worker do: a datagram down, one up, for which epoll waits.
 * "eventfd" has two eventfds instead. "futex" has a futex down, in memory that both have, and an
 * eventfd up. */
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

struct line {
  int here, there; /* the two ends of a socket */
  int down, up;    /* eventfds */
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
send_byte (int fd)
{
  check (send (fd, "", 1, 0) == 1, "send");
}

static void
take_byte (int fd)
{
  char byte;

  check (recv (fd, &byte, 1, 0) == 1, "recv");
}

static void
count_up (int fd)
{
  check (eventfd_write (fd, 1) == 0, "eventfd_write");
}

static void
take_count (int fd)
{
  eventfd_t count;

  check (eventfd_read (fd, &count) == 0, "eventfd_read");
}

static void
socket_down (struct line *line)
{
  send_byte (line->here);
}

static void
socket_await (struct line *line)
{
  take_byte (line->there);
}

static void
socket_up (struct line *line)
{
  send_byte (line->there);
}

static void
socket_back (struct line *line)
{
  take_byte (line->here);
}

static void
eventfd_down (struct line *line)
{
  count_up (line->down);
}

static void
eventfd_await (struct line *line)
{
  take_count (line->down);
}

static void
eventfd_up (struct line *line)
{
  count_up (line->up);
}

static void
eventfd_back (struct line *line)
{
  take_count (line->up);
}

static void
futex_down (struct line *line)
{
  atomic_store (line->turn, 1);
  check (syscall (SYS_futex, line->turn, FUTEX_WAKE, 1, NULL, NULL, 0) >= 0, "futex");
}

static void
futex_await (struct line *line)
{
  while (atomic_exchange (line->turn, 0) == 0)
    (void) syscall (SYS_futex, line->turn, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static const struct doorbell {
  const char *name;
  void (*down) (struct line *line);
  void (*await) (struct line *line);
  void (*up) (struct line *line);
  void (*back) (struct line *line);
  bool by_socket;
} doorbells[] = {
  { "socket", socket_down, socket_await, socket_up, socket_back, true },
  { "eventfd", eventfd_down, eventfd_await, eventfd_up, eventfd_back, false },
  { "futex", futex_down, futex_await, eventfd_up, eventfd_back, false },
};

enum { DOORBELLS = sizeof doorbells / sizeof *doorbells };

/* ---- measuring -------------------------------------------------------------------------- */

static void
open_line (struct line *line)
{
  int ends[2];

  check (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
  *line = (struct line){ .here = ends[0],
                         .there = ends[1],
                         .down = eventfd (0, EFD_CLOEXEC),
                         .up = eventfd (0, EFD_CLOEXEC),
                         .turn = mmap (NULL, sizeof *line->turn, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
  check (line->down >= 0 && line->up >= 0 && line->turn != MAP_FAILED, "a line");
}

static void
close_line (struct line *line)
{
  (void) close (line->here);
  (void) close (line->there);
  (void) close (line->down);
  (void) close (line->up);
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
    doorbell->up (line);
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

  open_line (&line);
  check (epoll >= 0
           && epoll_ctl (epoll, EPOLL_CTL_ADD, doorbell->by_socket ? line.here : line.up, &event)
                == 0,
         "epoll");
  other = start_other (doorbell, &line);
  begun = clock_ns ();
  for (int i = 0; i < rounds; i++) {
    doorbell->down (&line);
    check (epoll_wait (epoll, &event, 1, -1) == 1, "epoll_wait");
    doorbell->back (&line);
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

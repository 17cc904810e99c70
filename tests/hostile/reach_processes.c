/* Tries to signal and to get hold of every process there may be, and those it is told of with a
 * signal that would end them (tracing, reading and writing them is among the deeds of forbidden.c).
 * Tells how many tries went through: none. */
#include "hostile.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAST_PID = 32768 };

static int
reach (pid_t pid, int number)
{
  const long tries[] = {
    kill (pid, number),
    syscall (SYS_tgkill, pid, pid, number),
    syscall (SYS_tkill, pid, number),
    syscall (SYS_pidfd_open, pid, 0),
    syscall (SYS_kcmp, pid, getpid (), 0, 0, 0),
    syscall (SYS_setpriority, 0, pid, 19),
    syscall (SYS_sched_setaffinity, pid, sizeof pid, &pid),
  };
  int through = 0;

  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
    through += tries[i] >= 0;
  return through;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_value pid;
  char where[32];
  int through = kill (-1, SIGKILL) >= 0;

  for (int i = 1; i <= LAST_PID; i++)
    through += i == getpid () ? 0 : reach (i, 0);
  for (int i = 0; snprintf (where, sizeof where, "/pids/%d", i) > 0
                  && toolhost_arg (call, where, &pid) == TOOLHOST_OK && pid.type == TOOLHOST_INT;
       i++)
    through += reach ((pid_t) pid.integer, SIGKILL);
  return toolhost_textf (call, "%d", through);
}

HOSTILE ("reach_processes", TOOLHOST_SERIAL, "Reaches for other processes.",
         "\"properties\":{\"pids\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}")

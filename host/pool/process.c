#include "pool/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

enum { STATM_ROOM = 128 };

/* The first child of a process, 0: none, or it can't be known.  Children are listed in the order
 * they came, and init's first is the worker: those it may have adopted stand behind. */
static pid_t
first_child (int proc, pid_t parent)
{
  char path[64], text[32];
  CLEANUP_FD int fd = -1;
  ssize_t len;

  (void) snprintf (path, sizeof path, "%d/task/%d/children", (int) parent, (int) parent);
  fd = openat (proc, path, O_RDONLY | O_CLOEXEC);
  len = fd >= 0 ? read (fd, text, sizeof text - 1) : 0;
  if (len <= 0)
    return 0;
  text[len] = '\0';
  return (pid_t) strtol (text, NULL, 10);
}

bool
process_open (struct process *process, int proc, pid_t init)
{
  pid_t pid = first_child (proc, init);
  char path[32];

  *process = (struct process){ .statm = -1 };
  if (pid <= 0)
    return false;
  (void) snprintf (path, sizeof path, "%d/statm", (int) pid);
  process->statm = openat (proc, path, O_RDONLY | O_CLOEXEC);
  /* Still init's child: so the file that was opened is of that child. */
  if (process->statm >= 0 && first_child (proc, init) == pid
      && clock_getcpuclockid (pid, &process->clock) == 0)
    return true;
  process_close (process);
  return false;
}

void
process_close (struct process *process)
{
  fd_cleanup (&process->statm);
  process->statm = -1;
}

bool
process_read (const struct process *process, struct process_usage *usage)
{
  char text[STATM_ROOM];
  struct timespec cpu;
  char *resident;
  ssize_t len;

  /* The clock goes by the number alone: what it says counts when the process, asked afterwards, is
   * still there. */
  if (clock_gettime (process->clock, &cpu) < 0)
    return false;
  len = pread (process->statm, text, sizeof text - 1, 0);
  if (len <= 0)
    return false;
  text[len] = '\0';
  resident = strchr (text, ' ');
  if (resident == NULL || text[0] == '0') /* no address space: it is ending */
    return false;
  usage->rss = strtoull (resident, NULL, 10) * (uint64_t) sysconf (_SC_PAGESIZE);
  usage->cpu_ns = (int64_t) cpu.tv_sec * 1000000000 + cpu.tv_nsec;
  return true;
}

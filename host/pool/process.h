/* process.h - what the kernel says of a worker process: its memory and its processor time.
 *
 * The process that runs the plugin is the first child of its namespace's init, which is ours to
 * know; whatever it says of itself does not matter.  Its files in /proc are opened once: when the
 * process has gone and its number has been given to another, nothing is read any more.  A /proc in
 * which the daemon does not see its workers (hidepid, ProtectProc=) says nothing at all.  Loop
 * thread only. */
#ifndef TOOLHOST_POOL_PROCESS_H
#define TOOLHOST_POOL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct process {
  int statm;       /* -1: the kernel says nothing here */
  clockid_t clock; /* its processor time */
};

struct process_usage {
  uint64_t rss;   /* bytes in memory */
  int64_t cpu_ns; /* of all its threads, since its start */
};

/* The first child of `init`, which must be a child of ours (or of our launcher) that nobody has
 * reaped.  `proc` is a descriptor of /proc.  False: there is nothing to be read. */
bool process_open (struct process *process, int proc, pid_t init);
/* Of one that was never opened, too. */
void process_close (struct process *process);

/* False: it has ended. */
bool process_read (const struct process *process, struct process_usage *usage);

#endif

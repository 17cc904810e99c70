/* Calls what of the kernel no tool needs: each must fail with EPERM or ENOSYS before the kernel
 * looks at its arguments.  Tells how many did, and which did not. */
#include "hostile.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct probe {
  const char *name;
  long number;
};

#define PROBE(name)                                                                                \
  {                                                                                                \
#name, SYS_##name                                                                              \
  }

static const struct probe probes[] = { PROBE (acct),
                                       PROBE (add_key),
                                       PROBE (adjtimex),
                                       PROBE (bpf),
                                       PROBE (chroot),
                                       PROBE (clock_settime),

                                       PROBE (fanotify_init),

                                       PROBE (fsconfig),
                                       PROBE (fsmount),
                                       PROBE (fsopen),
                                       PROBE (fspick),
                                       PROBE (get_mempolicy),

                                       PROBE (inotify_init1),
                                       PROBE (io_cancel),
                                       PROBE (io_destroy),
                                       PROBE (io_getevents),
                                       PROBE (io_setup),
                                       PROBE (io_submit),
                                       PROBE (io_uring_enter),
                                       PROBE (io_uring_register),
                                       PROBE (io_uring_setup),
                                       PROBE (kcmp),

                                       PROBE (keyctl),
                                       PROBE (landlock_create_ruleset),
                                       PROBE (lookup_dcookie),
                                       PROBE (mbind),
                                       PROBE (memfd_create),
                                       PROBE (memfd_secret),
                                       PROBE (migrate_pages),
                                       PROBE (mincore),
                                       PROBE (mlock),
                                       PROBE (mlockall),
                                       PROBE (mount),
                                       PROBE (mount_setattr),
                                       PROBE (move_mount),
                                       PROBE (move_pages),
                                       PROBE (mq_open),
                                       PROBE (msgget),
                                       PROBE (name_to_handle_at),
                                       PROBE (open_by_handle_at),
                                       PROBE (open_tree),
                                       PROBE (perf_event_open),
                                       PROBE (personality),

                                       PROBE (pidfd_open),
                                       PROBE (pivot_root),
                                       PROBE (pkey_alloc),
                                       PROBE (prctl),
                                       PROBE (process_madvise),

                                       PROBE (quotactl),
                                       PROBE (reboot),
                                       PROBE (remap_file_pages),
                                       PROBE (request_key),
                                       PROBE (rt_sigqueueinfo),
                                       PROBE (rt_tgsigqueueinfo),
                                       PROBE (sched_setattr),
                                       PROBE (sched_setscheduler),
                                       PROBE (seccomp),
                                       PROBE (semget),
                                       PROBE (set_mempolicy),
                                       PROBE (setdomainname),
                                       PROBE (sethostname),
                                       PROBE (setns),
                                       PROBE (setresuid),
                                       PROBE (setrlimit),
                                       PROBE (settimeofday),
                                       PROBE (shmat),
                                       PROBE (shmget),
                                       PROBE (signalfd4),
                                       PROBE (splice),
                                       PROBE (swapoff),
                                       PROBE (swapon),
                                       PROBE (symlinkat),
                                       PROBE (syslog),
                                       PROBE (tee),
                                       PROBE (timer_create),
                                       PROBE (tkill),
                                       PROBE (umount2),
                                       PROBE (unshare),
                                       PROBE (userfaultfd),
                                       PROBE (vhangup),
                                       PROBE (vmsplice),
                                       PROBE (waitid) };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  char through[1024] = "";
  size_t len = 0;
  int refused = 0;

  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
    if (syscall (probes[i].number, -1L, -1L, -1L, -1L, -1L, -1L) < 0
        && (errno == EPERM || errno == ENOSYS))
      refused++;
    else if (len < sizeof through)
      len += (size_t) snprintf (through + len, sizeof through - len, " %s", probes[i].name);
  return toolhost_textf (call, "%d refused, let through:%s", refused, through);
}

HOSTILE ("kernel_surface", TOOLHOST_SERIAL, "Calls what no tool needs.", HOSTILE_NO_ARGUMENTS)

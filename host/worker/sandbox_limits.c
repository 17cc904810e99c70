#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ring.h"
#include "worker/sandbox.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

enum { STACK = 8 << 20, LOCKED = 64 << 10 };

#ifndef TOOLHOST_SANITIZED /* shadow memory takes terabytes of address space */
/* Where a cgroup counts the memory, the limit of the address space is but a second lock: a program
 * reserves more than it uses. */
static uint64_t
address_space (const struct sandbox_plan *plan)
{
  const uint64_t least = UINT64_C (1) << 30;
  uint64_t wide = 4 * plan->memory;

  if (plan->address_space != 0)
    return plan->address_space;
  if (plan->program)
    return plan->in_cgroup ? RLIM_INFINITY : plan->memory;
  if (!plan->in_cgroup)
    return plan->memory + 2 * RING_SEGMENT; /* those are ours */
  return wide > least ? wide : least;
}
#endif

/* Without namespaces every process of the user counts, whosever it is. */
static rlim_t
processes (const struct sandbox_plan *plan)
{
  return plan->namespaces ? plan->processes : RLIM_INFINITY;
}

/* A limit that an operator wrote down is no comment. */
static bool
can_limit_processes (const struct sandbox_plan *plan, struct error *err)
{
  return !plan->processes_asked || plan->namespaces || plan->in_cgroup
         || error_set (err, "/limits/processes of its policy can't be enforced here: it takes user "
                            "namespaces, or a cgroup");
}

static bool
limit (int resource, const char *name, rlim_t value, struct error *err)
{
  struct rlimit now, wanted;

  if (getrlimit ((__rlimit_resource_t) resource, &now) < 0)
    return error_set (err, "cannot read the limit %s: %s", name, strerror (errno));
  if (value > now.rlim_max)
    value = now.rlim_max;
  wanted = (struct rlimit){ .rlim_cur = value, .rlim_max = value };
  if (setrlimit ((__rlimit_resource_t) resource, &wanted) < 0)
    return error_set (err, "cannot set the limit %s: %s", name, strerror (errno));
  return true;
}

/* A file may grow to what /tmp holds; in granted folders the operator's quota counts. */
static rlim_t
largest_file (const struct sandbox_plan *plan)
{
  return plan->write[0] != NULL ? RLIM_INFINITY : plan->tmp;
}

bool
sandbox_limits (struct sandbox_plan *plan, struct error *err)
{
  const struct {
    int resource;
    const char *name;
    rlim_t value;
  } limits[] = {
#ifndef TOOLHOST_SANITIZED
    { RLIMIT_AS, "of address space", address_space (plan) },
#endif
    { RLIMIT_NOFILE, "of open files", plan->files },
    { RLIMIT_NPROC, "of processes", processes (plan) },
    { RLIMIT_FSIZE, "of file size", largest_file (plan) },
    { RLIMIT_CORE, "of core dumps", 0 },
    { RLIMIT_MEMLOCK, "of locked memory", LOCKED },
    { RLIMIT_MSGQUEUE, "of message queues", 0 },
    { RLIMIT_RTPRIO, "of real-time priority", 0 },
    { RLIMIT_STACK, "of stack", STACK },
  };

  if (!can_limit_processes (plan, err))
    return false;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!limit (limits[i].resource, limits[i].name, limits[i].value, err))
      return false;
  /* Beyond the size of a file and at a closed pipe the tool gets an error, not the end. */
  (void) signal (SIGXFSZ, SIG_IGN);
  (void) signal (SIGPIPE, SIG_IGN);
#ifdef TOOLHOST_SANITIZED
  guarantee_met (plan, MEMORY_CAP, "none in a sanitizer build");
#else
  if (plan->exec[0] == NULL
      && !plan->program) /* each process has its own: many together have no limit */
    guarantee_met (plan, MEMORY_CAP, "address space limit");
#endif
  return true;
}

void
sandbox_parent (struct sandbox_plan *plan, pid_t parent)
{
  if (prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent && !plan->namespaces)
    guarantee_met (plan, KILL_TREE, "no new processes, parent death signal");
}

static bool
drop_capabilities (void)
{
  struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct none[2] = { { 0 } };

  (void) prctl (PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP
                                     | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED
                                     | SECBIT_NO_CAP_AMBIENT_RAISE
                                     | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
  (void) prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int cap = 0; prctl (PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
    ;
  return syscall (SYS_capset, &head, none) == 0;
}

bool
sandbox_privileges (struct error *err)
{
  if (!drop_capabilities ())
    return error_set (err, "cannot drop capabilities: %s", strerror (errno));
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
    return error_set (err, "cannot give up new privileges: %s", strerror (errno));
  return true;
}

void
sandbox_code (struct sandbox_plan *plan)
{
#ifndef TOOLHOST_SANITIZED
  /* Linux 6.3 and later; the filter refuses the plain ways on every kernel. */
  if (!plan->jit && prctl (PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0)
    guarantee_met (plan, NO_NEW_CODE, "mdwe");
#else
  (void) plan;
#endif
}

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/sandbox.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call table for this processor"
#endif

/* What is done about a system call; anything not in the table fails with EPERM. */
enum rule {
  ALLOW,
  ALLOW_IF_EQUAL,  /* argument `arg` is `value` */
  ALLOW_IF_MASKED, /* argument `arg` has under `mask` exactly `value` */
  ALLOW_IF_NULL,   /* argument `arg` is a null pointer */
  ALLOW_IF_SELF,   /* argument `arg` is the caller's own pid */
  MISSING          /* ENOSYS, so that the C library falls back to what can be checked */
};

struct call_rule {
  uint32_t nr;
  uint8_t rule;
  uint8_t arg;
  uint32_t value;
  uint32_t mask;
};

#define ALLOWED(name)                                                                              \
  {                                                                                                \
    .nr = __NR_##name, .rule = ALLOW                                                               \
  }
#define NOT_THERE(name)                                                                            \
  {                                                                                                \
    .nr = __NR_##name, .rule = MISSING                                                             \
  }
#define WHEN(name, index, is)                                                                      \
  {                                                                                                \
    .nr = __NR_##name, .rule = ALLOW_IF_EQUAL, .arg = (index), .value = (is)                       \
  }
#define WHEN_NULL(name, index)                                                                     \
  {                                                                                                \
    .nr = __NR_##name, .rule = ALLOW_IF_NULL, .arg = (index)                                       \
  }
#define WHEN_SELF(name, index)                                                                     \
  {                                                                                                \
    .nr = __NR_##name, .rule = ALLOW_IF_SELF, .arg = (index)                                       \
  }
#define WHEN_MASKED(name, index, bits, is)                                                         \
  {                                                                                                \
    .nr = __NR_##name, .rule = ALLOW_IF_MASKED, .arg = (index), .mask = (bits), .value = (is)      \
  }

enum { CONTROL_FD = 3 };

#define A_THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define NEW_NAMESPACES                                                                             \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID      \
   | CLONE_NEWNET)

/* Sorted by what for.  Several rows for one call: any of them allows it. */
static const struct call_rule worker_rules[] = {
  /* threads and waiting; a denied pause or futex would turn waiting into spinning */
  ALLOWED (futex),
  WHEN_MASKED (clone, 0, A_THREAD | NEW_NAMESPACES, A_THREAD),
  NOT_THERE (clone3),
  ALLOWED (set_robust_list),
  ALLOWED (rseq),
  ALLOWED (exit),
  ALLOWED (exit_group),
  ALLOWED (gettid),
  ALLOWED (sched_yield),
  ALLOWED (sched_getaffinity),
  ALLOWED (membarrier),
  WHEN (prctl, 0, PR_SET_NAME),
  ALLOWED (nanosleep),
  ALLOWED (clock_nanosleep),
  ALLOWED (clock_gettime),
  ALLOWED (clock_getres),
  ALLOWED (gettimeofday),
  ALLOWED (restart_syscall),
  /* the control socket, and what evented tools wait with */
  WHEN (recvmsg, 0, CONTROL_FD),
  WHEN (sendmsg, 0, CONTROL_FD),
  ALLOWED (ppoll),
  ALLOWED (pselect6),
  ALLOWED (epoll_create1),
  ALLOWED (epoll_ctl),
  ALLOWED (epoll_pwait),
  ALLOWED (eventfd2),
  ALLOWED (timerfd_create),
  ALLOWED (timerfd_settime),
  ALLOWED (pipe2),
  /* memory; never writable and executable where the kernel has PR_SET_MDWE */
  ALLOWED (mmap),
  ALLOWED (munmap),
  ALLOWED (mprotect),
  ALLOWED (mremap),
  ALLOWED (madvise),
  ALLOWED (brk),
  /* signals to itself */
  ALLOWED (rt_sigaction),
  ALLOWED (rt_sigprocmask),
  ALLOWED (rt_sigreturn),
  ALLOWED (rt_sigsuspend),
  ALLOWED (rt_sigtimedwait),
  ALLOWED (sigaltstack),
  WHEN_SELF (tgkill, 0),
  /* files, in a root that holds only what was granted; no links, no modes, no owners */
  ALLOWED (read),
  ALLOWED (write),
  ALLOWED (readv),
  ALLOWED (writev),
  ALLOWED (pread64),
  ALLOWED (pwrite64),
  ALLOWED (lseek),
  ALLOWED (openat),
  ALLOWED (openat2),
  ALLOWED (close),
  ALLOWED (fstat),
  ALLOWED (newfstatat),
  ALLOWED (statx),
  ALLOWED (faccessat),
  ALLOWED (faccessat2),
  ALLOWED (readlinkat),
  ALLOWED (getdents64),
  ALLOWED (getcwd),
  ALLOWED (unlinkat),
  ALLOWED (mkdirat),
  ALLOWED (renameat2),
  ALLOWED (ftruncate),
  ALLOWED (fallocate),
  ALLOWED (fsync),
  ALLOWED (fdatasync),
  ALLOWED (fadvise64),
  ALLOWED (flock),
  ALLOWED (dup),
  ALLOWED (dup3),
  WHEN (fcntl, 1, F_GETFL),
  WHEN (fcntl, 1, F_SETFL),
  WHEN (fcntl, 1, F_GETFD),
  WHEN (fcntl, 1, F_SETFD),
  WHEN (fcntl, 1, F_DUPFD),
  WHEN (fcntl, 1, F_DUPFD_CLOEXEC),
  WHEN (fcntl, 1, F_GETLK),
  WHEN (fcntl, 1, F_SETLK),
  WHEN (fcntl, 1, F_SETLKW),
  WHEN (fcntl, 1, F_OFD_SETLK),
  WHEN (fcntl, 1, F_OFD_SETLKW),
  WHEN (ioctl, 1, TCGETS),
  WHEN (ioctl, 1, FIONREAD),
  WHEN (ioctl, 1, FIONBIO),
  /* who and where it is, as far as it may know */
  ALLOWED (getpid),
  ALLOWED (getuid),
  ALLOWED (geteuid),
  ALLOWED (uname),
  ALLOWED (sysinfo),
  ALLOWED (getrandom),
  ALLOWED (getrusage),
  WHEN_NULL (prlimit64, 2),
  NOT_THERE (io_uring_setup),
#ifdef __x86_64__ /* the same under the names that newer processors never had */
  ALLOWED (poll),
  ALLOWED (pause),
  ALLOWED (epoll_wait),
  ALLOWED (access),
  ALLOWED (readlink),
  ALLOWED (unlink),
  ALLOWED (mkdir),
  ALLOWED (rmdir),
  ALLOWED (rename),
  ALLOWED (dup2),
#endif
#ifdef TOOLHOST_SANITIZED /* what the sanitizers' run time needs besides */
  ALLOWED (prctl),
  ALLOWED (prlimit64),
  ALLOWED (getppid),
  ALLOWED (rt_sigpending),
#ifdef __x86_64__
  ALLOWED (open),
  ALLOWED (stat),
  ALLOWED (getrlimit),
#endif
#endif
};

static const struct call_rule init_rules[] = {
  ALLOWED (ppoll),
#ifdef __NR_poll
  ALLOWED (poll),
#endif
  ALLOWED (wait4),
  ALLOWED (write),
  ALLOWED (close),
  ALLOWED (exit_group),
  ALLOWED (restart_syscall),
  ALLOWED (rt_sigreturn),
#ifdef TOOLHOST_SANITIZED /* what the sanitizers' run time needs to end, or to complain */
  ALLOWED (sigaltstack),
  ALLOWED (rt_sigaction),
  ALLOWED (rt_sigprocmask),
  WHEN_SELF (tgkill, 0),
  ALLOWED (getpid),
  ALLOWED (gettid),
  ALLOWED (futex),
  ALLOWED (nanosleep),
  ALLOWED (clock_nanosleep),
  ALLOWED (clock_gettime),
  ALLOWED (sched_yield),
  ALLOWED (mmap),
  ALLOWED (munmap),
  ALLOWED (mprotect),
  ALLOWED (madvise),
  ALLOWED (openat),
  ALLOWED (read),
#endif
};

enum { RULES = sizeof worker_rules / sizeof *worker_rules, LONGEST = 8 + 7 * RULES };

size_t
sandbox_seccomp_allowed (void)
{
  size_t count = 0;

  for (size_t i = 0; i < RULES; i++)
    count +=
      worker_rules[i].rule != MISSING && (i == 0 || worker_rules[i].nr != worker_rules[i - 1].nr);
  return count;
}

/* ---- from rows to BPF ------------------------------------------------------------------- */

struct program {
  struct sock_filter code[LONGEST];
  unsigned short len;
};

static void
emit (struct program *p, uint16_t code, uint32_t k, unsigned if_true, unsigned if_false)
{
  p->code[p->len++] = (struct sock_filter){ code, (uint8_t) if_true, (uint8_t) if_false, k };
}

static void
answer (struct program *p, uint32_t what)
{
  emit (p, BPF_RET | BPF_K, what, 0, 0);
}

static void
load (struct program *p, size_t offset)
{
  emit (p, BPF_LD | BPF_W | BPF_ABS, (uint32_t) offset, 0, 0);
}

/* Each row leaves the accumulator holding the call's number for the next one. */
static void
load_number (struct program *p)
{
  load (p, offsetof (struct seccomp_data, nr));
}

static size_t
argument (unsigned index)
{
  return offsetof (struct seccomp_data, args) + index * sizeof (uint64_t);
}

/* Allow if the lower half of an argument has this value; both processors are little-endian, and the
 * kernel takes an int where a row compares one. */
static void
emit_masked (struct program *p, const struct call_rule *row, uint32_t mask, uint32_t value)
{
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, row->nr, 0, 5);
  load (p, argument (row->arg));
  emit (p, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  answer (p, SECCOMP_RET_ALLOW);
  load_number (p);
}

/* Allow if both halves of an argument are 0. */
static void
emit_null (struct program *p, const struct call_rule *row)
{
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, row->nr, 0, 6);
  load (p, argument (row->arg) + sizeof (uint32_t));
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
  load (p, argument (row->arg));
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  answer (p, SECCOMP_RET_ALLOW);
  load_number (p);
}

static void
emit_plain (struct program *p, uint32_t nr, uint32_t what)
{
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
  answer (p, what);
}

static void
emit_rule (struct program *p, const struct call_rule *row)
{
  switch ((enum rule) row->rule) {
  case ALLOW:
    emit_plain (p, row->nr, SECCOMP_RET_ALLOW);
    break;
  case MISSING:
    emit_plain (p, row->nr, SECCOMP_RET_ERRNO | ENOSYS);
    break;
  case ALLOW_IF_EQUAL:
    emit_masked (p, row, UINT32_MAX, row->value);
    break;
  case ALLOW_IF_MASKED:
    emit_masked (p, row, row->mask, row->value);
    break;
  case ALLOW_IF_NULL:
    emit_null (p, row);
    break;
  case ALLOW_IF_SELF:
    emit_masked (p, row, UINT32_MAX, (uint32_t) getpid ());
    break;
  }
}

static void
build (struct program *p, const struct call_rule *rules, size_t count)
{
  p->len = 0;
  load (p, offsetof (struct seccomp_data, arch));
  emit (p, BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0);
  answer (p, SECCOMP_RET_KILL_PROCESS);
  load_number (p);
#ifdef __x86_64__ /* the x32 numbers, another architecture in disguise */
  emit (p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  answer (p, SECCOMP_RET_KILL_PROCESS);
#endif
  for (size_t i = 0; i < count; i++)
    emit_rule (p, &rules[i]);
  answer (p, SECCOMP_RET_ERRNO | EPERM);
}

static bool
install (const struct call_rule *rules, size_t count, struct error *err)
{
  struct program program;
  struct sock_fprog prog;

  build (&program, rules, count);
  prog = (struct sock_fprog){ .len = program.len, .filter = program.code };
  if (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) != 0)
    return error_set (err, "cannot install the system call filter: %s", strerror (errno));
  return true;
}

bool
sandbox_seccomp (struct sandbox_plan *plan, struct error *err)
{
  if (!install (worker_rules, RULES, err))
    return false;
  guarantee_met (plan, NO_NETWORK | NO_FOREIGN_SIGNALS, "seccomp");
  return true;
}

bool
sandbox_seccomp_init (struct error *err)
{
  return install (init_rules, sizeof init_rules / sizeof *init_rules, err);
}

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pool/launcher.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call numbers for this processor"
#endif

/* ---- capabilities ---- */

/* What the launcher keeps, and for what. */
static const int kept[] = {
  CAP_SETUID,    /* a uid map with the slot's id */
  CAP_SETGID,    /* a gid map with the slot's id */
  CAP_SYS_ADMIN, /* mounts with swapped ids for what is granted; user namespaces where a hardened
                    host leaves them to root */
  CAP_SETFCAP,   /* maps that hold id 0, which those mounts need */
  CAP_KILL,      /* without user namespaces: workers of other uids (with them it is the owner's) */
};

static bool
keep_capabilities (struct error *err)
{
  struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct now[2], wanted[2] = { { 0 } };
  uint64_t mask = 0;

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    mask |= UINT64_C (1) << kept[i];
  (void) prctl (PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED
                                     | SECBIT_NO_CAP_AMBIENT_RAISE
                                     | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
  (void) prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int cap = 0; cap < 64; cap++)
    if ((mask & UINT64_C (1) << cap) == 0)
      (void) prctl (PR_CAPBSET_DROP, cap, 0, 0, 0);
  if (syscall (SYS_capget, &head, now) < 0)
    return error_set (err, "the launcher cannot read its capabilities: %s", strerror (errno));
  for (unsigned i = 0; i < 2; i++) {
    wanted[i].permitted = now[i].permitted & (uint32_t) (mask >> 32 * i);
    wanted[i].effective = wanted[i].permitted;
  }
  return syscall (SYS_capset, &head, wanted) == 0
         || error_set (err, "the launcher cannot drop capabilities: %s", strerror (errno));
}

/* ---- system calls ---- */

/* What neither the launcher nor any worker on its way into the sandbox ever does; every worker
 * inherits this below its own list.  A list of what is refused, because a worker's start is most of
 * what there is. */
static const uint32_t refused[] = {
  /* no network, no other processes' memory */
  SYS_socket,
  SYS_connect,
  SYS_bind,
  SYS_listen,
  SYS_accept,
  SYS_accept4,
  SYS_ptrace,
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_pidfd_getfd,
  SYS_kcmp,
  /* no other kernel, and nothing of this one's state */
  SYS_init_module,
  SYS_finit_module,
  SYS_delete_module,
  SYS_kexec_load,
#ifdef SYS_kexec_file_load
  SYS_kexec_file_load,
#endif
  SYS_reboot,
  SYS_swapon,
  SYS_swapoff,
  SYS_acct,
  SYS_syslog,
  SYS_settimeofday,
  SYS_clock_settime,
  SYS_clock_adjtime,
  SYS_adjtimex,
  SYS_sethostname,
  SYS_setdomainname,
  SYS_quotactl,
#ifdef SYS_iopl
  SYS_iopl,
  SYS_ioperm,
#endif
  /* large parts of the kernel with a history */
  SYS_bpf,
  SYS_perf_event_open,
  SYS_io_uring_setup,
  SYS_userfaultfd,
  SYS_keyctl,
  SYS_add_key,
  SYS_request_key,
  SYS_open_by_handle_at,
  SYS_fanotify_init,
  /* nobody's files are changed but by their contents */
  SYS_fchmodat,
  SYS_fchmod,
  SYS_fchownat,
  SYS_fchown,
  SYS_linkat,
  SYS_mknodat,
  SYS_setxattr,
  SYS_fsetxattr,
  SYS_lsetxattr,
  SYS_truncate,
  SYS_utimensat,
#ifdef SYS_chmod
  SYS_chmod,
  SYS_chown,
  SYS_lchown,
  SYS_link,
  SYS_mknod,
#endif
};

/* The numbers of x32, another architecture in disguise; no number is as high elsewhere. */
enum { X32 = 0x40000000 };
enum { REFUSED = sizeof refused / sizeof *refused, HEAD = 5, LONGEST = HEAD + REFUSED + 2 };

static bool
filter_calls (struct error *err)
{
  struct sock_filter code[LONGEST] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, X32, REFUSED + 1, 0),
  };
  struct sock_fprog program = { .len = LONGEST, .filter = code };

  for (unsigned i = 0; i < REFUSED; i++)
    code[HEAD + i] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, refused[i],
                                                    (uint8_t) (REFUSED - i), 0);
  code[LONGEST - 2] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[LONGEST - 1] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  return syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
         || error_set (err, "the launcher cannot install its system call filter: %s",
                       strerror (errno));
}

bool
launcher_confine (struct error *err)
{
  (void) unshare (CLONE_NEWNET | CLONE_NEWIPC); /* where it is allowed */
  if (!keep_capabilities (err))
    return false;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
    return error_set (err, "the launcher cannot give up new privileges: %s", strerror (errno));
  return filter_calls (err);
}

/* Tries everything a sandbox must refuse (and that does not end the process, as forbidden.c does),
 * once from a constructor and once from its tool `probe`, which tells both: [{ "when", "what",
 * "refused", "errno" }, …]. */
#include <toolhost.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_PROBES = 64 };

struct finding {
  const char *what;
  int error; /* 0: it was let through */
};

struct findings {
  struct finding list[MOST_PROBES];
  size_t count;
};

static struct findings at_load, at_call;

static long
try_open (const char *path, int flags)
{
  return open (path, flags | O_CLOEXEC, 0600);
}

static long
try_fork (void)
{
  pid_t pid = fork ();
  if (pid == 0)
    _exit (0);
  return pid;
}

static long
try_exec (void)
{
  char *const argv[] = { (char *) "sh", NULL };
  return execve ("/bin/sh", argv, NULL);
}

static long
try_exec_own (void)
{
  char *const argv[] = { (char *) "sh", NULL };
  return syscall (SYS_execveat, AT_FDCWD, "/plugin/ctor_probe.so", argv, NULL, 0);
}

static void
probe (struct findings *all, const char *what, long result)
{
  all->list[all->count++] = (struct finding){ what, result < 0 ? errno : 0 };
}

static void
probe_files (struct findings *all)
{
  probe (all, "open /etc/passwd", try_open ("/etc/passwd", O_RDONLY));
  probe (all, "open /etc/hostname", try_open ("/etc/hostname", O_RDONLY));
  probe (all, "open /root", try_open ("/root", O_RDONLY));
  probe (all, "open /home", try_open ("/home", O_RDONLY));
  probe (all, "open ../../../etc/passwd", try_open ("../../../etc/passwd", O_RDONLY));
  probe (all, "open /proc/self/mem", try_open ("/proc/self/mem", O_RDWR));
  probe (all, "open /proc/1/environ", try_open ("/proc/1/environ", O_RDONLY));
  probe (all, "open /sys/kernel", try_open ("/sys/kernel", O_RDONLY));
  probe (all, "open /dev/kmsg", try_open ("/dev/kmsg", O_RDONLY));
  probe (all, "open /dev/tty", try_open ("/dev/tty", O_RDWR));
  probe (all, "create /evil", try_open ("/evil", O_CREAT | O_WRONLY));
  probe (all, "create /plugin/evil", try_open ("/plugin/evil", O_CREAT | O_WRONLY));
  probe (all, "create /usr/lib/evil", try_open ("/usr/lib/evil", O_CREAT | O_WRONLY));
  probe (all, "create /dev/evil", try_open ("/dev/evil", O_CREAT | O_WRONLY));
  probe (all, "write its own file", try_open ("/plugin/ctor_probe.so", O_WRONLY));
  probe (all, "mknod", syscall (SYS_mknodat, AT_FDCWD, "/tmp/null", 0020666, 0x103));
  probe (all, "symlink", syscall (SYS_symlinkat, "/etc", AT_FDCWD, "/tmp/link"));
  probe (all, "chmod", syscall (SYS_fchmodat, AT_FDCWD, "/tmp", 0777));
  probe (all, "chroot", syscall (SYS_chroot, "/tmp"));
  probe (all, "mount", syscall (SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
  probe (all, "umount", syscall (SYS_umount2, "/tmp", 2));
}

static void
probe_network (struct findings *all)
{
  int pair[2];

  probe (all, "socket AF_INET", socket (AF_INET, SOCK_STREAM, 0));
  probe (all, "socket AF_INET datagram", socket (AF_INET, SOCK_DGRAM, 0));
  probe (all, "socket AF_INET raw", socket (AF_INET, SOCK_RAW, 1));
  probe (all, "socket AF_INET6", socket (AF_INET6, SOCK_STREAM, 0));
  probe (all, "socket AF_INET6 datagram", socket (AF_INET6, SOCK_DGRAM, 0));
  probe (all, "socket AF_UNIX", socket (AF_UNIX, SOCK_STREAM, 0));
  probe (all, "socket AF_UNIX datagram", socket (AF_UNIX, SOCK_DGRAM, 0));
  probe (all, "socketpair", socketpair (AF_UNIX, SOCK_STREAM, 0, pair));
  probe (all, "socket AF_NETLINK", socket (AF_NETLINK, SOCK_RAW, 0));
  probe (all, "socket AF_PACKET", socket (AF_PACKET, SOCK_RAW, 0));
  probe (all, "socket AF_VSOCK", socket (AF_VSOCK, SOCK_STREAM, 0));
  probe (all, "socket AF_ALG", socket (AF_ALG, SOCK_SEQPACKET, 0));
}

static void
probe_processes (struct findings *all)
{
  probe (all, "fork", try_fork ());
  probe (all, "execve /bin/sh", try_exec ());
  probe (all, "execveat of itself", try_exec_own ());
  probe (all, "kill 1", kill (1, 0));
  probe (all, "kill its parent", kill (getppid () > 0 ? getppid () : 1, SIGKILL));
  probe (all, "kill everybody", kill (-1, SIGKILL));
  probe (all, "kill 4242", kill (4242, 0));
  probe (all, "tgkill 1", syscall (SYS_tgkill, 1, 1, SIGKILL));
  probe (all, "rt_sigqueueinfo", syscall (SYS_rt_sigqueueinfo, 1, SIGKILL, &at_load));
  probe (all, "pidfd_open", syscall (SYS_pidfd_open, 1, 0));
  probe (all, "setpriority", syscall (SYS_setpriority, 0, 0, -20));
  probe (all, "setuid", syscall (SYS_setuid, 1));
}

static void
probe_kernel (struct findings *all)
{
  probe (all, "memfd_create", syscall (SYS_memfd_create, "x", 0));
  probe (all, "shmget", syscall (SYS_shmget, 1, 4096, 01600));
  probe (all, "unshare", unshare (CLONE_NEWUSER));
  probe (all, "setns", syscall (SYS_setns, 0, 0));
  probe (all, "io_uring_setup", syscall (SYS_io_uring_setup, 1, NULL));
  probe (all, "bpf", syscall (SYS_bpf, 0, NULL, 0));
  probe (all, "keyctl", syscall (SYS_keyctl, 0, 0, 0, 0, 0));
  probe (all, "perf_event_open", syscall (SYS_perf_event_open, NULL, 0, -1, -1, 0));
  probe (all, "userfaultfd", syscall (SYS_userfaultfd, 0));
  probe (all, "personality", syscall (SYS_personality, 0x0040000));
  probe (all, "seccomp", syscall (SYS_seccomp, 0, 0, NULL));
  probe (all, "reboot", syscall (SYS_reboot, 0, 0, 0, NULL));
  probe (all, "clone a process with namespaces",
         syscall (SYS_clone, CLONE_NEWNS | CLONE_NEWPID, NULL, NULL, NULL, 0));
  probe (all, "inject a terminal's input", syscall (SYS_ioctl, 0, 0x5412, "x"));
}

static void
probe_all (struct findings *all)
{
  all->count = 0;
  probe_files (all);
  probe_network (all);
  probe_processes (all);
  probe_kernel (all);
}

__attribute__ ((constructor)) static void
load (void)
{
  probe_all (&at_load);
}

/* `size` is enough for what all probes say. */
static size_t
tell (const struct findings *all, const char *when, char *out, size_t size)
{
  size_t len = 0;

  for (size_t i = 0; i < all->count; i++) {
    const char *error = strerrorname_np (all->list[i].error);
    len += (size_t) snprintf (
      out + len, size - len, "%s{\"when\":\"%s\",\"what\":\"%s\",\"refused\":%s,\"errno\":\"%s\"}",
      i != 0 ? "," : "", when, all->list[i].what, all->list[i].error != 0 ? "true" : "false",
      error != NULL ? error : "?");
  }
  return len;
}

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "probe",
    "description" : "Tells what the sandbox refused.",
    "inputSchema" : { "type" : "object", "additionalProperties" : false }
  });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static char json[32 * 1024];
  size_t len = 0;

  probe_all (&at_call);
  json[len++] = '[';
  len += tell (&at_load, "constructor", json + len, sizeof json - len);
  json[len++] = ',';
  len += tell (&at_call, "call", json + len, sizeof json - len);
  json[len++] = ']';
  return toolhost_json_len (call, json, len);
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "ctor_probe", .version = "1.0", TOOLHOST_TOOLS (&tool))

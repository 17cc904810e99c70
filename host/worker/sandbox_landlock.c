#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/sandbox.h"

/* The kernel's interface as of ABI 6, spelled out because headers are older than kernels. */
enum {
  FS_EXECUTE = 1 << 0,
  FS_WRITE_FILE = 1 << 1,
  FS_READ_FILE = 1 << 2,
  FS_READ_DIR = 1 << 3,
  FS_REMOVE_DIR = 1 << 4,
  FS_REMOVE_FILE = 1 << 5,
  FS_MAKE_DIR = 1 << 7,
  FS_MAKE_REG = 1 << 8,
  FS_ALL_1 = (1 << 13) - 1,
  FS_REFER = 1 << 13,     /* ABI 2 */
  FS_TRUNCATE = 1 << 14,  /* ABI 3 */
  FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
  NET_BIND_TCP = 1 << 0,
  NET_CONNECT_TCP = 1 << 1,
  SCOPE_ABSTRACT_UNIX = 1 << 0,
  SCOPE_SIGNAL = 1 << 1,
  CREATE_RULESET_VERSION = 1,
  RULE_PATH_BENEATH = 1
};

/* A file takes fewer rights than a folder. */
enum { FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV };

enum {
  READ = FS_READ_FILE | FS_READ_DIR,
  WRITE = READ | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG
          | FS_REFER | FS_TRUNCATE
};

struct ruleset_attr {
  uint64_t fs;     /* ABI 1 */
  uint64_t net;    /* ABI 4 */
  uint64_t scoped; /* ABI 6 */
};

struct path_beneath_attr {
  uint64_t allowed;
  int32_t parent;
} __attribute__ ((packed));

/* What is known and handled from an ABI on; the struct's size must fit it too. */
static const struct {
  long abi;
  size_t size;
  struct ruleset_attr adds;
} steps[] = {
  { 1, 8, { .fs = FS_ALL_1 } },      { 2, 8, { .fs = FS_REFER } },
  { 3, 8, { .fs = FS_TRUNCATE } },   { 4, 16, { .net = NET_BIND_TCP | NET_CONNECT_TCP } },
  { 5, 16, { .fs = FS_IOCTL_DEV } }, { 6, 24, { .scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL } },
};

static size_t
handled_by (long abi, struct ruleset_attr *attr)
{
  size_t size = 0;

  memset (attr, 0, sizeof *attr);
  for (size_t i = 0; i < sizeof steps / sizeof *steps && steps[i].abi <= abi; i++) {
    size = steps[i].size;
    attr->fs |= steps[i].adds.fs;
    attr->net |= steps[i].adds.net;
    attr->scoped |= steps[i].adds.scoped;
  }
  return size;
}

static bool
allow (int ruleset, const char *path, uint64_t rights, uint64_t handled)
{
  CLEANUP_FD int fd = open (path, O_PATH | O_CLOEXEC);
  struct path_beneath_attr rule = { .allowed = rights & handled, .parent = fd };
  struct stat st;

  if (fd < 0)
    return errno == ENOENT;
  if (fstat (fd, &st) == 0 && !S_ISDIR (st.st_mode))
    rule.allowed &= FS_OF_FILES;
  /* What is only in memory (a memfd) has no rules, and is never refused. */
  return syscall (SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0
         || errno == EBADFD;
}

static bool
allow_all (int ruleset, const char *const *paths, uint64_t rights, uint64_t handled)
{
  for (; *paths != NULL; paths++)
    if (!allow (ruleset, *paths, rights, handled))
      return false;
  return true;
}

/* A new root holds only what was meant to be read. */
static bool
add_new_root (int ruleset, uint64_t handled)
{
  return allow (ruleset, "/", READ, handled) && allow (ruleset, "/tmp", WRITE, handled);
}

/* In the host's own root, what would have been taken into a new one.  There is no /tmp. */
static bool
add_old_root (int ruleset, const struct sandbox_plan *plan, uint64_t handled)
{
  static const char *const libraries[] = {
    "/lib",           "/lib64",           "/usr/lib",        "/usr/lib64",
    "/usr/local/lib", "/etc/ld.so.cache", SANDBOX_PLUGIN_FD, NULL
  };

  return allow_all (ruleset, libraries, READ, handled)
         && allow_all (ruleset, plan->read, READ, handled);
}

/* What a program may execute: the system's, and what it was given to read.  What it can write is
 * mounted so that nothing there can be executed. */
static bool
add_programs (int ruleset, const struct sandbox_plan *plan, uint64_t handled)
{
  static const char *const system[] = { "/usr", "/bin", "/sbin", "/lib", "/lib64", NULL };

  return allow_all (ruleset, system, READ | FS_EXECUTE, handled)
         && allow_all (ruleset, plan->read, READ | FS_EXECUTE, handled);
}

/* Reading what a worker sees; writing where it was granted; executing nowhere. */
static bool
add_rules (int ruleset, const struct sandbox_plan *plan, uint64_t handled)
{
  static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/urandom" };

  if (!(plan->namespaces ? add_new_root (ruleset, handled) : add_old_root (ruleset, plan, handled)))
    return false;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    if (!allow (ruleset, devices[i], READ | FS_WRITE_FILE, handled))
      return false;
  for (const char *const *path = plan->write; *path != NULL; path++)
    if (!allow (ruleset, *path, WRITE, handled))
      return false;
  for (const char *const *path = plan->exec; *path != NULL; path++)
    if (!allow (ruleset, *path, FS_READ_FILE | FS_EXECUTE, handled))
      return false;
  if (plan->program && !add_programs (ruleset, plan, handled))
    return false;
  return plan->exec[0] == NULL
         || allow (ruleset, SANDBOX_LOADER, FS_READ_FILE | FS_EXECUTE, handled);
}

bool
sandbox_landlock (struct sandbox_plan *plan, struct error *err)
{
  long abi = syscall (SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  struct ruleset_attr attr;
  size_t size = handled_by (abi, &attr);
  CLEANUP_FD int ruleset = -1;

  if (size == 0)
    return plan->exec[0] == NULL
           || error_set (err, "programs can't be granted (permissions.exec): it takes Landlock to "
                              "allow only those, which this kernel does not have");
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &attr, size, 0);
  if (ruleset < 0 || !add_rules (ruleset, plan, attr.fs)
      || syscall (SYS_landlock_restrict_self, ruleset, 0) < 0)
    return error_set (err, "this kernel has Landlock ABI %ld and refuses our rules: %s", abi,
                      strerror (errno));
  guarantee_met (plan, NO_FOREIGN_FILES | (attr.scoped & SCOPE_SIGNAL ? NO_FOREIGN_SIGNALS : 0),
                 "landlock");
  return true;
}

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/filter.h"
#include "worker/sandbox.h"

#ifdef TOOLHOST_SANITIZED
enum { ALWAYS = FOR_SANITIZER };
#else
enum { ALWAYS = 0 };
#endif

static bool
install (unsigned who, struct error *err)
{
  struct filter filter;
  struct sock_fprog prog = { .filter = filter.code };

  filter_build (&filter, PROCESSOR_OURS, who, getpid ());
  prog.len = filter.len;
  if (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) != 0)
    return error_set (err, "cannot install the system call filter: %s", strerror (errno));
  return true;
}

bool
sandbox_seccomp (struct sandbox_plan *plan, struct error *err)
{
  const unsigned who = FOR_WORKER | ALWAYS | (plan->jit ? FOR_JIT : 0U)
                       | (plan->exec[0] != NULL || plan->program ? FOR_EXEC : 0U)
                       | (plan->program ? FOR_PROGRAM : 0U);

  if (!install (who, err))
    return false;
  guarantee_met (plan, NO_NETWORK | ((who & FOR_EXEC) == 0 ? NO_FOREIGN_SIGNALS : 0U), "seccomp");
  if ((who & (FOR_JIT | FOR_SANITIZER)) == 0)
    guarantee_met (plan, NO_NEW_CODE, "seccomp");
  return true;
}

bool
sandbox_seccomp_init (struct error *err)
{
  return install (FOR_INIT | ALWAYS, err);
}

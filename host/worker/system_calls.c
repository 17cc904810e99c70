#include "worker/system_calls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { CONTROL_FD = 3, WRITE_AND_EXEC = PROT_WRITE | PROT_EXEC };

#define A_THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define NEW_NAMESPACES                                                                             \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID      \
   | CLONE_NEWNET)
#define CLONE_KINDS (A_THREAD | NEW_NAMESPACES)
#define PRIVATE_BARRIERS                                                                           \
  (MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED                    \
   | MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE                                                    \
   | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE)
#define PLAIN_RENAMES (RENAME_NOREPLACE | RENAME_EXCHANGE)

/* ---- the table -------------------------------------------------------------------------- */

#define NONE NO_NUMBER
#define ROW(for_whom, call, x86, arm, reason, ...)                                                 \
  { .name = #call, .why = (reason), .number = { x86, arm }, .who = FOR_##for_whom, __VA_ARGS__ },
#define ALLOW(who, call, x86, arm, why) ROW (who, call, x86, arm, why, .rule = RULE_ALLOW)
#define MASKED(who, call, x86, arm, argument, bits, is, why)                                       \
  ROW (who, call, x86, arm, why, .rule = RULE_IF, .arg = (argument), .mask = (uint32_t) (bits),    \
       .value = (uint32_t) (is), .mask_name = #bits, .value_name = #is)
#define WHEN(who, call, x86, arm, argument, is, why)                                               \
  ROW (who, call, x86, arm, why, .rule = RULE_IF, .arg = (argument), .mask = UINT32_MAX,           \
       .value = (uint32_t) (is), .value_name = #is)
#define UNLESS(who, call, x86, arm, argument, bits, is, why)                                       \
  ROW (who, call, x86, arm, why, .rule = RULE_UNLESS, .arg = (argument),                           \
       .mask = (uint32_t) (bits), .value = (uint32_t) (is), .mask_name = #bits, .value_name = #is)
#define NULLED(who, call, x86, arm, argument, why)                                                 \
  ROW (who, call, x86, arm, why, .rule = RULE_NULL, .arg = (argument), .value_name = "NULL")
#define OWN(who, call, x86, arm, argument, why)                                                    \
  ROW (who, call, x86, arm, why, .rule = RULE_OWN, .arg = (argument), .value_name = "its own pid")
#define MISSING(who, call, x86, arm, why) ROW (who, call, x86, arm, why, .rule = RULE_MISSING)
#define DEADLY(who, call, x86, arm, why) ROW (who, call, x86, arm, why, .rule = RULE_DEADLY)

const struct system_call system_calls[] = {
#include "worker/system_calls.def"
};
const size_t system_calls_count = sizeof system_calls / sizeof *system_calls;

/* ---- the numbers of the processor this is compiled for are those of the kernel's headers ---- */

#ifdef __aarch64__ /* which never had the old names */
enum {
  __NR_poll = NO_NUMBER,
  __NR_epoll_wait = NO_NUMBER,
  __NR_pause = NO_NUMBER,
  __NR_access = NO_NUMBER,
  __NR_readlink = NO_NUMBER,
  __NR_unlink = NO_NUMBER,
  __NR_mkdir = NO_NUMBER,
  __NR_rmdir = NO_NUMBER,
  __NR_rename = NO_NUMBER,
  __NR_dup2 = NO_NUMBER,
  __NR_open = NO_NUMBER,
  __NR_stat = NO_NUMBER,
  __NR_lstat = NO_NUMBER,
  __NR_fork = NO_NUMBER,
  __NR_vfork = NO_NUMBER,
  __NR_pipe = NO_NUMBER,
  __NR_getpgrp = NO_NUMBER,
  __NR_arch_prctl = NO_NUMBER,
  __NR_time = NO_NUMBER,
  __NR_alarm = NO_NUMBER,
  __NR_select = NO_NUMBER,
  __NR_epoll_create = NO_NUMBER,
  __NR_eventfd = NO_NUMBER,
  __NR_getdents = NO_NUMBER,
};
#endif

#undef ROW
#define ROW(who, call, x86, arm, ...)                                                              \
  _Static_assert((PROCESSOR_OURS == PROCESSOR_X86_64 ? x86 : arm) == __NR_##call, #call);
#include "worker/system_calls.def"

/* ---- about it --------------------------------------------------------------------------- */

static bool
allows (const struct system_call *row, enum processor processor, unsigned who)
{
  return (row->who & who) != 0 && row->number[processor] != NO_NUMBER && row->rule != RULE_MISSING
         && row->rule != RULE_DEADLY;
}

size_t
system_calls_allowed (enum processor processor, unsigned who)
{
  size_t count = 0;

  for (size_t i = 0; i < system_calls_count; i++) {
    const struct system_call *row = &system_calls[i], *first = system_calls;
    if (!allows (row, processor, who))
      continue;
    while (strcmp (first->name, row->name) != 0 || !allows (first, processor, who))
      first++;
    count += first == row;
  }
  return count;
}

static void
say_rule (char *text, size_t size, const struct system_call *row)
{
  static const char *const words[] = {
    [RULE_ALLOW] = "allowed",
    [RULE_IF] = "if",
    [RULE_UNLESS] = "unless",
    [RULE_NULL] = "if",
    [RULE_OWN] = "if",
    [RULE_MISSING] = "fails with ENOSYS",
    [RULE_DEADLY] = "ends the process",
  };

  if (row->value_name == NULL)
    (void) snprintf (text, size, "%s", words[row->rule]);
  else
    (void) snprintf (text, size, "%s argument %u%s%s is %s", words[row->rule], row->arg,
                     row->mask_name != NULL ? " & " : "",
                     row->mask_name != NULL ? row->mask_name : "", row->value_name);
}

static const char *
who_of (const struct system_call *row)
{
  switch (row->who) {
  case FOR_BOTH:
    return "worker, init";
  case FOR_INIT:
    return "init";
  case FOR_JIT:
    return "jit";
  case FOR_EXEC:
    return "exec";
  case FOR_PROGRAM:
    return "program";
  case FOR_SANITIZER:
    return "sanitizer";
  default:
    return "worker";
  }
}

void
system_calls_print (FILE *out, enum processor processor)
{
  for (size_t i = 0; i < system_calls_count; i++) {
    const struct system_call *row = &system_calls[i];
    char rule[128];
    if (row->number[processor] == NO_NUMBER)
      continue;
    say_rule (rule, sizeof rule, row);
    (void) fprintf (out, "%-17s %3d  %-12s  %-53s  %s\n", row->name, row->number[processor],
                    who_of (row), rule, row->why);
  }
}

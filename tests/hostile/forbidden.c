/* Makes the system call it is told, with arguments that could do no harm: one of those that end the
 * process at once. */
#include "hostile.h"

#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char *name;
  long number;
} calls[] = {
  { "ptrace", SYS_ptrace },
  { "process_vm_readv", SYS_process_vm_readv },
  { "process_vm_writev", SYS_process_vm_writev },
  { "pidfd_getfd", SYS_pidfd_getfd },
  { "init_module", SYS_init_module },
  { "finit_module", SYS_finit_module },
  { "delete_module", SYS_delete_module },
  { "kexec_load", SYS_kexec_load },
  { "kexec_file_load", SYS_kexec_file_load },
};

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  const char *name = toolhost_arg_string_or (call, "call", "");

  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp (calls[i].name, name) == 0)
      (void) syscall (calls[i].number, -1L, -1L, -1L, -1L, -1L, -1L);
  return toolhost_text (call, "survived");
}

HOSTILE ("forbidden", TOOLHOST_SERIAL, "Makes a call that is its last.",
         "\"properties\":{\"call\":{\"type\":\"string\"}}")

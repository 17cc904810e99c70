/* Makes code while it runs, in both ways there are, and runs it where it was let.  Tells of each
 * what it gave: 42, or that it was refused. */
#include "hostile.h"

#include <stdint.h>
#include <sys/mman.h>

#if defined(__x86_64__)
static const uint8_t give_42[] = { 0xb8, 42, 0, 0, 0, 0xc3 }; /* mov $42, %eax; ret */
#elif defined(__aarch64__)
static const uint32_t give_42[] = { 0x52800540, 0xd65f03c0 }; /* mov w0, #42; ret */
#endif

enum { SIZE = 4096 };

static int
run (void *code)
{
  int (*function) (void);

  __builtin___clear_cache (code, (char *) code + sizeof give_42);
  memcpy (&function, &code, sizeof function);
  return function ();
}

/* 0: it was refused. */
static int
make (int at_first, int then)
{
  void *code = mmap (NULL, SIZE, at_first, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int result = 0;

  if (code == MAP_FAILED)
    return 0;
  memcpy (code, give_42, sizeof give_42);
  if (then == at_first || mprotect (code, SIZE, then) == 0)
    result = run (code);
  (void) munmap (code, SIZE);
  return result;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  const int open_code = PROT_READ | PROT_WRITE | PROT_EXEC;

  return toolhost_textf (call, "%d %d", make (open_code, open_code),
                         make (PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC));
}

HOSTILE ("new_code", TOOLHOST_SERIAL, "Makes code.", HOSTILE_NO_ARGUMENTS)

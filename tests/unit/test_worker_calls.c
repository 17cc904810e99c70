/* The table of system calls and the programs made of it, for both processors, run by a small
 * interpreter of what the kernel would run. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tap.h"
#include "worker/filter.h"

enum { SELF = 2, X32 = 0x40000000, LAST_NUMBER = 600 };
static const unsigned REFUSED = SECCOMP_RET_ERRNO | EPERM, ABSENT = SECCOMP_RET_ERRNO | ENOSYS;
static const uint32_t archs[PROCESSORS] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };
static const char *const processors[PROCESSORS] = { "x86-64", "aarch64" };
static const unsigned sets[] = { FOR_WORKER, FOR_INIT, FOR_WORKER | FOR_JIT,
                                 FOR_WORKER | FOR_SANITIZER, FOR_WORKER | FOR_EXEC };

/* ---- the interpreter -------------------------------------------------------------------- */

static uint32_t
word_at (const struct seccomp_data *data, uint32_t offset)
{
  uint32_t word;

  CU_ASSERT_FATAL (offset % sizeof word == 0 && offset + sizeof word <= sizeof *data);
  memcpy (&word, (const char *) data + offset, sizeof word);
  return word;
}

/* What the filter answers; `steps` counts its instructions. */
static uint32_t
run (const struct filter *filter, const struct seccomp_data *data, unsigned *steps)
{
  uint32_t a = 0;

  *steps = 0;
  for (unsigned at = 0; at < filter->len; at++) {
    const struct sock_filter *in = &filter->code[at];
    ++*steps;
    switch (in->code) {
    case BPF_LD | BPF_W | BPF_ABS:
      a = word_at (data, in->k);
      break;
    case BPF_ALU | BPF_AND | BPF_K:
      a &= in->k;
      break;
    case BPF_JMP | BPF_JA:
      at += in->k;
      break;
    case BPF_JMP | BPF_JEQ | BPF_K:
      at += a == in->k ? in->jt : in->jf;
      break;
    case BPF_JMP | BPF_JGE | BPF_K:
      at += a >= in->k ? in->jt : in->jf;
      break;
    case BPF_RET | BPF_K:
      return in->k;
    default:
      CU_FAIL_FATAL ("an instruction that no filter needs");
    }
  }
  CU_FAIL_FATAL ("the program has no end");
  return 0;
}

/* ---- what the table says, read the slow way ---- */

static bool
row_allows (const struct system_call *row, const uint64_t *args)
{
  uint32_t low = (uint32_t) args[row->arg];

  switch ((enum call_rule) row->rule) {
  case RULE_ALLOW:
    return true;
  case RULE_IF:
    return (low & row->mask) == row->value;
  case RULE_UNLESS:
    return (low & row->mask) != row->value;
  case RULE_NULL:
    return args[row->arg] == 0;
  case RULE_OWN:
    return low == SELF;
  default:
    return false;
  }
}

static uint32_t
expected (enum processor processor, unsigned who, int nr, const uint64_t *args)
{
  for (size_t i = 0; i < system_calls_count; i++) {
    const struct system_call *row = &system_calls[i];
    if ((row->who & who) == 0 || row->number[processor] != nr)
      continue;
    if (row->rule == RULE_MISSING)
      return ABSENT;
    if (row->rule == RULE_DEADLY)
      return SECCOMP_RET_KILL_PROCESS;
    if (row_allows (row, args))
      return SECCOMP_RET_ALLOW;
  }
  return REFUSED;
}

/* ---- tests ------------------------------------------------------------------------------ */

static void
compare (const struct filter *filter, enum processor processor, unsigned who, int nr,
         const uint64_t *args)
{
  struct seccomp_data data = { .nr = nr, .arch = archs[processor] };
  unsigned steps;
  uint32_t wanted = expected (processor, who, nr, args), got;

  memcpy (data.args, args, sizeof data.args);
  got = run (filter, &data, &steps);
  if (got != wanted) {
    printf ("# %s, set %u, call %d: expected %#x, got %#x\n", processors[processor], who, nr,
            wanted, got);
    CU_FAIL ("the program says something else than the table");
  }
}

/* Values around each that a rule compares with, in the argument it looks at. */
static void
compare_around (const struct filter *filter, enum processor processor, unsigned who,
                const struct system_call *row)
{
  const uint64_t upper = UINT64_C (1) << 32;
  const uint64_t values[] = {
    row->value,
    row->value + 1U,
    row->value - 1U,
    row->value + upper,
    row->value | ~row->mask,
    row->value | row->mask,
    ~row->mask,
    row->mask,
    SELF,
    SELF + upper,
    0,
    upper,
    UINT32_MAX,
    UINT64_MAX,
    row->value ^ 1U,
  };

  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    uint64_t args[6] = { 0 };
    args[row->arg] = values[i];
    compare (filter, processor, who, row->number[processor], args);
  }
  for (unsigned bit = 0; bit < 64; bit++) {
    uint64_t args[6] = { 0 };
    args[row->arg] = row->value ^ UINT64_C (1) << bit;
    compare (filter, processor, who, row->number[processor], args);
  }
}

static void
test_programs_say_what_the_table_says (void)
{
  static const uint64_t nothing[6];
  struct filter filter;

  for (unsigned processor = 0; processor < PROCESSORS; processor++)
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
      filter_build (&filter, processor, sets[s], SELF);
      for (int nr = 0; nr < LAST_NUMBER; nr++)
        compare (&filter, processor, sets[s], nr, nothing);
      for (size_t i = 0; i < system_calls_count; i++)
        if (system_calls[i].number[processor] != NO_NUMBER)
          compare_around (&filter, processor, sets[s], &system_calls[i]);
    }
}

static uint32_t
ask (const struct filter *filter, uint32_t arch, int nr, uint64_t first, uint64_t second,
     uint64_t third)
{
  struct seccomp_data data = { .nr = nr, .arch = arch, .args = { first, second, third } };
  unsigned steps;

  return run (filter, &data, &steps);
}

/* The few that everything hangs on, not read from the table but written down again. */
static void
test_what_matters_most (void)
{
  enum { A_THREAD = 0x3d0f00, LIBRARY = PROT_READ | PROT_EXEC, EVIL = PROT_WRITE | PROT_EXEC };
  const uint64_t upper = UINT64_C (1) << 32;
  static const struct {
    const char *what;
    int number[PROCESSORS];
    uint64_t args[3];
    uint32_t answer;
  } cases[] = {
    { "read", { 0, 63 }, { 0 }, SECCOMP_RET_ALLOW },
    { "execve", { 59, 221 }, { 0 }, SECCOMP_RET_ERRNO | EPERM },
    { "execveat", { 322, 281 }, { 0 }, SECCOMP_RET_ERRNO | EPERM },
    { "socket", { 41, 198 }, { 0 }, SECCOMP_RET_ERRNO | EPERM },
    { "memfd_create", { 319, 279 }, { 0 }, SECCOMP_RET_ERRNO | EPERM },
    { "kill", { 62, 129 }, { SELF }, SECCOMP_RET_ERRNO | EPERM },
    { "bpf", { 321, 280 }, { 0 }, SECCOMP_RET_ERRNO | EPERM },
    { "clone3", { 435, 435 }, { 0 }, SECCOMP_RET_ERRNO | ENOSYS },
    { "io_uring_setup", { 425, 425 }, { 0 }, SECCOMP_RET_ERRNO | ENOSYS },
    { "ptrace", { 101, 117 }, { 0 }, SECCOMP_RET_KILL_PROCESS },
    { "process_vm_writev", { 311, 271 }, { 0 }, SECCOMP_RET_KILL_PROCESS },
    { "clone of a thread", { 56, 220 }, { A_THREAD }, SECCOMP_RET_ALLOW },
    { "clone of a process", { 56, 220 }, { 17 }, SECCOMP_RET_ERRNO | EPERM },
    { "clone into namespaces",
      { 56, 220 },
      { A_THREAD | CLONE_NEWUSER },
      SECCOMP_RET_ERRNO | EPERM },
    { "recvmsg of the control socket", { 47, 212 }, { 3 }, SECCOMP_RET_ALLOW },
    { "recvmsg of another", { 47, 212 }, { 4 }, SECCOMP_RET_ERRNO | EPERM },
    { "fcntl F_SETOWN", { 72, 25 }, { 0, F_SETOWN }, SECCOMP_RET_ERRNO | EPERM },
    { "fcntl F_ADD_SEALS", { 72, 25 }, { 0, 1033 }, SECCOMP_RET_ERRNO | EPERM },
    { "ioctl TIOCSTI", { 16, 29 }, { 0, 0x5412 }, SECCOMP_RET_ERRNO | EPERM },
    { "prctl PR_SET_DUMPABLE", { 157, 167 }, { PR_SET_DUMPABLE }, SECCOMP_RET_ERRNO | EPERM },
    { "mmap of a library", { 9, 222 }, { 0, 0, LIBRARY }, SECCOMP_RET_ALLOW },
    { "mmap of writable code", { 9, 222 }, { 0, 0, EVIL }, SECCOMP_RET_ERRNO | EPERM },
    { "mprotect to code", { 10, 226 }, { 0, 0, LIBRARY }, SECCOMP_RET_ERRNO | EPERM },
    { "mprotect of a table", { 10, 226 }, { 0, 0, PROT_READ }, SECCOMP_RET_ALLOW },
    { "prlimit64 that reads", { 302, 261 }, { 0, 0, 0 }, SECCOMP_RET_ALLOW },
    { "prlimit64 that sets", { 302, 261 }, { 0, 0, 1 }, SECCOMP_RET_ERRNO | EPERM },
    { "prlimit64 that sets from high up",
      { 302, 261 },
      { 0, 0, UINT64_C (1) << 32 },
      SECCOMP_RET_ERRNO | EPERM },
    { "tgkill of itself", { 234, 131 }, { SELF }, SECCOMP_RET_ALLOW },
    { "tgkill of init", { 234, 131 }, { 1 }, SECCOMP_RET_ERRNO | EPERM },
    { "personality", { 135, 92 }, { 0x0400000 }, SECCOMP_RET_ERRNO | EPERM },
    { "madvise MADV_MERGEABLE", { 28, 233 }, { 0, 0, MADV_MERGEABLE }, SECCOMP_RET_ERRNO | EPERM },
  };
  struct filter filter;

  for (unsigned p = 0; p < PROCESSORS; p++) {
    filter_build (&filter, p, FOR_WORKER, SELF);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const uint64_t *args = cases[i].args;
      uint32_t got = ask (&filter, archs[p], cases[i].number[p], args[0], args[1], args[2]);
      if (got != cases[i].answer) {
        printf ("# %s: %s: expected %#x, got %#x\n", processors[p], cases[i].what, cases[i].answer,
                got);
        CU_FAIL ("another answer was expected");
      }
    }
    /* the kernel looks at no more than an int of these */
    CU_ASSERT_EQUAL (ask (&filter, archs[p], p == 0 ? 47 : 212, 3 + upper, 0, 0),
                     SECCOMP_RET_ALLOW);
  }
}

static void
test_other_architectures (void)
{
  static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0 };
  struct filter filter;

  for (unsigned p = 0; p < PROCESSORS; p++)
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
      filter_build (&filter, p, sets[s], SELF);
      for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CU_ASSERT_EQUAL (ask (&filter, others[i], 0, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
      CU_ASSERT_EQUAL (ask (&filter, archs[!p], 0, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
    }
  filter_build (&filter, PROCESSOR_X86_64, FOR_WORKER, SELF);
  for (int nr = 0; nr < LAST_NUMBER; nr++)
    CU_ASSERT_EQUAL (ask (&filter, archs[PROCESSOR_X86_64], X32 + nr, 0, 0, 0),
                     SECCOMP_RET_KILL_PROCESS);
  CU_ASSERT_EQUAL (ask (&filter, archs[PROCESSOR_X86_64], -1, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

static void
test_code_that_is_made (void)
{
  struct filter filter;

  for (unsigned p = 0; p < PROCESSORS; p++) {
    filter_build (&filter, p, FOR_WORKER | FOR_JIT, SELF);
    CU_ASSERT_EQUAL (ask (&filter, archs[p], p == 0 ? 9 : 222, 0, 0, PROT_WRITE | PROT_EXEC),
                     SECCOMP_RET_ALLOW);
    CU_ASSERT_EQUAL (ask (&filter, archs[p], p == 0 ? 10 : 226, 0, 0, PROT_EXEC),
                     SECCOMP_RET_ALLOW);
    CU_ASSERT_EQUAL (ask (&filter, archs[p], p == 0 ? 59 : 221, 0, 0, 0), REFUSED);
  }
}

static void
test_programs_that_are_granted (void)
{
  enum { FORK = 0x1200011, SPAWN = 0x4111, NEW_USER = CLONE_NEWUSER | 17 };
  static const struct {
    int number[PROCESSORS];
    uint64_t first;
    uint32_t answer;
  } cases[] = {
    { { 59, 221 }, 0, SECCOMP_RET_ALLOW },
    { { 56, 220 }, FORK, SECCOMP_RET_ALLOW },
    { { 56, 220 }, SPAWN, SECCOMP_RET_ALLOW },
    { { 56, 220 }, NEW_USER, SECCOMP_RET_ERRNO | EPERM },
    { { 435, 435 }, 0, SECCOMP_RET_ERRNO | ENOSYS },
    { { 41, 198 }, 0, SECCOMP_RET_ERRNO | EPERM },
    { { 272, 97 }, CLONE_NEWUSER, SECCOMP_RET_ERRNO | EPERM },
    { { 234, 131 }, 7, SECCOMP_RET_ALLOW },
    { { 101, 117 }, 0, SECCOMP_RET_KILL_PROCESS },
  };
  struct filter filter;

  for (unsigned p = 0; p < PROCESSORS; p++) {
    filter_build (&filter, p, FOR_WORKER | FOR_EXEC, SELF);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      CU_ASSERT_EQUAL (ask (&filter, archs[p], cases[i].number[p], cases[i].first, 0, 0),
                       cases[i].answer);
  }
}

static void
test_few_calls (void)
{
  enum { MOST = 90, MOST_OF_INIT = 10 };

  for (unsigned p = 0; p < PROCESSORS; p++) {
    size_t count = system_calls_allowed (p, FOR_WORKER);
    printf ("# %s: %zu calls\n", processors[p], count);
    CU_ASSERT (count > 60 && count <= MOST);
    CU_ASSERT (system_calls_allowed (p, FOR_INIT) <= MOST_OF_INIT);
    CU_ASSERT_EQUAL (system_calls_allowed (p, FOR_WORKER | FOR_JIT), count);
  }
}

/* A call's way through the tree is short, whatever the call is. */
static void
test_short_ways (void)
{
  enum { MOST_STEPS = 64 };
  struct filter filter;

  for (unsigned p = 0; p < PROCESSORS; p++) {
    unsigned longest = 0;
    filter_build (&filter, p, FOR_WORKER, SELF);
    for (int nr = 0; nr < LAST_NUMBER; nr++) {
      struct seccomp_data data = { .nr = nr, .arch = archs[p], .args = { 1, UINT32_MAX, 1 } };
      unsigned steps;
      (void) run (&filter, &data, &steps);
      longest = steps > longest ? steps : longest;
    }
    printf ("# %s: %u instructions, at most %u of them for one call\n", processors[p], filter.len,
            longest);
    CU_ASSERT (longest <= MOST_STEPS);
  }
}

static void
test_every_row_has_its_reason (void)
{
  for (size_t i = 0; i < system_calls_count; i++) {
    const struct system_call *row = &system_calls[i];
    if (strlen (row->why) < 4) {
      printf ("# %s\n", row->name);
      CU_FAIL ("a row without a reason");
    }
    CU_ASSERT (row->number[PROCESSOR_X86_64] != NO_NUMBER);
  }
}

static void
test_the_table_for_people (void)
{
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream (&text, &len);

  CU_ASSERT_PTR_NOT_NULL_FATAL (out);
  system_calls_print (out, PROCESSOR_AARCH64);
  (void) fclose (out);
  CU_ASSERT_PTR_NOT_NULL (
    strstr (text, "\nrecvmsg           212  worker        if argument 0 is CONTROL_FD "));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (text, "\nclone3            435  worker, init  fails with ENOSYS"));
  CU_ASSERT_PTR_NULL (strstr (text, "\nepoll_wait "));
  free (text);
}

static CU_TestInfo tests[] = {
  { "programs say what the table says", test_programs_say_what_the_table_says },
  { "what matters most", test_what_matters_most },
  { "other architectures", test_other_architectures },
  { "code that is made", test_code_that_is_made },
  { "programs that are granted", test_programs_that_are_granted },
  { "few calls", test_few_calls },
  { "short ways", test_short_ways },
  { "every row has its reason", test_every_row_has_its_reason },
  { "the table for people", test_the_table_for_people },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "worker calls", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

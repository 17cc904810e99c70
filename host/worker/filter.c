#include "worker/filter.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>

/* x32 has numbers of its own from here on: another architecture in disguise. */
enum { X32 = 0x40000000, MOST_ROWS = 320, LEAF = 3 };

static const uint32_t audit_arch[PROCESSORS] = {
  [PROCESSOR_X86_64] = AUDIT_ARCH_X86_64,
  [PROCESSOR_AARCH64] = AUDIT_ARCH_AARCH64,
};

/* The rows of one call, which stand beside each other. */
struct leaf {
  uint32_t nr;
  const struct system_call *const *rows;
  size_t count;
};

struct builder {
  struct filter *filter;
  pid_t self;
};

/* ---- instructions ----------------------------------------------------------------------- */

static void
emit (struct filter *f, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
  assert (f->len < FILTER_MAX);
  f->code[f->len++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void
answer (struct filter *f, uint32_t what)
{
  emit (f, BPF_RET | BPF_K, what, 0, 0);
}

static void
load (struct filter *f, size_t offset)
{
  emit (f, BPF_LD | BPF_W | BPF_ABS, (uint32_t) offset, 0, 0);
}

/* Skip as many instructions as are put in between; `at` is a jump that was left open. */
static uint8_t
skipped (const struct filter *f, unsigned at)
{
  unsigned count = f->len - at - 1U;
  assert (count <= UINT8_MAX);
  return (uint8_t) count;
}

/* ---- the rules of one call -------------------------------------------------------------- */

/* Both processors are little-endian: the lower half of an argument comes first. */
static void
load_argument (struct filter *f, unsigned index, bool upper)
{
  load (f, offsetof (struct seccomp_data, args) + index * sizeof (uint64_t)
             + (upper ? sizeof (uint32_t) : 0));
}

/* Allow if the lower half of an argument is, or is not, `value` under `mask`. */
static void
emit_compared (struct filter *f, unsigned arg, uint32_t mask, uint32_t value, bool wanted)
{
  load_argument (f, arg, false);
  if (mask != UINT32_MAX)
    emit (f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  emit (f, BPF_JMP | BPF_JEQ | BPF_K, value, !wanted, wanted);
  answer (f, SECCOMP_RET_ALLOW);
}

static void
emit_null (struct filter *f, unsigned arg)
{
  load_argument (f, arg, true);
  emit (f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
  load_argument (f, arg, false);
  emit (f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  answer (f, SECCOMP_RET_ALLOW);
}

/* True: the row has answered for every argument, and what follows is never reached. */
static bool
emit_row (struct builder *b, const struct system_call *row)
{
  switch ((enum call_rule) row->rule) {
  case RULE_ALLOW:
    answer (b->filter, SECCOMP_RET_ALLOW);
    return true;
  case RULE_MISSING:
    answer (b->filter, SECCOMP_RET_ERRNO | ENOSYS);
    return true;
  case RULE_DEADLY:
    answer (b->filter, SECCOMP_RET_KILL_PROCESS);
    return true;
  case RULE_IF:
    emit_compared (b->filter, row->arg, row->mask, row->value, true);
    return false;
  case RULE_UNLESS:
    emit_compared (b->filter, row->arg, row->mask, row->value, false);
    return false;
  case RULE_NULL:
    emit_null (b->filter, row->arg);
    return false;
  case RULE_OWN:
    emit_compared (b->filter, row->arg, UINT32_MAX, (uint32_t) b->self, true);
    return false;
  }
  return false;
}

static void
emit_leaf (struct builder *b, const struct leaf *leaf)
{
  struct filter *f = b->filter;
  unsigned at = f->len;
  bool answered = false;

  emit (f, BPF_JMP | BPF_JEQ | BPF_K, leaf->nr, 0, 0);
  for (size_t i = 0; i < leaf->count && !answered; i++)
    answered = emit_row (b, leaf->rows[i]);
  if (!answered)
    answer (f, SECCOMP_RET_ERRNO | EPERM);
  f->code[at].jf = skipped (f, at);
}

/* ---- the tree --------------------------------------------------------------------------- */

static void
emit_tree (struct builder *b, const struct leaf *leaves, size_t count)
{
  struct filter *f = b->filter;
  size_t half = count / 2;
  unsigned at;

  if (count <= LEAF) {
    for (size_t i = 0; i < count; i++)
      emit_leaf (b, &leaves[i]);
    answer (f, SECCOMP_RET_ERRNO | EPERM);
    return;
  }
  /* A conditional jump reaches 255 instructions, a plain one anything. */
  emit (f, BPF_JMP | BPF_JGE | BPF_K, leaves[half].nr, 0, 1);
  at = f->len;
  emit (f, BPF_JMP | BPF_JA, 0, 0, 0);
  emit_tree (b, leaves, half);
  f->code[at].k = f->len - at - 1U;
  emit_tree (b, leaves + half, count - half);
}

/* ---- from the table to leaves ----------------------------------------------------------- */

/* The rows of one call stay in the table's order. */
static size_t
insert (const struct system_call **rows, size_t count, const struct system_call *row,
        enum processor processor)
{
  size_t at = count;

  for (; at > 0 && rows[at - 1]->number[processor] > row->number[processor]; at--)
    rows[at] = rows[at - 1];
  rows[at] = row;
  return count + 1;
}

static size_t
collect (const struct system_call **rows, enum processor processor, unsigned who)
{
  size_t count = 0;

  assert (system_calls_count <= MOST_ROWS);
  for (size_t i = 0; i < system_calls_count; i++)
    if ((system_calls[i].who & who) != 0 && system_calls[i].number[processor] != NO_NUMBER)
      count = insert (rows, count, &system_calls[i], processor);
  return count;
}

static size_t
group (const struct system_call *const *rows, size_t count, enum processor processor,
       struct leaf *leaves)
{
  size_t leaf_count = 0;

  for (size_t i = 0; i < count; i++) {
    uint32_t nr = (uint32_t) rows[i]->number[processor];
    if (leaf_count != 0 && leaves[leaf_count - 1].nr == nr)
      leaves[leaf_count - 1].count++;
    else
      leaves[leaf_count++] = (struct leaf){ nr, rows + i, 1 };
  }
  return leaf_count;
}

void
filter_build (struct filter *filter, enum processor processor, unsigned who, pid_t self)
{
  const struct system_call *rows[MOST_ROWS];
  struct leaf leaves[MOST_ROWS];
  struct builder b = { .filter = filter, .self = self };
  size_t count = group (rows, collect (rows, processor, who), processor, leaves);

  filter->len = 0;
  load (filter, offsetof (struct seccomp_data, arch));
  emit (filter, BPF_JMP | BPF_JEQ | BPF_K, audit_arch[processor], 1, 0);
  answer (filter, SECCOMP_RET_KILL_PROCESS);
  load (filter, offsetof (struct seccomp_data, nr));
  if (processor == PROCESSOR_X86_64) {
    emit (filter, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    answer (filter, SECCOMP_RET_KILL_PROCESS);
  }
  emit_tree (&b, leaves, count);
}

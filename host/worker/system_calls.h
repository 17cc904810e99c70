/* system_calls.h - which system calls a worker may make, and why: the table of system_calls.def,
 * for every processor at once.  filter.c makes programs of it, `toolhost-worker --system-calls`
 * shows it to people.  Constant; any thread. */
#ifndef TOOLHOST_WORKER_SYSTEM_CALLS_H
#define TOOLHOST_WORKER_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum processor {
  PROCESSOR_X86_64,
  PROCESSOR_AARCH64,
  PROCESSORS,
#if defined(__x86_64__)
  PROCESSOR_OURS = PROCESSOR_X86_64
#elif defined(__aarch64__)
  PROCESSOR_OURS = PROCESSOR_AARCH64
#else
#error "no system call numbers for this processor"
#endif
};

/* Whom a row is for, or'ed. */
enum {
  FOR_WORKER = 1,
  FOR_INIT = 2,
  FOR_BOTH = FOR_WORKER | FOR_INIT,
  FOR_JIT = 4,       /* workers whose policy lets them make code */
  FOR_SANITIZER = 8, /* builds with a sanitizer */
  FOR_EXEC = 16,     /* workers that may run programs, and those programs */
  FOR_PROGRAM = 32   /* programs beside a worker, in a sandbox of their own */
};

enum call_rule {
  RULE_ALLOW,
  RULE_IF,     /* allowed if argument `arg` has under `mask` exactly `value` */
  RULE_UNLESS, /* allowed if it has not */
  RULE_NULL,   /* allowed if argument `arg` is a null pointer */
  RULE_OWN,    /* allowed if argument `arg` is the caller's pid */
  RULE_MISSING,
  RULE_DEADLY
};

enum { NO_NUMBER = -1 };

struct system_call {
  const char *name;
  const char *why;
  const char *mask_name, *value_name; /* as the table writes them; NULL: the rule has none */
  uint32_t mask, value;
  int16_t number[PROCESSORS]; /* NO_NUMBER: that processor has no such call */
  uint8_t who;                /* FOR_…, or'ed */
  uint8_t rule;               /* enum call_rule */
  uint8_t arg;
};

extern const struct system_call system_calls[];
extern const size_t system_calls_count;

/* How many different calls a process may make that is all of `who`. */
size_t system_calls_allowed (enum processor processor, unsigned who);
/* The table for people, one row a line. */
void system_calls_print (FILE *out, enum processor processor);

#endif

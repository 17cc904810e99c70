/* run.h - a call of a tool: its arguments become memory, its functions are called, what they give
 * becomes JSON, and what they allocated is freed.  One thread; several runs at the same time. */
#ifndef TOOLHOST_PLUGINS_FFI_RUN_H
#define TOOLHOST_PLUGINS_FFI_RUN_H

#include "marshal.h"

/* A parameter of a call in memory. */
struct slot {
  void *at;     /* the argument itself, as libffi takes it */
  void *target; /* what it points at; NULL */
  size_t count; /* elements that were given */
  size_t room;  /* bytes of the target before its guard */
  bool given;   /* elements were, even if there are none */
};

/* Zero-initialise but for the first four. */
struct run {
  const struct function *function;
  struct values *pool;
  bool (*goes_on) (void *ctx); /* asked between the calls */
  void *ctx;
  struct slot *slots[CALLS_MAX]; /* of each call its parameters, then what it returned */
  size_t called;                 /* calls that have been made */
  struct text out;               /* the result, a JSON object */
  size_t told;                   /* members of it */
  const char *code;              /* of a failure; NULL: none */
  char why[600];
};

/* Put the arguments into memory; what is wrong with them is told to `m`.  False: something is. */
bool run_prepare (struct run *run, struct marshal *m, const struct value *args);
/* Call the functions.  False: `code` and `why` say what failed. */
bool run_calls (struct run *run);
/* Of the text alone; the rest lives in the pool. */
void run_free (struct run *run);

#endif

/* filter.h - the table of system calls as a program for the kernel's filter: a search tree over the
 * numbers, at its leaves the rules of one call.  Pure: for any processor, on any. */
#ifndef TOOLHOST_WORKER_FILTER_H
#define TOOLHOST_WORKER_FILTER_H

#include <linux/filter.h>
#include <sys/types.h>

#include "worker/system_calls.h"

enum { FILTER_MAX = 2048 };

struct filter {
  unsigned short len;
  struct sock_filter code[FILTER_MAX];
};

/* The rows that are for any of `who`, where `self` is the pid of RULE_OWN.  What is in no row fails
 * with EPERM; the calls of another architecture end the process. */
void filter_build (struct filter *filter, enum processor processor, unsigned who, pid_t self);

#endif

/* hello.h - what a worker is told first: the JSON of the HELLO frame that goes down (frame.h),
 * which worker/hello.c reads.  Pure. */
#ifndef TOOLHOST_POOL_HELLO_H
#define TOOLHOST_POOL_HELLO_H

#include "base/buf.h"
#include "pool/policy.h"

/* `cgroup_v2`: it is born into a cgroup of version 2 with its limits. */
void hello_write (struct buf *out, const char *build, const char *plugin,
                  const struct policy *policy, bool cgroup_v2);

#endif

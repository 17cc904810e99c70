/* hello.h - what a worker is told first: the JSON of the HELLO frame that goes down (frame.h),
 * which worker/hello.c reads.  Pure. */
#ifndef TOOLHOST_POOL_HELLO_H
#define TOOLHOST_POOL_HELLO_H

#include "base/buf.h"
#include "pool/policy.h"

/* Whose builder's tools a unit serves, and what they are made of. */
struct build_order {
  char *tenant;  /* whose they are */
  char *feature; /* NULL: there is none, the plugin's own tools are served */
  char *config;  /* JSON text of an object */
};

enum { BUILD_CONFIG_MAX = 16 << 20 /* bytes */ };

/* `build_ms`: what the order may take.  `cgroup_v2`: it is born into a cgroup of version 2 with its
 * limits. */
void hello_write (struct buf *out, const char *build, const char *plugin,
                  const struct policy *policy, const struct build_order *order, int64_t build_ms,
                  bool cgroup_v2);

/* The same for a program: what to run, in which environment, in which sandbox (of which only what a
 * sandbox is made of is looked at).  False: err says why. */
bool hello_write_program (struct buf *out, const char *build, const struct granted_program *granted,
                          const struct policy *sandbox, const struct secrets *secrets,
                          bool cgroup_v2, struct error *err);

#endif

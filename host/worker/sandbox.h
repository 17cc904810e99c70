/* sandbox.h - how a worker closes the sandbox on itself: one file per mechanism, each recording in
 * the plan which guarantees it met.
 *
 * Order: sandbox_namespaces and sandbox_root in pid 1, then (after the fork, single-threaded)
 * sandbox_limits, sandbox_privileges, sandbox_landlock, sandbox_seccomp in pid 2, then
 * guarantees_hold.  Each answers false only where going on would be wrong, with a sentence. */
#ifndef TOOLHOST_WORKER_SANDBOX_H
#define TOOLHOST_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_write.h"

enum guarantee {
  NO_NETWORK = 1,
  NO_FOREIGN_FILES = 2,
  NO_FOREIGN_SIGNALS = 4,
  MEMORY_CAP = 8,
  KILL_TREE = 16
};
enum { GUARANTEES = 5 };

struct sandbox_plan {
  const char *plugin;       /* loaded from /plugin/NAME.so */
  unsigned require;         /* enum guarantee, or'ed */
  const char *const *read;  /* absolute paths, NULL-terminated */
  const char *const *write; /* likewise */
  uint64_t memory;          /* bytes of address space */
  uint64_t files;           /* open descriptors */
  uint64_t tmp;             /* bytes of /tmp; 0: none */
  uint64_t processes;       /* threads and processes */

  const char *met[GUARANTEES][4]; /* by which mechanisms, NULL-terminated */
};

/* ---- guarantees.c ---- */

/* A mechanism is in force; `guarantees` is what it meets, or'ed. */
void guarantee_met (struct sandbox_plan *plan, unsigned guarantees, const char *mechanism);
/* The bit of a guarantee's name; 0: there is none of that name. */
unsigned guarantee_of (const char *name);
/* Is every required guarantee met by something? */
bool guarantees_hold (const struct sandbox_plan *plan, struct error *err);
/* { "no-network": "network namespace, seccomp", … } */
void guarantees_tell (const struct sandbox_plan *plan, struct json_writer *w);

/* ---- sandbox_root.c ---- */

/* What the namespaces this process was born into are good for. */
void sandbox_namespaces (struct sandbox_plan *plan);
/* A new root with nothing but system libraries, the plugin (copied from the descriptor), and what
 * is granted; the old one is gone afterwards. */
bool sandbox_root (struct sandbox_plan *plan, int plugin_fd, struct error *err);

/* ---- sandbox_limits.c ---- */

bool sandbox_limits (struct sandbox_plan *plan, struct error *err);
/* No capabilities, no way to new ones, no core, no look at this process by others. */
bool sandbox_privileges (struct error *err);

/* ---- sandbox_landlock.c ---- */

/* Best effort: what this kernel's ABI has. */
bool sandbox_landlock (struct sandbox_plan *plan, struct error *err);

/* ---- sandbox_seccomp.c ---- */

bool sandbox_seccomp (struct sandbox_plan *plan, struct error *err);
/* For pid 1: what init needs and nothing else. */
bool sandbox_seccomp_init (struct error *err);
/* How many system calls a worker may make. */
size_t sandbox_seccomp_allowed (void);

#endif

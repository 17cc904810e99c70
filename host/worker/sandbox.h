/* sandbox.h - how a worker closes the sandbox on itself: one file per mechanism, each recording in
 * the plan which guarantees it met.
 *
 * Order: sandbox_namespaces, sandbox_cgroup and sandbox_root in pid 1, then (after the fork,
 * single-threaded) sandbox_limits, sandbox_privileges, sandbox_code, sandbox_landlock,
 * sandbox_seccomp in pid 2, then guarantees_hold.  Each answers false only where going on would be
 * wrong, with a sentence. */
#ifndef TOOLHOST_WORKER_SANDBOX_H
#define TOOLHOST_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/json_write.h"

/* The program that starts all others which are not of one piece. */
#if defined(__x86_64__)
#define SANDBOX_LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define SANDBOX_LOADER "/lib/ld-linux-aarch64.so.1"
#endif

enum guarantee {
  NO_NETWORK = 1,
  NO_FOREIGN_FILES = 2,
  NO_FOREIGN_SIGNALS = 4,
  MEMORY_CAP = 8,
  KILL_TREE = 16,
  NO_NEW_CODE = 32 /* told, never required: a policy may allow it */
};
enum { GUARANTEES = 6 };

/* Where the plugin's file is while there is no root of its own for it. */
#define SANDBOX_PLUGIN_FD "/proc/self/fd/5"

struct sandbox_plan {
  const char *plugin;       /* loaded from /plugin/NAME.so */
  unsigned require;         /* enum guarantee, or'ed */
  const char *const *read;  /* absolute paths, NULL-terminated */
  const char *const *write; /* likewise */
  const char *const *exec;  /* programs, likewise */
  uint64_t memory;          /* bytes */
  uint64_t address_space;   /* bytes; 0: what goes with `memory` */
  uint64_t files;           /* open descriptors */
  uint64_t tmp;             /* bytes of /tmp; 0: none */
  uint64_t processes;       /* threads and processes */
  bool processes_asked;     /* by an operator: must be enforced */
  bool program;             /* it becomes a program of the system, and loads no plugin */
  bool jit;                 /* it may make code while it runs */
  bool cgroup_v2;           /* it was born into a cgroup of version 2 with its limits */

  bool namespaces; /* found: this is pid 1 of namespaces of its own */
  bool in_cgroup;  /* found: a cgroup limits its memory */

  const char *met[GUARANTEES][5]; /* by which mechanisms, NULL-terminated */
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
/* What the cgroup it was born into is good for. */
void sandbox_cgroup (struct sandbox_plan *plan);
/* When the whole system is out of memory, workers go first. */
void sandbox_volunteer (void);
/* A new root with nothing but system libraries, the plugin (copied from the descriptor), and what
 * is granted; the old one is gone afterwards.  Without a mount namespace the root stays, and
 * Landlock has to hide it. */
bool sandbox_root (struct sandbox_plan *plan, int plugin_fd, struct error *err);

/* ---- sandbox_limits.c ---- */

bool sandbox_limits (struct sandbox_plan *plan, struct error *err);
/* In pid 2: it does not outlive pid 1, which is `parent`. */
void sandbox_parent (struct sandbox_plan *plan, pid_t parent);
/* No capabilities, no way to new ones, no core, no look at this process by others. */
bool sandbox_privileges (struct error *err);

/* No memory that is writable, or was, becomes code, unless the plan allows it. */
void sandbox_code (struct sandbox_plan *plan);

/* ---- sandbox_landlock.c ---- */

/* Best effort: what this kernel's ABI has. */
bool sandbox_landlock (struct sandbox_plan *plan, struct error *err);

/* ---- sandbox_seccomp.c ---- */

bool sandbox_seccomp (struct sandbox_plan *plan, struct error *err);
/* For pid 1: what init needs and nothing else. */
bool sandbox_seccomp_init (struct error *err);

#endif

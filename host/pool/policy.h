/* policy.h - what the operator lets one plugin do, and how much of it.  Plain data:
 * daemon/policy_keys.c reads it from files, unit.c and worker.c enforce it. */
#ifndef TOOLHOST_POOL_POLICY_H
#define TOOLHOST_POOL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/resilience.h"
#include "pool/granted.h"
#include "service/call/service.h"
#include "service/http/rules.h"

struct json_writer;

/* What must hold of a worker, by whatever mechanism this kernel has. */
enum {
  GUARANTEE_NO_NETWORK = 1,
  GUARANTEE_NO_FOREIGN_FILES = 2,
  GUARANTEE_NO_FOREIGN_SIGNALS = 4,
  GUARANTEE_MEMORY_CAP = 8,
  GUARANTEE_KILL_TREE = 16,
  GUARANTEES_ALL = 31
};
extern const char *const guarantee_names[]; /* in the order of the bits, ends with NULL */

/* Limits that some systems have no means for.  One that an operator has written down must be
 * enforced, or the plugin is refused; a default is what it comes to. */
enum {
  LIMIT_MEMORY = 1,
  LIMIT_CPU = 2,
  LIMIT_PROCESSES = 4,
};
extern const char *const limit_names[]; /* in the order of the bits, ends with NULL */

/* Who shares a process (isolate.h). */
enum isolate { ISOLATE_PLUGIN, ISOLATE_TENANT, ISOLATE_CALL };
extern const char *const isolate_names[]; /* in that order, ends with NULL */

#define PHONE_ALL (~0U)

/* Of one tool of a plugin; each limit at most the plugin's, 0: the plugin's. */
struct policy_tool {
  char *name;
  bool enabled;        /* false: the tool is not shown and can't be called */
  int repair;          /* enum repair_mode; -1: as the daemon's configuration says */
  int64_t max_time_ms; /* of a call */
  int64_t cpu_ms;      /* processor time of a call */
  int64_t result;      /* bytes of one result */
  int64_t queue;       /* calls of it that may wait */
  char **http;         /* patterns within what the plugin is granted; NULL: all of it */
  unsigned phone;      /* bits of enum phone_act within what the plugin is granted; PHONE_ALL */
  struct circuit_rule breaker;
  struct retry_rule retry;
};

struct policy_tools {
  struct policy_tool *list;
  size_t count;
};

struct policy {
  bool enabled;
  char *profile;                      /* the name of the one it builds on; never NULL */
  char **read;                        /* absolute paths, NULL-terminated; NULL: none */
  char **exec;                        /* programs, absolute paths, likewise */
  char **write;                       /* likewise */
  struct granted_programs programs;   /* what it may have started beside its worker */
  struct http_grants http;            /* where the daemon sends requests for it */
  struct secrets secrets;             /* what is added to them, by name */
  char **told;                        /* of the secrets, those that the plugin itself is told */
  char **invoke;                      /* names of tools it may call, or patterns; likewise */
  unsigned phone;                     /* what it may ask of telephones: bits of enum phone_act */
  char *config;                       /* JSON object text for the plugin's open; never NULL */
  int64_t memory;                     /* bytes a worker may use */
  int64_t address_space;              /* bytes it may map; 0: as many as `memory` */
  int64_t files;                      /* open descriptors */
  int64_t tmp;                        /* bytes of /tmp */
  int64_t result;                     /* bytes of one result */
  int64_t processes;                  /* threads and processes in a worker */
  int64_t threads;                    /* tool threads of a parallel plugin */
  int64_t queue;                      /* calls that may wait */
  int64_t http_request;               /* bytes of the body of a request for it */
  int64_t http_response;              /* bytes of the body of an answer */
  int64_t http_open;                  /* requests for it that are open at once */
  int64_t per_tenant;                 /* calls of one tenant that run at once; 0: any number */
  int64_t workers_ready, workers_max; /* processes: kept, and at most */
  int64_t recycle_calls;              /* so many, then another process; 0: any number */
  int64_t recycle_age_ms;             /* so long; 0: for ever */
  int64_t max_time_ms;                /* 0: the tool's own counts */
  int64_t cpu_ms;                     /* processor time of a call; 0: no limit */
  unsigned require;                   /* GUARANTEE_… */
  unsigned always;                    /* of them, those that nothing may take away */
  unsigned asked;                     /* LIMIT_…: what an operator wrote down */
  enum isolate isolate;               /* who shares a process */
  bool jit;                           /* it may make code while it runs */
  struct policy_tools tools;
};

/* Fill in the defaults, which are the profile "strict"; free with policy_free. */
void policy_init (struct policy *policy);
void policy_free (struct policy *policy);
/* Deep copy. */
void policy_copy (struct policy *to, const struct policy *from);
bool policy_same (const struct policy *a, const struct policy *b);

/* What is in force, as JSON of the shape of a policy file.  Without `config`: it is the plugin's
 * and may hold what is nobody else's business. */
void policy_render (const struct policy *policy, struct json_writer *w);

/* May it call a tool of this name? */
bool policy_invokes (const struct policy *policy, const char *tool);

/* Is this name like that pattern, in which each * stands for any text? */
bool policy_like (const char *pattern, const char *name, size_t len);

/* What a tool of it may ask of telephones, as bits of enum phone_act. */
unsigned policy_phone (const struct policy *policy, const char *tool);

/* Has any call of it a limit of processor time? */
bool policy_limits_cpu (const struct policy *policy);
/* The path of what an operator wrote down and only a daemon that sees what its workers use can
 * enforce; `capped`: a cgroup limits their memory.  NULL: there is none. */
const char *policy_needs_watching (const struct policy *policy, bool capped);

/* The settings of a tool, made when there are none; good until the next one is made. */
struct policy_tool *policy_tools_add (struct policy_tools *tools, const char *name);
/* NULL when there are none. */
const struct policy_tool *policy_tools_find (const struct policy_tools *tools, const char *name);

#endif

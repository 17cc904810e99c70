/* reason.h - why a worker process ended: exactly one reason and one sentence for each end.
 *
 * Two kinds of knowledge meet here.  What the daemon decided itself (a kill, a stop) is taken as it
 * is.  What the process did is read from init's report, which the plugin can't forge; what the
 * worker says of itself only adds words.  Pure: no process, no clock, no memory. */
#ifndef TOOLHOST_POOL_REASON_H
#define TOOLHOST_POOL_REASON_H

#include <stdbool.h>

#include "base/frame.h"

enum reason {
  REASON_NONE, /* nobody has decided anything */
  /* what the process did */
  REASON_SIGNAL,           /* a signal that the daemon did not send */
  REASON_POLICY_VIOLATION, /* it asked the kernel for what its sandbox forbids */
  REASON_OOM,              /* more memory than its policy gives */
  REASON_CPU,              /* more processor time than its policy gives */
  REASON_EXIT,             /* it exited without being told to, or with calls unanswered */
  REASON_PROTOCOL,         /* it said what no worker may say */
  REASON_START_TIMEOUT,    /* the plugin was not described in time */
  REASON_LOAD_FAILED,      /* the plugin's file is none that can be used */
  REASON_SANDBOX_REFUSED,  /* a required guarantee can't be had */
  REASON_DEADLINE,         /* condemned: a call did not end within its grace period */
  /* what was done to it */
  REASON_KILLED,       /* its init was killed, by a person or by the kernel */
  REASON_SPAWN_FAILED, /* there was no process: the system gave none */
  REASON_STOP_TIMEOUT, /* it was told to stop, and did not end in time */
  REASON_STOPPED,      /* nothing was left to do for it */
  REASON_IDLE,         /* nobody called for some time */
  REASON_RECYCLED,     /* it has served as many calls, or as long, as the policy says */
  REASON_REPLACED,     /* another file, or another policy, has taken its place */
  REASON_SHUTDOWN,     /* the daemon ends */
  REASONS
};

/* Whom an end is blamed on, and so what follows from it. */
enum blame {
  BLAME_NOBODY, /* as it should be */
  BLAME_CALL,   /* a call or the plugin's close took too much time: it is no crash */
  BLAME_SYSTEM, /* the next start waits (back-off) */
  BLAME_PLUGIN, /* a crash: the next start waits, and many end in quarantine */
  BLAME_FILE    /* no other try would end otherwise: the plugin is broken */
};

/* For logs, metrics and programs: lower case with '_'. */
const char *reason_code (enum reason reason);
enum blame reason_blame (enum reason reason);
/* Does it say more of a busy or full machine than of the plugin that was being loaded? */
bool reason_may_pass (enum reason reason);
/* The sentence of one that needs no particulars. */
const char *reason_words (enum reason reason);

/* What is known of an end. */
struct end_facts {
  /* the daemon's part */
  enum reason decided; /* why it was killed, or told to stop; REASON_NONE: it was not */
  const char *words;   /* the sentence that goes with `decided` */
  bool killed;         /* SIGKILL was sent; else it was told to stop */
  bool described;      /* its plugin had been loaded and described */
  bool unanswered;     /* calls were running */
  /* the kernel's part */
  bool oom;                   /* its cgroup ran out of memory and something in it was killed */
  bool told;                  /* init's report came: */
  struct frame_status status; /* how the worker proper ended */
  /* the worker's part: only words for what the kernel says */
  const char *claim; /* why the plugin, or the sandbox, can't be had; or NULL */
};

/* How a process ended. */
struct end {
  enum reason reason;
  char text[256]; /* goes on after "its process ": "was ended by SIGSEGV (Segmentation fault)" */
};

void end_conclude (struct end *end, const struct end_facts *facts);
/* One that needs no conclusion. */
void end_set (struct end *end, enum reason reason, const char *text);

#endif

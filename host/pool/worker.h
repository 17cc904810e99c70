/* worker.h - one worker process: its frames, its calls, its end.  Used by fleet.c, which decides
 * when one is started and stopped, and by unit.c, which decides what is sent to it.  Loop thread
 * only. */
#ifndef TOOLHOST_POOL_WORKER_H
#define TOOLHOST_POOL_WORKER_H

#include <ev.h>
#include <stdbool.h>

#include "base/error.h"
#include "pool/channel.h"
#include "pool/chatter.h"
#include "pool/job.h"
#include "pool/output.h"
#include "pool/pool.h"
#include "pool/queue.h"
#include "pool/reason.h"
#include "pool/spawn.h"
#include "pool/watchdog.h"

enum worker_state {
  WORKER_STARTING, /* until the plugin has been described */
  WORKER_READY,
  WORKER_RETIRING,  /* takes no calls; told to finish when it has none */
  WORKER_CONDEMNED, /* takes no calls; killed when its calls have ended, or `drain` has passed */
  WORKER_STOPPING,  /* was told to finish */
  WORKER_KILLED     /* SIGKILL was sent */
};

struct fleet;
struct worker;

/* What the fleet hears.  ended comes exactly once, and the worker is gone when it returns; the
 * jobs that still run there are ended by worker_end_jobs, which it has to call. */
struct worker_events {
  void (*described) (struct worker *worker, const char *json, size_t len);
  void (*answered) (struct worker *worker); /* a call has come back; freed may follow */
  void (*freed) (struct worker *worker);    /* it can take one more call */
  void (*condemned) (struct worker *worker);
  /* It is ready and has been for a while: how many seconds until it is asked again?  0: it was
   * stopped. */
  double (*rest) (struct worker *worker);
  void (*ended) (struct worker *worker, const struct end *end);
};

/* A call the worker has not answered yet, or whose answer is being read.  Of one that was cancelled
 * the job is NULL. */
struct slot {
  uint64_t nonce; /* 0: free */
  struct job *job;
  struct flow *flow; /* whose call it is, as long as it runs */
  int64_t since_ns;
  struct worker *worker;
  ev_timer grace;
  struct buf body;           /* RESULT_PART so far */
  struct checking *checking; /* it has answered, and the answer is being read */
  struct serving *serving;   /* the daemon does something for it, or has; or NULL */
  size_t result_max;
  size_t emitted; /* bytes of its events so far */
  uint32_t cpu_ms;
  struct slot *next_free;
};

struct worker {
  struct pool *pool;
  struct fleet *fleet;
  const struct worker_events *events;
  const char *name; /* the plugin's */
  enum worker_state state;
  struct spawned proc; /* without the control socket, that is the channel's */
  struct channel channel;
  ev_io status, output, gone;
  ev_timer timer;              /* start, drain, stop or idle: by state */
  const struct policy *policy; /* the fleet's */
  struct watched watched;
  struct slot *slots;
  unsigned slots_count, running;
  struct slot *free_slots;
  unsigned invoking; /* of the calls that run, those that wait for other tools */
  uint64_t nonces;
  bool unsent; /* in the pool's list */
  struct worker *next_unsent;
  struct buf hello; /* until there is a process to send it to */
  struct buf description;
  char *guarantees;            /* JSON object of HELLO, or NULL */
  bool greeted;                /* HELLO came */
  bool described;              /* the whole of `description` came */
  bool repeats;                /* it builds what another process has, and says so again */
  enum reason decided;         /* why it was killed or told to stop; REASON_NONE: it was not */
  char *words;                 /* the sentence to that */
  enum reason claimed;         /* from BYE, as are the next three; REASON_NONE: none came */
  char *claim;                 /* a sentence, or NULL */
  char *signal;                /* a name, or NULL */
  char *backtrace;             /* a line a frame, or NULL */
  bool closed;                 /* its end of the control socket is */
  double born, last_used;      /* pool_now */
  uint64_t served;             /* calls that came back */
  const struct tenant *tenant; /* isolate: whose calls alone it takes; NULL: anybody's … */
  double bound;                /* … since when */
  bool due;                    /* the fleet's: another is to take its place */
  bool calm;                   /* as soon as it is described */
  bool programs;               /* its tools may start programs */
  bool abandoned;              /* a call was given up, and what it started may still run */
  ev_timer pace;               /* until more of what it prints is read */
  struct output printed;       /* and what it says by toolhost_log */
  struct chatter chatter;      /* and how often it says anything */
  bool dead;                   /* the process has ended */
  struct building *building;   /* what is done for its builder, while it builds; or NULL */
  double program_since;        /* when the period began in which it started … */
  unsigned program_starts;     /* … so many programs */
  struct worker *next;         /* the fleet's list */
};

struct worker_needs {
  struct pool *pool;
  struct fleet *fleet;
  const struct worker_events *events;
  const char *name; /* the plugin's; it, the file and the policy stay while the worker lives */
  int plugin_fd;
  const struct policy *policy;
  const struct buf *hello; /* JSON of the HELLO frame */
  bool calm;               /* those before it computed for long (effort.h) */
};
/* Start one for the fleet; that its process can't be had may come out later, as its end.  NULL: err
 * says why. */
struct worker *worker_new (const struct worker_needs *needs, struct error *err);
/* Did it compute for long, so that the next of its plugin begins calm? */
bool worker_was_heavy (const struct worker *worker);
/* Seconds that its builder may take; what it builds of may be slow to answer. */
double worker_build_time (const struct pool *pool, const struct policy *policy);
/* After described: how many calls at the same time. */
void worker_set_capacity (struct worker *worker, unsigned calls);
/* Ready, and with room for one more call? */
bool worker_has_room (const struct worker *worker);
/* Send a job. */
enum worker_run {
  WORKER_RUNS,
  WORKER_RUNS_LATER, /* the channel is full; freed comes when it is worth another try */
  WORKER_RUNS_NEVER  /* there is no descriptor or memory for its arguments */
};
enum worker_run worker_run (struct worker *worker, struct job *job);
/* The flow is told when the worker has done with the job that was just sent, however it ends. */
void worker_count_for (struct worker *worker, struct job *job, struct flow *flow);
void worker_cancel (struct worker *worker, struct job *job, enum frame_cancel_reason reason);
/* Its tool is told, and the call goes on to its end. */
void worker_interrupt (struct worker *worker, const struct job *job);
/* Does somebody wait for a call that runs there, and is not answered yet? */
bool worker_is_answering (const struct worker *worker);
/* No more calls; when those it runs have ended it is stopped. */
void worker_retire (struct worker *worker, enum reason reason);
/* Tell those whose calls run there that the process is gone. */
void worker_end_jobs (struct worker *worker, const struct end *end);
/* Let it finish what it runs and exit; what is killed already stays so. */
void worker_stop (struct worker *worker, enum reason reason);
/* SIGKILL, at once.  `words` go on after "its process " (reason.h); NULL: those of the reason.  The
 * first kill decides; ended comes later, from the loop. */
void worker_kill (struct worker *worker, enum reason reason, const char *words);
/* Put a SERVED frame. */
void worker_put_served (struct worker *worker, uint64_t nonce, const struct frame_served *served,
                        const char *a, size_t a_len, const char *b, size_t b_len);
/* Put a PROGRAM_SAID frame: what became of a program.  The texts follow each other. */
void worker_put_program (struct worker *worker, const struct frame_program_said *said,
                         const char *code, const char *text);
/* Send one with the ends of its pipes, at once.  False: it can't be sent. */
bool worker_send_pipes (struct worker *worker, const struct frame_program_said *said,
                        const int fds[2]);
/* Send what is written (the pool's flush). */
void worker_flush (struct worker *worker);

#endif

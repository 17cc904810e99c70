/* guarding_parts.h - the guarding of a call, as the files that do it share it: guarding.c leads
 * from guard to guard, guarding_check.c asks those of plugins, guarding_output.c takes apart and
 * puts together what a tool gives, guarding_texts.c redacts.  Nobody else includes this. */
#ifndef TOOLHOST_CALL_GUARDING_PARTS_H
#define TOOLHOST_CALL_GUARDING_PARTS_H

#include "base/offload.h"
#include "call/guarding.h"
#include "call/guards.h"
#include "call/running.h"

/* A guard of the call's plan. */
struct planned {
  struct guards_entry *entry; /* of one of the sets */
  bool of_host;               /* of the host's set */
  bool early;                 /* asked before approval, too */
  bool taken;                 /* a budget that has counted the call */
  /* of its last check */
  enum metrics_verdict verdict;
  uint64_t us;
};

/* A plugin's guard while it is asked. */
struct check {
  struct job job; /* first */
  struct guarding *guarding;
  struct tool *tool; /* the guard; NULL: none is asked */
  struct buf args;
  char *tenant; /* in whose turn, see check_start */
  ev_timer late;
  int64_t began_ns;
};

struct guarding {
  struct call *call;      /* NULL: it has gone, and a thread still works */
  struct guards *sets[2]; /* the host's, its tenant's; references, or NULL */
  char *tool;             /* its name */
  struct planned *plan;   /* input, then output, then at most one of the errors */
  size_t begins[GUARDED_STAGES + 1];
  bool again; /* a later round of a call that asked: budgets have counted it */
  /* where it is */
  enum guarded_at at;
  size_t next, end; /* in the plan */
  bool early;       /* before a person is asked */
  void (*passed) (struct call *call);
  struct {
    void (*passed) (void *ctx);
    void (*dropped) (void *ctx);
    void *ctx;
    bool waits;
  } asking; /* who waits for that */
  /* the arguments, or { "content", "structured"? } of the output, as the guards so far leave it */
  struct buf value;
  struct json_tape tape;
  struct arena arena;
  bool is_read; /* the tape is of the value */
  bool changed;
  struct guard_says says; /* of the guard that did not allow */
  struct offload_job *thread;
  bool in_thread; /* it looks at all this */
  struct check check;
  /* of the end whose output is looked at */
  const struct job_end *was; /* while it lives, else … */
  struct frame_result head;  /* … what is kept of it */
  uint64_t rss_peak;
  struct buf room;
  bool is_prepared;
  struct job_end left;              /* what the guards leave of it, then */
  struct json_tape structured_tape; /* its */
  void *made;                       /* its, by the call's maker */
  const struct job_maker *maker;    /* for that; NULL: nothing is made */
  /* what is told, while an error function has it */
  bool fails;
  struct result failed;
  struct buf failed_room;
};

enum { GUARDED_LARGE = 256 * 1024 }; /* bytes: from there on threads work */

/* ---- guarding.c ---- */

/* What a worker's answer may be, and an object around it. */
extern const struct json_limits guarding_limits;

/* On from where it is, after something has been waited for. */
void guarding_resume (struct guarding *g);
/* Count what the guard that is next has said, and how long it took. */
void guarding_count (struct guarding *g, struct planned *p);
/* It ends so. */
enum guarded guarding_reject (struct guarding *g, const char *text, size_t len, const char *cause);
enum guarded guarding_fail (struct guarding *g, const char *cause);
/* No verdict came: the call is refused, or goes on, as the guard's configuration says. */
enum guarded guarding_no_answer (struct guarding *g, const char *why);
/* The value is another from here on. */
void guarding_replace (struct guarding *g, const char *json, size_t len);
/* The value on its tape; false: it is no good. */
bool guarding_read (struct guarding *g);
void guarding_free (struct guarding *g);

/* ---- guarding_budget.c ---- */

/* Count the call, if the budget that is next lets it. */
enum guarded budget_take (struct guarding *g, struct planned *p);
/* Has its tool failed, or a guard, so that it is an error function's matter, and counts? */
bool guarding_is_failure (const struct result *result);

/* ---- guarding_check.c ---- */

/* Ask the guard that is next. */
enum guarded check_start (struct guarding *g);
/* It is not to answer any more. */
void check_stop (struct guarding *g);

/* ---- guarding_output.c ---- */

/* Any thread: make `left` of the value.  False: says has why. */
bool output_prepare (struct guarding *g);
/* The guards have let it pass. */
enum guarded output_hand_on (struct guarding *g);
/* The end goes before its guards have done. */
void output_keep (struct guarding *g);
/* What the guards look at of an end. */
void output_write (const struct job_end *end, struct buf *out);
/* It failed, or asks: its guards are not asked for a verdict, but its words pass only as they let
 * them. */
void output_hand_on_words (struct guarding *g);

#endif

/* sandbox.h - what confines workers on this system: found out before anything is served, by
 * starting one as the daemon does and reading what it says is in force.  Nothing here is assumed.
 * Loop thread only. */
#ifndef TOOLHOST_DAEMON_SANDBOX_H
#define TOOLHOST_DAEMON_SANDBOX_H

#include <ev.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_write.h"
#include "pool/pool.h"
#include "pool/spawn.h"
#include "watch/log.h"

struct sandbox_facts {
  char tier; /* 'A' to 'D': docs/architecture.md */
  struct launch_means means;
  char *guarantees; /* JSON object as the worker told it: of each, the mechanisms, "" for none */
  unsigned met;     /* GUARANTEE_… */
  char kernel[65];
  long landlock_abi; /* 0: none */
  long landlock_errata;
  bool mdwe; /* memory that was writable can be kept from becoming executable */
};

/* A worker that was started to be asked.  Zeroed: none was. */
struct sandbox_question {
  struct pool pool;
  struct unit *unit;
  struct ev_loop *loop;
  struct spawner *spawner;
  bool answered;
};

/* Start a worker that will tell; the question stays where it is.  Loop and spawner are borrowed
 * until sandbox_forget. */
void sandbox_ask (struct sandbox_question *question, struct ev_loop *loop, struct spawner *spawner,
                  int program);
/* Run the loop until it has told; it goes by itself.  False: none can be started, err says why. */
bool sandbox_answer (struct sandbox_question *question, struct sandbox_facts *facts,
                     struct error *err);
/* Run the loop until the worker has gone, asked and answered or not. */
void sandbox_forget (struct sandbox_question *question);
void sandbox_facts_free (struct sandbox_facts *facts);

/* Is all that is required (GUARANTEE_…) met here?  If not, err says what is not, what would meet
 * it, and what to allow. */
bool sandbox_holds (const struct sandbox_facts *facts, unsigned require, struct error *err);

/* For people, for programs, for the log, and for the metrics. */
void sandbox_print (const struct sandbox_facts *facts, FILE *out);
void sandbox_json (const struct sandbox_facts *facts, struct json_writer *w);
void sandbox_log (const struct sandbox_facts *facts, struct log *log);
void sandbox_metric (const struct sandbox_facts *facts, struct buf *out);

/* ---- sandbox_advice.c ---- */

/* What an administrator could change for user namespaces to be had, most likely cause first; NULL
 * after the last. */
const char *sandbox_advice (unsigned index);

#endif

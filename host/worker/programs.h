/* programs.h - the worker's side of programs that the daemon has started beside it
 * (toolhost.process/1): who asked for which, what has become of them, and the pipes until the
 * plugin has them.  The extension's functions may come from any thread; programs_deliver comes from
 * whoever listens to the daemon. */
#ifndef TOOLHOST_WORKER_PROGRAMS_H
#define TOOLHOST_WORKER_PROGRAMS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <toolhost.h>

struct crew;
struct program_record;

struct programs {
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t news;  /* CLOCK_MONOTONIC */
  struct program_record *list;
  uint32_t last;
};

void programs_init (struct programs *programs);

/* The payload of a PROGRAM_SAID; `fds`, -1 where none came, are taken over. */
void programs_deliver (struct programs *programs, const char *payload, size_t len, int fds[2]);

/* What toolhost_extension answers. */
extern const toolhost_process_service programs_service;

#endif

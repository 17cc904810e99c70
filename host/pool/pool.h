/* pool.h - what all units share: the loop, the worker program, the settings, the counters.  Loop
 * thread only. */
#ifndef TOOLHOST_POOL_POOL_H
#define TOOLHOST_POOL_POOL_H

#include <ev.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/frame.h"
#include "base/offload.h"
#include "pool/breaker.h"
#include "pool/tenants.h"
#include "pool/watchdog.h"
#include "watch/log.h"
#include "watch/pressure.h"

struct http_broker;
struct spawner;
struct worker;

struct pool_settings {
  struct spawner *spawner; /* starts the processes, borrowed */
  const char *build;       /* build id both sides must share */
  double grace;            /* seconds between a cancel and the condemnation of the process */
  double drain;            /* seconds other calls of a condemned process may take to finish */
  double start_timeout;    /* seconds from the start to the description */
  double build_timeout;    /* seconds that a builder may take which waits for others */
  double stop_timeout;     /* seconds from BYE to the end of the process */
  double idle_stop;        /* seconds without a call before a worker is stopped */
  struct breaker_settings breaker; /* of each unit */
};

/* Who is told that what plugins offer has changed, as they say themselves. */
struct pool_listener {
  /* `uri` is not NUL-terminated; len 0: there is none. */
  void (*changed) (void *ctx, const char *plugin, enum frame_change what, const char *uri,
                   size_t len);
  void *ctx;
};

/* Who builds tools, and is told that what they are built of has changed. */
struct pool_rebuilder {
  /* `tenant` NULL: of whichever; `feature` is not NUL-terminated. */
  void (*rebuild) (void *ctx, const char *plugin, const char *tenant, const char *feature,
                   size_t len);
  void *ctx;
};

struct pool {
  struct ev_loop *loop;
  struct log *log;
  struct pool_settings settings;
  struct pool_listener listener;   /* set by the owner; zero: nobody */
  struct pool_rebuilder rebuilder; /* likewise */
  ev_prepare flush;                /* sends what was written in this turn of the loop */
  struct tenants tenants;
  size_t large_result;       /* bytes from which on a result is large */
  struct pressure *pressure; /* asked before a large result is taken; NULL: all are */
  struct worker *unsent;     /* workers with something to send */
  struct program *programs;  /* that run beside workers (program.h) */
  struct http_broker *http;  /* makes the requests of tools; NULL: none are made */
  struct offload *offload;   /* where large results are read; NULL: on the loop */
  char *datagram;            /* FRAME_MAX bytes to receive into */
  struct arena arena;        /* for checking one result */
  struct watchdog watchdog;
  uint64_t nonce_seed, dice;
  unsigned workers;                  /* processes alive */
  unsigned workers_max;              /* that may be there at once, by all policies */
  uint64_t started, crashed, killed; /* since the start */
  uint64_t rests;                    /* of workers that said too much; likewise */
};

void pool_settings_default (struct pool_settings *settings);
void pool_init (struct pool *pool, struct ev_loop *loop, struct log *log,
                const struct pool_settings *settings);
/* Every worker must be gone. */
void pool_clear (struct pool *pool);

/* Seconds of CLOCK_MONOTONIC: setting the time changes nothing here. */
double pool_now (void);
/* From 0 up to 1; good enough to keep plugins from starting in step. */
double pool_random (struct pool *pool);

#endif

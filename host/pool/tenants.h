/* tenants.h - who shares the pool: the weight of each tenant, and how many of its calls run in all
 * plugins together.  Used by queue.c; the pool owns it.  Loop thread only. */
#ifndef TOOLHOST_POOL_TENANTS_H
#define TOOLHOST_POOL_TENANTS_H

#include <stdbool.h>
#include <sys/queue.h>

#include "base/hash.h"

enum { TENANT_WEIGHT_MAX = 1000 };

/* A tenant's calls of one unit that could run but for tenants.running_max. */
struct tenant_waiter {
  void (*wake) (
    struct tenant_waiter *waiter); /* one of its calls may run now, if a worker is free */
  bool waits;
  TAILQ_ENTRY (tenant_waiter) link;
};

struct tenant {
  unsigned weight;      /* 1 … TENANT_WEIGHT_MAX: its share against the others' */
  unsigned running;     /* calls that a worker has */
  unsigned running_max; /* of them at once; 0: as many as of any tenant */
  TAILQ_HEAD (, tenant_waiter) waiters;
  UT_hash_handle hh;
  char name[];
};

struct tenants {
  struct tenant *by_name;
  unsigned running_max; /* calls of one tenant that run at once; 0: any number */
};

/* Made with weight 1 when new; good until tenants_clear. */
struct tenant *tenants_get (struct tenants *tenants, const char *name);
void tenants_set_weight (struct tenants *tenants, const char *name, unsigned weight);
/* 0: as many as of any tenant (running_max of all). */
void tenants_set_running_max (struct tenants *tenants, const char *name, unsigned max);
void tenants_clear (struct tenants *tenants);

/* May one more of its calls run? */
bool tenant_has_room (const struct tenants *tenants, const struct tenant *tenant);
void tenant_wait (struct tenant *tenant, struct tenant_waiter *waiter);
void tenant_stop_waiting (struct tenant *tenant, struct tenant_waiter *waiter);
/* One of its calls has left its worker: as long as there is room, who waits is woken, the longest
 * waiting first. */
void tenant_ended (const struct tenants *tenants, struct tenant *tenant);

#endif

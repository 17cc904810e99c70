/* changes.h - what plugins say has changed, on its way from the pool to the catalog: gathered, and
 * passed on at most every 50 ms, so that no plugin can make the daemon talk all the time.  Lists
 * are never lost; of resources at most 1,024 are remembered meanwhile, the rest is counted and
 * logged. Loop thread only. */
#ifndef TOOLHOST_DAEMON_CHANGES_H
#define TOOLHOST_DAEMON_CHANGES_H

#include <ev.h>

#include "catalog/catalog.h"
#include "daemon/plugins.h"
#include "pool/pool.h"
#include "watch/log.h"

struct changes;

/* Listens to the pool from here on; of plugins whose resources have changed the templates are asked
 * again what they list. */
struct changes *changes_new (struct ev_loop *loop, struct pool *pool, struct catalog *catalog,
                             struct plugins *plugins, struct log *log);
void changes_free (struct changes *changes);

#endif

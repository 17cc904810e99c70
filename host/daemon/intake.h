/* intake.h - from a plugin that was found to the copy it is run from.  What has not been touched
 * since it was copied is at hand at once; anything else is read, judged, copied and hashed in the
 * offload's threads.  Copies that nothing refers to are removed after a while.  Loop thread only.
 */
#ifndef TOOLHOST_DAEMON_INTAKE_H
#define TOOLHOST_DAEMON_INTAKE_H

#include <ev.h>
#include <stdbool.h>

#include "base/offload.h"
#include "catalog/copies.h"
#include "daemon/describe_cache.h"
#include "watch/log.h"

struct intake;
struct taking; /* a copy that is being made */

struct intake_needs {
  struct ev_loop *loop;
  struct offload *offload;
  const struct copies *copies;
  struct describe_cache *cache;
  struct log *log;
  /* The hashes of all plugins there are: fills `list` (allocated), returns how many. */
  size_t (*used) (void *ctx, char (**list)[SHA256_HEX]);
  void *ctx;
};

struct intake *intake_new (const struct intake_needs *needs);
/* After offload_free. */
void intake_free (struct intake *intake);

struct plugin_copy {
  int fd; /* of the copy; handed over */
  const char *hex;
  const char *suggests; /* the policy the plugin comes with, JSON; or NULL */
  const char *skills;   /* the index of its skills (skill_index.h); or NULL */
};

/* Is there a copy already?  Then `copy` is it; its texts live until the cache changes. */
bool intake_now (struct intake *intake, const struct source *source, struct plugin_copy *copy);

/* Make one.  The source's descriptor is taken over.  `done` comes once, later, with the copy or
 * with what is wrong with the source; not after taking_cancel. */
struct taking *intake_begin (struct intake *intake, const char *name, const struct source *source,
                             void (*done) (void *ctx, const struct plugin_copy *copy,
                                           const struct error *err),
                             void *ctx);
void taking_cancel (struct taking *taking);

/* Look for copies that are no longer used, after a while. */
void intake_sweep_later (struct intake *intake);

#endif

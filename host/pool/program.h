/* program.h - programs that run beside workers (toolhost.process/1): each in a sandbox of its own,
 * started for one worker by a name of its plugin's policy (granted.h).  The worker gets two pipes,
 * whose bytes never come through the daemon; what the program prints as errors goes to the log.
 *
 * A program lives no longer than its worker: with the worker, with the daemon, or by order of the
 * plugin it is killed with all that it has started.  Loop thread only. */
#ifndef TOOLHOST_POOL_PROGRAM_H
#define TOOLHOST_POOL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct json_writer;
struct pool;
struct worker;

/* The payload of a PROGRAM frame.  False: it can't be read. */
bool program_take (struct worker *worker, const char *payload, size_t len);

/* The worker is gone: what runs for it is killed. */
void programs_abandon (struct worker *worker);

/* How many of a plugin's run or begin, and are not being ended, of one name or (NULL) of all. */
unsigned programs_count (const struct pool *pool, const char *plugin, const char *name);
/* Those of a plugin: [{ "name", "pid", "worker": the worker's pid, "state", "since_s" }, …]. */
void programs_show (const struct pool *pool, const char *plugin, struct json_writer *w);

#endif

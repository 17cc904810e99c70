/* building.h - what a builder may ask of the daemon while it builds, before any thread of the crew
 * runs: a call of its own (toolhost_build_call), and listening to the daemon by whoever waits for
 * it. */
#ifndef TOOLHOST_WORKER_BUILDING_H
#define TOOLHOST_WORKER_BUILDING_H

#include <stdbool.h>
#include <stdint.h>

struct crew;
struct tool_call;

/* The call of the build, which may take `ms`; good until building_end. */
struct tool_call *building_begin (struct crew *crew, int64_t ms);
void building_end (struct crew *crew);

/* Before crew_start: listen to the daemon for at most `ms`.  False: another thread does.  Any
 * thread. */
bool building_listen (struct crew *crew, int ms);

#endif

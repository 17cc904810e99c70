/* pins.h - of tenants whose file says so ("pin"): what each thing they are served was when it was
 * first seen or last let in, by its digest (catalog/digest.h).  What has another one since waits
 * until a person has accepted it.
 *
 * Kept in STATE_DIR/pins/TENANT.json, written by the offload threads, each time as a whole; without
 * a state folder in memory.  A file that can't be read opens nothing: all waits then, also what is
 * new, until each is accepted, or `pin` is taken out of the tenant's file.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_PINS_H
#define TOOLHOST_DAEMON_PINS_H

#include "base/buf.h"
#include "base/offload.h"
#include "catalog/toolset.h"
#include "watch/log.h"

struct pins;
struct pinned; /* of one tenant */

struct pins_needs {
  int state_dir; /* -1: none; borrowed */
  struct offload *offload;
  struct log *log;
};

struct pins *pins_new (const struct pins_needs *needs);
/* After the offload threads; writes what is not written yet.  NULL: nothing happens. */
void pins_free (struct pins *pins);

/* A tenant's, read when it is asked for first; good until pins_forget. */
struct pinned *pins_of (struct pins *pins, const char *tenant);
/* Its file does not want them (any more): they and their file go. */
void pins_forget (struct pins *pins, const char *tenant);

/* A toolset is made: between the two pinned_admits is asked of everything in it. */
void pinned_begin (struct pinned *pinned);
/* Is it what is pinned?  What was never seen is pinned by this.  False: it waits, which is logged
 * once for each digest (tool_pending_review). */
bool pinned_admits (struct pinned *pinned, const struct tool *tool);
void pinned_end (struct pinned *pinned);

enum pins_accepted { PINS_ACCEPTED, PINS_NOT_KEPT, PINS_NOTHING_WAITS, PINS_IS_ANOTHER };
/* Let in what waits under this name: a tool's own, of all else with its kind before it ("prompt
 * review"); with a skill its SKILL.md.  `digest`: only if this is what waits; NULL: whatever does.
 */
enum pins_accepted pinned_accept (struct pinned *pinned, const char *name, const char *digest);

/* { "tenant", "trusts_new", "problem", "pins": [ { "name", "state", "pinned", "pending" } … ] }, by
 * name; what is not there is left out. */
void pinned_render (struct pinned *pinned, struct buf *out);

#endif

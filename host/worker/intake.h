/* intake.h - what the daemon says, from frames to calls: read from the ring and from datagrams,
 * under the crew's lock.  Whatever can't be read ends the process: it is not the daemon's. */
#ifndef TOOLHOST_WORKER_INTAKE_H
#define TOOLHOST_WORKER_INTAKE_H

#include <stdbool.h>

#include "base/ring.h"
#include "worker/control.h"
#include "worker/roster.h"

struct outbox;
struct programs;
struct segments;

struct intake {
  struct ring_in ring;
  char *room; /* FRAME_MAX bytes: what was copied from the ring */
  struct roster *roster;
  const struct plugin_host *host;
  const struct plugin *plugin;
  struct outbox *outbox; /* for calls that can't even begin */
  struct programs *programs;
  struct tool_call *building; /* a build's call (building.h), or NULL */
  size_t result_max;
};

/* CANCEL and BYE, for their receiver. */
struct intake_orders {
  void *ctx;
  void (*cancel) (void *ctx, uint64_t id, uint32_t grace_ms);
  void (*bye) (void *ctx);
};

void intake_init (struct intake *intake, const struct segments *segments);
/* Queue all calls that are in the ring. */
void intake_ring (struct intake *intake);
/* Queue the calls of a datagram and follow its orders; to be called after intake_ring. */
void intake_datagram (struct intake *intake, struct datagram *in,
                      const struct intake_orders *orders);

#endif

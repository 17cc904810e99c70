/* service.h - one request to an agent's service, and its answer as a turn: as server-sent events
 * or whole, whichever the service sends. */
#ifndef TOOLHOST_PLUGINS_AGENT_SERVICE_H
#define TOOLHOST_PLUGINS_AGENT_SERVICE_H

#include <toolhost.h>

#include "protocol.h"

/* False: the call is cancelled.  Whatever else goes wrong is the turn's.  What the model says is
 * told as progress, whose count *told goes on from call to call.  [call] */
bool service_ask (toolhost_call *call, const struct question *question, struct turn *turn,
                  double *told);

#endif

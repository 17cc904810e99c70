/* offering.h - the last step from a description to tools that are served: whose unit runs them,
 * what the operator's policy says of each, by which digest they are known.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_OFFERING_H
#define TOOLHOST_DAEMON_OFFERING_H

#include "catalog/definition.h"
#include "pool/unit.h"
#include "watch/log.h"

/* `hex` is the hash of the plugin's file.  What was left out is logged. */
void offering_settle (struct described *d, struct unit *unit, const char *plugin, const char *hex,
                      struct log *log);

#endif

/* report.h - toolhostd --sandbox-report: what confines workers on this system. */
#ifndef TOOLHOST_DAEMON_REPORT_H
#define TOOLHOST_DAEMON_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "daemon/config.h"

/* Print a line for each layer and guarantee, or one JSON object.  Started as root, the process
 * becomes an ordinary user for good.  False: no worker can be confined here, or not as the
 * configuration requires; err says why. */
bool sandbox_report (const struct config *config, int program, bool json, FILE *out,
                     struct error *err);

#endif

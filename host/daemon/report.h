/* report.h - which guarantee of the sandbox is met by what on this system: found out by starting a
 * worker as the daemon would. */
#ifndef TOOLHOST_DAEMON_REPORT_H
#define TOOLHOST_DAEMON_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Print a line a guarantee.  Started as root, the process becomes an ordinary user for good. False:
 * no worker can be confined here, err says why. */
bool sandbox_report (int worker_program, FILE *out, struct error *err);

#endif

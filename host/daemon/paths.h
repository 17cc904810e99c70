/* paths.h - where the programs and plugins of this installation are.  An installation may stand
 * anywhere (a staged tree, /usr/local): places beside the running program come before the ones that
 * were compiled in.  Pure functions; results are allocated. */
#ifndef TOOLHOST_DAEMON_PATHS_H
#define TOOLHOST_DAEMON_PATHS_H

#include "base/error.h"

/* The worker program, opened: `given` or, when NULL, the installation's.  -1: err says why. */
int paths_open_worker (const char *given, struct error *err);

/* The standard plugin folders, in the order they are searched; NULL-terminated, free each and all.
 */
char **paths_plugin_dirs (void);

#endif

/* init.h - pid 1 of a worker's namespace: waits for the worker proper, tells its true status, and
 * takes the whole namespace down when the daemon is gone. */
#ifndef TOOLHOST_WORKER_INIT_H
#define TOOLHOST_WORKER_INIT_H

#include <sys/types.h>

void init_run (pid_t worker) __attribute__ ((noreturn));
/* Tell a status that never came from a process of its own. */
void init_tell (int exit_status);

#endif

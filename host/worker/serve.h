/* serve.h - the I/O thread: reads the daemon's frames as long as there is a daemon. */
#ifndef TOOLHOST_WORKER_SERVE_H
#define TOOLHOST_WORKER_SERVE_H

#include <stddef.h>

struct crew;

/* The first frame, HELLO, of a freshly started worker: its payload in `at` (FRAME_MAX bytes), or a
 * negative number when there was none. */
long serve_hello (char *at);

/* Returns when the daemon said BYE and the last call has ended. */
void serve (struct crew *crew);

#endif

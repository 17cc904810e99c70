/* serve.h - the control thread, the worker's first one: it sees to what tool threads can't, being
 * busy or asleep.  It takes the lead when all of them are busy, looks every WATCH_MS after bursts
 * that one thread works off (crew.h), signals the threads of cancelled calls, and ends the worker.
 */
#ifndef TOOLHOST_WORKER_SERVE_H
#define TOOLHOST_WORKER_SERVE_H

struct crew;

/* Returns when the daemon said BYE and the last call has ended. */
void serve (struct crew *crew);

#endif

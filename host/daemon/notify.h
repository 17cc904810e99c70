/* notify.h - what a service manager is told of the daemon's life, as sd_notify(3) writes it down:
 * ready, reloading, stopping, and, if it wants to know, that the loop still turns.
 *
 * Where no service manager asked for it, notify_new gives NULL, and every function takes that and
 * does nothing.  Nothing here blocks or fails.  On the loop's thread. */
#ifndef TOOLHOST_DAEMON_NOTIFY_H
#define TOOLHOST_DAEMON_NOTIFY_H

#include <ev.h>

struct notify;

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and takes them out of the environment, so
 * that no process started later speaks for this one.  Its timer does not keep the loop alive. */
struct notify *notify_new (struct ev_loop *loop);
void notify_free (struct notify *notify);

/* It serves; `status` is one line for people. */
void notify_ready (struct notify *notify, const char *status);
/* It reads its configuration anew; notify_ready says when that is done, well or not. */
void notify_reloading (struct notify *notify);
void notify_stopping (struct notify *notify);

#endif

#include "daemon/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

struct notify {
  struct ev_loop *loop;
  int fd;
  ev_timer watchdog;
};

static void
tell (const struct notify *notify, const char *text)
{
  (void) send (notify->fd, text, strlen (text), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- the socket ---- */

/* A path, or '@' and a name without a file. */
static int
connect_to (const char *name)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  size_t len = strlen (name);
  int fd;

  if ((name[0] != '/' && name[0] != '@') || len >= sizeof address.sun_path)
    return -1;
  memcpy (address.sun_path, name, len);
  if (name[0] == '@')
    address.sun_path[0] = '\0';
  fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  len += offsetof (struct sockaddr_un, sun_path) + (name[0] == '/');
  if (fd < 0 || connect (fd, (struct sockaddr *) &address, (socklen_t) len) == 0)
    return fd;
  (void) close (fd);
  return -1;
}

/* ---- the watchdog ---- */

static void
on_watchdog (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  tell (timer->data, "WATCHDOG=1");
}

/* Seconds after which the manager takes the daemon for hung, 0: never. */
static double
watchdog_seconds (void)
{
  const char *usec = getenv ("WATCHDOG_USEC"), *pid = getenv ("WATCHDOG_PID");

  if (usec == NULL || (pid != NULL && strtol (pid, NULL, 10) != (long) getpid ()))
    return 0;
  return (double) strtoull (usec, NULL, 10) / 1e6;
}

static void
start_watchdog (struct notify *notify, double seconds)
{
  ev_timer_init (&notify->watchdog, on_watchdog, seconds / 2, seconds / 2);
  notify->watchdog.data = notify;
  if (seconds <= 0)
    return;
  ev_timer_start (notify->loop, &notify->watchdog);
  ev_unref (notify->loop);
}

/* ---- */

struct notify *
notify_new (struct ev_loop *loop)
{
  const char *name = getenv ("NOTIFY_SOCKET");
  int fd = name != NULL ? connect_to (name) : -1;
  struct notify *notify = NULL;

  if (fd >= 0) {
    notify = xcalloc (1, sizeof *notify);
    notify->loop = loop;
    notify->fd = fd;
    start_watchdog (notify, watchdog_seconds ());
  }
  (void) unsetenv ("NOTIFY_SOCKET");
  (void) unsetenv ("WATCHDOG_USEC");
  (void) unsetenv ("WATCHDOG_PID");
  return notify;
}

void
notify_free (struct notify *notify)
{
  if (notify == NULL)
    return;
  if (ev_is_active (&notify->watchdog)) {
    ev_ref (notify->loop);
    ev_timer_stop (notify->loop, &notify->watchdog);
  }
  (void) close (notify->fd);
  free (notify);
}

void
notify_ready (struct notify *notify, const char *status)
{
  char text[256];

  if (notify == NULL)
    return;
  (void) snprintf (text, sizeof text, "READY=1\nSTATUS=%s", status);
  tell (notify, text);
}

void
notify_reloading (struct notify *notify)
{
  struct timespec now;
  char text[96];

  if (notify == NULL)
    return;
  (void) clock_gettime (CLOCK_MONOTONIC, &now);
  (void) snprintf (text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld",
                   (long long) now.tv_sec * 1000000 + now.tv_nsec / 1000);
  tell (notify, text);
}

void
notify_stopping (struct notify *notify)
{
  if (notify != NULL)
    tell (notify, "STOPPING=1");
}

/* What a service manager hears: a socket in its place. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/buf.h"
#include "daemon/notify.h"
#include "tap.h"

/* The manager's end, under a name without a file. */
struct manager {
  int fd;
  char name[sizeof ((struct sockaddr_un *) 0)->sun_path];
};

static void
manager_listen (struct manager *manager, const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  size_t len = strlen (path);

  (void) snprintf (manager->name, sizeof manager->name, "%s", path);
  memcpy (address.sun_path, path, len + (path[0] == '/'));
  if (path[0] == '@')
    address.sun_path[0] = '\0';
  manager->fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  len += offsetof (struct sockaddr_un, sun_path) + (path[0] == '/');
  CU_ASSERT_EQUAL_FATAL (bind (manager->fd, (struct sockaddr *) &address, (socklen_t) len), 0);
  (void) setenv ("NOTIFY_SOCKET", path, 1);
}

static void
manager_close (struct manager *manager)
{
  (void) close (manager->fd);
  if (manager->name[0] == '/')
    (void) unlink (manager->name);
}

/* The next message, "" when there is none. */
static const char *
heard (const struct manager *manager, char text[256])
{
  ssize_t n = recv (manager->fd, text, 255, MSG_DONTWAIT);

  text[n > 0 ? n : 0] = '\0';
  return text;
}

static void
tell_all (const char *name)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct manager manager;
  struct notify *notify;
  char text[256];

  manager_listen (&manager, name);
  notify = notify_new (loop);
  CU_ASSERT_PTR_NOT_NULL_FATAL (notify);
  CU_ASSERT_PTR_NULL (getenv ("NOTIFY_SOCKET"));
  notify_ready (notify, "2 plugins, 3 tools");
  CU_ASSERT_STRING_EQUAL (heard (&manager, text), "READY=1\nSTATUS=2 plugins, 3 tools");
  notify_reloading (notify);
  CU_ASSERT_EQUAL (strncmp (heard (&manager, text), "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
  notify_stopping (notify);
  CU_ASSERT_STRING_EQUAL (heard (&manager, text), "STOPPING=1");
  CU_ASSERT_STRING_EQUAL (heard (&manager, text), "");
  notify_free (notify);
  manager_close (&manager);
  ev_loop_destroy (loop);
}

static void
a_manager_is_told (void)
{
  char name[64];

  (void) snprintf (name, sizeof name, "@toolhost-test-notify-%d", (int) getpid ());
  tell_all (name);
  (void) snprintf (name, sizeof name, "/tmp/toolhost-test-notify-%d", (int) getpid ());
  tell_all (name);
}

static void
watch (struct ev_loop *loop, const struct manager *manager, const char *pid, bool wanted)
{
  struct notify *notify;
  char text[256];

  (void) setenv ("NOTIFY_SOCKET", manager->name, 1);
  (void) setenv ("WATCHDOG_USEC", "2000", 1);
  if (pid != NULL)
    (void) setenv ("WATCHDOG_PID", pid, 1);
  notify = notify_new (loop);
  CU_ASSERT_PTR_NULL (getenv ("WATCHDOG_USEC"));
  CU_ASSERT_PTR_NULL (getenv ("WATCHDOG_PID"));
  ev_ref (loop); /* its timer alone would not keep the loop going */
  for (int i = 0; i < 2 && wanted; i++)
    ev_run (loop, EVRUN_ONCE);
  ev_run (loop, EVRUN_NOWAIT);
  ev_unref (loop);
  CU_ASSERT_STRING_EQUAL (heard (manager, text), wanted ? "WATCHDOG=1" : "");
  notify_free (notify);
  while (*heard (manager, text) != '\0')
    ;
}

static void
the_watchdog_hears_from_the_loop (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct manager manager;
  char name[64], pid[16];

  (void) snprintf (name, sizeof name, "@toolhost-test-watchdog-%d", (int) getpid ());
  (void) snprintf (pid, sizeof pid, "%d", (int) getpid ());
  manager_listen (&manager, name);
  watch (loop, &manager, NULL, true);
  watch (loop, &manager, pid, true);
  watch (loop, &manager, "1", false);
  ev_run (loop, 0); /* nothing is left that would keep it going */
  manager_close (&manager);
  ev_loop_destroy (loop);
}

static void
nobody_is_told (void)
{
  static const char *const names[] = { NULL, "", "relative", "/nowhere/at/all",
                                       "@nobody-is-there" };
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (names[i] != NULL)
      (void) setenv ("NOTIFY_SOCKET", names[i], 1);
    CU_ASSERT_PTR_NULL (notify_new (loop));
    CU_ASSERT_PTR_NULL (getenv ("NOTIFY_SOCKET"));
  }
  notify_ready (NULL, "");
  notify_reloading (NULL);
  notify_stopping (NULL);
  notify_free (NULL);
  ev_loop_destroy (loop);
}

static CU_TestInfo tests[] = {
  { "a manager is told", a_manager_is_told },
  { "the watchdog hears from the loop", the_watchdog_hears_from_the_loop },
  { "nobody is told", nobody_is_told },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "notify", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

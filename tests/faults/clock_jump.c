/* clock_jump.c - preloaded into the daemon: its wall clock is off by the seconds that stand in the
 * file $TOOLHOST_CLOCK_JUMP, read anew at every look.  The monotonic clock is left alone. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__ ((visibility ("default")))

static long
jump (void)
{
  const char *path = getenv ("TOOLHOST_CLOCK_JUMP");
  char text[32] = "";
  int fd = path != NULL ? open (path, O_RDONLY | O_CLOEXEC) : -1;

  if (fd < 0)
    return 0;
  (void) !read (fd, text, sizeof text - 1);
  (void) close (fd);
  return strtol (text, NULL, 10);
}

typedef int (*clock_gettime_fn) (clockid_t, struct timespec *);

SHOWN int
clock_gettime (clockid_t clock, struct timespec *t)
{
  int result = ((clock_gettime_fn) dlsym (RTLD_NEXT, "clock_gettime")) (clock, t);

  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    t->tv_sec += jump ();
  return result;
}

SHOWN int
gettimeofday (struct timeval *restrict t, void *restrict zone)
{
  struct timespec now;

  (void) zone;
  if (clock_gettime (CLOCK_REALTIME, &now) < 0)
    return -1;
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}

SHOWN time_t
time (time_t *at)
{
  struct timespec now;

  if (clock_gettime (CLOCK_REALTIME, &now) < 0)
    return -1;
  if (at != NULL)
    *at = now.tv_sec;
  return now.tv_sec;
}

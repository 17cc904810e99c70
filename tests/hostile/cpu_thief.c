/* Uses processor time in ways its worker does not see: "thread": on a thread of its own, while the
 * call sleeps; "deaf": on the call's thread, after the thread that watches calls was made to hang
 * in a signal handler.  Any other "how" just uses it.  With "ms" it returns after so much real
 * time. */
#include "hostile.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *
spin (void *arg)
{
  for (volatile unsigned long turns = 0;; turns++)
    ;
  return arg;
}

static toolhost_status
spin_for (toolhost_call *call, int64_t ms)
{
  struct timespec now, begun;

  (void) clock_gettime (CLOCK_MONOTONIC, &begun);
  do
    (void) clock_gettime (CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < ms);
  return toolhost_text (call, "done");
}

static void
hang (int number)
{
  sigset_t all;

  (void) number;
  sigfillset (&all);
  for (;;)
    (void) sigsuspend (&all);
}

/* The thread that has the number of the process reads what the daemon says. */
static void
deafen (void)
{
  struct sigaction action = { .sa_handler = hang };

  sigfillset (&action.sa_mask);
  (void) sigaction (SIGUSR1, &action, NULL);
  (void) syscall (SYS_tgkill, getpid (), getpid (), SIGUSR1);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *how = toolhost_arg_string_or (call, "how", "");
  int64_t ms = toolhost_arg_int (call, "ms", 0);
  pthread_t thread;

  (void) self;
  if (ms != 0)
    return spin_for (call, ms);
  if (strcmp (how, "deaf") == 0)
    deafen ();
  if (strcmp (how, "thread") != 0)
    (void) spin (NULL);
  (void) pthread_create (&thread, NULL, spin, NULL);
  for (;;)
    (void) toolhost_sleep (call, 60000);
  return TOOLHOST_OK;
}

HOSTILE ("cpu_thief", TOOLHOST_PARALLEL, "Uses processor time.",
         "\"properties\":{\"how\":{\"type\":\"string\"},\"ms\":{\"type\":\"integer\"}}")

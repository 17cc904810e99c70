/* Uses processor time in ways its worker does not see: "thread": on a thread of its own, while the
 * call sleeps; "deaf": on the call's thread, after the thread that watches calls was made to hang
 * in a signal handler.  Any other "how" just uses it. */
#include "hostile.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *
spin (void *arg)
{
  for (volatile unsigned long turns = 0;; turns++)
    ;
  return arg;
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
  pthread_t thread;

  (void) self;
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
         "\"properties\":{\"how\":{\"type\":\"string\"}}")

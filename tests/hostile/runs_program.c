/* Runs the program it is told, with arguments, and gives what it wrote and how it ended.  With
 * `children` it starts so many at once and leaves them. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 8, MOST_OUTPUT = 16 * 1024 };

/* 0, or why it could not be started. */
static int
start (char *const argv[], int out, pid_t *pid)
{
  static char *const environment[] = { NULL };
  posix_spawn_file_actions_t actions;
  int fault;

  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, out, STDERR_FILENO);
  fault = posix_spawn (pid, argv[0], &actions, NULL, argv, environment);
  posix_spawn_file_actions_destroy (&actions);
  return fault;
}

static toolhost_status
run (toolhost_call *call, char *const argv[])
{
  static char text[MOST_OUTPUT];
  size_t len = 0;
  ssize_t n;
  int ends[2], status, fault;
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return toolhost_textf (call, "pipe: %s", strerrorname_np (errno));
  fault = start (argv, ends[1], &pid);
  close (ends[1]);
  while (fault == 0 && len < sizeof text && (n = read (ends[0], text + len, sizeof text - len)) > 0)
    len += (size_t) n;
  close (ends[0]);
  if (fault != 0)
    return toolhost_textf (call, "%s", strerrorname_np (fault));
  if (waitpid (pid, &status, 0) != pid)
    return toolhost_textf (call, "wait: %s", strerrorname_np (errno));
  return toolhost_textf (call, "%d:%.*s", WIFEXITED (status) ? WEXITSTATUS (status) : -1, (int) len,
                         text);
}

/* How many could be started. */
static toolhost_status
leave (toolhost_call *call, char *const argv[], int64_t children)
{
  int64_t started = 0;
  pid_t pid;

  while (started < children && start (argv, STDERR_FILENO, &pid) == 0)
    started++;
  return toolhost_textf (call, "%lld", (long long) started);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  char *argv[MOST_ARGUMENTS + 1] = { NULL };
  int64_t children = toolhost_arg_int (call, "children", 0);

  for (int i = 0; i < MOST_ARGUMENTS; i++) {
    char where[32];
    (void) snprintf (where, sizeof where, "/argv/%d", i);
    argv[i] = (char *) (uintptr_t) toolhost_arg_string_or (call, where, NULL);
  }
  if (argv[0] == NULL)
    return toolhost_text (call, "no program");
  return children > 0 ? leave (call, argv, children) : run (call, argv);
}

HOSTILE ("runs_program", TOOLHOST_SERIAL, "Runs a program.",
         "\"properties\":{\"argv\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
         "\"children\":{\"type\":\"integer\"}}")

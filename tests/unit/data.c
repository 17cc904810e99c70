#include "data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char unpacked[] = "/tmp/toolhost-data-XXXXXX";
static bool have_unpacked;

static bool
run (const char *program, const char *const *argv)
{
  pid_t pid = fork ();
  int status;

  if (pid == 0) {
    execvp (program, (char *const *) argv);
    _exit (127);
  }
  return pid > 0 && waitpid (pid, &status, 0) == pid && status == 0;
}

static void
remove_unpacked (void)
{
  (void) run ("rm", (const char *const[]){ "rm", "-rf", unpacked, NULL });
}

static bool
unpack (const char *archive)
{
  if (!have_unpacked) {
    if (mkdtemp (unpacked) == NULL)
      return false;
    have_unpacked = true;
    (void) atexit (remove_unpacked);
  }
  return run ("tar", (const char *const[]){ "tar", "-xzf", archive, "-C", unpacked, NULL });
}

const char *
data_path (const char *archive, const char *inside, const char **why)
{
  static char path[PATH_MAX];
  const char *dir = getenv ("TOOLHOST_TEST_DATA");
  struct stat st;

  *why = "TOOLHOST_TEST_DATA is not set";
  if (dir == NULL)
    return "";
  (void) snprintf (path, sizeof path, "%s/%s", dir, inside);
  if (stat (path, &st) == 0)
    return path;
  (void) snprintf (path, sizeof path, "%s/%s", unpacked, inside);
  if (have_unpacked && stat (path, &st) == 0)
    return path;
  (void) snprintf (path, sizeof path, "%s/%s", dir, archive);
  *why = "TOOLHOST_TEST_DATA does not hold the archive";
  if (stat (path, &st) != 0 || !unpack (path))
    return "";
  (void) snprintf (path, sizeof path, "%s/%s", unpacked, inside);
  return path;
}

char *
data_read (const char *dir, const char *name, size_t *len)
{
  char path[PATH_MAX];
  FILE *file;
  char *text;
  struct stat st;

  (void) snprintf (path, sizeof path, "%s/%s", dir, name);
  file = fopen (path, "rbe");
  if (file == NULL)
    return NULL;
  if (fstat (fileno (file), &st) != 0 || (text = calloc (1, (size_t) st.st_size + 1)) == NULL) {
    (void) fclose (file);
    return NULL;
  }
  *len = fread (text, 1, (size_t) st.st_size, file);
  (void) fclose (file);
  return text;
}

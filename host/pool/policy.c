#include "pool/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

const char *const guarantee_names[] = { "no-network", "no-foreign-files", "no-foreign-signals",
                                        "memory-cap", "kill-tree",        NULL };

void
policy_init (struct policy *policy)
{
  *policy = (struct policy){
    .enabled = true,
    .config = xstrdup ("{}"),
    .memory = 256 << 20,
    .files = 64,
    .tmp = 8 << 20,
    .result = 32 << 20,
    .processes = 128,
    .threads = 64,
    .queue = 256,
    .require = GUARANTEES_ALL,
  };
}

static void
paths_free (char **paths)
{
  for (char **p = paths; p != NULL && *p != NULL; p++)
    free (*p);
  free (paths);
}

static char **
paths_copy (char *const *paths)
{
  size_t count = 0;
  char **copy;

  if (paths == NULL)
    return NULL;
  while (paths[count] != NULL)
    count++;
  copy = xcalloc (count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++)
    copy[i] = xstrdup (paths[i]);
  return copy;
}

static bool
paths_same (char *const *a, char *const *b)
{
  static char *const none[] = { NULL };

  if (a == NULL)
    a = none;
  if (b == NULL)
    b = none;
  for (; *a != NULL && *b != NULL; a++, b++)
    if (strcmp (*a, *b) != 0)
      return false;
  return *a == *b;
}

void
policy_free (struct policy *policy)
{
  paths_free (policy->read);
  paths_free (policy->write);
  free (policy->config);
  memset (policy, 0, sizeof *policy);
}

void
policy_copy (struct policy *to, const struct policy *from)
{
  *to = *from;
  to->read = paths_copy (from->read);
  to->write = paths_copy (from->write);
  to->config = xstrdup (from->config);
}

bool
policy_same (const struct policy *a, const struct policy *b)
{
  return a->enabled == b->enabled && a->memory == b->memory && a->files == b->files
         && a->tmp == b->tmp && a->result == b->result && a->processes == b->processes
         && a->threads == b->threads && a->queue == b->queue && a->max_time_ms == b->max_time_ms
         && a->require == b->require && strcmp (a->config, b->config) == 0
         && paths_same (a->read, b->read) && paths_same (a->write, b->write);
}

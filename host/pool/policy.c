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

/* ---- of single tools ---- */

const struct policy_tool *
policy_tools_find (const struct policy_tools *tools, const char *name)
{
  for (size_t i = 0; i < tools->count; i++)
    if (strcmp (tools->list[i].name, name) == 0)
      return &tools->list[i];
  return NULL;
}

struct policy_tool *
policy_tools_add (struct policy_tools *tools, const char *name)
{
  const struct policy_tool *there = policy_tools_find (tools, name);

  if (there != NULL)
    return &tools->list[there - tools->list];
  tools->list = xrealloc (tools->list, (tools->count + 1) * sizeof *tools->list);
  tools->list[tools->count] = (struct policy_tool){ .name = xstrdup (name), .repair = -1 };
  return &tools->list[tools->count++];
}

static void
tools_free (struct policy_tools *tools)
{
  for (size_t i = 0; i < tools->count; i++)
    free (tools->list[i].name);
  free (tools->list);
}

static struct policy_tools
tools_copy (const struct policy_tools *tools)
{
  struct policy_tools copy = { .count = 0 };

  for (size_t i = 0; i < tools->count; i++)
    policy_tools_add (&copy, tools->list[i].name)->repair = tools->list[i].repair;
  return copy;
}

static bool
tools_same (const struct policy_tools *a, const struct policy_tools *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct policy_tool *x = &a->list[i], *y = policy_tools_find (b, x->name);
    if (y == NULL || x->repair != y->repair)
      return false;
  }
  return true;
}

/* ---- the whole ---- */

void
policy_free (struct policy *policy)
{
  tools_free (&policy->tools);
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
  to->tools = tools_copy (&from->tools);
}

bool
policy_same (const struct policy *a, const struct policy *b)
{
  return a->enabled == b->enabled && a->memory == b->memory && a->files == b->files
         && a->tmp == b->tmp && a->result == b->result && a->processes == b->processes
         && a->threads == b->threads && a->queue == b->queue && a->max_time_ms == b->max_time_ms
         && a->require == b->require && strcmp (a->config, b->config) == 0
         && paths_same (a->read, b->read) && paths_same (a->write, b->write)
         && tools_same (&a->tools, &b->tools);
}

/* context_path.h - paths into what a conversation knows ("workflow.step"): names with dots between
 * them, and which of them are written.  session/context.h says what the roots are.  Pure. */
#ifndef TOOLHOST_BASE_CONTEXT_PATH_H
#define TOOLHOST_BASE_CONTEXT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { CONTEXT_NAME_MAX = 511 /* bytes of a name */ };

/* The next name of a path; false: it is no path.  At its end **at is 0. */
static inline bool
context_path_next (const char **at, char name[CONTEXT_NAME_MAX + 1])
{
  const size_t len = strcspn (*at, ".");

  if (len == 0 || len > CONTEXT_NAME_MAX)
    return false;
  memcpy (name, *at, len);
  name[len] = '\0';
  *at += len;
  return **at != '.' || *++*at != '\0';
}

static inline bool
context_path_is_one (const char *path)
{
  char name[CONTEXT_NAME_MAX + 1];

  while (context_path_next (&path, name))
    if (*path == '\0')
      return true;
  return false;
}

/* May this be written: below workflow and agents everything, and what is appended to history?  For
 * what is a path. */
static inline bool
context_path_is_writable (const char *path, bool append)
{
  const size_t root = strcspn (path, ".");
  const bool below = path[root] == '.';

  if (root == strlen ("workflow") && memcmp (path, "workflow", root) == 0)
    return below;
  if (root == strlen ("agents") && memcmp (path, "agents", root) == 0)
    return below;
  return strcmp (path, "history") == 0 && append;
}

#endif

/* path.h - where a template looks, and where a context is written: names with dots between them.
 * Immutable once read. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_PATH_H
#define TOOLHOST_PLUGINS_ACTIONS_PATH_H

#include "../common/value.h"
#include "problem.h"

enum { PATH_NAMES_MAX = 16, PATH_NAME_MAX = 128, PATH_MAX_LEN = 512 };

/* What a path begins with (S2-16, U2-5). */
enum root {
  ROOT_PARAMS,
  ROOT_USER,
  ROOT_WORKFLOW,
  ROOT_AGENTS,
  ROOT_FLAGS,
  ROOT_TENANT,
  ROOT_HISTORY,
  ROOT_NOW,
  ROOT_RESULT,
  ROOT_WEBHOOK,
  ROOT_ERROR,
  ROOTS
};

extern const char *const root_names[ROOTS + 1]; /* NULL-terminated */

struct path_name {
  const char *text; /* followed by a NUL */
  size_t len;
};

struct path {
  enum root root;
  const char *text; /* the whole, with its root */
  size_t count;     /* of names below the root */
  struct path_name *names;
  const char *endpoint; /* of ROOT_WEBHOOK: whose answer */
};

/* Read a path; blanks around it don't count.  Without a root it is below `otherwise`; ROOTS: then
 * it is none.  False: *why is a sentence. */
bool path_read (struct path *path, struct values *pool, const char *text, size_t len,
                enum root otherwise, const char **why);

/* The value there, below the root's value; NULL: there is none.  Names that are numbers are
 * indices of lists. */
const struct value *path_follow (const struct path *path, const struct value *root);

/* Only A-Za-z0-9_-: what names of parameters, agents, flags are made of. */
bool path_is_name (const char *text, size_t len, size_t max);

#endif

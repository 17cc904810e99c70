/* set.h - the tools and endpoints of one configuration, compiled.  Immutable once read; it is
 * counted, so that calls that run keep theirs while a tenant is given others. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_SET_H
#define TOOLHOST_PLUGINS_ACTIONS_SET_H

#include <stdatomic.h>

#include "program.h"

enum { TOOLS_MAX = 2000 };

struct set {
  atomic_uint users;
  struct values pool;
  struct endpoints endpoints;
  bool strict;
  size_t count;                    /* of documents */
  const struct program **programs; /* in their order; NULL: it was refused */
};

/* Read { "tools", "endpoints", "strict_templates" }.  NULL: there is no memory.  Each document that
 * is wrong is left out; `heard` is told of each and of what else is wrong, with the problems found
 * there.  The first user is the caller. */
struct set *set_read (const char *config, size_t len,
                      void (*heard) (void *ctx, const char *what, const struct value *document,
                                     const struct problems *problems),
                      void *ctx);
/* An empty one; NULL: there is no memory. */
struct set *set_new (void);
struct set *set_ref (struct set *set);
void set_unref (struct set *set);

/* Read the parts of it that stand in an object, for set_read and for those that check: the members
 * "tools" and "endpoints" are read into `set`, all problems go to `problems`. */
void set_read_endpoints (struct set *set, const struct value *config, struct problems *problems);
/* One of its documents, by its index. */
const struct program *set_read_tool (struct set *set, const struct value *tools, size_t index,
                                     struct problems *problems);
/* Its list of tools, or NULL, and room for their programs. */
const struct value *set_read_tools (struct set *set, const struct value *config,
                                    struct problems *problems);

#endif

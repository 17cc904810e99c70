/* built.h - the end of a builder: the tools that it has made of its configuration. */
#ifndef TOOLHOST_PLUGINS_COMMON_BUILT_H
#define TOOLHOST_PLUGINS_COMMON_BUILT_H

#include <toolhost.h>

#include "settings.h"
#include "text.h"

/* Add a tool whose definition is this text, which lives in `self`.  It is the host's until it calls
 * the builder's `release`; when it can't be added, it is released here and the host told why. */
toolhost_status built_add (toolhost_build *build, const toolhost_tool *tool, void *self,
                           const struct text *definition, void (*release) (void *self));

/* There was no memory for `self`. */
toolhost_status built_nothing (toolhost_build *build);

/* A feature whose configuration is an object with one list, each item of which becomes a tool. */
struct built_list {
  const char *member;   /* "agents" */
  const char *expected; /* "a list of agents" */
  size_t size;          /* of what an item becomes: the `self` of its tool, zero at first */
  const toolhost_tool *tool;
  /* The item that stands here.  False: the host was told what is wrong. */
  bool (*read) (void *self, struct settings *s);
  /* Its definition, which lives in `self`. */
  const struct text *(*define) (void *self);
  void (*release) (void *self); /* the builder's: frees `self` in any case */
};

/* All of `build` of such a feature: each item is read, defined and added; the first that is wrong
 * ends it, and its place is told. */
toolhost_status built_each (const struct built_list *list, toolhost_build *build,
                            const char *config, size_t len);

#endif

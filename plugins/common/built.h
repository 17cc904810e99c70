/* built.h - the end of a builder: a tool that it has made of its configuration. */
#ifndef TOOLHOST_PLUGINS_COMMON_BUILT_H
#define TOOLHOST_PLUGINS_COMMON_BUILT_H

#include <toolhost.h>

#include "text.h"

/* Add a tool whose definition is this text, which lives in `self`.  It is the host's until it calls
 * the builder's `release`; when it can't be added, it is released here and the host told why. */
toolhost_status built_add (toolhost_build *build, const toolhost_tool *tool, void *self,
                           const struct text *definition, void (*release) (void *self));

/* There was no memory for `self`. */
toolhost_status built_nothing (toolhost_build *build);

#endif

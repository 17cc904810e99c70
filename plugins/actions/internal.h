/* internal.h - the plugin's two tools for the daemon: actions_check compiles documents and tells
 * all that is wrong, actions_try runs one in surroundings that are played.  No agent sees them. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_INTERNAL_H
#define TOOLHOST_PLUGINS_ACTIONS_INTERNAL_H

#include <toolhost.h>

#include "../common/text.h"

extern const toolhost_tool actions_check, actions_try;

/* What they do, with arguments as JSON text; the answer is JSON.  False: the arguments can't be
 * read, and *why is a sentence. */
bool check_documents (const char *args, size_t len, struct text *out, const char **why);
bool try_document (const char *args, size_t len, struct text *out, const char **why);

#endif

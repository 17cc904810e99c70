/* tools_apply.h - "toolhost tools apply": what files say of tools and endpoints, compared with what
 * the tenant has, shown, and made so. */
#ifndef TOOLHOST_CLI_TOOLS_APPLY_H
#define TOOLHOST_CLI_TOOLS_APPLY_H

#include "cli/made.h"

/* Each change counts only for the revision it was compared with, so that nothing is written over
 * that somebody else has made meanwhile. */
enum cli_exit tools_apply (const struct made *made, const struct options *options);

#endif

/* approvals.h - what `toolhost approve` does with a call that needs a person's approval. */
#ifndef TOOLHOST_CLI_APPROVALS_H
#define TOOLHOST_CLI_APPROVALS_H

#include <stdbool.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/exits.h"
#include "cli/options.h"

/* Is it the id of an approval, and not of questions? */
bool approval_is_id (const char *word);
/* Approve it, as the options say, or with --decline reject it. */
enum cli_exit approval_approve (const struct options *options, const char *id);

#endif

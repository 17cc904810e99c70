/* check_offers.h - what `toolhost check` looks at in resources, templates and prompts: their
 * definitions, and whether those that need no arguments answer. */
#ifndef TOOLHOST_CLI_CHECK_OFFERS_H
#define TOOLHOST_CLI_CHECK_OFFERS_H

#include "cli/report.h"
#include "daemon/oneshot.h"

/* All that the plugin offers and is no tool. */
void check_offers (struct oneshot *host, struct report *report);

#endif

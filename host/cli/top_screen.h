/* top_screen.h - `toolhost top` on a terminal: looks, shows, and does what keys say. */
#ifndef TOOLHOST_CLI_TOP_SCREEN_H
#define TOOLHOST_CLI_TOP_SCREEN_H

#include "cli/client.h"
#include "cli/top_view.h"

/* Ask the daemon for a look.  CLI_OK: it is there; else err says why not. */
enum cli_exit top_fetch (struct client *client, struct top_look *look, struct error *err);

/* Until q.  A daemon that can't be reached any more is asked again.  `interval_ms`: between looks.
 */
enum cli_exit top_screen_run (struct client *client, int64_t interval_ms, enum top_sort sort);

#endif

/* options.h - the command line of toolhostd. */
#ifndef TOOLHOST_DAEMON_OPTIONS_H
#define TOOLHOST_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "daemon/config.h"

enum options_action {
  OPTIONS_SERVE,
  OPTIONS_CHECK,
  OPTIONS_EXPLAIN,
  OPTIONS_REPORT,
  OPTIONS_DONE,
  OPTIONS_BAD
};

/* What was said; what was not said is NULL or false.  Strings are argv's. */
struct options {
  const char *config, *config_dir, *state_dir, *socket, *user, *worker, *log_level, *log_file,
    *tenant;
  const char *explain;                /* the plugin whose policy is to be shown */
  const char **plugin_dirs, **listen; /* NULL-terminated, or NULL */
  bool stdio, check, report, json, no_standard_dirs;
};

/* Read the command line.  OPTIONS_DONE: help or the version was printed.  OPTIONS_BAD: a sentence
 * was printed. */
enum options_action options_read (int argc, char **argv, struct options *options);

/* Put what was said over a configuration. */
bool options_apply (const struct options *options, struct config *config, struct error *err);

#endif

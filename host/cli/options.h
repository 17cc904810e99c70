/* options.h - the options of all commands: one table that is parsed and shown as help.
 *
 * Which of them a command takes is its mask of OPTION_ bits.  Texts point into argv. */
#ifndef TOOLHOST_CLI_OPTIONS_H
#define TOOLHOST_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum {
  OPTION_SOCKET = 1 << 0,
  OPTION_URL = 1 << 1,
  OPTION_JSON = 1 << 2,
  OPTION_FORMAT = 1 << 3,
  OPTION_NAMES = 1 << 4,
  OPTION_PLUGIN = 1 << 5,
  OPTION_ARG = 1 << 6,
  OPTION_DEADLINE = 1 << 7,
  OPTION_DIR = 1 << 8,
  OPTION_HELP = 1 << 9,
  OPTION_VERSION = 1 << 10,
  OPTIONS_DAEMON = OPTION_SOCKET | OPTION_URL,
  OPTIONS_BEFORE_COMMAND = OPTIONS_DAEMON | OPTION_JSON | OPTION_HELP | OPTION_VERSION
};

struct options {
  const char *socket;
  const char *url;
  const char *format;
  const char *plugin;
  const char *dir;
  const char **args; /* of every --arg, in order; malloced */
  size_t args_count;
  int64_t deadline_ms; /* 0: not given */
  bool json;
  bool names;
  bool help;
  bool version;
};

/* Take the options in `words` that `allowed` has, and move what is left to the front; *count
 * becomes their number.  `stop`: the first word that is no option ends the options (for what stands
 * before the command).  "--" ends them as well, "-" is no option. */
bool options_parse (struct options *options, unsigned allowed, bool stop, char **words, int *count,
                    struct error *err);
void options_free (struct options *options);

/* The help of the options in `mask`, one a line. */
void options_describe (unsigned mask, struct buf *out);

#endif

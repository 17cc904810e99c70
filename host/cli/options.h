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
  OPTION_LINES = 1 << 11,
  OPTION_OUTPUT = 1 << 12,
  OPTION_QUIET = 1 << 13,
  OPTION_DRAFT = 1 << 14,
  OPTION_FORMATS = 1 << 15,
  OPTION_REF = 1 << 16,
  OPTION_REGISTRY = 1 << 17,
  OPTION_REPAIR = 1 << 18,
  OPTION_DESCRIBE = 1 << 19,
  OPTION_STRICT = 1 << 20,
  OPTION_DECLINE = 1 << 21, /* --decline, --remember */
  OPTION_COST = 1 << 22,
  OPTION_BUDGET = 1 << 23,
  OPTION_MEANT = 1 << 24, /* --tools, --tags, --plugins */
  OPTION_KEY = 1 << 25,
  OPTION_ROLE = 1 << 26,
  OPTION_TENANT = 1 << 27,
  OPTION_CONFIG_DIR = 1 << 28,
  OPTION_APPLY = 1 << 29,   /* --file, --prune, --dry-run, --yes */
  OPTION_TRY = 1 << 30,     /* --arguments, --context, --webhooks */
  OPTION_IMPORT = 1U << 31, /* --library, --symbol, --preprocess, --output FILE, --plugin FILE */
  OPTIONS_DAEMON = OPTION_SOCKET | OPTION_URL | OPTION_KEY,
  OPTIONS_BEFORE_COMMAND = OPTIONS_DAEMON | OPTION_JSON | OPTION_HELP | OPTION_VERSION
};

/* The values of an option that may be repeated, in order; malloced. */
struct option_list {
  const char **texts;
  size_t count;
};

struct options {
  const char *socket;
  const char *url;
  const char *format;
  const char *plugin;
  const char *dir;
  const char *output;
  const char *draft;
  const char *formats;
  const char *repair;
  const char *budget, *tools, *tags, *plugins;
  const char *key;
  const char *tenant;
  const char *config_dir;
  const char *file;
  const char *arguments, *context, *webhooks;
  const char *library, *symbol;
  struct option_list args;
  struct option_list refs;
  struct option_list registries;
  struct option_list roles;
  int64_t deadline_ms; /* 0: not given */
  bool json;
  bool names;
  bool strict;
  bool decline;
  const char *remember;
  bool cost;
  bool lines;
  bool describe;
  bool quiet;
  bool prune, dry_run, yes;
  bool preprocess;
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

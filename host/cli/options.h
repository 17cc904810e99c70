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

/* What a command takes: OPTION_ bits. */
typedef uint64_t options_mask;
#define OPTION_BIT(n) ((options_mask) 1 << (n))
#define OPTION_SOCKET OPTION_BIT (0)
#define OPTION_URL OPTION_BIT (1) /* --url, --ca, --cert */
#define OPTION_JSON OPTION_BIT (2)
#define OPTION_FORMAT OPTION_BIT (3)
#define OPTION_NAMES OPTION_BIT (4)
#define OPTION_PLUGIN OPTION_BIT (5)
#define OPTION_ARG OPTION_BIT (6)
#define OPTION_DEADLINE OPTION_BIT (7)
#define OPTION_DIR OPTION_BIT (8)
#define OPTION_HELP OPTION_BIT (9)
#define OPTION_VERSION OPTION_BIT (10)
#define OPTION_LINES OPTION_BIT (11)
#define OPTION_OUTPUT OPTION_BIT (12)
#define OPTION_QUIET OPTION_BIT (13)
#define OPTION_DRAFT OPTION_BIT (14)
#define OPTION_FORMATS OPTION_BIT (15)
#define OPTION_REF OPTION_BIT (16)
#define OPTION_REGISTRY OPTION_BIT (17)
#define OPTION_REPAIR OPTION_BIT (18)
#define OPTION_DESCRIBE OPTION_BIT (19)
#define OPTION_STRICT OPTION_BIT (20)
#define OPTION_DECLINE OPTION_BIT (21) /* --decline, --remember */
#define OPTION_COST OPTION_BIT (22)
#define OPTION_BUDGET OPTION_BIT (23)
#define OPTION_MEANT OPTION_BIT (24) /* --tools, --tags, --plugins */
#define OPTION_KEY OPTION_BIT (25)
#define OPTION_ROLE OPTION_BIT (26)
#define OPTION_TENANT OPTION_BIT (27)
#define OPTION_CONFIG_DIR OPTION_BIT (28)
#define OPTION_APPLY OPTION_BIT (29) /* --file, --prune, --dry-run, --yes */
#define OPTION_TRY OPTION_BIT (30)   /* --arguments, --context, --webhooks */
#define OPTION_IMPORT                                                                              \
  OPTION_BIT (31) /* --library, --symbol, --preprocess, --output FILE, --plugin FILE */
#define OPTION_TOP OPTION_BIT (32)    /* --once, --interval, --sort */
#define OPTION_LOGS OPTION_BIT (33)   /* --follow, --last, --level, --event, --tool, --tenant */
#define OPTION_BACKUP OPTION_BIT (34) /* --verify, --audit-key */
#define OPTIONS_DAEMON (OPTION_SOCKET | OPTION_URL | OPTION_KEY)
#define OPTIONS_BEFORE_COMMAND (OPTIONS_DAEMON | OPTION_JSON | OPTION_HELP | OPTION_VERSION)

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
  const char *sort;
  const char *audit_key;
  const char *ca, *cert;
  const char *last, *level, *event, *tool;
  struct option_list args;
  struct option_list refs;
  struct option_list registries;
  struct option_list roles;
  int64_t deadline_ms; /* 0: not given */
  int64_t interval_ms; /* likewise */
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
  bool once;
  bool verify;
  bool follow;
  bool help;
  bool version;
};

/* Take the options in `words` that `allowed` has, and move what is left to the front; *count
 * becomes their number.  `stop`: the first word that is no option ends the options (for what stands
 * before the command).  "--" ends them as well, "-" is no option. */
bool options_parse (struct options *options, options_mask allowed, bool stop, char **words,
                    int *count, struct error *err);
void options_free (struct options *options);

/* The help of the options in `mask`, one a line. */
void options_describe (options_mask mask, struct buf *out);

#endif

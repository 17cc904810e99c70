#include "daemon/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "daemon/settings.h"
#include "front/auth/keys.h"
#include "watch/log.h"

enum option_kind { OPTION_TEXT, OPTION_LIST, OPTION_FLAG, OPTION_HELP, OPTION_VERSION };

/* Adding an option is adding a row. */
static const struct row {
  const char *name;
  const char *value; /* what its value is called; NULL: none */
  enum option_kind kind;
  size_t offset; /* in struct options */
  const char *help;
} rows[] = {
  { "config", "FILE", OPTION_TEXT, offsetof (struct options, config),
    "read FILE instead of CONFIG_DIR/toolhostd.json" },
  { "config-dir", "DIR", OPTION_TEXT, offsetof (struct options, config_dir),
    "configuration and policies (default /etc/toolhost; of a user: ~/.config/toolhost)" },
  { "state-dir", "DIR", OPTION_TEXT, offsetof (struct options, state_dir),
    "what outlives the process (default /var/lib/toolhost; of a user: none); \"none\": nothing" },
  { "plugin-dir", "DIR", OPTION_LIST, offsetof (struct options, plugin_dirs),
    "look for plugins in DIR first; may be given again" },
  { "no-standard-dirs", NULL, OPTION_FLAG, offsetof (struct options, no_standard_dirs),
    "do not look for plugins in the standard folders" },
  { "listen", "ADDR:PORT", OPTION_LIST, offsetof (struct options, listen),
    "serve HTTP here (default 127.0.0.1:8377; port 0: any); \"none\": no TCP; may be given again" },
  { "socket", "PATH", OPTION_TEXT, offsetof (struct options, socket),
    "serve HTTP on this Unix socket (default /run/toolhost/toolhostd.sock); \"none\": none" },
  { "stdio", NULL, OPTION_FLAG, offsetof (struct options, stdio),
    "speak MCP on standard input and output, and nothing else; ends with its input" },
  { "tenant", "NAME", OPTION_TEXT, offsetof (struct options, tenant),
    "with --stdio: the tenant who is served (default: default)" },
  { "user", "NAME", OPTION_TEXT, offsetof (struct options, user),
    "whom to become when started as root (default toolhost, else nobody)" },
  { "worker", "FILE", OPTION_TEXT, offsetof (struct options, worker), "the worker program to use" },
  { "log-level", "LEVEL", OPTION_TEXT, offsetof (struct options, log_level),
    "debug, info, notice, warning or error (default info; with --stdio warning)" },
  { "log-file", "FILE", OPTION_TEXT, offsetof (struct options, log_file),
    "append the log to FILE instead of standard error" },
  { "check", NULL, OPTION_FLAG, offsetof (struct options, check),
    "read configuration and policies, say what is wrong, and end" },
  { "explain", "PLUGIN", OPTION_TEXT, offsetof (struct options, explain),
    "say what policy a plugin has, all in all, as JSON, and end" },
  { "sandbox-report", NULL, OPTION_FLAG, offsetof (struct options, report),
    "start a worker, say which guarantee is met by what on this system, and end" },
  { "json", NULL, OPTION_FLAG, offsetof (struct options, json), "with --sandbox-report: as JSON" },
  { "help", NULL, OPTION_HELP, 0, "print this" },
  { "version", NULL, OPTION_VERSION, 0, "print the version" },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void
print_help (void)
{
  (void) printf ("Usage: toolhostd [OPTION]...\n"
                 "Run tools for AI agents: plugins are found, shown over MCP and HTTP, and run in\n"
                 "sandboxed workers.\n\n");
  for (int i = 0; i < ROWS; i++) {
    char left[40];
    (void) snprintf (left, sizeof left, "--%s%s%s", rows[i].name, rows[i].value != NULL ? " " : "",
                     rows[i].value != NULL ? rows[i].value : "");
    (void) printf ("  %-22s %s\n", left, rows[i].help);
  }
  (void) printf (
    "\nSignals: TERM and INT finish what runs and end, HUP reads policies again.\n"
    "Exit status: 0 ended as told, 1 could not start, 2 wrong usage or configuration,\n"
    "3 lost its launcher.\n"
    "See toolhostd(8) and toolhostd.json(5).\n");
}

static void
append (const char ***list, const char *value)
{
  size_t count = 0;

  while (*list != NULL && (*list)[count] != NULL)
    count++;
  *list = xrealloc (*list, (count + 2) * sizeof **list);
  (*list)[count] = value;
  (*list)[count + 1] = NULL;
}

static bool
take (struct options *options, const struct row *row, const char *value)
{
  void *at = (char *) options + row->offset;

  switch (row->kind) {
  case OPTION_TEXT:
    *(const char **) at = value;
    return true;
  case OPTION_LIST:
    append (at, value);
    return true;
  case OPTION_FLAG:
    *(bool *) at = true;
    return true;
  case OPTION_HELP:
    print_help ();
    return false;
  case OPTION_VERSION:
    (void) printf ("toolhostd %s (build %s)\n", TOOLHOST_VERSION, TOOLHOST_BUILD_ID);
    return false;
  }
  return false;
}

enum options_action
options_read (int argc, char **argv, struct options *options)
{
  struct option longs[ROWS + 1] = { 0 };
  int index = 0, c;

  memset (options, 0, sizeof *options);
  for (int i = 0; i < ROWS; i++)
    longs[i] =
      (struct option){ .name = rows[i].name,
                       .has_arg = rows[i].value != NULL ? required_argument : no_argument };
  while ((c = getopt_long (argc, argv, "", longs, &index)) != -1) {
    if (c != 0) {
      (void) fprintf (stderr, "toolhostd: try --help\n");
      return OPTIONS_BAD;
    }
    if (!take (options, &rows[index], optarg))
      return OPTIONS_DONE;
  }
  if (optind < argc) {
    (void) fprintf (stderr, "toolhostd: unexpected argument \"%s\"; try --help\n", argv[optind]);
    return OPTIONS_BAD;
  }
  if (options->report)
    return OPTIONS_REPORT;
  if (options->explain != NULL)
    return OPTIONS_EXPLAIN;
  return options->check ? OPTIONS_CHECK : OPTIONS_SERVE;
}

static void
set_text (char **text, const char *value)
{
  if (value == NULL)
    return;
  free (*text);
  *text = strcmp (value, "none") != 0 ? xstrdup (value) : NULL;
}

static void
set_list (char ***list, const char *const *values)
{
  size_t count = 0;

  if (values == NULL)
    return;
  settings_free_strings (*list);
  while (values[count] != NULL)
    count++;
  *list = xcalloc (count + 1, sizeof **list);
  count = 0;
  for (; *values != NULL; values++)
    if (strcmp (*values, "none") != 0)
      (*list)[count++] = xstrdup (*values);
}

bool
options_apply (const struct options *options, struct config *config, struct error *err)
{
  set_text (&config->state_dir, options->state_dir);
  set_text (&config->socket, options->socket);
  set_text (&config->user, options->user);
  set_text (&config->log_level, options->log_level);
  set_text (&config->log_file, options->log_file);
  set_list (&config->plugin_dirs, options->plugin_dirs);
  set_list (&config->listen, options->listen);
  set_text (&config->tenant, options->tenant);
  if (config->tenant != NULL
      && (!options->stdio || !key_word (config->tenant, strlen (config->tenant))))
    return error_set (err, "--tenant: expected a tenant's name, together with --stdio");
  if (options->stdio) {
    /* Several may run at once, and what starts them reads nothing but standard output. */
    set_list (&config->listen, (const char *const[]){ NULL });
    set_text (&config->socket, "none");
    if (options->log_level == NULL)
      set_text (&config->log_level, "warning");
  }
  if (config->user == NULL)
    return error_set (err, "--user: expected the name of a user");
  if (config->log_level == NULL || log_level_from_name (config->log_level) < 0)
    return error_set (err,
                      "--log-level: expected debug, info, notice, warning or error, got \"%s\"",
                      config->log_level != NULL ? config->log_level : "none");
  return true;
}

/* main.c - the toolhost program: the table of commands, their help, and the one way each is run. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"

static enum cli_exit run_help (const struct options *options, char **words, int count);
static enum cli_exit run_version (const struct options *options, char **words, int count);

static const struct command command_help = {
  .name = "help",
  .usage = "[COMMAND]",
  .summary = "show this help, or that of a command",
  .details = "",
  .most = 1,
  .run = run_help,
};

static const struct command command_version = {
  .name = "version",
  .usage = "",
  .summary = "show the version",
  .details = "",
  .options = OPTION_JSON,
  .run = run_version,
};

static const struct command *const commands[] = {
  &command_list,     &command_call,   &command_resources, &command_read,
  &command_prompts,  &command_prompt, &command_skills,    &command_check,
  &command_schema,   &command_new,    &command_plugins,   &command_tenants,
  &command_sessions, &command_agui,   &command_asks,      &command_approvals,
  &command_approve,  &command_reject, &command_cancel,    &command_reload,
  &command_top,      &command_logs,   &command_store,     &command_backup,
  &command_audit,    &command_key,    &command_tools,     &command_openapi,
  &command_ffi,      &command_help,   &command_version,   NULL,
};

bool
command_wants_json (const struct options *options)
{
  return options->json || !out_is_terminal (stdout);
}

enum cli_exit
command_post (const struct options *options, const char *path, const char *done, const char *name)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct reply reply = { 0 };
  struct json_writer w = { .out = &text };
  const enum cli_exit status = client_fetch (options, "POST", path, &reply);

  reply_free (&reply);
  if (status != CLI_OK)
    return status;
  if (command_wants_json (options)) {
    jsonw_object (&w);
    jsonw_name_string (&w, done, name);
    jsonw_end (&w);
  }
  else
    buf_printf (&text, "%s %s", done, name);
  out_text (text.data, text.len);
  return CLI_OK;
}

static const struct command *
find (const char *name)
{
  for (const struct command *const *c = commands; *c != NULL; c++)
    if (strcmp ((*c)->name, name) == 0)
      return *c;
  return NULL;
}

static enum cli_exit
unknown_command (const char *name)
{
  const char *names[sizeof commands / sizeof *commands] = { NULL };

  for (size_t i = 0; commands[i] != NULL; i++)
    names[i] = commands[i]->name;
  const char *near = error_nearest (name, names);
  if (near != NULL)
    return out_error (CLI_USAGE, "there is no command \"%s\"; did you mean %s?", name, near);
  return out_error (CLI_USAGE, "there is no command \"%s\"; toolhost help lists them", name);
}

/* ---- help ---- */

static void
describe_all (struct buf *out)
{
  buf_puts (out, "Usage: toolhost [OPTION]... COMMAND [ARGUMENT]...\n"
                 "Use and look after the tools of a toolhostd.\n\nCommands:\n");
  for (const struct command *const *c = commands; *c != NULL; c++)
    buf_printf (out, "  %-9s %s\n", (*c)->name, (*c)->summary);
  buf_puts (out, "\nOptions, also after the command:\n");
  options_describe (OPTIONS_BEFORE_COMMAND, out);
  buf_puts (out, "\nExit status:\n");
  exits_describe (out);
  buf_puts (out, "\nA table is printed on a terminal, JSON elsewhere.  See toolhost(1).\n");
}

static void
describe (const struct command *command, struct buf *out)
{
  buf_printf (out, "Usage: toolhost %s %s\n%c%s.\n", command->name, command->usage,
              command->summary[0] - 'a' + 'A', command->summary + 1);
  if (command->details[0] != '\0')
    buf_printf (out, "\n%s", command->details);
  buf_puts (out, "\nOptions:\n");
  options_describe (command->options | OPTION_HELP, out);
}

static enum cli_exit
print_help (const struct command *command)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (command != NULL)
    describe (command, &text);
  else
    describe_all (&text);
  out_text (text.data, text.len);
  return CLI_OK;
}

static enum cli_exit
run_help (const struct options *options, char **words, int count)
{
  (void) options;
  const struct command *command = count > 0 ? find (words[0]) : NULL;
  if (count > 0 && command == NULL)
    return unknown_command (words[0]);
  return print_help (command);
}

static enum cli_exit
run_version (const struct options *options, char **words, int count)
{
  static const char json[] = "{\"name\":\"toolhost\",\"version\":\"" PACKAGE_VERSION "\"}";
  static const char text[] = "toolhost " PACKAGE_VERSION;

  (void) words;
  (void) count;
  if (options->json)
    out_text (json, sizeof json - 1);
  else
    out_text (text, sizeof text - 1);
  return CLI_OK;
}

/* ---- running ---- */

static enum cli_exit
run_command (const struct command *command, struct options *options, char **words, int count)
{
  struct error err = { 0 };
  options_mask allowed = command->options | OPTION_HELP;

  if (!options_parse (options, allowed, false, words, &count, &err))
    return out_error (CLI_USAGE, "%s: %s; see toolhost help %s", command->name, err.text,
                      command->name);
  if (options->help)
    return print_help (command);
  if (count < command->least || count > command->most)
    return out_error (CLI_USAGE, "%s: too %s arguments: toolhost %s %s", command->name,
                      count < command->least ? "few" : "many", command->name, command->usage);
  return command->run (options, words, count);
}

static enum cli_exit
run_words (struct options *options, char **words, int count)
{
  struct error err = { 0 };

  if (!options_parse (options, OPTIONS_BEFORE_COMMAND, true, words, &count, &err))
    return out_error (CLI_USAGE, "%s; see toolhost --help", err.text);
  if (options->version)
    return run_version (options, words, count);
  if (count == 0 && options->help)
    return print_help (NULL);
  if (count == 0)
    return out_error (CLI_USAGE, "which command? toolhost help lists them");
  const struct command *command = find (words[0]);
  if (command == NULL)
    return unknown_command (words[0]);
  return run_command (command, options, words + 1, count - 1);
}

int
main (int argc, char **argv)
{
  struct options options = { 0 };

  /* Texts are UTF-8 everywhere; the locale is asked for the width of characters only. */
  (void) setlocale (LC_CTYPE, "C.UTF-8");
  (void) signal (SIGPIPE, SIG_IGN);
  enum cli_exit status = run_words (&options, argv + 1, argc > 0 ? argc - 1 : 0);
  options_free (&options);
  return (int) out_finish (status);
}

/* command.h - one command of toolhost, as main.c's table lists it. */
#ifndef TOOLHOST_CLI_COMMAND_H
#define TOOLHOST_CLI_COMMAND_H

#include "cli/exits.h"
#include "cli/options.h"

struct command {
  const char *name;
  const char *usage;   /* what comes after the name */
  const char *summary; /* a few words for the list of commands */
  const char *details; /* for its own help: whole lines */
  options_mask options;
  int least, most; /* how many words it takes */
  enum cli_exit (*run) (const struct options *options, char **words, int count);
};

extern const struct command command_list;
extern const struct command command_key;
extern const struct command command_call;
extern const struct command command_check;
extern const struct command command_new;
extern const struct command command_plugins;
extern const struct command command_tenants;
extern const struct command command_tools;
extern const struct command command_sessions;
extern const struct command command_agui;
extern const struct command command_asks;
extern const struct command command_approve;
extern const struct command command_approvals;
extern const struct command command_reject;
extern const struct command command_cancel;
extern const struct command command_reload;
extern const struct command command_store;
extern const struct command command_backup;
extern const struct command command_top;
extern const struct command command_logs;
extern const struct command command_audit;
extern const struct command command_openapi;
extern const struct command command_ffi;
extern const struct command command_schema;
extern const struct command command_resources;
extern const struct command command_skills;
extern const struct command command_read;
extern const struct command command_prompts;
extern const struct command command_prompt;

/* JSON instead of a table: asked for, or because stdout is no terminal. */
bool command_wants_json (const struct options *options);

/* Have the daemon do something by a POST, and say that it is done: "DONE NAME", or {DONE: NAME}. */
enum cli_exit command_post (const struct options *options, const char *path, const char *done,
                            const char *name);

#endif

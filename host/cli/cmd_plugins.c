#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/out.h"
#include "cli/plugin_view.h"
#include "cli/table.h"

/* A column shows a member of a plugin, or what is built of several. */
static const struct {
  struct table_column column;
  const char *member;
  void (*build) (const struct said *, const struct json_node *, struct buf *);
} shown[] = {
  { { .title = "NAME" }, "name", NULL },
  { { .title = "STATE" }, NULL, plugin_state },
  { { .title = "GENERATION", .right = true }, "generation", NULL },
  { { .title = "WORKERS", .right = true }, "workers", NULL },
  { { .title = "RUNNING", .right = true }, "running", NULL },
  { { .title = "WAITING", .right = true }, "queued", NULL },
  { { .title = "CALLS", .right = true }, "calls", NULL },
  { { .title = "CRASHES" }, NULL, plugin_crashes },
  { { .title = "SANDBOX" }, NULL, plugin_sandbox },
  { { .title = "FILE", .cut = true }, "file", NULL },
};
enum { COLUMNS = sizeof shown / sizeof *shown };

/* ---- all of them ---- */

static void
add_row (struct table *table, const struct said *view, const struct json_node *plugin)
{
  for (size_t i = 0; i < COLUMNS; i++) {
    CLEANUP_BUF struct buf text = { 0 };
    if (shown[i].build != NULL)
      shown[i].build (view, plugin, &text);
    else
      buf_puts (&text, said_text (view, plugin, shown[i].member, ""));
    table_add (table, text.data != NULL ? text.data : "", text.len);
  }
}

static void
add_trouble (struct buf *out, const struct said *view, const struct json_node *plugin,
             const char *text)
{
  if (text != NULL && text[0] != '\0')
    buf_printf (out, "%s: %s\n", said_text (view, plugin, "name", ""), text);
}

/* What is wrong with a plugin: why it does not run, which tools were left out. */
static void
add_troubles (struct buf *out, const struct said *view, const struct json_node *plugin)
{
  const struct json_node *problems = json_member (view->tape, plugin, "problems");

  add_trouble (out, view, plugin, said_text (view, plugin, "last_failure", ""));
  if (!json_is (problems, JSON_ARRAY))
    return;
  for (const struct json_node *p = json_first (problems); p != json_end (problems);
       p = json_next (p))
    add_trouble (out, view, plugin, json_cstring (view->tape, p, view->arena));
}

/* The policy that a plugin came with. */
static void
add_suggestion (struct buf *out, const struct said *view, const struct json_node *plugin)
{
  const char *name = said_text (view, plugin, "name", "");
  const char *policy = said_text (view, plugin, "suggested_policy", "");

  if (policy[0] != '\0')
    buf_printf (out, "%s: suggests the policy %s (plugins.d/%s.json decides)\n", name, policy,
                name);
}

/* The guarantees of the plugins that have had a worker: once, and again where a plugin's are met by
 * other means. */
static void
add_guarantees (struct buf *out, const struct said *view, const struct json_node *plugins)
{
  const struct json_node *before = NULL;

  for (const struct json_node *n = json_first (plugins); n != json_end (plugins);
       n = json_next (n)) {
    const struct json_node *guarantees = json_member (view->tape, n, "guarantees");
    if (!json_is (guarantees, JSON_OBJECT)
        || (before != NULL && json_same (view->tape, before, view->tape, guarantees)))
      continue;
    if (before == NULL)
      buf_puts (out, "\nguarantees\n");
    else
      buf_printf (out, "\nguarantees of %s\n", said_text (view, n, "name", ""));
    plugin_guarantees (view, n, out);
    before = guarantees;
  }
}

static void
show_all (const struct said *view, const struct json_node *plugins)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct table_column columns[COLUMNS];
  struct table table = { .columns = columns, .columns_count = COLUMNS };

  for (size_t i = 0; i < COLUMNS; i++)
    columns[i] = shown[i].column;
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins); n = json_next (n))
    add_row (&table, view, n);
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins); n = json_next (n))
    add_troubles (&text, view, n);
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins); n = json_next (n))
    add_suggestion (&text, view, n);
  add_guarantees (&text, view, plugins);
  out_text (text.data, text.len);
}

/* ---- one of them ---- */

static enum cli_exit
show_one (const struct options *options, const struct said *view, const struct json_node *plugins,
          const char *name)
{
  const struct json_node *n = json_first (plugins);
  CLEANUP_BUF struct buf text = { 0 };
  const char *raw;
  size_t len;

  while (n != json_end (plugins)
         && !json_equals (view->tape, json_member (view->tape, n, "name"), name))
    n = json_next (n);
  if (n == json_end (plugins))
    return out_error (CLI_NOT_FOUND, "there is no plugin \"%s\"; toolhost plugins lists them",
                      name);
  if (command_wants_json (options)) {
    raw = json_raw (view->tape, n, &len);
    out_text (raw, len);
    return CLI_OK;
  }
  plugin_detail (view, n, &text);
  out_text (text.data, text.len);
  return CLI_OK;
}

/* ---- the command ---- */

static enum cli_exit
show (const struct options *options, const struct reply *reply, const char *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said view = { .tape = &tape, .arena = &arena };
  const struct json_node *plugins = said_list (&tape, &arena, reply, "plugins");

  if (plugins == NULL)
    return CLI_UNREACHABLE;
  if (name != NULL)
    return show_one (options, &view, plugins, name);
  if (command_wants_json (options))
    out_text (reply->body.data, reply->body.len);
  else
    show_all (&view, plugins);
  return CLI_OK;
}

static enum cli_exit
release (const struct options *options, const char *name)
{
  CLEANUP_BUF struct buf path = { 0 };

  buf_puts (&path, "/v1/plugins/");
  url_escape (&path, name);
  buf_puts (&path, "/release");
  return command_post (options, buf_cstr (&path), "released", name);
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct reply reply = { 0 };
  enum cli_exit status;

  if (count == 2 && strcmp (words[0], "release") == 0)
    return release (options, words[1]);
  if (count == 2)
    return out_error (CLI_USAGE, "expected a plugin's name, or release and one, got \"%s\"",
                      words[0]);
  status = client_fetch (options, "GET", "/v1/plugins", &reply);
  if (status == CLI_OK)
    status = show (options, &reply, count == 1 ? words[0] : NULL);
  reply_free (&reply);
  return status;
}

const struct command command_plugins = {
  .name = "plugins",
  .usage = "[NAME | release NAME] [--json]",
  .summary = "show the plugins, their state, and what the sandbox guarantees",
  .details = "Under the table stands what is wrong with a plugin or a tool of it, and which\n"
             "mechanism of this machine meets which guarantee.  With a name: everything of that\n"
             "one, with the last ends of its workers and their reasons, and the policy in force.\n"
             "release ends a plugin's quarantine; it needs the local socket, as root or the\n"
             "daemon's user.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 2,
  .run = run,
};

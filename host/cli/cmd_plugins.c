#include <stdio.h>
#include <string.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/table.h"

/* Columns of the table, and the member of a plugin each one shows. */
static const char *const members[] = { "name", "state", "workers", "calls", "crashes", "file" };
static const struct table_column columns[] = {
  { .title = "NAME" },
  { .title = "STATE" },
  { .title = "WORKERS", .right = true },
  { .title = "CALLS", .right = true },
  { .title = "CRASHES", .right = true },
  { .title = "FILE", .cut = true },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A string's text, or any other value as it stands. */
static const char *
shown (const struct json_tape *tape, const struct json_node *node, struct arena *arena, size_t *len)
{
  *len = 0;
  if (node == NULL || node->type == JSON_NULL)
    return "";
  if (node->type == JSON_STRING)
    return json_string (tape, node, arena, len);
  return json_raw (tape, node, len);
}

static void
add_rows (struct table *table, const struct json_tape *tape, const struct json_node *plugins,
          struct arena *arena)
{
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins); n = json_next (n))
    for (size_t i = 0; i < COLUMNS; i++) {
      size_t len;
      const char *text = shown (tape, json_member (tape, n, members[i]), arena, &len);
      table_add (table, text, len);
    }
}

static void
add_trouble (struct buf *out, const struct json_tape *tape, const struct json_node *plugin,
             const struct json_node *trouble, struct arena *arena)
{
  size_t name_len, len;
  const char *name = shown (tape, json_member (tape, plugin, "name"), arena, &name_len);
  const char *text = shown (tape, trouble, arena, &len);

  if (len > 0)
    buf_printf (out, "%.*s: %.*s\n", (int) name_len, name, (int) len, text);
}

/* What is wrong with the plugins: why one does not run, which tools were left out. */
static void
add_troubles (struct buf *out, const struct json_tape *tape, const struct json_node *plugins,
              struct arena *arena)
{
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins);
       n = json_next (n)) {
    const struct json_node *problems = json_member (tape, n, "problems");
    add_trouble (out, tape, n, json_member (tape, n, "last_failure"), arena);
    if (!json_is (problems, JSON_ARRAY))
      continue;
    for (const struct json_node *p = json_first (problems); p != json_end (problems);
         p = json_next (p))
      add_trouble (out, tape, n, p, arena);
  }
}

/* The policies that plugins came with. */
static void
add_suggestions (struct buf *out, const struct json_tape *tape, const struct json_node *plugins,
                 struct arena *arena)
{
  for (const struct json_node *n = json_first (plugins); n != json_end (plugins);
       n = json_next (n)) {
    size_t name_len, len;
    const char *name = shown (tape, json_member (tape, n, "name"), arena, &name_len);
    const char *policy = shown (tape, json_member (tape, n, "suggested_policy"), arena, &len);
    if (len > 0)
      buf_printf (out, "%.*s: suggests the policy %.*s (plugins.d/%.*s.json decides)\n",
                  (int) name_len, name, (int) len, policy, (int) name_len, name);
  }
}

/* Which mechanism meets which guarantee: { "no-network": "network namespace", … }. */
static void
add_guarantees (struct buf *out, const struct json_tape *tape, const struct json_node *guarantees,
                struct arena *arena)
{
  for (const struct json_node *name = json_first (guarantees); name != json_end (guarantees);) {
    const struct json_node *value = json_next (name);
    size_t name_len, len;
    const char *label = shown (tape, name, arena, &name_len);
    const char *text = shown (tape, value, arena, &len);
    buf_printf (out, "  %-20.*s  %.*s\n", (int) name_len, label, (int) len, text);
    name = json_next (value);
  }
}

/* The guarantees of the plugins that have had a worker: once, and again where a plugin's are met by
 * other means. */
static void
add_all_guarantees (struct buf *out, const struct json_tape *tape, const struct json_node *plugins,
                    struct arena *arena)
{
  const struct json_node *before = NULL;

  for (const struct json_node *n = json_first (plugins); n != json_end (plugins);
       n = json_next (n)) {
    const struct json_node *guarantees = json_member (tape, n, "guarantees");
    if (!json_is (guarantees, JSON_OBJECT)
        || (before != NULL && json_same (tape, before, tape, guarantees)))
      continue;
    size_t len;
    const char *name = shown (tape, json_member (tape, n, "name"), arena, &len);
    if (before == NULL)
      buf_puts (out, "\nguarantees\n");
    else
      buf_printf (out, "\nguarantees of %.*s\n", (int) len, name);
    add_guarantees (out, tape, guarantees, arena);
    before = guarantees;
  }
}

static enum cli_exit
print_table (const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct table table = { .columns = columns, .columns_count = COLUMNS };
  struct json_tape tape;
  const struct json_node *plugins = NULL;

  if (json_read (&tape, reply->body.data, reply->body.len, &answer_limits, &arena))
    plugins = json_member (&tape, json_root (&tape), "plugins");
  if (!json_is (plugins, JSON_ARRAY))
    return out_error (CLI_UNREACHABLE, "the daemon's answer is not a list of plugins");
  add_rows (&table, &tape, plugins, &arena);
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  add_troubles (&text, &tape, plugins, &arena);
  add_suggestions (&text, &tape, plugins, &arena);
  add_all_guarantees (&text, &tape, plugins, &arena);
  out_text (text.data, text.len);
  return CLI_OK;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct reply reply = { 0 };

  (void) words;
  (void) count;
  enum cli_exit status = client_fetch (options, "GET", "/v1/plugins", &reply);
  if (status == CLI_OK && command_wants_json (options))
    out_text (reply.body.data, reply.body.len);
  else if (status == CLI_OK)
    status = print_table (&reply);
  reply_free (&reply);
  return status;
}

const struct command command_plugins = {
  .name = "plugins",
  .usage = "[--json]",
  .summary = "show the plugins, their state, and what the sandbox guarantees",
  .details = "Under the table stands what is wrong with a plugin or a tool of it, and which\n"
             "mechanism of this machine meets which guarantee.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .run = run,
};

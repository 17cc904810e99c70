#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"

static const struct table_column columns[] = {
  { .title = "SESSION" },
  { .title = "TENANT" },
  { .title = "PRINCIPAL" },
  { .title = "STATE" },
  { .title = "AGE", .right = true },
  { .title = "RUNNING", .right = true },
  { .title = "CALLS", .right = true },
  { .title = "ACTIVE" },
};

static void
add_row (struct table *table, const struct said *v, const struct json_node *session)
{
  table_addf (table, "%s", said_text (v, session, "name", "-"));
  table_addf (table, "%s", said_text (v, session, "tenant", "-"));
  table_addf (table, "%s", said_text (v, session, "principal", "-"));
  table_addf (table, "%s", said_text (v, session, "state", "-"));
  table_addf (table, "%" PRId64 " s", said_number (v, session, "age_ms") / 1000);
  table_addf (table, "%" PRId64, said_number (v, session, "running"));
  table_addf (table, "%" PRId64, said_number (v, session, "executed"));
  table_addf (table, "%s", said_text (v, session, "active", "-"));
}

static void
show_table (const struct said *v, const struct json_node *sessions)
{
  struct table table = { .columns = columns, .columns_count = sizeof columns / sizeof *columns };
  CLEANUP_BUF struct buf text = { 0 };

  for (const struct json_node *n = json_first (sessions); n != json_end (sessions);
       n = json_next (n))
    add_row (&table, v, n);
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  out_text (text.data, text.len);
}

static enum cli_exit
show (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said view = { .tape = &tape, .arena = &arena };
  const struct json_node *sessions = said_list (&tape, &arena, reply, "sessions");

  if (sessions == NULL)
    return CLI_UNREACHABLE;
  if (command_wants_json (options))
    out_text (reply->body.data, reply->body.len);
  else
    show_table (&view, sessions);
  return CLI_OK;
}

static enum cli_exit
end (const struct options *options, const char *session)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  buf_puts (&path, "/v1/sessions/");
  url_escape (&path, session);
  status = client_fetch (options, "DELETE", buf_cstr (&path), &reply);
  reply_free (&reply);
  return status;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct reply reply = { 0 };
  enum cli_exit status;

  if (count == 2 && strcmp (words[0], "end") == 0)
    return end (options, words[1]);
  if (count != 0)
    return out_error (CLI_USAGE, "sessions: expected nothing, or end and a session");
  status = client_fetch (options, "GET", "/v1/sessions", &reply);
  if (status == CLI_OK)
    status = show (options, &reply);
  reply_free (&reply);
  return status;
}

const struct command command_sessions = {
  .name = "sessions",
  .usage = "[end SESSION] [--json]",
  .summary = "show the conversations, or end one",
  .details =
    "Each caller sees its own; root and the daemon's user, over the local socket, and keys with\n"
    "the role manage see all, and end any by the name that is shown.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 2,
  .run = run,
};

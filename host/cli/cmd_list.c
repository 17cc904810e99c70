#include <stdio.h>
#include <string.h>

#include "base/json_tape.h"
#include "catalog/provider.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/list_cost.h"
#include "cli/out.h"
#include "cli/table.h"

static const struct table_column columns[] = {
  { .title = "NAME" },
  { .title = "PLUGIN" },
  { .title = "TOKENS", .right = true },
  { .title = "DESCRIPTION", .cut = true },
};

/* What a definition costs in a model's context: about four characters make a token. */
static size_t
tokens (size_t chars)
{
  return (chars + 3) / 4;
}

/* The list of tools, wherever the format has it. */
static const struct json_node *
tools_of (const struct json_tape *tape)
{
  const struct json_node *tools = json_member (tape, json_root (tape), "tools");

  if (!json_is (tools, JSON_ARRAY) || tools->count != 1)
    return tools;
  const struct json_node *inner = json_member (tape, json_first (tools), "functionDeclarations");
  return inner != NULL ? inner : tools;
}

/* What has the tool's name and description. */
static const struct json_node *
declaration_of (const struct json_tape *tape, const struct json_node *tool)
{
  const struct json_node *function = json_member (tape, tool, "function");

  return json_is (function, JSON_OBJECT) ? function : tool;
}

static void
print_names (const struct json_tape *tape, const struct json_node *tools)
{
  CLEANUP_ARENA struct arena arena = { 0 };

  for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n)) {
    const struct json_node *tool = declaration_of (tape, n);
    const char *name = json_cstring (tape, json_member (tape, tool, "name"), &arena);
    if (name != NULL)
      out_text (name, strlen (name));
  }
}

/* Which plugin offers the tool, by what the daemon says of its plugins; "" when it does not. */
static const char *
plugin_of (const struct json_tape *tape, const char *tool, size_t tool_len, struct arena *arena,
           size_t *len)
{
  const struct json_node *plugins =
    tape->count > 0 ? json_member (tape, json_root (tape), "plugins") : NULL;

  *len = 0;
  if (!json_is (plugins, JSON_ARRAY))
    return "";
  for (const struct json_node *p = json_first (plugins); p != json_end (plugins);
       p = json_next (p)) {
    const struct json_node *tools = json_member (tape, p, "tools");
    if (!json_is (tools, JSON_ARRAY))
      continue;
    for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n))
      if (json_equals_len (tape, n, tool, tool_len)) {
        const char *name = json_string (tape, json_member (tape, p, "name"), arena, len);
        return name != NULL ? name : "";
      }
  }
  return "";
}

static size_t
add_row (struct table *table, const struct json_tape *tape, const struct json_node *tool,
         const struct json_tape *plugins)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t raw_len, name_len = 0, plugin_len, description_len = 0;
  const struct json_node *named = declaration_of (tape, tool);
  const char *name = json_string (tape, json_member (tape, named, "name"), &arena, &name_len);
  const char *description =
    json_string (tape, json_member (tape, named, "description"), &arena, &description_len);

  if (name == NULL)
    name = "";
  const char *plugin = plugin_of (plugins, name, name_len, &arena, &plugin_len);
  (void) json_raw (tape, tool, &raw_len);
  table_add (table, name, name_len);
  table_add (table, plugin, plugin_len);
  table_addf (table, "%zu", tokens (raw_len));
  table_add (table, description != NULL ? description : "", description_len);
  return tokens (raw_len);
}

/* The tools that the format has no form for. */
static void
add_left_out (const struct json_tape *tape, struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *list = json_member (tape, json_root (tape), "left_out");

  if (!json_is (list, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *name = json_cstring (tape, json_member (tape, n, "name"), &arena);
    const char *message = json_cstring (tape, json_member (tape, n, "message"), &arena);
    buf_printf (text, "%s is left out: %s\n", name != NULL ? name : "a tool",
                message != NULL ? message : "");
  }
}

static void
print_table (const struct options *options, const struct json_tape *tape,
             const struct json_node *tools)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct table table = { .columns = columns, .columns_count = sizeof columns / sizeof *columns };
  struct reply reply = { 0 };
  struct json_tape plugins = { 0 };
  size_t total = 0;

  if (client_fetch (options, "GET", "/v1/plugins", &reply) != CLI_OK
      || !json_read (&plugins, reply.body.data, reply.body.len, &answer_limits, &arena))
    plugins.count = 0;
  for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n))
    total += add_row (&table, tape, n, &plugins);
  table_render (&table, out_width (stdout), &text);
  buf_printf (&text, "\n%u tool%s, about %zu tokens\n", tools->count, tools->count == 1 ? "" : "s",
              total);
  add_left_out (tape, &text);
  table_free (&table);
  reply_free (&reply);
  out_text (text.data, text.len);
}

static enum cli_exit
show (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!options->names && command_wants_json (options)) {
    out_text (reply->body.data, reply->body.len);
    return CLI_OK;
  }
  const struct json_node *tools = NULL;
  if (json_read (&tape, reply->body.data, reply->body.len, &answer_limits, &arena))
    tools = tools_of (&tape);
  if (!json_is (tools, JSON_ARRAY))
    return out_error (CLI_UNREACHABLE, "the daemon's answer is not a list of tools");
  if (options->names)
    print_names (&tape, tools);
  else
    print_table (options, &tape, tools);
  return CLI_OK;
}

static enum cli_exit
refuse_format (const struct providers *providers, const char *format)
{
  CLEANUP_BUF struct buf names = { 0 };
  const char *near = error_nearest (format, providers->formats);

  for (size_t i = 0; i < providers->formats_count; i++)
    buf_printf (&names, "%s%s", i != 0 ? ", " : "", providers->formats[i]);
  return out_error (CLI_USAGE, "--format: expected one of %s; got \"%s\"%s%s%s", buf_cstr (&names),
                    format, near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                    near != NULL ? "?" : "");
}

static enum cli_exit
check_format (const char *format, bool strict)
{
  struct providers *providers = providers_new ();
  const struct provider_format *shape;
  enum cli_exit status = CLI_OK;

  if (providers_find (providers, format, strlen (format), false, &shape) == NULL)
    status = refuse_format (providers, format);
  else if (strict && providers_find (providers, format, strlen (format), true, &shape) == NULL)
    status = out_error (CLI_USAGE, "--strict: %s has no strict form", format);
  providers_free (providers);
  return status;
}

static enum cli_exit
show_cost (const struct options *options, const struct reply *reply)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (command_wants_json (options))
    buf_append (&text, reply->body.data, reply->body.len);
  else if (!list_cost_table (reply->body.data, reply->body.len, out_width (stdout), &text))
    return out_error (CLI_UNREACHABLE, "the daemon's answer is not a list of costs");
  out_text (text.data, text.len);
  return CLI_OK;
}

static void
add_parameter (struct buf *path, const char *name, const char *value)
{
  if (value == NULL)
    return;
  buf_printf (path, "&%s=", name);
  url_escape (path, value);
}

static void
make_path (const struct options *options, const char *format, struct buf *path)
{
  buf_printf (path, "/v1/tools?format=%s%s", format, options->strict ? "&strict=true" : "");
  add_parameter (path, "cost", options->cost ? "1" : NULL);
  add_parameter (path, "budget", options->budget);
  add_parameter (path, "tools", options->tools);
  add_parameter (path, "tags", options->tags);
  add_parameter (path, "plugins", options->plugins);
  add_parameter (path, "tenant", options->tenant);
}

/* A budget of tokens that the daemon takes. */
static enum cli_exit
check_cost (const struct options *options, const char *format)
{
  const char *budget = options->budget;

  if (budget != NULL && !options->cost)
    return out_error (CLI_USAGE, "--budget needs --cost");
  if (budget != NULL
      && (budget[0] < '1' || budget[0] > '9' || budget[strspn (budget, "0123456789")] != '\0'
          || strlen (budget) > 15))
    return out_error (CLI_USAGE, "--budget: expected a number of tokens, got \"%s\"", budget);
  if (options->cost && strcmp (format, "mcp") != 0)
    return out_error (CLI_USAGE, "--cost is that of --format mcp; got \"%s\"", format);
  return CLI_OK;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  const char *format = options->format != NULL ? options->format : "mcp";
  enum cli_exit status = check_format (format, options->strict);

  (void) words;
  (void) count;
  if (status != CLI_OK)
    return status;
  status = check_cost (options, format);
  if (status != CLI_OK)
    return status;
  make_path (options, format, &path);
  status = client_fetch (options, "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK)
    status =
      options->cost && !options->names ? show_cost (options, &reply) : show (options, &reply);
  reply_free (&reply);
  return status;
}

const struct command command_list = {
  .name = "list",
  .usage = "[--format FORMAT [--strict] | --cost [--budget TOKENS]] [--tools NAMES]\n"
           "       [--tenant TENANT] [--json | --names]",
  .summary = "show the tools as an agent sees them, with their cost in tokens",
  .details =
    "TOKENS is an estimate of what the definition takes of a model's context: its\n"
    "characters in the format, divided by four.  What a provider does not take of a\n"
    "schema is written in another way or left out of it, as toolhost check tells; what\n"
    "arguments must be stays what the tool says.\n"
    "--cost shows the bytes of each definition as MCP's tools/list has it, exactly, and a\n"
    "token for each four of them, an estimate: a model's own count differs.\n"
    "--budget takes tools in the order of the list, each that still fits.\n"
    "--tenant shows what another tenant is served; it needs the role manage.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_FORMAT | OPTION_STRICT | OPTION_NAMES
             | OPTION_COST | OPTION_BUDGET | OPTION_MEANT | OPTION_TENANT,
  .run = run,
};

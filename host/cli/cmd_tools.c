#include <string.h>

#include "base/json_write.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/made.h"
#include "cli/out.h"
#include "cli/said.h"
#include "cli/table.h"
#include "cli/tools_apply.h"

static const struct table_column columns[] = {
  { .title = "TOOL" },   { .title = "REVISION", .right = true },
  { .title = "SERVED" }, { .title = "UPDATED" },
  { .title = "AUTHOR" }, { .title = "DESCRIPTION", .cut = true },
};

static const struct table_column history_columns[] = {
  { .title = "REVISION", .right = true },
  { .title = "WRITTEN" },
  { .title = "AUTHOR" },
  { .title = "DELETED" },
};

/* The members of each item as a table. */
static enum cli_exit
show_items (const struct options *options, const struct reply *reply,
            const struct table_column *titles, size_t count, const char *const *members)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct said said = { &tape, &arena };
  const struct json_node *items = said_list (&tape, &arena, reply, "items");
  struct table table = { .columns = titles, .columns_count = count };
  CLEANUP_BUF struct buf text = { 0 };

  if (items == NULL)
    return CLI_UNREACHABLE;
  if (command_wants_json (options)) {
    out_text (reply->body.data, reply->body.len);
    return CLI_OK;
  }
  for (const struct json_node *n = json_first (items); n != json_end (items); n = json_next (n))
    for (size_t i = 0; i < count; i++)
      table_addf (&table, "%s", said_text (&said, n, members[i], "-"));
  table_render (&table, out_width (stdout), &text);
  table_free (&table);
  out_text (text.data, text.len);
  return CLI_OK;
}

static enum cli_exit
list (const struct made *made, const struct options *options, char **words)
{
  static const char *const members[] = { "name",       "revision", "served",
                                         "updated_at", "author",   "description" };
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  (void) words;
  made_path (made, DEFINITION_TOOL, NULL, "?limit=1000", &path);
  status = made_fetch (made, "GET", path.data, NULL, &reply);
  if (status == CLI_OK)
    status = show_items (options, &reply, columns, sizeof columns / sizeof *columns, members);
  reply_free (&reply);
  return status;
}

static enum cli_exit
history (const struct made *made, const struct options *options, char **words)
{
  static const char *const members[] = { "revision", "written_at", "author", "deleted" };
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status;

  made_path (made, DEFINITION_TOOL, words[0], "/history?limit=100", &path);
  status = made_fetch (made, "GET", path.data, NULL, &reply);
  if (status == CLI_OK)
    status = show_items (options, &reply, history_columns,
                         sizeof history_columns / sizeof *history_columns, members);
  reply_free (&reply);
  return status;
}

/* Ask, and print what is answered. */
static enum cli_exit
print (const struct made *made, const char *method, const char *path, const struct buf *body)
{
  struct reply reply = { 0 };
  const enum cli_exit status = made_fetch (made, method, path, body, &reply);

  if (status == CLI_OK)
    out_text (reply.body.data, reply.body.len);
  reply_free (&reply);
  return status;
}

static enum cli_exit
get (const struct made *made, const struct options *options, char **words)
{
  CLEANUP_BUF struct buf path = { 0 };

  (void) options;
  made_path (made, DEFINITION_TOOL, words[0], "?raw=true", &path);
  return print (made, "GET", path.data, NULL);
}

static enum cli_exit
delete_tool (const struct made *made, const struct options *options, char **words)
{
  CLEANUP_BUF struct buf path = { 0 };

  (void) options;
  made_path (made, DEFINITION_TOOL, words[0], "", &path);
  return print (made, "DELETE", path.data, NULL);
}

/* A member whose value an option gives: JSON, "-" or "@FILE". */
static bool
put_given (struct json_writer *w, const char *name, const char *word, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (word == NULL)
    return true;
  if (!args_read (word, &text, err))
    return error_wrap (err, "--%s: ", name);
  jsonw_name_raw (w, name, text.data, text.len);
  return true;
}

static enum cli_exit
test (const struct made *made, const struct options *options, char **words)
{
  CLEANUP_BUF struct buf path = { 0 };
  CLEANUP_BUF struct buf body = { 0 };
  struct json_writer w = { .out = &body };
  struct error err = { 0 };

  jsonw_object (&w);
  if (!put_given (&w, "arguments", options->arguments, &err)
      || !put_given (&w, "context", options->context, &err)
      || !put_given (&w, "webhooks", options->webhooks, &err))
    return out_error (CLI_REFUSED, "%s", err.text);
  jsonw_end (&w);
  made_path (made, DEFINITION_TOOL, words[0], "/test", &path);
  return print (made, "POST", path.data, &body);
}

static enum cli_exit
apply (const struct made *made, const struct options *options, char **words)
{
  (void) words;
  if (options->file == NULL)
    return out_error (CLI_USAGE, "apply: -f is missing: a file of documents, or a folder of them");
  return tools_apply (made, options);
}

static const struct verb {
  const char *name;
  int words; /* that follow */
  enum cli_exit (*run) (const struct made *made, const struct options *options, char **words);
} verbs[] = {
  { "list", 0, list },          { "get", 1, get },   { "apply", 0, apply },
  { "delete", 1, delete_tool }, { "test", 1, test }, { "history", 1, history },
};

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  const char *name = count != 0 ? words[0] : "list";
  const char *known[sizeof verbs / sizeof *verbs + 1] = { NULL };
  const struct verb *verb = NULL;
  struct made made;
  enum cli_exit status;

  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    known[i] = verbs[i].name;
    if (strcmp (verbs[i].name, name) == 0)
      verb = &verbs[i];
  }
  if (verb == NULL) {
    const char *near = error_nearest (name, known);
    return out_error (CLI_USAGE, "tools can't %s%s%s", name, near != NULL ? "; did you mean " : "",
                      near != NULL ? near : "");
  }
  if (count > 0 ? count - 1 != verb->words : verb->words != 0)
    return out_error (CLI_USAGE, "tools %s: expected %s", name,
                      verb->words != 0 ? "the name of a tool" : "no further word");
  if (!made_open (&made, options))
    return CLI_USAGE;
  status = verb->run (&made, options, words + 1);
  made_close (&made);
  return status;
}

const struct command command_tools = {
  .name = "tools",
  .usage = "[list | get NAME | apply -f PATH | delete NAME | test NAME | history NAME]",
  .summary = "make, change and try declarative tools",
  .details =
    "Those that --tenant has made over the management API; toolhost list shows all it is served.\n"
    "apply compares the documents of a file, or of all *.json of a folder, with what there is,\n"
    "shows what is new (+), other (~, with what differs) or in no file (-, with --prune), and "
    "makes\n"
    "it so; what somebody else has changed meanwhile is not touched.  test runs a tool without\n"
    "effect outside.  Needs the role manage.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_TENANT | OPTION_APPLY | OPTION_TRY,
  .most = 2,
  .run = run,
};

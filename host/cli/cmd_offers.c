/* toolhost resources, read, prompts, prompt: what plugins offer beyond tools. */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/table.h"

/* ---- lists ---- */

static void
add_cell (struct table *table, const struct json_tape *tape, const struct json_node *item,
          const char *member, struct arena *arena)
{
  size_t len = 0;
  const char *text = json_string (tape, json_member (tape, item, member), arena, &len);

  table_add (table, text != NULL ? text : "", len);
}

/* A list of the answer as rows, or nothing when there is none; the columns' members end with NULL.
 */
static void
add_rows (struct table *table, const struct json_tape *tape, const char *list,
          const char *const *members)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *items = json_member (tape, json_root (tape), list);

  if (!json_is (items, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (items); n != json_end (items); n = json_next (n))
    for (const char *const *m = members; *m != NULL; m++)
      add_cell (table, tape, n, *m, &arena);
}

static enum cli_exit
fetch_list (const struct options *options, const char *path,
            void (*fill) (struct table *table, const struct json_tape *tape),
            const struct table_column *columns, size_t columns_count)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct table table = { .columns = columns, .columns_count = columns_count };
  struct reply reply = { 0 };
  struct json_tape tape;
  enum cli_exit status = client_fetch (options, "GET", path, &reply);

  if (status == CLI_OK && command_wants_json (options))
    out_text (reply.body.data, reply.body.len);
  else if (status == CLI_OK
           && json_read (&tape, reply.body.data, reply.body.len, &answer_limits, &arena)) {
    fill (&table, &tape);
    table_render (&table, out_width (stdout), &text);
    out_text (text.data, text.len);
  }
  else if (status == CLI_OK)
    status = out_error (CLI_UNREACHABLE, "the daemon's answer is not JSON");
  table_free (&table);
  reply_free (&reply);
  return status;
}

static void
fill_resources (struct table *table, const struct json_tape *tape)
{
  add_rows (table, tape, "resources",
            (const char *const[]){ "uri", "mimeType", "description", NULL });
  add_rows (table, tape, "templates",
            (const char *const[]){ "uriTemplate", "mimeType", "description", NULL });
}

static enum cli_exit
run_resources (const struct options *options, char **words, int count)
{
  static const struct table_column columns[] = { { .title = "URI" },
                                                 { .title = "TYPE" },
                                                 { .title = "DESCRIPTION", .cut = true } };

  (void) words;
  (void) count;
  return fetch_list (options, "/v1/resources", fill_resources, columns, 3);
}

static void
fill_prompts (struct table *table, const struct json_tape *tape)
{
  add_rows (table, tape, "prompts", (const char *const[]){ "name", "description", NULL });
}

static enum cli_exit
run_prompts (const struct options *options, char **words, int count)
{
  static const struct table_column columns[] = { { .title = "NAME" },
                                                 { .title = "DESCRIPTION", .cut = true } };

  (void) words;
  (void) count;
  return fetch_list (options, "/v1/prompts", fill_prompts, columns, 2);
}

/* ---- calls ---- */

static enum cli_exit
ask (const struct options *options, const struct request *request, struct reply *reply)
{
  struct error err = { 0 };
  struct client *client = client_open (options, &err);
  bool ok;

  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  ok = client_ask (client, request, reply, &err);
  client_close (client);
  return ok ? CLI_OK : out_error (CLI_UNREACHABLE, "%s", err.text);
}

/* Bytes that are all there is and go to no terminal are written as they are. */
static bool
print_bytes (const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *contents;
  struct json_tape tape;
  const char *text;
  char *bytes;
  size_t len;

  if (out_is_terminal (stdout)
      || !json_read (&tape, reply->body.data, reply->body.len, &answer_limits, &arena))
    return false;
  contents = json_member (&tape, json_root (&tape), "contents");
  if (!json_is (contents, JSON_ARRAY) || contents->count != 1)
    return false;
  text = json_string (&tape, json_member (&tape, json_first (contents), "blob"), &arena, &len);
  if (text == NULL)
    return false;
  bytes = arena_alloc (&arena, base64_room (len));
  if (!base64_decode (BASE64_PADDED, text, len, bytes, &len))
    return false;
  out_plain (bytes, len);
  return true;
}

static enum cli_exit
run_read (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct request request = { .method = "GET" };
  struct reply reply = { 0 };
  enum cli_exit status;

  (void) count;
  buf_puts (&path, "/v1/resources/read?uri=");
  url_escape (&path, words[0]);
  request.path = buf_cstr (&path);
  status = ask (options, &request, &reply);
  if (status == CLI_OK && (options->json || !print_bytes (&reply)))
    status = answer_print (reply.body.data, reply.body.len, reply.status, options->json);
  reply_free (&reply);
  return status;
}

static bool
write_body (const struct options *options, const char *word, struct buf *out, struct error *err)
{
  CLEANUP_BUF struct buf json = { 0 };
  CLEANUP_BUF struct buf args = { 0 };
  struct json_writer w = { .out = out };
  struct args_source source = { .pairs = options->args.texts, .pairs_count = options->args.count };

  if (word != NULL && !args_read (word, &json, err))
    return false;
  source.json = word != NULL ? buf_cstr (&json) : NULL;
  source.json_len = json.len;
  if (!args_build (&source, &args, err))
    return false;
  jsonw_object (&w);
  jsonw_name_raw (&w, "arguments", args.data, args.len);
  jsonw_end (&w);
  return true;
}

static enum cli_exit
run_prompt (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf path = { 0 };
  CLEANUP_BUF struct buf body = { 0 };
  struct request request = { .method = "POST" };
  struct reply reply = { 0 };
  struct error err = { 0 };
  enum cli_exit status;

  if (!write_body (options, count > 1 ? words[1] : NULL, &body, &err))
    return out_error (CLI_REFUSED, "%s", err.text);
  buf_puts (&path, "/v1/prompts/");
  url_escape (&path, words[0]);
  request.path = buf_cstr (&path);
  request.body = body.data;
  request.body_len = body.len;
  status = ask (options, &request, &reply);
  if (status == CLI_OK)
    status = answer_print (reply.body.data, reply.body.len, reply.status, options->json);
  reply_free (&reply);
  return status;
}

const struct command command_resources = {
  .name = "resources",
  .usage = "[--json]",
  .summary = "show the resources, and the templates of resources",
  .details = "",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .run = run_resources,
};

const struct command command_read = {
  .name = "read",
  .usage = "URI [--json]",
  .summary = "read a resource",
  .details =
    "Its text goes to standard output; bytes do so when that is no terminal.  With --json\n"
    "the whole result is printed as the daemon gives it.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .least = 1,
  .most = 1,
  .run = run_read,
};

const struct command command_prompts = {
  .name = "prompts",
  .usage = "[--json]",
  .summary = "show the prompts",
  .details = "",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .run = run_prompts,
};

const struct command command_prompt = {
  .name = "prompt",
  .usage = "NAME [JSON | - | @FILE] [--arg NAME=VALUE]...",
  .summary = "get a prompt's messages",
  .details = "The arguments are given as those of call; all of them are texts.  Each message is\n"
             "printed after whose it is.  With --json the whole result is printed as the daemon\n"
             "gives it.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_ARG,
  .least = 1,
  .most = 2,
  .run = run_prompt,
};

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/approvals.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/questions.h"

/* ---- toolhost asks ---- */

static void
show_ask (const struct json_tape *tape, const struct json_node *ask, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *requests = json_member (tape, ask, "requests");
  const char *id = json_cstring (tape, json_member (tape, ask, "id"), &arena);
  const char *tool = json_cstring (tape, json_member (tape, ask, "tool"), &arena);
  const char *state = json_cstring (tape, json_member (tape, ask, "state"), &arena);
  int64_t left = 0;

  (void) json_int64 (tape, json_member (tape, ask, "expires_in_ms"), &left);
  buf_printf (out, "%s  %s  %s, %lld s left\n", id != NULL ? id : "?", tool != NULL ? tool : "?",
              state != NULL ? state : "?", (long long) (left / 1000));
  if (json_is (requests, JSON_OBJECT))
    questions_show (tape, requests, out);
}

static enum cli_exit
run_asks (const struct options *options, char **words, int count)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  const struct json_node *asks = NULL;
  struct reply reply = { 0 };
  struct json_tape tape;
  enum cli_exit status = client_fetch (options, "GET", "/v1/asks", &reply);

  (void) words;
  (void) count;
  if (status == CLI_OK
      && json_read (&tape, reply.body.data, reply.body.len, &answer_limits, &arena))
    asks = json_member (&tape, json_root (&tape), "asks");
  if (status == CLI_OK && !json_is (asks, JSON_ARRAY))
    status = out_error (CLI_UNREACHABLE, "the daemon's answer is not a list of questions");
  else if (status == CLI_OK && command_wants_json (options))
    out_text (reply.body.data, reply.body.len);
  else if (status == CLI_OK) {
    for (const struct json_node *n = json_first (asks); n != json_end (asks); n = json_next (n))
      show_ask (&tape, n, &text);
    out_text (text.data != NULL ? text.data : "nobody asks", text.data != NULL ? text.len : 11);
  }
  reply_free (&reply);
  return status;
}

const struct command command_asks = {
  .name = "asks",
  .usage = "[--json]",
  .summary = "show the calls that wait for answers",
  .details = "Each caller sees its own calls; root and the daemon's user, over the local socket,\n"
             "see all that were made over plain HTTP or in a conversation.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .run = run_asks,
};

/* ---- toolhost approve ---- */

static void
make_path (const char *id, struct buf *path)
{
  buf_puts (path, "/v1/asks/");
  url_escape (path, id);
}

/* The answers as the command line or a person gives them. */
static bool
gather (const struct options *options, const struct json_tape *tape,
        const struct json_node *requests, const char *word, struct buf *json, struct error *err)
{
  if (word != NULL)
    return args_read (word, json, err);
  if (options->args.count != 0)
    return questions_from_pairs (tape, requests, options->args.texts, options->args.count, json,
                                 err);
  if (!isatty (STDIN_FILENO))
    return error_set (err, "expected the answers as JSON, --arg or --decline");
  return questions_answer (tape, requests, stdin, stderr, json, err);
}

static enum cli_exit
fetch_answers (const struct options *options, const char *id, const char *word, struct buf *json)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf path = { 0 };
  const struct json_node *requests = NULL;
  struct reply reply = { 0 };
  struct error err = { 0 };
  struct json_tape tape;
  enum cli_exit status;

  make_path (id, &path);
  status = client_fetch (options, "GET", buf_cstr (&path), &reply);
  if (status == CLI_OK
      && json_read (&tape, reply.body.data, reply.body.len, &answer_limits, &arena))
    requests = json_member (&tape, json_root (&tape), "requests");
  if (status == CLI_OK && !json_is (requests, JSON_OBJECT))
    status = out_error (CLI_FAILED, "%s asks nothing any more", id);
  else if (status == CLI_OK && !gather (options, &tape, requests, word, json, &err))
    status = out_error (CLI_USAGE, "%s", err.text);
  reply_free (&reply);
  return status;
}

/* Its result is its conversation's. */
static enum cli_exit
print_outcome (const struct options *options, const struct reply *reply)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!options->json && reply->status == 200
      && json_read (&tape, reply->body.data, reply->body.len, &answer_limits, &arena)
      && json_member (&tape, json_root (&tape), "session") != NULL
      && json_equals (&tape, json_member (&tape, json_root (&tape), "state"), "running")) {
    out_text ("the conversation goes on", strlen ("the conversation goes on"));
    return CLI_OK;
  }
  return answer_print (reply->body.data, reply->body.len, reply->status, options->json);
}

static enum cli_exit
send_answers (const struct options *options, const char *id, const struct buf *body)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct reply reply = { 0 };
  struct error err = { 0 };
  struct client *client = client_open (options, &err);
  enum cli_exit status;

  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  make_path (id, &path);
  struct request request = {
    .method = "POST", .path = buf_cstr (&path), .body = body->data, .body_len = body->len
  };
  if (client_ask (client, &request, &reply, &err))
    status = print_outcome (options, &reply);
  else
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  reply_free (&reply);
  client_close (client);
  return status;
}

static enum cli_exit
run_approve (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf answers = { 0 };
  CLEANUP_BUF struct buf body = { 0 };
  enum cli_exit status = CLI_OK;

  if (approval_is_id (words[0]))
    return count == 1 && options->args.count == 0
             ? approval_approve (options, words[0])
             : out_error (CLI_USAGE, "an approval takes no answers: the call runs as it was made");
  if (options->remember != NULL)
    return out_error (CLI_USAGE, "--remember is for approvals (apr_...), not for answers");
  if (options->decline)
    buf_puts (&body, "{\"decline\":true}");
  else {
    status = fetch_answers (options, words[0], count > 1 ? words[1] : NULL, &answers);
    buf_printf (&body, "{\"responses\":%s}", buf_cstr (&answers));
  }
  return status == CLI_OK ? send_answers (options, words[0], &body) : status;
}

const struct command command_approve = {
  .name = "approve",
  .usage =
    "APPROVAL_ID [--remember tool|arguments] [--json] |\n"
    "       toolhost approve ASK_ID [JSON | - | @FILE] [--arg NAME=VALUE]... [--decline] [--json]",
  .summary = "approve a call that waits for that, or answer what one asks",
  .details =
    "With the id of an approval (apr_...): the call runs, as it was made.\n"
    "With that of a call that asks: its result is printed.\n"
    "The answers are a JSON object, {KEY: {\"action\": \"accept\", \"content\": {...}}, ...}, or\n"
    "of a single form --arg for each field.  On a terminal they are asked for line by line;\n"
    "an empty line takes a field's default.  --decline says no to everything.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_ARG | OPTION_DECLINE,
  .least = 1,
  .most = 2,
  .run = run_approve,
};

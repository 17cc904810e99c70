#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/direct.h"
#include "cli/out.h"
#include "cli/ticker.h"

/* One call over the daemon. */
struct calling {
  const struct options *options;
  struct client *client;
  const char *name;
  char id[32]; /* ours: what cancelling names it by */
  struct ticker ticker;
  struct buf result; /* the envelope */
  sigset_t signals;  /* that cancel */
  int signal_fd;     /* where they arrive */
};

static void
make_id (char *id, size_t size)
{
  uint64_t number = 0;

  if (getrandom (&number, sizeof number, 0) != (ssize_t) sizeof number)
    number = (uint64_t) getpid ();
  (void) snprintf (id, size, "cli-%016llx", (unsigned long long) number);
}

/* ---- while it runs ---- */

static void
on_progress (struct calling *c, const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *root = json_root (tape);
  double done = 0, total = 0;
  size_t len = 0;
  const char *text = json_string (tape, json_member (tape, root, "message"), arena, &len);

  (void) (json_is (json_member (tape, root, "done"), JSON_NUMBER)
          && json_double (tape, json_member (tape, root, "done"), &done));
  (void) (json_is (json_member (tape, root, "total"), JSON_NUMBER)
          && json_double (tape, json_member (tape, root, "total"), &total));
  ticker_progress (&c->ticker, done, total, text, len);
}

static void
on_log (struct calling *c, const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *root = json_root (tape);
  size_t len = 0;
  const char *level = json_cstring (tape, json_member (tape, root, "level"), arena);
  const char *text = json_string (tape, json_member (tape, root, "message"), arena, &len);

  if (text != NULL)
    ticker_log (&c->ticker, level != NULL ? level : "log", text, len);
}

static void
on_event (void *ctx, const char *name, const char *data, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct calling *c = ctx;
  struct json_tape tape;

  if (strcmp (name, "result") == 0) {
    buf_reset (&c->result, 0);
    buf_append (&c->result, data, len);
    return;
  }
  if (!json_read (&tape, data, len, &answer_limits, &arena))
    return;
  if (strcmp (name, "progress") == 0)
    on_progress (c, &tape, &arena);
  else if (strcmp (name, "log") == 0)
    on_log (c, &tape, &arena);
}

/* Ctrl-C: cancel, and go on reading until the result says so.  The next one ends toolhost itself.
 * Whatever the daemon says to it, the result tells more. */
static void
on_interrupt (void *ctx)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct calling *c = ctx;
  struct signalfd_siginfo info;
  struct reply reply = { 0 };
  struct client *second = client_open (c->options, NULL);

  if (read (c->signal_fd, &info, sizeof info) != (ssize_t) sizeof info || second == NULL) {
    client_close (second);
    return;
  }
  (void) sigprocmask (SIG_UNBLOCK, &c->signals, NULL);
  buf_puts (&path, "/v1/calls/");
  url_escape (&path, c->id);
  struct request request = { .method = "DELETE", .path = buf_cstr (&path) };
  (void) client_ask (second, &request, &reply, NULL);
  reply_free (&reply);
  client_close (second);
}

/* ---- what is asked ---- */

/* The tool's definition as the daemon lists it, for the types of its arguments; nothing if it can't
 * be had: the call will say why. */
static void
fetch_definition (struct calling *c, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct request request = { .method = "GET", .path = "/v1/tools?format=mcp" };
  struct reply reply = { 0 };
  struct json_tape tape;

  if (client_ask (c->client, &request, &reply, NULL) && reply.status == 200
      && json_read (&tape, reply.body.data, reply.body.len, &answer_limits, &arena)) {
    const struct json_node *tools = json_member (&tape, json_root (&tape), "tools");
    if (json_is (tools, JSON_ARRAY))
      for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n))
        if (json_equals (&tape, json_member (&tape, n, "name"), c->name)) {
          size_t len;
          const char *raw = json_raw (&tape, n, &len);
          buf_append (out, raw, len);
        }
  }
  reply_free (&reply);
}

/* The arguments as a JSON value: the object, or the text that is to become one. */
static bool
write_arguments (const struct args_source *source, struct buf *out, struct error *err)
{
  struct json_writer w = { .out = out };

  if (!args_is_text (source))
    return args_build (source, out, err);
  jsonw_string_len (&w, source->json, source->json_len);
  return true;
}

static bool
write_body (struct calling *c, const char *json, size_t json_len, struct buf *out,
            struct error *err)
{
  CLEANUP_BUF struct buf args = { 0 };
  CLEANUP_BUF struct buf definition = { 0 };
  struct json_writer w = { .out = out };

  if (c->options->args.count > 0)
    fetch_definition (c, &definition);
  struct args_source source = { .json = json,
                                .json_len = json_len,
                                .pairs = c->options->args.texts,
                                .pairs_count = c->options->args.count,
                                .definition = definition.data,
                                .definition_len = definition.len };
  if (!write_arguments (&source, &args, err))
    return false;
  jsonw_object (&w);
  jsonw_name_raw (&w, "arguments", args.data, args.len);
  jsonw_name_string (&w, "call_id", c->id);
  if (c->options->deadline_ms > 0)
    jsonw_name_int (&w, "deadline_ms", c->options->deadline_ms);
  jsonw_end (&w);
  return true;
}

static enum cli_exit
conclude (struct calling *c, const struct reply *reply)
{
  ticker_clear (&c->ticker);
  if (c->result.len > 0)
    return answer_print (c->result.data, c->result.len, 200, c->options->json);
  if (reply->body.len > 0)
    return answer_print (reply->body.data, reply->body.len, reply->status, c->options->json);
  return out_error (CLI_CRASHED, "the daemon closed the connection before the result came");
}

static enum cli_exit
converse (struct calling *c, const struct buf *body)
{
  CLEANUP_BUF struct buf path = { 0 };
  struct error err = { 0 };
  struct reply reply = { 0 };
  struct stream_events events = {
    .event = on_event, .interrupt = on_interrupt, .interrupt_fd = c->signal_fd, .ctx = c
  };

  buf_puts (&path, "/v1/tools/");
  url_escape (&path, c->name);
  buf_puts (&path, "/call");
  struct request request = {
    .method = "POST", .path = buf_cstr (&path), .body = body->data, .body_len = body->len
  };
  bool ok = client_stream (c->client, &request, &events, &reply, &err);
  enum cli_exit status;
  if (ok || c->result.len > 0)
    status = conclude (c, &reply);
  else {
    ticker_clear (&c->ticker);
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  }
  reply_free (&reply);
  return status;
}

static enum cli_exit
call_daemon (const struct options *options, const char *name, const char *json, size_t json_len)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct error err = { 0 };
  struct calling c = { .options = options, .name = name };

  c.client = client_open (options, &err);
  if (c.client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  make_id (c.id, sizeof c.id);
  ticker_init (&c.ticker);
  (void) sigemptyset (&c.signals);
  (void) sigaddset (&c.signals, SIGINT);
  (void) sigaddset (&c.signals, SIGTERM);
  enum cli_exit status;
  if (!write_body (&c, json, json_len, &body, &err))
    status = out_error (CLI_REFUSED, "%s", err.text);
  else {
    (void) sigprocmask (SIG_BLOCK, &c.signals, NULL);
    c.signal_fd = signalfd (-1, &c.signals, SFD_CLOEXEC | SFD_NONBLOCK);
    status = converse (&c, &body);
    (void) close (c.signal_fd);
  }
  client_close (c.client);
  buf_free (&c.result);
  return status;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct error err = { 0 };

  if (options->plugin != NULL && (options->socket != NULL || options->url != NULL))
    return out_error (CLI_USAGE, "--plugin needs no daemon: leave --socket and --url out");
  if (count > 1 && !args_read (words[1], &json, &err))
    return out_error (CLI_USAGE, "%s", err.text);
  const char *text = count > 1 ? buf_cstr (&json) : NULL;
  if (text != NULL && strspn (text, " \t\r\n") == json.len)
    text = NULL; /* an empty text stands for no arguments */
  if (options->plugin != NULL)
    return direct_call (options, words[0], text, json.len);
  return call_daemon (options, words[0], text, json.len);
}

const struct command command_call = {
  .name = "call",
  .usage = "[--plugin FILE] NAME [JSON | - | @FILE] [--arg NAME=VALUE]...",
  .summary = "call a tool",
  .details =
    "The arguments are a JSON object: as a word, from standard input (-) or from a file\n"
    "(@FILE), or put together from --arg.  The result's text goes to standard output,\n"
    "progress, log lines and what was mended of the arguments to standard error.  With\n"
    "--json the whole result is printed as the daemon gives it.  Ctrl-C cancels the call.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_PLUGIN | OPTION_ARG | OPTION_DEADLINE,
  .least = 1,
  .most = 2,
  .run = run,
};

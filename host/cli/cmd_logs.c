#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/log_line.h"
#include "cli/out.h"
#include "cli/said.h"

struct showing {
  bool json, colourful;
};

static void
show_line (const struct showing *showing, const char *json, size_t len)
{
  CLEANUP_BUF struct buf line = { 0 };

  if (!showing->json)
    log_line_show (&line, json, len, showing->colourful);
  else {
    buf_append (&line, json, len);
    buf_putc (&line, '\n');
  }
  if (showing->json)
    out_text (line.data, line.len);
  else
    out_plain (line.data, line.len);
}

/* Lines that were written faster than they could be sent. */
static void
show_missed (const struct showing *showing, const char *data, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  int64_t lines = 0;

  if (json_read (&tape, data, len, &answer_limits, &arena))
    (void) json_int64 (&tape, json_member (&tape, json_root (&tape), "lines"), &lines);
  if (showing->json)
    (void) printf ("{\"event\":\"missed\",\"lines\":%lld}\n", (long long) lines);
  else
    (void) printf ("-- %lld line%s missed: they came faster than they were read\n",
                   (long long) lines, lines == 1 ? "" : "s");
}

static void
on_event (void *ctx, const char *name, const char *data, size_t len)
{
  if (strcmp (name, "missed") == 0)
    show_missed (ctx, data, len);
  else
    show_line (ctx, data, len);
  (void) fflush (stdout);
}

/* ---- what is asked for ---- */

static bool
is_number (const char *text)
{
  const size_t len = strlen (text);

  return len != 0 && len <= 6 && strspn (text, "0123456789") == len;
}

static void
add (struct buf *path, const char *name, const char *value)
{
  if (value == NULL)
    return;
  buf_printf (path, "&%s=", name);
  url_escape (path, value);
}

static enum cli_exit
make_path (const struct options *options, struct buf *path)
{
  static const char *const levels[] = { "debug", "info", "notice", "warning", "error", NULL };
  const char *level = options->level;

  if (options->last != NULL && !is_number (options->last))
    return out_error (CLI_USAGE,
                      "--last: expected a number of lines, at most six digits, got \"%s\"",
                      options->last);
  for (size_t i = 0; level != NULL && (levels[i] == NULL || strcmp (level, levels[i]) != 0); i++)
    if (levels[i] == NULL)
      return out_error (
        CLI_USAGE, "--level: expected debug, info, notice, warning or error, got \"%s\"", level);
  buf_printf (path, "/v1/logs?follow=%s", options->follow ? "true" : "false");
  add (path, "last", options->last);
  add (path, "level", level);
  add (path, "event", options->event);
  add (path, "tool", options->tool);
  add (path, "tenant", options->tenant);
  return CLI_OK;
}

/* ---- the two ways ---- */

static enum cli_exit
show_last (const struct options *options, const char *path, const struct showing *showing)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *lines = NULL;
  struct reply reply = { 0 };
  struct json_tape tape;
  enum cli_exit status = client_fetch (options, "GET", path, &reply);

  if (status == CLI_OK && (lines = said_list (&tape, &arena, &reply, "lines")) == NULL)
    status = CLI_UNREACHABLE;
  for (const struct json_node *n = lines != NULL ? json_first (lines) : NULL;
       n != NULL && n != json_end (lines); n = json_next (n)) {
    size_t len;
    const char *line = json_raw (&tape, n, &len);
    show_line (showing, line, len);
  }
  reply_free (&reply);
  return status;
}

static enum cli_exit
follow (const struct options *options, const char *path, struct showing *showing)
{
  const struct stream_events events = { .event = on_event, .interrupt_fd = -1, .ctx = showing };
  const struct request request = { .method = "GET", .path = path };
  struct reply reply = { 0 };
  struct error err = { 0 };
  struct client *client = client_open (options, &err);
  enum cli_exit status;

  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  if (!client_stream (client, &request, &events, &reply, &err))
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  else if (reply.status / 100 != 2)
    status = client_refused (&reply);
  else
    status = out_error (CLI_UNREACHABLE, "toolhostd has ended");
  reply_free (&reply);
  client_close (client);
  return status;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct showing showing = { .json = command_wants_json (options),
                             .colourful = out_is_colourful (stdout) };
  CLEANUP_BUF struct buf path = { 0 };
  enum cli_exit status = make_path (options, &path);

  (void) words;
  (void) count;
  if (status != CLI_OK)
    return status;
  (void) signal (SIGPIPE, SIG_DFL); /* whoever reads us has had enough: there is nothing to say */
  return options->follow ? follow (options, buf_cstr (&path), &showing)
                         : show_last (options, buf_cstr (&path), &showing);
}

const struct command command_logs = {
  .name = "logs",
  .usage = "[--follow] [--last LINES] [--level LEVEL] [--event EVENT] [--tool NAME]\n"
           "       [--tenant TENANT] [--json]",
  .summary = "show the daemon's log, and follow it",
  .details =
    "The daemon keeps the last lines in memory (256 KiB of them): --last begins with those,\n"
    "--follow goes on with what is logged from then on.  On a terminal a line is shown for\n"
    "people, elsewhere as the JSON that it is.  Who reads more slowly than is logged misses\n"
    "lines, and is told how many.  Levels below the daemon's log.level are not there.\n"
    "It needs the role manage: the local socket, as root or the daemon's user, or a key.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_LOGS,
  .run = run,
};

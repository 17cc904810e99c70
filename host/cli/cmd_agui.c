#include <string.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"

/* A stream of AG-UI's events while it is answered. */
struct streaming {
  bool told;  /* there was an event */
  bool error; /* one was RUN_ERROR */
};

static void
on_event (void *ctx, const char *name, const char *data, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct streaming *s = ctx;
  struct json_tape tape;

  (void) name;
  s->told = true;
  if (json_read (&tape, data, len, &answer_limits, &arena)
      && json_equals (&tape, json_member (&tape, json_root (&tape), "type"), "RUN_ERROR"))
    s->error = true;
  out_text (data, len);
  (void) fflush (stdout);
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf in = { 0 };
  struct streaming s = { .told = false };
  struct stream_events events = { .event = on_event, .interrupt_fd = -1, .ctx = &s };
  struct error err = { 0 };
  struct reply reply = { 0 };
  enum cli_exit status = CLI_OK;

  if (!args_read (count > 0 ? words[0] : "-", &in, &err))
    return out_error (CLI_USAGE, "%s", err.text);
  struct client *client = client_open (options, &err);
  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  struct request request = {
    .method = "POST", .path = "/v1/agui", .body = buf_cstr (&in), .body_len = in.len
  };
  if (!client_stream (client, &request, &events, &reply, &err))
    status = out_error (CLI_UNREACHABLE, "%s", err.text);
  else if (!s.told)
    status = client_refused (&reply);
  else if (s.error)
    status = CLI_FAILED;
  reply_free (&reply);
  client_close (client);
  return status;
}

const struct command command_agui = {
  .name = "agui",
  .usage = "[- | @FILE]",
  .summary = "run the tool calls of a stream of AG-UI's events",
  .details =
    "The events come from standard input or a file, one a line or as server-sent events; they\n"
    "go to standard output, one a line, with the results of the calls among them.  A\n"
    "RunAgentInput in their place is a run of its own: the calls of its messages that have no\n"
    "answer.  The exit status is 1 when the run ended with RUN_ERROR.\n",
  .options = OPTIONS_DAEMON,
  .most = 1,
  .run = run,
};

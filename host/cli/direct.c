#include "cli/direct.h"

#include <signal.h>
#include <string.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/args.h"
#include "cli/out.h"
#include "cli/ticker.h"
#include "daemon/oneshot.h"
#include "watch/log.h"

struct direct {
  struct ticker ticker;
  struct buf result;
};

static void
encode_error (struct json_writer *w, const struct result *result)
{
  jsonw_name (w, "error");
  jsonw_object (w);
  jsonw_name_string (w, "code", result->code);
  jsonw_name (w, "message");
  jsonw_string_len (w, result->message, result->message_len);
  if (result->problems != NULL)
    jsonw_name_raw (w, "problems", result->problems, result->problems_len);
  if (result->retry_after_ms > 0)
    jsonw_name_int (w, "retry_after_ms", result->retry_after_ms);
  jsonw_end (w);
}

static void
encode_usage (struct json_writer *w, const struct usage *usage)
{
  const struct {
    const char *name;
    uint64_t value;
  } members[] = {
    { "wall_us", usage->wall_us },   { "queue_us", usage->queue_us },
    { "run_us", usage->run_us },     { "cpu_us", usage->cpu_us },
    { "bytes_in", usage->bytes_in }, { "bytes_out", usage->bytes_out },
  };

  jsonw_name (w, "usage");
  jsonw_object (w);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    jsonw_name (w, members[i].name);
    jsonw_uint (w, members[i].value);
  }
  jsonw_end (w);
}

void
result_encode (const struct result *result, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "ok", result->error == CALL_OK);
  if (result->error != CALL_OK)
    encode_error (&w, result);
  jsonw_name_raw (&w, "content", result->content, result->content_len);
  if (result->structured != NULL)
    jsonw_name_raw (&w, "structured", result->structured, result->structured_len);
  encode_usage (&w, &result->usage);
  jsonw_end (&w);
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct direct *d = ctx;

  ticker_progress (&d->ticker, done, total, text, len);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  static const char *const names[] = { "debug", "info", "notice", "warning", "error" };
  struct direct *d = ctx;
  int at = level / 1000 - 1; /* TOOLHOST_DEBUG is 1000, each further level 1000 more */

  ticker_log (&d->ticker, at >= 0 && at < 5 ? names[at] : "log", text, len);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct direct *d = ctx;

  ticker_clear (&d->ticker);
  result_encode (result, &d->result);
}

/* A signal handler gets no argument: what Ctrl-C cancels has to be found here. */
static struct oneshot *interruptible;

static void
on_signal (int number)
{
  (void) number;
  oneshot_interrupt (interruptible);
}

/* The first signal cancels, the next one ends toolhost itself. */
static void
cancel_on_signals (struct oneshot *host)
{
  struct sigaction action = { .sa_handler = on_signal,
                              .sa_flags = SA_RESTART | (int) SA_RESETHAND };

  interruptible = host;
  (void) sigaction (SIGINT, &action, NULL);
  (void) sigaction (SIGTERM, &action, NULL);
}

static void
end_on_signals (void)
{
  (void) signal (SIGINT, SIG_DFL);
  (void) signal (SIGTERM, SIG_DFL);
}

static enum cli_exit
call_in (struct oneshot *host, const struct options *options, const char *name, const char *json,
         size_t json_len)
{
  static const struct call_events events = { .progress = on_progress,
                                             .log = on_log,
                                             .done = on_done };
  CLEANUP_BUF struct buf args = { 0 };
  struct error err = { 0 };
  struct direct direct = { 0 };
  const struct tool *tool = toolset_find (oneshot_toolset (host), name, strlen (name));
  struct args_source source = { .json = json,
                                .json_len = json_len,
                                .pairs = options->args,
                                .pairs_count = options->args_count,
                                .definition = tool != NULL ? tool->mcp.data : NULL,
                                .definition_len = tool != NULL ? tool->mcp.len : 0 };

  if (!args_build (&source, &args, &err))
    return out_error (CLI_REFUSED, "%s", err.text);
  ticker_init (&direct.ticker);
  struct call_request request = { .name = name,
                                  .name_len = strlen (name),
                                  .args = args.data,
                                  .args_len = args.len,
                                  .front = "cli",
                                  .deadline_ms = options->deadline_ms,
                                  .wants_progress = true };
  oneshot_call (host, &request, &events, &direct);
  enum cli_exit status =
    answer_print (buf_cstr (&direct.result), direct.result.len, 200, options->json);
  buf_free (&direct.result);
  return status;
}

enum cli_exit
direct_call (const struct options *options, const char *name, const char *json, size_t json_len)
{
  struct error err = { 0 };
  struct oneshot *host = oneshot_open (options->plugin, &err);

  if (host == NULL)
    return out_error (CLI_BAD_PLUGIN, "%s: %s", options->plugin, err.text);
  cancel_on_signals (host);
  enum cli_exit status = call_in (host, options, name, json, json_len);
  end_on_signals ();
  oneshot_close (host);
  return status;
}

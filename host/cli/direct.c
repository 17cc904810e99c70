#include "cli/direct.h"

#include <signal.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/args.h"
#include "cli/out.h"
#include "cli/ticker.h"
#include "daemon/oneshot.h"
#include "front/encode.h"
#include "watch/log.h"

struct direct {
  struct ticker ticker;
  struct buf result;
};

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
  encode_result (&d->result, NULL, result);
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
                                .pairs = options->args.texts,
                                .pairs_count = options->args.count,
                                .definition = tool != NULL ? tool->mcp.data : NULL,
                                .definition_len = tool != NULL ? tool->mcp.len : 0 };

  if (args_is_text (&source))
    buf_append (&args, json, json_len);
  else if (!args_build (&source, &args, &err))
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

#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "cli/out.h"
#include "cli/top_screen.h"

enum { INTERVAL_MS = 2000 };

/* ---- once ---- */

static void
put_line (void *ctx, enum top_line kind, const char *text, size_t len)
{
  (void) kind;
  buf_append (ctx, text, len);
  buf_putc (ctx, '\n');
}

static enum cli_exit
two_looks (struct client *client, int64_t ms, struct top_look *before, struct top_look *now)
{
  const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
  struct error err = { 0 };
  enum cli_exit status = top_fetch (client, before, &err);

  if (status == CLI_OK) {
    (void) nanosleep (&pause, NULL);
    status = top_fetch (client, now, &err);
  }
  return status == CLI_OK ? CLI_OK : out_error (status, "%s", err.text);
}

static enum cli_exit
show_once (const struct options *options, struct client *client, int64_t ms, enum top_sort sort)
{
  struct top_look before = { .body = { 0 } }, now = { .body = { 0 } };
  CLEANUP_BUF struct buf text = { 0 };
  enum cli_exit status = two_looks (client, ms, &before, &now);
  struct top_view view;

  if (status == CLI_OK) {
    top_view_make (&view, &before, &now, sort);
    if (options->json || !options->once)
      top_view_json (&view, &text);
    else
      top_view_lines (&view, out_width (stdout), 0, put_line, &text);
    top_view_free (&view);
    out_text (text.data, text.len);
  }
  top_look_free (&before);
  top_look_free (&now);
  return status;
}

/* ---- the command ---- */

static bool
read_sort (const char *name, enum top_sort *sort)
{
  for (unsigned i = 0; i < TOP_SORTS; i++)
    if (strcmp (name, top_sort_names[i]) == 0) {
      *sort = (enum top_sort) i;
      return true;
    }
  return false;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  const int64_t ms = options->interval_ms != 0 ? options->interval_ms : INTERVAL_MS;
  enum top_sort sort = TOP_BY_RATE;
  struct error err = { 0 };
  struct client *client;
  enum cli_exit status;

  (void) words;
  (void) count;
  if (options->sort != NULL && !read_sort (options->sort, &sort))
    return out_error (CLI_USAGE,
                      "--sort: expected rate, p99, running, failed, refused or name, got \"%s\"",
                      options->sort);
  if (ms < 100 || ms > 3600000)
    return out_error (CLI_USAGE, "--interval: expected from 100 ms to an hour");
  client = client_open (options, &err);
  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);
  if (options->once || command_wants_json (options) || !out_is_terminal (stdin))
    status = show_once (options, client, ms, sort);
  else
    status = top_screen_run (client, ms, sort);
  client_close (client);
  return status;
}

const struct command command_top = {
  .name = "top",
  .usage = "[--once] [--interval MS] [--sort COLUMN] [--json]",
  .summary = "watch calls, their times, workers and refusals",
  .details =
    "A table of what was called since the look before: rates, half and 99 of 100 calls within\n"
    "which time (as exact as the buckets of /metrics), running, failed, refused before they\n"
    "reached a worker; below it the plugins that have processes.  It is drawn anew every two\n"
    "seconds.  Keys: q ends, s takes the next order, r l i f x n order by rate, p99, running,\n"
    "failed, refused, name; + and - change the interval, space looks at once.\n"
    "--once prints one table, --json (or no terminal) one JSON object, of one interval each.\n"
    "It needs the role observe: the local socket, as root or the daemon's user, or a key.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON | OPTION_TOP,
  .run = run,
};

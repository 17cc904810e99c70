#include "cli/ticker.h"

#include <math.h>
#include <stdio.h>

#include "cli/out.h"
#include "cli/table.h"

void
ticker_init (struct ticker *ticker)
{
  *ticker = (struct ticker){ .terminal = out_is_terminal (stderr), .width = out_width (stderr) };
}

void
progress_describe (struct buf *out, double done, double total, const char *text, size_t len)
{
  if (total > 0 && isfinite (total) && isfinite (done))
    buf_printf (out, "%.0f %% (%.6g/%.6g)", floor (100 * done / total), done, total);
  else
    buf_printf (out, "%.6g", done);
  if (text == NULL || len == 0)
    return;
  buf_putc (out, ' ');
  size_t start = out->len;
  text_neutralise (out, text, len);
  for (size_t i = start; i < out->len; i++)
    if (out->data[i] == '\n' || out->data[i] == '\t')
      out->data[i] = ' ';
}

void
ticker_progress (struct ticker *ticker, double done, double total, const char *text, size_t len)
{
  CLEANUP_BUF struct buf line = { 0 };
  CLEANUP_BUF struct buf cut = { 0 };

  progress_describe (&line, done, total, text, len);
  if (!ticker->terminal) {
    (void) fprintf (stderr, "%s\n", buf_cstr (&line));
    return;
  }
  text_cut (&cut, line.data, line.len, ticker->width > 1 ? ticker->width - 1 : 79);
  (void) fprintf (stderr, "\r\033[K%s", buf_cstr (&cut));
  (void) fflush (stderr);
  ticker->shown = true;
}

void
ticker_log (struct ticker *ticker, const char *level, const char *text, size_t len)
{
  CLEANUP_BUF struct buf line = { 0 };

  ticker_clear (ticker);
  buf_printf (&line, "%s: ", level);
  buf_append (&line, text, len);
  out_note (line.data, line.len);
}

void
ticker_clear (struct ticker *ticker)
{
  if (ticker->shown)
    (void) fputs ("\r\033[K", stderr);
  ticker->shown = false;
}

/* ticker.h - progress and log lines of a running call, on stderr: one line that is written over on
 * a terminal, a line each elsewhere. */
#ifndef TOOLHOST_CLI_TICKER_H
#define TOOLHOST_CLI_TICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ticker {
  bool terminal;
  unsigned width; /* of the terminal, 0: unknown */
  bool shown;     /* there is a line to write over */
};

void ticker_init (struct ticker *ticker);
/* done of total (0: unknown); text may be NULL. */
void ticker_progress (struct ticker *ticker, double done, double total, const char *text,
                      size_t len);
void ticker_log (struct ticker *ticker, const char *level, const char *text, size_t len);
/* Remove the line, before something else is printed. */
void ticker_clear (struct ticker *ticker);

/* "40 % (2/5) text", "2 text": what a progress line says. */
void progress_describe (struct buf *out, double done, double total, const char *text, size_t len);

#endif

/* line_io.h - lines of text in and out of two descriptors, without blocking and with bounds; what
 * they say is not its business.  Owned by stdio.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_STDIO_LINE_IO_H
#define TOOLHOST_FRONT_STDIO_LINE_IO_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct line_io_events {
  void (*line) (void *ctx, const char *text, size_t len); /* without its end */
  void (*too_long) (void *ctx); /* a line was, or will be; the rest of it is thrown away */
  void (*ended) (void *ctx);    /* the input */
  void (*broken) (void *ctx);   /* nobody reads the output; nothing comes in any more either */
  void (*wrote) (void *ctx);    /* as much as went; may free the lines */
};

struct line_io {
  struct ev_loop *loop;
  const struct line_io_events *events;
  void *ctx;
  size_t line_max; /* bytes */
  struct ev_io in, out;
  int in_flags, out_flags; /* as they were found */
  struct buf input;        /* from the begin of a line */
  size_t scanned;          /* of it, known to hold no end of line */
  bool skipping;           /* the rest of a line that was too long */
  bool in_ended;
  struct buf backlog; /* to be written */
  size_t written;     /* of it */
  bool out_broken;
};

/* The descriptors are borrowed and made non-blocking until line_io_close. */
void line_io_open (struct line_io *lines, struct ev_loop *loop, int in, int out, size_t line_max,
                   const struct line_io_events *events, void *ctx);
/* Writes what the output takes at once. */
void line_io_close (struct line_io *lines);

/* Copied; written at the end of this turn of the loop, together with what else comes up in it. */
void line_io_send (struct line_io *lines, const struct buf *text);
/* Is the backlog so long that what can be left out should be? */
bool line_io_behind (const struct line_io *lines);
/* Is there nothing left to write? */
bool line_io_written (const struct line_io *lines);
/* wrote will be called in this turn of the loop. */
void line_io_wake (struct line_io *lines);

#endif

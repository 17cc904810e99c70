/* output.h - what a plugin says for the log, in print and by toolhost_log: bounded in each second,
 * so that a plugin can fill neither the log nor the daemon's time.  What is over is counted and
 * told.  Owned by worker.c.  Loop thread only. */
#ifndef TOOLHOST_POOL_OUTPUT_H
#define TOOLHOST_POOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "watch/log.h"

enum {
  OUTPUT_PER_SECOND = 64 * 1024, /* bytes, with OUTPUT_LINE_COST for each line */
  OUTPUT_LINE_COST = 128,        /* about what the log adds to a line */
  OUTPUT_LINE_MAX = 1024         /* a longer printed line is told in pieces */
};

struct output {
  struct log *log;
  const char *plugin;
  const char *program; /* NULL: the plugin itself says it */
  struct buf line;     /* printed, and not ended yet */
  double since;        /* seconds: when the current second began */
  size_t used, dropped;
};

/* `plugin` must live as long. */
void output_init (struct output *output, struct log *log, const char *plugin);
void output_free (struct output *output);
/* Bytes the plugin has printed; whole lines go to the log.  False: some were dropped, and there is
 * no hurry to read more. */
bool output_print (struct output *output, double now, const char *data, size_t len);
/* May a line of `len` bytes go to the log?  If not, it is counted. */
bool output_may_log (struct output *output, double now, size_t len);
/* Nothing more will come: tell what is left, and what was dropped. */
void output_end (struct output *output);

#endif

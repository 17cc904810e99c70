/* input.h - texts from files and from standard input, whole or line by line as they come. */
#ifndef TOOLHOST_CLI_INPUT_H
#define TOOLHOST_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* Append what is in the file, "-" being standard input.  Over 256 MiB is refused.  False: err says
 * why, without the name. */
bool input_read (const char *path, struct buf *out, struct error *err);

/* What people call it: the path, or "standard input". */
const char *input_name (const char *path);

struct lines {
  int fd;
  struct buf text;
  size_t next;    /* where the line after this begins */
  size_t scanned; /* up to here there is no end of a line */
  size_t number;  /* of the line, from 1 */
  bool ended;
};

/* False: err says why. */
bool lines_open (struct lines *lines, const char *path, struct error *err);

enum lines_got { LINES_END, LINES_LINE, LINES_FAULT };

/* The next line with anything but white space in it, good until the next call.  Before it waits for
 * more, stdout is flushed: who writes the lines may be waiting for what we say of the last one. */
enum lines_got lines_next (struct lines *lines, const char **line, size_t *len, struct error *err);

void lines_close (struct lines *lines);

#endif

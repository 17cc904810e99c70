/* table.h - rows and columns as text for a terminal: aligned, neutralised, cut to its width. */
#ifndef TOOLHOST_CLI_TABLE_H
#define TOOLHOST_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct table_column {
  const char *title;
  bool right; /* numbers stand at the right */
  bool cut;   /* gives up width, down to its title's, when the row is too wide for the terminal */
};

struct table {
  const struct table_column *columns; /* borrowed */
  size_t columns_count;
  struct buf *cells; /* row by row */
  size_t cells_count;
};

/* A cell, left to right and row by row.  Newlines and tabs become blanks. */
void table_add (struct table *table, const char *text, size_t len);
void table_addf (struct table *table, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));

/* Append title line and rows, none wider than `width` columns if that can be had (0: no limit). */
void table_render (const struct table *table, unsigned width, struct buf *out);
void table_free (struct table *table);

/* Columns a text takes on a terminal. */
size_t text_columns (const char *text, size_t len);
/* Append at most `columns` columns of it; what is cut off is marked by an ellipsis. */
void text_cut (struct buf *out, const char *text, size_t len, size_t columns);

#endif

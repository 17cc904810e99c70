#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "cli/out.h"

enum { GAP = 2 };

static size_t
columns_of (unsigned long c)
{
  int n = wcwidth ((wchar_t) c);

  return n < 0 ? 1 : (size_t) n;
}

size_t
text_columns (const char *text, size_t len)
{
  size_t columns = 0;

  for (size_t at = 0; at < len;) {
    unsigned long c;
    at += text_decode (text + at, len - at, &c);
    columns += columns_of (c);
  }
  return columns;
}

void
text_cut (struct buf *out, const char *text, size_t len, size_t columns)
{
  size_t used = 0, at = 0;

  if (text_columns (text, len) <= columns) {
    buf_append (out, text, len);
    return;
  }
  while (at < len && columns > 0) {
    unsigned long c;
    size_t bytes = text_decode (text + at, len - at, &c);
    if (used + columns_of (c) > columns - 1)
      break;
    used += columns_of (c);
    at += bytes;
  }
  buf_append (out, text, at);
  if (columns > 0)
    buf_puts (out, "…");
}

void
table_add (struct table *table, const char *text, size_t len)
{
  struct buf cell = { 0 };

  table->cells = xrealloc (table->cells, (table->cells_count + 1) * sizeof *table->cells);
  text_neutralise (&cell, text, len);
  for (size_t i = 0; i < cell.len; i++)
    if (cell.data[i] == '\n' || cell.data[i] == '\t')
      cell.data[i] = ' ';
  table->cells[table->cells_count++] = cell;
}

void
table_addf (struct table *table, const char *fmt, ...)
{
  CLEANUP_FREE char *text = NULL;
  va_list args;

  va_start (args, fmt);
  int len = vasprintf (&text, fmt, args);
  va_end (args);
  table_add (table, len < 0 ? "" : text, len < 0 ? 0 : (size_t) len);
}

/* What each column would like. */
static void
measure (const struct table *table, size_t *widths)
{
  for (size_t i = 0; i < table->columns_count; i++)
    widths[i] = strlen (table->columns[i].title);
  for (size_t i = 0; i < table->cells_count; i++) {
    size_t columns = text_columns (table->cells[i].data, table->cells[i].len);
    size_t *width = &widths[i % table->columns_count];
    if (columns > *width)
      *width = columns;
  }
}

/* Take what is too much from the columns that may be cut, the last one first. */
static void
fit (const struct table *table, size_t *widths, size_t limit)
{
  size_t total = GAP * (table->columns_count - 1);

  for (size_t i = 0; i < table->columns_count; i++)
    total += widths[i];
  for (size_t i = table->columns_count; i-- > 0 && total > limit;) {
    size_t least = strlen (table->columns[i].title);
    if (!table->columns[i].cut || widths[i] <= least)
      continue;
    size_t take = widths[i] - least;
    if (take > total - limit)
      take = total - limit;
    widths[i] -= take;
    total -= take;
  }
}

static void
pad (struct buf *out, size_t count)
{
  for (size_t i = 0; i < count; i++)
    buf_putc (out, ' ');
}

static void
render_cell (struct buf *out, const struct table_column *column, const char *text, size_t len,
             size_t width, bool last)
{
  size_t columns = text_columns (text, len);
  size_t spare = columns < width ? width - columns : 0;

  if (column->right)
    pad (out, spare);
  text_cut (out, text, len, width);
  if (!last)
    pad (out, GAP + (column->right ? 0 : spare));
}

void
table_render (const struct table *table, unsigned width, struct buf *out)
{
  size_t n = table->columns_count;
  CLEANUP_FREE size_t *widths = xcalloc (n, sizeof *widths);

  measure (table, widths);
  if (width > 0)
    fit (table, widths, width);
  for (size_t i = 0; i < n; i++)
    render_cell (out, &table->columns[i], table->columns[i].title, strlen (table->columns[i].title),
                 widths[i], i + 1 == n);
  buf_putc (out, '\n');
  for (size_t i = 0; i < table->cells_count; i++) {
    size_t at = i % n;
    render_cell (out, &table->columns[at], table->cells[i].data, table->cells[i].len, widths[at],
                 at + 1 == n);
    if (at + 1 == n)
      buf_putc (out, '\n');
  }
}

void
table_free (struct table *table)
{
  for (size_t i = 0; i < table->cells_count; i++)
    buf_free (&table->cells[i]);
  free (table->cells);
  table->cells = NULL;
  table->cells_count = 0;
}

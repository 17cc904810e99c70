#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_MAX = 256 << 20, PIECE = 64 * 1024 };

static int
open_input (const char *path)
{
  if (strcmp (path, "-") == 0)
    return STDIN_FILENO;
  return open (path, O_RDONLY | O_CLOEXEC);
}

static void
close_input (int fd)
{
  if (fd != STDIN_FILENO)
    (void) close (fd);
}

/* Bytes appended, 0 at the end, -1: err says why. */
static ssize_t
read_piece (int fd, struct buf *out, struct error *err)
{
  ssize_t got;

  do
    got = read (fd, buf_reserve (out, PIECE), PIECE);
  while (got < 0 && errno == EINTR);
  if (got > 0)
    out->len += (size_t) got;
  if (got < 0)
    error_set (err, "%s", strerror (errno));
  if (out->len <= INPUT_MAX)
    return got;
  error_set (err, "over %d MiB", INPUT_MAX >> 20);
  return -1;
}

bool
input_read (const char *path, struct buf *out, struct error *err)
{
  int fd = open_input (path);
  ssize_t got;

  if (fd < 0)
    return error_set (err, "%s", strerror (errno));
  do
    got = read_piece (fd, out, err);
  while (got > 0);
  close_input (fd);
  return got == 0;
}

const char *
input_name (const char *path)
{
  return strcmp (path, "-") == 0 ? "standard input" : path;
}

/* ---- lines ---- */

bool
lines_open (struct lines *lines, const char *path, struct error *err)
{
  *lines = (struct lines){ .fd = open_input (path) };
  return lines->fd >= 0 || error_set (err, "%s", strerror (errno));
}

/* Forget the lines that were given, and read on. */
static bool
read_more (struct lines *lines, struct error *err)
{
  ssize_t got;

  buf_consume (&lines->text, lines->next);
  lines->next = 0;
  lines->scanned = lines->text.len;
  (void) fflush (stdout);
  got = read_piece (lines->fd, &lines->text, err);
  lines->ended = got == 0;
  return got >= 0;
}

/* Bytes of the line at `next` without its end; false: more must be read to know. */
static bool
measure (struct lines *lines, size_t *len)
{
  const char *text = lines->text.data;
  const char *end = NULL;

  if (lines->scanned < lines->text.len)
    end = memchr (text + lines->scanned, '\n', lines->text.len - lines->scanned);
  if (end == NULL && !lines->ended)
    return false;
  *len = (end != NULL ? (size_t) (end - text) : lines->text.len) - lines->next;
  return true;
}

static bool
is_blank (const char *line, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (strchr (" \t\r", line[i]) == NULL || line[i] == '\0')
      return false;
  return true;
}

enum lines_got
lines_next (struct lines *lines, const char **line, size_t *len, struct error *err)
{
  for (;;) {
    if (lines->ended && lines->next >= lines->text.len)
      return LINES_END;
    if (!measure (lines, len)) {
      if (!read_more (lines, err))
        return LINES_FAULT;
      continue;
    }
    *line = lines->text.data + lines->next;
    lines->next += *len + 1;
    lines->scanned = lines->next;
    lines->number++;
    if (!is_blank (*line, *len))
      return LINES_LINE;
  }
}

void
lines_close (struct lines *lines)
{
  if (lines->fd >= 0)
    close_input (lines->fd);
  buf_free (&lines->text);
}

#include "lines.h"

#include <stdlib.h>
#include <string.h>

void
lines_fold (char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (text[i] >= 'A' && text[i] <= 'Z')
      text[i] = (char) (text[i] + ('a' - 'A'));
}

bool
lines_init (struct lines *lines)
{
  lines->buffer = malloc (LINES_BUFFER);
  lines->folded = lines->ignore_case ? malloc (LINES_BUFFER) : NULL;
  return lines->buffer != NULL && (!lines->ignore_case || lines->folded != NULL);
}

void
lines_free (struct lines *lines)
{
  free (lines->buffer);
  free (lines->folded);
}

void
lines_start (struct lines *lines)
{
  lines->len = 0;
  lines->line = 1;
  lines->line_found = false;
}

char *
lines_room (struct lines *lines, size_t *room)
{
  *room = LINES_BUFFER - lines->len;
  return lines->buffer + lines->len;
}

static int64_t
count_lines (const char *from, const char *to)
{
  int64_t count = 0;

  while ((from = memchr (from, '\n', (size_t) (to - from))) != NULL) {
    count++;
    from++;
  }
  return count;
}

/* Forget what is before `at`. */
static void
keep_from (struct lines *lines, size_t at)
{
  lines->len -= at;
  memmove (lines->buffer, lines->buffer + at, lines->len);
  if (lines->folded != NULL)
    memmove (lines->folded, lines->folded + at, lines->len);
}

/* Over the rest of a line that was found; false: it does not end here. */
static bool
skip_found_line (struct lines *lines, size_t *at)
{
  const char *end = memchr (lines->buffer + *at, '\n', lines->len - *at);

  if (end == NULL) {
    *at = lines->len;
    return false;
  }
  *at = (size_t) (end + 1 - lines->buffer);
  lines->line++;
  lines->line_found = false;
  return true;
}

/* Nothing more is in the buffer: what must be kept of it from `at` on? */
static size_t
pass_nothing (struct lines *lines, size_t at)
{
  const char *from = lines->buffer + at, *end = lines->buffer + lines->len;
  const char *last = memrchr (from, '\n', (size_t) (end - from));

  if (last != NULL) {
    lines->line += count_lines (from, last + 1);
    return (size_t) (last + 1 - lines->buffer);
  }
  /* Of a line that fills the buffer only what may begin the text. */
  return at == 0 && lines->len == LINES_BUFFER ? lines->len - (lines->needle_len - 1) : at;
}

/* A hit at an offset of the buffer.  False: its line goes on in bytes that are still to come. */
static bool
take_hit (struct lines *lines, size_t *at, size_t hit, bool last, bool *go_on)
{
  const char *from = lines->buffer + *at, *end = lines->buffer + lines->len;
  const char *place = lines->buffer + hit;
  const char *before = memrchr (from, '\n', (size_t) (place - from));
  const char *start = before != NULL ? before + 1 : from;
  const char *stop = memchr (place, '\n', (size_t) (end - place));

  lines->line += count_lines (from, start);
  *at = (size_t) (start - lines->buffer);
  if (stop == NULL && !last && (start != lines->buffer || lines->len < LINES_BUFFER))
    return false;
  stop = stop != NULL ? stop : end;
  *go_on = lines->found (lines->ctx, lines->line, start, (size_t) (stop - start),
                         (size_t) (place - start));
  *at = (size_t) (stop - lines->buffer);
  lines->line_found = true;
  return true;
}

bool
lines_got (struct lines *lines, size_t len)
{
  const char *haystack = lines->ignore_case ? lines->folded : lines->buffer;
  bool go_on = true;
  size_t at = 0;

  if (lines->ignore_case) {
    memcpy (lines->folded + lines->len, lines->buffer + lines->len, len);
    lines_fold (lines->folded + lines->len, len);
  }
  lines->len += len;
  while (at < lines->len && go_on) {
    const char *hit;

    if (lines->line_found && !skip_found_line (lines, &at))
      break;
    hit = memmem (haystack + at, lines->len - at, lines->needle, lines->needle_len);
    if (hit == NULL) {
      at = pass_nothing (lines, at);
      break;
    }
    if (!take_hit (lines, &at, (size_t) (hit - haystack), len == 0, &go_on))
      break;
  }
  keep_from (lines, at);
  return go_on;
}

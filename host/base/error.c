#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
error_set (struct error *err, const char *fmt, ...)
{
  if (err != NULL) {
    va_list args;
    va_start (args, fmt);
    (void) vsnprintf (err->text, sizeof err->text, fmt, args);
    va_end (args);
  }
  return false;
}

bool
error_wrap (struct error *err, const char *fmt, ...)
{
  if (err != NULL) {
    char was[sizeof err->text];
    va_list args;
    int n;

    memcpy (was, err->text, sizeof was);
    va_start (args, fmt);
    n = vsnprintf (err->text, sizeof err->text, fmt, args);
    va_end (args);
    if (n >= 0 && (size_t) n < sizeof err->text) {
      size_t room = sizeof err->text - (size_t) n - 1;
      size_t len = strnlen (was, sizeof was);
      if (len > room)
        len = room;
      memcpy (err->text + n, was, len);
      err->text[(size_t) n + len] = '\0';
    }
  }
  return false;
}

enum { LONGEST_WORD = 63 };

/* Edit distance of two short words, row by row. */
static size_t
distance (const char *a, size_t na, const char *b, size_t nb)
{
  size_t row[LONGEST_WORD + 1];

  for (size_t j = 0; j <= nb; j++)
    row[j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t above = row[j];
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (above + 1 < best)
        best = above + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      diagonal = above;
      row[j] = best;
    }
  }
  return row[nb];
}

const char *
error_nearest (const char *word, const char *const *candidates)
{
  size_t len = strlen (word);
  size_t best = len / 3 + 1;
  const char *nearest = NULL;

  if (len == 0 || len > LONGEST_WORD)
    return NULL;
  for (; *candidates != NULL; candidates++) {
    size_t n = strlen (*candidates);
    if (n > LONGEST_WORD)
      continue;
    size_t d = distance (word, len, *candidates, n);
    if (d < best) {
      best = d;
      nearest = *candidates;
    }
  }
  return nearest;
}

#include "base/error.h"

#include <errno.h>
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

static size_t
least (size_t a, size_t b, size_t c)
{
  size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Edit distance of two short words, row by row; two neighbours that changed places count once. */
static size_t
distance (const char *a, size_t na, const char *b, size_t nb)
{
  size_t rows[3][LONGEST_WORD + 1];

  for (size_t j = 0; j <= nb; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *over = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      row[j] = least (above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && over[j - 2] < row[j])
        row[j] = over[j - 2] + 1;
    }
  }
  return rows[na % 3][nb];
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

bool
error_is_shortage (int number)
{
  return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS;
}

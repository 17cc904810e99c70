#include "schema/explain/guess.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FAR = 3, LONGEST = 128 };

void
guess_begin (struct guess *guess, const char *word, size_t len)
{
  *guess = (struct guess){ .word = word, .len = len, .distance = FAR };
}

static unsigned char
folded (char c)
{
  return (unsigned char) tolower ((unsigned char) c);
}

static size_t
skip_separators (const char *text, size_t len, size_t at)
{
  while (at < len && (text[at] == '_' || text[at] == '-' || text[at] == ' '))
    at++;
  return at;
}

static bool
same_folded (const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t i = skip_separators (a, a_len, 0);
  size_t j = skip_separators (b, b_len, 0);

  while (i < a_len && j < b_len && folded (a[i]) == folded (b[j])) {
    i = skip_separators (a, a_len, i + 1);
    j = skip_separators (b, b_len, j + 1);
  }
  return i == a_len && j == b_len;
}

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* One row of the table of distances between heads of the two words; cells farther than FAR from the
 * diagonal are never looked at, those at that distance are FAR. */
static unsigned
fill_row (unsigned char row[], const unsigned char before[], const unsigned char before_last[],
          const char *a, size_t i, const char *b, size_t b_len)
{
  size_t first = i > FAR ? i - FAR : 1;
  unsigned nearest = FAR;

  row[first - 1] = (unsigned char) (first == 1 ? least ((unsigned) i, FAR) : FAR);
  for (size_t j = first; j <= b_len && j <= i + FAR; j++) {
    bool same = folded (a[i - 1]) == folded (b[j - 1]);
    unsigned d = before[j - 1] + !same;
    if (j < i + FAR)
      d = least (d, before[j] + 1U);
    d = least (d, row[j - 1] + 1U);
    if (i > 1 && j > 1 && folded (a[i - 1]) == folded (b[j - 2])
        && folded (a[i - 2]) == folded (b[j - 1]))
      d = least (d, before_last[j - 2] + 1U);
    row[j] = (unsigned char) least (d, FAR);
    nearest = least (nearest, d);
  }
  return nearest;
}

/* Damerau and Levenshtein's distance without regard to case, FAR for all that is farther. */
static unsigned
distance (const char *a, size_t a_len, const char *b, size_t b_len)
{
  unsigned char rows[3][LONGEST + 1];

  while (a_len != 0 && b_len != 0 && folded (*a) == folded (*b)) {
    a++, b++;
    a_len--, b_len--;
  }
  if (a_len > b_len + FAR || b_len > a_len + FAR)
    return FAR;
  memset (rows, FAR, sizeof rows);
  for (unsigned char j = 0; j < FAR && j <= b_len; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_len; i++)
    if (fill_row (rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b, b_len) >= FAR
        && i > 1)
      return FAR;
  return rows[a_len % 3][b_len];
}

void
guess_offer (struct guess *guess, const char *candidate, size_t len)
{
  size_t longer = len > guess->len ? len : guess->len;
  unsigned d;

  if (guess->distance == 0 || longer > LONGEST)
    return;
  d = same_folded (guess->word, guess->len, candidate, len)
        ? 0
        : distance (guess->word, guess->len, candidate, len);
  if (d >= guess->distance || (d != 0 && d * 2 >= longer))
    return;
  guess->distance = d;
  guess->found = candidate;
  guess->found_len = len;
}

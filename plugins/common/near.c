#include "near.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

static bool
same_letter (char a, char b)
{
  return tolower ((unsigned char) a) == tolower ((unsigned char) b);
}

unsigned
near_distance (const char *a, const char *b)
{
  unsigned rows[3][NEAR_NAME_MAX + 1];
  unsigned *before = rows[0], *above = rows[1], *row = rows[2], *oldest;
  size_t a_len = strlen (a), b_len = strlen (b);

  if (a_len >= NEAR_NAME_MAX || b_len >= NEAR_NAME_MAX)
    return UINT_MAX;
  for (size_t j = 0; j <= b_len; j++)
    before[j] = above[j] = (unsigned) j;
  for (size_t i = 1; i <= a_len; i++) {
    row[0] = (unsigned) i;
    for (size_t j = 1; j <= b_len; j++) {
      row[j] = above[j - 1] + !same_letter (a[i - 1], b[j - 1]);
      row[j] = least (row[j], least (above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && same_letter (a[i - 1], b[j - 2]) && same_letter (a[i - 2], b[j - 1]))
        row[j] = least (row[j], before[j - 2] + 1);
    }
    oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[b_len];
}

void
near_offer_at (struct near *near, const char *name, unsigned distance)
{
  size_t at = near->count;

  if (strlen (name) >= NEAR_NAME_MAX)
    return;
  while (at > 0 && near->names[at - 1].distance > distance)
    at--;
  if (at == NEAR_KEPT)
    return;
  if (near->count < NEAR_KEPT)
    near->count++;
  memmove (&near->names[at + 1], &near->names[at], (near->count - 1 - at) * sizeof near->names[0]);
  near->names[at].distance = distance;
  strcpy (near->names[at].name, name);
}

void
near_offer (struct near *near, const char *name)
{
  unsigned distance = near_distance (near->word, name);

  /* About a quarter of the letters wrong, but never all of them. */
  if (distance <= 1 + strlen (near->word) / 4 && distance < strlen (near->word))
    near_offer_at (near, name, distance);
}

void
near_say (const struct near *near, struct text *out)
{
  for (size_t i = 0; i < near->count; i++)
    text_addf (out, "%s\"%s\"",
               i == 0                 ? "; did you mean "
               : i + 1 == near->count ? " or "
                                      : ", ",
               near->names[i].name);
  if (near->count > 0)
    text_add (out, "?");
}

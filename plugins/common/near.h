/* near.h - which known names a misspelt one may have meant. */
#ifndef TOOLHOST_PLUGINS_COMMON_NEAR_H
#define TOOLHOST_PLUGINS_COMMON_NEAR_H

#include <stddef.h>

#include "text.h"

enum { NEAR_KEPT = 3, NEAR_NAME_MAX = 64 };

/* Set `word` and offer every known name; at the end the nearest ones are here, best first. */
struct near {
  const char *word;
  size_t count;
  struct near_name {
    char name[NEAR_NAME_MAX];
    unsigned distance;
  } names[NEAR_KEPT];
};

/* Steps from one name to the other: a letter more, less, changed, or two neighbours swapped; case
 * does not count.  Names of NEAR_NAME_MAX and more are far from everything. */
unsigned near_distance (const char *a, const char *b);

/* Offer a name that is as far as its distance from the word says. */
void near_offer (struct near *near, const char *name);
/* Offer a name at a distance that the caller knows better. */
void near_offer_at (struct near *near, const char *name, unsigned distance);

/* Append "; did you mean \"a\", \"b\" or \"c\"?", or nothing when no name is near. */
void near_say (const struct near *near, struct text *out);

#endif

/* fold.h - letters without regard to case: Unicode's simple case folding of the scripts that have
 * two cases and are in common use (Latin, Greek, Cyrillic, Armenian, Georgian, Coptic, Glagolitic,
 * Deseret, full-width forms).  Pure; any thread. */
#ifndef TOOLHOST_BASE_FOLD_H
#define TOOLHOST_BASE_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Capital letters, every `stride`-th code point from first to last, and how far off each one's
 * small letter is. */
struct fold_range {
  uint32_t first, last;
  int32_t delta;
  uint32_t stride;
};

/* In order, apart from each other. */
extern const struct fold_range fold_ranges[];
extern const size_t fold_ranges_count;

/* The small letter of a capital one; any other code point is its own. */
uint32_t fold_case (uint32_t c);

#endif

/* fuzz.h - what the fuzz targets share.  Each target is a program of libFuzzer, built by ./dev fuzz
 * with AddressSanitizer and UBSan; what it asks of the code beyond "no crash" is said in HOLDS. */
#ifndef TOOLHOST_TESTS_FUZZ_FUZZ_H
#define TOOLHOST_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
      abort ();                                                                                    \
    }                                                                                              \
  } while (0)

/* Bytes that stand alone in memory, so that reading beyond them is seen. */
struct piece {
  char *text;
  size_t len;
};

static inline struct piece
piece_of (const void *data, size_t len)
{
  struct piece piece = { xmalloc (len), len };

  if (len != 0)
    memcpy (piece.text, data, len);
  return piece;
}

static inline void
piece_free (struct piece *piece)
{
  free (piece->text);
}
#define CLEANUP_PIECE __attribute__ ((cleanup (piece_free)))

/* An input of two parts: what is before the first NUL, and what is behind it. */
static inline void
split (const uint8_t *data, size_t size, struct piece *first, struct piece *second)
{
  const uint8_t *zero = size != 0 ? memchr (data, 0, size) : NULL;
  size_t len = zero != NULL ? (size_t) (zero - data) : size;

  *first = piece_of (data, len);
  *second = zero != NULL ? piece_of (zero + 1, size - len - 1) : piece_of ("", 0);
}

/* Texts for people and models: UTF-8, no control characters, within `most` bytes. */
static inline bool
is_harmless (const char *text, size_t most)
{
  size_t len = strlen (text);

  for (size_t i = 0; i < len; i++)
    if ((unsigned char) text[i] < 0x20)
      return false;
  return len <= most && utf8_valid (text, len);
}

#endif

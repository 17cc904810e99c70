#include "front/http/chars.h"

enum {
  _ = 0,
  V = CHAR_VALUE,
  T = CHAR_VALUE | CHAR_TOKEN,
  Q = CHAR_VALUE | CHAR_QUERY,
  B = CHAR_VALUE | CHAR_QUERY | CHAR_TOKEN,
  P = CHAR_VALUE | CHAR_QUERY | CHAR_PATH,
  A = CHAR_VALUE | CHAR_QUERY | CHAR_PATH | CHAR_TOKEN,
  U = A | CHAR_UPPER
};

/* Sixteen a row, from 0x00. */
/* clang-format off */
const uint8_t http_chars[256] = {
  _, _, _, _, _, _, _, _, _, V, _, _, _, _, _, _,
  _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _,
  V, A, V, T, A, T, A, A, P, P, A, A, P, A, A, P,
  A, A, A, A, A, A, A, A, A, A, P, P, V, P, V, Q,
  P, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U,
  U, U, U, U, U, U, U, U, U, U, U, Q, Q, Q, B, A,
  B, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A,
  A, A, A, A, A, A, A, A, A, A, A, Q, B, Q, A, _,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
  V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
};
/* clang-format on */

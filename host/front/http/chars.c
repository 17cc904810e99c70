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

/* From 0x20; all others are 0. */
const char http_lowered[256] = {
  [0x20] =
  0, '!', 0, '#', '$', '%', '&', '\'', 0, 0, '*', '+', 0, '-', '.', 0,
  '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 0, 0, 0, 0, 0, 0,
  0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o',
  'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 0, 0, 0, '^', '_',
  '`', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o',
  'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 0, '|', 0, '~', 0,
};
/* clang-format on */

/* json_number.h - numbers as JSON spells them: exact order and exact multiples, whatever their
 * size. For json_tape.c and the schema engine.  The texts have passed json_read; nothing is
 * allocated. */
#ifndef TOOLHOST_BASE_JSON_NUMBER_H
#define TOOLHOST_BASE_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0.d1d2d3… × 10^exponent, without leading and trailing zeros.  The digits stay in the text. */
struct json_decimal {
  const char *digits; /* the first that is not 0; NULL: the number is zero */
  const char *end;    /* behind the last that is not 0; a '.' may stand between */
  int64_t exponent;   /* saturates at ±10^17 */
  uint32_t count;     /* digits */
  bool negative;
};

struct json_decimal json_decimal (const char *text, size_t len);

/* <0, 0, >0 */
int json_decimal_compare (const struct json_decimal *a, const struct json_decimal *b);
bool json_decimal_is_integer (const struct json_decimal *d);
/* False: no integer, or it does not fit. */
bool json_decimal_int64 (const struct json_decimal *d, int64_t *value);
/* The nearest double; false when that is infinite.  Does not depend on the locale. */
bool json_decimal_double (const struct json_decimal *d, double *value);
/* Is `d` an integer times `unit`?  `unit` is not zero and has at most 18 digits. */
bool json_decimal_is_multiple (const struct json_decimal *d, const struct json_decimal *unit);

#endif

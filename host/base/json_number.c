#include "base/json_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t EXPONENT_MAX = 100000000000000000;

static int64_t
read_exponent (const char *p, const char *end)
{
  bool negative = *p == '-';
  int64_t value = 0;

  if (*p == '-' || *p == '+')
    p++;
  for (; p < end; p++)
    if (value < EXPONENT_MAX)
      value = value * 10 + (*p - '0');
  if (value > EXPONENT_MAX)
    value = EXPONENT_MAX;
  return negative ? -value : value;
}

struct json_decimal
json_decimal (const char *text, size_t len)
{
  struct json_decimal d = { .negative = len != 0 && text[0] == '-' };
  const char *end = text + len;
  int64_t before_point =
    0;                /* digits from the first that counts; negative: zeros behind the point */
  uint32_t zeros = 0; /* at the end, so far */
  bool point = false;

  for (const char *p = text + d.negative; p < end; p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    if ((*p | 32) == 'e') {
      d.exponent = read_exponent (p + 1, end);
      break;
    }
    if (d.digits == NULL && *p == '0') {
      before_point -= point;
      continue;
    }
    before_point += !point;
    if (d.digits == NULL)
      d.digits = p;
    zeros = *p == '0' ? zeros + 1 : 0;
    d.count++;
    if (zeros == 0)
      d.end = p + 1;
  }
  if (d.digits == NULL)
    return (struct json_decimal){ 0 };
  d.count -= zeros;
  d.exponent += before_point;
  return d;
}

/* The next digit at or behind `*p`, which moves behind it; 0 past the end. */
static inline char
next_digit (const char **p, const char *end)
{
  if (*p < end && **p == '.')
    ++*p;
  return *p < end ? *(*p)++ : '0';
}

static int
compare_magnitude (const struct json_decimal *a, const struct json_decimal *b)
{
  const char *p = a->digits;
  const char *q = b->digits;

  if (a->exponent != b->exponent)
    return a->exponent < b->exponent ? -1 : 1;
  while (p < a->end || q < b->end) {
    char x = next_digit (&p, a->end);
    char y = next_digit (&q, b->end);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return 0;
}

static int
sign (const struct json_decimal *d)
{
  if (d->digits == NULL)
    return 0;
  return d->negative ? -1 : 1;
}

int
json_decimal_compare (const struct json_decimal *a, const struct json_decimal *b)
{
  int signs = sign (a) - sign (b);

  if (signs != 0 || a->digits == NULL)
    return signs;
  return a->negative ? compare_magnitude (b, a) : compare_magnitude (a, b);
}

bool
json_decimal_is_integer (const struct json_decimal *d)
{
  return d->digits == NULL || d->exponent >= (int64_t) d->count;
}

bool
json_decimal_int64 (const struct json_decimal *d, int64_t *value)
{
  const char *p = d->digits;
  uint64_t magnitude = 0;

  if (!json_decimal_is_integer (d) || d->exponent > 19)
    return false;
  for (int64_t i = 0; d->digits != NULL && i < d->exponent; i++) {
    uint64_t digit = (uint64_t) (next_digit (&p, d->end) - '0');
    if (magnitude > (UINT64_MAX - digit) / 10)
      return false;
    magnitude = magnitude * 10 + digit;
  }
  if (magnitude > (uint64_t) INT64_MAX + d->negative)
    return false;
  *value = d->negative ? (int64_t) (0 - magnitude) : (int64_t) magnitude;
  return true;
}

/* The first `most` digits as an integer. */
static uint64_t
leading_digits (const struct json_decimal *d, uint32_t most)
{
  const char *p = d->digits;
  uint64_t value = 0;

  for (uint32_t i = 0; i < most; i++)
    value = value * 10 + (uint64_t) (next_digit (&p, d->end) - '0');
  return value;
}

/* Digits beyond these can't change which double is nearest, but that there are some can. */
enum { DIGITS_THAT_COUNT = 780 };

static double
slow_double (const struct json_decimal *d)
{
  char text[DIGITS_THAT_COUNT + 32];
  const char *p = d->digits;
  uint32_t n = 0;

  while (n < d->count && n < DIGITS_THAT_COUNT)
    text[n++] = next_digit (&p, d->end);
  if (n < d->count)
    text[n++] = '1';
  /* without a decimal point strtod does the same in every locale */
  (void) snprintf (text + n, sizeof text - n, "e%lld", (long long) (d->exponent - (int64_t) n));
  return strtod (text, NULL);
}

bool
json_decimal_double (const struct json_decimal *d, double *value)
{
  static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  int64_t power = d->exponent - (int64_t) d->count;
  double magnitude;

  if (d->digits == NULL) {
    *value = 0;
    return true;
  }
  /* both exact, and so one rounding */
  if (d->count <= 15 && power >= -22 && power <= 22) {
    magnitude = (double) leading_digits (d, d->count);
    magnitude = power < 0 ? magnitude / powers[-power] : magnitude * powers[power];
  }
  else
    magnitude = slow_double (d);
  *value = d->negative ? -magnitude : magnitude;
  return isfinite (magnitude);
}

/* a·b mod modulus, all below 10^18, without a wider type. */
static uint64_t
multiply (uint64_t a, uint64_t b, uint64_t modulus)
{
  uint64_t product = 0;

  for (; b != 0; b >>= 1) {
    if (b & 1)
      product = (product + a) % modulus;
    a = a * 2 % modulus;
  }
  return product;
}

bool
json_decimal_is_multiple (const struct json_decimal *d, const struct json_decimal *unit)
{
  const char *p = d->digits;
  uint64_t modulus, rest = 0, ten = 10;
  int64_t power;

  if (d->digits == NULL)
    return true;
  /* d = A·10^a, unit = B·10^b.  A does not end in 0, so that a < b can't divide. */
  modulus = leading_digits (unit, unit->count);
  power = (d->exponent - (int64_t) d->count) - (unit->exponent - (int64_t) unit->count);
  if (power < 0)
    return false;
  for (uint32_t i = 0; i < d->count; i++)
    rest = (rest * 10 + (uint64_t) (next_digit (&p, d->end) - '0')) % modulus;
  for (ten %= modulus; power != 0; power >>= 1) {
    if (power & 1)
      rest = multiply (rest, ten, modulus);
    ten = multiply (ten, ten, modulus);
  }
  return rest == 0;
}

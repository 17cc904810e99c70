/* number.h - the numbers of the calculator: exact fractions while they can be, doubles after that.
 *
 * A number is always a fraction.  `exact` says that it is the true result; a number that is not is
 * the exact value of some double.  Functions that can fail return false and leave a static reason
 * in *why; the result is then unchanged or 0.  A fraction never grows beyond NUMBER_BITS: it
 * becomes a double, and when it is out of a double's range too, that is the failure. */
#ifndef TOOLHOST_CALCULATOR_NUMBER_H
#define TOOLHOST_CALCULATOR_NUMBER_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "../common/text.h"

/* Of the numerator and of the denominator. */
enum { NUMBER_BITS = 1 << 16 };

struct number {
  mpq_t value;
  bool exact;
};

/* Why something can't be calculated. */
struct why {
  const char *code; /* "calc_domain_error" or "calc_too_large" */
  const char *text;
};
bool why_domain (struct why *why, const char *text);
bool why_large (struct why *why, const char *text);

void number_init (struct number *n); /* exact 0 */
void number_clear (struct number *n);
#define CLEANUP_NUMBER __attribute__ ((cleanup (number_clear)))
void number_set (struct number *to, const struct number *from);

/* The nearest double, ties to even; infinite when it is out of range. */
double number_double (const struct number *n);
/* Not exact.  False: it is not finite. */
bool number_set_double (struct number *n, double d, struct why *why);
/* What follows an operation: keep the number within its bounds, and within the doubles when it is
 * not exact. */
bool number_settle (struct number *n, struct why *why);

/* Digits with an optional fraction and exponent, "12.5e-3".  False: too large. */
bool number_parse (struct number *n, const char *text, size_t len, struct why *why);
/* Digits in base 2, 8 or 16. */
bool number_parse_base (struct number *n, const char *digits, size_t len, int base,
                        struct why *why);

bool number_is_integer (const struct number *n);
int number_sign (const struct number *n);
int number_compare (const struct number *a, const struct number *b);

/* `to` may be one of the operands. */
bool number_add (struct number *to, const struct number *a, const struct number *b,
                 struct why *why);
bool number_subtract (struct number *to, const struct number *a, const struct number *b,
                      struct why *why);
bool number_multiply (struct number *to, const struct number *a, const struct number *b,
                      struct why *why);
bool number_divide (struct number *to, const struct number *a, const struct number *b,
                    struct why *why);
/* Rounded down, and what is left then: with the sign of the divisor. */
bool number_floor_divide (struct number *to, const struct number *a, const struct number *b,
                          struct why *why);
bool number_modulo (struct number *to, const struct number *a, const struct number *b,
                    struct why *why);
bool number_power (struct number *to, const struct number *a, const struct number *b,
                   struct why *why);
/* The exact root of an exact number; false: it has none.  degree > 0; odd for negative numbers. */
bool number_exact_root (struct number *to, const struct number *a, unsigned long degree);
bool number_factorial (struct number *to, const struct number *n, struct why *why);
void number_negate (struct number *to, const struct number *n);

enum rounding { ROUND_FLOOR, ROUND_CEILING, ROUND_TRUNCATE, ROUND_NEAREST /* ties away from 0 */ };
void number_to_integer (struct number *to, const struct number *n, enum rounding rounding);

/* ---- as text ---- */

/* As a decimal number with at most `digits` significant digits, "-1.25" or "3e+40".  Integers are
 * written in full.  digits 0: as many as an exact decimal fraction of up to 40 digits has, else 16;
 * of a number that is not exact: the fewest that tell the double. */
void number_decimal (const struct number *n, int digits, struct text *out);
/* Does number_decimal with as many digits tell the number without rounding? */
bool number_decimal_is_exact (const struct number *n, int digits);
/* As "n/d"; exact numbers that are no integers. */
void number_fraction (const struct number *n, struct text *out);

#endif

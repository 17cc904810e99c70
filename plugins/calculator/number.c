#include "number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "the result is too large";
static const char by_zero[] = "division by zero";

bool
why_domain (struct why *why, const char *text)
{
  *why = (struct why){ "calc_domain_error", text };
  return false;
}

bool
why_large (struct why *why, const char *text)
{
  *why = (struct why){ "calc_too_large", text };
  return false;
}

void
number_init (struct number *n)
{
  mpq_init (n->value);
  n->exact = true;
}

void
number_clear (struct number *n)
{
  mpq_clear (n->value);
}

void
number_set (struct number *to, const struct number *from)
{
  mpq_set (to->value, from->value);
  to->exact = from->exact;
}

static size_t
bits_of (mpz_srcptr z)
{
  return mpz_sgn (z) == 0 ? 0 : mpz_sizeinbase (z, 2);
}

/* Set z to abs (numerator) * 2^shift / denominator, rounded down; true when something was lost. */
static bool
shifted_quotient (mpz_ptr z, mpq_srcptr q, long shift)
{
  mpz_t n, d, rest;
  bool lost;

  mpz_init (n);
  mpz_init (d);
  mpz_init (rest);
  mpz_abs (n, mpq_numref (q));
  mpz_set (d, mpq_denref (q));
  if (shift >= 0)
    mpz_mul_2exp (n, n, (mp_bitcnt_t) shift);
  else
    mpz_mul_2exp (d, d, (mp_bitcnt_t) -shift);
  mpz_tdiv_qr (z, rest, n, d);
  lost = mpz_sgn (rest) != 0;
  mpz_clear (n);
  mpz_clear (d);
  mpz_clear (rest);
  return lost;
}

double
number_double (const struct number *n)
{
  mpq_srcptr q = n->value;
  /* The quotient has 63 or 64 bits: 53 that count, and enough to round once, by the last bit. */
  long shift = 64 - ((long) bits_of (mpq_numref (q)) - (long) bits_of (mpq_denref (q)));
  long least = DBL_MANT_DIG - DBL_MIN_EXP; /* of a denormal's last bit */
  uint64_t bits = 0;
  double d;
  mpz_t z;

  if (mpq_sgn (q) == 0)
    return 0;
  if (shift > least + 2)
    shift = least + 2;
  mpz_init (z);
  bool lost = shifted_quotient (z, q, shift);
  if (bits_of (z) > 64) {
    lost |= mpz_odd_p (z);
    mpz_fdiv_q_2exp (z, z, 1);
    shift--;
  }
  mpz_export (&bits, NULL, -1, sizeof bits, 0, 0, z);
  mpz_clear (z);
  /* The cast rounds 64 bits to 53, the lost rest breaks its ties; denormals are rounded by ldexp.
   */
  d = ldexp ((double) (bits | lost), (int) -shift);
  return mpq_sgn (q) < 0 ? -d : d;
}

bool
number_set_double (struct number *n, double d, struct why *why)
{
  n->exact = false;
  if (isnan (d))
    return why_domain (why, "the result is not a number");
  if (isinf (d))
    return why_large (why, too_large);
  mpq_set_d (n->value, d);
  return true;
}

bool
number_settle (struct number *n, struct why *why)
{
  if (n->exact && bits_of (mpq_numref (n->value)) <= NUMBER_BITS
      && bits_of (mpq_denref (n->value)) <= NUMBER_BITS)
    return true;
  return number_set_double (n, number_double (n), why);
}

bool
number_is_integer (const struct number *n)
{
  return mpz_cmp_ui (mpq_denref (n->value), 1) == 0;
}

int
number_sign (const struct number *n)
{
  return mpq_sgn (n->value);
}

int
number_compare (const struct number *a, const struct number *b)
{
  return mpq_cmp (a->value, b->value);
}

/* ---- reading ---- */

/* Multiply by 10^exponent. */
static void
scale_by_ten (mpq_ptr q, long exponent)
{
  mpz_t power;

  mpz_init (power);
  mpz_ui_pow_ui (power, 10, (unsigned long) labs (exponent));
  if (exponent >= 0)
    mpz_mul (mpq_numref (q), mpq_numref (q), power);
  else
    mpz_mul (mpq_denref (q), mpq_denref (q), power);
  mpq_canonicalize (q);
  mpz_clear (power);
}

/* The exponent after "e"; beyond ±100,000 it does not matter any more. */
static long
read_exponent (const char *text, size_t len)
{
  bool negative = len > 0 && text[0] == '-';
  long value = 0;

  for (size_t i = len > 0 && (text[0] == '-' || text[0] == '+'); i < len; i++)
    if (value < 100000)
      value = value * 10 + (text[i] - '0');
  return negative ? -value : value;
}

bool
number_parse (struct number *n, const char *text, size_t len, struct why *why)
{
  CLEANUP_TEXT struct text digits = { 0 };
  bool point = false;
  long exponent = 0;
  size_t i = 0;

  for (; i < len && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.')
      point = true;
    else if (text[i] != '_') {
      text_add_len (&digits, text + i, 1);
      exponent -= point;
    }
  }
  if (i < len)
    exponent += read_exponent (text + i + 1, len - i - 1);
  if (!text_ok (&digits))
    return why_large (why, "out of memory");
  n->exact = true;
  if (mpz_set_str (mpq_numref (n->value), text_get (&digits), 10) != 0)
    return why_domain (why, "this is not a number");
  mpz_set_ui (mpq_denref (n->value), 1);
  if (mpq_sgn (n->value) == 0)
    return true;
  if (labs (exponent) > NUMBER_BITS / 3)
    return why_large (why, "the exponent of this number is too large");
  scale_by_ten (n->value, exponent);
  return number_settle (n, why);
}

bool
number_parse_base (struct number *n, const char *digits, size_t len, int base, struct why *why)
{
  CLEANUP_TEXT struct text copy = { 0 };

  for (size_t i = 0; i < len; i++)
    if (digits[i] != '_')
      text_add_len (&copy, digits + i, 1);
  if (!text_ok (&copy))
    return why_large (why, "out of memory");
  n->exact = true;
  if (mpz_set_str (mpq_numref (n->value), text_get (&copy), base) != 0)
    return why_domain (why, "this is not a number");
  mpz_set_ui (mpq_denref (n->value), 1);
  return number_settle (n, why);
}

/* ---- arithmetic ---- */

typedef void (*mpq_operation) (mpq_ptr, mpq_srcptr, mpq_srcptr);

static bool
operate (struct number *to, const struct number *a, const struct number *b, mpq_operation operation,
         struct why *why)
{
  bool exact = a->exact && b->exact;

  operation (to->value, a->value, b->value);
  to->exact = exact;
  return number_settle (to, why);
}

bool
number_add (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  return operate (to, a, b, mpq_add, why);
}

bool
number_subtract (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  return operate (to, a, b, mpq_sub, why);
}

bool
number_multiply (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  return operate (to, a, b, mpq_mul, why);
}

bool
number_divide (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  if (number_sign (b) == 0)
    return why_domain (why, by_zero);
  return operate (to, a, b, mpq_div, why);
}

static void
floor_quotient (mpq_ptr to, mpq_srcptr a, mpq_srcptr b)
{
  mpq_div (to, a, b);
  mpz_fdiv_q (mpq_numref (to), mpq_numref (to), mpq_denref (to));
  mpz_set_ui (mpq_denref (to), 1);
}

bool
number_floor_divide (struct number *to, const struct number *a, const struct number *b,
                     struct why *why)
{
  if (number_sign (b) == 0)
    return why_domain (why, by_zero);
  return operate (to, a, b, floor_quotient, why);
}

static void
remainder_of (mpq_ptr to, mpq_srcptr a, mpq_srcptr b)
{
  mpq_t quotient;

  mpq_init (quotient);
  floor_quotient (quotient, a, b);
  mpq_mul (quotient, quotient, b);
  mpq_sub (to, a, quotient);
  mpq_clear (quotient);
}

bool
number_modulo (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  if (number_sign (b) == 0)
    return why_domain (why, by_zero);
  return operate (to, a, b, remainder_of, why);
}

void
number_negate (struct number *to, const struct number *n)
{
  mpq_neg (to->value, n->value);
  to->exact = n->exact;
}

void
number_to_integer (struct number *to, const struct number *n, enum rounding rounding)
{
  CLEANUP_NUMBER struct number half;
  mpz_ptr top = mpq_numref (to->value), bottom = mpq_denref (to->value);

  number_init (&half);
  mpq_set_si (half.value, number_sign (n) < 0 ? -1 : 1, 2);
  number_set (to, n);
  if (rounding == ROUND_NEAREST)
    mpq_add (to->value, to->value, half.value);
  if (rounding == ROUND_FLOOR)
    mpz_fdiv_q (top, top, bottom);
  else if (rounding == ROUND_CEILING)
    mpz_cdiv_q (top, top, bottom);
  else
    mpz_tdiv_q (top, top, bottom);
  mpz_set_ui (bottom, 1);
}

/* ---- powers and roots ---- */

bool
number_exact_root (struct number *to, const struct number *a, unsigned long degree)
{
  CLEANUP_NUMBER struct number root;

  number_init (&root);
  if (!a->exact || (number_sign (a) < 0 && degree % 2 == 0))
    return false;
  if (mpz_root (mpq_numref (root.value), mpq_numref (a->value), degree) == 0
      || mpz_root (mpq_denref (root.value), mpq_denref (a->value), degree) == 0)
    return false;
  number_set (to, &root);
  return true;
}

/* a^exponent, exact; false: it would be larger than a fraction may become. */
static bool
exact_integer_power (struct number *to, const struct number *a, long exponent)
{
  unsigned long times = (unsigned long) labs (exponent);
  size_t bits = bits_of (mpq_numref (a->value));
  size_t below = bits_of (mpq_denref (a->value));

  if (below > bits)
    bits = below;
  if (bits > 1 && times > NUMBER_BITS / (bits - 1))
    return false;
  /* 0, 1 and -1 never grow: an exponent as odd or even as this one, and not 0, will do. */
  if (bits == 1 && times > 2)
    times = 2 - times % 2;
  mpz_pow_ui (mpq_numref (to->value), mpq_numref (a->value), times);
  mpz_pow_ui (mpq_denref (to->value), mpq_denref (a->value), times);
  if (exponent < 0)
    mpq_inv (to->value, to->value);
  to->exact = true;
  return bits_of (mpq_numref (to->value)) <= NUMBER_BITS
         && bits_of (mpq_denref (to->value)) <= NUMBER_BITS;
}

/* a^(n/d), where it is an exact number. */
static bool
exact_power (struct number *to, const struct number *a, const struct number *b)
{
  enum { DEGREE_MAX = 64 };
  CLEANUP_NUMBER struct number root, result;
  mpz_srcptr top = mpq_numref (b->value), bottom = mpq_denref (b->value);

  number_init (&root);
  number_init (&result);
  if (!a->exact || !b->exact || !mpz_fits_slong_p (top) || mpz_get_si (top) == LONG_MIN
      || mpz_cmp_ui (bottom, DEGREE_MAX) > 0)
    return false;
  if (mpz_cmp_ui (bottom, 1) == 0)
    number_set (&root, a);
  else if (number_sign (a) < 0 || !number_exact_root (&root, a, mpz_get_ui (bottom)))
    return false;
  if (!exact_integer_power (&result, &root, mpz_get_si (top)))
    return false;
  number_set (to, &result);
  return true;
}

bool
number_power (struct number *to, const struct number *a, const struct number *b, struct why *why)
{
  if (number_sign (a) == 0 && number_sign (b) < 0)
    return why_domain (why, "0 to a negative power is a division by zero");
  if (number_sign (a) < 0 && !number_is_integer (b))
    return why_domain (why, "a negative number to a power that is no integer; for the third root "
                            "write cbrt (x)");
  if (exact_power (to, a, b))
    return true;
  return number_set_double (to, pow (number_double (a), number_double (b)), why);
}

bool
number_factorial (struct number *to, const struct number *n, struct why *why)
{
  enum { FACTORIAL_MAX = 5900 }; /* about as much as NUMBER_BITS hold */
  bool exact = n->exact;

  if (!number_is_integer (n) || number_sign (n) < 0)
    return why_domain (why, "the factorial needs an integer that is not negative");
  if (mpz_cmp_ui (mpq_numref (n->value), FACTORIAL_MAX) > 0)
    return why_large (why, "the factorial of a number over 5900 is too large");
  mpz_fac_ui (mpq_numref (to->value), mpz_get_ui (mpq_numref (n->value)));
  mpz_set_ui (mpq_denref (to->value), 1);
  to->exact = exact;
  return number_settle (to, why);
}

/* ---- writing ---- */

/* The exponent e for which 10^e <= abs (n) < 10^(e+1). */
static long
decimal_exponent (const struct number *n)
{
  CLEANUP_NUMBER struct number size, power;
  long e = (long) mpz_sizeinbase (mpq_numref (n->value), 10)
           - (long) mpz_sizeinbase (mpq_denref (n->value), 10);

  number_init (&size);
  number_init (&power);
  mpq_abs (size.value, n->value);
  /* The estimate is at most two too high or one too low. */
  for (e += 2;; e--) {
    mpq_set_ui (power.value, 1, 1);
    scale_by_ten (power.value, e);
    if (mpq_cmp (size.value, power.value) >= 0)
      return e;
  }
}

/* The decimal digits of abs (n) rounded to `digits` of them, without zeros at the end; from malloc.
 * *exponent is that of the first digit. */
static char *
rounded_digits (const struct number *n, int digits, long *exponent)
{
  CLEANUP_NUMBER struct number scaled;
  char *text;
  size_t len;

  *exponent = decimal_exponent (n);
  number_init (&scaled);
  mpq_abs (scaled.value, n->value);
  scale_by_ten (scaled.value, digits - 1 - *exponent);
  number_to_integer (&scaled, &scaled, ROUND_NEAREST);
  text = malloc (mpz_sizeinbase (mpq_numref (scaled.value), 10) + 2);
  if (text == NULL)
    return NULL;
  mpz_get_str (text, 10, mpq_numref (scaled.value));
  len = strlen (text);
  *exponent += (long) len - digits; /* 9.99 became 10.0 */
  while (len > 1 && text[len - 1] == '0')
    text[--len] = '\0';
  return text;
}

/* Digits as "123.4", "0.0012" or "1.2e+30": no long row of zeros stands for digits that were
 * rounded away. */
static void
place_point (const char *digits, long exponent, struct text *out)
{
  long len = (long) strlen (digits);

  if (exponent < -7 || (exponent > 15 && exponent >= len) || exponent > 40) {
    text_addf (out, "%c%s%se%+ld", digits[0], len > 1 ? "." : "", digits + 1, exponent);
    return;
  }
  if (exponent < 0)
    text_add (out, "0.");
  for (long zeros = -1; zeros > exponent; zeros--)
    text_add (out, "0");
  for (long i = 0; i < len; i++) {
    if (i == exponent + 1 && exponent >= 0)
      text_add (out, ".");
    text_add_len (out, digits + i, 1);
  }
  for (long i = len; i <= exponent; i++)
    text_add (out, "0");
}

static void
write_digits (const struct number *n, int digits, struct text *out)
{
  long exponent;
  char *text;

  if (number_sign (n) == 0) {
    text_add (out, "0");
    return;
  }
  text = rounded_digits (n, digits, &exponent);
  if (text == NULL) {
    out->failed = true;
    return;
  }
  if (number_sign (n) < 0)
    text_add (out, "-");
  place_point (text, exponent, out);
  free (text);
}

/* Is the number a decimal fraction of at most that many digits? */
static bool
decimal_fits (const struct number *n, int digits)
{
  CLEANUP_NUMBER struct number scaled;

  if (number_sign (n) == 0)
    return true;
  number_init (&scaled);
  number_set (&scaled, n);
  scale_by_ten (scaled.value, digits - 1 - decimal_exponent (n));
  return number_is_integer (&scaled);
}

/* Digits of an exact number when nobody said how many. */
enum { DIGITS_IN_FULL = 40, DIGITS_OTHERWISE = 16 };

bool
number_decimal_is_exact (const struct number *n, int digits)
{
  return number_is_integer (n) || decimal_fits (n, digits != 0 ? digits : DIGITS_IN_FULL);
}

static void
write_integer (const struct number *n, struct text *out)
{
  mpz_srcptr z = mpq_numref (n->value);
  char *text = malloc (mpz_sizeinbase (z, 10) + 2);

  if (text == NULL) {
    out->failed = true;
    return;
  }
  text_add (out, mpz_get_str (text, 10, z));
  free (text);
}

/* With the fewest digits from 15 on that read back as the same double. */
static void
write_shortest (const struct number *n, struct text *out)
{
  double d = number_double (n);

  for (int digits = 15; digits <= DBL_DECIMAL_DIG; digits++) {
    CLEANUP_TEXT struct text attempt = { 0 };

    write_digits (n, digits, &attempt);
    if (digits == DBL_DECIMAL_DIG || strtod (text_get (&attempt), NULL) == d) {
      text_add (out, text_get (&attempt));
      out->failed |= attempt.failed;
      return;
    }
  }
}

void
number_decimal (const struct number *n, int digits, struct text *out)
{
  if (number_is_integer (n) && (n->exact || bits_of (mpq_numref (n->value)) <= DBL_MANT_DIG))
    write_integer (n, out);
  else if (!n->exact && (digits == 0 || digits > DBL_DECIMAL_DIG))
    write_shortest (n, out);
  else if (digits != 0)
    write_digits (n, digits, out);
  else
    write_digits (n, decimal_fits (n, DIGITS_IN_FULL) ? DIGITS_IN_FULL : DIGITS_OTHERWISE, out);
}

void
number_fraction (const struct number *n, struct text *out)
{
  char *text = mpq_get_str (NULL, 10, n->value);
  void (*release) (void *, size_t);

  text_add (out, text);
  mp_get_memory_functions (NULL, NULL, &release);
  release (text, strlen (text) + 1);
}

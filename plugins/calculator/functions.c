#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char needs_integers[] = "this function needs integers";

typedef bool run_function (const struct function *f, struct number *args, size_t count,
                           struct number *out, struct why *why);

static bool
all_integers (const struct number *args, size_t count, struct why *why)
{
  for (size_t i = 0; i < count; i++)
    if (!number_is_integer (&args[i]))
      return why_domain (why, needs_integers);
  return true;
}

/* ---- through doubles ---- */

static bool
run_real (const struct function *f, struct number *args, size_t count, struct number *out,
          struct why *why)
{
  double d;

  (void) count;
  if (f->has_exact && args->exact && mpq_cmp_si (args->value, f->at, 1) == 0) {
    mpq_set_si (out->value, f->gives, 1);
    return true;
  }
  d = f->real (number_double (args));
  if (f->domain != NULL && !isfinite (d))
    return why_domain (why, f->domain);
  return number_set_double (out, d, why);
}

static bool
run_atan2 (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  (void) f, (void) count;
  if (number_sign (&args[0]) == 0 && number_sign (&args[1]) == 0)
    return why_domain (why, "atan2 (0, 0) has no value");
  return number_set_double (out, atan2 (number_double (&args[0]), number_double (&args[1])), why);
}

static double
degrees (double d)
{
  return d * 180 / pi;
}

static double
radians (double d)
{
  return d * pi / 180;
}

/* ---- roots ---- */

static bool
run_sqrt (const struct function *f, struct number *args, size_t count, struct number *out,
          struct why *why)
{
  return number_exact_root (out, args, 2) || run_real (f, args, count, out, why);
}

static bool
run_cbrt (const struct function *f, struct number *args, size_t count, struct number *out,
          struct why *why)
{
  return number_exact_root (out, args, 3) || run_real (f, args, count, out, why);
}

static bool
run_hypot (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  CLEANUP_NUMBER struct number sum, square;

  (void) f, (void) count;
  number_init (&sum);
  number_init (&square);
  if (args[0].exact && args[1].exact && number_multiply (&sum, &args[0], &args[0], why)
      && number_multiply (&square, &args[1], &args[1], why) && number_add (&sum, &sum, &square, why)
      && number_exact_root (out, &sum, 2))
    return true;
  return number_set_double (out, hypot (number_double (&args[0]), number_double (&args[1])), why);
}

static bool
run_power (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  (void) f, (void) count;
  return number_power (out, &args[0], &args[1], why);
}

/* ---- logarithms ---- */

static long double
log_of_integer (mpz_srcptr z)
{
  long exponent;
  double mantissa = mpz_get_d_2exp (&exponent, z);
  return logl (mantissa) + (long double) exponent * logl (2);
}

/* Also of numbers that no double can hold. */
static double
log_of (const struct number *n)
{
  double d = number_double (n);

  if (isnormal (d))
    return log (d);
  return (double) (log_of_integer (mpq_numref (n->value)) - log_of_integer (mpq_denref (n->value)));
}

/* The integer power of `base` that is exactly x. */
static bool
exact_log (struct number *out, const struct number *x, const struct number *base, double estimate)
{
  CLEANUP_NUMBER struct number power, exponent;
  struct why why;

  number_init (&power);
  number_init (&exponent);
  if (!x->exact || !base->exact || fabs (estimate) > NUMBER_BITS)
    return false;
  mpq_set_si (exponent.value, lround (estimate), 1);
  if (!number_power (&power, base, &exponent, &why) || !power.exact
      || number_compare (&power, x) != 0)
    return false;
  number_set (out, &exponent);
  return true;
}

static bool
log_in_base (const struct number *x, const struct number *base, double (*of_double) (double),
             struct number *out, struct why *why)
{
  double d = number_double (x), estimate;

  if (number_sign (x) <= 0)
    return why_domain (why, "the logarithm needs a number greater than 0");
  estimate = of_double != NULL && isnormal (d) ? of_double (d) : log_of (x) / log_of (base);
  return exact_log (out, x, base, estimate) || number_set_double (out, estimate, why);
}

static bool
run_log (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f, (void) count;
  if (number_sign (&args[1]) <= 0 || mpq_cmp_ui (args[1].value, 1, 1) == 0)
    return why_domain (why, "the base of a logarithm is greater than 0 and is not 1");
  return log_in_base (&args[0], &args[1], NULL, out, why);
}

/* log2 and log10: the base is in `gives`. */
static bool
run_log_fixed (const struct function *f, struct number *args, size_t count, struct number *out,
               struct why *why)
{
  CLEANUP_NUMBER struct number base;

  (void) count;
  number_init (&base);
  mpq_set_si (base.value, f->gives, 1);
  return log_in_base (args, &base, f->real, out, why);
}

static bool
run_ln (const struct function *f, struct number *args, size_t count, struct number *out,
        struct why *why)
{
  (void) f, (void) count;
  if (number_sign (args) <= 0)
    return why_domain (why, "the logarithm needs a number greater than 0");
  if (args->exact && mpq_cmp_ui (args->value, 1, 1) == 0)
    return true;
  return number_set_double (out, log_of (args), why);
}

/* ---- rounding ---- */

static bool
run_floor (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  (void) f, (void) count, (void) why;
  number_to_integer (out, args, ROUND_FLOOR);
  return true;
}

static bool
run_ceil (const struct function *f, struct number *args, size_t count, struct number *out,
          struct why *why)
{
  (void) f, (void) count, (void) why;
  number_to_integer (out, args, ROUND_CEILING);
  return true;
}

static bool
run_trunc (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  (void) f, (void) count, (void) why;
  number_to_integer (out, args, ROUND_TRUNCATE);
  return true;
}

/* round (x), or round (x, n): to n digits after the point, n < 0: before it. */
static bool
run_round (const struct function *f, struct number *args, size_t count, struct number *out,
           struct why *why)
{
  CLEANUP_NUMBER struct number ten, scale;

  (void) f;
  number_init (&ten);
  number_init (&scale);
  mpq_set_ui (ten.value, 10, 1);
  mpq_set_ui (scale.value, 1, 1);
  if (count == 2) {
    if (!number_is_integer (&args[1]) || mpq_cmp_si (args[1].value, 1000, 1) > 0
        || mpq_cmp_si (args[1].value, -1000, 1) < 0)
      return why_domain (why, "the digits to round to are an integer from -1000 to 1000");
    if (!number_power (&scale, &ten, &args[1], why))
      return false;
  }
  mpq_mul (args[0].value, args[0].value, scale.value);
  number_to_integer (out, &args[0], ROUND_NEAREST);
  mpq_div (out->value, out->value, scale.value);
  return true;
}

/* ---- of many numbers ---- */

static bool
run_extreme (const struct function *f, struct number *args, size_t count, struct number *out,
             struct why *why)
{
  size_t best = 0;

  (void) why;
  for (size_t i = 1; i < count; i++)
    if (number_compare (&args[i], &args[best]) * f->gives > 0)
      best = i;
  number_set (out, &args[best]);
  return true;
}

static bool
run_sum (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f;
  for (size_t i = 0; i < count; i++)
    if (!number_add (out, out, &args[i], why))
      return false;
  return true;
}

static bool
run_avg (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  CLEANUP_NUMBER struct number n;

  number_init (&n);
  mpq_set_ui (n.value, count, 1);
  return run_sum (f, args, count, out, why) && number_divide (out, out, &n, why);
}

static bool
run_gcd (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f;
  if (!all_integers (args, count, why))
    return false;
  for (size_t i = 0; i < count; i++)
    mpz_gcd (mpq_numref (out->value), mpq_numref (out->value), mpq_numref (args[i].value));
  return true;
}

static bool
run_lcm (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f;
  if (!all_integers (args, count, why))
    return false;
  mpq_set_ui (out->value, 1, 1);
  for (size_t i = 0; i < count; i++) {
    mpz_lcm (mpq_numref (out->value), mpq_numref (out->value), mpq_numref (args[i].value));
    if (!number_settle (out, why))
      return false;
    if (!out->exact)
      return why_large (why, "the least common multiple is too large");
  }
  return true;
}

/* ---- of integers ---- */

static bool
run_factorial (const struct function *f, struct number *args, size_t count, struct number *out,
               struct why *why)
{
  (void) f, (void) count;
  return number_factorial (out, args, why);
}

/* n and k of nCr and nPr. */
static bool
check_choice (const struct number *args, struct why *why)
{
  if (!all_integers (args, 2, why))
    return false;
  if (number_sign (&args[0]) < 0 || number_sign (&args[1]) < 0)
    return why_domain (why, "this function needs integers that are not negative");
  return true;
}

/* Is the product of k numbers of at least that many bits too large? */
static bool
product_too_large (mpz_srcptr k, size_t bits_of_each)
{
  return mpz_cmp_ui (k, NUMBER_BITS) > 0 || mpz_get_ui (k) * bits_of_each > 2 * NUMBER_BITS;
}

static bool
run_ncr (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  mpz_ptr n = mpq_numref (args[0].value), k = mpq_numref (args[1].value);
  mpz_ptr other = mpq_numref (out->value);
  size_t n_bits = mpz_sizeinbase (n, 2), k_bits;

  (void) f, (void) count;
  if (!check_choice (args, why))
    return false;
  if (mpz_cmp (k, n) > 0)
    return true;
  mpz_sub (other, n, k);
  if (mpz_cmp (other, k) < 0)
    mpz_set (k, other);
  k_bits = mpz_sizeinbase (k, 2);
  /* C (n, k) is at least (n / k)^k. */
  if (product_too_large (k, n_bits > k_bits + 1 ? n_bits - k_bits - 1 : 0))
    return why_large (why, "the number of combinations is too large");
  mpz_bin_ui (mpq_numref (out->value), n, mpz_get_ui (k));
  return true;
}

static bool
run_npr (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  mpz_ptr n = mpq_numref (args[0].value), k = mpq_numref (args[1].value);
  mpz_ptr product = mpq_numref (out->value);

  (void) f, (void) count;
  if (!check_choice (args, why))
    return false;
  if (mpz_cmp (k, n) > 0)
    return true;
  if (product_too_large (k, mpz_sizeinbase (k, 2) - 1))
    return why_large (why, "the number of permutations is too large");
  mpz_set_ui (product, 1);
  for (unsigned long i = mpz_get_ui (k); i > 0; i--) {
    mpz_mul (product, product, n);
    mpz_sub_ui (n, n, 1);
    if (mpz_sizeinbase (product, 2) > NUMBER_BITS)
      return why_large (why, "the number of permutations is too large");
  }
  return true;
}

static bool
run_abs (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f, (void) count, (void) why;
  mpq_abs (out->value, args->value);
  return true;
}

static bool
run_sign (const struct function *f, struct number *args, size_t count, struct number *out,
          struct why *why)
{
  (void) f, (void) count, (void) why;
  mpq_set_si (out->value, number_sign (args), 1);
  return true;
}

static bool
run_mod (const struct function *f, struct number *args, size_t count, struct number *out,
         struct why *why)
{
  (void) f, (void) count;
  return number_modulo (out, &args[0], &args[1], why);
}

/* ---- the table ---- */

#define REAL(name, function, domain, at, gives)                                                    \
  {                                                                                                \
    name, 1, 1, run_real, function, domain, at, gives, true                                        \
  }

static const char within_one[] = "this function needs a number from -1 to 1";

static const struct function functions[] = {
  { "abs", 1, 1, run_abs, NULL, NULL, 0, 0, false },
  REAL ("acos", acos, within_one, 1, 0),
  REAL ("acosh", acosh, "acosh needs a number of at least 1", 1, 0),
  REAL ("asin", asin, within_one, 0, 0),
  REAL ("asinh", asinh, NULL, 0, 0),
  REAL ("atan", atan, NULL, 0, 0),
  { "atan2", 2, 2, run_atan2, NULL, NULL, 0, 0, false },
  REAL ("atanh", atanh, "atanh needs a number between -1 and 1", 0, 0),
  { "avg", 1, ARGUMENTS_ANY, run_avg, NULL, NULL, 0, 0, false },
  { "cbrt", 1, 1, run_cbrt, cbrt, NULL, 0, 0, false },
  { "ceil", 1, 1, run_ceil, NULL, NULL, 0, 0, false },
  REAL ("cos", cos, NULL, 0, 1),
  REAL ("cosh", cosh, NULL, 0, 1),
  REAL ("deg", degrees, NULL, 0, 0),
  REAL ("exp", exp, NULL, 0, 1),
  { "factorial", 1, 1, run_factorial, NULL, NULL, 0, 0, false },
  { "floor", 1, 1, run_floor, NULL, NULL, 0, 0, false },
  { "gcd", 1, ARGUMENTS_ANY, run_gcd, NULL, NULL, 0, 0, false },
  { "hypot", 2, 2, run_hypot, NULL, NULL, 0, 0, false },
  { "lcm", 1, ARGUMENTS_ANY, run_lcm, NULL, NULL, 0, 0, false },
  { "ln", 1, 1, run_ln, NULL, NULL, 0, 0, false },
  { "log", 2, 2, run_log, NULL, NULL, 0, 0, false },
  { "log10", 1, 1, run_log_fixed, log10, NULL, 0, 10, false },
  { "log2", 1, 1, run_log_fixed, log2, NULL, 0, 2, false },
  { "max", 1, ARGUMENTS_ANY, run_extreme, NULL, NULL, 0, 1, false },
  { "min", 1, ARGUMENTS_ANY, run_extreme, NULL, NULL, 0, -1, false },
  { "mod", 2, 2, run_mod, NULL, NULL, 0, 0, false },
  { "nCr", 2, 2, run_ncr, NULL, NULL, 0, 0, false },
  { "nPr", 2, 2, run_npr, NULL, NULL, 0, 0, false },
  { "pow", 2, 2, run_power, NULL, NULL, 0, 0, false },
  REAL ("rad", radians, NULL, 0, 0),
  { "round", 1, 2, run_round, NULL, NULL, 0, 0, false },
  { "sign", 1, 1, run_sign, NULL, NULL, 0, 0, false },
  REAL ("sin", sin, NULL, 0, 0),
  REAL ("sinh", sinh, NULL, 0, 0),
  { "sqrt", 1, 1, run_sqrt, sqrt, "the square root of a negative number is no real number", 0, 0,
    false },
  { "sum", 1, ARGUMENTS_ANY, run_sum, NULL, NULL, 0, 0, false },
  REAL ("tan", tan, NULL, 0, 0),
  REAL ("tanh", tanh, NULL, 0, 0),
  { "trunc", 1, 1, run_trunc, NULL, NULL, 0, 0, false },
};

static const struct constant {
  const char *name;
  double value;
} constants[] = {
  { "pi", 3.14159265358979323846 },       { "e", 2.71828182845904523536 },
  { "tau", 6.28318530717958647692 },      { "\xCF\x80", 3.14159265358979323846 },
  { "\xCF\x84", 6.28318530717958647692 },
};

enum {
  FUNCTIONS = sizeof functions / sizeof *functions,
  CONSTANTS = sizeof constants / sizeof *constants
};

const struct function *
function_find (const char *name)
{
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (strcmp (functions[i].name, name) == 0)
      return &functions[i];
  return NULL;
}

bool
function_call (const struct function *f, struct number *args, size_t count, struct number *out,
               struct why *why)
{
  bool exact = true;

  for (size_t i = 0; i < count; i++)
    exact &= args[i].exact;
  mpq_set_ui (out->value, 0, 1);
  out->exact = true;
  if (!f->run (f, args, count, out, why))
    return false;
  out->exact &= exact;
  return number_settle (out, why);
}

bool
constant_find (const char *name, double *value)
{
  for (size_t i = 0; i < CONSTANTS; i++)
    if (strcmp (constants[i].name, name) == 0) {
      *value = constants[i].value;
      return true;
    }
  return false;
}

void
functions_offer (struct near *near)
{
  for (size_t i = 0; i < FUNCTIONS; i++)
    near_offer (near, functions[i].name);
}

void
constants_offer (struct near *near)
{
  for (size_t i = 0; i < CONSTANTS; i++)
    near_offer (near, constants[i].name);
}

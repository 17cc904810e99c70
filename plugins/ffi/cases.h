/* cases.h - functions of all kinds, for the tests of the plugin. */
#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASES_API __attribute__ ((visibility ("default")))
#define LABEL_LEN 8

#ifdef __cplusplus
extern "C" {
#endif

enum colour { RED, GREEN = 5, BLUE };

typedef struct point {
  double x, y;
} point;

/* A rectangle with a name. */
struct rect {
  point from, to;
  char label[LABEL_LEN];
  int16_t tags[3];
};

typedef struct counter counter;

/** Search the web.
 *
 * @param query What to look for.
 * @param num_results How many results to give.
 * @return What was found, a line each.
 */
CASES_API char *web_search (const char *query, int num_results);

/// The point between two others.
/// @param a one of them
/// @param b the other
CASES_API point middle (point a, point b);

/** Divide with a remainder.
 * @param[out] quotient rounded to zero
 * @param[out] remainder has the sign of a */
CASES_API int divide (int a, int b, int *quotient, int *remainder);

/* The sum of all values. */
CASES_API double sum (const double *values, size_t count);

CASES_API enum colour next_colour (enum colour c);
CASES_API void grow (struct rect *r, double by);
CASES_API int sum_ints (int count, ...);
CASES_API counter *counter_open (const char *name);
CASES_API int counter_add (counter *c, int by);
CASES_API const char *counter_error (counter *c);
CASES_API void counter_close (counter *c);
CASES_API void each (void (*what) (int), int times);

#ifdef __cplusplus
}
#endif

#endif

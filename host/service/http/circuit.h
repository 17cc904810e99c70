/* circuit.h - servers that failed several times in a row are left alone for a while: a circuit
 * breaker for each.  Zero-initialised; the clock is the caller's, in seconds.
 *
 *   closed     requests go out; CIRCUIT_FAILURES failures in a row open it
 *   open       none do, for CIRCUIT_OPEN seconds, doubling each time up to CIRCUIT_OPEN_MAX
 *   half-open  one goes out: if it is answered the circuit closes, if it fails it opens again
 */
#ifndef TOOLHOST_SERVICE_HTTP_CIRCUIT_H
#define TOOLHOST_SERVICE_HTTP_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>

enum { CIRCUIT_FAILURES = 5, CIRCUITS_MAX = 1024 };
static const double CIRCUIT_OPEN_FOR = 5, CIRCUIT_OPEN_MAX = 300;

struct http_circuit;
struct circuits {
  struct http_circuit *table; /* those that failed last */
  unsigned count;
};

/* 0: the request may go out.  Else the seconds after which another try is worth while. */
double circuits_admit (struct circuits *circuits, const char *key, double now);
/* What came of one that was admitted.  True: that opened the circuit. */
bool circuits_report (struct circuits *circuits, const char *key, bool good, double now);
/* One that was admitted was given up before anybody could know. */
void circuits_undecided (struct circuits *circuits, const char *key);
void circuits_clear (struct circuits *circuits);

#endif

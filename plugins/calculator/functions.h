/* functions.h - the functions and constants an expression can name. */
#ifndef TOOLHOST_CALCULATOR_FUNCTIONS_H
#define TOOLHOST_CALCULATOR_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../common/near.h"
#include "number.h"

struct function {
  const char *name;
  unsigned least, most; /* arguments */
  bool (*run) (const struct function *f, struct number *args, size_t count, struct number *out,
               struct why *why);
  double (*real) (double); /* of functions that doubles are used for */
  const char *domain;      /* what is wrong where `real` has no value; NULL: only too large */
  int at, gives;           /* the one argument of `real` with an exact result, if has_exact */
  bool has_exact;
};

/* No limit to the arguments. */
enum { ARGUMENTS_ANY = 100000 };

/* NULL: no such function. */
const struct function *function_find (const char *name);
/* Call it; the number of arguments has been checked.  May change the arguments. */
bool function_call (const struct function *f, struct number *args, size_t count, struct number *out,
                    struct why *why);
bool constant_find (const char *name, double *value);

void functions_offer (struct near *near);
void constants_offer (struct near *near);

#endif

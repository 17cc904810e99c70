/* eval.h - calculate an expression: precedence climbing over the lexer's tokens.
 *
 * From weak to strong: comparisons (of the whole expression only), + and -, * / // %, signs, ^
 * (from right to left), !.  Knows nothing of tools: variables and the wish to stop come from the
 * caller. */
#ifndef TOOLHOST_CALCULATOR_EVAL_H
#define TOOLHOST_CALCULATOR_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "../common/near.h"
#include "../common/text.h"
#include "number.h"

enum { EVAL_DEPTH_MAX = 100, EVAL_NAME_MAX = 64 };

/* What an expression stands in. */
struct eval_scope {
  /* Set the number of a variable; false: there is none, or *why says what is wrong with it. */
  bool (*variable) (void *ctx, const char *name, struct number *n, struct why *why);
  /* Offer the variables' names. */
  void (*offer) (void *ctx, struct near *near);
  /* Asked often: stop? */
  bool (*stopped) (void *ctx);
  void *ctx;
};

struct eval_result {
  bool is_truth; /* of a comparison: only `truth` and number.exact count */
  bool truth;
  struct number number;
};

/* Why there is no result.  Zero-initialise; free with text_free (&error.message). */
struct eval_error {
  const char *code;    /* "calc_syntax_error", … */
  size_t position;     /* of the character, from 1 */
  struct text message; /* "position 3: …", and the expression with a mark below that place */
};

/* True: the result's number is initialised and the caller clears it. */
bool eval (const char *expression, size_t len, const struct eval_scope *scope,
           struct eval_result *result, struct eval_error *error);

#endif

/* problem.h - all that is wrong with documents: where, by a code, in a sentence.  One thread. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_PROBLEM_H
#define TOOLHOST_PLUGINS_ACTIONS_PROBLEM_H

#include "../common/text.h"
#include "../common/value.h"

enum { PROBLEMS_MAX = 100 /* told; the others are counted */ };

/* Where something stands in the document that is read: a chain up to its root. */
struct place {
  const struct place *in;
  const char *name; /* a member's, or NULL: an item … */
  size_t index;     /* … of this index */
};

struct problem {
  const char *pointer, *code, *message, *hint; /* hint: "" when there is none */
};

struct problems {
  struct values *pool;
  struct problem list[PROBLEMS_MAX];
  size_t count; /* all that were found */
  /* what is no mistake, but will not do what was meant */
  struct problem warnings[PROBLEMS_MAX];
  size_t warned;
};

/* Tell one; the hint may be NULL.  Returns false. */
bool problem (struct problems *problems, const struct place *at, const char *code, const char *hint,
              const char *fmt, ...) __attribute__ ((format (printf, 5, 6)));
void problem_warn (struct problems *problems, const struct place *at, const char *code,
                   const char *hint, const char *fmt, ...) __attribute__ ((format (printf, 5, 6)));

/* Of misspelt names: the hint is "did you mean …?" of those that are known, which end with NULL. */
bool problem_unknown (struct problems *problems, const struct place *at, const char *code,
                      const char *word, const char *const *known, const char *fmt, ...)
  __attribute__ ((format (printf, 6, 7)));

/* Append the place as a JSON pointer. */
void place_write (struct text *out, const struct place *place);
/* Append the list as JSON. */
void problems_write (struct text *out, const struct problem *list, size_t count);

#endif

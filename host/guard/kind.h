/* kind.h - what the kinds of guards are made of.  For the files of this folder alone. */
#ifndef TOOLHOST_GUARD_KIND_H
#define TOOLHOST_GUARD_KIND_H

#include "guard/guard.h"

enum guard_action {
  ACTION_BLOCK,  /* the value does not go on */
  ACTION_REDACT, /* what was found is replaced */
};

/* What is done about one thing that a guard looks for. */
struct guard_rule {
  const char *what; /* "an email address"; lives as long as the guard */
  enum guard_action action;
  char *replacement; /* "[email]" */
};

/* ---- looking at a text ---- */

struct span {
  size_t start, end;
  const struct guard_rule *rule;
};

/* One text, and what was found in it. */
struct search {
  const char *text; /* good UTF-8 */
  size_t len;
  const char *name; /* of the member that the text is the value of; "" when there is none */
  size_t name_len;
  bool is_number;   /* a number as JSON spells it */
  struct buf spans; /* of struct span; in any order, may overlap */
  int64_t *budget;
};

/* Count steps; false when they are used up, and the search shall end. */
static inline bool
search_pay (struct search *s, size_t steps)
{
  *s->budget -= (int64_t) steps;
  return *s->budget >= 0;
}

enum { STEPS_PER_SPAN = 8 };

/* Note what was found. */
static inline void
search_found (struct search *s, const struct guard_rule *rule, size_t start, size_t end)
{
  struct span span = { start, end, rule };

  *s->budget -= STEPS_PER_SPAN;
  buf_append (&s->spans, &span, sizeof span);
}

/* ---- a kind ---- */

struct reading;

struct guard_kind {
  const char *name;
  const char *const *members; /* of its configuration, besides those of all kinds; ended by NULL */
  /* Compile; false: r->err is set. */
  bool (*read) (struct reading *r);
  void (*free) (void *own);
  /* Look at one text.  NULL: the kind looks at whole values. */
  void (*find) (const struct guard *guard, struct search *search);
  /* Look at a whole value; says is empty, and *budget is counted down. */
  void (*check) (const struct guard *guard, const struct guard_case *one, int64_t *budget,
                 struct guard_says *says);
  bool numbers;  /* numbers are texts for it */
  unsigned cost; /* steps for each 4 bytes of text */
};

extern const struct guard_kind guard_allowlist;
extern const struct guard_kind guard_denylist;
extern const struct guard_kind guard_injection;
extern const struct guard_kind guard_pii;
extern const struct guard_kind guard_regex;
extern const struct guard_kind guard_schema;
extern const struct guard_kind guard_secrets;
extern const struct guard_kind guard_size;

struct guard {
  const struct guard_kind *kind;
  void *own;     /* the kind's */
  char *message; /* "message": for the model, in the place of our own; NULL */
  bool names;    /* member names are looked at */
  bool redacts;
  unsigned cost;       /* steps for each 4 bytes of text: the kind's, or the configuration's */
  unsigned most;       /* the same of a text in which much is found */
  struct guard_at *at; /* where it looks; NULL: everywhere */
};

/* ---- at.c: where in a value it looks ---- */

enum { AT_MOST = 16 };

/* Of "at", a list of JSON pointers in which a step "*" stands for any.  NULL: r->err is set. */
struct guard_at *at_new (struct reading *r, const struct json_node *list);
void at_free (struct guard_at *at);
/* Of the paths in `before`, a bit each, those that go on with this step. */
unsigned at_step (const struct guard_at *at, unsigned before, unsigned depth, const char *name,
                  size_t len);
/* Does one of these paths end here? */
bool at_ends (const struct guard_at *at, unsigned paths, unsigned depth);

/* ---- walk.c: texts of a value ---- */

void walk_check (const struct guard *guard, const struct guard_case *one, int64_t *budget,
                 struct guard_says *says);
void walk_redact (const struct guard *guard, struct buf *text);

#endif

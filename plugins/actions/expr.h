/* expr.h - values with templates in them (S2-16 to S2-18, A2-2 to A2-4), compiled once.
 *
 * In every text, at any depth, {{path}} stands for what is at the path when the action runs.  A
 * text that is exactly one template becomes that value, of whatever type; within other text it is
 * written: strings as they are, everything else as compact JSON.  What was put in is never looked
 * through for templates again, and a "{{" that is not closed is text.  What is not there is null,
 * or nothing within a text. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_EXPR_H
#define TOOLHOST_PLUGINS_ACTIONS_EXPR_H

#include "path.h"

enum { EXPR_TEXT_MAX = 16384 /* bytes of a text */, EXPR_PIECES_MAX = 64 /* of a text */ };

enum expr_kind {
  EXPR_CONSTANT, /* no template in it: the source itself */
  EXPR_PATH,     /* one template alone */
  EXPR_PIECES,   /* text with templates */
  EXPR_ITEMS,
  EXPR_MEMBERS
};

struct expr_piece {
  const char *text; /* or NULL: … */
  size_t len;
  struct path path; /* … what stands there */
};

struct expr {
  enum expr_kind kind;
  const struct value *source; /* as it is canonical: bare paths have their brackets */
  size_t count;
  struct expr_piece *pieces; /* also of EXPR_PATH: one */
  struct expr *parts;        /* of items, and of members in their order */
};

/* What is known while compiling. */
struct scope {
  struct values *pool;
  struct problems *problems;
  const char *const *params;    /* names of parameters, NULL-terminated; NULL: any */
  const char *const *endpoints; /* likewise */
};

/* `bare`: a text that is a path with a root ("params", "user.id") is a template, too (U2-3).
 * False: there were problems. */
bool expr_read (struct expr *expr, const struct scope *scope, const struct place *at,
                const struct value *source, bool bare);

/* Is this path one that can be looked up?  A path to a webhook's answer finds its endpoint here. */
bool expr_check_path (const struct scope *scope, const struct place *at, struct path *path);

/* What gives the values; NULL: there is nothing there. */
struct lookup {
  const struct value *(*find) (void *ctx, const struct path *path);
  void *ctx;
  struct values *pool;
};

const struct value *expr_value (const struct expr *expr, const struct lookup *lookup);
/* Append a value as it stands within a text. */
void expr_embed (struct text *out, const struct value *value);

#endif

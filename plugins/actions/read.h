/* read.h - members of the objects that documents are made of, with all that is wrong told. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_READ_H
#define TOOLHOST_PLUGINS_ACTIONS_READ_H

#include "expr.h"

/* An object that is read. */
struct reading {
  const struct scope *scope;
  const struct place *at;
  const struct value *object;
  bool good; /* nothing was wrong so far */
};

/* Begin; false: it is no object, which was told. */
bool read_begin (struct reading *r, const struct scope *scope, const struct place *at,
                 const struct value *object);
/* It has no members but these, a NULL-terminated list. */
void read_known (struct reading *r, const char *const *names);
/* Something is wrong with a member. */
void read_wrong (struct reading *r, const char *name, const char *code, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));
void read_hint (struct reading *r, const char *name, const char *code, const char *hint,
                const char *fmt, ...) __attribute__ ((format (printf, 5, 6)));

/* A member; NULL: it is not there.  `required`: that is told. */
const struct value *read_value (struct reading *r, const char *name, bool required);
/* One of several spellings of a member (A2-1), NULL-terminated; *name is the one that stands there.
 * Two that differ are told, as is none at all, by the first of them. */
const struct value *read_spelling (struct reading *r, const char *const *names, bool required,
                                   const char **name);
/* A text without U+0000 of 1 to `max` bytes; NULL: it is not there, or is none, which was told. */
const char *read_text (struct reading *r, const char *name, bool required, size_t max);
bool read_bool (struct reading *r, const char *name, bool otherwise);
int64_t read_int (struct reading *r, const char *name, int64_t min, int64_t max, int64_t otherwise);
/* A list of at most `max` items; NULL: it is not there, or is none. */
const struct value *read_list (struct reading *r, const char *name, bool required, size_t max);

/* A value with templates, that of the member of this name.  False: there were problems. */
bool read_expr (struct reading *r, const char *name, struct expr *expr, const struct value *value,
                bool bare);

#endif

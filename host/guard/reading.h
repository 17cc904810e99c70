/* reading.h - the configuration of one guard, member by member.  For the files of this folder
 * alone.
 *
 * Functions that return bool return false when what stands there is wrong; then err says what,
 * after its JSON pointer.  A member that is absent leaves the value as it was. */
#ifndef TOOLHOST_GUARD_READING_H
#define TOOLHOST_GUARD_READING_H

#include "guard/kind.h"

struct reading {
  const struct json_tape *tape;
  const struct json_node *config; /* an object */
  struct guard *guard;            /* being made */
  struct arena arena;             /* gone when it is made */
  struct error *err;
};

enum { REPLACEMENT_MOST = 256 };

/* NULL when absent. */
const struct json_node *reading_member (const struct reading *r, const char *name);

bool reading_bool (struct reading *r, const char *name, bool *value);
bool reading_size (struct reading *r, const char *name, uint64_t most, uint64_t *value);
/* A text without U+0000, of 1 to `most` bytes; *text, if there was one, is freed. */
bool reading_text (struct reading *r, const char *name, size_t most, char **text);
/* One of some words: its place among them. */
bool reading_word (struct reading *r, const char *name, const char *const *words, unsigned *place);
/* A node that is to be one of some words; `pointer` is said in err. */
bool reading_word_at (struct reading *r, const struct json_node *node, const char *pointer,
                      const char *const *words, unsigned *place);
/* "kinds": a list of some words, of which wanted[i] is set; absent: all of them are.  `example` is
 * two of them as they stand in a list. */
bool reading_kinds (struct reading *r, const char *const *words, const char *example, bool *wanted);
/* Are all members of an object known? `known` and `more` end with NULL; `more` may be NULL. */
bool reading_known (struct reading *r, const struct json_node *object, const char *pointer,
                    const char *const *known, const char *const *more);

/* "action": "block" (when absent) or "redact", and "replacement" in place of `standard`, which is
 * copied. */
bool reading_rule (struct reading *r, const char *what, const char *standard,
                   struct guard_rule *rule);

#endif

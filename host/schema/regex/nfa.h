/* nfa.h - a tree as states with edges, on the way to simple.c.  For that file alone.
 *
 * Lives in an arena of the caller. */
#ifndef TOOLHOST_SCHEMA_REGEX_NFA_H
#define TOOLHOST_SCHEMA_REGEX_NFA_H

#include "schema/regex/tree.h"

enum { NFA_STATES_MAX = 2048, NFA_SETS_MAX = 64, NFA_CLASSES_MAX = 64, NFA_ABOVE_MAX = 64 };

enum nfa_kind {
  NFA_SET,   /* one code point of `set`, then `next` */
  NFA_SPLIT, /* `next` or `other` */
  NFA_START, /* at the start of the text, then `next` */
  NFA_END,   /* at its end, then `next` */
  NFA_MATCH
};

struct nfa_state {
  uint8_t kind;
  uint8_t set;
  uint16_t next;
  uint16_t other;
};

/* Code points from `first` on, up to the next entry's. */
struct nfa_above {
  uint32_t first;
  uint32_t class;
};

struct nfa {
  struct arena *arena;
  struct nfa_state *states;
  uint32_t count;
  uint16_t start;
  const struct regex_set *sets[NFA_SETS_MAX];
  uint32_t sets_count;

  /* code points that no set tells apart are of one class */
  uint32_t classes;
  uint64_t members[NFA_CLASSES_MAX]; /* by class: a bit for each set it is in */
  uint8_t ascii[128];
  struct nfa_above above[NFA_ABOVE_MAX];
  uint32_t above_count;
};

/* False: it takes more than states can do, or too many of them. */
bool nfa_build (struct nfa *nfa, struct arena *arena, const struct regex_node *root);

#endif

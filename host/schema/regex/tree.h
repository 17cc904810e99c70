/* tree.h - a regular expression of ECMA-262 as a tree: read by ecma.c, made a program
 * of by simple.c, or by translate.c for PCRE2.  For the regex files alone.
 *
 * Everything of a tree lives in its arena. */
#ifndef TOOLHOST_SCHEMA_REGEX_TREE_H
#define TOOLHOST_SCHEMA_REGEX_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { CODE_POINT_MAX = 0x10ffff, SURROGATE_FIRST = 0xd800, SURROGATE_LAST = 0xdfff };

#define REGEX_NO_MAX UINT32_MAX /* of a repetition */

struct regex_range {
  uint32_t first;
  uint32_t last;
};

/* One property of Unicode, as PCRE2 spells it: "\p{Lu}". */
struct regex_property {
  const struct regex_property *next;
  const char *text;
};

/* Code points.  Once closed, the ranges are in order, apart from each other, and without
 * surrogates, which no text holds. */
struct regex_set {
  struct regex_range *ranges;
  uint32_t count;
  uint32_t cap;
  const struct regex_property *properties; /* what ranges can't say; mostly NULL */
  bool negated;                            /* ranges and properties are what it is not */
};

enum regex_kind {
  REGEX_SET,       /* one code point */
  REGEX_SEQUENCE,  /* of its children */
  REGEX_CHOICE,    /* of its children */
  REGEX_GROUP,     /* its child */
  REGEX_REPEAT,    /* its child */
  REGEX_LOOK,      /* is its child ahead, or behind? */
  REGEX_START,     /* ^ */
  REGEX_END,       /* $ */
  REGEX_EDGE,      /* \b, or \B */
  REGEX_REFERENCE, /* what a group has matched */
};

struct regex_node {
  enum regex_kind kind;
  struct regex_node *next;  /* among the children of its parent */
  struct regex_node *child; /* the first */
  uint32_t weight;          /* items, when repeated groups are written out */
  union {
    struct regex_set set;
    uint32_t group; /* of a group: its number, 0 when it captures nothing; or of a reference */
    struct {
      uint32_t min;
      uint32_t max;
      bool lazy;
    } repeat;
    struct {
      bool behind;
      bool negated;
    } look;
    bool inside; /* of \B */
  };
};

/* A group with a name, or a reference to one. */
struct regex_name {
  struct regex_name *next;
  const char *text;
  size_t len;
  struct regex_node *node;
};

struct regex_tree {
  bool ignores_case; /* said before it is read: letters stand for both cases of them */
  struct arena arena;
  struct regex_node *root;
  uint32_t groups;     /* that capture */
  uint32_t references; /* back references */
  uint32_t last_group; /* the highest that one of them names by number */
  struct regex_name *names;
  struct regex_name *named_references;
};

/* Read a pattern: to the letter of ECMA-262 with the flag `u` when `strict`, else with what its
 * annex B forgives and tool schemas contain.  False: err says why.  The tree must be given back
 * either way. */
bool regex_tree_read (struct regex_tree *tree, const char *pattern, size_t len, bool strict,
                      struct error *err);
void regex_tree_free (struct regex_tree *tree);

/* False when repetitions of groups multiply to too much: err says so. */
bool regex_tree_check_weight (const struct regex_tree *tree, struct error *err);

/* In PCRE2's syntax, appended to `out`.  False: err says what it does not know. */
bool regex_tree_translate (const struct regex_tree *tree, struct buf *out, struct error *err);

/* False when a back reference of the tree means something else to PCRE2: err says so. */
bool regex_tree_check_references (const struct regex_tree *tree, struct error *err);

static inline void
regex_tree_cleanup (struct regex_tree *tree)
{
  regex_tree_free (tree);
}
#define CLEANUP_REGEX_TREE __attribute__ ((cleanup (regex_tree_cleanup)))

/* ---- sets, set.c ---- */

void regex_set_add (struct arena *arena, struct regex_set *set, uint32_t first, uint32_t last);
/* What \d, \D, \w, \W, \s and \S mean; false for any other letter. */
bool regex_set_add_escape (struct arena *arena, struct regex_set *set, char letter);
/* What "." means. */
void regex_set_add_dot (struct arena *arena, struct regex_set *set);
/* What \p{name} or \P{name} means; false when there is no such property. */
bool regex_set_add_property (struct arena *arena, struct regex_set *set, const char *name,
                             bool negated);
/* The other case of all letters that are in it, as fold.h has them; those of properties alone stay
 * as they are.  Before it is closed. */
void regex_set_fold (struct arena *arena, struct regex_set *set);
/* The end of adding. */
void regex_set_close (struct arena *arena, struct regex_set *set, bool negated);

/* PCRE2's spelling of a property of ECMA-262, NULL when there is none of the name.  May be written
 * to `text`. */
const char *regex_property_name (const char *name, char *text, size_t size, bool *negated);

#endif

/* finding.h - what the walk of explain.c finds wrong: gathered, the same found in several items of
 * an array put together, of two at one place the more telling one kept, and the first of them told
 * in a report.  For the files of the walk. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_FINDING_H
#define TOOLHOST_SCHEMA_EXPLAIN_FINDING_H

#include "schema/check.h"

/* By how telling they are, the most telling first. */
enum finding_kind {
  FOUND_COSTLY, /* nothing was found, the search was given up */
  FOUND_VALUE,  /* not one of `values` */
  FOUND_MARK,   /* the member that tells variants apart has another value */
  FOUND_TYPE,   /* not one of `types` */
  FOUND_MISSING,
  FOUND_DEPENDENT, /* missing, because the member `mark` is there */
  FOUND_UNKNOWN,
  FOUND_NOTHING_ALLOWED,
  FOUND_NUMBER,
  FOUND_FORMAT,
  FOUND_PATTERN,
  FOUND_LENGTH,
  FOUND_REPEATED,
  FOUND_SIZE,
  FOUND_CONTAINS,
  FOUND_SEVERAL, /* variants fit where one must */
  FOUND_EXCLUDED,
  FOUND_REPLACED, /* something deeper, for which errorMessage has a word */
  FOUND_OTHER
};

/* What is said before the first finding behind it; in the arena. */
struct lead {
  struct lead *before;
  const struct branches *branches; /* none fits, `closest` is meant; NULL: of a member's name */
  uint32_t closest;
  struct word mark; /* the member that tells them apart, text NULL: none does */
  bool told;
};

enum { VARIANTS_TOLD = 4 };

struct finding {
  enum finding_kind kind;
  const char *keyword;
  const struct rule *rule;       /* that has the keyword */
  const struct json_node *value; /* or the name of a member */
  const struct json_node *name;  /* of a member that the step does not go into; NULL: none */
  struct word missing;           /* a member that the value should have; text NULL: none */
  const struct rule *about;      /* of that member, or of what is counted or excluded; or NULL */
  const struct values *values;
  const struct branches *branches;
  struct word mark;
  const struct json_node *other; /* the equal item */
  uint32_t count, min, max;
  uint32_t fits[VARIANTS_TOLD]; /* the first of `count` variants */
  uint16_t types;
  bool optional; /* the member may be left out */
  /* set by found() */
  struct lead *lead;
  const struct json_node *told_as; /* what errorMessage says; NULL: nothing */
};

/* One rule looking at one value; on the stack, linked up to the whole. */
struct step {
  const struct step *up;
  const struct rule *rule;
  const struct json_node *value;
  const char *via;              /* the keyword of up->rule that led here */
  const struct json_node *name; /* of the member gone into; NULL: none */
  bool item;                    /* an item was gone into */
  bool optional;                /* the value may be left out */
  struct lead *lead;            /* NULL: none begins here */
};

enum { GROUPS_MAX = 32, GROUP_PLACES = 8 };

/* The same finding at places that differ in indices only. */
struct group {
  struct finding finding[2]; /* the first two */
  uint64_t path;
  uint32_t count;
  const struct json_node *places[GROUP_PLACES]; /* the first */
  const struct json_node *last;
  unsigned order; /* of the first, among all */
};

struct explanation {
  struct checker *k;
  const struct schema *schema;
  const struct json_tape *tape;
  const struct json_node *root; /* the whole value */
  struct arena *arena;
  struct group *groups[GROUPS_MAX];
  unsigned count;
  size_t more;
  unsigned found; /* all, those that were not kept included */
  uint64_t hash_key[2];
  bool has_messages; /* "errorMessage" is somewhere in the schema */
  /* while branches are compared nothing is kept, only weighed */
  const struct step *weighed;
  uint64_t weight;
};

void findings_begin (struct explanation *e, struct checker *k, const struct json_node *value,
                     struct arena *arena);
/* A lead behind those of the step and above. */
struct lead *lead_new (struct explanation *e, const struct step *step);
/* Something is wrong with the value of the step, or of a member of it. */
void found (struct explanation *e, const struct step *step, const struct finding *finding);
/* At most SCHEMA_MAX_PROBLEMS of them, in the room of a report. */
void findings_report (struct explanation *e, struct schema_report *report);

#endif

/* json_tape.h - the strict JSON reader: RFC 8259 exactly, onto a tape of 16-byte nodes in an arena.
 *
 * Nothing from the wire or from a worker is believed before it has passed here.  Refused besides
 * what the RFC refuses: bytes that are not UTF-8, lone surrogates in escapes, duplicate member
 * names, U+0000 in member names, and whatever exceeds the limits.  The text is not changed and not
 * copied: nodes point into it, so it must outlive the tape.
 *
 * Order on the tape: a container's node, then its items in order, each whole; of an object a member
 * name (a string node) and then its value.  `skip` of a node is how many nodes it takes, itself
 * included, so the next sibling is node + skip. */
#ifndef TOOLHOST_BASE_JSON_TAPE_H
#define TOOLHOST_BASE_JSON_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

enum json_type {
  JSON_NULL = 1,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER, /* start, len: the lexeme */
  JSON_STRING, /* start, len: between the quotes, escapes not resolved */
  JSON_ARRAY,
  JSON_OBJECT
};

struct json_node {
  uint32_t start; /* offset into the text: of the value; of a string, after its opening quote */
  uint32_t len;   /* scalars: bytes; containers: bytes up to and with the closing bracket */
  uint32_t skip;  /* nodes this value takes, itself included */
  uint32_t type : 4;
  uint32_t escaped : 1; /* a string with a backslash in it */
  uint32_t integer : 1; /* a number without fraction and exponent */
  uint32_t count : 26;  /* items of an array, members of an object */
};

struct json_limits {
  uint32_t depth;      /* nested containers */
  uint32_t nodes;      /* values and names, all together */
  uint32_t members;    /* of one object */
  uint32_t number_len; /* bytes of a number */
  bool any_names;      /* let pass equal names, and U+0000 in names, as RFC 8259 does */
};

/* 64 deep, 200,000 nodes, 10,000 members, 512 bytes. */
extern const struct json_limits json_default_limits;

enum json_fault {
  JSON_OK = 0,
  JSON_SYNTAX,
  JSON_ENCODING, /* not UTF-8, or a lone surrogate */
  JSON_DUPLICATE,
  JSON_TOO_DEEP,
  JSON_TOO_LARGE
};

struct json_tape {
  const char *text;
  size_t text_len;
  struct json_node *nodes; /* in the arena */
  uint32_t count;
  /* when reading failed */
  enum json_fault fault;
  size_t offset;       /* byte where it was noticed */
  const char *problem; /* a static sentence: "expected a value", "duplicate member name" */
};

/* Read one JSON text.  False: fault, offset and problem say why.  Texts of 4 GiB and more are
 * refused.  The nodes live in `arena`; nothing is allocated with malloc but the arena's blocks. */
bool json_read (struct json_tape *tape, const char *text, size_t len,
                const struct json_limits *limits, struct arena *arena);

static inline const struct json_node *
json_root (const struct json_tape *tape)
{
  return tape->nodes;
}

/* Walk: for an array the items, for an object name, value, name, value.  NULL at the end.
 *   for (n = json_first (v); n != json_end (v); n = json_next (n)) … */
static inline const struct json_node *
json_first (const struct json_node *container)
{
  return container + 1;
}
static inline const struct json_node *
json_next (const struct json_node *node)
{
  return node + node->skip;
}
static inline const struct json_node *
json_end (const struct json_node *container)
{
  return container + container->skip;
}

/* The value of an object's member, NULL when absent or `object` is NULL or no object.  Names are
 * compared after resolving escapes. */
const struct json_node *json_member_len (const struct json_tape *tape,
                                         const struct json_node *object, const char *name,
                                         size_t len);
static inline const struct json_node *
json_member (const struct json_tape *tape, const struct json_node *object, const char *name)
{
  return json_member_len (tape, object, name, strlen (name));
}
/* Several members at once, in one walk over the object: found[i] is the value of names[i], or NULL.
 */
struct json_name {
  const char *text;
  size_t len;
};
#define JSON_NAME(literal)                                                                         \
  {                                                                                                \
    literal, sizeof literal - 1                                                                    \
  }
void json_members (const struct json_tape *tape, const struct json_node *object,
                   const struct json_name *names, size_t count, const struct json_node **found);
/* What a JSON pointer (RFC 6901) names, from `node`; NULL when nothing. "" is the node itself. */
const struct json_node *json_pointer (const struct json_tape *tape, const struct json_node *node,
                                      const char *pointer, size_t len);

static inline bool
json_is (const struct json_node *node, enum json_type type)
{
  return node != NULL && node->type == type;
}

/* The value as it stands in the text (a string with its quotes). */
const char *json_raw (const struct json_tape *tape, const struct json_node *node, size_t *len);

/* A string's text with escapes resolved: the text itself when there are none, else a copy in the
 * arena.  Not NUL-terminated.  NULL when no string. */
const char *json_string (const struct json_tape *tape, const struct json_node *node,
                         struct arena *arena, size_t *len);
/* The same as a C string in the arena; NULL when no string or it holds U+0000. */
const char *json_cstring (const struct json_tape *tape, const struct json_node *node,
                          struct arena *arena);
/* Is this string exactly `text`?  False for anything else. */
bool json_equals_len (const struct json_tape *tape, const struct json_node *node, const char *text,
                      size_t len);
static inline bool
json_equals (const struct json_tape *tape, const struct json_node *node, const char *text)
{
  return json_equals_len (tape, node, text, strlen (text));
}

/* A number that is mathematically an integer and fits (1.0 and 1e2 count).  False otherwise. */
bool json_int64 (const struct json_tape *tape, const struct json_node *node, int64_t *value);
/* A number, nearest double (infinite lexemes such as 1e999: false). */
bool json_double (const struct json_tape *tape, const struct json_node *node, double *value);

/* Are the values equal as JSON Schema means it (numbers by value, objects without order)? */
bool json_same (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
                const struct json_node *y);

/* Is this UTF-8 (RFC 3629: no overlong forms, no surrogates)? */
bool utf8_valid (const char *text, size_t len);

#endif

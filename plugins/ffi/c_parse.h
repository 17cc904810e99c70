/* c_parse.h - declarations of C: the types and prototypes of a header, or one type as a text.
 *
 * The subset is what interfaces are made of: typedefs, enums, structs, prototypes.  What is left
 * out (unions, bit fields, functions with a body …) is passed over and told, with line and reason;
 * what uses it may be left out for that. */
#ifndef TOOLHOST_PLUGINS_FFI_C_PARSE_H
#define TOOLHOST_PLUGINS_FFI_C_PARSE_H

#include "c_lex.h"
#include "c_type.h"

enum {
  C_HEADER_MAX = 4 << 20,   /* bytes */
  C_PROTOTYPES_MAX = 10000, /* of a header, and as many things left out */
  C_PARAMS_MAX = 64         /* of a function */
};

struct c_param {
  const char *name; /* NULL: none */
  const struct c_type *type;
};

struct c_prototype {
  struct c_prototype *next;
  const char *name;
  const struct c_type *returns;
  const struct c_param *params;
  size_t count;
  bool variadic;
  unsigned line;
  bool foreign;        /* of a header that this one includes */
  const char *comment; /* with its marks; NULL: none */
  size_t comment_len;
};

struct c_left_out {
  struct c_left_out *next;
  unsigned line;
  const char *name; /* NULL: it has none, or it is not known */
  const char *why;  /* a sentence */
};

/* Zero-initialise but for `types`, whose pool all of it lives in. */
struct c_header {
  struct c_types *types;
  struct c_macros macros;
  struct c_prototype *prototypes, **last_prototype;
  struct c_left_out *left_out, **last_left_out;
  size_t count, left_out_count;
};

/* Read a header, adding to the types.  `text` lives as long as the pool. */
void c_header_read (struct c_header *header, const char *text, size_t len);

/* The type that a text names, "const char *", "double [3]", "struct point"; NULL with a sentence
 * about what it is not, which lives in the pool. */
const struct c_type *c_type_read (struct c_types *types, const char *text, const char **why);

#endif

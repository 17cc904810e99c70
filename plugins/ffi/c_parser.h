/* c_parser.h - the parser's parts, of c_parse.c, c_declare.c and c_constant.c alone. */
#ifndef TOOLHOST_PLUGINS_FFI_C_PARSER_H
#define TOOLHOST_PLUGINS_FFI_C_PARSER_H

#include "c_parse.h"

struct c_parser {
  struct c_types *types;
  struct c_macros *macros;
  struct c_lex lex;
  struct c_token token;   /* the word that stands here */
  const char *why;        /* what is wrong; NULL: nothing */
  const char *leaves_out; /* a struct's member that makes it opaque; NULL: none */
  unsigned depth;
  bool suggests;                      /* names of types that may have been meant are told */
  const struct c_constant *constants; /* of enums so far, newest last */
  size_t constants_count;
};

/* What a declaration begins with. */
struct c_specifiers {
  const struct c_type *type;
  bool is_typedef, is_const;
};

/* A name with its type; a function's parameters are known in the outermost declarator only. */
struct c_declarator {
  const char *name; /* NULL: none */
  const struct c_type *type;
  bool is_const; /* the type itself is */
  bool is_function;
  const struct c_type *returns;
  struct c_param *params;
  size_t count;
  bool variadic;
};

/* The next word; macros that stand for nothing are passed over. */
void c_advance (struct c_parser *p);
bool c_at (const struct c_parser *p, const char *sign);
/* Pass over it if it is here. */
bool c_take (struct c_parser *p, const char *sign);
/* It has to be here. */
bool c_expect (struct c_parser *p, const char *sign);
/* Say what is wrong, unless something was; false. */
bool c_wrong (struct c_parser *p, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Over what stands between this bracket and the one that closes it. */
bool c_skip_brackets (struct c_parser *p);
/* Over attributes, asm labels and the like. */
bool c_skip_attributes (struct c_parser *p);
const char *c_keep (struct c_parser *p, const struct c_token *token);

bool c_specifiers (struct c_parser *p, struct c_specifiers *s);
bool c_declarator (struct c_parser *p, const struct c_specifiers *s, struct c_declarator *d);
bool c_struct (struct c_parser *p, bool is_union, const struct c_type **type);
bool c_enum (struct c_parser *p, const struct c_type **type);
/* The value of a constant expression. */
bool c_constant (struct c_parser *p, int64_t *value);

#endif

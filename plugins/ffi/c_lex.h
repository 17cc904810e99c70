/* c_lex.h - the words of a C header, without a preprocessor: lines that begin with '#' are passed
 * over, but for conditions that can be told (#ifdef __cplusplus, #if 0, names the header defines
 * itself) and for what the header defines as a number or as nothing.
 *
 * A lexer is a plain value: a copy of it goes on from the same place. */
#ifndef TOOLHOST_PLUGINS_FFI_C_LEX_H
#define TOOLHOST_PLUGINS_FFI_C_LEX_H

#include "../common/value.h"

enum c_word {
  WORD_END,
  WORD_NAME,
  WORD_NUMBER,
  WORD_TEXT,      /* "…" */
  WORD_CHARACTER, /* '…' */
  WORD_DOTS,      /* … of a variable argument list */
  WORD_SIGN       /* one character, or << and >> */
};

struct c_token {
  enum c_word word;
  const char *at;
  size_t len;
  unsigned line;       /* from 1 */
  bool foreign;        /* it comes from a header that this one includes (after cc -E) */
  const char *comment; /* right before it, with its marks; NULL: none */
  size_t comment_len;
};

enum c_macro_kind { MACRO_NOTHING, MACRO_NUMBER, MACRO_NAME, MACRO_OTHER };

struct c_macro {
  struct c_macro *next;
  const char *name;
  enum c_macro_kind kind;
  const char *text; /* the number; the name that it stands for */
};

struct c_macros {
  struct values *pool;
  struct c_macro *list;
  size_t count;
};

struct c_lex {
  const char *at, *end;
  unsigned line;
  bool fresh;              /* nothing but white space stands before `at` on its line */
  bool foreign;            /* see c_token */
  struct c_macros *macros; /* NULL: '#' is a sign like others */
  const char *main_file;   /* of line marks; NULL: none was seen */
  size_t main_len;
};

/* The next word. */
struct c_token c_lex_next (struct c_lex *lex);

bool c_token_is (const struct c_token *token, const char *text);
/* NULL: it is not defined. */
const struct c_macro *c_macros_find (const struct c_macros *macros, const char *name, size_t len);
/* A whole number as C writes it, suffixes and all.  False: it is none, or too large for 64 bits. */
bool c_number (const char *text, size_t len, int64_t *number);

#endif

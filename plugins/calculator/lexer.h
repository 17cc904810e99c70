/* lexer.h - from the text of an expression to its tokens. */
#ifndef TOOLHOST_CALCULATOR_LEXER_H
#define TOOLHOST_CALCULATOR_LEXER_H

#include <stddef.h>

enum token_kind {
  TOKEN_END,
  TOKEN_NUMBER, /* "12.5e3", "0xFF" */
  TOKEN_NAME,
  TOKEN_PLUS,
  TOKEN_MINUS,
  TOKEN_TIMES,
  TOKEN_DIVIDE,
  TOKEN_FLOOR_DIVIDE,
  TOKEN_MODULO,
  TOKEN_POWER,
  TOKEN_FACTORIAL,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_COMMA,
  TOKEN_LESS,
  TOKEN_LESS_EQUAL,
  TOKEN_GREATER,
  TOKEN_GREATER_EQUAL,
  TOKEN_EQUAL,
  TOKEN_NOT_EQUAL,
  TOKEN_UNKNOWN /* one character that means nothing here */
};

/* `text` points into the expression; `len` is 0 at its end only. */
struct token {
  enum token_kind kind;
  const char *text;
  size_t len;
  int base; /* of a number: 2, 8, 10, 16 */
};

/* The first token of the text from `at` to `end`. */
struct token lexer_next (const char *at, const char *end);

#endif

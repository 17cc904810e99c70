#include "lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../common/utf8.h"

/* Longer ones first where one begins another. */
static const struct sign {
  const char *text;
  enum token_kind kind;
} signs[] = {
  { "**", TOKEN_POWER },
  { "//", TOKEN_FLOOR_DIVIDE },
  { "<=", TOKEN_LESS_EQUAL },
  { ">=", TOKEN_GREATER_EQUAL },
  { "==", TOKEN_EQUAL },
  { "!=", TOKEN_NOT_EQUAL },
  { "+", TOKEN_PLUS },
  { "-", TOKEN_MINUS },
  { "*", TOKEN_TIMES },
  { "/", TOKEN_DIVIDE },
  { "%", TOKEN_MODULO },
  { "^", TOKEN_POWER },
  { "!", TOKEN_FACTORIAL },
  { "(", TOKEN_OPEN },
  { ")", TOKEN_CLOSE },
  { ",", TOKEN_COMMA },
  { "<", TOKEN_LESS },
  { ">", TOKEN_GREATER },
  { "=", TOKEN_EQUAL },
  /* as people and models write them: − × · ÷ ≤ ≥ ≠ π τ */
  { "\xE2\x88\x92", TOKEN_MINUS },
  { "\xC3\x97", TOKEN_TIMES },
  { "\xC2\xB7", TOKEN_TIMES },
  { "\xC3\xB7", TOKEN_DIVIDE },
  { "\xE2\x89\xA4", TOKEN_LESS_EQUAL },
  { "\xE2\x89\xA5", TOKEN_GREATER_EQUAL },
  { "\xE2\x89\xA0", TOKEN_NOT_EQUAL },
  { "\xCF\x80", TOKEN_NAME },
  { "\xCF\x84", TOKEN_NAME },
};

static const char *
skip_space (const char *at, const char *end)
{
  while (at < end) {
    if (memchr (" \t\r\n", *at, 4) != NULL)
      at++;
    else if (end - at >= 2 && memcmp (at, "\xC2\xA0", 2) == 0) /* U+00A0 */
      at += 2;
    else
      break;
  }
  return at;
}

static bool
is_digit (const char *at, const char *end, int base)
{
  if (at >= end || !isxdigit ((unsigned char) *at))
    return false;
  return base == 16 || (isdigit ((unsigned char) *at) && *at - '0' < base);
}

/* Over digits, with '_' between two of them. */
static const char *
skip_digits (const char *at, const char *end, int base)
{
  while (is_digit (at, end, base) || (at < end && *at == '_' && is_digit (at + 1, end, base)))
    at++;
  return at;
}

static const char *
skip_exponent (const char *at, const char *end)
{
  const char *digits = at + 1;

  if (at >= end || (*at != 'e' && *at != 'E'))
    return at;
  if (digits < end && (*digits == '+' || *digits == '-'))
    digits++;
  return is_digit (digits, end, 10) ? skip_digits (digits, end, 10) : at;
}

static int
base_of (const char *at, const char *end)
{
  static const struct prefix {
    char letter;
    int base;
  } prefixes[] = { { 'x', 16 }, { 'o', 8 }, { 'b', 2 } };

  if (end - at < 3 || at[0] != '0')
    return 10;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (tolower ((unsigned char) at[1]) == prefixes[i].letter
        && is_digit (at + 2, end, prefixes[i].base))
      return prefixes[i].base;
  return 10;
}

/* A number stands here; `text` and `len` of one with a prefix are its digits alone. */
static struct token
number_token (const char *at, const char *end)
{
  struct token token = { TOKEN_NUMBER, at, 0, base_of (at, end) };
  const char *p = at;

  if (token.base != 10) {
    token.text = at + 2;
    p = skip_digits (token.text, end, token.base);
  }
  else {
    p = skip_digits (p, end, 10);
    if (p < end && *p == '.')
      p = skip_digits (p + 1, end, 10);
    p = skip_exponent (p, end);
  }
  token.len = (size_t) (p - token.text);
  return token;
}

static struct token
name_token (const char *at, const char *end)
{
  const char *p = at;

  while (p < end && (isalnum ((unsigned char) *p) || *p == '_'))
    p++;
  return (struct token){ TOKEN_NAME, at, (size_t) (p - at), 10 };
}

static struct token
sign_token (const char *at, const char *end)
{
  size_t left = (size_t) (end - at);
  size_t len = utf8_next (at, left, NULL);

  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    size_t n = strlen (signs[i].text);

    if (n <= left && memcmp (signs[i].text, at, n) == 0)
      return (struct token){ signs[i].kind, at, n, 10 };
  }
  return (struct token){ TOKEN_UNKNOWN, at, len != 0 ? len : 1, 10 };
}

struct token
lexer_next (const char *at, const char *end)
{
  at = skip_space (at, end);
  if (at == end)
    return (struct token){ TOKEN_END, at, 0, 10 };
  if (is_digit (at, end, 10) || (*at == '.' && is_digit (at + 1, end, 10)))
    return number_token (at, end);
  if (isalpha ((unsigned char) *at) || *at == '_')
    return name_token (at, end);
  return sign_token (at, end);
}

/* Constant expressions: lengths of arrays, values of enums. */
#include <string.h>

#include "c_parser.h"

enum { EXPRESSION_DEPTH_MAX = 64 };

static bool expression (struct c_parser *p, int least, int64_t *value);

static bool
out_of_range (struct c_parser *p)
{
  return c_wrong (p, "a constant that does not fit 64 bits");
}

static bool
named (struct c_parser *p, int64_t *value)
{
  const struct c_macro *macro;

  for (size_t i = p->constants_count; i-- > 0;)
    if (strlen (p->constants[i].name) == p->token.len
        && memcmp (p->constants[i].name, p->token.at, p->token.len) == 0) {
      *value = p->constants[i].value;
      return true;
    }
  macro = c_macros_find (p->macros, p->token.at, p->token.len);
  if (macro != NULL && macro->kind == MACRO_NUMBER)
    return c_number (macro->text, strlen (macro->text), value);
  return c_wrong (p, "the value of %.*s is not known", (int) p->token.len, p->token.at);
}

static bool
character (struct c_parser *p, int64_t *value)
{
  static const char escapes[] = "n\nt\tr\ra\ab\bf\fv\v0\0\\\\''\"\"";
  const char *at = p->token.at;

  if (p->token.len == 3) {
    *value = at[1];
    return true;
  }
  for (size_t i = 0; p->token.len == 4 && at[1] == '\\' && i + 1 < sizeof escapes - 1; i += 2)
    if (escapes[i] == at[2]) {
      *value = escapes[i + 1];
      return true;
    }
  return c_wrong (p, "a character constant that is not understood");
}

static bool
size_of (struct c_parser *p, int64_t *value)
{
  struct c_specifiers s;
  struct c_declarator d;

  c_advance (p);
  if (!c_expect (p, "(") || !c_specifiers (p, &s) || !c_declarator (p, &s, &d))
    return false;
  if (d.type->size == 0)
    return c_wrong (p, "sizeof of what has no size");
  *value = (int64_t) d.type->size;
  return c_expect (p, ")");
}

static bool
primary (struct c_parser *p, int64_t *value)
{
  const struct c_token token = p->token;

  if (token.word == WORD_NUMBER) {
    if (!c_number (token.at, token.len, value))
      return c_wrong (p, "%.*s is no whole number", (int) token.len, token.at);
  }
  else if (token.word == WORD_CHARACTER) {
    if (!character (p, value))
      return false;
  }
  else if (c_token_is (&token, "sizeof"))
    return size_of (p, value);
  else if (token.word == WORD_NAME) {
    if (!named (p, value))
      return false;
  }
  else if (c_take (p, "("))
    return expression (p, 0, value) && c_expect (p, ")");
  else
    return c_wrong (p, "a constant was expected");
  c_advance (p);
  return true;
}

static bool
unary (struct c_parser *p, int64_t *value)
{
  if (c_take (p, "-"))
    return unary (p, value)
           && (!__builtin_sub_overflow ((int64_t) 0, *value, value) || out_of_range (p));
  if (c_take (p, "+"))
    return unary (p, value);
  if (c_take (p, "~")) {
    if (!unary (p, value))
      return false;
    *value = ~*value;
    return true;
  }
  return primary (p, value);
}

static int
precedence (const struct c_token *token)
{
  static const struct {
    const char *sign;
    int precedence;
  } signs[] = { { "|", 1 }, { "^", 2 }, { "&", 3 }, { "<<", 4 }, { ">>", 4 },
                { "+", 5 }, { "-", 5 }, { "*", 6 }, { "/", 6 },  { "%", 6 } };

  for (size_t i = 0; token->word == WORD_SIGN && i < sizeof signs / sizeof *signs; i++)
    if (c_token_is (token, signs[i].sign))
      return signs[i].precedence;
  return 0;
}

static bool
divide (struct c_parser *p, char sign, int64_t *left, int64_t right)
{
  if (right == 0 || (*left == INT64_MIN && right == -1))
    return c_wrong (p, "a constant that is divided by nothing");
  *left = sign == '/' ? *left / right : *left % right;
  return true;
}

static bool
apply (struct c_parser *p, char sign, int64_t *left, int64_t right)
{
  switch (sign) {
  case '|':
    *left |= right;
    return true;
  case '^':
    *left ^= right;
    return true;
  case '&':
    *left &= right;
    return true;
  case '<':
  case '>':
    if (right < 0 || right > 63)
      return out_of_range (p);
    *left = sign == '<' ? (int64_t) ((uint64_t) *left << right) : *left >> right;
    return true;
  case '+':
    return !__builtin_add_overflow (*left, right, left) || out_of_range (p);
  case '-':
    return !__builtin_sub_overflow (*left, right, left) || out_of_range (p);
  case '*':
    return !__builtin_mul_overflow (*left, right, left) || out_of_range (p);
  default:
    return divide (p, sign, left, right);
  }
}

static bool
expression (struct c_parser *p, int least, int64_t *value)
{
  if (p->depth >= EXPRESSION_DEPTH_MAX)
    return c_wrong (p, "a constant with too many brackets");
  p->depth++;
  bool good = unary (p, value);
  for (int how = precedence (&p->token); good && how > least; how = precedence (&p->token)) {
    char sign = p->token.at[0];
    int64_t right = 0;
    c_advance (p);
    good = expression (p, how, &right) && apply (p, sign, value, right);
  }
  p->depth--;
  return good;
}

bool
c_constant (struct c_parser *p, int64_t *value)
{
  *value = 0;
  return expression (p, 0, value);
}

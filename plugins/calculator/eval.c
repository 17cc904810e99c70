#include "eval.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/utf8.h"
#include "functions.h"
#include "lexer.h"

struct evaluation {
  const char *text, *end;
  struct token token; /* the next one */
  struct token last;  /* the one before */
  unsigned depth;
  const struct eval_scope *scope;
  struct eval_error *error;
};

/* ---- errors ---- */

/* The part of the expression around `at`, on a line of its own, and a mark below it. */
static void
add_picture (const struct evaluation *e, const char *at, struct text *out)
{
  enum { BEFORE = 40, AFTER = 30 };
  const char *from = e->text, *to = e->end;

  if (at - from > BEFORE)
    from = at - BEFORE;
  while (from < at && ((unsigned char) *from & 0xC0) == 0x80)
    from++;
  if (to - at > AFTER)
    to = at + utf8_cut (at, (size_t) (to - at), AFTER);
  text_add (out, "\n  ");
  for (const char *p = from; p < to; p++)
    text_add_len (out, (unsigned char) *p < ' ' || *p == 0x7F ? " " : p, 1);
  text_addf (out, "\n  %*s^", (int) utf8_count (from, (size_t) (at - from)), "");
}

__attribute__ ((format (printf, 4, 5))) static bool
fail_at (struct evaluation *e, const char *at, const char *code, const char *fmt, ...)
{
  va_list args;
  char text[512];

  va_start (args, fmt);
  (void) vsnprintf (text, sizeof text, fmt, args);
  va_end (args);
  e->error->code = code;
  e->error->position = utf8_count (e->text, (size_t) (at - e->text)) + 1;
  text_addf (&e->error->message, "position %zu: %s", e->error->position, text);
  add_picture (e, at, &e->error->message);
  return false;
}

static bool
fail_why (struct evaluation *e, const char *at, const struct why *why)
{
  return fail_at (e, at, why->code, "%s", why->text);
}

/* A token as a reader knows it: "*" in quotes, or a phrase. */
static const char *
shown (const struct token *token, char *buffer, size_t size)
{
  enum { SHOWN_MAX = 24 };
  size_t len = utf8_cut (token->text, token->len, SHOWN_MAX);

  if (token->kind == TOKEN_END)
    return "the end";
  if ((unsigned char) *token->text < ' ') {
    (void) snprintf (buffer, size, "U+%04X", (unsigned) *token->text);
    return buffer;
  }
  (void) snprintf (buffer, size, "\"%.*s%s\"", (int) len, token->text,
                   len < token->len ? "..." : "");
  return buffer;
}

/* Something that has a value was expected. */
static bool
fail_operand (struct evaluation *e)
{
  char got[64], after[64];
  const char *at = e->token.text;

  if (e->last.kind == TOKEN_MODULO)
    return fail_at (e, at, "calc_syntax_error",
                    "expected a number after \"%%\", the remainder of a division, got %s; for 20 "
                    "percent write 20/100",
                    shown (&e->token, got, sizeof got));
  if (e->last.len == 0)
    return fail_at (e, at, "calc_syntax_error", "expected a number, a name or \"(\", got %s",
                    shown (&e->token, got, sizeof got));
  return fail_at (e, at, "calc_syntax_error", "expected a number, a name or \"(\" after %s, got %s",
                  shown (&e->last, after, sizeof after), shown (&e->token, got, sizeof got));
}

/* Something that goes on after a value was expected, or `otherwise`. */
static bool
fail_operator (struct evaluation *e, const char *otherwise)
{
  char got[64];
  const char *hint = "";

  shown (&e->token, got, sizeof got);
  if (e->token.kind == TOKEN_NUMBER || e->token.kind == TOKEN_NAME || e->token.kind == TOKEN_OPEN)
    hint = "; to multiply write \"*\"";
  else if (e->token.kind >= TOKEN_LESS && e->token.kind <= TOKEN_NOT_EQUAL)
    hint = "; an expression compares once, and not within parentheses";
  else if (e->token.kind == TOKEN_FACTORIAL)
    hint = "; for the factorial of a factorial write (n!)!";
  return fail_at (e, e->token.text, "calc_syntax_error", "expected an operator or %s, got %s%s",
                  otherwise, shown (&e->token, got, sizeof got), hint);
}

/* ---- operators ---- */

typedef bool binary_operation (struct number *to, const struct number *a, const struct number *b,
                               struct why *why);

enum { LEVEL_SUM = 1, LEVEL_PRODUCT, LEVEL_SIGN, LEVEL_POWER };

static const struct infix {
  enum token_kind kind;
  unsigned level;
  unsigned right; /* level of what stands at its right */
  binary_operation *run;
} infixes[] = {
  { TOKEN_PLUS, LEVEL_SUM, LEVEL_PRODUCT, number_add },
  { TOKEN_MINUS, LEVEL_SUM, LEVEL_PRODUCT, number_subtract },
  { TOKEN_TIMES, LEVEL_PRODUCT, LEVEL_SIGN, number_multiply },
  { TOKEN_DIVIDE, LEVEL_PRODUCT, LEVEL_SIGN, number_divide },
  { TOKEN_FLOOR_DIVIDE, LEVEL_PRODUCT, LEVEL_SIGN, number_floor_divide },
  { TOKEN_MODULO, LEVEL_PRODUCT, LEVEL_SIGN, number_modulo },
  { TOKEN_POWER, LEVEL_POWER, LEVEL_POWER, number_power },
};

static const struct infix *
infix_of (enum token_kind kind)
{
  for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
    if (infixes[i].kind == kind)
      return &infixes[i];
  return NULL;
}

static const struct comparison {
  enum token_kind kind;
  bool less, equal, greater; /* is it true then? */
} comparisons[] = {
  { TOKEN_LESS, true, false, false },    { TOKEN_LESS_EQUAL, true, true, false },
  { TOKEN_GREATER, false, false, true }, { TOKEN_GREATER_EQUAL, false, true, true },
  { TOKEN_EQUAL, false, true, false },   { TOKEN_NOT_EQUAL, true, false, true },
};

static const struct comparison *
comparison_of (enum token_kind kind)
{
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (comparisons[i].kind == kind)
      return &comparisons[i];
  return NULL;
}

static void
advance (struct evaluation *e)
{
  e->last = e->token;
  e->token = lexer_next (e->last.text + e->last.len, e->end);
}

static bool parse (struct evaluation *e, unsigned level, struct number *out);

/* ---- operands ---- */

struct arguments {
  struct number *numbers;
  size_t count;
};

static void
arguments_clear (struct arguments *arguments)
{
  for (size_t i = 0; i < arguments->count; i++)
    number_clear (&arguments->numbers[i]);
  free (arguments->numbers);
}

static struct number *
arguments_grow (struct arguments *arguments)
{
  struct number *grown =
    realloc (arguments->numbers, (arguments->count + 1) * sizeof *arguments->numbers);

  if (grown == NULL)
    return NULL;
  arguments->numbers = grown;
  number_init (&grown[arguments->count]);
  return &grown[arguments->count++];
}

/* From after "(" over ")". */
static bool
parse_arguments (struct evaluation *e, struct arguments *arguments)
{
  while (e->token.kind != TOKEN_CLOSE) {
    struct number *argument = arguments_grow (arguments);

    if (argument == NULL)
      return fail_at (e, e->token.text, "calc_too_large", "out of memory");
    if (!parse (e, LEVEL_SUM, argument))
      return false;
    if (e->token.kind == TOKEN_CLOSE)
      break;
    if (e->token.kind != TOKEN_COMMA)
      return fail_operator (e, "\",\" or \")\"");
    advance (e);
    if (e->token.kind == TOKEN_CLOSE)
      return fail_operand (e);
  }
  advance (e);
  return true;
}

static bool
check_count (struct evaluation *e, const char *at, const struct function *f, size_t count)
{
  if (count >= f->least && count <= f->most)
    return true;
  if (strcmp (f->name, "log") == 0)
    return fail_at (e, at, "calc_syntax_error",
                    "log needs the number and the base, log (x, 10); the natural logarithm is "
                    "ln (x)");
  if (f->least == f->most)
    return fail_at (e, at, "calc_syntax_error", "%s needs %u argument%s, got %zu", f->name,
                    f->least, f->least == 1 ? "" : "s", count);
  return fail_at (e, at, "calc_syntax_error", "%s needs %s%u argument%s, got %zu", f->name,
                  count < f->least ? "at least " : "at most ",
                  count < f->least ? f->least : f->most,
                  (count < f->least ? f->least : f->most) == 1 ? "" : "s", count);
}

static bool
fail_unknown (struct evaluation *e, const char *at, const char *name, bool called)
{
  CLEANUP_TEXT struct text said = { 0 };
  struct near near = { .word = name };

  functions_offer (&near);
  if (!called) {
    constants_offer (&near);
    e->scope->offer (e->scope->ctx, &near);
  }
  near_say (&near, &said);
  return fail_at (e, at, "calc_unknown_name", "unknown %s \"%.64s\"%s",
                  called ? "function" : "name", name, text_get (&said));
}

static bool
parse_call (struct evaluation *e, const char *at, const char *name, struct number *out)
{
  __attribute__ ((cleanup (arguments_clear))) struct arguments arguments = { 0 };
  const struct function *f = function_find (name);
  struct why why;

  if (f == NULL)
    return fail_unknown (e, at, name, true);
  advance (e);
  if (!parse_arguments (e, &arguments) || !check_count (e, at, f, arguments.count))
    return false;
  return function_call (f, arguments.numbers, arguments.count, out, &why) || fail_why (e, at, &why);
}

static bool
parse_name (struct evaluation *e, struct number *out)
{
  char name[EVAL_NAME_MAX + 1];
  const char *at = e->token.text;
  struct why why = { 0 };
  double constant;

  if (e->token.len > EVAL_NAME_MAX)
    return fail_at (e, at, "calc_unknown_name", "a name has at most %d characters", EVAL_NAME_MAX);
  memcpy (name, at, e->token.len);
  name[e->token.len] = '\0';
  advance (e);
  if (e->token.kind == TOKEN_OPEN)
    return parse_call (e, at, name, out);
  if (e->scope->variable (e->scope->ctx, name, out, &why))
    return true;
  if (why.code != NULL)
    return fail_why (e, at, &why);
  if (constant_find (name, &constant))
    return number_set_double (out, constant, &why);
  if (function_find (name) != NULL)
    return fail_at (e, at, "calc_syntax_error", "%s is a function; write %s (...)", name, name);
  return fail_unknown (e, at, name, false);
}

static bool
parse_number (struct evaluation *e, struct number *out)
{
  const struct token *token = &e->token;
  struct why why;
  bool ok = token->base == 10 ? number_parse (out, token->text, token->len, &why)
                              : number_parse_base (out, token->text, token->len, token->base, &why);

  if (!ok)
    return fail_why (e, token->text, &why);
  advance (e);
  return true;
}

static bool
parse_group (struct evaluation *e, struct number *out)
{
  advance (e);
  if (!parse (e, LEVEL_SUM, out))
    return false;
  if (e->token.kind != TOKEN_CLOSE)
    return fail_operator (e, "\")\"");
  advance (e);
  return true;
}

static bool
parse_sign (struct evaluation *e, struct number *out)
{
  bool minus = e->token.kind == TOKEN_MINUS;

  advance (e);
  if (!parse (e, LEVEL_SIGN, out))
    return false;
  if (minus)
    number_negate (out, out);
  return true;
}

static bool
parse_operand (struct evaluation *e, struct number *out)
{
  switch (e->token.kind) {
  case TOKEN_NUMBER:
    return parse_number (e, out);
  case TOKEN_NAME:
    return parse_name (e, out);
  case TOKEN_OPEN:
    return parse_group (e, out);
  case TOKEN_PLUS:
  case TOKEN_MINUS:
    return parse_sign (e, out);
  default:
    return fail_operand (e);
  }
}

static bool
parse_factorial (struct evaluation *e, struct number *out)
{
  const char *at = e->token.text;
  struct why why;

  if (e->token.kind != TOKEN_FACTORIAL)
    return true;
  advance (e);
  return number_factorial (out, out, &why) || fail_why (e, at, &why);
}

/* The operators of a level or above, after what stands at their left. */
static bool
parse_infixes (struct evaluation *e, unsigned level, struct number *out)
{
  const struct infix *infix;

  while ((infix = infix_of (e->token.kind)) != NULL && infix->level >= level) {
    CLEANUP_NUMBER struct number right;
    const char *at = e->token.text;
    struct why why;

    number_init (&right);
    advance (e);
    if (!parse (e, infix->right, &right))
      return false;
    if (!infix->run (out, out, &right, &why))
      return fail_why (e, at, &why);
  }
  return true;
}

static bool
parse (struct evaluation *e, unsigned level, struct number *out)
{
  bool signed_operand = e->token.kind == TOKEN_PLUS || e->token.kind == TOKEN_MINUS;
  bool ok;

  if (++e->depth > EVAL_DEPTH_MAX)
    return fail_at (e, e->token.text, "calc_too_large", "nested more than %d levels deep",
                    EVAL_DEPTH_MAX);
  if (e->scope->stopped (e->scope->ctx))
    return fail_at (e, e->token.text, "calc_cancelled", "the call was cancelled");
  ok = parse_operand (e, out) && (signed_operand || parse_factorial (e, out))
       && parse_infixes (e, level, out);
  e->depth--;
  return ok;
}

/* ---- the whole ---- */

static bool
parse_comparison (struct evaluation *e, struct eval_result *result)
{
  CLEANUP_NUMBER struct number right;
  const struct comparison *comparison = comparison_of (e->token.kind);
  int order;

  number_init (&right);
  if (comparison == NULL)
    return true;
  advance (e);
  if (!parse (e, LEVEL_SUM, &right))
    return false;
  order = number_compare (&result->number, &right);
  result->is_truth = true;
  result->truth = order < 0    ? comparison->less
                  : order == 0 ? comparison->equal
                               : comparison->greater;
  result->number.exact &= right.exact;
  return true;
}

bool
eval (const char *expression, size_t len, const struct eval_scope *scope,
      struct eval_result *result, struct eval_error *error)
{
  struct evaluation e = {
    .text = expression, .end = expression + len, .scope = scope, .error = error
  };

  e.last = (struct token){ TOKEN_END, expression, 0, 10 };
  e.token = lexer_next (expression, e.end);
  *result = (struct eval_result){ 0 };
  number_init (&result->number);
  if (parse (&e, LEVEL_SUM, &result->number) && parse_comparison (&e, result)
      && (e.token.kind == TOKEN_END || fail_operator (&e, "the end")))
    return true;
  number_clear (&result->number);
  return false;
}

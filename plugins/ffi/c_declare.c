/* Specifiers and declarators: what a type is, and what is declared to have it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../common/near.h"
#include "c_parser.h"

/* ---- words ---- */

/* A macro that stands for another name, which is a type's, is that name; a comment before one that
 * stands for nothing is of what follows. */
void
c_advance (struct c_parser *p)
{
  struct c_token before = { 0 };

  for (int renamed = 0;;) {
    const struct c_macro *macro = NULL;
    p->token = c_lex_next (&p->lex);
    if (p->token.comment == NULL) {
      p->token.comment = before.comment;
      p->token.comment_len = before.comment_len;
    }
    if (p->token.word == WORD_NAME && p->macros != NULL)
      macro = c_macros_find (p->macros, p->token.at, p->token.len);
    while (macro != NULL && macro->kind == MACRO_NAME && renamed++ < 8) {
      p->token.at = macro->text;
      p->token.len = strlen (macro->text);
      macro = c_macros_find (p->macros, p->token.at, p->token.len);
    }
    if (macro == NULL || macro->kind != MACRO_NOTHING)
      return;
    before = p->token;
  }
}

bool
c_at (const struct c_parser *p, const char *sign)
{
  return c_token_is (&p->token, sign);
}

bool
c_take (struct c_parser *p, const char *sign)
{
  if (!c_at (p, sign))
    return false;
  c_advance (p);
  return true;
}

bool
c_wrong (struct c_parser *p, const char *fmt, ...)
{
  char text[400];
  va_list list;

  if (p->why != NULL)
    return false;
  va_start (list, fmt);
  (void) vsnprintf (text, sizeof text, fmt, list);
  va_end (list);
  p->why = values_text (p->types->pool, text, strlen (text));
  return false;
}

bool
c_expect (struct c_parser *p, const char *sign)
{
  if (c_take (p, sign))
    return true;
  if (p->token.word == WORD_END)
    return c_wrong (p, "\"%s\" was expected at the end", sign);
  return c_wrong (p, "\"%s\" was expected before \"%.*s\"", sign,
                  (int) (p->token.len < 40 ? p->token.len : 40), p->token.at);
}

const char *
c_keep (struct c_parser *p, const struct c_token *token)
{
  return values_text (p->types->pool, token->at, token->len);
}

bool
c_skip_brackets (struct c_parser *p)
{
  unsigned depth = 0;

  do {
    if (p->token.word == WORD_END)
      return c_wrong (p, "a bracket is not closed");
    if (c_at (p, "(") || c_at (p, "[") || c_at (p, "{"))
      depth++;
    else if (c_at (p, ")") || c_at (p, "]") || c_at (p, "}"))
      depth--;
    c_advance (p);
  } while (depth > 0);
  return true;
}

bool
c_skip_attributes (struct c_parser *p)
{
  static const char *const names[] = { "__attribute__", "__attribute", "__asm__", "__asm",
                                       "asm",           "__declspec",  "_Alignas" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (c_at (p, names[i])) {
      if (strcmp (names[i], "_Alignas") == 0)
        return c_wrong (p, "an alignment of its own");
      if (memmem (p->lex.at,
                  (size_t) (p->lex.end - p->lex.at) < 40 ? (size_t) (p->lex.end - p->lex.at) : 40,
                  "packed", 6)
          != NULL)
        p->leaves_out = "it is packed";
      c_advance (p);
      if (!c_at (p, "("))
        return c_wrong (p, "\"(\" was expected after %s", names[i]);
      if (!c_skip_brackets (p))
        return false;
      i = (size_t) -1; /* there may be more */
    }
  return true;
}

/* ---- specifiers ---- */

static const char *const nothing[] = { "extern",        "static",        "inline",
                                       "__inline",      "__inline__",    "_Noreturn",
                                       "register",      "volatile",      "restrict",
                                       "__restrict",    "__restrict__",  "__volatile__",
                                       "__extension__", "_Thread_local", "__thread" };

static bool
means_nothing (const struct c_parser *p)
{
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
    if (c_at (p, nothing[i]))
      return true;
  return false;
}

struct words {
  unsigned is_signed, is_unsigned, is_short, is_long, is_int, any;
  const char *base; /* char, float, double */
};

static bool
take_word (struct c_parser *p, struct words *w)
{
  static const char *const bases[] = { "void", "bool", "_Bool", "char", "float", "double" };

  if (c_at (p, "signed") || c_at (p, "__signed__"))
    w->is_signed++;
  else if (c_at (p, "unsigned"))
    w->is_unsigned++;
  else if (c_at (p, "short"))
    w->is_short++;
  else if (c_at (p, "long"))
    w->is_long++;
  else if (c_at (p, "int"))
    w->is_int++;
  else {
    const char *found = NULL;
    for (size_t i = 0; w->base == NULL && i < sizeof bases / sizeof *bases; i++)
      if (c_at (p, bases[i]))
        found = bases[i];
    if (found == NULL)
      return false;
    w->base = found;
  }
  w->any++;
  c_advance (p);
  return true;
}

static const struct c_type *
type_of_words (const struct words *w)
{
  char name[40];

  if (w->is_signed + w->is_unsigned > 1 || w->is_short + w->is_int + (w->base != NULL) > 2
      || w->is_long > 2 || w->is_short > 1 || w->is_int > 1 || (w->is_short && w->is_long))
    return NULL;
  if (w->base == NULL) {
    (void) snprintf (name, sizeof name, "%s%s", w->is_unsigned ? "unsigned " : "",
                     w->is_short       ? "short"
                     : w->is_long == 2 ? "long long"
                     : w->is_long == 1 ? "long"
                                       : "int");
    return c_type_basic (name);
  }
  if (w->is_int + w->is_short != 0 || (w->is_long != 0 && strcmp (w->base, "double") != 0)
      || w->is_long > 1 || (w->is_signed + w->is_unsigned != 0 && strcmp (w->base, "char") != 0))
    return NULL;
  (void) snprintf (name, sizeof name, "%s%s",
                   w->is_long       ? "long "
                   : w->is_signed   ? "signed "
                   : w->is_unsigned ? "unsigned "
                                    : "",
                   w->base);
  return c_type_basic (name);
}

static void
offer (void *ctx, const char *name)
{
  near_offer (ctx, name);
}

static bool
unknown_type (struct c_parser *p)
{
  CLEANUP_TEXT struct text more = { 0 };
  const char *name = c_keep (p, &p->token);
  struct near near = { .word = name };

  if (p->token.word == WORD_END)
    return c_wrong (p, "a type was expected at the end");
  if (p->token.word != WORD_NAME)
    return c_wrong (p, "a type was expected before \"%.40s\"", name);
  if (p->suggests) {
    c_type_basic_names (offer, &near);
    for (const struct c_name *n = p->types->names; n != NULL; n = n->next)
      if (n->space == C_TYPEDEF)
        near_offer (&near, n->name);
    near_say (&near, &more);
  }
  return c_wrong (p, "there is no type \"%.60s\"%s", name, text_get (&more));
}

/* A name that is no type, all in capitals, before more of the declaration: a macro of a header that
 * is not here ("ZEXTERN"). */
static bool
is_foreign_macro (const struct c_parser *p)
{
  struct c_lex ahead = p->lex;
  struct c_token next = c_lex_next (&ahead);

  if (p->suggests || p->token.word != WORD_NAME || next.word != WORD_NAME)
    return false;
  for (size_t i = 0; i < p->token.len; i++)
    if (p->token.at[i] >= 'a' && p->token.at[i] <= 'z')
      return false;
  return true;
}

static bool
named_type (struct c_parser *p, const struct c_type **type)
{
  char name[128];

  if (p->token.word != WORD_NAME || p->token.len >= sizeof name)
    return false;
  memcpy (name, p->token.at, p->token.len);
  name[p->token.len] = '\0';
  *type = c_types_find (p->types, C_TYPEDEF, name);
  if (*type == NULL)
    *type = c_type_basic (name);
  if (*type != NULL)
    c_advance (p);
  return *type != NULL;
}

static bool
type_specifier (struct c_parser *p, struct c_specifiers *s)
{
  if (c_take (p, "struct"))
    return c_struct (p, false, &s->type);
  if (c_take (p, "union"))
    return c_struct (p, true, &s->type);
  if (c_take (p, "enum"))
    return c_enum (p, &s->type);
  if (c_at (p, "_Complex") || c_at (p, "__int128"))
    return c_wrong (p, "the type %.*s", (int) p->token.len, p->token.at);
  return named_type (p, &s->type) || unknown_type (p);
}

bool
c_specifiers (struct c_parser *p, struct c_specifiers *s)
{
  struct words words = { 0 };

  *s = (struct c_specifiers){ 0 };
  for (;;) {
    if (!c_skip_attributes (p))
      return false;
    if (c_at (p, "const") || c_at (p, "__const"))
      s->is_const = true;
    else if (c_at (p, "typedef"))
      s->is_typedef = true;
    else if (!means_nothing (p)) {
      if (s->type == NULL && take_word (p, &words))
        continue;
      if (s->type != NULL || words.any != 0)
        break;
      if (!is_foreign_macro (p) || c_types_find (p->types, C_TYPEDEF, c_keep (p, &p->token))) {
        if (!type_specifier (p, s))
          return false;
        continue;
      }
    }
    c_advance (p);
  }
  if (words.any != 0)
    s->type = type_of_words (&words);
  return s->type != NULL || c_wrong (p, "these words are no type");
}

/* ---- declarators ---- */

static bool
pointers (struct c_parser *p, struct c_declarator *d)
{
  while (c_take (p, "*")) {
    d->type = c_type_pointer (p->types, d->type, d->is_const);
    d->is_const = d->is_function = false;
    if (d->type == NULL || ++p->depth > C_DEPTH_MAX * 4)
      return c_wrong (p, "too many pointers");
    for (;;) {
      if (!c_skip_attributes (p))
        return false;
      if (c_at (p, "const") || c_at (p, "__const"))
        d->is_const = true;
      else if (!means_nothing (p) && !c_at (p, "_Nonnull") && !c_at (p, "_Nullable")
               && !is_foreign_macro (p))
        break;
      c_advance (p);
    }
  }
  return true;
}

/* What a parameter is declared as an array or function is passed as a pointer. */
static const struct c_type *
as_passed (struct c_parser *p, const struct c_declarator *d)
{
  if (d->type->kind == C_ARRAY)
    return c_type_pointer (p->types, d->type->of, d->is_const);
  if (d->type->kind == C_FUNCTION)
    return c_type_pointer (p->types, d->type, false);
  return d->type;
}

static bool
parameter (struct c_parser *p, struct c_param *params, size_t *count)
{
  struct c_specifiers s;
  struct c_declarator param;

  if (*count == C_PARAMS_MAX)
    return c_wrong (p, "more than %d parameters", C_PARAMS_MAX);
  if (!c_specifiers (p, &s) || !c_declarator (p, &s, &param))
    return false;
  params[*count] = (struct c_param){ param.name, as_passed (p, &param) };
  return params[(*count)++].type != NULL || c_wrong (p, "there is no memory");
}

static bool
keep_parameters (struct c_parser *p, struct c_declarator *d, const struct c_param *params,
                 size_t count)
{
  if (count == 1 && params[0].type->kind == C_VOID && params[0].name == NULL)
    count = 0;
  d->count = count;
  d->params = values_alloc (p->types->pool, (count + 1) * sizeof *d->params);
  if (d->params == NULL)
    return c_wrong (p, "there is no memory");
  memcpy (d->params, params, count * sizeof *params);
  return true;
}

static bool
parameters (struct c_parser *p, struct c_declarator *d)
{
  struct c_param params[C_PARAMS_MAX];
  size_t count = 0;

  d->variadic = false;
  if (c_take (p, ")"))
    return keep_parameters (p, d, params, 0);
  do {
    if (p->token.word == WORD_DOTS) {
      d->variadic = true;
      c_advance (p);
      break;
    }
    if (!parameter (p, params, &count))
      return false;
  } while (c_take (p, ","));
  return c_expect (p, ")") && keep_parameters (p, d, params, count);
}

static bool
function_suffix (struct c_parser *p, struct c_declarator *d)
{
  const struct c_type *returns = d->type;
  struct c_type *type = c_type_new (p->types, C_FUNCTION, "a function");

  if (type == NULL || !parameters (p, d))
    return c_wrong (p, "there is no memory");
  d->is_function = true;
  d->returns = returns;
  d->type = type;
  return true;
}

/* Of "[2][3]" the last one is the innermost. */
static bool
array_suffix (struct c_parser *p, struct c_declarator *d)
{
  int64_t count = 0;
  bool open;
  const char *why;

  while (c_take (p, "static") || c_take (p, "restrict") || c_take (p, "__restrict")
         || c_take (p, "const"))
    ;
  open = c_at (p, "]");
  if ((!open && !c_constant (p, &count)) || !c_expect (p, "]"))
    return false;
  if (c_take (p, "[") && (++p->depth > C_DEPTH_MAX * 4 || !array_suffix (p, d)))
    return c_wrong (p, "too many arrays");
  if (open) { /* as long as one likes: only as a parameter, which is a pointer */
    d->type = c_type_pointer (p->types, d->type, d->is_const);
    return d->type != NULL || c_wrong (p, "there is no memory");
  }
  if (count < 0)
    return c_wrong (p, "an array of a negative length");
  d->type = c_type_array (p->types, d->type, (size_t) count, &why);
  return d->type != NULL || c_wrong (p, "%s", why);
}

static bool
suffixes (struct c_parser *p, struct c_declarator *d)
{
  if (c_take (p, "["))
    return array_suffix (p, d);
  return !c_take (p, "(") || function_suffix (p, d);
}

/* A bracket here belongs to the declarator, "(*name) (int)", when what follows is no type. */
static bool
is_nested (const struct c_parser *p)
{
  struct c_parser ahead = *p;
  const struct c_type *type;

  if (!c_take (&ahead, "("))
    return false;
  if (c_at (&ahead, "*") || c_at (&ahead, "("))
    return true;
  return ahead.token.word == WORD_NAME && !named_type (&ahead, &type) && !c_at (&ahead, "void")
         && !c_at (&ahead, "const") && !c_at (&ahead, "struct") && !c_at (&ahead, "unsigned")
         && !c_at (&ahead, "enum") && !c_at (&ahead, "union") && !c_at (&ahead, "signed");
}

static bool direct_declarator (struct c_parser *p, struct c_declarator *d);

/* What follows the bracket is nearer to the type than what is in it: it is read first. */
static bool
nested_declarator (struct c_parser *p, struct c_declarator *d)
{
  struct c_parser inside = *p;

  if (!c_skip_brackets (p) || !suffixes (p, d))
    return false;
  c_advance (&inside); /* the bracket */
  inside.depth = p->depth;
  if (!direct_declarator (&inside, d) || !c_expect (&inside, ")")) {
    p->why = inside.why;
    return false;
  }
  return true;
}

static bool
direct_declarator (struct c_parser *p, struct c_declarator *d)
{
  bool good;

  if (++p->depth > C_DEPTH_MAX * 4)
    return c_wrong (p, "a declaration with too many brackets");
  good = pointers (p, d);
  if (good && is_nested (p))
    good = nested_declarator (p, d);
  else if (good) {
    if (is_foreign_macro (p)) /* "int ZEXPORT name" */
      c_advance (p);
    if (p->token.word == WORD_NAME && !c_at (p, "__attribute__")) {
      d->name = c_keep (p, &p->token);
      c_advance (p);
    }
    good = suffixes (p, d);
  }
  return good && c_skip_attributes (p);
}

bool
c_declarator (struct c_parser *p, const struct c_specifiers *s, struct c_declarator *d)
{
  const unsigned depth = p->depth;
  bool good;

  *d = (struct c_declarator){ .type = s->type, .is_const = s->is_const };
  good = direct_declarator (p, d);
  p->depth = depth;
  return good;
}

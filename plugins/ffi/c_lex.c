#include "c_lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MACROS_MAX = 10000, CONDITIONS_MAX = 64 };

static bool
is_name_start (char c)
{
  return isalpha ((unsigned char) c) || c == '_';
}

static bool
is_name_part (char c)
{
  return isalnum ((unsigned char) c) || c == '_';
}

bool
c_token_is (const struct c_token *token, const char *text)
{
  return token->len == strlen (text) && memcmp (token->at, text, token->len) == 0
         && (token->word == WORD_NAME || token->word == WORD_SIGN);
}

bool
c_number (const char *text, size_t len, int64_t *number)
{
  char digits[40], *end;
  unsigned long long value;

  if (len == 0 || len >= sizeof digits || !isdigit ((unsigned char) text[0]))
    return false;
  memcpy (digits, text, len);
  digits[len] = '\0';
  errno = 0;
  value = strtoull (digits, &end, 0);
  if (errno != 0 || strspn (end, "uUlL") != strlen (end))
    return false;
  *number = (int64_t) value;
  return true;
}

/* ---- macros ---- */

const struct c_macro *
c_macros_find (const struct c_macros *macros, const char *name, size_t len)
{
  for (const struct c_macro *m = macros->list; m != NULL; m = m->next)
    if (strlen (m->name) == len && memcmp (m->name, name, len) == 0)
      return m;
  return NULL;
}

static const char *
end_of_name (const char *at, const char *end)
{
  while (at < end && is_name_part (*at))
    at++;
  return at;
}

static const char *
skip_blanks (const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  return at;
}

static bool
starts_with (const char *at, const char *end, const char *word)
{
  return (size_t) (end - at) >= strlen (word) && memcmp (at, word, strlen (word)) == 0;
}

static enum c_macro_kind
kind_of (const char *at, const char *end, int64_t *number)
{
  if (at == end || starts_with (at, end, "/*") || starts_with (at, end, "//")
      || starts_with (at, end, "__attribute__") || starts_with (at, end, "__declspec"))
    return MACRO_NOTHING;
  if (end_of_name (at, end) == end)
    return c_number (at, (size_t) (end - at), number) ? MACRO_NUMBER
           : is_name_start (*at)                      ? MACRO_NAME
                                                      : MACRO_OTHER;
  return MACRO_OTHER;
}

/* NAME and what it stands for; macros with parameters are not kept. */
static void
define (struct c_macros *macros, const char *at, const char *end)
{
  const char *name = at, *name_end = end_of_name (at, end);
  struct c_macro *macro;
  int64_t number = 0;

  if (name_end == name || macros->count == MACROS_MAX)
    return;
  macro = values_alloc (macros->pool, sizeof *macro);
  if (macro == NULL)
    return;
  at = skip_blanks (name_end, end);
  while (end > at && isspace ((unsigned char) end[-1]))
    end--;
  macro->name = values_text (macros->pool, name, (size_t) (name_end - name));
  macro->kind = name_end < end && *name_end == '(' ? MACRO_OTHER : kind_of (at, end, &number);
  macro->text = values_text (macros->pool, at, (size_t) (end - at));
  macro->next = macros->list;
  macros->list = macro;
  macros->count++;
}

/* ---- lines that begin with '#' ---- */

/* From the '#' to the end of the line, with the lines it goes on in. */
static const char *
end_of_line (struct c_lex *lex, const char *at)
{
  for (; at < lex->end; at++)
    if (*at == '\n') {
      bool goes_on = at > lex->at && (at[-1] == '\\' || (at[-1] == '\r' && at[-2] == '\\'));
      if (!goes_on)
        return at;
      lex->line++;
    }
    else if (at + 1 < lex->end && at[0] == '/' && at[1] == '*') {
      const char *close = memmem (at + 2, (size_t) (lex->end - at - 2), "*/", 2);
      if (close == NULL)
        return lex->end;
      for (; at < close + 1; at++)
        lex->line += *at == '\n';
    }
  return at;
}

static const char *const known[] = { "__GNUC__", "__linux__", "__unix__", "__STDC__",
                                     "__STDC_VERSION__" };

static bool
is_defined (const struct c_lex *lex, const char *name, size_t len)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen (known[i]) == len && memcmp (known[i], name, len) == 0)
      return true;
  return c_macros_find (lex->macros, name, len) != NULL;
}

/* What follows "#if": 0, 1, [!] defined NAME; anything else is taken to hold. */
static bool
condition_holds (const struct c_lex *lex, const char *at, const char *end)
{
  bool negated = at < end && *at == '!', holds = true;
  const char *name;

  if (negated)
    at = skip_blanks (at + 1, end);
  if (at < end && *at == '0' && skip_blanks (at + 1, end) == end)
    holds = false;
  else if (starts_with (at, end, "defined")) {
    name = skip_blanks (at + 7, end);
    if (name < end && *name == '(')
      name = skip_blanks (name + 1, end);
    at = end_of_name (name, end);
    holds = is_defined (lex, name, (size_t) (at - name));
    at = skip_blanks (at, end);
    if (at < end && *at == ')')
      at = skip_blanks (at + 1, end);
    if (at < end)
      return true;
  }
  else
    return true;
  return holds != negated;
}

/* Over the part that a condition leaves out, to the line after its #else, #elif or #endif.  After
 * a part that was taken, to its #endif. */
static void
leave_out (struct c_lex *lex, bool to_the_end)
{
  unsigned depth = 1;

  while (lex->at < lex->end && depth > 0) {
    const char *at = skip_blanks (lex->at, lex->end), *end = end_of_line (lex, at);
    if (at < end && *at == '#') {
      at = skip_blanks (at + 1, end);
      if (starts_with (at, end, "if"))
        depth++;
      else if (starts_with (at, end, "endif"))
        depth--;
      else if (starts_with (at, end, "el") && depth == 1 && !to_the_end)
        depth = 0;
    }
    lex->at = end < lex->end ? end + 1 : end;
    lex->line += end < lex->end;
  }
  lex->fresh = true;
}

/* # 12 "file.h" 3, of what cc -E makes. */
static void
line_mark (struct c_lex *lex, const char *at, const char *end)
{
  int64_t number = 0;
  const char *digits = at, *name, *close;

  while (at < end && isdigit ((unsigned char) *at))
    at++;
  name = skip_blanks (at, end);
  if (!c_number (digits, (size_t) (at - digits), &number) || name == end || *name != '"')
    return;
  name++;
  close = memchr (name, '"', (size_t) (end - name));
  if (close == NULL)
    return;
  if (lex->main_file == NULL) {
    lex->main_file = name;
    lex->main_len = (size_t) (close - name);
  }
  lex->foreign =
    (size_t) (close - name) != lex->main_len || memcmp (name, lex->main_file, lex->main_len) != 0;
  lex->line = (unsigned) number - 1; /* the end of this line counts */
}

static void
directive (struct c_lex *lex)
{
  const char *at = skip_blanks (lex->at + 1, lex->end), *end = end_of_line (lex, lex->at);
  bool holds = true, is_condition = false;
  const char *name;

  if (at > end)
    at = end;
  while (end > at && isspace ((unsigned char) end[-1]))
    end--;
  name = end_of_name (at, end);
  name = skip_blanks (name, end);
  if (starts_with (at, end, "line"))
    at = name;
  if (at < end && isdigit ((unsigned char) *at))
    line_mark (lex, at, end);
  else if (starts_with (at, end, "define"))
    define (lex->macros, name, end);
  else if (starts_with (at, end, "ifdef") || starts_with (at, end, "ifndef")) {
    const char *name_end = end_of_name (name, end);
    is_condition = true;
    holds = is_defined (lex, name, (size_t) (name_end - name)) == (at[2] == 'd');
  }
  else if (starts_with (at, end, "if")) {
    is_condition = true;
    holds = condition_holds (lex, name, end);
  }
  while (end < lex->end && *end != '\n')
    end++;
  lex->at = end;
  if (is_condition && !holds) {
    lex->line += end < lex->end;
    lex->at += end < lex->end;
    leave_out (lex, false);
  }
  else if (starts_with (at, end, "el")) { /* the part before it was taken */
    lex->line += end < lex->end;
    lex->at += end < lex->end;
    leave_out (lex, true);
  }
}

/* ---- words ---- */

static void
end_line (struct c_lex *lex)
{
  lex->line++;
  lex->fresh = true;
  lex->at++;
}

/* A comment that follows the one before line by line goes on with it. */
static void
note_comment (struct c_token *token, const char *from, const char *to, unsigned newlines)
{
  bool goes_on =
    token->comment != NULL && from[1] == '/' && token->comment[1] == '/' && newlines <= 1;

  if (!goes_on)
    token->comment = from;
  token->comment_len = (size_t) (to - token->comment);
}

/* Over white space, comments and '#' lines; a comment is the token's unless an empty line follows.
 */
static void
skip_space (struct c_lex *lex, struct c_token *token)
{
  unsigned newlines = 0;

  while (lex->at < lex->end) {
    const char *from = lex->at;
    if (*from == '\n') {
      end_line (lex);
      if (++newlines > 1)
        token->comment = NULL;
    }
    else if (isspace ((unsigned char) *from) || *from == '\\')
      lex->at++;
    else if (*from == '/' && from + 1 < lex->end && from[1] == '/') {
      while (lex->at < lex->end && *lex->at != '\n')
        lex->at++;
      note_comment (token, from, lex->at, newlines);
      newlines = 0;
    }
    else if (*from == '/' && from + 1 < lex->end && from[1] == '*') {
      const char *close = memmem (from + 2, (size_t) (lex->end - from - 2), "*/", 2);
      close = close != NULL ? close + 2 : lex->end;
      for (; lex->at < close; lex->at++)
        lex->line += *lex->at == '\n';
      note_comment (token, from, close, newlines);
      newlines = 0;
    }
    else if (*from == '#' && lex->fresh && lex->macros != NULL) {
      directive (lex);
      token->comment = NULL;
    }
    else
      break;
  }
}

static const char *
end_of_quoted (const char *at, const char *end)
{
  char quote = *at++;

  while (at < end && *at != quote && *at != '\n')
    at += *at == '\\' && at + 1 < end ? 2 : 1;
  return at < end && *at == quote ? at + 1 : at;
}

struct c_token
c_lex_next (struct c_lex *lex)
{
  struct c_token token = { .word = WORD_END };
  const char *at, *end = lex->end;

  skip_space (lex, &token);
  token.line = lex->line;
  token.foreign = lex->foreign;
  token.at = at = lex->at;
  if (at == end)
    return token;
  if (is_name_start (*at)) {
    token.word = WORD_NAME;
    at = end_of_name (at, end);
  }
  else if (isdigit ((unsigned char) *at)) {
    token.word = WORD_NUMBER;
    while (at < end && (is_name_part (*at) || *at == '.'))
      at++;
  }
  else if (*at == '"' || *at == '\'') {
    token.word = *at == '"' ? WORD_TEXT : WORD_CHARACTER;
    at = end_of_quoted (at, end);
  }
  else if (starts_with (at, end, "...")) {
    token.word = WORD_DOTS;
    at += 3;
  }
  else {
    token.word = WORD_SIGN;
    at += starts_with (at, end, "<<") || starts_with (at, end, ">>") ? 2 : 1;
  }
  token.len = (size_t) (at - token.at);
  lex->at = at;
  lex->fresh = false;
  return token;
}

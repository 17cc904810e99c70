#include "schema/explain/harmless.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/invisible.h"

static size_t
shown_as (const char *text, char out[HARMLESS_ROOM])
{
  size_t len = strlen (text);

  memcpy (out, text, len);
  return len;
}

size_t
harmless_character (const char *p, size_t len, char out[HARMLESS_ROOM])
{
  uint32_t c = utf8_code_point (p, &len);

  if (c >= ' ' && c < 0x7f && c != '<' && c != '>' && c != '`') {
    *out = *p;
    return 1;
  }
  if (c == '\n' || c == '\t' || c == '\r')
    return shown_as (" ", out);
  if (invisible_code_point (c))
    return shown_as ("?", out);
  if (c == '<' || c == 0xff1c)
    return shown_as ("‹", out);
  if (c == '>' || c == 0xff1e)
    return shown_as ("›", out);
  if (c == '`')
    return shown_as ("'", out);
  memcpy (out, p, len);
  return len;
}

/* ---- tokens ---- */

/* The length of the role's name that a text begins with, 0: none. */
static size_t
role_at (const char *text, size_t len)
{
  static const char *const roles[] = { "human",     "assistant", "system", "user",
                                       "developer", "tool",      "inst",   "sys" };

  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
    size_t n = strlen (roles[i]);
    if (n <= len && strncasecmp (text, roles[i], n) == 0
        && (n == len || !isalnum ((unsigned char) text[n])))
      return n;
  }
  return 0;
}

/* "Human: " at the begin of a word: its colon is not left. */
static void
break_turn (char *text, size_t len, size_t at)
{
  size_t n;

  if (!isalpha ((unsigned char) text[at]))
    return;
  if (at != 0 && !isspace ((unsigned char) text[at - 1]) && !ispunct ((unsigned char) text[at - 1]))
    return;
  n = role_at (text + at, len - at);
  if (n == 0 || at + n == len || text[at + n] != ':')
    return;
  if (at + n + 1 == len || isspace ((unsigned char) text[at + n + 1]))
    text[at + n] = ';';
}

/* "[INST]", "[/INST]", "[system]": the brackets are not left. */
static void
break_tag (char *text, size_t len, size_t at)
{
  size_t word = at + 1 + (at + 1 < len && text[at + 1] == '/');
  size_t n = role_at (text + word, len - word);

  if (n != 0 && word + n < len && text[word + n] == ']')
    text[at] = text[word + n] = '|';
}

void
harmless_piece (char *text, size_t len)
{
  bool turns = memchr (text, ':', len) != NULL;

  for (size_t i = 0; i < len; i++) {
    if (text[i] == '[' && i + 1 < len)
      break_tag (text, len, i);
    if (turns)
      break_turn (text, len, i);
    /* ### and ~~~ head and fence; two of a kind are left, so that the text can be told */
    if (i >= 2 && (text[i] == '#' || text[i] == '~') && text[i - 1] == text[i]
        && text[i - 2] == text[i])
      text[i] = '.';
  }
}

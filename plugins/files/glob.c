#include "glob.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../common/utf8.h"

/* The next character, a byte that is no UTF-8 counts as one. */
static uint32_t
take (const char **p)
{
  uint32_t point;
  size_t len = utf8_next (*p, strnlen (*p, 4), &point);

  if (len == 0) {
    point = 0x110000U + (unsigned char) **p;
    len = 1;
  }
  *p += len;
  return point;
}

static uint32_t
fold (uint32_t c, bool ignore_case)
{
  return ignore_case && c < 0x80 ? (uint32_t) tolower ((int) c) : c;
}

/* After '[': over the class; *in: is c one of it?  False: it has no end. */
static bool
class_match (const char **pattern, uint32_t c, bool ignore_case, bool *in)
{
  const char *p = *pattern;
  bool negated = *p == '!' || *p == '^', found = false, first = true;

  p += negated;
  for (; *p != '\0' && (*p != ']' || first); first = false) {
    uint32_t low, high;

    p += *p == '\\' && p[1] != '\0';
    low = high = take (&p);
    if (*p == '-' && p[1] != '\0' && p[1] != ']') {
      p++;
      p += *p == '\\' && p[1] != '\0';
      high = take (&p);
    }
    found |= (c >= low && c <= high)
             || (fold (c, ignore_case) >= fold (low, ignore_case)
                 && fold (c, ignore_case) <= fold (high, ignore_case));
  }
  *pattern = p + (*p == ']');
  *in = found != negated && c != '/';
  return *p == ']';
}

/* One character of the text against one step of the pattern that is no star. */
static bool
step (const char **pattern, const char **text, bool ignore_case)
{
  bool in;
  uint32_t c = take (text);

  switch (*(*pattern)++) {
  case '?':
    return c != '/';
  case '[':
    return class_match (pattern, c, ignore_case, &in) && in;
  case '\\':
    break;
  default:
    --*pattern;
  }
  return **pattern != '\0' && fold (take (pattern), ignore_case) == fold (c, ignore_case);
}

/* Where to go on when what follows a star does not match: the star takes one character more. */
struct star {
  const char *pattern, *text; /* NULL: there was none */
};

static bool
retry (struct star *star, bool over_slash, const char **pattern, const char **text)
{
  if (star->pattern == NULL || *star->text == '\0' || (*star->text == '/' && !over_slash))
    return false;
  (void) take (&star->text);
  *pattern = star->pattern;
  *text = star->text;
  return true;
}

bool
glob_match (const char *pattern, const char *text, bool ignore_case)
{
  struct star one = { NULL, NULL }, two = { NULL, NULL };

  for (;;) {
    if (*pattern == '*') {
      bool twice = pattern[1] == '*';

      pattern += strspn (pattern, "*");
      /* Nothing before a "**" needs another try: it can take whatever that would have. */
      one = (struct star){ twice ? NULL : pattern, text };
      if (twice)
        two = (struct star){ pattern, text };
      pattern += twice && *pattern == '/';
      continue;
    }
    if (*text == '\0' && *pattern == '\0')
      return true;
    if (*text != '\0' && *pattern != '\0' && step (&pattern, &text, ignore_case))
      continue;
    if (retry (&one, false, &pattern, &text))
      continue;
    if (!retry (&two, true, &pattern, &text))
      return false;
    one.pattern = NULL;
  }
}

bool
glob_valid (const char *pattern)
{
  bool in;

  while (*pattern != '\0') {
    char c = *pattern++;

    if (c == '[' && !class_match (&pattern, 'x', false, &in))
      return false;
    if (c == '\\' && *pattern++ == '\0')
      return false;
  }
  return true;
}

#include "base/glob.h"

/* Goes back only to the last '*', which is enough. */
bool
glob_fits (const char *pattern, size_t pattern_len, const char *text)
{
  const char *end = pattern + pattern_len, *star = NULL, *from = NULL;

  while (*text != '\0')
    if (pattern != end && *pattern == '*') {
      star = ++pattern;
      from = text;
    }
    else if (pattern != end && *pattern == *text) {
      pattern++;
      text++;
    }
    else if (star != NULL) {
      pattern = star;
      text = ++from;
    }
    else
      return false;
  while (pattern != end && *pattern == '*')
    pattern++;
  return pattern == end;
}

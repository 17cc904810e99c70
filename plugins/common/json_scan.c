#include "json_scan.h"

#include <stdint.h>
#include <string.h>

#include "utf8.h"

enum { DEPTH_MAX = 64 };

char
json_scan_peek (struct json_scan *scan)
{
  while (scan->at < scan->end && memchr (" \t\n\r", *scan->at, 4) != NULL)
    scan->at++;
  return scan->at < scan->end ? *scan->at : '\0';
}

static bool
pass (struct json_scan *scan, char c)
{
  if (json_scan_peek (scan) != c)
    return false;
  scan->at++;
  return true;
}

static bool
give_up (struct json_scan *scan)
{
  scan->at = scan->end;
  return false;
}

bool
json_scan_enter (struct json_scan *scan, char bracket)
{
  return pass (scan, bracket);
}

/* Between the values of what ends with `close`: is there another one? */
static bool
another (struct json_scan *scan, char close)
{
  if (pass (scan, close))
    return false;
  (void) pass (scan, ',');
  return json_scan_peek (scan) != '\0' || give_up (scan);
}

bool
json_scan_item (struct json_scan *scan)
{
  return another (scan, ']');
}

bool
json_scan_name (struct json_scan *scan, struct text *name)
{
  if (!another (scan, '}'))
    return false;
  return (json_scan_string (scan, name) && pass (scan, ':')) || give_up (scan);
}

/* ---- strings ---- */

static bool
hex4 (struct json_scan *scan, uint32_t *unit)
{
  static const char digits[] = "0123456789abcdef";

  *unit = 0;
  if (scan->end - scan->at < 4)
    return false;
  for (int i = 0; i < 4; i++) {
    char c = *scan->at++;
    const char *digit = memchr (digits, c >= 'A' && c <= 'F' ? c + 32 : c, 16);

    if (digit == NULL)
      return false;
    *unit = *unit << 4 | (uint32_t) (digit - digits);
  }
  return true;
}

static void
add_point (struct text *out, uint32_t point)
{
  char bytes[4];

  text_add_len (out, bytes, utf8_put (bytes, point));
}

/* After "\u". */
static bool
add_unicode (struct json_scan *scan, struct text *out)
{
  uint32_t c, low;

  if (!hex4 (scan, &c))
    return false;
  if (c >= 0xD800 && c <= 0xDBFF) {
    if (scan->end - scan->at < 2 || scan->at[0] != '\\' || scan->at[1] != 'u')
      return false;
    scan->at += 2;
    if (!hex4 (scan, &low) || low < 0xDC00 || low > 0xDFFF)
      return false;
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  add_point (out, c);
  return true;
}

static bool
add_escape (struct json_scan *scan, struct text *out)
{
  static const char letters[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
  const char *found;
  char c;

  if (scan->at == scan->end)
    return false;
  c = *scan->at++;
  if (c == 'u')
    return add_unicode (scan, out);
  found = memchr (letters, c, sizeof letters - 1);
  if (found == NULL)
    return false;
  text_add_len (out, &plain[found - letters], 1);
  return true;
}

bool
json_scan_string (struct json_scan *scan, struct text *string)
{
  text_clear (string);
  if (!pass (scan, '"'))
    return false;
  while (scan->at < scan->end && *scan->at != '"') {
    const char *from = scan->at;

    while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\\')
      scan->at++;
    text_add_len (string, from, (size_t) (scan->at - from));
    if (scan->at < scan->end && *scan->at == '\\') {
      scan->at++;
      if (!add_escape (scan, string))
        return give_up (scan);
    }
  }
  return pass (scan, '"') || give_up (scan);
}

/* ---- skipping ---- */

static bool
skip_string (struct json_scan *scan)
{
  scan->at++;
  while (scan->at < scan->end && *scan->at != '"')
    scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
  return pass (scan, '"') || give_up (scan);
}

bool
json_scan_skip (struct json_scan *scan)
{
  unsigned depth = 0;

  do {
    char c = json_scan_peek (scan);

    if (c == '\0' || depth > DEPTH_MAX)
      return give_up (scan);
    if (c == '"') {
      if (!skip_string (scan))
        return false;
    }
    else {
      depth += c == '{' || c == '[';
      depth -= (c == '}' || c == ']') && depth > 0;
      scan->at++;
      /* a number, or a word: to where it ends */
      while (memchr ("{}[],:\"", c, 7) == NULL && scan->at < scan->end
             && memchr ("{}[],:\" \t\r\n", *scan->at, 11) == NULL)
        scan->at++;
    }
  } while (depth > 0);
  return true;
}

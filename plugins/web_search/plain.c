#include "plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../common/utf8.h"

enum { REFERENCE_MAX = 10 }; /* bytes between '&' and ';' */

/* The character that a numeric reference stands for ("#39", "#x27"); 0: none. */
static uint32_t
numbered (const char *name)
{
  bool hex = name[1] == 'x' || name[1] == 'X';
  const char *digits = name + (hex ? 2 : 1);
  char *end;
  unsigned long point = strtoul (digits, &end, hex ? 16 : 10);

  if (strchr ("0123456789abcdefABCDEF", *digits) == NULL || *digits == '\0' || *end != '\0')
    return 0;
  return point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF) ? 0 : (uint32_t) point;
}

static uint32_t
named (const char *name)
{
  static const struct {
    const char *name;
    uint32_t point;
  } known[] = {
    { "amp", '&' },      { "lt", '<' },       { "gt", '>' },        { "quot", '"' },
    { "apos", '\'' },    { "nbsp", ' ' },     { "hellip", 0x2026 }, { "ndash", 0x2013 },
    { "mdash", 0x2014 }, { "lsquo", 0x2018 }, { "rsquo", 0x2019 },  { "ldquo", 0x201C },
    { "rdquo", 0x201D }, { "middot", 0xB7 },  { "bull", 0x2022 },
  };

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp (known[i].name, name) == 0)
      return known[i].point;
  return 0;
}

/* Append what the reference at `html` ('&') stands for; its length, 0: it is none. */
static size_t
add_reference (struct text *out, const char *html, size_t len)
{
  const char *end = memchr (html, ';', len < REFERENCE_MAX + 2 ? len : REFERENCE_MAX + 2);
  char name[REFERENCE_MAX + 1] = "", bytes[4];
  uint32_t point;

  if (end == NULL || end == html + 1)
    return 0;
  memcpy (name, html + 1, (size_t) (end - html) - 1);
  point = name[0] == '#' ? numbered (name) : named (name);
  if (point == 0)
    return 0;
  text_add_len (out, bytes, utf8_put (bytes, point));
  return (size_t) (end - html) + 1;
}

/* The length of the tag at `html` ('<'); 0: it is none. */
static size_t
tag (const char *html, size_t len)
{
  const char *end = memchr (html, '>', len);
  char c = len > 1 ? html[1] : '\0';

  if (end == NULL || !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '!'))
    return 0;
  return (size_t) (end - html) + 1;
}

/* Blanks in a row are one, and none at either end. */
static void
add_squeezed (struct text *out, const char *text, size_t len)
{
  CLEANUP_TEXT struct text squeezed = { 0 };

  for (size_t i = 0; i < len; i++)
    if (strchr (" \t\r\n", text[i]) == NULL || text[i] == '\0')
      text_add_len (&squeezed, text + i, 1);
    else if (squeezed.len != 0 && squeezed.data[squeezed.len - 1] != ' ')
      text_add (&squeezed, " ");
  if (squeezed.len != 0 && squeezed.data[squeezed.len - 1] == ' ')
    squeezed.len--;
  text_add_line (out, text_get (&squeezed), squeezed.len);
}

void
plain_text (struct text *out, const char *html, size_t len)
{
  CLEANUP_TEXT struct text text = { 0 };

  for (size_t i = 0; i < len;) {
    size_t passed = html[i] == '<'   ? tag (html + i, len - i)
                    : html[i] == '&' ? add_reference (&text, html + i, len - i)
                                     : 0;
    if (passed == 0)
      text_add_len (&text, html + i, passed = 1);
    i += passed;
  }
  add_squeezed (out, text_get (&text), text.len);
}

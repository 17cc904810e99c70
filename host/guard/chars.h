/* chars.h - characters as the guards tell them apart, by byte; bytes of characters above ASCII are
 * in no class but CHAR_HIGH.  For the files of this folder alone. */
#ifndef TOOLHOST_GUARD_CHARS_H
#define TOOLHOST_GUARD_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  CHAR_DIGIT = 1 << 0,
  CHAR_UPPER = 1 << 1,
  CHAR_LOWER = 1 << 2,
  CHAR_HIGH = 1 << 3,
  CHAR_LOCAL = 1 << 4,  /* besides letters and digits, what stands before the "@" of an address */
  CHAR_BASE64 = 1 << 5, /* besides letters and digits, both alphabets, without "=" */

  CHAR_ALPHA = CHAR_UPPER | CHAR_LOWER,
  CHAR_ALNUM = CHAR_ALPHA | CHAR_DIGIT,
  CHAR_WORD = CHAR_ALNUM | CHAR_HIGH
};

extern const uint8_t guard_chars[256];

static inline bool
char_is (char c, unsigned classes)
{
  return (guard_chars[(unsigned char) c] & classes) != 0;
}

/* Is the character before `at`, or at `at`, of these classes?  False where the text ends. */
static inline bool
char_before (const char *text, size_t at, unsigned classes)
{
  return at > 0 && char_is (text[at - 1], classes);
}
static inline bool
char_at (const char *text, size_t len, size_t at, unsigned classes)
{
  return at < len && char_is (text[at], classes);
}

/* Is it one of these?  U+0000 is none. */
static inline bool
char_among (char c, const char *list)
{
  return c != '\0' && strchr (list, c) != NULL;
}

/* Behind the characters of these classes. */
static inline size_t
char_skip (const char *text, size_t len, size_t at, unsigned classes)
{
  while (at < len && char_is (text[at], classes))
    at++;
  return at;
}

/* Bytes of the blank, hyphen or dot at `at` that may stand in a number: ' ', '-', '.', no-break and
 * thin spaces, and the hyphens and dashes of Unicode; 0 when there is none. */
size_t char_separator (const char *text, size_t len, size_t at);

#endif

/* utf8.h - read UTF-8 that may be broken, one character at a time. */
#ifndef TOOLHOST_PLUGINS_COMMON_UTF8_H
#define TOOLHOST_PLUGINS_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at `text` has, 1 to 4, with its code point in *point (may be NULL).
 * 0: the bytes there are no UTF-8 (overlong forms, surrogates and cut characters included). */
size_t utf8_next (const char *text, size_t len, uint32_t *point);

/* Write a character, which is none of the surrogates and at most U+10FFFF; how many bytes it has.
 */
size_t utf8_put (char bytes[4], uint32_t point);

bool utf8_valid (const char *text, size_t len);

/* How many characters; broken bytes count as one each. */
size_t utf8_count (const char *text, size_t len);

/* The longest head of a text that has at most `max` bytes and does not end within a character. */
size_t utf8_cut (const char *text, size_t len, size_t max);

#endif

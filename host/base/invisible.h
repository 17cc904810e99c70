/* invisible.h - characters that a person does not see and a model does: control characters, what is
 * drawn as nothing, what turns the direction of text, tags and private use.  Pure; any thread. */
#ifndef TOOLHOST_BASE_INVISIBLE_H
#define TOOLHOST_BASE_INVISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool invisible_code_point (uint32_t c);

/* The code point at `p`, good UTF-8 of `*len` bytes. */
uint32_t utf8_code_point (const char *p, size_t *len);

#endif

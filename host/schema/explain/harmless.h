/* harmless.h - foreign text in a sentence for a model: it must not look like markup, like a turn of
 * a conversation, or like nothing.  For line.c alone. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_HARMLESS_H
#define TOOLHOST_SCHEMA_EXPLAIN_HARMLESS_H

#include <stddef.h>

enum { HARMLESS_ROOM = 4 };

/* How a character (one good UTF-8 sequence) is shown: its bytes are put at `out`, their number is
 * returned. */
size_t harmless_character (const char *p, size_t len, char out[HARMLESS_ROOM]);

/* Words that begin a turn ("Human:", "[INST]") and runs that fence or head text, in a piece that
 * has been put together: each is changed by a byte, the length stays. */
void harmless_piece (char *text, size_t len);

#endif

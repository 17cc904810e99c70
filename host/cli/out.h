/* out.h - what toolhost prints: text from elsewhere made harmless for a terminal, and errors.
 *
 * What a tool says is somebody else's: on a terminal its control characters would move the cursor,
 * change the title or hide text, so they are shown as the escapes JSON has for them. */
#ifndef TOOLHOST_CLI_OUT_H
#define TOOLHOST_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "cli/exits.h"

/* Is it a terminal? */
bool out_is_terminal (FILE *stream);
/* May it be coloured: a terminal that knows colours, and nobody who said NO_COLOR? */
bool out_is_colourful (FILE *stream);
/* Columns of the terminal behind the stream; 0 when it is none or does not say. */
unsigned out_width (FILE *stream);

/* Is this code point one that a terminal should not get: a control (but newline and tab), a
 * bidirectional override, a tag or another invisible format character? */
bool text_is_harmful (unsigned long code_point);

/* Decode one code point of `len` > 0 bytes; returns the bytes it takes.  What is not UTF-8 counts
 * as one byte and U+FFFD. */
size_t text_decode (const char *text, size_t len, unsigned long *code_point);

/* Append the text with everything harmful as \u001b and the like; it stays valid inside JSON. */
void text_neutralise (struct buf *out, const char *text, size_t len);

/* Print to stdout: neutralised on a terminal, byte by byte elsewhere; a newline at the end if there
 * is none. */
void out_text (const char *text, size_t len);
/* What is harmless already, as it is. */
void out_plain (const char *text, size_t len);
/* The same to stderr. */
void out_note (const char *text, size_t len);

/* "toolhost: …" on stderr, neutralised; returns `status`, for `return out_error (…)`. */
enum cli_exit out_error (enum cli_exit status, const char *fmt, ...)
  __attribute__ ((format (printf, 2, 3)));

/* Flush stdout.  If not everything could be written that is an error, and the status says so. */
enum cli_exit out_finish (enum cli_exit status);

#endif

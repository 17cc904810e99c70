/* glob.h - patterns of names: '*' stands for any characters, everything else for itself; case
 * counts.  A pure function; any thread. */
#ifndef TOOLHOST_BASE_GLOB_H
#define TOOLHOST_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Does the whole text fit?  Takes no more steps than one length times the other. */
bool glob_fits (const char *pattern, size_t pattern_len, const char *text);

#endif

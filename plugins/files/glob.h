/* glob.h - patterns of file names, in time that grows with the product of the lengths only.
 *
 *   ?       one character        *    any characters but '/'      **   any characters ("**" and
 * '/': nothing too) [a-z]   one of these         [!a-z]  one of the others        \c   c itself
 *
 * A pattern without '/' is for names, one with '/' for paths. */
#ifndef TOOLHOST_FILES_GLOB_H
#define TOOLHOST_FILES_GLOB_H

#include <stdbool.h>

/* ASCII letters match in either case when ignore_case.  The text is UTF-8 or not. */
bool glob_match (const char *pattern, const char *text, bool ignore_case);
/* False: a "[" without its "]", or a "\" at the end. */
bool glob_valid (const char *pattern);

#endif

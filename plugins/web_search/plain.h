/* plain.h - what engines quote from pages, as text. */
#ifndef TOOLHOST_PLUGINS_WEB_SEARCH_PLAIN_H
#define TOOLHOST_PLUGINS_WEB_SEARCH_PLAIN_H

#include <stddef.h>

#include "../common/text.h"

/* Append `html` as one line: without tags, character references resolved, blanks and line ends
 * taken together, control characters and broken UTF-8 as U+FFFD. */
void plain_text (struct text *out, const char *html, size_t len);

#endif

/* uri_template.h - URI templates of RFC 6570 read backwards: which values of its variables a URI
 * was made with.
 *
 * All operators and several variables in an expression are understood, and "*"; prefixes (":3")
 * are not.  Where an expansion would have encoded a character, one that stands there plainly counts
 * as well, but never "/", "?" or "#" ("{+…}" and "{#…}" take these, too).  A URI that can be read
 * in several ways is read so that earlier expressions take as much as they can.  Pure. */
#ifndef TOOLHOST_BASE_URI_TEMPLATE_H
#define TOOLHOST_BASE_URI_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

enum { URI_MAX = 2048 }; /* bytes of a URI and of a template */

struct uri_template;

/* NULL: err says what in it is not understood. */
struct uri_template *uri_template_new (const char *text, size_t len, struct error *err);
void uri_template_free (struct uri_template *t);

/* Was the URI made of the template?  Then its variables are appended as a JSON object of strings,
 * percent-encoding resolved where that gives UTF-8; those that are not there are left out. */
bool uri_template_match (const struct uri_template *t, const char *uri, size_t len,
                         struct buf *variables);

/* Bytes outside of expressions: of two templates, the one with more of them says more. */
size_t uri_template_literal (const struct uri_template *t);
/* Has it a variable of this name? */
bool uri_template_has (const struct uri_template *t, const char *name, size_t len);

#endif

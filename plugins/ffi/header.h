/* header.h - what a header declares, as documents of functions: proposals that people look at
 * (toolhost ffi import), or that a tenant's "headers" take as they are, but for what it says
 * otherwise. */
#ifndef TOOLHOST_PLUGINS_FFI_HEADER_H
#define TOOLHOST_PLUGINS_FFI_HEADER_H

#include "c_parse.h"
#include "document.h"

struct declared {
  struct declared *next;
  size_t header; /* which of the headers */
  const char *name;
  const struct value *document;
};

struct headers {
  struct declared *list, **last;
  size_t count;
};

/* "headers": [ { "text" or "file", "library", "symbols", "functions" } ].  NULL: none. */
bool headers_read (struct document *doc, const struct value *list, struct headers *headers);

/* A prototype as a document.  NULL: none can be made, *why is a sentence.  *note: what a person
 * has to look at; NULL: nothing. */
const struct value *header_propose (struct values *pool, const struct c_prototype *prototype,
                                    const char *library, const char **why, const char **note);

/* The JSON object behind "toolhost ffi import": "types", "functions", "notes", "left_out".
 * Functions are those that match a pattern ("crc*"); NULL: all that no included header declares. */
void header_import (struct values *pool, const char *text, size_t len, const char *library,
                    const char *pattern, struct text *out);

/* ---- comments ---- */

struct c_comment {
  const char *description; /* "": none */
  const char *returns;     /* NULL: nothing is said */
  struct c_comment_param {
    const char *name, *text;
    const char *direction; /* "in", "out", "inout"; NULL: not said */
  } params[C_PARAMS_MAX];
  size_t count;
};

/* What a comment says of a function, with Doxygen's tags. */
void c_comment_read (struct values *pool, const char *comment, size_t len, struct c_comment *said);

#endif

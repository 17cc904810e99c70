/* document.h - a description of a service, read: OpenAPI 3.0 or 3.1, as JSON or YAML; and what its
 * references lead to.
 *
 * References within the document are followed.  Those to other files are, where the operator has
 * said so: to files in the folder of the document and below it.  Those to servers never are. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_DOCUMENT_H
#define TOOLHOST_PLUGINS_OPENAPI_DOCUMENT_H

#include "../common/value.h"

enum { DOCUMENT_BYTES_MAX = 16 << 20, DOCUMENT_FILES_MAX = 64 };

/* A document, or a file that one refers to. */
struct document_file {
  const char *name; /* relative to the folder; "": the document itself */
  const struct value *root;
};

struct document {
  struct values *pool;      /* the caller's */
  const struct value *root; /* NULL: none was read */
  bool v31;                 /* its schemas are JSON Schema 2020-12 */
  const char *folder;       /* of files it may refer to, without a slash at its end; NULL: none */
  struct document_file files[DOCUMENT_FILES_MAX];
  size_t files_count;
  bool closed; /* no more files are read: threads share it from then on */
};

/* A JSON or YAML text as a value; NULL: `why` says where it is none. */
const struct value *document_parse (struct values *pool, const char *text, size_t len,
                                    struct text *why);
/* Take a value for the document.  False: `why` says what it is instead. */
bool document_take (struct document *document, const struct value *root, struct text *why);
/* Read a whole file, at most DOCUMENT_BYTES_MAX.  False: `why` says why not. */
bool document_load (const char *path, struct text *out, struct text *why);

/* Where a value of a document stands: which file's references it is read with. */
struct located {
  const struct value *value; /* NULL: there is none */
  size_t file;
};

/* What a reference, as it stands in that file, leads to, references in its place followed, too.
 * value NULL: `why` says why.  One thread: it may read a file. */
struct located document_follow (struct document *document, const char *ref, size_t file,
                                struct text *why);
/* The value itself, or what its "$ref" leads to. */
struct located document_deref (struct document *document, struct located at, struct text *why);
/* A member of what stands here, dereferenced; value NULL without a sentence: it is not there. */
struct located document_get (struct document *document, struct located at, const char *name,
                             struct text *why);

#endif

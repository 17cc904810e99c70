/* body.h - the body of a request: what a document says of it, and an argument as JSON, as text, as
 * a form's fields, or as the parts of a multipart form. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_BODY_H
#define TOOLHOST_PLUGINS_OPENAPI_BODY_H

#include "document.h"

enum {
  BODY_NESTING_MAX = 10 /* objects within each other, of what is put together of arguments */
};

enum media { MEDIA_NONE, MEDIA_JSON, MEDIA_TEXT, MEDIA_FORM, MEDIA_MULTIPART };

/* A member of a body whose members are arguments of their own. */
struct body_member {
  const char *name, *argument;
  bool required;
};

struct body {
  enum media media;
  const char *type;     /* the media type, as the document has it */
  const char *argument; /* that is the body; NULL: its members are arguments */
  bool required;
  const char *description;      /* NULL: none */
  struct located schema;        /* value NULL: anything */
  const struct value *encoding; /* of a form's fields; NULL: as it usually is */
  struct body_member *members;
  size_t members_count;
};

/* Read a requestBody object, which references have been followed to.  False: `why` says what keeps
 * `operation` from being a tool. */
bool body_read (struct body *body, struct document *document, struct located source,
                struct values *pool, const char *operation, struct text *why);

/* Is it nested no more than BODY_NESTING_MAX?  False: `why`. */
bool body_fits (const struct body *body, struct document *document, const char *operation,
                struct text *why);

/* What is sent. */
struct payload {
  struct text bytes, type; /* type: of its Content-Type; empty: there is no body */
};

void payload_free (struct payload *payload);
#define CLEANUP_PAYLOAD __attribute__ ((cleanup (payload_free)))

/* Put together what the arguments say.  False: `why`. */
bool body_write (struct payload *payload, const struct body *body, struct document *document,
                 const struct value *arguments, struct values *pool, struct text *why);

/* A multipart form of these fields (for body.c). */
bool multipart_write (struct payload *payload, const struct body *body, struct document *document,
                      const struct value *fields, struct text *why);
/* The schema of a field, dereferenced; value NULL: nothing is said of it. */
struct located body_field (const struct body *body, struct document *document, const char *name);

#endif

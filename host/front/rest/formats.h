/* formats.h - GET /v1/tools: the toolset as each provider of models takes it, written once for each
 * toolset and format.  Used by rest.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_FORMATS_H
#define TOOLHOST_FRONT_REST_FORMATS_H

#include "base/error.h"
#include "catalog/project/project.h"
#include "front/http/http.h"

struct rest_formats {
  struct providers *providers;
  uint64_t generation; /* of the toolset that the bodies are of */
  struct buf some;     /* the last answer that was not kept */
  struct buf *bodies;  /* two for each format, the second strict; empty: not asked for yet */
};

void rest_formats_init (struct rest_formats *formats);
void rest_formats_free (struct rest_formats *formats);

/* The answer of `set`, which is `whole` or some of it and then not kept, for a format (data NULL:
 * the default) and `strict` (data NULL, "true" or "false"), good until the next call.  NULL: err
 * says what is known. */
const struct buf *rest_formats_body (struct rest_formats *formats, const struct toolset *whole,
                                     const struct toolset *set, struct slice format,
                                     struct slice strict, struct error *err);

#endif

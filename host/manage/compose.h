/* compose.h - what the feature "actions" of a tenant is made of: documents of tools and endpoints
 * from several places, put together by their names.  What comes later takes the place of what has
 * its name already, so the places are added from the most general to the most particular.
 *
 * Documents are read as JSON and by their name, and by nothing else: what they mean is the matter
 * of the plugin that builds them, in its sandbox. */
#ifndef TOOLHOST_MANAGE_COMPOSE_H
#define TOOLHOST_MANAGE_COMPOSE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json_tape.h"
#include "manage/definitions.h"

/* The feature of the builder that is told all this. */
#define ACTIONS_FEATURE "actions"

enum {
  DOCUMENT_MAX = 128 * 1024, /* bytes of one document */
  DOCUMENT_NAME_MAX = 64,    /* bytes of a name */
  DOCUMENTS_BYTES_MAX =
    12 << 20 /* of all that a tenant has: what a builder is told has its limit */
};

/* Of one document: 32 deep, 20,000 values, 2,000 members. */
extern const struct json_limits document_limits;
/* Of a file of them, or a feature. */
extern const struct json_limits documents_limits;

/* Is this a name: a-z, 0-9 and '_', a letter first, at most DOCUMENT_NAME_MAX?  Endpoints' may have
 * single dots in them. */
bool document_name (enum definition_kind kind, const char *name, size_t len);

struct piece {
  char *name;
  char *body;
  size_t len;
  const char *from; /* borrowed */
  UT_hash_handle hh;
};

/* Zero-initialise; free with composed_free. */
struct composed {
  struct piece *by_name[DEFINITION_KINDS];
  size_t count;
  bool strict; /* of templates */
  /* What has taken another's place is told; NULL: nobody is. */
  void (*replaced) (void *ctx, enum definition_kind kind, const struct piece *was,
                    const char *from);
  void *ctx;
};

/* `from` is where it comes from, in words; it lives as long as this. */
void compose_add (struct composed *c, enum definition_kind kind, const char *name, const char *body,
                  size_t len, const char *from);
/* What stands in a text: one document of a tool, an array of them, or { "tools": […], "endpoints":
 * […], "strict_templates": bool }.  False: err begins with the JSON pointer of what is wrong; what
 * was before it is added. */
bool compose_add_text (struct composed *c, const char *text, size_t len, const char *from,
                       struct error *err);
/* All that a tenant has made; NULL: nothing. */
void compose_add_tenant (struct composed *c, const struct tenant_definitions *of, const char *from);
/* As the builder takes it, sorted by name: what is built does not depend on who came first.  {
 * "tools": […], "endpoints": […], "strict_templates": bool }. */
void compose_put (struct composed *c, struct buf *out);
/* [ENDPOINT, …], without the one of this name (NULL: all). */
void compose_put_endpoints (const struct composed *c, const char *without, struct buf *out);
void composed_free (struct composed *c);

#endif

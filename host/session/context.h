/* context.h - what a conversation knows: one JSON document with the roots user, tenant, workflow,
 * agents, flags and history.
 *
 *   user, tenant   given at the start, never written
 *   workflow       free
 *   agents         one object for each agent, by its name
 *   flags          names that are true; written by set and clear of flags alone
 *   history        a list that is only added to
 *
 * A change is a JSON object: { "set": { PATH: value }, "append": { PATH: value }, "flags": { NAME:
 * true or false } }, PATH being names with dots between them ("workflow.step").  All of it takes
 * effect, or nothing.  Owned by a session; no threads. */
#ifndef TOOLHOST_SESSION_CONTEXT_H
#define TOOLHOST_SESSION_CONTEXT_H

#include "base/error.h"
#include "base/json_c.h"
#include "base/json_write.h"

struct context {
  struct json_object *document; /* without the roots that are empty; NULL: all are */
  size_t max;                   /* bytes of it as text */
  size_t len;                   /* how many it has; 0: see document */
  unsigned version;             /* changes so far */
};

enum { CONTEXT_DEPTH_MAX = 32 };

/* Set user and tenant at the start; either may be NULL.  False: not an object, or too large. */
bool context_begin (struct context *context, const struct json_tape *tape,
                    const struct json_node *user, const struct json_node *tenant,
                    struct error *err);
/* False: err begins with a JSON pointer into the change, nothing has changed, and *denied tells
 * whether it is for writing what can't be written. */
bool context_change (struct context *context, const struct json_tape *tape,
                     const struct json_node *change, bool *denied, struct error *err);
/* The value at a path as JSON; false: there is none. */
bool context_get (const struct context *context, const char *path, struct buf *out);
void context_put (const struct context *context, struct json_writer *w);
void context_free (struct context *context);

/* ---- for draft.c ---- */

/* A document to be changed, the caller's, … */
struct json_object *context_copy (const struct context *context);
/* … by a change; false: part of a change of several writes may have been done, */
bool context_change_document (struct json_object *document, const struct json_tape *tape,
                              const struct json_node *change, bool *denied, struct error *err);
/* … and put in the place of the one there is; it is taken over.  False: it is too large. */
bool context_take (struct context *context, struct json_object *document, struct error *err);
/* The value at a path of it. */
bool context_read (struct json_object *document, const char *path, struct buf *out);
/* Is the flag set in it?  NULL: in an empty one. */
bool context_flag (struct json_object *document, const char *name);

#endif

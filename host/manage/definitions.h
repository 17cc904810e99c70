/* definitions.h - what tenants have made over the management API, as the store has it: read once,
 * and followed from then on by what was written since.  Everything here is a copy; the store alone
 * says what is.  Loop thread only. */
#ifndef TOOLHOST_MANAGE_DEFINITIONS_H
#define TOOLHOST_MANAGE_DEFINITIONS_H

#include <ev.h>

#include "base/hash.h"
#include "store/store.h"

enum definition_kind { DEFINITION_TOOL, DEFINITION_ENDPOINT, DEFINITION_KINDS };
/* "tool", "endpoint": the store's word, and the one in sentences */
const char *definition_word (enum definition_kind kind);

struct definition {
  char *name;
  char *body; /* JSON, as it was written */
  size_t body_len;
  int64_t revision;
  int64_t written_ms, created_ms; /* Unix time */
  char *author;
  UT_hash_handle hh;
};

struct tenant_definitions {
  char *tenant;
  struct definition *by_name[DEFINITION_KINDS];
  size_t count[DEFINITION_KINDS];
  size_t bytes;     /* of all bodies */
  int64_t revision; /* of the last change, also of what is gone */
  UT_hash_handle hh;
};

struct definitions_events {
  /* All that is there has been read; once. */
  void (*loaded) (void *ctx);
  /* Something of this tenant is another, or gone.  Not while loading. */
  void (*changed) (void *ctx, const char *tenant);
  void *ctx;
};

struct definitions;

/* `store`, `loop` and `log` are borrowed. */
struct definitions *definitions_new (struct store *store, struct ev_loop *loop, struct log *log,
                                     const struct definitions_events *events);
/* After the store was closed, which tells what it was asked; whoever waits is told here. */
void definitions_free (struct definitions *d);

/* Have they been read? */
bool definitions_are_loaded (const struct definitions *d);
/* NULL: it has none, and never had any since the start.  Of no definitions (NULL), none. */
const struct tenant_definitions *definitions_of (const struct definitions *d, const char *tenant);
/* For each tenant that has some. */
void definitions_each_tenant (const struct definitions *d,
                              void (*each) (void *ctx, const struct tenant_definitions *of),
                              void *ctx);
/* NULL: there is none of this name. */
const struct definition *definitions_find (const struct definitions *d, const char *tenant,
                                           enum definition_kind kind, const char *name);

/* What was written up to this revision is to be here: `done` is called when it is, never before
 * this returns. */
void definitions_await (struct definitions *d, int64_t revision, void (*done) (void *ctx),
                        void *ctx);

#endif

/* toolsets.h - what each tenant is shown: of everything plugins offer what its file grants, and
 * what builders of plugins make of its features.  Builders run one after the other, each in a
 * sandboxed process of its own with the deadline of a start; one that fails or crashes is logged
 * and passed over.  A new toolset replaces the old one in one step whenever a plugin or the
 * tenant's file changes; running calls keep theirs, other tenants' stay as they are.  Loop thread
 * only. */
#ifndef TOOLHOST_DAEMON_TOOLSETS_H
#define TOOLHOST_DAEMON_TOOLSETS_H

#include "base/buf.h"
#include "call/tenancy.h"
#include "catalog/catalog.h"
#include "daemon/pins.h"
#include "daemon/tenants.h"
#include "watch/log.h"

struct toolsets;
struct plugins;
struct pool;

struct toolsets_needs {
  struct log *log;
  struct pool *pool;
  struct plugins *plugins;
  struct catalog *catalog;     /* of everything */
  struct tenancies *tenancies; /* where each tenant's is put */
  struct pins *pins;           /* of those whose files want them */
  /* What the feature "actions" of a tenant is: `said`, which its file says of it (JSON; NULL:
   * nothing), and what else there is; allocated, NULL: nothing.  *revision: up to which what was
   * made over the management API is in it.  NULL: what the file says. */
  char *(*compose) (void *ctx, const char *tenant, const char *said, int64_t *revision);
  /* Is there something of the tenant's, which may have no file? */
  bool (*owns) (void *ctx, const char *tenant);
  /* Some tenant is served what was built; may be NULL. */
  void (*served) (void *ctx);
  void *ctx;
};

struct toolsets *toolsets_new (const struct toolsets_needs *needs);
void toolsets_free (struct toolsets *toolsets);

/* The plugins are known: builders run from here on.  `built` is called once, when every tenant's
 * have had their turn, possibly before this returns. */
void toolsets_begin (struct toolsets *toolsets, void (*built) (void *ctx), void *ctx);
bool toolsets_are_built (const struct toolsets *toolsets);
/* Stop all workers of what was built, and build no more. */
void toolsets_shutdown (struct toolsets *toolsets);

/* A tenant has a file, or another one: its toolset is made anew.  The file stays until
 * toolsets_forget. */
void toolsets_follow (struct toolsets *toolsets, const struct tenant_file *file);
/* It has one no longer. */
void toolsets_forget (struct toolsets *toolsets, const char *tenant);

/* What was made of this tenant's, or of everybody's (NULL), is another: it is built anew, soon, and
 * what serves goes on until then.  One without a file is served as "default" and this. */
void toolsets_touch (struct toolsets *toolsets, const char *tenant);
/* Files have been read again, and builders may have read others: what failed, or may be made of
 * files, is built anew, soon. */
void toolsets_doubt (struct toolsets *toolsets);
/* What the file that a tenant is served by says of a feature, JSON, allocated; NULL: nothing. */
char *toolsets_feature (struct toolsets *toolsets, const char *tenant, const char *feature);
/* Has it a file of its own? */
bool toolsets_has_file (struct toolsets *toolsets, const char *tenant);
/* Up to which revision a tenant is served what was made over the management API; -1: nothing. */
int64_t toolsets_revision (struct toolsets *toolsets, const char *tenant);

/* { "tenants": [ … ] }, sorted by name; of one, NULL: of all.  False: there is no such file. */
bool toolsets_render (struct toolsets *toolsets, const char *tenant, struct buf *out);

/* The pins of a tenant; NULL: there is no file of such a tenant, or it does not want pins. */
struct pinned *toolsets_pinned (struct toolsets *toolsets, const char *tenant);
/* Let in what waits, at once; PINS_NOT_KEPT: there are none of it. */
enum pins_accepted toolsets_accept (struct toolsets *toolsets, const char *tenant, const char *name,
                                    const char *digest);

#endif

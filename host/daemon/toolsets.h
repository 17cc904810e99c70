/* toolsets.h - what each tenant is shown: of everything plugins offer what its file grants.  A new
 * toolset replaces the old one in one step whenever a plugin or the tenant's file changes; running
 * calls keep theirs, other tenants' stay as they are.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_TOOLSETS_H
#define TOOLHOST_DAEMON_TOOLSETS_H

#include "base/buf.h"
#include "call/tenancy.h"
#include "catalog/catalog.h"
#include "daemon/tenants.h"
#include "watch/log.h"

struct toolsets;

struct toolsets_needs {
  struct log *log;
  struct catalog *catalog;          /* of everything */
  struct tenancies *tenancies;      /* where each tenant's is put */
  const struct tenant_files *files; /* to be shown */
};

struct toolsets *toolsets_new (const struct toolsets_needs *needs);
void toolsets_free (struct toolsets *toolsets);

/* A tenant has a file, or another one: its toolset is made anew.  The file stays until
 * toolsets_forget. */
void toolsets_follow (struct toolsets *toolsets, const struct tenant_file *file);
/* It has one no longer. */
void toolsets_forget (struct toolsets *toolsets, const char *tenant);

/* { "tenants": [ … ] }, sorted by name; of one, NULL: of all.  False: there is no such file. */
bool toolsets_render (struct toolsets *toolsets, const char *tenant, struct buf *out);

#endif

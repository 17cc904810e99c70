/* tenancy.h - who is served what: of each tenant the catalog it is shown, the terms its calls are
 * taken on, and what it has used of its quotas.
 *
 * A tenant that the operator wrote a file for has a catalog and terms of its own.  One without is
 * served as the tenant "default" is, with counts of its own; "default" without a file is served
 * everything.  Owned by the daemon, which knows the files.  Loop thread only. */
#ifndef TOOLHOST_CALL_TENANCY_H
#define TOOLHOST_CALL_TENANCY_H

#include "approval/rules.h"
#include "call/quota.h"
#include "catalog/catalog.h"
#include "pool/tenants.h"

#define TENANT_DEFAULT "default"

struct budgets; /* budgets.h */
struct guards;  /* guards.h */

struct terms {
  struct quota_limits quota;
  unsigned running_max; /* calls that run at once; 0: as the pool has it for any tenant */
  unsigned roles;       /* what its keys and tokens may do at most, enum role; ~0U: all they say */
  int repair;           /* enum repair_mode; -1: as the daemon's configuration says */
  struct approval_rules *approvals; /* approval/rules.h; NULL: its file says nothing of them */
  bool detailed_errors;             /* models are told causes that otherwise only the log is */
  struct guards *guards; /* of its calls; NULL: none.  A tenancy has a reference of its own */
};
extern const struct terms terms_default;

struct tenancies;

struct tenancy {
  struct tenancies *all;
  struct catalog *own; /* NULL: it has no file */
  struct terms terms;  /* while it has one */
  struct quota quota;
  struct budgets *budgets; /* what its calls have used of them; NULL: nothing */
  UT_hash_handle hh;
  char name[];
};

/* `pool` may be NULL: how many calls run at once is then nobody's concern. */
struct tenancies *tenancies_new (struct catalog *whole, struct tenants *pool);
void tenancies_free (struct tenancies *all);

/* Made when new, and there until tenancies_free.  NULL: "default". */
struct tenancy *tenancies_of (struct tenancies *all, const char *name);
/* From now on it has terms and a catalog of its own, which is empty at first and is the answer; of
 * the terms' rules it has a reference of its own. */
struct catalog *tenancy_grant (struct tenancy *tenancy, const struct terms *terms);
/* From now on it is served as "default". */
void tenancy_revoke (struct tenancy *tenancy);

/* What it is shown: its own catalog, that of "default", or the whole.  Good until the next grant or
 * revocation. */
struct catalog *tenancy_catalog (const struct tenancy *tenancy);
const struct terms *tenancy_terms (const struct tenancy *tenancy);
/* The guards of calls of all tenants, from the next one on; a reference of its own is taken. */
void tenancies_set_guards (struct tenancies *all, struct guards *guards);
/* Those of its next call: the host's, and its own; NULL: none. */
void tenancy_guards (const struct tenancy *tenancy, struct guards **of_host,
                     struct guards **of_tenant);
/* Everything there is, which nobody is served as it is. */
struct catalog *tenancies_whole (const struct tenancies *all);
/* Of its calls, how many run now. */
unsigned tenancy_running (const struct tenancy *tenancy);

#endif

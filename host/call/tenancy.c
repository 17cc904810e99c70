#include "call/tenancy.h"

#include <stdlib.h>
#include <string.h>

#include "call/budgets.h"
#include "call/guards.h"

const struct terms terms_default = { .roles = ~0U, .repair = -1 };

struct tenancies {
  struct catalog *whole;
  struct tenants *pool;
  struct guards *guards; /* the host's */
  struct tenancy *by_name;
  struct tenancy *otherwise; /* "default" */
};

static const unsigned ALL_LISTS = CATALOG_TOOLS | CATALOG_RESOURCES | CATALOG_PROMPTS;

struct tenancies *
tenancies_new (struct catalog *whole, struct tenants *pool)
{
  struct tenancies *all = xcalloc (1, sizeof *all);

  all->whole = whole;
  all->pool = pool;
  all->otherwise = tenancies_of (all, TENANT_DEFAULT);
  return all;
}

void
tenancies_free (struct tenancies *all)
{
  struct tenancy *t, *next;

  if (all == NULL)
    return;
  HASH_ITER (hh, all->by_name, t, next)
  {
    HASH_DEL (all->by_name, t);
    approval_rules_unref (t->terms.approvals);
    catalog_free (t->own);
    quota_free (&t->quota);
    budgets_free (t->budgets);
    guards_unref (t->terms.guards);
    free (t);
  }
  guards_unref (all->guards);
  free (all);
}

/* The pool is told how many of its calls may run. */
static void
follow (struct tenancy *t)
{
  if (t->all->pool != NULL)
    tenants_set_running_max (t->all->pool, t->name, tenancy_terms (t)->running_max);
}

/* Whose terms have changed; those of "default" are the terms of many. */
static void
follow_changed (struct tenancy *changed)
{
  struct tenancies *all = changed->all;

  if (changed != all->otherwise) {
    follow (changed);
    return;
  }
  for (struct tenancy *t = all->by_name; t != NULL; t = t->hh.next)
    follow (t);
}

struct tenancy *
tenancies_of (struct tenancies *all, const char *name)
{
  struct tenancy *t = NULL;
  size_t len;

  if (name == NULL)
    return all->otherwise;
  len = strlen (name);
  HASH_FIND (hh, all->by_name, name, len, t);
  if (t != NULL)
    return t;
  t = xcalloc (1, sizeof *t + len + 1);
  t->all = all;
  memcpy (t->name, name, len);
  HASH_ADD_KEYPTR (hh, all->by_name, t->name, len, t);
  if (all->otherwise != NULL)
    follow (t);
  return t;
}

struct catalog *
tenancy_grant (struct tenancy *t, const struct terms *terms)
{
  struct approval_rules *was = t->terms.approvals;
  struct guards *before = t->terms.guards;

  t->terms = *terms;
  t->terms.approvals = approval_rules_ref (terms->approvals);
  approval_rules_unref (was);
  (void) guards_ref (t->terms.guards);
  guards_unref (before);
  if (t->own == NULL)
    t->own = catalog_of_tenant (t->all->whole);
  follow_changed (t);
  return t->own;
}

void
tenancy_revoke (struct tenancy *t)
{
  struct catalog *was = t->own;

  if (was == NULL)
    return;
  catalog_tell_of (was, ALL_LISTS); /* as long as it is known who is served by it */
  t->own = NULL;
  approval_rules_unref (t->terms.approvals);
  t->terms.approvals = NULL;
  guards_unref (t->terms.guards);
  t->terms.guards = NULL;
  catalog_free (was);
  follow_changed (t);
}

struct catalog *
tenancy_catalog (const struct tenancy *t)
{
  const struct tenancy *otherwise = t->all->otherwise;

  return t->own != NULL ? t->own : otherwise->own != NULL ? otherwise->own : t->all->whole;
}

const struct terms *
tenancy_terms (const struct tenancy *t)
{
  const struct tenancy *otherwise = t->all->otherwise;

  return t->own != NULL ? &t->terms : otherwise->own != NULL ? &otherwise->terms : &terms_default;
}

void
tenancies_set_guards (struct tenancies *all, struct guards *guards)
{
  struct guards *before = all->guards;

  all->guards = guards_ref (guards);
  guards_unref (before);
}

void
tenancy_guards (const struct tenancy *t, struct guards **of_host, struct guards **of_tenant)
{
  *of_host = t->all->guards;
  *of_tenant = tenancy_terms (t)->guards;
}

struct catalog *
tenancies_whole (const struct tenancies *all)
{
  return all->whole;
}

unsigned
tenancy_running (const struct tenancy *t)
{
  return t->all->pool != NULL ? tenants_get (t->all->pool, t->name)->running : 0;
}

#include "pool/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

struct tenant *
tenants_get (struct tenants *tenants, const char *name)
{
  size_t len = strlen (name);
  struct tenant *tenant;

  HASH_FIND (hh, tenants->by_name, name, len, tenant);
  if (tenant != NULL)
    return tenant;
  tenant = xcalloc (1, sizeof *tenant + len + 1);
  memcpy (tenant->name, name, len);
  tenant->weight = 1;
  TAILQ_INIT (&tenant->waiters);
  HASH_ADD_KEYPTR (hh, tenants->by_name, tenant->name, len, tenant);
  return tenant;
}

void
tenants_set_weight (struct tenants *tenants, const char *name, unsigned weight)
{
  tenants_get (tenants, name)->weight = weight == 0                  ? 1
                                        : weight > TENANT_WEIGHT_MAX ? TENANT_WEIGHT_MAX
                                                                     : weight;
}

void
tenants_clear (struct tenants *tenants)
{
  struct tenant *tenant, *next;

  HASH_ITER (hh, tenants->by_name, tenant, next)
  {
    HASH_DEL (tenants->by_name, tenant);
    free (tenant);
  }
}

bool
tenant_has_room (const struct tenants *tenants, const struct tenant *tenant)
{
  const unsigned max = tenant->running_max != 0 ? tenant->running_max : tenants->running_max;

  return max == 0 || tenant->running < max;
}

void
tenant_wait (struct tenant *tenant, struct tenant_waiter *waiter)
{
  if (waiter->waits)
    return;
  waiter->waits = true;
  TAILQ_INSERT_TAIL (&tenant->waiters, waiter, link);
}

void
tenant_stop_waiting (struct tenant *tenant, struct tenant_waiter *waiter)
{
  if (!waiter->waits)
    return;
  waiter->waits = false;
  TAILQ_REMOVE (&tenant->waiters, waiter, link);
}

static void
wake (const struct tenants *tenants, struct tenant *tenant)
{
  struct tenant_waiter *waiter;

  while (tenant_has_room (tenants, tenant) && (waiter = TAILQ_FIRST (&tenant->waiters)) != NULL) {
    tenant_stop_waiting (tenant, waiter);
    waiter->wake (waiter);
  }
}

void
tenant_ended (const struct tenants *tenants, struct tenant *tenant)
{
  tenant->running--;
  wake (tenants, tenant);
}

void
tenants_set_running_max (struct tenants *tenants, const char *name, unsigned max)
{
  struct tenant *tenant = tenants_get (tenants, name);

  tenant->running_max = max;
  wake (tenants, tenant);
}

#include "daemon/policies.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json_c.h"
#include "daemon/document.h"
#include "daemon/folder.h"
#include "daemon/policy_keys.h"
#include "daemon/profiles.h"

struct entry {
  char *name;
  struct policy policy;
  UT_hash_handle hh;
};

struct policies {
  struct profiles *profiles;
  struct entry *by_name;
};

bool
policy_read (struct policy *policy, const struct profiles *profiles, int fd, struct error *err)
{
  struct json_object *object = document_read (fd, policy_schema_json, err);
  bool ok = object != NULL && profiles_get (profiles, policy_profile (object), policy, err)
            && policy_fill (policy, policy_settings, object, err);

  json_object_put (object);
  return ok;
}

/* plugins.d/NAME.json */
static bool
read_one (void *ctx, const char *name, size_t len, int fd, struct error *err)
{
  struct policies *policies = ctx;
  struct entry *e = xcalloc (1, sizeof *e);

  e->name = xstrndup (name, len);
  policy_init (&e->policy);
  HASH_ADD_KEYPTR (hh, policies->by_name, e->name, len, e);
  return policy_read (&e->policy, policies->profiles, fd, err);
}

struct policies *
policies_read (int config_dir, struct error *err)
{
  struct policies *policies = xcalloc (1, sizeof *policies);

  policies->profiles = profiles_read (config_dir, err);
  if (policies->profiles != NULL
      && folder_each_json (config_dir, "plugins.d", read_one, policies, err))
    return policies;
  policies_free (policies);
  return NULL;
}

void
policies_free (struct policies *policies)
{
  struct entry *e, *next;

  if (policies == NULL)
    return;
  HASH_ITER (hh, policies->by_name, e, next)
  {
    HASH_DEL (policies->by_name, e);
    policy_free (&e->policy);
    free (e->name);
    free (e);
  }
  profiles_free (policies->profiles);
  free (policies);
}

void
policies_get (const struct policies *policies, const char *name, unsigned require,
              struct policy *policy)
{
  struct entry *e = NULL;

  HASH_FIND_STR (policies->by_name, name, e);
  if (e != NULL) {
    policy_free (policy);
    policy_copy (policy, &e->policy);
  }
  policy->require = (policy->require & require) | policy->always;
}

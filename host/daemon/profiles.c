#include "daemon/profiles.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json_c.h"
#include "daemon/document.h"
#include "daemon/folder.h"
#include "daemon/policy_keys.h"

extern const char strict_json[], nonetwork_json[], trusted_json[];

struct profile {
  char *name;
  bool built_in;
  struct policy policy; /* what it comes to */
  UT_hash_handle hh;
};

struct profiles {
  struct profile *by_name;
};

static struct profile *
add (struct profiles *profiles, const char *name, size_t len)
{
  struct profile *profile = xcalloc (1, sizeof *profile);

  profile->name = xstrndup (name, len);
  policy_init (&profile->policy);
  HASH_ADD_KEYPTR (hh, profiles->by_name, profile->name, len, profile);
  return profile;
}

static bool
name_it (struct profile *profile)
{
  free (profile->policy.profile);
  profile->policy.profile = xstrdup (profile->name);
  return true;
}

static void
add_built_in (struct profiles *profiles, const char *name, const char *text)
{
  struct profile *profile = add (profiles, name, strlen (name));
  struct error err = { 0 };
  struct json_object *object = document_of_text (text, NULL, &err);
  bool good = object != NULL && policy_fill (&profile->policy, profile_settings, object, &err);

  assert (good); /* it is ours */
  (void) good;
  profile->built_in = true;
  profile->policy.asked = 0; /* no operator has said so */
  (void) name_it (profile);
  json_object_put (object);
}

/* An operator's profile builds on one that is compiled in, so that none can build on itself. */
static bool
begin_with (const struct profiles *profiles, const char *name, struct policy *policy,
            struct error *err)
{
  const struct profile *base = NULL;

  HASH_FIND_STR (profiles->by_name, name, base);
  if (base == NULL || !base->built_in)
    return error_set (
      err,
      "/profile: expected \"strict\", \"nonetwork\" or \"trusted\", which a profile "
      "may build on, got \"%s\"",
      name);
  policy_free (policy);
  policy_copy (policy, &base->policy);
  return true;
}

/* profiles.d/NAME.json */
static bool
read_one (void *ctx, const char *name, size_t len, int fd, struct error *err)
{
  struct profiles *profiles = ctx;
  struct json_object *object;
  struct profile *profile = NULL;
  bool ok;

  HASH_FIND (hh, profiles->by_name, name, len, profile);
  if (profile != NULL)
    return error_set (err, "is compiled in; a profile of one's own has a name of its own");
  object = document_read (fd, policy_schema_json, err);
  if (object == NULL)
    return false;
  profile = add (profiles, name, len);
  ok = begin_with (profiles, policy_profile (object), &profile->policy, err)
       && policy_fill (&profile->policy, profile_settings, object, err) && name_it (profile);
  json_object_put (object);
  return ok;
}

struct profiles *
profiles_read (int config_dir, struct error *err)
{
  struct profiles *profiles = xcalloc (1, sizeof *profiles);

  add_built_in (profiles, "strict", strict_json);
  add_built_in (profiles, "nonetwork", nonetwork_json);
  add_built_in (profiles, "trusted", trusted_json);
  if (folder_each_json (config_dir, "profiles.d", read_one, profiles, err))
    return profiles;
  profiles_free (profiles);
  return NULL;
}

void
profiles_free (struct profiles *profiles)
{
  struct profile *profile, *next;

  if (profiles == NULL)
    return;
  HASH_ITER (hh, profiles->by_name, profile, next)
  {
    HASH_DEL (profiles->by_name, profile);
    policy_free (&profile->policy);
    free (profile->name);
    free (profile);
  }
  free (profiles);
}

static bool
unknown (const struct profiles *profiles, const char *name, struct error *err)
{
  CLEANUP_BUF struct buf names = { 0 };

  for (const struct profile *p = profiles->by_name; p != NULL; p = p->hh.next)
    buf_printf (&names, "%s\"%s\"", names.len != 0 ? ", " : "", p->name);
  return error_set (err, "/profile: expected one of %.300s, got \"%.64s\"", buf_cstr (&names),
                    name);
}

bool
profiles_get (const struct profiles *profiles, const char *name, struct policy *policy,
              struct error *err)
{
  const struct profile *profile = NULL;

  HASH_FIND_STR (profiles->by_name, name, profile);
  if (profile == NULL)
    return unknown (profiles, name, err);
  policy_free (policy);
  policy_copy (policy, &profile->policy);
  return true;
}

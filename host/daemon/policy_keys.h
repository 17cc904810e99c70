/* policy_keys.h - the keys of a policy file and of a profile: which there are, and what none of
 * them may say.  A key that is accepted is enforced.  Pure functions. */
#ifndef TOOLHOST_DAEMON_POLICY_KEYS_H
#define TOOLHOST_DAEMON_POLICY_KEYS_H

#include <stdbool.h>

#include "base/error.h"
#include "daemon/settings.h"
#include "pool/policy.h"

struct json_object; /* json-c */

/* Of plugins.d/NAME.json; the published schema has the same. */
extern const struct setting policy_settings[];
/* Of a profile: what says how much, and nothing of what is granted to whom. */
extern const struct setting profile_settings[];

/* The name of the profile that a document builds on. */
const char *policy_profile (struct json_object *object);

/* Fill a policy from what an operator wrote, over the profile that is in it already: notes which
 * limits were written down, and refuses what is wider than it may be. */
bool policy_fill (struct policy *policy, const struct setting *table, struct json_object *object,
                  struct error *err);

#endif

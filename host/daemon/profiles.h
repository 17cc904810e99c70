/* profiles.h - named sets of limits that a policy builds on: those that are compiled in (`strict`,
 * which a policy has when it names none, `nonetwork` and `trusted`, all in daemon/profiles as data)
 * and the operator's, CONFIG_DIR/profiles.d/NAME.json.  Immutable once read. */
#ifndef TOOLHOST_DAEMON_PROFILES_H
#define TOOLHOST_DAEMON_PROFILES_H

#include "base/error.h"
#include "pool/policy.h"

struct profiles;

/* NULL when a file of the folder is wrong.  `config_dir` -1: only those compiled in. */
struct profiles *profiles_read (int config_dir, struct error *err);
void profiles_free (struct profiles *profiles);

/* A copy of what a profile says, into an initialised `policy`.  False: there is none of the name.
 */
bool profiles_get (const struct profiles *profiles, const char *name, struct policy *policy,
                   struct error *err);

#endif

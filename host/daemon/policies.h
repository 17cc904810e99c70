/* policies.h - the operator's policies of all plugins: CONFIG_DIR/plugins.d/NAME.json and the
 * profiles they build on, read together.  Immutable once read. */
#ifndef TOOLHOST_DAEMON_POLICIES_H
#define TOOLHOST_DAEMON_POLICIES_H

#include "base/error.h"
#include "pool/policy.h"

struct policies;
struct profiles;

/* Read every file; NULL when one of them is wrong, with its name, path, what was expected and what
 * it holds.  `config_dir` -1, or without plugins.d: no policies. */
struct policies *policies_read (int config_dir, struct error *err);
void policies_free (struct policies *policies);

/* A copy of the policy for a plugin into an initialised `policy`: of its file, else the profile
 * "strict".  `require` is what the daemon requires of every worker; a file without "sandbox" does
 * not change it. */
void policies_get (const struct policies *policies, const char *name, unsigned require,
                   struct policy *policy);

/* Read one policy file over the profile it names. */
bool policy_read (struct policy *policy, const struct profiles *profiles, int fd,
                  struct error *err);

#endif

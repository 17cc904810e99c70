/* describe_cache.h - what plugins said of themselves, kept over restarts: so that a start with a
 * thousand plugins need not run a thousand workers, and reads no plugin.  Content is found by a
 * file's identity, a description by the content's hash, and only for the same build and the same
 * policy.  Loop thread only; disk is touched when it is made, in the offload's threads, and at the
 * end. */
#ifndef TOOLHOST_DAEMON_DESCRIBE_CACHE_H
#define TOOLHOST_DAEMON_DESCRIBE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/offload.h"
#include "catalog/hash.h"
#include "catalog/source.h"
#include "watch/log.h"

struct describe_cache;

struct describe_cache_needs {
  int dir;           /* of the state folder, borrowed; -1: nothing outlives the process */
  const char *build; /* entries of another build are not used */
  struct offload *offload;
  struct log *log;
};

struct describe_cache *describe_cache_new (const struct describe_cache_needs *needs);
/* After offload_free: what was not written is written now. */
void describe_cache_free (struct describe_cache *cache);

/* What is known of the content behind an identity. */
struct known {
  char hex[SHA256_HEX];
  char *suggests; /* the policy that the plugin comes with, JSON; or NULL */
  char *skills;   /* the index of its skills (skill_index.h); or NULL */
};
/* NULL when nothing is.  Lives until the cache changes. */
const struct known *describe_cache_known (struct describe_cache *cache,
                                          const struct identity_text *identity);
/* All texts are copied. */
void describe_cache_know (struct describe_cache *cache, const struct identity_text *identity,
                          const struct known *known);

/* What a plugin of this hash said under this policy (a digest of what of it the plugin sees); NULL
 * when not known.  Lives until the cache changes. */
const char *describe_cache_find (struct describe_cache *cache, const char *hex, uint64_t policy,
                                 size_t *len);
void describe_cache_put (struct describe_cache *cache, const char *hex, uint64_t policy,
                         const char *json, size_t len);

/* Have it written when it has changed. */
void describe_cache_save (struct describe_cache *cache);

#endif

/* describe_cache.h - what plugins said of themselves, kept over restarts: so that a start with a
 * thousand plugins need not run a thousand workers.  An entry is found by the file's identity
 * (device, inode, size, times) or by its content's hash, and only for the same build and the same
 * policy.  Loop thread only; disk is touched by load and save alone. */
#ifndef TOOLHOST_DAEMON_DESCRIBE_CACHE_H
#define TOOLHOST_DAEMON_DESCRIBE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct describe_cache;

enum { SHA256_HEX = 65 };

/* `dir` is a descriptor of the state folder (borrowed), or -1: nothing outlives the process.
 * `build`: entries of another build are not used. */
struct describe_cache *describe_cache_new (int dir, const char *build);
void describe_cache_free (struct describe_cache *cache);

/* The hash of the file's content as hex: remembered for the same identity, else computed. */
bool describe_cache_hash (struct describe_cache *cache, int fd, const struct stat *st,
                          char hex[SHA256_HEX], struct error *err);

/* What a plugin of this hash said under this policy (a digest of what of it the plugin sees); NULL
 * when not known.  Lives until the cache changes. */
const char *describe_cache_find (struct describe_cache *cache, const char *hex, uint64_t policy,
                                 size_t *len);
void describe_cache_put (struct describe_cache *cache, const char *hex, uint64_t policy,
                         const char *json, size_t len);

/* Write it when it has changed. */
bool describe_cache_save (struct describe_cache *cache, struct error *err);

#endif

/* hash.h - uthash with our memory and our hash: included instead of <uthash.h>, whose own memory
 * ends the process at the first allocation that fails, and whose own hash is the same in every
 * process: who knows it chooses names that all fall into one bucket. */
#ifndef TOOLHOST_BASE_HASH_H
#define TOOLHOST_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Random, this process's own; set by hash.c before main. */
extern uint64_t hash_seed;

static inline uint64_t
hash_mix (uint64_t a, uint64_t b)
{
  __extension__ unsigned __int128 product = (unsigned __int128) a * b;
  return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* Of the last `len` bytes, at most 8. */
static inline uint64_t
hash_tail (const char *key, size_t len)
{
  uint64_t tail = 0;

  memcpy (&tail, key, len);
  return tail;
}

/* Eight bytes a multiplication, each with the seed in it. */
static inline unsigned
hash_bytes (const void *key, size_t len)
{
  const char *at = key;
  uint64_t state = hash_seed ^ len * UINT64_C (0x9E3779B97F4A7C15), word;

  for (; len > sizeof word; at += sizeof word, len -= sizeof word) {
    memcpy (&word, at, sizeof word);
    state = hash_mix (state ^ word, hash_seed | 1);
  }
  state = hash_mix (state ^ hash_tail (at, len), hash_seed | 1);
  return (unsigned) (state ^ state >> 32);
}

#define HASH_FUNCTION(key, len, value) ((value) = hash_bytes ((key), (len)))
#define uthash_malloc(size) xmalloc (size)
#define uthash_free(p, size) free (p)
#include <uthash.h>

#endif

/* store.h - the daemon's own copies of plugins, by what is in them: whatever happens to the place a
 * plugin was found in, a worker is started from the copy.
 *
 * A copy is one file, STATE_DIR/store/sha256/HASH.so, or HASH.tar for a folder, which nobody can
 * write; HASH is that of its bytes.  It is written under another name first, so that there are
 * whole copies only.  Without a state folder, or where it can't be written, a copy is memory that
 * is sealed against changes.
 *
 * The store itself does not change after store_new: any thread. */
#ifndef TOOLHOST_CATALOG_STORE_H
#define TOOLHOST_CATALOG_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "catalog/hash.h"
#include "catalog/source.h"

struct store;

/* Is the work to be given up? */
struct store_stop {
  bool (*stopped) (const void *ctx);
  const void *ctx;
};

/* A copy.  Without one, fd is -1. */
struct stored {
  int fd; /* read-only, or sealed; the caller's */
  char hex[SHA256_HEX];
  struct identity_text identity; /* of the copy; "" when it is in memory */
};

/* `state` is a descriptor of the state folder (borrowed), -1: there is none.  `most`: bytes of a
 * plugin.  When the folder of the copies can't be had, err says why and copies are in memory. */
struct store *store_new (int state, uint64_t most, struct error *err);
void store_free (struct store *store);

/* Open what is stored under this hash, unread; quick.  False: there is nothing. */
bool store_open (const struct store *store, const char *hex, bool folder, struct stored *out);
/* Read a copy and see whether it is what its name says; one that isn't is removed. */
bool store_verify (const struct store *store, const struct stored *stored, bool folder,
                   const struct store_stop *stop);

/* Copy what was found, if it can be a plugin and has not changed meanwhile.  `name` is the
 * plugin's.  True with `trouble` filled: the copy is in memory, for this reason. */
bool store_take (const struct store *store, const char *name, const struct source *source,
                 const struct store_stop *stop, struct stored *out, struct error *trouble,
                 struct error *err);

/* Remove the copies that are older than `seconds` and not among the `count` hashes.  How many. */
unsigned store_sweep (const struct store *store, char (*keep)[SHA256_HEX], size_t count,
                      int64_t seconds);

#endif

/* copies.h - the daemon's own copies of plugins, by what is in them: whatever happens to the place
 * a plugin was found in, a worker is started from the copy.
 *
 * A copy is one file, STATE_DIR/plugins/sha256/HASH.so, or HASH.tar for a folder, which nobody can
 * write; HASH is that of its bytes.  It is written under another name first, so that there are
 * whole copies only.  Without a state folder, or where it can't be written, a copy is memory that
 * is sealed against changes.
 *
 * They themselves do not change after copies_new: any thread. */
#ifndef TOOLHOST_CATALOG_COPIES_H
#define TOOLHOST_CATALOG_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "catalog/hash.h"
#include "catalog/source.h"

struct copies;

/* Is the work to be given up? */
struct copies_stop {
  bool (*stopped) (const void *ctx);
  const void *ctx;
};

/* A copy.  Without one, fd is -1. */
struct copies_file {
  int fd; /* read-only, or sealed; the caller's */
  char hex[SHA256_HEX];
  struct identity_text identity; /* of the copy; "" when it is in memory */
};

/* `state` is a descriptor of the state folder (borrowed), -1: there is none.  `most`: bytes of a
 * plugin.  When the folder of the copies can't be had, err says why and copies are in memory. */
struct copies *copies_new (int state, uint64_t most, struct error *err);
void copies_free (struct copies *copies);

/* Open what is stored under this hash, unread; quick.  False: there is nothing. */
bool copies_open (const struct copies *copies, const char *hex, bool folder,
                  struct copies_file *out);
/* Read a copy and see whether it is what its name says; one that isn't is removed. */
bool copies_verify (const struct copies *copies, const struct copies_file *stored, bool folder,
                    const struct copies_stop *stop);

/* Copy what was found, if it can be a plugin and has not changed meanwhile.  `name` is the
 * plugin's.  True with `trouble` filled: the copy is in memory, for this reason. */
bool copies_take (const struct copies *copies, const char *name, const struct source *source,
                  const struct copies_stop *stop, struct copies_file *out, struct error *trouble,
                  struct error *err);

/* Remove the copies that are older than `seconds` and not among the `count` hashes.  How many. */
unsigned copies_sweep (const struct copies *copies, char (*keep)[SHA256_HEX], size_t count,
                       int64_t seconds);

#endif

/* backup.h - a backup of a daemon's state: a folder with a copy of the store, the audit, the pins,
 * and a manifest that has the hash of each file.  Used by the command "backup". */
#ifndef TOOLHOST_CLI_BACKUP_H
#define TOOLHOST_CLI_BACKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/chain.h"
#include "base/error.h"

#define BACKUP_MANIFEST "manifest.json"
#define BACKUP_STORE "toolhost.db"
#define BACKUP_AUDIT "audit"
#define BACKUP_PINS "pins"

/* A file of it; `path` is below its folder. */
struct backup_file {
  char *path;
  uint64_t bytes;
  char sha256[65];
};

struct backup {
  char *made; /* when, UTC */
  struct backup_file *files;
  size_t count;
};
void backup_free (struct backup *backup);

/* What could be proved of one. */
struct backup_proof {
  uint64_t calls;       /* in the store */
  uint64_t records;     /* of the audit; 0: there is none */
  uint64_t first, last; /* of them */
  char head[65];        /* the last one's hash */
};

/* Make one of the state folder in `dest`, which is made, and has this name only when all of it is
 * on the disk.  `store` is a copy of the store that the daemon has made; it is read, not removed.
 */
bool backup_make (const char *state_dir, const char *store, const char *dest, struct backup *backup,
                  struct error *err);

/* Is each file what the manifest says, the store whole (as SQLite sees it), and the audit a chain?
 * `key`: the audit's; NULL: records have plain hashes. */
bool backup_verify (const char *folder, const struct audit_key *key, struct backup *backup,
                    struct backup_proof *proof, struct error *err);

#endif

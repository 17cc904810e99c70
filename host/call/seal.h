/* seal.h - bytes that travel through a caller's hands and come back as they were: encrypted and
 * authenticated (AES-256-GCM), bound to whom and what they were made for, good for a time.
 *
 * The keys are random and change by themselves, the one before staying good for as long as what it
 * sealed; or they are read from a file, so that what was sealed survives a restart and is
 * understood by every daemon that has the file.  The clock is the caller's: seconds since 1970.
 * Loop thread only. */
#ifndef TOOLHOST_CALL_SEAL_H
#define TOOLHOST_CALL_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct seal_keys;

/* What is sealed is good for `ttl` seconds. */
struct seal_keys *seal_keys_new (int64_t ttl);
void seal_keys_free (struct seal_keys *keys);
/* Use the keys of a file instead: 64 hex digits a line, the first one seals, the others open what
 * they once sealed; '#' begins a comment.  Nobody but its owner may read the file.  False: err says
 * why, and the keys are as they were. */
bool seal_keys_read (struct seal_keys *keys, const char *path, struct error *err);

/* What for; a seal is opened with exactly the same.  Texts may be "", not NULL. */
struct seal_for {
  const char *principal;
  const char *method; /* "tools/call" */
  const char *target; /* of it: the tool's name */
  const char *digest; /* of what else must stay the same: the arguments */
};

/* Append the sealed form of `plain`. */
void seal_close (struct seal_keys *keys, const struct seal_for *what, const void *plain, size_t len,
                 int64_t now, struct buf *out);

enum seal_verdict {
  SEAL_GOOD,
  SEAL_EXPIRED,
  SEAL_FORGED /* changed, sealed for another caller or call, or by a key that is gone */
};

/* Append what was sealed to `plain` if it is good. */
enum seal_verdict seal_open (struct seal_keys *keys, const struct seal_for *what,
                             const void *sealed, size_t len, int64_t now, struct buf *plain);

#endif

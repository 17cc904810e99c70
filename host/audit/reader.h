/* reader.h - reading the audit: every record of a folder of segments, or of some files, in order,
 * each proved to follow the one before it.  One thread. */
#ifndef TOOLHOST_AUDIT_READER_H
#define TOOLHOST_AUDIT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/chain.h"
#include "base/error.h"

struct audit_reading {
  const struct audit_key *key;
  /* A record that is good; false: that is enough.  NULL: nobody wants them. */
  bool (*record) (void *ctx, const char *line, size_t len);
  void *ctx;
};

/* What was found. */
struct audit_read {
  uint64_t records, segments;
  uint64_t first;         /* the number of the first record: not 1 when older ones were removed */
  struct audit_link link; /* where the chain ends */
  uint64_t torn;          /* segments that end in a piece of a record, which was never whole */
  /* The first record is number 1, or a later record tells that those before it were removed, and
   * that their chain ended where this one goes on. */
  bool anchored;
  char before[AUDIT_HASH_SIZE]; /* what the first record says of the one before it */
};

/* Read the folder at `path`.  False: err says which file and line, and what is wrong there. */
bool audit_read (const char *path, const struct audit_reading *reading, struct audit_read *found,
                 struct error *err);

#endif

/* chain.h - the records of the audit, one JSON object a line, each bound to the one before it:
 *
 *   {"seq":7,"ts":"2026-01-01T00:00:00.000Z","event":"tool_call",…,"prev":"9f…","hash":"c1…"}
 *
 * `hash` is the SHA-256 (with a key: the HMAC-SHA-256) of the line up to and without its
 * ,"hash":…; `prev` is the hash of the record before, sixty-four zeros in the first.  Who changes,
 * removes or inserts a record has to make all later ones anew: without the key that can't be done,
 * and without a key it shows beside a hash that was noted elsewhere.  Pure; any thread. */
#ifndef TOOLHOST_AUDIT_CHAIN_H
#define TOOLHOST_AUDIT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { AUDIT_HASH_SIZE = 65 /* hex, with its NUL */, AUDIT_KEY_MIN = 16, AUDIT_KEY_MAX = 4096 };

struct audit_key {
  unsigned char bytes[AUDIT_KEY_MAX];
  size_t len; /* 0: there is no key */
};

/* Where a chain is. */
struct audit_link {
  uint64_t seq; /* of the last record; 0: there is none */
  char hash[AUDIT_HASH_SIZE];
};

/* Before the first record. */
void audit_link_begin (struct audit_link *link);

/* Append a record to `out`, with its line break, and go on to it.  `members` is what is between the
 * braces of a JSON object, on one line, none named seq, ts, event, prev or hash; may be empty. */
void audit_link_add (struct audit_link *link, const struct audit_key *key, int64_t now_ms,
                     const char *event, const char *members, size_t len, struct buf *out);

/* Go on to the record of this line (without its line break).  False: it is none that follows, err
 * says why.  A link with an empty hash takes any record as the first. */
bool audit_link_check (struct audit_link *link, const struct audit_key *key, const char *line,
                       size_t len, struct error *err);

/* Read a key from the first bytes of a file, without white space at its ends.  False: it is too
 * short or too long. */
bool audit_key_read (struct audit_key *key, const char *text, size_t len, struct error *err);

#endif

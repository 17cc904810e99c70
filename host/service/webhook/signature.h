/* signature.h - webhooks are signed, and it is said whether one is its sender's: Standard Webhooks,
 * as OpenAI signs them, too: HMAC-SHA256 over "ID.TIMESTAMP.BODY", in Base64, with an id and a time
 * that are part of what is signed (U0-6).  Pure functions. */
#ifndef TOOLHOST_SERVICE_WEBHOOK_SIGNATURE_H
#define TOOLHOST_SERVICE_WEBHOOK_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum signature_verdict {
  SIGNATURE_GOOD,
  SIGNATURE_NO_ID,
  SIGNATURE_NO_TIMESTAMP,
  SIGNATURE_NO_SIGNATURE,
  SIGNATURE_BAD_TIMESTAMP, /* no whole number of seconds */
  SIGNATURE_TOO_OLD,
  SIGNATURE_TOO_NEW,
  SIGNATURE_MISMATCH
};
/* "webhook_timestamp_too_old" … */
const char *signature_code (enum signature_verdict verdict);
const char *signature_sentence (enum signature_verdict verdict);

enum { SIGNATURE_KEY_MAX = 512, SIGNATURE_TOLERANCE = 300 /* seconds */ };

/* What the secret says: the bytes behind "whsec_", which are Base64; another one is used as it is.
 */
struct signature_key {
  unsigned char bytes[SIGNATURE_KEY_MAX];
  size_t len;
};
/* False: it is empty, too long, or what follows "whsec_" is no Base64. */
bool signature_key_read (struct signature_key *key, const char *secret);

struct signed_text {
  const char *data; /* NULL: the header is absent */
  size_t len;
};

struct signed_message {
  struct signed_text id, timestamp, signature; /* headers */
  const void *body;
  size_t body_len;
};

/* `now` in seconds since 1970.  The time is looked at before the signature, and any of several
 * signatures will do; they are compared in a time that does not depend on what they are. */
enum signature_verdict signature_check (const struct signed_message *message,
                                        const struct signature_key *key, int64_t now,
                                        int64_t tolerance);

/* Append the header webhook-signature of a message, whose own `signature` is not looked at. */
void signature_make (const struct signed_message *message, const struct signature_key *key,
                     struct buf *out);

#endif

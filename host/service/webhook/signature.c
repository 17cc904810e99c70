#include "service/webhook/signature.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/base64.h"

enum { MAC = 32, TIMESTAMP_MAX = 18 /* digits */ };

static const struct {
  const char *code, *sentence;
} verdicts[] = {
  [SIGNATURE_GOOD] = { "ok", "it is good" },
  [SIGNATURE_NO_ID] = { "webhook_id_missing", "the header webhook-id is missing" },
  [SIGNATURE_NO_TIMESTAMP] = { "webhook_timestamp_missing",
                               "the header webhook-timestamp is missing" },
  [SIGNATURE_NO_SIGNATURE] = { "webhook_signature_missing",
                               "the header webhook-signature is missing" },
  [SIGNATURE_BAD_TIMESTAMP] = { "webhook_timestamp_invalid",
                                "webhook-timestamp is no time in seconds" },
  [SIGNATURE_TOO_OLD] = { "webhook_timestamp_too_old", "webhook-timestamp is too old" },
  [SIGNATURE_TOO_NEW] = { "webhook_timestamp_too_new", "webhook-timestamp is too new" },
  [SIGNATURE_MISMATCH] = { "webhook_signature_mismatch", "no signature is that of the message" },
};

const char *
signature_code (enum signature_verdict verdict)
{
  return verdicts[verdict].code;
}

const char *
signature_sentence (enum signature_verdict verdict)
{
  return verdicts[verdict].sentence;
}

bool
signature_key_read (struct signature_key *key, const char *secret)
{
  static const char prefix[] = "whsec_";
  const size_t len = strlen (secret), prefix_len = sizeof prefix - 1;

  key->len = 0;
  if (strncmp (secret, prefix, prefix_len) != 0) {
    if (len == 0 || len > sizeof key->bytes)
      return false;
    memcpy (key->bytes, secret, len);
    key->len = len;
    return true;
  }
  return base64_room (len - prefix_len) <= sizeof key->bytes
         && base64_decode (BASE64_PADDED, secret + prefix_len, len - prefix_len,
                           (char *) key->bytes, &key->len)
         && key->len != 0;
}

static bool
read_seconds (struct signed_text text, int64_t *seconds)
{
  *seconds = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (i == TIMESTAMP_MAX || text.data[i] < '0' || text.data[i] > '9')
      return false;
    *seconds = *seconds * 10 + (text.data[i] - '0');
  }
  return text.len != 0;
}

static bool
mac_of (const struct signed_message *message, const struct signature_key *key,
        unsigned char mac[MAC])
{
  CLEANUP_BUF struct buf signed_bytes = { 0 };
  unsigned len = 0;

  buf_append (&signed_bytes, message->id.data, message->id.len);
  buf_putc (&signed_bytes, '.');
  buf_append (&signed_bytes, message->timestamp.data, message->timestamp.len);
  buf_putc (&signed_bytes, '.');
  buf_append (&signed_bytes, message->body, message->body_len);
  return HMAC (EVP_sha256 (), key->bytes, (int) key->len, (const unsigned char *) signed_bytes.data,
               signed_bytes.len, mac, &len)
           != NULL
         && len == MAC;
}

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Is one of them the one that was expected? */
static bool
any_matches (struct signed_text list, const struct buf *expected)
{
  const char *at = list.data, *end = list.data + list.len;
  bool found = false;

  while (at < end) {
    const char *stop = at;
    while (stop < end && !is_blank (*stop))
      stop++;
    if (stop - at > 3 && memcmp (at, "v1,", 3) == 0)
      at += 3;
    if ((size_t) (stop - at) == expected->len
        && CRYPTO_memcmp (at, expected->data, expected->len) == 0)
      found = true;
    at = stop + (stop < end);
  }
  return found;
}

enum signature_verdict
signature_check (const struct signed_message *message, const struct signature_key *key, int64_t now,
                 int64_t tolerance)
{
  CLEANUP_BUF struct buf expected = { 0 };
  unsigned char mac[MAC];
  int64_t then;

  if (message->signature.data == NULL)
    return SIGNATURE_NO_SIGNATURE;
  if (message->timestamp.data == NULL)
    return SIGNATURE_NO_TIMESTAMP;
  if (message->id.data == NULL || message->id.len == 0)
    return SIGNATURE_NO_ID;
  if (!read_seconds (message->timestamp, &then))
    return SIGNATURE_BAD_TIMESTAMP;
  if (now - then > tolerance)
    return SIGNATURE_TOO_OLD;
  if (then - now > tolerance)
    return SIGNATURE_TOO_NEW;
  if (!mac_of (message, key, mac))
    return SIGNATURE_MISMATCH;
  base64_encode (BASE64_PADDED, (const char *) mac, sizeof mac, &expected);
  return any_matches (message->signature, &expected) ? SIGNATURE_GOOD : SIGNATURE_MISMATCH;
}

void
signature_make (const struct signed_message *message, const struct signature_key *key,
                struct buf *out)
{
  unsigned char mac[MAC];

  if (!mac_of (message, key, mac))
    return; /* for want of memory: nobody will take it for ours */
  buf_puts (out, "v1,");
  base64_encode (BASE64_PADDED, (const char *) mac, sizeof mac, out);
}

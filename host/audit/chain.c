#include "audit/chain.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_tape.h"
#include "base/json_write.h"

static const char HASH_MEMBER[] = ",\"hash\":\"";

enum {
  DIGEST = 32,
  /* ,"hash":"…"} */
  TAIL = sizeof HASH_MEMBER - 1 + AUDIT_HASH_SIZE - 1 + 2
};

void
audit_link_begin (struct audit_link *link)
{
  link->seq = 0;
  memset (link->hash, '0', sizeof link->hash - 1);
  link->hash[sizeof link->hash - 1] = '\0';
}

static void
hash_of (const struct audit_key *key, const char *text, size_t len, char hex[AUDIT_HASH_SIZE])
{
  unsigned char digest[DIGEST];
  unsigned size = sizeof digest;
  bool good;

  if (key->len != 0)
    good = HMAC (EVP_sha256 (), key->bytes, (int) key->len, (const unsigned char *) text, len,
                 digest, &size)
           != NULL;
  else
    good = EVP_Digest (text, len, digest, &size, EVP_sha256 (), NULL) == 1;
  if (!good) /* there is no memory: nothing may look like a record */
    abort ();
  for (size_t i = 0; i < DIGEST; i++) {
    hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  hex[AUDIT_HASH_SIZE - 1] = '\0';
}

static void
put_time (struct json_writer *w, int64_t now_ms)
{
  const time_t seconds = (time_t) (now_ms / 1000);
  char ts[40];
  struct tm tm;
  size_t n;

  gmtime_r (&seconds, &tm);
  n = strftime (ts, sizeof ts, "%Y-%m-%dT%H:%M:%S", &tm);
  (void) snprintf (ts + n, sizeof ts - n, ".%03dZ", (int) (now_ms % 1000));
  jsonw_name_string (w, "ts", ts);
}

void
audit_link_add (struct audit_link *link, const struct audit_key *key, int64_t now_ms,
                const char *event, const char *members, size_t len, struct buf *out)
{
  const size_t start = out->len;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name (&w, "seq");
  jsonw_uint (&w, ++link->seq);
  put_time (&w, now_ms);
  jsonw_name_string (&w, "event", event);
  if (len != 0)
    jsonw_raw (&w, members, len);
  jsonw_name_string (&w, "prev", link->hash);
  hash_of (key, out->data + start, out->len - start, link->hash);
  jsonw_name_string (&w, "hash", link->hash);
  jsonw_end (&w);
  buf_putc (out, '\n');
}

/* ---- checking ---- */

static bool
text_is (const struct json_tape *tape, const struct json_node *record, const char *name,
         const char *text, struct arena *arena)
{
  const struct json_node *node = json_member (tape, record, name);
  size_t len;
  const char *is;

  if (!json_is (node, JSON_STRING))
    return false;
  is = json_string (tape, node, arena, &len);
  return len == strlen (text) && memcmp (is, text, len) == 0;
}

static bool
read_record (const char *line, size_t len, struct json_tape *tape, struct arena *arena,
             int64_t *seq, struct error *err)
{
  const struct json_node *root;

  if (!json_read (tape, line, len, &json_default_limits, arena))
    return error_set (err, "the line is no JSON");
  root = json_root (tape);
  if (!json_is (root, JSON_OBJECT) || !json_int64 (tape, json_member (tape, root, "seq"), seq))
    return error_set (err, "the line is no record of the audit");
  return true;
}

bool
audit_link_check (struct audit_link *link, const struct audit_key *key, const char *line,
                  size_t len, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  int64_t seq = 0;
  char hash[AUDIT_HASH_SIZE];
  const bool any = link->hash[0] == '\0';

  if (!read_record (line, len, &tape, &arena, &seq, err))
    return false;
  if (len <= TAIL || memcmp (line + len - TAIL, HASH_MEMBER, sizeof HASH_MEMBER - 1) != 0)
    return error_set (err, "record %" PRId64 " has no hash at its end", seq);
  hash_of (key, line, len - TAIL, hash);
  if (memcmp (line + len - TAIL + sizeof HASH_MEMBER - 1, hash, sizeof hash - 1) != 0)
    return error_set (err, "record %" PRId64 " is not what its hash says: it was changed%s", seq,
                      key->len != 0 ? ", or the key is another one" : "");
  if (!any && (uint64_t) seq != link->seq + 1)
    return error_set (err, "record %" PRId64 " stands where record %" PRIu64 " should", seq,
                      link->seq + 1);
  if (!any && !text_is (&tape, json_root (&tape), "prev", link->hash, &arena))
    return error_set (err, "record %" PRId64 " does not follow the one before it", seq);
  link->seq = (uint64_t) seq;
  memcpy (link->hash, hash, sizeof link->hash);
  return true;
}

static bool
is_space (char c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool
audit_key_read (struct audit_key *key, const char *text, size_t len, struct error *err)
{
  while (len != 0 && is_space (text[len - 1]))
    len--;
  while (len != 0 && is_space (*text))
    text++, len--;
  if (len < AUDIT_KEY_MIN || len > AUDIT_KEY_MAX)
    return error_set (err, "expected a key of %d to %d bytes, got %zu", AUDIT_KEY_MIN,
                      AUDIT_KEY_MAX, len);
  memcpy (key->bytes, text, len);
  key->len = len;
  return true;
}

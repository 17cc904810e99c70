#include "call/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY = 32, NONCE = 12, TAG = 16, KEYS_MAX = 8, FILE_MAX = 4096, VERSION = 1 };

struct key {
  unsigned char secret[KEY];
  uint32_t id; /* in the head of what it sealed */
};

struct seal_keys {
  int64_t ttl;
  struct key keys[KEYS_MAX]; /* the first one seals */
  size_t count;              /* 0: nothing was sealed yet */
  bool from_file;
  int64_t made; /* when the first one was, of random ones */
};

struct head {
  uint8_t version, unused[3];
  uint32_t key;
  int64_t expires;
  unsigned char nonce[NONCE];
  uint8_t rest[4];
};

/* libcrypto fails at these only without memory or random bytes, and then nothing may be sealed. */
static void
need (int ok)
{
  if (ok == 1)
    return;
  fputs ("toolhost: libcrypto can't seal\n", stderr);
  abort ();
}

/* ---- keys ---- */

static uint32_t
id_of (const unsigned char secret[KEY])
{
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned len;
  uint32_t id;

  need (EVP_Digest (secret, KEY, digest, &len, EVP_sha256 (), NULL));
  memcpy (&id, digest, sizeof id);
  return id;
}

static void
make_key (struct key *key)
{
  need (RAND_bytes (key->secret, KEY));
  key->id = id_of (key->secret);
}

struct seal_keys *
seal_keys_new (int64_t ttl)
{
  struct seal_keys *keys = xcalloc (1, sizeof *keys);

  keys->ttl = ttl;
  return keys;
}

void
seal_keys_free (struct seal_keys *keys)
{
  if (keys == NULL)
    return;
  OPENSSL_cleanse (keys, sizeof *keys);
  free (keys);
}

/* A random key seals for as long as what it sealed is good: then two are enough. */
static void
rotate (struct seal_keys *keys, int64_t now)
{
  if (keys->from_file || (keys->count != 0 && now - keys->made < keys->ttl))
    return;
  keys->keys[1] = keys->keys[0];
  make_key (&keys->keys[0]);
  keys->count = keys->count == 0 ? 1 : 2;
  keys->made = now;
}

static int
digit_of (char c)
{
  static const char digits[] = "0123456789abcdef";
  const char *at = c != '\0' ? strchr (digits, c | 0x20) : NULL;

  return at != NULL && ((c >= '0' && c <= '9') || c >= 'A') ? (int) (at - digits) : -1;
}

static bool
read_key (const char *line, size_t len, struct key *key)
{
  if (len != (size_t) 2 * KEY)
    return false;
  for (size_t i = 0; i < KEY; i++) {
    int high = digit_of (line[2 * i]), low = digit_of (line[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    key->secret[i] = (unsigned char) (high << 4 | low);
  }
  key->id = id_of (key->secret);
  return true;
}

static bool
read_lines (char *text, struct seal_keys *fresh, struct error *err)
{
  unsigned number = 0;
  char *rest = text;

  for (char *line; (line = strsep (&rest, "\n")) != NULL;) {
    size_t len = strcspn (line, "#");
    number++;
    while (len != 0 && strchr (" \t\r", line[len - 1]) != NULL)
      len--;
    if (len == 0)
      continue;
    if (fresh->count == KEYS_MAX)
      return error_set (err, "it holds more than %d keys", KEYS_MAX);
    if (!read_key (line, len, &fresh->keys[fresh->count++]))
      return error_set (err, "line %u: expected a key, %d hex digits", number, 2 * KEY);
  }
  return fresh->count != 0 || error_set (err, "it holds no key");
}

/* The file's text in `text` of FILE_MAX + 1 bytes. */
static bool
read_file (const char *path, char *text, struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat st;
  ssize_t len;

  if (fd < 0 || fstat (fd, &st) < 0)
    return error_set (err, "%s", strerror (errno));
  if (!S_ISREG (st.st_mode) || (st.st_mode & 077) != 0)
    return error_set (err, "expected a file that its owner alone may use (mode 0600)");
  len = read (fd, text, FILE_MAX + 1);
  if (len < 0)
    return error_set (err, "%s", strerror (errno));
  if (len > FILE_MAX)
    return error_set (err, "it is longer than %d bytes", FILE_MAX);
  text[len] = '\0';
  return true;
}

bool
seal_keys_read (struct seal_keys *keys, const char *path, struct error *err)
{
  struct seal_keys fresh = { .ttl = keys->ttl, .from_file = true };
  char text[FILE_MAX + 1];
  bool good = read_file (path, text, err) && read_lines (text, &fresh, err);

  OPENSSL_cleanse (text, sizeof text);
  if (good)
    *keys = fresh;
  OPENSSL_cleanse (&fresh, sizeof fresh);
  return good || error_wrap (err, "%s: ", path);
}

static const struct key *
find_key (const struct seal_keys *keys, uint32_t id)
{
  for (size_t i = 0; i < keys->count; i++)
    if (keys->keys[i].id == id)
      return &keys->keys[i];
  return NULL;
}

/* ---- seals ---- */

/* Everything a seal vouches for besides what it holds. */
static void
write_bound (const struct head *head, const struct seal_for *what, struct buf *out)
{
  buf_append (out, head, sizeof *head);
  buf_append (out, what->principal, strlen (what->principal) + 1);
  buf_append (out, what->method, strlen (what->method) + 1);
  buf_append (out, what->target, strlen (what->target) + 1);
  buf_append (out, what->digest, strlen (what->digest) + 1);
}

void
seal_close (struct seal_keys *keys, const struct seal_for *what, const void *plain, size_t len,
            int64_t now, struct buf *out)
{
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new ();
  CLEANUP_BUF struct buf bound = { 0 };
  struct head head = { .version = VERSION, .expires = now + keys->ttl };
  unsigned char *to;
  int done = 0, last = 0;

  rotate (keys, now);
  head.key = keys->keys[0].id;
  need (context != NULL && RAND_bytes (head.nonce, NONCE) == 1);
  write_bound (&head, what, &bound);
  buf_append (out, &head, sizeof head);
  to = (unsigned char *) buf_reserve (out, len + TAG);
  need (EVP_EncryptInit_ex (context, EVP_aes_256_gcm (), NULL, keys->keys[0].secret, head.nonce));
  need (EVP_EncryptUpdate (context, NULL, &done, (unsigned char *) bound.data, (int) bound.len));
  done = 0;
  if (len != 0)
    need (EVP_EncryptUpdate (context, to, &done, plain, (int) len));
  need (EVP_EncryptFinal_ex (context, to + done, &last));
  need (EVP_CIPHER_CTX_ctrl (context, EVP_CTRL_GCM_GET_TAG, TAG, to + len));
  out->len += len + TAG;
  EVP_CIPHER_CTX_free (context);
}

/* Is it ours?  What it held goes to `to`. */
static bool
decrypt (const struct key *key, const struct head *head, const struct buf *bound,
         const unsigned char *from, size_t len, unsigned char *to)
{
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new ();
  unsigned char tag[TAG];
  int done = 0, last = 0;
  bool good;

  memcpy (tag, from + len, TAG);
  need (context != NULL
        && EVP_DecryptInit_ex (context, EVP_aes_256_gcm (), NULL, key->secret, head->nonce) == 1);
  need (EVP_DecryptUpdate (context, NULL, &done, (const unsigned char *) bound->data,
                           (int) bound->len));
  done = 0;
  if (len != 0)
    need (EVP_DecryptUpdate (context, to, &done, from, (int) len));
  need (EVP_CIPHER_CTX_ctrl (context, EVP_CTRL_GCM_SET_TAG, TAG, tag));
  good = EVP_DecryptFinal_ex (context, to + done, &last) == 1;
  EVP_CIPHER_CTX_free (context);
  return good;
}

enum seal_verdict
seal_open (struct seal_keys *keys, const struct seal_for *what, const void *sealed, size_t len,
           int64_t now, struct buf *plain)
{
  CLEANUP_BUF struct buf bound = { 0 };
  struct head head;
  const struct key *key;
  size_t inside;

  if (len < sizeof head + TAG || len > INT32_MAX)
    return SEAL_FORGED;
  memcpy (&head, sealed, sizeof head);
  inside = len - sizeof head - TAG;
  key = find_key (keys, head.key);
  if (head.version != VERSION || key == NULL)
    return SEAL_FORGED;
  write_bound (&head, what, &bound);
  if (!decrypt (key, &head, &bound, (const unsigned char *) sealed + sizeof head, inside,
                (unsigned char *) buf_reserve (plain, inside + 1)))
    return SEAL_FORGED;
  if (head.expires <= now)
    return SEAL_EXPIRED;
  plain->len += inside;
  return SEAL_GOOD;
}

#include "front/auth/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "front/auth/roles.h"

enum { FILE_MAX = KEYS_MAX * 256, SECRET = 32, FIELDS = 5 };

static const char prefix[] = "thk_";
static const char hex[] = "0123456789abcdef";

/* ---- words ---- */

bool
key_word (const char *text, size_t len)
{
  static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

  for (size_t i = 0; i < len; i++)
    if (text[i] == '\0' || strchr (good, text[i]) == NULL)
      return false;
  return len >= 1 && len <= KEY_WORD_MAX;
}

static int
digit_of (char c)
{
  const char *at = c != '\0' ? strchr (hex, c) : NULL;

  return at != NULL ? (int) (at - hex) : -1;
}

static bool
is_id (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (digit_of (text[i]) < 0)
      return false;
  return len == KEY_ID;
}

static bool
read_hash (const char *text, size_t len, unsigned char hash[KEY_HASH])
{
  if (len != (size_t) 2 * KEY_HASH)
    return false;
  for (size_t i = 0; i < KEY_HASH; i++) {
    int high = digit_of (text[2 * i]), low = digit_of (text[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    hash[i] = (unsigned char) (high << 4 | low);
  }
  return true;
}

static void
write_hex (const unsigned char *bytes, size_t len, char *out)
{
  for (size_t i = 0; i < len; i++) {
    *out++ = hex[bytes[i] >> 4];
    *out++ = hex[bytes[i] & 15];
  }
}

static bool
hash_of (const char *text, size_t len, unsigned char hash[KEY_HASH])
{
  unsigned written;

  return EVP_Digest (text, len, hash, &written, EVP_sha256 (), NULL) == 1 && written == KEY_HASH;
}

/* ---- lines ---- */

struct field {
  const char *text;
  size_t len;
};

/* The words of a line; how many there are, at most FIELDS + 1. */
static size_t
split (const char *line, size_t len, struct field fields[FIELDS + 1])
{
  size_t count = 0, at = 0;

  while (at < len && count <= FIELDS) {
    size_t from = at;
    while (at < len && line[at] != ' ' && line[at] != '\t')
      at++;
    if (at > from)
      fields[count++] = (struct field){ line + from, at - from };
    else
      at++;
  }
  return count;
}

static const struct bearer_key *
find_id (const struct bearer_keys *keys, const char *id)
{
  for (size_t i = 0; i < keys->count; i++)
    if (memcmp (keys->list[i].id, id, KEY_ID) == 0)
      return &keys->list[i];
  return NULL;
}

static bool
read_line (const struct field f[FIELDS], struct bearer_key *key, struct error *err)
{
  *key = (struct bearer_key){ .roles = 0 };
  if (!is_id (f[0].text, f[0].len))
    return error_set (err, "expected an id, %d hex digits", KEY_ID);
  if (!read_hash (f[1].text, f[1].len, key->hash))
    return error_set (err, "expected a hash, %d hex digits", 2 * KEY_HASH);
  if (!roles_read (f[2].text, f[2].len, &key->roles))
    return error_set (err, "expected roles: list, call, observe, approve or manage, with commas");
  if (!key_word (f[3].text, f[3].len) || !key_word (f[4].text, f[4].len))
    return error_set (err, "expected a tenant and a name of letters, digits, '.', '_' and '-'");
  memcpy (key->id, f[0].text, KEY_ID);
  memcpy (key->tenant, f[3].text, f[3].len);
  memcpy (key->name, f[4].text, f[4].len);
  return true;
}

static bool
same_caller (const struct bearer_keys *keys, const struct bearer_key *key)
{
  for (size_t i = 0; i < keys->count; i++)
    if (strcmp (keys->list[i].name, key->name) == 0
        && strcmp (keys->list[i].tenant, key->tenant) != 0)
      return true;
  return false;
}

static bool
take_line (struct bearer_keys *keys, const char *line, size_t len, struct error *err)
{
  struct field fields[FIELDS + 1];
  const char *comment = memchr (line, '#', len);
  size_t count = split (line, comment != NULL ? (size_t) (comment - line) : len, fields);
  struct bearer_key key;

  if (count == 0)
    return true;
  if (count != FIELDS)
    return error_set (err, "expected id, hash, roles, tenant and name");
  if (!read_line (fields, &key, err))
    return false;
  if (find_id (keys, key.id) != NULL)
    return error_set (err, "another key has the same id");
  if (same_caller (keys, &key))
    return error_set (err, "another tenant has a key of the same name");
  if (keys->count == KEYS_MAX)
    return error_set (err, "there are more than %d keys", KEYS_MAX);
  keys->list = xrealloc (keys->list, (keys->count + 1) * sizeof *keys->list);
  keys->list[keys->count++] = key;
  return true;
}

bool
keys_parse (struct bearer_keys *keys, const char *text, size_t len, struct error *err)
{
  const char *end = text + len;

  for (unsigned number = 1; text < end; number++) {
    const char *newline = memchr (text, '\n', (size_t) (end - text));
    const char *stop = newline != NULL ? newline : end;
    if (!take_line (keys, text, (size_t) (stop - text), err)) {
      keys_free (keys);
      return error_wrap (err, "line %u: ", number);
    }
    text = stop + 1;
  }
  return true;
}

void
keys_free (struct bearer_keys *keys)
{
  free (keys->list);
  *keys = (struct bearer_keys){ .list = NULL };
}

/* ---- the file ---- */

static bool
check_file (int fd, struct error *err)
{
  struct stat st;

  if (fstat (fd, &st) < 0)
    return error_set (err, "%s", strerror (errno));
  if (!S_ISREG (st.st_mode) || (st.st_mode & 077) != 0)
    return error_set (err, "expected a file that its owner alone may use (mode 0600)");
  if (st.st_uid != 0 && st.st_uid != geteuid () && geteuid () != 0)
    return error_set (err, "expected a file of root's or the daemon's user");
  return st.st_size <= FILE_MAX || error_set (err, "it is longer than %d bytes", FILE_MAX);
}

static bool
read_all (int fd, struct buf *text, struct error *err)
{
  ssize_t got;

  while ((got = read (fd, buf_reserve (text, 4096), 4096)) > 0 && text->len <= FILE_MAX)
    text->len += (size_t) got;
  return got >= 0 || error_set (err, "%s", strerror (errno));
}

bool
keys_read (struct bearer_keys *keys, int dir, const char *path, struct error *err)
{
  CLEANUP_FD int fd = openat (dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  CLEANUP_BUF struct buf text = { 0 };

  if (fd < 0 && errno == ENOENT)
    return true;
  if (fd < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  return (check_file (fd, err) && read_all (fd, &text, err)
          && keys_parse (keys, text.data != NULL ? text.data : "", text.len, err))
         || error_wrap (err, "%s: ", path);
}

/* ---- keys ---- */

bool
key_looks (const char *text, size_t len)
{
  return len == KEY_LEN && memcmp (text, prefix, sizeof prefix - 1) == 0;
}

const struct bearer_key *
keys_find (const struct bearer_keys *keys, const char *text, size_t len)
{
  static const unsigned char nothing[KEY_HASH] = { 0 };
  unsigned char hash[KEY_HASH];
  const struct bearer_key *key;
  bool same;

  if (!key_looks (text, len) || !hash_of (text, len, hash))
    return NULL;
  key = find_id (keys, text + sizeof prefix - 1);
  same = CRYPTO_memcmp (hash, key != NULL ? key->hash : nothing, KEY_HASH) == 0;
  return same ? key : NULL;
}

bool
key_make (struct bearer_key *key, char text[KEY_LEN + 1])
{
  unsigned char id[KEY_ID / 2], secret[SECRET];
  CLEANUP_BUF struct buf out = { 0 };
  bool good = getrandom (id, sizeof id, 0) == (ssize_t) sizeof id
              && getrandom (secret, sizeof secret, 0) == (ssize_t) sizeof secret;

  write_hex (id, sizeof id, key->id);
  key->id[KEY_ID] = '\0';
  buf_printf (&out, "%s%s_", prefix, key->id);
  base64_encode (BASE64_URL, (const char *) secret, sizeof secret, &out);
  memcpy (text, buf_cstr (&out), KEY_LEN + 1);
  OPENSSL_cleanse (secret, sizeof secret);
  OPENSSL_cleanse (out.data, out.len);
  return good && hash_of (text, KEY_LEN, key->hash);
}

void
key_write (const struct bearer_key *key, struct buf *out)
{
  char hash[2 * KEY_HASH + 1] = "";

  write_hex (key->hash, KEY_HASH, hash);
  buf_printf (out, "%s %s ", key->id, hash);
  roles_write (key->roles, out);
  buf_printf (out, " %s %s\n", key->tenant, key->name);
}

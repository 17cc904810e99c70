#include "daemon/describe_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/json_tape.h"
#include "base/json_write.h"

static const char FILE_NAME[] = "describe-cache.jsonl";
enum { CACHE_FILE_MAX = 256 << 20 };

/* Identity of a file as text, and the hash of what was in it. */
struct identity {
  char key[128];
  char hex[SHA256_HEX];
  bool used; /* since the start: only what was used is written again */
  UT_hash_handle hh;
};

struct entry {
  char key[SHA256_HEX + 17]; /* hash, '/', policy digest */
  char *json;
  size_t len;
  bool used;
  UT_hash_handle hh;
};

struct describe_cache {
  int dir;
  char *build;
  struct identity *identities;
  struct entry *entries;
  bool changed;
};

static void
identity_key (const struct stat *st, char key[128])
{
  (void) snprintf (key, 128, "%ju:%ju:%jd:%jd.%09ld:%jd.%09ld", (uintmax_t) st->st_dev,
                   (uintmax_t) st->st_ino, (intmax_t) st->st_size, (intmax_t) st->st_mtim.tv_sec,
                   st->st_mtim.tv_nsec, (intmax_t) st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static void
entry_key (const char *hex, uint64_t policy, char *key, size_t size)
{
  (void) snprintf (key, size, "%s/%016" PRIx64, hex, policy);
}

/* ---- in memory ---- */

static struct identity *
add_identity (struct describe_cache *cache, const char *key, const char *hex)
{
  struct identity *i = NULL;

  HASH_FIND_STR (cache->identities, key, i);
  if (i == NULL) {
    i = xcalloc (1, sizeof *i);
    (void) snprintf (i->key, sizeof i->key, "%s", key);
    HASH_ADD_STR (cache->identities, key, i);
  }
  (void) snprintf (i->hex, sizeof i->hex, "%s", hex);
  return i;
}

static struct entry *
add_entry (struct describe_cache *cache, const char *key, const char *json, size_t len)
{
  struct entry *e = NULL;

  HASH_FIND_STR (cache->entries, key, e);
  if (e == NULL) {
    e = xcalloc (1, sizeof *e);
    (void) snprintf (e->key, sizeof e->key, "%s", key);
    HASH_ADD_STR (cache->entries, key, e);
  }
  free (e->json);
  e->json = xstrndup (json, len);
  e->len = len;
  return e;
}

const char *
describe_cache_find (struct describe_cache *cache, const char *hex, uint64_t policy, size_t *len)
{
  char key[SHA256_HEX + 17];
  struct entry *e = NULL;

  entry_key (hex, policy, key, sizeof key);
  HASH_FIND_STR (cache->entries, key, e);
  *len = e != NULL ? e->len : 0;
  if (e == NULL)
    return NULL;
  e->used = true;
  return e->json;
}

void
describe_cache_put (struct describe_cache *cache, const char *hex, uint64_t policy,
                    const char *json, size_t len)
{
  char key[SHA256_HEX + 17];

  entry_key (hex, policy, key, sizeof key);
  add_entry (cache, key, json, len)->used = true;
  cache->changed = true;
}

/* ---- the hash of a file ---- */

static bool
hash_file (int fd, char hex[SHA256_HEX], struct error *err)
{
  EVP_MD_CTX *context = EVP_MD_CTX_new ();
  unsigned char digest[EVP_MAX_MD_SIZE];
  CLEANUP_FREE char *data = xmalloc (64 * 1024);
  unsigned len = 0;
  off_t at = 0;
  ssize_t n = 0;
  bool ok = context != NULL && EVP_DigestInit_ex (context, EVP_sha256 (), NULL) == 1;

  while (ok && (n = pread (fd, data, 64 * 1024, at)) > 0) {
    ok = EVP_DigestUpdate (context, data, (size_t) n) == 1;
    at += n;
  }
  ok = ok && n == 0 && EVP_DigestFinal_ex (context, digest, &len) == 1;
  EVP_MD_CTX_free (context);
  if (!ok)
    return error_set (err, "cannot be read: %s", strerror (errno));
  for (unsigned i = 0; i < len; i++)
    (void) snprintf (hex + 2 * i, 3, "%02x", digest[i]);
  return true;
}

bool
describe_cache_hash (struct describe_cache *cache, int fd, const struct stat *st,
                     char hex[SHA256_HEX], struct error *err)
{
  char key[128];
  struct identity *known = NULL;

  identity_key (st, key);
  HASH_FIND_STR (cache->identities, key, known);
  if (known != NULL) {
    memcpy (hex, known->hex, SHA256_HEX);
    known->used = true;
    return true;
  }
  if (!hash_file (fd, hex, err))
    return false;
  add_identity (cache, key, hex)->used = true;
  cache->changed = true;
  return true;
}

/* ---- on disk: a line { "build" }, then { "id", "sha256" } and { "key", "describe" } ---- */

static bool
take_line (struct describe_cache *cache, const char *line, size_t len, bool first)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;
  const char *id, *hex, *key, *json;
  size_t json_len;

  if (!json_read (&tape, line, len, &json_default_limits, &arena))
    return false;
  root = json_root (&tape);
  if (first)
    return json_equals (&tape, json_member (&tape, root, "build"), cache->build);
  id = json_cstring (&tape, json_member (&tape, root, "id"), &arena);
  hex = json_cstring (&tape, json_member (&tape, root, "sha256"), &arena);
  if (id != NULL && hex != NULL && strlen (hex) == SHA256_HEX - 1)
    (void) add_identity (cache, id, hex);
  key = json_cstring (&tape, json_member (&tape, root, "key"), &arena);
  json = json_string (&tape, json_member (&tape, root, "describe"), &arena, &json_len);
  if (key != NULL && json != NULL)
    (void) add_entry (cache, key, json, json_len);
  return true;
}

static void
load (struct describe_cache *cache)
{
  CLEANUP_FD int fd = openat (cache->dir, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  CLEANUP_BUF struct buf text = { 0 };
  bool first = true;
  ssize_t n;

  if (fd < 0)
    return;
  while ((n = read (fd, buf_reserve (&text, 1 << 16), 1 << 16)) > 0 && text.len < CACHE_FILE_MAX)
    text.len += (size_t) n;
  for (const char *line = text.data, *end = text.data + text.len; line < end;) {
    const char *stop = memchr (line, '\n', (size_t) (end - line));
    /* A line that is cut short or not ours ends the use of the file: it is only a cache. */
    if (stop == NULL || !take_line (cache, line, (size_t) (stop - line), first))
      return;
    first = false;
    line = stop + 1;
  }
}

struct describe_cache *
describe_cache_new (int dir, const char *build)
{
  struct describe_cache *cache = xcalloc (1, sizeof *cache);

  cache->dir = dir;
  cache->build = xstrdup (build);
  if (dir >= 0)
    load (cache);
  return cache;
}

void
describe_cache_free (struct describe_cache *cache)
{
  struct identity *i, *next_identity;
  struct entry *e, *next_entry;

  if (cache == NULL)
    return;
  HASH_ITER (hh, cache->identities, i, next_identity)
  {
    HASH_DEL (cache->identities, i);
    free (i);
  }
  HASH_ITER (hh, cache->entries, e, next_entry)
  {
    HASH_DEL (cache->entries, e);
    free (e->json);
    free (e);
  }
  free (cache->build);
  free (cache);
}

static void
render (const struct describe_cache *cache, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "build", cache->build);
  jsonw_end (&w);
  buf_putc (out, '\n');
  for (const struct identity *i = cache->identities; i != NULL; i = i->hh.next) {
    if (!i->used)
      continue;
    struct json_writer line = { .out = out };
    jsonw_object (&line);
    jsonw_name_string (&line, "id", i->key);
    jsonw_name_string (&line, "sha256", i->hex);
    jsonw_end (&line);
    buf_putc (out, '\n');
  }
  for (const struct entry *e = cache->entries; e != NULL; e = e->hh.next) {
    if (!e->used)
      continue;
    struct json_writer line = { .out = out };
    jsonw_object (&line);
    jsonw_name_string (&line, "key", e->key);
    jsonw_name (&line, "describe");
    jsonw_string_len (&line, e->json, e->len);
    jsonw_end (&line);
    buf_putc (out, '\n');
  }
}

static bool
write_whole (int fd, const char *data, size_t len)
{
  while (len > 0) {
    ssize_t n = write (fd, data, len);
    if (n <= 0)
      return false;
    data += n;
    len -= (size_t) n;
  }
  return true;
}

bool
describe_cache_save (struct describe_cache *cache, struct error *err)
{
  static const char temporary[] = "describe-cache.new";
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_FD int fd = -1;

  if (cache->dir < 0 || !cache->changed)
    return true;
  cache->changed = false;
  render (cache, &text);
  fd = openat (cache->dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || !write_whole (fd, text.data, text.len)
      || renameat (cache->dir, temporary, cache->dir, FILE_NAME) < 0)
    return error_set (err, "cannot write %s in the state folder: %s", FILE_NAME, strerror (errno));
  return true;
}

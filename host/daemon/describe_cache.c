#include "daemon/describe_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json_tape.h"
#include "base/json_write.h"

static const char FILE_NAME[] = "describe-cache.jsonl";
enum { CACHE_FILE_MAX = 256 << 20 };

/* Identity of a file as text, and the hash of what was in it. */
struct identity {
  char key[128];
  struct known known;
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
  struct offload *offload;
  struct log *log;
  struct identity *identities;
  struct entry *entries;
  bool changed, saving;
};

static void
entry_key (const char *hex, uint64_t policy, char *key, size_t size)
{
  (void) snprintf (key, size, "%s/%016" PRIx64, hex, policy);
}

/* ---- in memory ---- */

static void
set_text (char **text, const char *to)
{
  free (*text);
  *text = to != NULL ? xstrdup (to) : NULL;
}

static struct identity *
add_identity (struct describe_cache *cache, const char *key, const struct known *known)
{
  struct identity *i = NULL;

  HASH_FIND_STR (cache->identities, key, i);
  if (i == NULL) {
    i = xcalloc (1, sizeof *i);
    (void) snprintf (i->key, sizeof i->key, "%s", key);
    HASH_ADD_STR (cache->identities, key, i);
  }
  memcpy (i->known.hex, known->hex, sizeof i->known.hex);
  set_text (&i->known.suggests, known->suggests);
  set_text (&i->known.skills, known->skills);
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

const struct known *
describe_cache_known (struct describe_cache *cache, const struct identity_text *identity)
{
  struct identity *i = NULL;

  HASH_FIND_STR (cache->identities, identity->text, i);
  if (i == NULL)
    return NULL;
  i->used = true;
  return &i->known;
}

void
describe_cache_know (struct describe_cache *cache, const struct identity_text *identity,
                     const struct known *known)
{
  add_identity (cache, identity->text, known)->used = true;
  cache->changed = true;
}

/* ---- on disk: a line { "build" }, then { "id", "sha256", "suggests", "skills" } and
 * { "key", "describe" } ---- */

static void
take_identity (struct describe_cache *cache, const struct json_tape *tape,
               const struct json_node *root, struct arena *arena)
{
  const char *id = json_cstring (tape, json_member (tape, root, "id"), arena);
  const char *hex = json_cstring (tape, json_member (tape, root, "sha256"), arena);
  const char *suggests = json_cstring (tape, json_member (tape, root, "suggests"), arena);
  const char *skills = json_cstring (tape, json_member (tape, root, "skills"), arena);
  struct known known = { .suggests = (char *) suggests, .skills = (char *) skills };

  if (id == NULL || hex == NULL || strlen (hex) != SHA256_HEX - 1)
    return;
  memcpy (known.hex, hex, SHA256_HEX);
  (void) add_identity (cache, id, &known);
}

static bool
take_line (struct describe_cache *cache, const char *line, size_t len, bool first)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;
  const char *key, *json;
  size_t json_len;

  if (!json_read (&tape, line, len, &json_default_limits, &arena))
    return false;
  root = json_root (&tape);
  if (first)
    return json_equals (&tape, json_member (&tape, root, "build"), cache->build);
  take_identity (cache, &tape, root, &arena);
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
describe_cache_new (const struct describe_cache_needs *needs)
{
  struct describe_cache *cache = xcalloc (1, sizeof *cache);

  cache->dir = needs->dir;
  cache->build = xstrdup (needs->build);
  cache->offload = needs->offload;
  cache->log = needs->log;
  if (cache->dir >= 0)
    load (cache);
  return cache;
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
    jsonw_name_string (&line, "sha256", i->known.hex);
    if (i->known.suggests != NULL)
      jsonw_name_string (&line, "suggests", i->known.suggests);
    if (i->known.skills != NULL)
      jsonw_name_string (&line, "skills", i->known.skills);
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

/* The cache as text, on its way to the disk. */
struct saving {
  struct describe_cache *cache;
  int dir;
  struct buf text;
  struct error err;
};

static void
save (void *ctx, const struct offload_job *job)
{
  static const char temporary[] = "describe-cache.new";
  struct saving *saving = ctx;
  CLEANUP_FD int fd = -1;

  (void) job;
  fd = openat (saving->dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || !write_whole (fd, saving->text.data, saving->text.len)
      || renameat (saving->dir, temporary, saving->dir, FILE_NAME) < 0)
    error_set (&saving->err, "cannot write %s in the state folder: %s", FILE_NAME,
               strerror (errno));
}

static void
saved (void *ctx, bool cancelled)
{
  struct saving *saving = ctx;
  struct describe_cache *cache = saving->cache;

  cache->saving = false;
  if (saving->err.text[0] != '\0')
    log_event (cache->log, LOG_WARNING, "describe_cache_failed", "why", saving->err.text, NULL);
  buf_free (&saving->text);
  free (saving);
  if (cancelled)
    cache->changed = true;
  else
    describe_cache_save (cache);
}

/* NULL when there is nothing to save, or nowhere. */
static struct saving *
begin_to_save (struct describe_cache *cache)
{
  struct saving *saving;

  if (cache->dir < 0 || !cache->changed || cache->saving)
    return NULL;
  saving = xcalloc (1, sizeof *saving);
  saving->cache = cache;
  saving->dir = cache->dir;
  render (cache, &saving->text);
  cache->changed = false;
  return saving;
}

void
describe_cache_save (struct describe_cache *cache)
{
  struct saving *saving = begin_to_save (cache);

  if (saving == NULL)
    return;
  cache->saving = true;
  (void) offload_submit (cache->offload,
                         &(struct offload_work){ .work = save, .done = saved, .ctx = saving });
}

static void
save_now (struct describe_cache *cache)
{
  struct saving *saving = begin_to_save (cache);

  if (saving == NULL)
    return;
  save (saving, NULL);
  saved (saving, false);
}

void
describe_cache_free (struct describe_cache *cache)
{
  struct identity *i, *next_identity;
  struct entry *e, *next_entry;

  if (cache == NULL)
    return;
  save_now (cache);
  HASH_ITER (hh, cache->identities, i, next_identity)
  {
    HASH_DEL (cache->identities, i);
    free (i->known.suggests);
    free (i->known.skills);
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

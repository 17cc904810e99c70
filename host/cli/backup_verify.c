/* backup_verify.c - is a backup what it was when it was made? */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/reader.h"
#include "base/json_tape.h"
#include "catalog/hash.h"
#include "cli/answer.h"
#include "cli/backup.h"
#include "cli/input.h"

/* ---- the manifest ---- */

static bool
is_below (const char *path)
{
  return path[0] != '/' && path[0] != '\0' && strstr (path, "..") == NULL;
}

static bool
take_file (const struct json_tape *tape, const struct json_node *entry, struct arena *arena,
           struct backup_file *file)
{
  const char *path = json_cstring (tape, json_member (tape, entry, "path"), arena);
  const char *sha256 = json_cstring (tape, json_member (tape, entry, "sha256"), arena);
  int64_t bytes;

  if (path == NULL || !is_below (path) || sha256 == NULL || strlen (sha256) != 64
      || !json_int64 (tape, json_member (tape, entry, "bytes"), &bytes) || bytes < 0)
    return false;
  *file = (struct backup_file){ .path = xstrdup (path), .bytes = (uint64_t) bytes };
  (void) strcpy (file->sha256, sha256);
  return true;
}

static bool
read_manifest (const char *folder, struct backup *backup, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *files;
  struct json_tape tape;
  const char *made;
  int64_t version = 0;

  buf_printf (&path, "%s/" BACKUP_MANIFEST, folder);
  if (!input_read (buf_cstr (&path), &text, err))
    return error_wrap (err, "%s: ", path.data);
  if (!json_read (&tape, text.data, text.len, &answer_limits, &arena)
      || !json_int64 (&tape, json_member (&tape, json_root (&tape), "toolhost_backup"), &version))
    return error_set (err, "%s: it is no manifest of a backup", path.data);
  files = json_member (&tape, json_root (&tape), "files");
  made = json_cstring (&tape, json_member (&tape, json_root (&tape), "made"), &arena);
  if (version != 1 || !json_is (files, JSON_ARRAY) || made == NULL)
    return error_set (err, "%s: it is a manifest of another version", path.data);
  backup->made = xstrdup (made);
  backup->files = xcalloc (files->count + 1, sizeof *backup->files);
  for (const struct json_node *n = json_first (files); n != json_end (files); n = json_next (n))
    if (take_file (&tape, n, &arena, &backup->files[backup->count]))
      backup->count++;
    else
      return error_set (err, "%s: /files/%zu: it is no file of a backup", path.data, backup->count);
  return true;
}

/* ---- its files ---- */

static bool
hash_file (const char *path, uint64_t *bytes, char sha256[SHA256_HEX], struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct hash *hash;
  char piece[65536];
  ssize_t n = 1;

  *bytes = 0;
  if (fd < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  hash = hash_new ();
  while ((n = read (fd, piece, sizeof piece)) > 0) {
    hash_add (hash, piece, (size_t) n);
    *bytes += (uint64_t) n;
  }
  hash_end (hash, sha256);
  return n == 0 || error_set (err, "%s: %s", path, strerror (errno));
}

static bool
check_file (const char *folder, const struct backup_file *file, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  char sha256[SHA256_HEX];
  uint64_t bytes;

  buf_printf (&path, "%s/%s", folder, file->path);
  if (!hash_file (buf_cstr (&path), &bytes, sha256, err))
    return false;
  if (bytes != file->bytes)
    return error_set (err, "%s: it has %llu bytes, and had %llu when it was made", path.data,
                      (unsigned long long) bytes, (unsigned long long) file->bytes);
  return strcmp (sha256, file->sha256) == 0
         || error_set (err, "%s: it was changed since it was made", path.data);
}

/* ---- the store ---- */

static bool
ask (sqlite3 *db, const char *text, char answer[100])
{
  sqlite3_stmt *statement = NULL;
  bool good = sqlite3_prepare_v2 (db, text, -1, &statement, NULL) == SQLITE_OK
              && sqlite3_step (statement) == SQLITE_ROW
              && sqlite3_column_text (statement, 0) != NULL;

  if (good)
    (void) snprintf (answer, 100, "%s", (const char *) sqlite3_column_text (statement, 0));
  (void) sqlite3_finalize (statement);
  return good;
}

/* "immutable": nothing is written beside it. */
static bool
check_store (const char *folder, struct backup_proof *proof, struct error *err)
{
  CLEANUP_BUF struct buf uri = { 0 };
  char answer[100] = "";
  sqlite3 *db = NULL;
  bool good;

  buf_puts (&uri, "file:");
  for (const char *c = folder; *c != '\0'; c++)
    if (strchr ("%?#", *c) != NULL)
      buf_printf (&uri, "%%%02X", (unsigned char) *c);
    else
      buf_putc (&uri, *c);
  buf_puts (&uri, "/" BACKUP_STORE "?mode=ro&immutable=1");
  good = sqlite3_open_v2 (buf_cstr (&uri), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL)
           == SQLITE_OK
         && ask (db, "PRAGMA integrity_check (1)", answer);
  if (!good)
    (void) error_set (err, "%s/" BACKUP_STORE ": %s", folder, sqlite3_errmsg (db));
  else if (strcmp (answer, "ok") != 0)
    good = error_set (err, "%s/" BACKUP_STORE ": it is damaged: %s", folder, answer);
  else if (!ask (db, "SELECT count (*) FROM call", answer))
    good = error_set (err, "%s/" BACKUP_STORE ": it is no store of toolhost", folder);
  else
    proof->calls = strtoull (answer, NULL, 10);
  (void) sqlite3_close (db);
  return good;
}

/* ---- the audit ---- */

static bool
check_audit (const char *folder, const struct audit_key *key, struct backup_proof *proof,
             struct error *err)
{
  const struct audit_key none = { 0 };
  const struct audit_reading reading = { .key = key != NULL ? key : &none };
  CLEANUP_BUF struct buf path = { 0 };
  struct audit_read found;

  buf_printf (&path, "%s/" BACKUP_AUDIT, folder);
  if (!audit_read (buf_cstr (&path), &reading, &found, err))
    return error_wrap (err, "%s/", path.data);
  if (found.records != 0 && !found.anchored)
    return error_set (err, "%s: it begins with record %llu, and no record tells of those before it",
                      path.data, (unsigned long long) found.first);
  proof->records = found.records;
  proof->first = found.first;
  proof->last = found.link.seq;
  (void) snprintf (proof->head, sizeof proof->head, "%s", found.link.hash);
  return true;
}

bool
backup_verify (const char *folder, const struct audit_key *key, struct backup *backup,
               struct backup_proof *proof, struct error *err)
{
  *backup = (struct backup){ .made = NULL };
  *proof = (struct backup_proof){ .calls = 0 };
  if (!read_manifest (folder, backup, err))
    return false;
  for (size_t i = 0; i < backup->count; i++)
    if (!check_file (folder, &backup->files[i], err))
      return false;
  return check_store (folder, proof, err) && check_audit (folder, key, proof, err);
}

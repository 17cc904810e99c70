/* hash.c - the tool: the digest of a text, of bytes, or of a file the operator granted. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <toolhost.h>
#include <unistd.h>

#include "../common/base64.h"
#include "../common/text.h"
#include "digest.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "hash",
    "title": "Hash",
    "description": "Compute a digest (SHA-2, SHA-3, BLAKE2, MD5, SHA-1), an HMAC, or a CRC-32. Give exactly one of text, base64 and file.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "algorithm": {
          "type": "string",
          "enum": ["sha256", "sha224", "sha384", "sha512", "sha512-256", "sha3-256", "sha3-512", "blake2b512", "blake2s256", "sha1", "md5", "crc32"],
          "default": "sha256",
          "description": "sha1 and md5 are broken for security; crc32 only finds accidents."
        },
        "text": {
          "type": "string",
          "description": "A text; its UTF-8 bytes are hashed."
        },
        "base64": {
          "type": "string",
          "description": "Bytes in base64 (RFC 4648, standard alphabet, padded)."
        },
        "file": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4095,
          "description": "Absolute path of a regular file that the operator lets this tool read.",
          "examples": ["/srv/downloads/image.iso"]
        },
        "hmac_key": {
          "type": "string",
          "writeOnly": true,
          "description": "Compute the HMAC with this key, a text, instead of the plain digest."
        },
        "encoding": {
          "type": "string",
          "enum": ["hex", "base64"],
          "default": "hex",
          "description": "How to write the digest."
        }
      },
      "additionalProperties": false,
      "examples": [
        { "text": "The quick brown fox" },
        { "algorithm": "blake2b512", "base64": "3q2+7w==", "encoding": "base64" },
        { "text": "a message", "hmac_key": "a key" }
      ]
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "algorithm": { "type": "string" },
        "hmac": { "type": "boolean", "description": "An HMAC, not a plain digest." },
        "encoding": { "type": "string", "enum": ["hex", "base64"] },
        "digest": { "type": "string" },
        "bytes": { "type": "integer", "minimum": 0, "description": "How many bytes were hashed." },
        "note": { "type": "string", "description": "What to know before trusting it." }
      },
      "required": ["algorithm", "hmac", "encoding", "digest", "bytes"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Hash",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

/* Where the bytes can come from. */
static const char *const sources[] = { "text", "base64", "file" };
enum { SOURCES = sizeof sources / sizeof *sources };

/* ---- validate ---- */

static void
check_base64 (toolhost_call *call)
{
  size_t len, wrong;
  const char *text = toolhost_arg_string_len (call, "base64", &len);

  if (text == NULL || base64_decode (NULL, text, len, &wrong))
    return;
  if (wrong == len)
    toolhost_invalid (call, "/base64",
                      "expected groups of 4 characters, the last one filled up with \"=\"; got %zu "
                      "characters",
                      len);
  else
    toolhost_invalid (call, "/base64",
                      "position %zu: expected base64 of the standard alphabet (A-Z a-z 0-9 + /)",
                      wrong + 1);
}

static void
check_file (toolhost_call *call)
{
  size_t len;
  const char *path = toolhost_arg_string_len (call, "file", &len);

  if (path == NULL)
    return;
  if (path[0] != '/')
    toolhost_invalid (call, "/file", "expected an absolute path, one that begins with \"/\"");
  if (memchr (path, 0, len) != NULL)
    toolhost_invalid (call, "/file", "a path holds no U+0000");
}

static const struct algorithm *
algorithm_of (toolhost_call *call)
{
  return algorithm_find (toolhost_arg_string_or (call, "algorithm", "sha256"));
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  const struct algorithm *algorithm = algorithm_of (call);
  int given = 0;

  (void) self;
  for (size_t i = 0; i < SOURCES; i++)
    given += toolhost_has_arg (call, sources[i]);
  if (given != 1)
    toolhost_invalid (call, "", "expected exactly one of \"text\", \"base64\" and \"file\", got %s",
                      given == 0 ? "none" : "several");
  if (algorithm == NULL)
    toolhost_invalid (call, "/algorithm", "no such algorithm");
  else if (!algorithm->keyed && toolhost_has_arg (call, "hmac_key"))
    toolhost_invalid (call, "/hmac_key", "there is no HMAC with %s; use sha256", algorithm->name);
  check_base64 (call);
  check_file (call);
  return TOOLHOST_OK;
}

/* ---- files ---- */

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}
#define CLEANUP_FD __attribute__ ((cleanup (close_fd)))

static void
free_bytes (unsigned char **bytes)
{
  free (*bytes);
}

static toolhost_status
fail_open (toolhost_call *call, const char *path, int error)
{
  bool absent = error == ENOENT || error == ENOTDIR;

  return toolhost_fail (
    call,
    absent                                                ? "hash_file_not_found"
    : error == EACCES || error == EPERM || error == ELOOP ? "hash_file_denied"
                                                          : "hash_file_unreadable",
    "%.300s: %s%s", path, strerror (error),
    absent || error == EACCES ? "; the operator grants files to this tool with \"permissions\": "
                                "{\"read\": [...]} in plugins.d/hash.json"
                              : "");
}

static toolhost_status
add_file (toolhost_call *call, struct digest *digest, int fd, const char *path, int64_t total,
          int64_t *bytes)
{
  enum { CHUNK = 256 * 1024, CHUNKS_PER_PROGRESS = 16 };
  __attribute__ ((cleanup (free_bytes))) unsigned char *buffer = malloc (CHUNK);

  if (buffer == NULL)
    return toolhost_fail (call, "hash_failed", "out of memory");
  for (unsigned chunk = 1;; chunk++) {
    ssize_t n;

    if (toolhost_cancelled (call))
      return toolhost_fail (call, "hash_cancelled", "the call was cancelled after %lld bytes",
                            (long long) *bytes);
    n = read (fd, buffer, CHUNK);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return toolhost_fail (call, "hash_file_unreadable", "%.300s: %s", path, strerror (errno));
    if (n == 0)
      return TOOLHOST_OK;
    if (!digest_add (digest, buffer, (size_t) n))
      return toolhost_fail (call, "hash_failed", "libcrypto failed");
    *bytes += n;
    if (chunk % CHUNKS_PER_PROGRESS == 0)
      toolhost_progress (call, (double) *bytes, *bytes > total ? 0 : (double) total, NULL);
  }
}

static toolhost_status
add_path (toolhost_call *call, struct digest *digest, const char *path, int64_t *bytes)
{
  /* O_NONBLOCK: opening a FIFO must not wait for its other end. */
  CLEANUP_FD int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat st;

  if (fd < 0 || fstat (fd, &st) != 0)
    return fail_open (call, path, errno);
  if (!S_ISREG (st.st_mode))
    return toolhost_fail (call, "hash_file_not_regular", "%.300s: expected a regular file, got %s",
                          path, S_ISDIR (st.st_mode) ? "a folder" : "a device, pipe or socket");
  return add_file (call, digest, fd, path, (int64_t) st.st_size, bytes);
}

/* ---- execute ---- */

static toolhost_status
add_source (toolhost_call *call, struct digest *digest, int64_t *bytes)
{
  CLEANUP_TEXT struct text decoded = { 0 };
  size_t len, wrong;
  const char *data = toolhost_arg_string (call, "file");

  if (data != NULL)
    return add_path (call, digest, data, bytes);
  data = toolhost_arg_string_len (call, "text", &len);
  if (data == NULL) {
    data = toolhost_arg_string_len (call, "base64", &len);
    if (data == NULL || !base64_decode (&decoded, data, len, &wrong) || !text_ok (&decoded))
      return toolhost_fail (call, "hash_failed", "out of memory");
    data = text_get (&decoded);
    len = decoded.len;
  }
  *bytes = (int64_t) len;
  if (!digest_add (digest, data, len))
    return toolhost_fail (call, "hash_failed", "libcrypto failed");
  return TOOLHOST_OK;
}

static void
encode (const unsigned char *data, size_t len, bool base64, struct text *out)
{
  if (base64)
    base64_encode (out, data, len);
  for (size_t i = 0; !base64 && i < len; i++)
    text_addf (out, "%02x", data[i]);
}

static toolhost_status
tell (toolhost_call *call, const struct algorithm *algorithm, const struct text *digest,
      int64_t bytes)
{
  CLEANUP_TEXT struct text json = { 0 }, note = { 0 };
  bool keyed = toolhost_has_arg (call, "hmac_key");

  /* As an HMAC even MD5 and SHA-1 have no known collisions that matter. */
  if (algorithm->note != NULL && !keyed)
    text_addf (&note, "%s %s", algorithm->name, algorithm->note);
  json_open (&json, '{');
  json_name_string (&json, "algorithm", algorithm->name);
  json_name_bool (&json, "hmac", keyed);
  json_name_string (&json, "encoding", toolhost_arg_string_or (call, "encoding", "hex"));
  json_name_string (&json, "digest", text_get (digest));
  json_name_int (&json, "bytes", bytes);
  if (note.len > 0)
    json_name_string (&json, "note", text_get (&note));
  json_close (&json, '}');
  if (!text_ok (&json) || !text_ok (&note) || !text_ok (digest))
    return toolhost_fail (call, "hash_failed", "out of memory");
  (void) toolhost_textf (call, "%s%s%s", text_get (digest), note.len > 0 ? "\nNote: " : "",
                         text_get (&note));
  return toolhost_json_len (call, text_get (&json), json.len);
}

static toolhost_status
finish (toolhost_call *call, const struct algorithm *algorithm, struct digest *digest)
{
  CLEANUP_TEXT struct text encoded = { 0 };
  unsigned char bytes[DIGEST_MAX];
  size_t len;
  int64_t count = 0;
  toolhost_status status = add_source (call, digest, &count);

  if (status != TOOLHOST_OK)
    return status;
  if (!digest_finish (digest, bytes, &len))
    return toolhost_fail (call, "hash_failed", "libcrypto failed");
  encode (bytes, len, strcmp (toolhost_arg_string_or (call, "encoding", "hex"), "base64") == 0,
          &encoded);
  return tell (call, algorithm, &encoded, count);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct algorithm *algorithm = algorithm_of (call);
  size_t key_len;
  const char *key = toolhost_arg_string_len (call, "hmac_key", &key_len);
  struct digest *digest = digest_new (algorithm, key, key_len);
  toolhost_status status;

  (void) self;
  if (digest == NULL)
    return toolhost_fail (call, "hash_algorithm_unavailable",
                          "libcrypto on this machine does not offer %s", algorithm->name);
  status = finish (call, algorithm, digest);
  digest_free (digest);
  return status;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 120000;
}

static const toolhost_tool hash = { TOOLHOST_TOOL, .definition = definition, .validate = validate,
                                    .execute = execute, .max_time = max_time };

TOOLHOST_PLUGIN (.name = "hash", .version = "1.0",
                 .description = "Digests, HMACs and checksums of texts, bytes and granted files.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&hash))

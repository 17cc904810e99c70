/* read.c - files_read: a file or a range of it, as text where it is text. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/base64.h"
#include "../common/utf8.h"
#include "files.h"
#include "roots.h"

enum { LENGTH_DEFAULT = 65536, LENGTH_MAX = 1048576, CHUNK = 65536 };

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "files_read",
    "title": "Read a file",
    "description": "Read a file below a granted folder, from a byte offset or by lines. Text comes as it is, anything else in base64. A long file comes in pieces: go on at next_offset.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4095,
          "description": "Absolute path of a file; relative to the granted folder if there is only one.",
          "examples": ["/srv/docs/readme.md"]
        },
        "offset": { "type": "integer", "minimum": 0, "default": 0, "description": "Byte to begin at." },
        "first_line": { "type": "integer", "minimum": 1, "description": "Line to begin at, instead of an offset." },
        "last_line": { "type": "integer", "minimum": 1, "description": "Last line to read." },
        "length": { "type": "integer", "minimum": 16, "maximum": 1048576, "default": 65536, "description": "At most so many bytes." },
        "encoding": {
          "type": "string",
          "enum": ["auto", "base64"],
          "default": "auto",
          "description": "auto: text if it is UTF-8 without U+0000, else base64."
        }
      },
      "required": ["path"],
      "additionalProperties": false
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "path": { "type": "string" },
        "size": { "type": "integer", "description": "Bytes of the whole file." },
        "offset": { "type": "integer", "description": "Of the first byte in content; moved forward to a whole character." },
        "length": { "type": "integer", "description": "Bytes in content." },
        "encoding": { "type": "string", "enum": ["utf-8", "base64"] },
        "content": { "type": "string" },
        "next_offset": { "type": "integer", "description": "There is more from here." }
      },
      "required": ["path", "size", "offset", "length", "encoding", "content"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Read a file",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  int64_t first = toolhost_arg_int (call, "first_line", 1);
  bool by_lines = toolhost_has_arg (call, "first_line") || toolhost_has_arg (call, "last_line");

  (void) self;
  if (by_lines && toolhost_has_arg (call, "offset"))
    toolhost_invalid (call, "/offset", "read by offset or by lines, not both");
  if (toolhost_arg_int (call, "last_line", INT64_MAX) < first)
    toolhost_invalid (call, "/last_line", "expected at least %lld, the first line",
                      (long long) first);
  return TOOLHOST_OK;
}

/* A file being read and the piece of it that becomes the result. */
struct reading {
  toolhost_call *call;
  const char *path;
  int fd;
  int64_t size;
  int64_t offset; /* of the piece */
  char *piece;
  size_t len;
};

static toolhost_status
fail_read (const struct reading *r)
{
  return fail_errno (r->call, r->path, errno);
}

/* As many bytes as there are, up to len; -1 with errno. */
static ssize_t
read_at (int fd, char *buffer, size_t len, int64_t offset)
{
  size_t got = 0;

  while (got < len) {
    ssize_t n = pread (fd, buffer + got, len - got, (off_t) offset + (off_t) got);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    got += (size_t) n;
  }
  return (ssize_t) got;
}

/* ---- lines ---- */

/* Over `lines` ends of lines, as far as they are there; how many were. */
static size_t
skip_lines (const char *text, size_t len, int64_t lines, int64_t *passed)
{
  const char *at = text;

  while (*passed < lines) {
    const char *end = memchr (at, '\n', len - (size_t) (at - text));

    if (end == NULL)
      return len;
    at = end + 1;
    ++*passed;
  }
  return (size_t) (at - text);
}

/* Set the offset to where a line begins. */
static toolhost_status
find_line (struct reading *r, int64_t line)
{
  int64_t passed = 0;
  char *chunk = malloc (CHUNK);
  ssize_t n = chunk != NULL ? 1 : -1;

  while (passed < line - 1 && n > 0 && !toolhost_cancelled (r->call)) {
    n = read_at (r->fd, chunk, CHUNK, r->offset);
    if (n > 0)
      r->offset += (int64_t) skip_lines (chunk, (size_t) n, line - 1, &passed);
    toolhost_progress (r->call, (double) r->offset, (double) r->size, NULL);
  }
  free (chunk);
  if (n < 0)
    return fail_read (r);
  if (toolhost_cancelled (r->call))
    return toolhost_fail (r->call, "files_cancelled", "the call was cancelled");
  if (passed < line - 1 || (line > 1 && r->offset >= r->size))
    return toolhost_fail (r->call, "files_no_such_range", "\"%.300s\" ends with line %lld", r->path,
                          (long long) (passed + (passed < line - 1 && r->size > 0)));
  return TOOLHOST_OK;
}

static void
cut_after_line (struct reading *r, int64_t first)
{
  int64_t last = toolhost_arg_int (r->call, "last_line", 0);
  int64_t passed = 0;

  if (last >= first)
    r->len = skip_lines (r->piece, r->len, last - first + 1, &passed);
}

/* ---- text or not ---- */

/* Leave whole characters only: without the end of one at the start, where the file does not begin,
 * and without the start of one at the end, where it goes on. */
static void
cut_to_characters (struct reading *r)
{
  size_t skip = 0, end = r->len;

  while (r->offset > 0 && skip < 3 && skip < r->len
         && ((unsigned char) r->piece[skip] & 0xC0) == 0x80)
    skip++;
  if (r->offset + (int64_t) r->len < r->size)
    for (size_t back = 1; back <= 3 && back <= r->len - skip; back++) {
      const char *last = r->piece + r->len - back;

      if (((unsigned char) *last & 0xC0) == 0x80)
        continue;
      if (((unsigned char) *last & 0x80) != 0 && utf8_next (last, back, NULL) == 0)
        end = r->len - back;
      break;
    }
  if (!utf8_valid (r->piece + skip, end - skip) || end == skip)
    return;
  r->piece += skip;
  r->offset += (int64_t) skip;
  r->len = end - skip;
}

static bool
is_text (const struct reading *r)
{
  return strcmp (toolhost_arg_string_or (r->call, "encoding", "auto"), "base64") != 0
         && utf8_valid (r->piece, r->len) && memchr (r->piece, 0, r->len) == NULL;
}

/* ---- the whole ---- */

static toolhost_status
tell (struct reading *r)
{
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 };
  int64_t end;
  bool plain;

  if (strcmp (toolhost_arg_string_or (r->call, "encoding", "auto"), "base64") != 0)
    cut_to_characters (r);
  plain = is_text (r);
  end = r->offset + (int64_t) r->len;
  if (plain)
    text_add_len (&text, r->piece, r->len);
  else
    base64_encode (&text, r->piece, r->len);
  json_open (&json, '{');
  json_name_string (&json, "path", r->path);
  json_name_int (&json, "size", r->size);
  json_name_int (&json, "offset", r->offset);
  json_name_int (&json, "length", (int64_t) r->len);
  json_name_string (&json, "encoding", plain ? "utf-8" : "base64");
  json_name (&json, "content");
  json_string_len (&json, text_get (&text), text.len);
  if (end < r->size)
    json_name_int (&json, "next_offset", end);
  json_close (&json, '}');
  if (files_send (r->call, &text, &json) != TOOLHOST_OK)
    return TOOLHOST_FAILED;
  if (end < r->size)
    (void) toolhost_textf (r->call, "[bytes %lld to %lld of %lld; go on with offset %lld]",
                           (long long) r->offset, (long long) end - 1, (long long) r->size,
                           (long long) end);
  return TOOLHOST_OK;
}

static toolhost_status
read_piece (struct reading *r, char *buffer, size_t length)
{
  int64_t first = toolhost_arg_int (r->call, "first_line", 1);
  ssize_t n;

  if (r->offset > r->size)
    return toolhost_fail (r->call, "files_no_such_range", "\"%.300s\" has %lld bytes", r->path,
                          (long long) r->size);
  if (first > 1) {
    toolhost_status status = find_line (r, first);

    if (status != TOOLHOST_OK)
      return status;
  }
  n = read_at (r->fd, buffer, length, r->offset);
  if (n < 0)
    return fail_read (r);
  r->piece = buffer;
  r->len = (size_t) n;
  cut_after_line (r, first);
  return tell (r);
}

static toolhost_status
read_open_file (struct reading *r)
{
  int64_t length = toolhost_arg_int (r->call, "length", LENGTH_DEFAULT);
  struct stat st;
  char *buffer;
  toolhost_status status;

  if (fstat (r->fd, &st) != 0)
    return fail_read (r);
  r->size = st.st_size;
  r->offset = toolhost_arg_int (r->call, "offset", 0);
  if (length > LENGTH_MAX)
    length = LENGTH_MAX;
  buffer = malloc ((size_t) length);
  if (buffer == NULL)
    return files_no_memory (r->call);
  status = read_piece (r, buffer, (size_t) length);
  free (buffer);
  return status;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  CLEANUP_PLACE struct place place = { 0 };
  CLEANUP_TEXT struct text path = { 0 };
  struct reading r = { .call = call };
  toolhost_status status = place_get (call, self, &place);

  if (status != TOOLHOST_OK || place.root == NULL)
    return status;
  root_path_write (place.root, text_get (&place.rest), &path);
  r.path = text_get (&path);
  r.fd = root_open_file (place.root, text_get (&place.rest), true);
  if (r.fd < 0 && errno == EINVAL)
    return toolhost_fail (call, "files_wrong_kind",
                          "\"%.300s\" is no regular file; list a folder with files_list", r.path);
  if (r.fd < 0)
    return fail_errno (call, r.path, errno);
  status = read_open_file (&r);
  close (r.fd);
  return status;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 30000;
}

const toolhost_tool files_read_tool = { TOOLHOST_TOOL,        .definition = definition,
                                        .validate = validate, .can_execute = files_granted,
                                        .execute = execute,   .max_time = max_time };

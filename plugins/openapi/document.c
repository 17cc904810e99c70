#include "document.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/percent.h"
#include "yaml.h"

enum { HOPS_MAX = 32 /* references that lead to references */ };

/* ---- text ---- */

const struct value *
document_parse (struct values *pool, const char *text, size_t len, struct text *why)
{
  const struct value *value;
  size_t at = 0;

  if (len > DOCUMENT_BYTES_MAX) {
    text_addf (why, "it has %zu bytes, %d are the most", len, (int) DOCUMENT_BYTES_MAX);
    return NULL;
  }
  while (at < len && strchr (" \t\r\n", text[at]) != NULL && text[at] != '\0')
    at++;
  /* What begins like JSON and is none may yet be YAML, which says in which line it is wrong. */
  value = at < len && text[at] == '{' ? value_parse (pool, text, len) : NULL;
  return value != NULL ? value : yaml_read (pool, text, len, why);
}

static bool
load_from (int fd, struct text *out, struct text *why)
{
  char piece[16384];
  ssize_t n;

  while ((n = read (fd, piece, sizeof piece)) > 0 && out->len <= DOCUMENT_BYTES_MAX)
    text_add_len (out, piece, (size_t) n);
  if (n < 0)
    text_add (why, strerror (errno));
  else if (out->len > DOCUMENT_BYTES_MAX)
    text_addf (why, "it has more than %d bytes", (int) DOCUMENT_BYTES_MAX);
  return n == 0 && text_ok (out);
}

bool
document_load (const char *path, struct text *out, struct text *why)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat st;
  bool good;

  if (fd < 0) {
    const bool hidden = errno == ENOENT || errno == EACCES;
    text_addf (why, "%s%s", strerror (errno),
               hidden ? " (the policy has to grant it: permissions.read)" : "");
    return false;
  }
  good = fstat (fd, &st) == 0 && S_ISREG (st.st_mode);
  if (!good)
    text_add (why, "it is no file");
  good = good && load_from (fd, out, why);
  (void) close (fd);
  return good;
}

bool
document_take (struct document *document, const struct value *root, struct text *why)
{
  const char *version = value_cstring (value_get_z (root, "openapi"));

  if (version == NULL || (strncmp (version, "3.0", 3) != 0 && strncmp (version, "3.1", 3) != 0)
      || (version[3] != '.' && version[3] != '\0')) {
    if (value_get_z (root, "swagger") != NULL)
      text_add (why, "it is of Swagger 2.0; convert it to OpenAPI 3");
    else
      text_addf (why,
                 "expected an OpenAPI document with \"openapi\": \"3.0.x\" or \"3.1.x\"%s%.20s",
                 version != NULL ? ", got " : "", version != NULL ? version : "");
    return false;
  }
  document->root = root;
  document->v31 = version[2] == '1';
  document->files[0] = (struct document_file){ "", root };
  document->files_count = 1;
  return true;
}

/* ---- other files ---- */

static bool
is_inside (const char *name)
{
  if (name[0] == '/' || name[0] == '\0')
    return false;
  for (const char *at = name; at != NULL; at = strchr (at, '/')) {
    at += *at == '/';
    if (strncmp (at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
      return false;
  }
  return true;
}

static size_t
load_file (struct document *document, const char *name, struct text *why)
{
  CLEANUP_TEXT struct text path = { 0 }, text = { 0 };
  const struct value *root;

  if (document->closed || document->files_count == DOCUMENT_FILES_MAX) {
    text_addf (why, "it refers to more than %d files", (int) DOCUMENT_FILES_MAX);
    return SIZE_MAX;
  }
  text_addf (&path, "%s/%s", document->folder, name);
  text_addf (why, "%s: ", name);
  if (!document_load (text_get (&path), &text, why))
    return SIZE_MAX;
  root = document_parse (document->pool, text_get (&text), text.len, why);
  if (root == NULL)
    return SIZE_MAX;
  text_clear (why);
  document->files[document->files_count] =
    (struct document_file){ values_text (document->pool, name, strlen (name)), root };
  return document->files_count++;
}

/* The file that the part of a reference before '#' names, as seen from another. */
static size_t
find_file (struct document *document, const char *ref, size_t len, size_t from, struct text *why)
{
  CLEANUP_TEXT struct text name = { 0 };
  const char *base = document->files[from].name, *slash = strrchr (base, '/');

  if (len == 0)
    return from;
  if (memchr (ref, ':', len) != NULL || (len > 1 && ref[0] == '/' && ref[1] == '/')) {
    text_addf (why, "the reference %.200s leads to a server: that is blocked", ref);
    return SIZE_MAX;
  }
  if (document->folder == NULL) {
    text_addf (why, "the reference %.200s leads out of the document: that is blocked", ref);
    return SIZE_MAX;
  }
  if (slash != NULL && ref[0] != '/')
    text_add_len (&name, base, (size_t) (slash - base) + 1);
  while (len > 2 && strncmp (ref, "./", 2) == 0) {
    ref += 2;
    len -= 2;
  }
  percent_decode (&name, ref, len);
  if (!is_inside (text_get (&name))) {
    text_addf (why, "the reference %.200s leads out of the document's folder", ref);
    return SIZE_MAX;
  }
  for (size_t i = 1; i < document->files_count; i++)
    if (strcmp (document->files[i].name, text_get (&name)) == 0)
      return i;
  return load_file (document, text_get (&name), why);
}

/* ---- pointers ---- */

static const struct value *
step (const struct value *value, const char *token, size_t len)
{
  size_t index = 0;

  if (value_is (value, VALUE_OBJECT))
    return value_get (value, token, len);
  if (!value_is (value, VALUE_ARRAY) || len == 0 || len > 6)
    return NULL;
  for (size_t i = 0; i < len; i++) {
    if (token[i] < '0' || token[i] > '9')
      return NULL;
    index = index * 10 + (size_t) (token[i] - '0');
  }
  return index < value->count ? value->items[index] : NULL;
}

/* RFC 6901: "~1" is a slash, "~0" a tilde. */
static void
add_token (struct text *out, const char *token, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (token[i] == '~' && i + 1 < len && (token[i + 1] == '0' || token[i + 1] == '1'))
      text_add_len (out, token[++i] == '0' ? "~" : "/", 1);
    else
      text_add_len (out, token + i, 1);
}

static const struct value *
point (const struct value *root, const char *pointer)
{
  CLEANUP_TEXT struct text whole = { 0 };
  const char *at, *end;

  percent_decode (&whole, pointer, strlen (pointer));
  at = text_get (&whole);
  end = at + whole.len;
  while (root != NULL && at < end && *at == '/') {
    CLEANUP_TEXT struct text token = { 0 };
    const char *next = memchr (at + 1, '/', (size_t) (end - at - 1));
    next = next != NULL ? next : end;
    add_token (&token, at + 1, (size_t) (next - at - 1));
    root = step (root, text_get (&token), token.len);
    at = next;
  }
  return at == end ? root : NULL;
}

/* ---- references ---- */

static struct located
follow_once (struct document *document, const char *ref, size_t file, struct text *why)
{
  const char *hash = strchr (ref, '#');
  struct located found = { .file = find_file (document, ref,
                                              hash != NULL ? (size_t) (hash - ref) : strlen (ref),
                                              file, why) };

  if (found.file == SIZE_MAX)
    return (struct located){ 0 };
  found.value = point (document->files[found.file].root, hash != NULL ? hash + 1 : "");
  if (found.value == NULL)
    text_addf (why, "the reference %.200s leads to nothing", ref);
  return found;
}

struct located
document_follow (struct document *document, const char *ref, size_t file, struct text *why)
{
  struct located found = { .file = file };

  for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
    found = follow_once (document, ref, found.file, why);
    if (found.value == NULL)
      return found;
    ref = value_cstring (value_get_z (found.value, "$ref"));
    if (ref == NULL)
      return found;
  }
  text_addf (why, "the reference %.200s leads in a circle", ref);
  return (struct located){ 0 };
}

struct located
document_deref (struct document *document, struct located at, struct text *why)
{
  const char *ref = value_cstring (value_get_z (at.value, "$ref"));

  return ref != NULL ? document_follow (document, ref, at.file, why) : at;
}

struct located
document_get (struct document *document, struct located at, const char *name, struct text *why)
{
  at.value = value_get_z (at.value, name);
  return at.value != NULL ? document_deref (document, at, why) : at;
}

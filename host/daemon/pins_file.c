#include "daemon/pins_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "catalog/hash.h"

enum { FILE_MAX = 16 << 20, NAME_ROOM = 256 };

int
pins_folder_open (int state_dir, struct error *err)
{
  int fd = -1;

  if (mkdirat (state_dir, "pins", 0700) == 0 || errno == EEXIST)
    fd = openat (state_dir, "pins", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    error_set (err, "the folder pins in the state folder: %s", strerror (errno));
  return fd;
}

/* ---- reading ---- */

static bool
read_text (int fd, struct buf *text, struct error *err)
{
  ssize_t n;

  while ((n = read (fd, buf_reserve (text, 1 << 14), 1 << 14)) > 0) {
    text->len += (size_t) n;
    if (text->len > FILE_MAX)
      return error_set (err, "is over %d bytes", FILE_MAX);
  }
  return n == 0 || error_set (err, "cannot be read: %s", strerror (errno));
}

static bool
is_digest (const char *text)
{
  return text != NULL && strlen (text) == SHA256_HEX - 1
         && strspn (text, "0123456789abcdef") == SHA256_HEX - 1;
}

struct reading {
  const struct json_tape *tape;
  struct arena *arena;
  void (*pin) (void *ctx, const char *name, const char *digest);
  void *ctx;
};

static bool
read_pins (const struct reading *r, const struct json_node *pins, struct error *err)
{
  for (const struct json_node *n = json_first (pins); n != json_end (pins);
       n = json_next (json_next (n))) {
    const char *name = json_cstring (r->tape, n, r->arena);
    const char *digest = json_cstring (r->tape, json_next (n), r->arena);
    if (name == NULL || !is_digest (digest))
      return error_set (err, "/pins/%.80s: expected a digest, 64 hexadecimal digits",
                        name != NULL ? name : "");
    r->pin (r->ctx, name, digest);
  }
  return true;
}

static bool
read_root (const struct reading *r, const char *tenant, bool *trusts_new, struct error *err)
{
  const struct json_node *root = json_root (r->tape);
  const struct json_node *trusts, *pins;

  if (!json_is (root, JSON_OBJECT) || root->count != 3)
    return error_set (err, "expected an object with tenant, trusts_new and pins");
  trusts = json_member (r->tape, root, "trusts_new");
  pins = json_member (r->tape, root, "pins");
  if (!json_equals (r->tape, json_member (r->tape, root, "tenant"), tenant))
    return error_set (err, "/tenant: expected \"%s\", as the file is named", tenant);
  if (!json_is (trusts, JSON_TRUE) && !json_is (trusts, JSON_FALSE))
    return error_set (err, "/trusts_new: expected true or false");
  if (!json_is (pins, JSON_OBJECT))
    return error_set (err, "/pins: expected an object");
  *trusts_new = json_is (trusts, JSON_TRUE);
  return read_pins (r, pins, err);
}

static bool
read_document (const struct buf *text, const char *tenant, bool *trusts_new, struct reading *r,
               struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, text->data != NULL ? text->data : "", text->len, &json_default_limits,
                  &arena))
    return error_set (err, "at byte %zu: %s", (size_t) tape.offset, tape.problem);
  r->tape = &tape;
  r->arena = &arena;
  return read_root (r, tenant, trusts_new, err);
}

bool
pins_file_read (int folder, const char *tenant, bool *trusts_new,
                void (*pin) (void *ctx, const char *name, const char *digest), void *ctx,
                struct error *err)
{
  struct reading r = { .pin = pin, .ctx = ctx };
  CLEANUP_BUF struct buf text = { 0 };
  char name[NAME_ROOM];
  CLEANUP_FD int fd = -1;

  (void) snprintf (name, sizeof name, "%s.json", tenant);
  fd = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT)
    return true;
  if (fd < 0)
    return error_set (err, "pins/%s: cannot be opened: %s", name, strerror (errno));
  return (read_text (fd, &text, err) && read_document (&text, tenant, trusts_new, &r, err))
         || error_wrap (err, "pins/%s: ", name);
}

/* ---- writing ---- */

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
pins_file_write (int folder, const char *tenant, const struct buf *text, struct error *err)
{
  char name[NAME_ROOM], temporary[NAME_ROOM];
  CLEANUP_FD int fd = -1;

  (void) snprintf (name, sizeof name, "%s.json", tenant);
  (void) snprintf (temporary, sizeof temporary, "%s.new", tenant);
  fd = openat (folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && write_whole (fd, text->data, text->len) && fsync (fd) == 0
      && renameat (folder, temporary, folder, name) == 0)
    return true;
  return error_set (err, "cannot write pins/%s in the state folder: %s", name, strerror (errno));
}

bool
pins_file_remove (int folder, const char *tenant, struct error *err)
{
  char name[NAME_ROOM];

  (void) snprintf (name, sizeof name, "%s.json", tenant);
  return unlinkat (folder, name, 0) == 0 || errno == ENOENT
         || error_set (err, "cannot remove pins/%s in the state folder: %s", name,
                       strerror (errno));
}

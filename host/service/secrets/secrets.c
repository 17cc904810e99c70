#include "service/secrets/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

void
secret_free (char *value)
{
  if (value == NULL)
    return;
  explicit_bzero (value, strlen (value));
  free (value);
}

bool
secret_name_ok (const char *name)
{
  size_t len = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

  return len != 0 && len <= SECRET_NAME_MAX && name[len] == '\0';
}

/* ---- files ------------------------------------------------------------------------------ */

static bool
is_private (int fd, const char *path, struct error *err)
{
  struct stat st;

  if (fstat (fd, &st) < 0 || !S_ISREG (st.st_mode))
    return error_set (err, "%s is no regular file", path);
  if (st.st_uid != 0 && geteuid () != 0 && st.st_uid != geteuid ())
    return error_set (err, "%s belongs to another user than the daemon's", path);
  if ((st.st_mode & 077) != 0)
    return error_set (err, "%s can be read or written by others: chmod 600", path);
  if (st.st_size > SECRET_MAX)
    return error_set (err, "%s is larger than %d bytes", path, SECRET_MAX);
  return true;
}

static bool
is_text (const char *value, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if ((unsigned char) value[i] < ' ' || value[i] == 0x7f)
      return false;
  return len != 0;
}

static char *
read_value (const char *path, struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  char room[SECRET_MAX + 1], *value = NULL;
  ssize_t len;

  if (fd < 0) {
    (void) error_set (err, "%s can't be read: %s", path, strerror (errno));
    return NULL;
  }
  if (!is_private (fd, path, err))
    return NULL;
  len = read (fd, room, sizeof room);
  while (len > 0 && (room[len - 1] == '\n' || room[len - 1] == '\r'))
    len--;
  if (len > 0 && len <= SECRET_MAX && is_text (room, (size_t) len))
    value = xstrndup (room, (size_t) len);
  else
    (void) error_set (err, "%s does not hold one line of text", path);
  explicit_bzero (room, sizeof room);
  return value;
}

/* ---- lists ------------------------------------------------------------------------------ */

bool
secrets_add (struct secrets *secrets, const char *name, const char *path, struct error *err)
{
  char *value = read_value (path, err);

  if (value == NULL)
    return false;
  secrets->list = xrealloc (secrets->list, (secrets->count + 1) * sizeof *secrets->list);
  secrets->list[secrets->count++] = (struct secret){ xstrdup (name), xstrdup (path), value };
  return true;
}

const char *
secrets_find (const struct secrets *secrets, const char *name, size_t len)
{
  for (size_t i = 0; i < secrets->count; i++)
    if (strlen (secrets->list[i].name) == len && memcmp (secrets->list[i].name, name, len) == 0)
      return secrets->list[i].value;
  return NULL;
}

void
secrets_free (struct secrets *secrets)
{
  for (size_t i = 0; i < secrets->count; i++) {
    free (secrets->list[i].name);
    free (secrets->list[i].path);
    secret_free (secrets->list[i].value);
  }
  free (secrets->list);
  memset (secrets, 0, sizeof *secrets);
}

struct secrets
secrets_copy (const struct secrets *secrets)
{
  struct secrets copy = { .count = secrets->count };

  copy.list = xcalloc (secrets->count, sizeof *copy.list);
  for (size_t i = 0; i < secrets->count; i++)
    copy.list[i] =
      (struct secret){ xstrdup (secrets->list[i].name), xstrdup (secrets->list[i].path),
                       xstrdup (secrets->list[i].value) };
  return copy;
}

bool
secrets_same (const struct secrets *a, const struct secrets *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp (a->list[i].name, b->list[i].name) != 0
        || strcmp (a->list[i].path, b->list[i].path) != 0
        || strcmp (a->list[i].value, b->list[i].value) != 0)
      return false;
  return true;
}

#include "audit/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static const char PREFIX[] = "audit-", SUFFIX[] = ".jsonl";

enum { DIGITS = 20 };

bool
segment_is_name (const char *name)
{
  return strlen (name) == sizeof PREFIX - 1 + DIGITS + sizeof SUFFIX - 1
         && strncmp (name, PREFIX, sizeof PREFIX - 1) == 0
         && strspn (name + sizeof PREFIX - 1, "0123456789") == DIGITS
         && strcmp (name + sizeof PREFIX - 1 + DIGITS, SUFFIX) == 0;
}

static int
wanted (const struct dirent *entry)
{
  return segment_is_name (entry->d_name);
}

int
segments_list (int folder, char ***names)
{
  struct dirent **entries;
  int count = scandirat (folder, ".", &entries, wanted, alphasort);

  if (count < 0)
    return -1;
  *names = xcalloc ((size_t) count + 1, sizeof **names);
  for (int i = 0; i < count; i++) {
    (*names)[i] = xstrdup (entries[i]->d_name);
    free (entries[i]);
  }
  free (entries);
  return count;
}

void
segments_list_free (char **names, int count)
{
  for (int i = 0; i < count; i++)
    free (names[i]);
  free (names);
}

/* ---- the end of the chain ---- */

/* The last whole line among the last bytes of a file: where it begins in `room`, or NULL. */
static const char *
last_line (const char *room, size_t got, size_t *len)
{
  const char *end = memrchr (room, '\n', got);
  const char *before;

  if (end == NULL)
    return NULL;
  before = memrchr (room, '\n', (size_t) (end - room));
  before = before != NULL ? before + 1 : room;
  *len = (size_t) (end - before);
  return before;
}

static bool
has_line (int fd)
{
  enum { ROOM = SEGMENT_LINE_MAX };
  CLEANUP_FREE char *room = xmalloc (ROOM);
  const ssize_t got = pread (fd, room, ROOM, 0);

  return got > 0 && memchr (room, '\n', (size_t) got) != NULL;
}

/* Read where the chain of this segment ends.  *torn: after that stands a piece of a record. */
static bool
read_end (int fd, const struct audit_key *key, struct audit_link *link, bool *torn,
          struct error *err)
{
  enum { ROOM = 2 * SEGMENT_LINE_MAX };
  CLEANUP_FREE char *room = xmalloc (ROOM);
  const off_t size = lseek (fd, 0, SEEK_END);
  const off_t at = size > ROOM ? size - ROOM : 0;
  const ssize_t got = pread (fd, room, ROOM, at);
  const char *line;
  size_t len = 0;

  if (got < 0)
    return error_set (err, "%s", strerror (errno));
  line = last_line (room, (size_t) got, &len);
  *torn = line == NULL || line + len + 1 != room + got;
  if (line == NULL)
    return error_set (err, "it has no whole record");
  link->hash[0] = '\0';
  return audit_link_check (link, key, line, len, err);
}

/* Go on in the last segment, or after it. */
static bool
go_on (struct segments *segments, const char *name, const struct audit_key *key,
       struct audit_link *link, struct error *err)
{
  int fd = openat (segments->folder, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  struct stat st;
  bool torn = false;

  if (fd < 0)
    return error_set (err, "%s: %s", name, strerror (errno));
  if (!has_line (fd)) { /* it was begun, and nothing whole came of that */
    (void) close (fd);
    return unlinkat (segments->folder, name, 0) == 0
           || error_set (err, "%s: %s", name, strerror (errno));
  }
  if (!read_end (fd, key, link, &torn, err)) {
    (void) close (fd);
    return error_wrap (err, "%s: ", name);
  }
  if (torn) {
    (void) close (fd);
    return true;
  }
  if (fstat (fd, &st) != 0) {
    (void) close (fd);
    return error_set (err, "%s: %s", name, strerror (errno));
  }
  segments->fd = fd;
  segments->size = (size_t) st.st_size;
  return true;
}

bool
segments_open (struct segments *segments, int folder, size_t size_max, const struct audit_key *key,
               struct audit_link *link, struct error *err)
{
  char **names = NULL;
  int count;
  bool good = true;

  *segments = (struct segments){ .fd = -1, .size_max = size_max };
  segments->folder = fcntl (folder, F_DUPFD_CLOEXEC, 3);
  audit_link_begin (link);
  count = segments_list (folder, &names);
  if (segments->folder < 0 || count < 0)
    return error_set (err, "the folder can't be read: %s", strerror (errno));
  for (int i = count - 1; i >= 0 && good && link->seq == 0; i--)
    good = go_on (segments, names[i], key, link, err);
  segments_list_free (names, count);
  return good;
}

void
segments_close (struct segments *segments)
{
  if (segments->fd >= 0)
    (void) close (segments->fd);
  if (segments->folder >= 0)
    (void) close (segments->folder);
  segments->fd = segments->folder = -1;
}

/* ---- writing ---- */

static bool
begin (struct segments *segments, uint64_t first, struct error *err)
{
  char name[SEGMENT_NAME_SIZE];

  if (segments->fd >= 0) {
    segments_sync (segments);
    (void) close (segments->fd);
  }
  (void) snprintf (name, sizeof name, "%s%0*" PRIu64 "%s", PREFIX, DIGITS, first, SUFFIX);
  segments->size = 0;
  segments->begun = true;
  segments->fd = openat (segments->folder, name,
                         O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  return segments->fd >= 0 || error_set (err, "%s: %s", name, strerror (errno));
}

bool
segments_write (struct segments *segments, const struct buf *lines, uint64_t first,
                struct error *err)
{
  size_t done = 0;

  if ((segments->fd < 0 || segments->size >= segments->size_max) && !begin (segments, first, err))
    return false;
  while (done < lines->len) {
    const ssize_t n = write (segments->fd, lines->data + done, lines->len - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      (void) error_set (err, "%s", strerror (n < 0 ? errno : ENOSPC));
      if (ftruncate (segments->fd, (off_t) segments->size) != 0) { /* what stands there is torn */
        (void) close (segments->fd);
        segments->fd = -1;
      }
      return false;
    }
    done += (size_t) n;
  }
  segments->size += lines->len;
  return true;
}

void
segments_sync (struct segments *segments)
{
  if (segments->fd >= 0)
    (void) fdatasync (segments->fd);
}

static bool
look_at_oldest (const struct segments *segments, const char *name, const struct stat *st,
                const struct audit_key *key, struct segments_found *found)
{
  CLEANUP_FD int fd = openat (segments->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct error err = { 0 };
  bool torn;

  (void) snprintf (found->oldest, sizeof found->oldest, "%s", name);
  found->written_ms = st->st_mtim.tv_sec * 1000LL + st->st_mtim.tv_nsec / 1000000;
  return fd >= 0 && read_end (fd, key, &found->end, &torn, &err);
}

bool
segments_look (const struct segments *segments, const struct audit_key *key,
               struct segments_found *found)
{
  char **names = NULL;
  const int count = segments_list (segments->folder, &names);
  struct stat st;
  bool good = count >= 0;

  *found = (struct segments_found){ .count = count > 0 ? (size_t) count : 0 };
  for (int i = 0; i < count; i++) {
    if (fstatat (segments->folder, names[i], &st, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    found->bytes += (uint64_t) st.st_size;
    if (i == 0 && count > 1)
      good = look_at_oldest (segments, names[i], &st, key, found);
  }
  if (count >= 0)
    segments_list_free (names, count);
  return good;
}

bool
segments_remove (struct segments *segments, const char *name)
{
  return unlinkat (segments->folder, name, 0) == 0;
}

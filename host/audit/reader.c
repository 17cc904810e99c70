#include "audit/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/segment.h"
#include "base/buf.h"
#include "base/json_tape.h"

enum { PIECE = 1 << 20 };

struct walk {
  const struct audit_reading *reading;
  struct audit_read *found;
  const char *name;
  uint64_t line;
  bool enough;
};

/* A member of a record that was checked; "": it is none that is text. */
static void
text_of (const char *line, size_t len, const char *member, char text[AUDIT_HASH_SIZE])
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const char *found = NULL;

  if (json_read (&tape, line, len, &json_default_limits, &arena))
    found = json_cstring (&tape, json_member (&tape, json_root (&tape), member), &arena);
  (void) snprintf (text, AUDIT_HASH_SIZE, "%s", found != NULL ? found : "");
}

static void
note_first (struct audit_read *found, const char *line, size_t len)
{
  found->first = found->link.seq;
  found->anchored = found->first == 1;
  text_of (line, len, "prev", found->before);
}

/* Does this record tell of the removal of what stood before the first one? */
static bool
is_anchor (const struct audit_read *found, const char *line, size_t len)
{
  static const char event[] = "\"event\":\"audit_segment_removed\"";
  char head[AUDIT_HASH_SIZE];

  if (memmem (line, len, event, sizeof event - 1) == NULL)
    return false;
  text_of (line, len, "head", head);
  return strcmp (head, found->before) == 0;
}

static bool
take_line (struct walk *walk, const char *line, size_t len, struct error *err)
{
  struct audit_read *found = walk->found;

  walk->line++;
  if (!audit_link_check (&found->link, walk->reading->key, line, len, err))
    return error_wrap (err, "%s:%llu: ", walk->name, (unsigned long long) walk->line);
  if (found->records++ == 0)
    note_first (found, line, len);
  if (!found->anchored)
    found->anchored = is_anchor (found, line, len);
  if (walk->reading->record != NULL && !walk->reading->record (walk->reading->ctx, line, len))
    walk->enough = true;
  return true;
}

/* Take the whole lines of what was read; the begin of another one stays. */
static bool
take_lines (struct walk *walk, struct buf *text, struct error *err)
{
  const char *at = text->data, *end;
  const char *const stop = text->data + text->len;

  while (!walk->enough && at < stop && (end = memchr (at, '\n', (size_t) (stop - at))) != NULL) {
    if (!take_line (walk, at, (size_t) (end - at), err))
      return false;
    at = end + 1;
  }
  buf_consume (text, (size_t) (at - text->data));
  return text->len <= PIECE || error_set (err, "%s: a line is over 1 MiB", walk->name);
}

static bool
read_segment (struct walk *walk, int folder, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  const int fd = openat (folder, walk->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool good = fd >= 0 || error_set (err, "%s: %s", walk->name, strerror (errno));
  ssize_t n = 1;

  walk->line = 0;
  while (good && n > 0 && !walk->enough) {
    n = read (fd, buf_reserve (&text, PIECE), PIECE);
    if (n < 0)
      good = error_set (err, "%s: %s", walk->name, strerror (errno));
    else {
      text.len += (size_t) n;
      good = take_lines (walk, &text, err);
    }
  }
  if (fd >= 0)
    (void) close (fd);
  walk->found->segments++;
  walk->found->torn += good && !walk->enough && text.len != 0;
  return good;
}

bool
audit_read (const char *path, const struct audit_reading *reading, struct audit_read *found,
            struct error *err)
{
  struct walk walk = { .reading = reading, .found = found };
  const int folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char **names = NULL;
  int count = folder >= 0 ? segments_list (folder, &names) : -1;
  bool good = count >= 0;

  *found = (struct audit_read){ .link = { .hash = "" } };
  if (!good)
    (void) error_set (err, "%s", strerror (errno));
  for (int i = 0; i < count && good && !walk.enough; i++) {
    walk.name = names[i];
    good = read_segment (&walk, folder, err);
  }
  if (count >= 0)
    segments_list_free (names, count);
  if (folder >= 0)
    (void) close (folder);
  return good;
}

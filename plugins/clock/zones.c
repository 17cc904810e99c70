#include "zones.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/near.h"
#include "iso.h"

void
zones_open (struct zones *zones, const char *folder)
{
  zones->folder = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void
zones_close (struct zones *zones)
{
  if (zones->folder >= 0)
    close (zones->folder);
  zones->folder = -1;
}

/* A name leads to a file below the folder and nowhere else: no dots, no empty components. */
static bool
name_is_safe (const char *name)
{
  size_t len = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/");

  return len > 0 && len <= ZONE_NAME_MAX && name[len] == '\0' && name[0] != '/'
         && name[len - 1] != '/' && strstr (name, "//") == NULL;
}

/* ---- names that may have been meant ---- */

static void
offer (struct near *near, const char *name)
{
  const char *last = strrchr (name, '/');
  unsigned distance = near_distance (near->word, name);
  unsigned of_last = last != NULL && strchr (near->word, '/') == NULL
                       ? near_distance (near->word, last + 1)
                       : UINT_MAX;

  if (of_last < distance)
    distance = of_last;
  if (distance <= 1 + strlen (near->word) / 5)
    near_offer_at (near, name, distance);
}

/* Names are the second word of "Z name …" and the third of "L target name" in tzdata.zi. */
static void
offer_all (const struct zones *zones, struct near *near)
{
  int fd = openat (zones->folder, "tzdata.zi", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  FILE *file = fd >= 0 ? fdopen (fd, "r") : NULL;
  char line[256], name[NEAR_NAME_MAX];

  if (file == NULL) {
    if (fd >= 0)
      close (fd);
    return;
  }
  while (fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "Z %63s", name) == 1 || sscanf (line, "L %*s %63s", name) == 1)
      offer (near, name);
  fclose (file);
}

static bool
is_abbreviation (const char *name)
{
  size_t len = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return len >= 2 && len <= 5 && name[len] == '\0';
}

static struct zone *
fail_unknown (const struct zones *zones, const char *name, struct zones_fault *fault)
{
  struct near near = { 0 };
  char word[NEAR_NAME_MAX];

  fault->code = "clock_unknown_zone";
  text_addf (&fault->text, "unknown time zone \"%.64s\"", name);
  if (is_abbreviation (name)) {
    text_add (&fault->text, "; abbreviations mean different zones to different people: use a name "
                            "like \"America/New_York\" or an offset like \"-05:00\"");
    return NULL;
  }
  (void) snprintf (word, sizeof word, "%s", name);
  for (char *p = word; *p != '\0'; p++)
    if (*p == ' ')
      *p = '_';
  near.word = word;
  offer_all (zones, &near);
  near_say (&near, &fault->text);
  return NULL;
}

/* ---- files ---- */

enum { FILE_MAX = 256 * 1024 };

/* The whole of a regular file; NULL with errno.  From malloc. */
static unsigned char *
read_file (int fd, size_t *len)
{
  struct stat st;
  unsigned char *data = NULL;
  ssize_t n = 1;

  if (fstat (fd, &st) != 0)
    return NULL;
  errno = ENOENT;
  if (!S_ISREG (st.st_mode) || st.st_size > FILE_MAX)
    return NULL;
  data = malloc ((size_t) st.st_size + 1);
  for (*len = 0; data != NULL && n > 0 && *len < (size_t) st.st_size; *len += (size_t) n)
    n = read (fd, data + *len, (size_t) st.st_size - *len);
  if (data != NULL && n >= 0)
    return data;
  free (data);
  return NULL;
}

static struct zone *
fail_unreadable (const struct zones *zones, const char *name, struct zones_fault *fault)
{
  if (zones->folder >= 0 && (errno == ENOENT || errno == ENOTDIR))
    return fail_unknown (zones, name, fault);
  fault->code = "clock_no_tzdata";
  text_addf (
    &fault->text,
    "the time zone data of the system can't be read (%s); the operator installs tzdata and "
    "grants it with \"permissions\": {\"read\": [\"/usr/share/zoneinfo\"]} in "
    "plugins.d/clock.json; UTC and offsets like \"+02:00\" work without it",
    strerror (errno));
  return NULL;
}

static struct zone *
read_zone (const struct zones *zones, const char *name, struct zones_fault *fault)
{
  int fd = openat (zones->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  unsigned char *data;
  struct zone *zone;
  const char *why;
  size_t len;

  if (fd < 0)
    return fail_unreadable (zones, name, fault);
  data = read_file (fd, &len);
  close (fd);
  if (data == NULL)
    return fail_unreadable (zones, name, fault);
  zone = zone_read (name, data, len, &why);
  free (data);
  if (zone == NULL) {
    fault->code = "clock_bad_tzdata";
    text_addf (&fault->text, "\"%s\" %s", name, why);
  }
  return zone;
}

struct zone *
zones_get (const struct zones *zones, const char *name, struct zones_fault *fault)
{
  int32_t offset;
  struct zone *zone;

  if (strcmp (name, "UTC") == 0 || strcasecmp (name, "Z") == 0)
    zone = zone_fixed ("UTC", 0, "UTC");
  else if (iso_offset_read (&offset, name, strlen (name)))
    zone = zone_fixed (name, offset, "");
  else if (!name_is_safe (name))
    return fail_unknown (zones, name, fault);
  else
    return read_zone (zones, name, fault);
  if (zone == NULL) {
    fault->code = "clock_no_memory";
    text_add (&fault->text, "out of memory");
  }
  return zone;
}

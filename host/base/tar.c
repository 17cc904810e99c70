#include "base/tar.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The header's fields are text, numbers octal. */
struct header {
  char path[100];
  char mode[8], uid[8], gid[8];
  char size[12], mtime[12];
  char sum[8];
  char type;
  char link[100];
  char magic[6], version[2];
  char user[32], group[32];
  char major[8], minor[8];
  char prefix[155], unused[12];
};

_Static_assert(sizeof (struct header) == TAR_BLOCK, "a header is one block");

/* The sum of all bytes, its own field taken for blanks. */
static unsigned
sum_of (const struct header *header)
{
  const unsigned char *bytes = (const unsigned char *) header;
  unsigned sum = ' ' * sizeof header->sum;

  for (size_t i = 0; i < TAR_BLOCK; i++)
    if (i < offsetof (struct header, sum) || i >= offsetof (struct header, type))
      sum += bytes[i];
  return sum;
}

void
tar_header (char block[TAR_BLOCK], const char *path, uint64_t size)
{
  struct header h;
  char sum[8];

  memset (&h, 0, sizeof h);
  memcpy (h.path, path, strnlen (path, sizeof h.path));
  memcpy (h.mode, "0000444", 8);
  memcpy (h.uid, "0000000", 8);
  memcpy (h.gid, "0000000", 8);
  (void) snprintf (h.size, sizeof h.size, "%011llo", (unsigned long long) size & 077777777777U);
  memcpy (h.mtime, "00000000000", 12);
  h.type = '0';
  memcpy (h.magic, "ustar", 6);
  memcpy (h.version, "00", 2);
  (void) snprintf (sum, sizeof sum, "%06o", sum_of (&h) & 0777777U);
  memcpy (h.sum, sum, 7);
  h.sum[7] = ' ';
  memcpy (block, &h, sizeof h);
}

unsigned
tar_padding (uint64_t size)
{
  return (unsigned) ((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

static bool
path_ok (const char *path)
{
  if (*path == '\0' || *path == '/')
    return false;
  for (const char *part = path; part != NULL;) {
    const char *slash = strchr (part, '/');
    size_t len = slash != NULL ? (size_t) (slash - part) : strlen (part);
    if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && memcmp (part, "..", 2) == 0))
      return false;
    part = slash != NULL ? slash + 1 : NULL;
  }
  return true;
}

enum tar_next
tar_next (int fd, off_t *at, struct tar_file *file)
{
  struct header h;
  char *end;

  if (pread (fd, &h, sizeof h, *at) != (ssize_t) sizeof h)
    return TAR_BROKEN;
  if (h.path[0] == '\0')
    return TAR_END;
  if (memcmp (h.magic, "ustar", 6) != 0 || h.type != '0' || h.size[11] != '\0'
      || strtoul (h.sum, NULL, 8) != sum_of (&h))
    return TAR_BROKEN;
  memcpy (file->path, h.path, sizeof h.path);
  file->path[TAR_PATH_MAX] = '\0';
  file->size = (off_t) strtoull (h.size, &end, 8);
  file->start = *at + TAR_BLOCK;
  *at = file->start + file->size + tar_padding ((uint64_t) file->size);
  return *end == '\0' && path_ok (file->path) ? TAR_FILE : TAR_BROKEN;
}

/* Looks for a word everywhere it can read: all memory of its process that can be found, its
 * environment, its open files, every file below / that is new enough and not deep among the
 * system's libraries.  The word comes with each byte raised by one, so that the hunter's own memory
 * does not hold it.  It must find nothing; that it can find something is shown by a second word,
 * which it puts on its own heap first. */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, AROUND = 128 << 20, ANCHORS = 128, FDS = 64, DEEPEST = 3, CHUNK = 1 << 16 };

struct hunt {
  const char *word; /* raised by one */
  size_t len;
  int64_t since; /* files that changed before this second are left out */
  int hits, pages, files, folders, fds;
};

struct anchors {
  uintptr_t list[ANCHORS];
  size_t count;
};

/* ---- looking ---- */

HOSTILE_DEED static int
count_in (const struct hunt *hunt, const char *text, size_t len)
{
  const char *end = text + len, *at = text;
  int found = 0;

  while (at + hunt->len <= end
         && (at = memchr (at, hunt->word[0] - 1, (size_t) (end - at) - hunt->len + 1)) != NULL) {
    size_t same = 1;
    while (same < hunt->len && at[same] == (char) (hunt->word[same] - 1))
      same++;
    found += same == hunt->len;
    at++;
  }
  return found;
}

static void
hunt_file (struct hunt *hunt, int fd)
{
  static char text[CHUNK];
  off_t at = 0;
  ssize_t len;

  hunt->files++;
  while ((len = pread (fd, text, sizeof text, at)) >= (ssize_t) hunt->len) {
    hunt->hits += count_in (hunt, text, (size_t) len);
    at += len < CHUNK ? len : len - (ssize_t) hunt->len + 1;
  }
  memset (text, 0, sizeof text);
}

static void
hunt_folder (struct hunt *hunt, int folder, int depth)
{
  DIR *list = fdopendir (folder);

  if (list == NULL) {
    (void) close (folder);
    return;
  }
  hunt->folders++;
  for (struct dirent *e = readdir (list); e != NULL; e = readdir (list)) {
    struct stat st;
    if (strcmp (e->d_name, ".") == 0 || strcmp (e->d_name, "..") == 0
        || fstatat (dirfd (list), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
      continue;
    if (!S_ISDIR (st.st_mode) && (!S_ISREG (st.st_mode) || st.st_ctime < hunt->since))
      continue;
    int fd = openat (dirfd (list), e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
      continue;
    if (S_ISDIR (st.st_mode) && depth < DEEPEST)
      hunt_folder (hunt, fd, depth + 1);
    else {
      hunt_file (hunt, fd);
      (void) close (fd);
    }
  }
  (void) closedir (list);
}

static void
hunt_descriptors (struct hunt *hunt)
{
  struct stat st;

  for (int fd = 0; fd < FDS; fd++)
    if (fstat (fd, &st) == 0) {
      hunt->fds++;
      if (S_ISREG (st.st_mode))
        hunt_file (hunt, fd);
    }
}

/* ---- memory: without /proc, around every address that is known ---- */

static int
remember_object (struct dl_phdr_info *info, size_t size, void *data)
{
  struct anchors *anchors = data;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum && anchors->count < ANCHORS; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      anchors->list[anchors->count++] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
  return 0;
}

static int
by_address (const void *a, const void *b)
{
  uintptr_t x = *(const uintptr_t *) a, y = *(const uintptr_t *) b;
  return (x > y) - (x < y);
}

/* The kernel says whether a page can be read, and no signal is needed for it. */
static bool
readable (const int *probe, uintptr_t page)
{
  char byte;

  return write (probe[1], (const void *) page, 1) == 1 && read (probe[0], &byte, 1) == 1;
}

static void
hunt_memory (struct hunt *hunt, const struct anchors *anchors, const int *probe)
{
  uintptr_t page = PAGE;

  for (size_t i = 0; i < anchors->count; i++) {
    uintptr_t from = anchors->list[i] > AROUND ? anchors->list[i] - AROUND : PAGE;
    uintptr_t to = anchors->list[i] + AROUND;
    for (page = from > page ? from & ~(uintptr_t) (PAGE - 1) : page; page < to; page += PAGE)
      if (readable (probe, page)) {
        /* A word over the border of two pages counts with the second. */
        size_t before = readable (probe, page - PAGE) ? hunt->len - 1 : 0;
        hunt->pages++;
        hunt->hits += count_in (hunt, (const char *) (page - before), PAGE + before);
      }
  }
}

static void
find_anchors (struct anchors *anchors, const void *const *known, size_t count)
{
  anchors->count = 0;
  (void) dl_iterate_phdr (remember_object, anchors);
  for (size_t i = 0; i < count && anchors->count < ANCHORS; i++)
    anchors->list[anchors->count++] = (uintptr_t) known[i];
  qsort (anchors->list, anchors->count, sizeof *anchors->list, by_address);
}

static void
hunt_everywhere_in_memory (struct hunt *hunt, const toolhost_call *call)
{
  static struct anchors anchors;
  void *mapped = mmap (NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *heap = malloc (1);
  const void *const known[] = { call, mapped, heap, sbrk (0), &hunt, environ, &errno };
  int probe[2] = { -1, -1 };

  if (pipe (probe) == 0) {
    find_anchors (&anchors, known, sizeof known / sizeof *known);
    hunt_memory (hunt, &anchors, probe);
  }
  (void) close (probe[0]);
  (void) close (probe[1]);
  free (heap);
  (void) munmap (mapped, PAGE);
}

static char *
lowered (const char *word)
{
  char *copy = strdup (word);

  for (char *c = copy; c != NULL && *c != '\0'; c++)
    (*c)--;
  return copy;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  const char *own = toolhost_arg_string_or (call, "own", "");
  struct hunt hunt = { .word = toolhost_arg_string_or (call, "word", ""),
                       .since = toolhost_arg_int (call, "since", 0) };
  struct hunt control = { .word = own, .len = strlen (own), .since = INT64_MAX };
  char *kept = lowered (own), told[256];

  hunt.len = strlen (hunt.word);
  if (hunt.len < 8 || control.len < 8 || kept == NULL)
    return toolhost_fail (call, "no_word", "two words of 8 bytes or more are needed");
  hunt_everywhere_in_memory (&hunt, call);
  hunt_descriptors (&hunt);
  hunt_folder (&hunt, open ("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  hunt_everywhere_in_memory (&control, call);
  memset (kept, 0, control.len);
  free (kept);
  (void) snprintf (told, sizeof told,
                   "{\"hits\":%d,\"own\":%d,\"pages\":%d,\"files\":%d,\"folders\":%d,\"fds\":%d,"
                   "\"proc\":%s}",
                   hunt.hits, control.hits, hunt.pages, hunt.files, hunt.folders, hunt.fds,
                   access ("/proc/self", F_OK) == 0 ? "true" : "false");
  return toolhost_json (call, told);
}

HOSTILE ("canary_hunt", TOOLHOST_SERIAL, "Looks for a word.",
         "\"properties\":{\"word\":{\"type\":\"string\"},\"own\":{\"type\":\"string\"},"
         "\"since\":{\"type\":\"integer\"}},\"required\":[\"word\",\"own\"]")

/* roots.h - the folders the operator granted, and the only way to a file: below one of them.
 *
 * Every path is resolved by the kernel from a root's descriptor with RESOLVE_BENEATH: not "..", not
 * an absolute path, not a symbolic link, not a rename in the middle of it leads outside.  Symbolic
 * links that stay below the root are followed; those of /proc never are.  Immutable once open. */
#ifndef TOOLHOST_FILES_ROOTS_H
#define TOOLHOST_FILES_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <toolhost.h>

#include "../common/text.h"

struct root {
  char *path; /* absolute, without '/' at its end; "" is "/" itself */
  int fd;     /* O_PATH */
};

struct roots {
  struct root *items;
  size_t count;
};

/* From the plugin's configuration; false: build_error was told. */
bool roots_open (struct roots *roots, toolhost_build *build, const char *config, size_t len);
void roots_close (struct roots *roots);

/* A path of the caller, found to be in a root by its name. */
struct place {
  const struct root *root;
  struct text rest; /* relative to the root, without "." and empty parts; "." is the root */
};

/* Where the argument "path" leads.  Without it: place->root is NULL.  Not TOOLHOST_OK: the call was
 * failed with the reason.  Free the place in either case. */
toolhost_status place_get (toolhost_call *call, const struct roots *roots, struct place *place);
void place_free (struct place *place);
#define CLEANUP_PLACE __attribute__ ((cleanup (place_free)))

/* A path below a root as the caller knows it: "/srv/docs/a". */
void root_path_write (const struct root *root, const char *rest, struct text *out);

/* Open what is at `rest` below a root: a folder, or a regular file for reading.  follow: symbolic
 * links may lead on.  -1 with errno; EXDEV: it is outside, EINVAL: it is something else than asked
 * for. */
int root_open_folder (const struct root *root, const char *rest, bool follow);
int root_open_file (const struct root *root, const char *rest, bool follow);

/* Fail a call for the errno of one of these. */
toolhost_status fail_errno (toolhost_call *call, const char *path, int error);

#endif

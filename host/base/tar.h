/* tar.h - the archive that holds the folder of a plugin: POSIX ustar, regular files alone, so that
 * people can look into it with tar(1).  The daemon writes it, the worker unpacks it.  Pure but for
 * reading the descriptor; any thread. */
#ifndef TOOLHOST_BASE_TAR_H
#define TOOLHOST_BASE_TAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TAR_BLOCK = 512, TAR_PATH_MAX = 100 };

/* What stands before a file of `size` bytes, which is then filled up to a whole block.  The same
 * path and size give the same header.  The path is at most TAR_PATH_MAX bytes long.  Two blocks of
 * zeros end the archive. */
void tar_header (char block[TAR_BLOCK], const char *path, uint64_t size);

/* How many zeros come after so many bytes. */
unsigned tar_padding (uint64_t size);

struct tar_file {
  char path[TAR_PATH_MAX + 1]; /* relative, without "..", empty parts and the like */
  off_t start;                 /* where its bytes are */
  off_t size;
};

enum tar_next { TAR_FILE, TAR_END, TAR_BROKEN };

/* The file whose header is at `*at`, which moves on. */
enum tar_next tar_next (int fd, off_t *at, struct tar_file *file);

#endif

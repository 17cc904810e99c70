/* data.h - test data of others, found through TOOLHOST_TEST_DATA: a directory with the archives, or
 * with what is in them.  Archives are unpacked with tar into a directory that goes away at exit. */
#ifndef TOOLHOST_TESTS_UNIT_DATA_H
#define TOOLHOST_TESTS_UNIT_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* The path of `inside`, a directory that the archive holds: "" when there is none, and why it is
 * skipped in *why.  The text is good until the next call. */
const char *data_path (const char *archive, const char *inside, const char **why);

/* The content of a file, NUL-terminated, to be freed; NULL when it can't be read. */
char *data_read (const char *dir, const char *name, size_t *len);

#endif

/* store_file.h - tests of what only a store in a file can do; test_store_sqlite.c runs them.  `bed`
 * is opened before each, in a folder of its own, and closed after it. */
#ifndef TOOLHOST_TESTS_UNIT_STORE_FILE_H
#define TOOLHOST_TESTS_UNIT_STORE_FILE_H

#include "store_rig.h"
#include "tap.h"

extern struct rig bed;

/* The path of a file of the store's folder: until it is asked for again. */
const char *path_of (const char *name);
/* Do this to the file with SQLite itself, while no daemon has it. */
void by_hand (const char *name, const char *text);
/* The number that such a text gives; -1: none. */
int64_t number_in (const char *name, const char *text);

extern CU_TestInfo file_restarts[], file_files[], file_rooms[], file_copies[], file_sizes[],
  file_kills[];

#endif

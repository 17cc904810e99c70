/* place.h - for tests of what is in folders: a folder that is gone after the test, and plugins to
 * put into it. */
#ifndef TOOLHOST_TESTS_UNIT_PLACE_H
#define TOOLHOST_TESTS_UNIT_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct place {
  char path[64];
  int fd;
};

void place_open (struct place *p);
void place_close (struct place *p);

/* Add to a file, which is made if it is not there. */
void place_append (const struct place *p, const char *name, const char *data, size_t len);
/* Write `head` bytes of a shared object of this machine, all of it when 0, and `tail`. */
void place_plugin (const struct place *p, const char *name, size_t head, const char *tail);
/* t.plugin, with t.so, lib/libx.so.1, a link lib/libx.so to it, and notes.txt. */
void place_folder (const struct place *p);
bool place_has (const struct place *p, const char *name);

#endif

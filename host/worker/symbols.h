/* symbols.h - names for addresses, from a signal handler: the table of loaded objects and the
 * plugin's own symbol table, both read beforehand.  Nothing here allocates once it is set up. */
#ifndef TOOLHOST_WORKER_SYMBOLS_H
#define TOOLHOST_WORKER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_OBJECTS = 64 };

struct symbols {
  struct loaded_object {
    char name[96];
    uintptr_t base, end;
  } objects[MOST_OBJECTS];
  size_t count;

  /* the plugin's file, mapped; NULL: no names, only offsets */
  const char *file;
  size_t file_len;
  const char *file_name;
};

/* Map the plugin's file; `path` must live on. */
void symbols_open (struct symbols *symbols, const char *path);
/* Take down where everything is loaded now. */
void symbols_note_objects (struct symbols *symbols);

/* "/plugin/x.so(execute+0x1c)" or "/lib/libc.so.6(+0x2b1f3)" into `out`, cut to its size, without
 * characters that JSON would have to escape. */
void symbols_name (const struct symbols *symbols, uintptr_t address, char *out, size_t size);

#endif

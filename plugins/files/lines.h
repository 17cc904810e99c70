/* lines.h - the lines of a file that hold a text: a search through a stream of chunks, with memory
 * of one size whatever the lines are. */
#ifndef TOOLHOST_FILES_LINES_H
#define TOOLHOST_FILES_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_BUFFER = 131072 };

struct lines {
  const char *needle; /* folded already when ignore_case */
  size_t needle_len;  /* 1 to LINES_BUFFER / 4 */
  bool ignore_case;   /* ASCII letters */
  /* A line that holds it, the first place where.  A line longer than the buffer is given in part.
   * False: stop. */
  bool (*found) (void *ctx, int64_t line, const char *text, size_t len, size_t at);
  void *ctx;

  char *buffer; /* LINES_BUFFER bytes */
  char *folded; /* as many, when ignore_case; else NULL */
  size_t len;
  int64_t line;    /* of the buffer's first byte, from 1 */
  bool line_found; /* in this line already: go to the next one */
};

/* False: no memory.  One struct searches any number of files, lines_start before each. */
bool lines_init (struct lines *lines);
void lines_free (struct lines *lines);
void lines_start (struct lines *lines);
/* Where to put the next bytes of the file, and how many there is room for: never 0. */
char *lines_room (struct lines *lines, size_t *room);
/* So many came; 0: that was the end of the file.  False: found said stop. */
bool lines_got (struct lines *lines, size_t len);

/* In place, for needle. */
void lines_fold (char *text, size_t len);

#endif

/* line.h - one sentence for a model, in bounded room.  What comes from a caller or a plugin is cut
 * and made harmless: it must not look like markup, like a turn of a conversation, or like nothing.
 */
#ifndef TOOLHOST_SCHEMA_LINE_H
#define TOOLHOST_SCHEMA_LINE_H

#include "base/json_tape.h"

enum { LINE_ROOM = 600, LINE_PIECE = 60 };

struct line {
  char text[LINE_ROOM];
  size_t len;
};

/* Words of our own; what does not fit is cut. */
void line_add (struct line *line, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Foreign text, at most `most` bytes of it, "…" for the rest. */
void line_add_text (struct line *line, const char *text, size_t len, size_t most);
/* What a string node stands for, likewise. */
void line_add_string (struct line *line, const struct json_tape *tape,
                      const struct json_node *string, size_t most);
/* A value as JSON: strings in quotes, containers by their size. */
void line_add_value (struct line *line, const struct json_tape *tape, const struct json_node *value,
                     size_t most);
/* The JSON pointer of `target` below `root`. */
void line_add_pointer (struct line *line, const struct json_tape *tape,
                       const struct json_node *root, const struct json_node *target);
/* One more token of a pointer. */
void line_add_token (struct line *line, const struct json_tape *tape,
                     const struct json_node *string);

#endif

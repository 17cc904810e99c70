/* line.h - one sentence for a model, in bounded room.  What comes from a caller or a plugin is cut
 * and made harmless (harmless.h).  Always good UTF-8, and a C string. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_LINE_H
#define TOOLHOST_SCHEMA_EXPLAIN_LINE_H

#include "base/json_tape.h"

struct schema;

enum { LINE_ROOM = 1400, LINE_PIECE = 60 };

struct line {
  char text[LINE_ROOM];
  size_t len;
};

/* Words of our own; what does not fit is cut. */
void line_add (struct line *line, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* What another line says. */
void line_add_line (struct line *line, const struct line *other);
/* Foreign text, at most `most` bytes of it, "…" for the rest. */
void line_add_text (struct line *line, const char *text, size_t len, size_t most);
/* What a string node stands for, likewise. */
void line_add_string (struct line *line, const struct json_tape *tape,
                      const struct json_node *string, size_t most);
/* Likewise, up to the end of its first sentence. */
void line_add_sentence (struct line *line, const struct json_tape *tape,
                        const struct json_node *string, size_t most);
/* A value as JSON: strings in quotes, containers by their size. */
void line_add_value (struct line *line, const struct json_tape *tape, const struct json_node *value,
                     size_t most);
/* The same, but containers as they are written. */
void line_add_json (struct line *line, const struct json_tape *tape, const struct json_node *value,
                    size_t most);
/* Keep the first `len` bytes, or less when that would cut a character. */
void line_cut (struct line *line, size_t len);

/* One more token of a JSON pointer. */
void line_add_token (struct line *line, const struct json_tape *tape,
                     const struct json_node *string);
void line_add_token_text (struct line *line, const char *text, size_t len);
/* The JSON pointer of `target` below `root`. */
void line_add_pointer (struct line *line, const struct json_tape *tape,
                       const struct json_node *root, const struct json_node *target);
/* The JSON pointer of several targets alike, with "*" for the index of the items in which they
 * differ; `first` and `last` are those in the order of the document. */
void line_add_pointers (struct line *line, const struct json_tape *tape,
                        const struct json_node *root, const struct json_node *first,
                        const struct json_node *last);
/* The JSON pointer of a keyword of the subschema at `node`, within the document it stands in; of
 * the subschema itself when the keyword is NULL or "". */
void line_add_schema_pointer (struct line *line, const struct schema *schema,
                              const struct json_node *node, const char *keyword);

#endif

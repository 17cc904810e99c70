/* document.h - read the documents of the feature "functions", where the first thing that is wrong
 * is told with its place, as settings.h tells it. */
#ifndef TOOLHOST_PLUGINS_FFI_DOCUMENT_H
#define TOOLHOST_PLUGINS_FFI_DOCUMENT_H

#include "../common/value.h"
#include "c_type.h"

enum { DOCUMENT_PLACE_MAX = 512 };

struct document {
  struct values *pool;
  struct c_types *types;
  char where[DOCUMENT_PLACE_MAX]; /* a JSON pointer to what is read; "": the whole */
  char wrong[DOCUMENT_PLACE_MAX]; /* where something is wrong */
  const char *why;                /* a sentence about it; NULL: nothing is */
};

/* "/functions/3", "/params": to go there, and back to where it was before. */
struct place {
  size_t len;
};
struct place document_enter (struct document *doc, const char *name);
struct place document_enter_item (struct document *doc, size_t index);
void document_leave (struct document *doc, struct place before);

/* Say what is wrong with a member of what is read; "": with itself.  The first one counts.  Returns
 * false. */
bool document_wrong (struct document *doc, const char *name, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

/* Is it an object that has none but these members (names that end with NULL)? */
bool document_object (struct document *doc, const struct value *value, const char *const *names);

/* Members of an object, which stay as they are when it has none of this name, or null. */
bool document_text (struct document *doc, const struct value *object, const char *name,
                    const char **text);
bool document_bool (struct document *doc, const struct value *object, const char *name, bool *is);
/* From `least` to `most`. */
bool document_size (struct document *doc, const struct value *object, const char *name,
                    size_t least, size_t most, size_t *size);
/* One of these words (that end with NULL): its index. */
bool document_choice (struct document *doc, const struct value *object, const char *name,
                      const char *const *words, int *choice);
/* A type, by its text. */
bool document_type (struct document *doc, const struct value *object, const char *name,
                    const struct c_type **type);

/* "types": names for types, as { "point": { "struct": [ … ] } }, { "enum": { … } }, { "opaque":
 * true } and { "is": "unsigned long" }. */
bool document_types (struct document *doc, const struct value *types);

/* Is it a name of C, of at most 128 characters? */
bool document_is_c_name (const char *name);
/* A whole number as JSON writes it ("12", "1.2e1"), as sign and 64 bits.  False: it is none. */
bool document_whole (const char *digits, bool *negative, uint64_t *magnitude);

#endif

/* value.h - JSON values in memory, for what is looked into more than once and changed: a tree of
 * values that never change themselves.  What changes a value makes another one, which shares all
 * that stays; so whoever holds the old one still has it.
 *
 * Values belong to a pool and live as long as it.  There is no null pointer among them: what is not
 * there is NULL, JSON's null is value_null.  When memory can't be had the pool remembers it, the
 * functions give value_null, and whoever made the pool asks values_ok once at the end. */
#ifndef TOOLHOST_PLUGINS_COMMON_VALUE_H
#define TOOLHOST_PLUGINS_COMMON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { VALUE_DEPTH_MAX = 100 };

enum value_type {
  VALUE_NULL,
  VALUE_FALSE,
  VALUE_TRUE,
  VALUE_NUMBER,
  VALUE_STRING,
  VALUE_ARRAY,
  VALUE_OBJECT
};

struct value_member {
  const char *name; /* followed by a NUL */
  size_t len;
  const struct value *value;
};

struct value {
  enum value_type type;
  size_t count;     /* bytes of a text or number, items, members */
  const char *text; /* of a string, unescaped; of a number as it was written; followed by a NUL */
  const struct value *const *items;
  const struct value_member *members;
};

extern const struct value value_null, value_true, value_false, value_no_members, value_no_items;

/* Memory for values and what goes with them; zero-initialise. */
struct values {
  struct values_block *blocks;
  size_t left; /* bytes of the first block */
  bool failed;
};

void values_free (struct values *pool);
#define CLEANUP_VALUES __attribute__ ((cleanup (values_free)))
bool values_ok (const struct values *pool);
/* Memory that lives as long as the pool, zeroed; NULL: there is none. */
void *values_alloc (struct values *pool, size_t size);
/* A copy of a text, followed by a NUL; "" when there is no memory. */
const char *values_text (struct values *pool, const char *text, size_t len);

/* The JSON text, whole, read strictly; NULL: it is none, or no UTF-8, or too deep, or has a member
 * twice, or a name with U+0000. */
const struct value *value_parse (struct values *pool, const char *text, size_t len);
/* Has it at most so many bytes as compact JSON, about, and no more levels than can be read again?
 * What values share is counted each time. */
bool value_fits (const struct value *value, size_t max);
/* Append as compact JSON. */
void value_write (struct text *out, const struct value *value);
/* Append a member of an object, of this name; NULL: none. */
void value_write_member (struct text *out, const char *name, const struct value *value);
void value_write_text_member (struct text *out, const char *name, const char *text);

const struct value *value_string (struct values *pool, const char *text, size_t len);
const struct value *value_string_z (struct values *pool, const char *text);
const struct value *value_int (struct values *pool, int64_t number);
/* A number as it is written, which is known to be good. */
const struct value *value_number_text (struct values *pool, const char *digits, size_t len);
const struct value *value_bool (bool is);
const struct value *value_array (struct values *pool, const struct value *const *items,
                                 size_t count);
const struct value *value_object (struct values *pool, const struct value_member *members,
                                  size_t count);

/* A member by its name; NULL: there is none, or the value (which may be NULL) is no object. */
const struct value *value_get (const struct value *object, const char *name, size_t len);
const struct value *value_get_z (const struct value *object, const char *name);
/* An object with this member, in its old place or as the last. */
const struct value *value_with (struct values *pool, const struct value *object, const char *name,
                                size_t len, const struct value *member);
/* An object without this member. */
const struct value *value_without (struct values *pool, const struct value *object,
                                   const char *name, size_t len);
/* A list with one more item. */
const struct value *value_append (struct values *pool, const struct value *list,
                                  const struct value *item);

/* As JSON Schema compares: numbers by what they are, objects without order.  NULL is null. */
bool value_equal (const struct value *a, const struct value *b);
/* A number as a double; 0 of what is none. */
double value_number (const struct value *value);
bool value_is (const struct value *value, enum value_type type); /* of NULL: false */
/* A string as a C string; NULL: it is none, or holds U+0000. */
const char *value_cstring (const struct value *value);
/* "null", "boolean", "number", "string", "array", "object" */
const char *value_type_name (const struct value *value);

#endif

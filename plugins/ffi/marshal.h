/* marshal.h - JSON into memory as C has it, and back. */
#ifndef TOOLHOST_PLUGINS_FFI_MARSHAL_H
#define TOOLHOST_PLUGINS_FFI_MARSHAL_H

#include "function.h"

/* What is wrong with arguments is told one by one, with a JSON pointer and a sentence. */
struct marshal {
  struct values *pool;
  void (*tell) (void *ctx, const char *pointer, const char *why);
  void *ctx;
  char where[DOCUMENT_PLACE_MAX]; /* the pointer to what is read */
  bool wrong;                     /* something was told */
};

/* Write a value to `at`, which has room for the type and is zero. */
void marshal_value (struct marshal *m, const struct c_type *type, const struct value *value,
                    void *at);
/* A string of at most `max` bytes as a C string of the pool; NULL: it was told why not. */
char *marshal_text (struct marshal *m, const struct value *value, size_t max);
/* A buffer or list, as the parameter has it, with room for at least `room` elements, followed by a
 * guard.  *count: how many elements it has.  NULL: it was told why not. */
void *marshal_list (struct marshal *m, const struct param *param, const struct value *value,
                    size_t room, size_t *count);
void marshal_wrong (struct marshal *m, const char *fmt, ...)
  __attribute__ ((format (printf, 2, 3)));

/* What a function may write to: zeroed, followed by a guard that guard_holds looks at. */
void *guard_alloc (struct values *pool, size_t size);
bool guard_holds (const void *data, size_t size);

/* ---- and back ---- */

struct unmarshal {
  struct text *out;
  char where[DOCUMENT_PLACE_MAX];
  char why[200]; /* "": all is well */
};

/* Append what stands at `at` as JSON.  False: JSON can't say it, `where` and `why` tell. */
bool unmarshal_value (struct unmarshal *u, const struct c_type *type, const void *at);
/* A text of `len` bytes, or up to a NUL before. */
bool unmarshal_text (struct unmarshal *u, const char *text, size_t len);
/* A C string of at most `max` bytes. */
bool unmarshal_string (struct unmarshal *u, const char *text, size_t max);
/* `count` elements, as the parameter has them. */
bool unmarshal_list (struct unmarshal *u, const struct param *param, const void *at, size_t count);

/* A whole number as it stands in memory, sign-extended. */
int64_t unmarshal_integer (const struct c_type *type, const void *at);

#endif

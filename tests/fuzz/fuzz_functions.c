/* Documents of C functions, and headers: whatever they are, a document is one that can be defined,
 * or there is a sentence about it; what a header comes to is JSON, and its functions are such
 * documents. No function is called: none of them is there. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/common/utf8.h"
#include "../../plugins/ffi/feature.h"
#include "../../plugins/ffi/header.h"
#include "../../plugins/ffi/run.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
      abort ();                                                                                    \
    }                                                                                              \
  } while (0)

static void
nothing (void)
{
}

/* Every library has every function. */
static bool
find (void *ctx, struct values *pool, const char *library, const char *symbol, c_function *function,
      const char **why)
{
  (void) ctx;
  (void) pool;
  (void) why;
  HOLDS (library != NULL && symbol != NULL);
  *function = nothing;
  return true;
}

static void
count_problem (void *ctx, const char *pointer, const char *why)
{
  HOLDS (pointer != NULL && why[0] != '\0');
  ++*(size_t *) ctx;
}

/* Arguments are put into memory, or something is said of them. */
static void
prepare (const struct function *function, const struct value *args)
{
  CLEANUP_VALUES struct values pool = { 0 };
  size_t problems = 0;
  struct marshal m = { .pool = &pool, .tell = count_problem, .ctx = &problems };
  struct run run = { .function = function, .pool = &pool };

  HOLDS (run_prepare (&run, &m, args) == (problems == 0));
}

static void
define (const struct function *function)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text definition = { 0 };
  const struct value *value;

  if (!function_define (function, &definition))
    return;
  value = value_parse (&pool, definition.data, definition.len);
  HOLDS (value_is (value_get_z (value, "inputSchema"), VALUE_OBJECT));
  HOLDS (value_is (value_get_z (value, "outputSchema"), VALUE_OBJECT));
}

/* `input` may have "args" for its functions. */
static void
read_feature (const struct value *input, struct values *pool)
{
  static const struct linker linker = { .find = find };
  const struct value *args = value_get_z (input, "args");
  struct c_types types = { .pool = pool };
  struct document doc = { .pool = pool, .types = &types };
  struct feature feature;

  if (value_is (input, VALUE_OBJECT))
    input = value_without (pool, input, "args", 4);
  if (!feature_read (&doc, input, &linker, &feature)) {
    HOLDS (doc.why != NULL && doc.why[0] != '\0');
    return;
  }
  HOLDS (doc.why == NULL);
  for (size_t i = 0; i < feature.count; i++) {
    define (&feature.functions[i]);
    prepare (&feature.functions[i], args);
  }
}

static void
read_header (const char *text, size_t size, struct values *pool)
{
  CLEANUP_TEXT struct text out = { 0 };
  const struct value *found, *feature = &value_no_members;

  header_import (pool, text, size, "libx.so", NULL, &out);
  found = value_parse (pool, out.data, out.len);
  if (!utf8_valid (text, size))
    return;
  HOLDS (value_is (found, VALUE_OBJECT));
  HOLDS (value_is (value_get_z (found, "left_out"), VALUE_ARRAY));
  feature = value_with (pool, feature, "types", 5, value_get_z (found, "types"));
  feature = value_with (pool, feature, "functions", 9, value_get_z (found, "functions"));
  read_feature (feature, pool);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const char *text = values_text (&pool, (const char *) data, size);
  const struct value *input = value_parse (&pool, text, size);

  if (input != NULL)
    read_feature (input, &pool);
  read_header (text, size, &pool);
  return 0;
}

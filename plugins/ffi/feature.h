/* feature.h - the feature "functions" of a tenant: types, headers and functions, as tools. */
#ifndef TOOLHOST_PLUGINS_FFI_FEATURE_H
#define TOOLHOST_PLUGINS_FFI_FEATURE_H

#include "function.h"

struct feature {
  struct function *functions; /* of the document's pool */
  size_t count;
};

/* Read all of it.  `doc` has its pool and types; false: it says what is wrong. */
bool feature_read (struct document *doc, const struct value *config, const struct linker *linker,
                   struct feature *feature);

/* Are the values and defaults of its document such as its parameters take? */
bool function_check_values (struct document *doc, const struct function *function);

#endif

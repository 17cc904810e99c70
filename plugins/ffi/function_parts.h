/* function_parts.h - what function_read.c, param_read.c and bind.c share of reading a document. */
#ifndef TOOLHOST_PLUGINS_FFI_FUNCTION_PARTS_H
#define TOOLHOST_PLUGINS_FFI_FUNCTION_PARTS_H

#include "function.h"

struct reading {
  struct document *doc;
  const struct linker *linker;
  struct function *function; /* calls up to this one are read */
  struct c_call *call;
};

/* A parameter alone; what its names of others mean comes with params_bind. */
bool param_read (struct reading *r, const struct value *value, struct param *param);
bool returns_read (struct reading *r, const struct value *value, struct param *returns);
/* Lengths and what fills them, of all parameters of the call. */
bool params_bind (struct reading *r, const struct value *params, const struct value *returns);
/* "errors" */
bool failure_read (struct reading *r, const struct value *value, struct failure *failure);

/* A pointer that an earlier call gives, or this one where `here`. */
bool source_find (const struct reading *r, const char *name, bool here, struct source *source);
const struct param *source_param (const struct function *function, const struct source *source);

#endif

/* c_type.h - the types of C that functions take and give, as the ABI of this machine lays them out,
 * and a table of those that have a name.
 *
 * Types live in the pool of their table and never change once they are complete; any thread. */
#ifndef TOOLHOST_PLUGINS_FFI_C_TYPE_H
#define TOOLHOST_PLUGINS_FFI_C_TYPE_H

#include <ffi.h>

#include "../common/value.h"

enum c_kind {
  C_VOID,
  C_BOOL,
  C_CHAR, /* plain char: a character, where signed char and unsigned char are numbers */
  C_INT,
  C_FLOAT,
  C_DOUBLE,
  C_LONG_DOUBLE,
  C_ENUM,
  C_STRUCT,
  C_ARRAY,
  C_POINTER,
  C_OPAQUE, /* a struct or union whose members are not known */
  C_FUNCTION
};

enum {
  C_DEPTH_MAX = 8,        /* types within types */
  C_ARRAY_MAX = 65536,    /* elements of a fixed array */
  C_STRUCT_MAX = 1 << 20, /* bytes */
  C_MEMBERS_MAX = 256,    /* of a struct */
  C_CONSTANTS_MAX = 4096, /* of an enum */
  C_BY_VALUE_MAX = 1024,  /* simple members of a struct that is passed by value, arrays counted */
  C_TYPES_MAX = 4096      /* names in a table */
};

struct c_constant {
  const char *name;
  int64_t value;
};

struct c_member {
  const char *name;
  const char *description; /* NULL: none */
  const struct c_type *type;
  size_t offset;
};

struct c_type {
  enum c_kind kind;
  const char *name; /* as C writes it: "unsigned int", "struct point"; NULL of arrays, pointers */
  size_t size, align;
  bool is_signed;
  bool is_const;           /* of a pointer: what it points at */
  const struct c_type *of; /* what is pointed at; of an array its element */
  size_t count;            /* elements, members, constants */
  unsigned depth;          /* types within it, not what it points at */
  const struct c_member *members;
  const struct c_constant *constants;
  ffi_type *ffi; /* as libffi knows it; NULL: can't be passed by value */
};

enum c_space { C_TYPEDEF, C_STRUCT_TAG, C_ENUM_TAG };

struct c_name {
  struct c_name *next;
  enum c_space space;
  const char *name;
  struct c_type *type;
};

/* Zero-initialise but for `pool`. */
struct c_types {
  struct values *pool;
  struct c_name *names, **last;
  size_t count;
};

extern const struct c_type c_void, c_char, c_bool, c_double;

/* The type that keywords and <stdint.h> know by this name ("unsigned long", "uint8_t"); NULL. */
const struct c_type *c_type_basic (const char *name);
/* Every name that c_type_basic knows, for suggestions: `offer` is called with each. */
void c_type_basic_names (void (*offer) (void *ctx, const char *name), void *ctx);

/* NULL: none of this name. */
struct c_type *c_types_find (const struct c_types *types, enum c_space space, const char *name);
/* Name a type.  False: there are too many names, or no memory. */
bool c_types_add (struct c_types *types, enum c_space space, const char *name, struct c_type *type);

/* New types; NULL: no memory. */
struct c_type *c_type_new (struct c_types *types, enum c_kind kind, const char *name);
const struct c_type *c_type_pointer (struct c_types *types, const struct c_type *to, bool is_const);
/* NULL with a reason: what it is made of has no size, or it is too large. */
const struct c_type *c_type_array (struct c_types *types, const struct c_type *of, size_t count,
                                   const char **why);
/* Give an opaque struct its members, whose offsets are filled in.  False: why not. */
bool c_type_complete (struct c_types *types, struct c_type *type, struct c_member *members,
                      size_t count, const char **why);
/* Give an enum its constants. */
void c_type_constants (struct c_type *type, const struct c_constant *constants, size_t count);

bool c_type_is_integer (const struct c_type *type); /* also bool, char and enums */
bool c_type_is_byte (const struct c_type *type);    /* void and what is as long as a char */
/* A pointer to char. */
bool c_type_is_text (const struct c_type *type);
/* How C writes it, "const char *", "double [3]". */
void c_type_write (const struct c_type *type, struct text *out);

#endif

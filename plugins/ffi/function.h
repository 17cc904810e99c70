/* function.h - a tool that is made of C functions: what its document says, ready to be called.
 *
 * A tool is one call of a function or several in order, where a pointer that one of them gives goes
 * to a later one ("from").  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_FFI_FUNCTION_H
#define TOOLHOST_PLUGINS_FFI_FUNCTION_H

#include "c_parse.h"
#include "document.h"

enum {
  FUNCTIONS_MAX = 1000,    /* of a feature */
  CALLS_MAX = 16,          /* of a tool */
  BYTES_DEFAULT = 1 << 16, /* of a text or buffer, as long as the document says nothing */
  BYTES_MAX = 16 << 20,
  ITEMS_DEFAULT = 1024, /* of a list, likewise */
  ITEMS_MAX = 1 << 20
};

/* What a parameter is to the tool; what the function gives has one of these, too. */
enum form {
  FORM_NOTHING,    /* what a void function gives */
  FORM_VALUE,      /* a number, bool, character, enum or struct, as it is */
  FORM_TEXT,       /* a C string */
  FORM_BYTES,      /* a buffer: text, base64 or numbers */
  FORM_LIST,       /* an array of a length of its own */
  FORM_POINTEE,    /* a pointer to one value, or to an array of a fixed length */
  FORM_TEXT_OUT,   /* char **, where the function puts a string */
  FORM_POINTER,    /* a pointer that nobody looks at; it goes to later calls */
  FORM_POINTER_OUT /* where the function puts one */
};

enum direction { DIRECTION_IN, DIRECTION_OUT, DIRECTION_INOUT };
enum encoding { ENCODING_TEXT, ENCODING_BASE64, ENCODING_NUMBERS };

typedef void (*c_function) (void);

/* Where in the tool something comes from. */
struct source {
  int call;  /* -1: nowhere */
  int param; /* -1: what it returned */
};

struct param {
  const char *name; /* of a returned value: the member of the result */
  const char *description;
  const struct c_type *type;
  const struct c_type *item; /* what is pointed at, of lists an element */
  enum form form;
  enum direction direction;
  enum encoding encoding;
  const struct value *fixed;     /* it is always this */
  const struct value *otherwise; /* when the caller leaves it out */
  bool nullable;                 /* null is a good value, and goes as NULL */
  bool undirected;               /* its document does not say who writes it */
  bool hidden;                   /* of a result: it is not told */
  size_t max;                    /* bytes or elements */
  size_t size;                   /* those an out-buffer has room for; 0: what its length says */
  int length;                    /* the parameter that holds its length, or -1 */
  int filled;                    /* the one that says how much there is now; -1: none */
  bool filled_by_return;
  int length_of; /* the buffer or list whose length it is, or -1 */
  bool computed; /* … which the caller does not give */
  struct source from;
  c_function release; /* frees what was given; NULL: nobody does */
};

enum failing {
  FAILS_NEVER,
  FAILS_NEGATIVE,
  FAILS_NONZERO,
  FAILS_ZERO,
  FAILS_NULL,
  FAILS_FALSE,
  FAILS_ERRNO
};

enum message_with { MESSAGE_WITH_NONE, MESSAGE_WITH_VALUE, MESSAGE_WITH_POINTER };

struct failure {
  int when; /* enum failing */
  bool use_errno;
  const char *code;
  const char *message; /* NULL: one is made */
  c_function tell;     /* const char *tell (…); NULL: none */
  enum message_with with;
  struct source with_pointer;
};

struct c_call {
  const char *symbol, *library;
  c_function function;
  struct param *params;
  size_t count;
  size_t named; /* parameters before "…"; count: it has none */
  bool variadic;
  struct param returns;
  struct failure failure;
  ffi_cif cif;
};

struct function {
  const char *name, *title, *description;
  struct c_call *calls;
  size_t count;
  bool in_calls; /* its document has "calls" */
  bool thread_safe;
  bool strict, has_strict;
  size_t max_time_ms;                      /* 0: the host's default */
  const struct value *annotations, *extra; /* of the definition, as they are; NULL */
};

/* What finds functions in libraries. */
struct linker {
  /* False: *why is a sentence, which lives in the pool. */
  bool (*find) (void *ctx, struct values *pool, const char *library, const char *symbol,
                c_function *function, const char **why);
  void *ctx;
};

/* One document.  False: the document says what is wrong. */
bool function_read (struct document *doc, const struct value *value, const struct linker *linker,
                    struct function *function);

/* Its definition.  False: it is too large, or there is no memory. */
bool function_define (const struct function *function, struct text *out);
/* A schema of values of a type. */
void schema_of_type (const struct c_type *type, bool output, struct text *out);

/* Does the caller give it? */
bool param_is_asked (const struct param *param);
/* Is it a member of the result? */
bool param_is_told (const struct param *param);

#endif

/* program.h - a declarative tool, compiled: what its document says, checked and looked up, so that
 * running it finds nothing out again.  Immutable; any thread.  It lives as long as the pool it was
 * made in. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_PROGRAM_H
#define TOOLHOST_PLUGINS_ACTIONS_PROGRAM_H

#include "endpoint.h"
#include "expr.h"

enum {
  ACTIONS_MAX = 200,     /* of a tool, all lists together */
  ACTIONS_DEPTH_MAX = 8, /* conditionals within each other (A2-10) */
  PARAMETERS_MAX = 64,
  WRITES_MAX = 64, /* of a context.set */
  RULES_MAX = 64,
  NAME_LEN_MAX = 64,
  DESCRIPTION_MAX = 4096
};

/* S2-7: exactly these. */
enum action_type {
  ACTION_CONTEXT_SET,
  ACTION_CONTEXT_GET,
  ACTION_WEBHOOK,
  ACTION_HANDOFF,
  ACTION_RESPOND,
  ACTION_FLAG_SET,
  ACTION_CONDITIONAL,
  ACTION_VALIDATE,
  ACTION_TYPES
};

extern const char *const action_type_names[ACTION_TYPES + 1]; /* NULL-terminated */

struct action_list {
  size_t count;
  struct action *items;
};

struct write {
  struct path path;
  bool append;     /* "[+]" (S2-19) */
  bool denied;     /* this can't be written (A2-6) */
  const char *key; /* as it is canonical */
  struct expr value;
};

enum condition_op {
  OP_EQ,
  OP_NE,
  OP_GT,
  OP_GTE,
  OP_LT,
  OP_LTE,
  OP_IN,
  OP_EXISTS,
  OP_TRUTHY,
  OP_ALL, /* of parts */
  OP_ANY,
  OP_NOT,
  OPS
};

extern const char *const condition_op_names[OPS + 1];

struct condition {
  enum condition_op op;
  struct path path;
  struct expr value;       /* constant null where the operator takes none */
  struct condition *parts; /* of all, any, not */
  size_t count;
};

struct rule {
  const char *param;
  bool required;
  const char *type; /* NULL: any, as all that follows */
  const struct value *choices;
  const struct value *min, *max;
  int64_t min_length, max_length; /* -1: none */
  const char *pattern_text;
  void *pattern; /* pcre2_code */
  const char *message;
};

struct action {
  enum action_type type;
  const char *where; /* "actions[1].then[0]" */
  bool continues;    /* on_error: "continue" (A2-12) */
  union {
    struct {
      size_t count;
      struct write *writes;
    } set;
    struct {
      struct path path;
      const char *as;
    } get;
    struct {
      const struct endpoint *endpoint;
      const char *method; /* NULL: the endpoint's */
      bool has_body;
      struct expr body;
    } webhook;
    struct {
      struct expr agent, args; /* args: constant null when there are none */
    } handoff;
    struct expr message;
    struct {
      const char *name;
      bool value;
    } flag;
    struct {
      struct condition condition;
      struct action_list then, otherwise;
    } branch;
    struct {
      size_t count;
      struct rule *rules;
    } validate;
  } u;
};

struct parameter {
  const char *name, *type, *description;   /* description: or NULL */
  const struct value *choices, *otherwise; /* enum, default; or NULL */
  const struct value *items;               /* schema of a list's items; or NULL */
  bool required;
};

struct program {
  const char *name, *description;
  size_t parameter_count;
  struct parameter *parameters;
  struct action_list actions, on_success, on_failure;
  size_t action_count; /* of all lists */
  bool writes;         /* it does more than look and speak */
  bool calls_out;      /* it has webhooks */
  int64_t max_time_ms;
  const struct value *strict; /* true, false or "auto"; NULL: not said */
  const char *definition;     /* of the tool, for the host */
};

/* Compile a document.  NULL: there were problems.  `endpoints` must live as long. */
const struct program *program_read (const struct value *document, const struct place *at,
                                    struct values *pool, struct problems *problems,
                                    const struct endpoints *endpoints);

/* Append the document in the one spelling there is (A2-1). */
void program_write (const struct program *program, struct text *out);
/* Fill `definition`. */
void program_define (struct program *program, struct values *pool);
/* What was made beside the pool. */
void program_free (const struct program *program);

#endif

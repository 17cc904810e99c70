/* surroundings.h - what a running tool reaches outside itself: the session, the user, servers,
 * time. There are two: the call's own (real.h), and ones that are played (played.h). */
#ifndef TOOLHOST_PLUGINS_ACTIONS_SURROUNDINGS_H
#define TOOLHOST_PLUGINS_ACTIONS_SURROUNDINGS_H

#include "program.h"

enum done {
  DONE,
  DONE_NOBODY,    /* the call is in no session */
  DONE_DENIED,    /* that can't be written */
  DONE_NOT_FOUND, /* there is no such agent */
  DONE_CANCELLED,
  DONE_FAILED
};

struct webhook_request {
  const struct endpoint *endpoint;
  const char *method, *url;
  const struct value *headers; /* an object of texts */
  const struct value *body;    /* NULL: none */
};

struct webhook_answer {
  int32_t status;             /* 0: there was none, … */
  const char *code, *message; /* … and why */
  bool again;                 /* another try may work */
  const struct value *body;   /* JSON, or a text, or null */
};

/* What is to be written together: objects of values by their paths, flags by their names. */
struct change {
  const struct value *set, *append, *flags;
};

struct surroundings {
  void *ctx;
  bool shared; /* others write into the context meanwhile: what was read is good until we wait */

  /* What stands at a root of the session's context; an empty object when nothing does. */
  const struct value *(*load) (void *ctx, enum root root, struct values *pool);
  /* All of it, or nothing. */
  enum done (*write) (void *ctx, const struct change *change);
  enum done (*say) (void *ctx, const char *text, size_t len);
  /* `args` is an object. */
  enum done (*hand_off) (void *ctx, const char *agent, const struct value *args);
  void (*ask) (void *ctx, const struct webhook_request *request, struct webhook_answer *answer,
               struct values *pool);
  /* Wait; false: the call is cancelled. */
  bool (*wait) (void *ctx, int64_t ms);
  bool (*cancelled) (void *ctx);
  /* The time as RFC 3339 has it, in UTC. */
  const char *(*now) (void *ctx, struct values *pool);
  /* Milliseconds of a clock that only goes forward. */
  int64_t (*clock) (void *ctx);
  const char *key; /* what idempotency keys of this call begin with */
};

#endif

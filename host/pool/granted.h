/* granted.h - programs that an operator lets a plugin have started (toolhost.process/1), by the
 * names it asks for.  Nothing but this file of the operator's names a program: no plugin, tenant or
 * request does.  Plain data, part of a policy; program.c starts them. */
#ifndef TOOLHOST_POOL_GRANTED_H
#define TOOLHOST_POOL_GRANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "service/secrets/secrets.h"

struct json_writer;

enum {
  GRANTED_NAME_MAX = 64,
  GRANTED_WORDS_MAX = 32 * 1024 /* bytes of command and environment */
};

struct granted_program {
  char *name;
  char **command;        /* an absolute path, then arguments; NULL-terminated */
  char **read;           /* absolute paths it sees besides the system's programs and libraries */
  char **write;          /* likewise, and may change */
  char **env;            /* NAME=VALUE; ${SECRET} in a value stands for a secret of the policy */
  int64_t memory;        /* bytes, of all its processes where a cgroup counts them */
  int64_t address_space; /* bytes, of each of its processes; 0: what goes with memory */
  int64_t files;         /* open descriptors of each process */
  int64_t tmp;           /* bytes of its /tmp */
  int64_t processes;     /* and threads */
  int64_t at_once;       /* how many of it run at the same time, for all workers of the plugin */
  bool jit;              /* it may make code while it runs */
};

struct granted_programs {
  struct granted_program *list;
  size_t count;
};

/* 1 to 64 of A-Za-z0-9_-. */
bool granted_name_ok (const char *name, size_t len);

/* The one of this name, made with the defaults when there is none; good until the next is made. */
struct granted_program *granted_add (struct granted_programs *granted, const char *name);
/* NULL: there is none.  The name is not NUL-terminated. */
const struct granted_program *granted_find (const struct granted_programs *granted,
                                            const char *name, size_t len);

/* How many may run at the same time, of all together. */
unsigned granted_at_once (const struct granted_programs *granted);

/* Is each of them whole, and its secrets there?  The sentence begins with its path. */
bool granted_ok (const struct granted_programs *granted, const struct secrets *secrets,
                 struct error *err);

/* A value of env with its secrets put in.  False: err names the one that is not there. */
bool granted_expand (const char *value, const struct secrets *secrets, struct buf *out,
                     struct error *err);

void granted_free (struct granted_programs *granted);
struct granted_programs granted_copy (const struct granted_programs *granted);
bool granted_same (const struct granted_programs *a, const struct granted_programs *b);
/* { NAME: { "command", … } }, the values of env as they were written. */
void granted_render (const struct granted_programs *granted, struct json_writer *w);

#endif

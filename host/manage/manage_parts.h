/* manage_parts.h - the inside of manage.c, write.c and check.c.  Nobody else includes this. */
#ifndef TOOLHOST_MANAGE_MANAGE_PARTS_H
#define TOOLHOST_MANAGE_MANAGE_PARTS_H

#include "manage/manage.h"

struct waiting;

struct manage {
  struct manage_needs needs;
  struct waiting *waiting;
};

/* One write on its way, from its request to its answer. */
struct work {
  struct manage *manage;
  manage_done done;
  void *ctx;
  char *tenant, *name, *author;
  enum definition_kind kind;
  enum manage_act act;
  int64_t expect;
  bool dry, created;
  int64_t revision;    /* that was written */
  struct buf document; /* as it is to be */
  struct buf problems; /* items of a JSON array, with commas between them */
  struct buf shown;    /* "definitions" of what the check answered */
  struct buf warnings; /* likewise */
};

/* ---- write.c ---- */

/* Tell whoever waits; the work is gone. */
void work_answer (struct work *work, struct manage_answer *answer);
void work_refuse (struct work *work, int status, const char *code, const char *message);
/* One more of what is wrong with the document; `hint` may be NULL. */
void work_problem (struct work *work, const char *pointer, const char *code, const char *message,
                   const char *hint);
/* It has been checked: refuse it, say that it is good, or write it. */
void work_conclude (struct work *work);

/* ---- check.c ---- */

/* Ask the plugin; it goes on with work_conclude, or is refused. */
void work_check (struct work *work);

#endif

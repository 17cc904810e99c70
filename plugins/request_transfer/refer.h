/* refer.h - the feature "refer" of a tenant: to whom calls of its callers may be transferred, and
 * what a model is told of it.  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_REQUEST_TRANSFER_REFER_H
#define TOOLHOST_PLUGINS_REQUEST_TRANSFER_REFER_H

#include <toolhost.h>

#include "../common/text.h"

struct destination {
  struct text id, label, description, target;
  bool enabled;
  int64_t priority;
};

struct refer {
  bool enabled;
  bool require_confirmation;
  struct text handoff_phrase;
  struct destination *list; /* as configured */
  size_t count;
  const struct destination **offered; /* the enabled ones, highest priority first */
  size_t offered_count;
  struct text parameters; /* of the tool, JSON */
  struct text definition; /* of the tool, JSON */
};

/* Read the feature's configuration.  False: toolhost_build_error was told what is wrong and where.
 * `refer` is zero at first and the caller's to free in any case. */
bool refer_read (struct refer *refer, toolhost_build *build, const char *config, size_t len);
void refer_free (struct refer *refer);

/* The destination of this id, also when it is not enabled; NULL: none is configured. */
const struct destination *refer_find (const struct refer *refer, const char *id);

/* Fill `offered`, `parameters` and `definition`.  (wording.c) */
void refer_word (struct refer *refer);
/* [ids] of what is offered, or of all that is configured. */
void refer_put_offered (const struct refer *refer, struct text *out);
void refer_put_all (const struct refer *refer, struct text *out);

#endif

/* named.h - what is known of calls by the names that their callers gave them, as long as the store
 * keeps it, also of those that an earlier daemon ran.  Loop thread only. */
#ifndef TOOLHOST_CALL_NAMED_H
#define TOOLHOST_CALL_NAMED_H

#include "call/call.h"
#include "store/store.h"

/* A call as its caller knows it. */
struct call_name {
  const char *tenant;    /* NULL: "default" */
  const char *principal; /* NULL: nobody in particular */
  const char *session;   /* the id that the caller gave; NULL: none */
  const char *id;
};

struct call_known {
  enum store_claimed state; /* STORE_RUNNING, _ENDED, _CANCELLED or _UNKNOWN */
  const char *tool;
  int64_t created_ms, ended_ms; /* Unix time; 0: not yet */
  const struct result *result;  /* of STORE_ENDED; NULL: it can't be read */
};

/* `known` is NULL but for STORE_OK, and lives while it runs. */
typedef void (*call_known_cb) (void *ctx, enum store_status status, const struct call_known *known);
/* Look it up; the answer comes later, exactly once.  False: this daemon keeps nothing. */
bool calls_look (struct calls *calls, const struct call_name *name, call_known_cb cb, void *ctx);

/* … by its key, as an approval has it. */
bool calls_look_key (struct calls *calls, const char *tenant, const unsigned char id[STORE_HASH],
                     call_known_cb cb, void *ctx);

/* The call of this name that runs here; NULL: there is none. */
struct call *calls_find_named (struct calls *calls, const struct call_name *name);

/* Nobody shall run it: what has not come yet is refused when it comes.  STORE_CONFLICT: it has
 * ended.  The answer comes later, exactly once.  False: this daemon keeps nothing. */
bool calls_forbid (struct calls *calls, const struct call_name *name, store_cb cb, void *ctx);

#endif

/* guards.h - the guards of a file of configuration, compiled: which stand before a call's tool,
 * which behind it, what is said when it fails, and of which tools.
 *
 *   { "input": [{ "guard": "pii", "tools": ["send_*"], … }, …], "output": […],
 *     "on_error": [{ "text": "…" }, …], "before_approval": false }
 *
 * Immutable but for what is remembered of plugins' guards; a call holds those it began with, so
 * that a reload is no concern of its own.  Loop thread only, but for the built-in guards in it
 * (guard/guard.h). */
#ifndef TOOLHOST_CALL_GUARDS_H
#define TOOLHOST_CALL_GUARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "call/budgets.h"
#include "guard/guard.h"

enum guarded_at { GUARDED_INPUT, GUARDED_OUTPUT, GUARDED_ERROR, GUARDED_STAGES };
/* "input", "output", "error" */
const char *guarded_at_word (enum guarded_at at);

enum {
  GUARDS_MAX = 64,        /* of one list */
  GUARD_TIMEOUT_MS = 250, /* of a plugin's, unless its "timeout" says otherwise */
  GUARD_TIMEOUT_MAX_MS = 60000,
  GUARD_TEXT_MAX = 4096 /* bytes of a text of "on_error" */
};

enum guards_kind {
  GUARDS_BUILT_IN,
  GUARDS_PLUGIN,
  GUARDS_BUDGET, /* "rate" and "budget" */
  GUARDS_TEXT    /* of "on_error" */
};

struct guards_entry {
  enum guards_kind kind;
  char *name;          /* "pii", "plugin:mod/words", "rate": for log and metrics */
  char *tools;         /* patterns with commas between them; NULL: every tool */
  struct guard *guard; /* built in */
  /* a plugin's */
  const char *offer; /* in `name`: "mod/words" */
  char *config;      /* JSON object */
  int64_t timeout_ms;
  bool lenient;  /* where it does not answer, the call goes on */
  char fits[65]; /* the digest of the guard that `config` was found to fit; "": of none yet */
  struct budget_rule budget;
  unsigned ordinal; /* among the budgets of its list */
  char *text;       /* of "on_error" */
  bool is_template; /* {{tool}} and {{code}} in it are replaced */
  bool is_ok;       /* what the caller gets is no error */
};

struct guards {
  unsigned refs;
  struct guards_entry *list[GUARDED_STAGES];
  size_t count[GUARDED_STAGES];
  bool before_approval; /* the input's are asked before a person is, too */
};

/* From the JSON text of an object.  NULL: err begins with the pointer of what is wrong, from there.
 */
struct guards *guards_new (const char *json, size_t len, struct error *err);
struct guards *guards_ref (struct guards *guards); /* NULL is fine */
void guards_unref (struct guards *guards);

/* Does it stand before, or behind, this tool? */
bool guards_entry_means (const struct guards_entry *entry, const char *tool);

/* What "on_error" says of this tool and code. */
void guards_write_text (const struct guards_entry *entry, const char *tool, const char *code,
                        struct buf *out);

#endif

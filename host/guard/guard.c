#include "guard/guard.h"

#include <stdlib.h>
#include <string.h>

#include "guard/reading.h"

static const struct guard_kind *const kinds[] = { &guard_pii,       &guard_secrets,   &guard_regex,
                                                  &guard_denylist,  &guard_allowlist, &guard_size,
                                                  &guard_injection, &guard_schema };
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *const guard_names[] = { "pii",  "secrets",   "regex",  "denylist", "allowlist",
                                    "size", "injection", "schema", NULL };

const char *const guard_places[] = { "guard", "name",   "input",   "output",
                                     "stage", "stages", "tools",   "before_approval",
                                     "at",    "names",  "message", NULL };

enum { MESSAGE_MOST = 1024 };

/* ---- compiling ---- */

static const struct guard_kind *
find_kind (struct reading *r)
{
  const struct json_node *name = reading_member (r, "guard");
  unsigned place = 0;

  if (!reading_word_at (r, name, "/guard", guard_names, &place))
    return NULL;
  return kinds[place];
}

static bool
read_common (struct reading *r)
{
  const struct json_node *at = reading_member (r, "at");

  if (!reading_bool (r, "names", &r->guard->names)
      || !reading_text (r, "message", MESSAGE_MOST, &r->guard->message))
    return false;
  if (at == NULL)
    return true;
  r->guard->at = at_new (r, at);
  return r->guard->at != NULL;
}

static bool
compile (struct reading *r)
{
  const struct guard_kind *kind = find_kind (r);

  if (kind == NULL || !reading_known (r, r->config, "", kind->members, guard_places))
    return false;
  r->guard->kind = kind;
  r->guard->cost = kind->cost;
  r->guard->most = kind->cost + 2;
  return read_common (r) && kind->read (r);
}

struct guard *
guard_new (const struct json_tape *tape, const struct json_node *config, struct error *err)
{
  struct reading r = { .tape = tape, .config = config, .err = err };
  bool good;

  if (!json_is (config, JSON_OBJECT)) {
    error_set (err, "expected an object like {\"guard\": \"pii\"}");
    return NULL;
  }
  r.guard = xcalloc (1, sizeof *r.guard);
  good = compile (&r);
  arena_free (&r.arena);
  if (good)
    return r.guard;
  guard_free (r.guard);
  return NULL;
}

void
guard_free (struct guard *guard)
{
  if (guard == NULL)
    return;
  if (guard->own != NULL)
    guard->kind->free (guard->own);
  at_free (guard->at);
  free (guard->message);
  free (guard);
}

const char *
guard_name (const struct guard *guard)
{
  return guard->kind->name;
}

/* ---- what is asked of one ---- */

void
guard_check (const struct guard *guard, const struct guard_case *one, struct guard_says *says)
{
  int64_t budget = one->budget != 0 ? one->budget : GUARD_BUDGET;

  if (guard->kind->find != NULL)
    walk_check (guard, one, &budget, says);
  else
    guard->kind->check (guard, one, &budget, says);
  if (budget >= 0 || says->verdict == GUARD_REJECT)
    return;
  says->verdict = GUARD_FAIL;
  says->text.len = says->value.len = 0;
  buf_printf (&says->text, "guard %s: too large or too costly to be looked at", guard->kind->name);
}

int64_t
guard_steps (const struct guard *guard, size_t len)
{
  return (int64_t) (len / 4 + 1) * guard->most;
}

bool
guard_redacts (const struct guard *guard)
{
  return guard->redacts;
}

void
guard_redact (const struct guard *guard, struct buf *text)
{
  if (guard->kind->find != NULL)
    walk_redact (guard, text);
}

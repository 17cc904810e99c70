/* context.set, context.get, flag.set. */
#include <string.h>

#include "run.h"

enum {
  CONTEXT_MAX = 65536, /* bytes of what stands at a root */
  DATA_MAX = 1 << 20   /* of all that context.get has found */
};

/* ---- writing at a path ---- */

struct writing {
  struct values *pool;
  const struct path *path;
  const struct value *value;
  bool append;
  const char *why; /* it does not work */
};

static const struct value *
write_here (struct writing *w, const struct value *old)
{
  if (!w->append)
    return w->value;
  if (old == NULL || old->type == VALUE_NULL)
    return value_array (w->pool, &w->value, 1);
  if (old->type == VALUE_ARRAY)
    return value_append (w->pool, old, w->value);
  w->why = "what stands there is no list";
  return old;
}

/* `at` with the value below it; what is left as it was is shared. */
static const struct value *
write_below (struct writing *w, const struct value *at, size_t depth)
{
  const struct path_name *name;
  const struct value *below;

  if (depth == w->path->count)
    return write_here (w, at);
  if (at == NULL)
    at = &value_no_members;
  if (at->type != VALUE_OBJECT) {
    w->why = "it leads through what is no object";
    return at;
  }
  name = &w->path->names[depth];
  below = write_below (w, value_get (at, name->text, name->len), depth + 1);
  return value_with (w->pool, at, name->text, name->len, below);
}

/* ---- context.set ---- */

/* What is written, as it is found and as it is told. */
struct writes {
  const struct value *workflow, *agents;
  struct change change;
};

static void
note (struct values *pool, struct writes *all, const struct write *write, const struct value *value,
      bool append)
{
  const struct value **object = append ? &all->change.append : &all->change.set;

  *object = value_with (pool, *object, write->path.text, strlen (write->path.text), value);
}

static struct result
add_write (struct run *run, struct writes *all, const struct write *write,
           const struct value *value)
{
  const struct value **root = write->path.root == ROOT_AGENTS ? &all->agents : &all->workflow;
  const struct value *old = path_follow (&write->path, *root);
  struct writing w = {
    .pool = run->pool, .path = &write->path, .value = value, .append = write->append
  };
  const struct value *now = write_below (&w, *root, 0);

  if (w.why != NULL)
    return run_failed (run, "context_write_failed", "%s can't be written: %s", write->key, w.why);
  if (!value_fits (now, CONTEXT_MAX))
    return run_failed (run, "context_write_failed", "%s can't be written: the context is too large",
                       write->key);
  *root = now;
  if (write->append && value_is (old, VALUE_NULL)) /* null is as nothing */
    note (run->pool, all, write, value_array (run->pool, &value, 1), false);
  else
    note (run->pool, all, write, value, write->append);
  return run_done ();
}

static struct result
written (struct run *run, enum done done)
{
  switch (done) {
  case DONE:
    return run_done ();
  case DONE_CANCELLED:
    return run_failed (run, "cancelled", "the call was cancelled, or its time is up");
  case DONE_DENIED:
    return run_failed (run, "context_write_denied", "this part of the context can't be written");
  default:
    return run_failed (run, "context_write_failed",
                       "the context would be too large, or was written too often");
  }
}

/* Sets come before appends, as the session has it. */
static struct result
collect (struct run *run, const struct action *action, struct writes *all)
{
  const struct lookup lookup = run_lookup (run);
  struct result result = run_done ();

  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; result.ok && i < action->u.set.count; i++) {
      const struct write *write = &action->u.set.writes[i];
      if (write->denied)
        return run_failed (run, "context_write_denied", "%s can't be written", write->key);
      if (write->append == (pass == 1))
        result = add_write (run, all, write, expr_value (&write->value, &lookup));
    }
  return result.ok && run_missed (run) ? run_missed_result (run) : result;
}

/* S2-8, A2-8: all members of one action, or none. */
struct result
run_set (struct run *run, const struct action *action)
{
  struct writes all = { .workflow = run_root (run, ROOT_WORKFLOW),
                        .agents = run_root (run, ROOT_AGENTS),
                        .change = { &value_no_members, &value_no_members, &value_no_members } };
  struct result result = collect (run, action, &all);

  if (result.ok)
    result = written (run, run->around->write (run->around->ctx, &all.change));
  if (result.ok) {
    run->roots[ROOT_WORKFLOW] = all.workflow;
    run->roots[ROOT_AGENTS] = all.agents;
  }
  return result;
}

/* ---- context.get, flag.set ---- */

/* A2-9 */
struct result
run_get (struct run *run, const struct action *action)
{
  const struct lookup lookup = run_lookup (run);
  const struct value *value = lookup.find (lookup.ctx, &action->u.get.path);
  const char *as = action->u.get.as;
  const struct value *data =
    value_with (run->pool, run->data, as, strlen (as), value != NULL ? value : &value_null);

  if (!value_fits (data, DATA_MAX))
    return run_failed (run, "context_get_failed", "%s: a result has at most %d bytes of data",
                       action->u.get.path.text, DATA_MAX);
  run->data = data;
  return run_done ();
}

struct result
run_flag (struct run *run, const struct action *action)
{
  const char *name = action->u.flag.name;
  const struct value *is = value_bool (action->u.flag.value);
  const struct value *flags = run_root (run, ROOT_FLAGS);
  const struct change change = { &value_no_members, &value_no_members,
                                 value_with (run->pool, &value_no_members, name, strlen (name),
                                             is) };
  const struct result result = written (run, run->around->write (run->around->ctx, &change));

  if (result.ok && action->u.flag.value)
    run->roots[ROOT_FLAGS] = value_with (run->pool, flags, name, strlen (name), is);
  else if (result.ok)
    run->roots[ROOT_FLAGS] = value_without (run->pool, flags, name, strlen (name));
  return result;
}

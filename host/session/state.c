#include "session/draft.h"
#include "session/parts.h"

/* What a call has done to its session that takes effect when it succeeds. */
struct state {
  struct draft draft;
  bool hands_off, anyway; /* anyway: also when it fails */
  char *target, *args;    /* NULL: the conversation goes back to the application's own agent */
};

static struct state *
state_of (struct work *work)
{
  if (work->state == NULL)
    work->state = xcalloc (1, sizeof *work->state);
  return work->state;
}

struct asked {
  struct work *work;
  const struct json_tape *tape;
  const struct json_node *root, *value; /* { member: value } */
  struct arena *arena;
  struct buf *out;
};

static enum frame_served_status
serve_get (const struct asked *a)
{
  const char *path = json_cstring (a->tape, a->value, a->arena);
  const struct context *context = &a->work->session->context;

  if (path == NULL)
    return 0;
  return draft_read (&state_of (a->work)->draft, context, path, a->out) ? FRAME_SERVED_OK
                                                                        : FRAME_SERVED_NOT_FOUND;
}

static enum frame_served_status
serve_flag (const struct asked *a)
{
  const char *name = json_cstring (a->tape, a->value, a->arena);
  const struct context *context = &a->work->session->context;

  if (name == NULL)
    return 0;
  buf_puts (a->out, draft_flag (&state_of (a->work)->draft, context, name) ? "true" : "false");
  return FRAME_SERVED_OK;
}

static const enum frame_served_status statuses[] = { [DRAFT_WRITTEN] = FRAME_SERVED_OK,
                                                     [DRAFT_DENIED] = FRAME_SERVED_NOT_GRANTED,
                                                     [DRAFT_BAD] = FRAME_SERVED_BAD_VALUE,
                                                     [DRAFT_FULL] = FRAME_SERVED_FAILED };

static enum frame_served_status
serve_write (const struct asked *a)
{
  const struct context *context = &a->work->session->context;

  if (!json_is (a->value, JSON_OBJECT) || a->value->count != 1)
    return 0;
  return statuses[draft_write (&state_of (a->work)->draft, context, a->tape, a->root)];
}

/* Only parts that there are, each an object. */
static bool
is_change (const struct asked *a)
{
  static const char *const parts[] = { "set", "append", "flags" };
  size_t known = 0;

  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    known += json_member (a->tape, a->value, parts[i]) != NULL;
  return a->value->count == known;
}

static enum frame_served_status
serve_change (const struct asked *a)
{
  struct context *context = &a->work->session->context;

  if (!json_is (a->value, JSON_OBJECT))
    return 0;
  if (!is_change (a))
    return FRAME_SERVED_BAD_VALUE;
  return statuses[draft_commit (&state_of (a->work)->draft, context, a->tape, a->value)];
}

/* ---- handing off ---- */

static void
hand_off (struct state *state, char *target, char *args)
{
  free (state->target);
  free (state->args);
  state->target = target;
  state->args = args;
  state->hands_off = true;
}

static char *
text_of (const struct json_tape *tape, const struct json_node *node)
{
  size_t len;
  const char *text = json_raw (tape, node, &len);

  return xstrndup (text, len);
}

/* This tool goes on, with other arguments or those it has. */
static enum frame_served_status
hand_to_itself (const struct asked *a, const struct json_node *args)
{
  struct work *work = a->work;
  size_t len;
  const char *own = call_arguments (work->call, &len);

  hand_off (state_of (work), xstrdup (work->name),
            args != NULL ? text_of (a->tape, args) : xstrndup (own, len));
  return FRAME_SERVED_OK;
}

static enum frame_served_status
hand_to (const struct asked *a, const struct json_node *tool, const struct json_node *args)
{
  size_t len;
  const char *name = json_string (a->tape, tool, a->arena, &len);

  if (name == NULL)
    return FRAME_SERVED_BAD_VALUE;
  if (toolset_find (a->work->session->toolset, name, len) == NULL)
    return FRAME_SERVED_NOT_FOUND;
  hand_off (state_of (a->work), xstrndup (name, len),
            args != NULL ? text_of (a->tape, args) : xstrdup ("{}"));
  return FRAME_SERVED_OK;
}

static enum frame_served_status
serve_handoff (const struct asked *a)
{
  const struct json_node *tool = json_member (a->tape, a->value, "tool");
  const struct json_node *args = json_member (a->tape, a->value, "args");

  const struct json_node *anyway = json_member (a->tape, a->value, "anyway");

  if (!json_is (a->value, JSON_OBJECT))
    return 0;
  if (a->value->count != (tool != NULL) + (args != NULL) + (anyway != NULL)
      || (args != NULL && !json_is (args, JSON_OBJECT))
      || (anyway != NULL && !json_is (anyway, JSON_TRUE) && !json_is (anyway, JSON_FALSE)))
    return FRAME_SERVED_BAD_VALUE;
  state_of (a->work)->anyway = json_is (anyway, JSON_TRUE);
  if (tool == NULL)
    return hand_to_itself (a, args);
  if (!json_is (tool, JSON_NULL))
    return hand_to (a, tool, args);
  hand_off (state_of (a->work), NULL, NULL);
  return FRAME_SERVED_OK;
}

/* ---- all of it ---- */

static const struct verb {
  const char *member;
  enum frame_served_status (*serve) (const struct asked *a);
} verbs[] = {
  { "get", serve_get },       { "flag", serve_flag },   { "set", serve_write },
  { "append", serve_write },  { "flags", serve_write }, { "handoff", serve_handoff },
  { "change", serve_change },
};

enum frame_served_status
state_serve (struct work *work, const char *json, size_t len, struct buf *out, size_t *cost)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct asked a = { .work = work, .arena = &arena, .out = out };
  enum frame_served_status status = 0;
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, &arena)
      || !json_is (json_root (&tape), JSON_OBJECT) || json_root (&tape)->count != 1)
    return 0;
  a.tape = &tape;
  a.root = json_root (&tape);
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
    if ((a.value = json_member (&tape, a.root, verbs[i].member)) != NULL)
      status = verbs[i].serve (&a);
  *cost = len + out->len + work->session->context.len; /* which may have been copied */
  return status;
}

bool
state_apply (struct work *work, struct error *err)
{
  return work->state == NULL || draft_apply (&work->state->draft, &work->session->context, err);
}

bool
state_hands_off (const struct work *work, const struct result *result, char **target, char **args)
{
  struct state *state = work->state;

  if (state == NULL || !state->hands_off)
    return false;
  if (result->error != CALL_OK && !(state->anyway && result->error == CALL_tool_execution_failed))
    return false;
  *target = state->target;
  *args = state->args;
  state->target = state->args = NULL;
  state->hands_off = false;
  return true;
}

void
state_free (struct state *state)
{
  if (state == NULL)
    return;
  draft_free (&state->draft);
  free (state->target);
  free (state->args);
  free (state);
}

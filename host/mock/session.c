/* The session of a plugin under test: what it knows, as far as the test has said so, and what calls
 * do to it. */
#include <stdlib.h>
#include <string.h>

#include "base/context_path.h"
#include "base/json_tape.h"
#include "mock/inside.h"

/* What stands at a path, or a flag ("flags.NAME"). */
struct known {
  struct known *next; /* older: the first of a path counts */
  char *path;
  char *json;   /* NULL: nothing, any more */
  bool pending; /* of the call that runs */
};

static void
know (struct toolhost_mock *mock, const char *path, const char *json, size_t len, bool pending)
{
  struct known *known = xcalloc (1, sizeof *known);

  known->path = xstrdup (path);
  known->json = json != NULL ? xstrndup (json, len) : NULL;
  known->pending = pending;
  known->next = mock->known;
  mock->known = known;
}

void
toolhost_mock_set_context (toolhost_mock *mock, const char *path, const char *json)
{
  know (mock, path, json, json != NULL ? strlen (json) : 0, false);
}

static void
free_known (struct known *known)
{
  free (known->path);
  free (known->json);
  free (known);
}

void
mock_settle_session (struct toolhost_mock *mock, bool succeeded)
{
  for (struct known **at = &mock->known; *at != NULL;) {
    struct known *known = *at;
    if (known->pending && !succeeded) {
      *at = known->next;
      free_known (known);
      continue;
    }
    known->pending = false;
    at = &known->next;
  }
  if (!succeeded)
    mock->changes.len = mock->committed;
}

void
mock_free_session (struct toolhost_mock *mock)
{
  for (struct known *k = mock->known, *next; k != NULL; k = next) {
    next = k->next;
    free_known (k);
  }
  buf_free (&mock->changes);
}

static const char *
look_up (const struct toolhost_mock *mock, const char *path)
{
  const struct known *known = mock->known;

  while (known != NULL && strcmp (known->path, path) != 0)
    known = known->next;
  return known != NULL ? known->json : NULL;
}

/* ---- the port --------------------------------------------------------------------------- */

struct asked {
  struct toolhost_mock *mock;
  const char *member; /* what is wanted */
  const struct json_tape *tape;
  const struct json_node *value;
  const struct json_node *name; /* of a write: its path or flag, before the value */
  struct arena *arena;
  struct buf *out; /* the answer */
};

static void
note (const struct asked *a, const char *path, const char *json, size_t len)
{
  buf_printf (&a->mock->changes, "%s %s%s%.*s\n", a->member, path, *path != '\0' ? " " : "",
              (int) len, json);
}

static enum frame_served_status
serve_get (const struct asked *a)
{
  const char *path = json_cstring (a->tape, a->value, a->arena);
  const char *json = path != NULL ? look_up (a->mock, path) : NULL;

  if (json != NULL)
    buf_puts (a->out, json);
  return json != NULL ? FRAME_SERVED_OK : FRAME_SERVED_NOT_FOUND;
}

/* "flags.NAME" */
static const char *
path_of_flag (const struct asked *a, const struct json_node *name)
{
  CLEANUP_BUF struct buf path = { 0 };

  buf_printf (&path, "flags.%s", json_cstring (a->tape, name, a->arena));
  return arena_strndup (a->arena, path.data, path.len);
}

static enum frame_served_status
serve_flag (const struct asked *a)
{
  const char *json = look_up (a->mock, path_of_flag (a, a->value));

  buf_puts (a->out, json != NULL ? json : "false");
  return FRAME_SERVED_OK;
}

static enum frame_served_status
serve_flags (const struct asked *a)
{
  const char *path = path_of_flag (a, a->name);
  size_t len;
  const char *json = json_raw (a->tape, json_next (a->name), &len);

  if (path[strlen ("flags.")] == '\0')
    return FRAME_SERVED_BAD_VALUE;
  know (a->mock, path, json, len, true);
  note (a, path + strlen ("flags."), json, len);
  return FRAME_SERVED_OK;
}

/* What a list is with one more item; NULL: it is no list. */
static const char *
append_item (const struct asked *a, const char *list, const char *item, size_t len)
{
  CLEANUP_BUF struct buf longer = { 0 };
  struct json_tape tape;

  if (list == NULL)
    list = "[]";
  if (!json_read (&tape, list, strlen (list), &json_default_limits, a->arena)
      || !json_is (json_root (&tape), JSON_ARRAY))
    return NULL;
  buf_append (&longer, list + json_root (&tape)->start, json_root (&tape)->len - 1);
  if (json_root (&tape)->count != 0)
    buf_putc (&longer, ',');
  buf_append (&longer, item, len);
  buf_putc (&longer, ']');
  return arena_strndup (a->arena, longer.data, longer.len);
}

static enum frame_served_status
serve_write (const struct asked *a)
{
  const bool append = strcmp (a->member, "append") == 0;
  const char *path = json_cstring (a->tape, a->name, a->arena);
  size_t len;
  const char *json = json_raw (a->tape, json_next (a->name), &len), *whole = json;
  size_t whole_len = len;

  if (path == NULL || !context_path_is_one (path))
    return FRAME_SERVED_BAD_VALUE;
  if (!context_path_is_writable (path, append))
    return FRAME_SERVED_NOT_GRANTED;
  if (append) {
    whole = append_item (a, look_up (a->mock, path), json, len);
    if (whole == NULL)
      return FRAME_SERVED_BAD_VALUE;
    whole_len = strlen (whole);
  }
  know (a->mock, path, whole, whole_len, true);
  note (a, path, json, len);
  return FRAME_SERVED_OK;
}

/* All that the call has done so far stays, whatever becomes of it. */
static void
commit (struct toolhost_mock *mock)
{
  for (struct known *known = mock->known; known != NULL; known = known->next)
    known->pending = false;
  mock->committed = mock->changes.len;
}

static void
undo (struct toolhost_mock *mock, const struct known *before, size_t changes)
{
  while (mock->known != before) {
    struct known *known = mock->known;
    mock->known = known->next;
    free_known (known);
  }
  mock->changes.len = changes;
}

static enum frame_served_status
serve_part (const struct asked *a, const char *member,
            enum frame_served_status (*serve) (const struct asked *a))
{
  const struct json_node *part = json_member (a->tape, a->value, member);
  enum frame_served_status status = FRAME_SERVED_OK;
  struct asked one = *a;

  one.member = member;
  if (part == NULL)
    return status;
  for (one.name = json_first (part); status == FRAME_SERVED_OK && one.name != json_end (part);
       one.name = json_next (json_next (one.name)))
    status = serve (&one);
  return status;
}

static enum frame_served_status
serve_change (const struct asked *a)
{
  const struct known *before = a->mock->known;
  const size_t changes = a->mock->changes.len;
  enum frame_served_status status = serve_part (a, "set", serve_write);

  if (status == FRAME_SERVED_OK)
    status = serve_part (a, "append", serve_write);
  if (status == FRAME_SERVED_OK)
    status = serve_part (a, "flags", serve_flags);
  if (status == FRAME_SERVED_OK)
    commit (a->mock);
  else
    undo (a->mock, before, changes);
  return status;
}

/* Which tools its daemon would have, the mock does not know: it takes any name. */
static enum frame_served_status
serve_handoff (const struct asked *a)
{
  const struct json_node *tool = json_member (a->tape, a->value, "tool");
  const struct json_node *args = json_member (a->tape, a->value, "args");
  const struct json_node *anyway = json_member (a->tape, a->value, "anyway");
  size_t len;
  const char *json = json_raw (a->tape, a->value, &len);

  if (a->value->count != (tool != NULL) + (args != NULL) + (anyway != NULL)
      || (tool != NULL && !json_is (tool, JSON_NULL) && !json_is (tool, JSON_STRING))
      || (args != NULL && !json_is (args, JSON_OBJECT)))
    return FRAME_SERVED_BAD_VALUE;
  note (a, "", json, len);
  if (json_is (anyway, JSON_TRUE))
    a->mock->committed = a->mock->changes.len;
  return FRAME_SERVED_OK;
}

static const struct {
  const char *member;
  enum frame_served_status (*serve) (const struct asked *a);
} verbs[] = {
  { "get", serve_get },       { "flag", serve_flag },   { "set", serve_write },
  { "append", serve_write },  { "flags", serve_flags }, { "handoff", serve_handoff },
  { "change", serve_change },
};

enum frame_served_status
mock_state (struct toolhost_mock *mock, const char *json, size_t len, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct asked a = { .mock = mock, .arena = &arena, .out = out };
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    return FRAME_SERVED_BAD_VALUE;
  a.tape = &tape;
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
    if ((a.value = json_member (&tape, json_root (&tape), verbs[i].member)) != NULL) {
      a.member = verbs[i].member;
      a.name = json_is (a.value, JSON_OBJECT) ? json_first (a.value) : NULL;
      return verbs[i].serve (&a);
    }
  return FRAME_SERVED_BAD_VALUE;
}

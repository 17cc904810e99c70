/* The tools that a plugin under test may invoke, and what its test has come of them. */
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "mock/inside.h"

struct invocable {
  struct invocable *next;
  char *name;
  char *definition;
  toolhost_status status;
  char *result;
};

static void
free_invocable (struct invocable *i)
{
  free (i->name);
  free (i->definition);
  free (i->result);
  free (i);
}

void
mock_free_invoke (struct toolhost_mock *mock)
{
  for (struct invocable *i = mock->invocables, *next; i != NULL; i = next) {
    next = i->next;
    free_invocable (i);
  }
  buf_free (&mock->invocations);
}

static char *
name_of (const char *definition)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const char *name = NULL;

  if (json_read (&tape, definition, strlen (definition), &json_default_limits, &arena))
    name = json_cstring (&tape, json_member (&tape, json_root (&tape), "name"), &arena);
  return xstrdup (name != NULL ? name : "");
}

void
toolhost_mock_invocable (toolhost_mock *mock, const char *definition, toolhost_status status,
                         const char *result_json)
{
  struct invocable *added = xcalloc (1, sizeof *added), **at = &mock->invocables;

  added->name = name_of (definition);
  added->definition = xstrdup (definition);
  added->status = status;
  added->result = xstrdup (result_json);
  while (*at != NULL && strcmp ((*at)->name, added->name) < 0)
    at = &(*at)->next;
  added->next = *at;
  if (*at != NULL && strcmp ((*at)->name, added->name) == 0) {
    added->next = (*at)->next;
    free_invocable (*at);
  }
  *at = added;
}

const char *
toolhost_mock_invocations (toolhost_mock *mock)
{
  return buf_cstr (&mock->invocations);
}

static const struct invocable *
find (const struct toolhost_mock *mock, const char *name)
{
  const struct invocable *i = mock->invocables;

  while (i != NULL && strcmp (i->name, name) != 0)
    i = i->next;
  return i;
}

static enum frame_served_status
served (toolhost_status status)
{
  switch (status) {
  case TOOLHOST_OK:
    return FRAME_SERVED_OK;
  case TOOLHOST_ASKED:
    return FRAME_SERVED_ASKED;
  case TOOLHOST_NOT_GRANTED:
    return FRAME_SERVED_NOT_GRANTED;
  case TOOLHOST_NOT_FOUND:
    return FRAME_SERVED_NOT_FOUND;
  case TOOLHOST_BAD_VALUE:
    return FRAME_SERVED_BAD_VALUE;
  default:
    return FRAME_SERVED_FAILED;
  }
}

static void
invoke_one (struct toolhost_mock *mock, const struct json_tape *tape, const struct json_node *asked,
            struct json_writer *w)
{
  static const char none[] = "{\"is_error\":true,\"code\":\"invoke_not_granted\",\"message\":\"The "
                             "test has not granted it.\",\"content\":[]}";
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *answers = json_member (tape, asked, "answers");
  const char *name = json_cstring (tape, json_member (tape, asked, "tool"), &arena);
  const struct invocable *i = find (mock, name);
  size_t len;
  const char *text = json_string (tape, json_member (tape, asked, "args"), &arena, &len);

  buf_printf (&mock->invocations, "%s %.*s", name, (int) len, text);
  if (answers != NULL) {
    text = json_raw (tape, answers, &len);
    buf_printf (&mock->invocations, " %.*s", (int) len, text);
  }
  buf_putc (&mock->invocations, '\n');
  text = i != NULL ? i->result : none;
  jsonw_object (w);
  jsonw_name_int (w, "status", served (i != NULL ? i->status : TOOLHOST_NOT_GRANTED));
  jsonw_name_raw (w, "result", text, strlen (text));
  jsonw_end (w);
}

static bool
is_wanted (const struct json_tape *tape, const char *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root = json_root (tape);

  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (n)) {
    const char *wanted = json_cstring (tape, n, &arena);
    size_t star = strcspn (wanted, "*"); /* as its only one, at the end */
    if (strcmp (wanted, name) == 0 || (wanted[star] == '*' && strncmp (wanted, name, star) == 0))
      return true;
  }
  return root->count == 0;
}

void
mock_invoke (struct toolhost_mock *mock, enum frame_service_what what, const char *json, size_t len,
             struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_writer w = { .out = out };
  struct json_tape tape;

  jsonw_array (&w);
  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    ;
  else if (what == FRAME_SERVICE_INVOKE)
    for (const struct json_node *n = json_first (json_root (&tape)); n != json_end (tape.nodes);
         n = json_next (n))
      invoke_one (mock, &tape, n, &w);
  else
    for (const struct invocable *i = mock->invocables; i != NULL; i = i->next)
      if (is_wanted (&tape, i->name))
        jsonw_raw (&w, i->definition, strlen (i->definition));
  jsonw_end (&w);
}

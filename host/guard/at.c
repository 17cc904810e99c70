#include <stdlib.h>
#include <string.h>

#include "guard/reading.h"

enum { STEPS_MOST = 16, POINTER_MOST = 256 };

struct path {
  unsigned count;
  char *steps[STEPS_MOST]; /* NULL: any */
};

struct guard_at {
  unsigned count;
  struct path paths[AT_MOST];
};

/* "~1" is "/", "~0" is "~"; false: there is another "~". */
static bool
unescape (char *step)
{
  char *out = step;

  for (; *step != '\0'; step++) {
    if (*step == '~' && step[1] != '0' && step[1] != '1')
      return false;
    if (*step == '~')
      *out++ = *++step == '0' ? '~' : '/';
    else
      *out++ = *step;
  }
  *out = '\0';
  return true;
}

static bool
read_path (const char *pointer, struct path *path)
{
  while (*pointer == '/') {
    size_t len = strcspn (pointer + 1, "/");
    char *step = xstrndup (pointer + 1, len);
    const bool good = path->count < STEPS_MOST && unescape (step);
    if (!good || (len == 1 && pointer[1] == '*')) {
      free (step);
      step = NULL;
    }
    if (!good)
      return false;
    path->steps[path->count++] = step;
    pointer += 1 + len;
  }
  return *pointer == '\0';
}

static bool
read_item (struct reading *r, const struct json_node *item, struct guard_at *at)
{
  const char *text = json_cstring (r->tape, item, &r->arena);

  if (at->count < AT_MOST && text != NULL && strlen (text) <= POINTER_MOST
      && read_path (text, &at->paths[at->count++]))
    return true;
  return error_set (r->err, "/at/%u: expected a JSON pointer like \"/to\" or \"/items/*/phone\"",
                    at->count == 0 ? 0 : at->count - 1);
}

struct guard_at *
at_new (struct reading *r, const struct json_node *list)
{
  struct guard_at *at;

  if (!json_is (list, JSON_ARRAY) || list->count == 0 || list->count > AT_MOST) {
    error_set (r->err, "/at: expected a list of 1 to %d JSON pointers", AT_MOST);
    return NULL;
  }
  at = xcalloc (1, sizeof *at);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (!read_item (r, n, at)) {
      at_free (at);
      return NULL;
    }
  return at;
}

void
at_free (struct guard_at *at)
{
  if (at == NULL)
    return;
  for (unsigned i = 0; i < at->count; i++)
    for (unsigned k = 0; k < at->paths[i].count; k++)
      free (at->paths[i].steps[k]);
  free (at);
}

unsigned
at_step (const struct guard_at *at, unsigned before, unsigned depth, const char *name, size_t len)
{
  unsigned after = 0;

  for (unsigned i = 0; i < at->count; i++) {
    const struct path *path = &at->paths[i];
    if ((before >> i & 1) == 0 || depth >= path->count)
      continue;
    if (path->steps[depth] == NULL
        || (strlen (path->steps[depth]) == len && memcmp (path->steps[depth], name, len) == 0))
      after |= 1U << i;
  }
  return after;
}

bool
at_ends (const struct guard_at *at, unsigned paths, unsigned depth)
{
  for (unsigned i = 0; i < at->count; i++)
    if ((paths >> i & 1) != 0 && at->paths[i].count == depth)
      return true;
  return false;
}

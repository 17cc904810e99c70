#include "built.h"

#include <stdio.h>
#include <stdlib.h>

toolhost_status
built_nothing (toolhost_build *build)
{
  return toolhost_build_error (build, "", "there is no memory");
}

toolhost_status
built_add (toolhost_build *build, const toolhost_tool *tool, void *self,
           const struct text *definition, void (*release) (void *self))
{
  toolhost_status status;

  if (!text_ok (definition))
    status = built_nothing (build);
  else if (toolhost_add_tool (build, tool, self) == TOOLHOST_OK)
    return TOOLHOST_OK;
  else
    status = toolhost_build_error (build, "", "the host takes no tool");
  release (self);
  return status;
}

/* ---- a list of them ---- */

static bool
add (const struct built_list *list, struct settings *s)
{
  void *self = calloc (1, list->size);

  if (self == NULL)
    return built_nothing (s->build) == TOOLHOST_OK;
  if (!list->read (self, s)) {
    list->release (self);
    return false;
  }
  return built_add (s->build, list->tool, self, list->define (self), list->release) == TOOLHOST_OK;
}

static bool
read_list (struct settings *s, const char *name, void *value)
{
  const struct built_list *list = *(const struct built_list *const *) value;
  size_t count = 0;
  bool good = true;

  if (!json_scan_enter (&s->scan, '['))
    return settings_wrong (s, name, list->expected);
  while (good && json_scan_item (&s->scan)) {
    (void) snprintf (s->where, sizeof s->where, "/%s/%zu", list->member, count++);
    good = add (list, s);
    if (good)
      s->where[0] = '\0';
  }
  return good;
}

toolhost_status
built_each (const struct built_list *list, toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  const struct setting members[] = { { list->member, read_list, &list }, { .name = NULL } };

  return settings_read (&s, members) ? TOOLHOST_OK : TOOLHOST_FAILED;
}

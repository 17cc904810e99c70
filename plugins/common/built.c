#include "built.h"

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

#include "voice_tool.h"

#include <stdlib.h>

#include "built.h"

static void
define (struct voice_tool *tool, const struct voice_tool_kind *kind)
{
  const struct voice_tool_words words = kind->words (tool);
  struct text *out = &tool->definition;

  json_open (out, '{');
  json_name_string (out, "name", kind->name);
  json_name_string (out, "description",
                    tool->description.len != 0 ? text_get (&tool->description) : words.description);
  text_add (out, ",");
  text_add (out, words.members + 1); /* the members, and the bracket that closes */
}

toolhost_status
voice_tool_build (const struct voice_tool_kind *kind, toolhost_build *build, const char *config,
                  size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  struct voice_tool *tool = calloc (1, kind->size);

  if (tool == NULL)
    return built_nothing (build);
  tool->interruptible = true;
  if (!kind->read (tool, &s)) {
    voice_tool_release (tool);
    return TOOLHOST_FAILED;
  }
  define (tool, kind);
  return built_add (build, kind->tool, tool, &tool->definition, voice_tool_release);
}

const char *
voice_tool_definition (void *self)
{
  return text_get (&((struct voice_tool *) self)->definition);
}

void
voice_tool_release (void *self)
{
  struct voice_tool *tool = self;

  text_free (&tool->description);
  text_free (&tool->message);
  text_free (&tool->definition);
  free (tool);
}

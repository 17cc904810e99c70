/* voice_tool.h - a tool of a voice agent that is built for each tenant from the feature of its
 * name: what is configured of each of them, its definition, and its builder.
 *
 *   static const struct voice_tool_kind kind = { .tool = &tool, .name = "hum", .size = sizeof
 * (struct voice_tool), .read = read_feature, .words = words }; static toolhost_status build
 * (toolhost_build *build, const char *config, size_t len)
 *   {
 *     return voice_tool_build (&kind, build, config, len);
 *   }
 *
 * The tool itself has voice_tool_definition, its builder voice_tool_release. */
#ifndef TOOLHOST_PLUGINS_COMMON_VOICE_TOOL_H
#define TOOLHOST_PLUGINS_COMMON_VOICE_TOOL_H

#include <toolhost.h>

#include "settings.h"
#include "text.h"

struct voice_tool {
  struct text description; /* for the model; empty: the kind's own */
  struct text message;     /* for the user, before all else; empty: nothing is said */
  bool interruptible;      /* may the user interrupt it; true unless configured */
  struct text definition;
};

/* What the model is told: the kind's own description, and a JSON object of the definition's members
 * but "name" and "description". */
struct voice_tool_words {
  const char *description, *members;
};

struct voice_tool_kind {
  const toolhost_tool *tool;
  const char *name;
  size_t size; /* of its struct, which begins with a struct voice_tool and owns nothing else */
  /* Its feature.  False: the host has been told what is wrong. */
  bool (*read) (struct voice_tool *tool, struct settings *s);
  /* Literals, when its feature has been read. */
  struct voice_tool_words (*words) (const struct voice_tool *tool);
};

toolhost_status voice_tool_build (const struct voice_tool_kind *kind, toolhost_build *build,
                                  const char *config, size_t len);
const char *voice_tool_definition (void *self);
void voice_tool_release (void *self);

#endif

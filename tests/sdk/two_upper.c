/* The second file of the plugin: it has the header's wrappers as well, and no registration. */
#include "two.h"

#include <ctype.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "upper", "description" : "In capitals.", "inputSchema" : { "type" : "object" } });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  char text[64];
  size_t len = 0;

  (void) self;
  for (const char *c = toolhost_arg_string_or (call, "text", ""); *c != '\0' && len < sizeof text;
       c++)
    text[len++] = (char) toupper ((unsigned char) *c);
  return toolhost_text_len (call, text, len);
}

const toolhost_tool upper = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

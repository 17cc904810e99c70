/* private.c - a plugin in a folder: its answer comes from a library that only it has, and from a
 * file beside it. */
#include <stdio.h>
#include <toolhost.h>

const char *greeting (void);

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"private\", \"description\": \"Greets from its own library.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  char note[32] = "none", text[128];
  FILE *file = fopen ("/plugin/notes/note.txt", "r");

  (void) self;
  if (file != NULL && fgets (note, sizeof note, file) == NULL)
    note[0] = '\0';
  if (file != NULL)
    (void) fclose (file);
  (void) snprintf (text, sizeof text, "%s, %s", greeting (), note);
  return toolhost_text (call, text);
}

static const toolhost_tool private_tool = { TOOLHOST_TOOL, .definition = definition,
                                            .execute = execute };

TOOLHOST_PLUGIN (.name = "private", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&private_tool))

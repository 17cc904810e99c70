/* A plugin of resources, prompts and guards alone: its macros in every C that the header promises.
 */
#include <toolhost.h>

static const char *
note_definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({ "uri" : "note:///one", "name" : "one" });
}

static toolhost_status
note_read (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_contents (call, "text/plain", "1", 1);
}

static const toolhost_readable note = { TOOLHOST_READABLE, .definition = note_definition,
                                        .read = note_read };

static const char *
prompt_definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({ "name" : "sum", "description" : "Sum it up." });
}

static toolhost_status
prompt_get (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "Sum it up.");
}

static const toolhost_prompt sum = { TOOLHOST_PROMPT, .definition = prompt_definition,
                                     .get = prompt_get };

static const char *
guard_definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({ "name" : "none", "description" : "Nothing passes." });
}

static toolhost_status
guard_check (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_guard_reject (call, "Nothing passes.");
}

static const toolhost_guard none = { TOOLHOST_GUARD, .definition = guard_definition,
                                     .check = guard_check };

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&note), TOOLHOST_PROMPTS (&sum), TOOLHOST_GUARDS (&none))
TOOLHOST_PLUGIN (.name = "beyond", .version = "1.0", .extension = toolhost_extensions)

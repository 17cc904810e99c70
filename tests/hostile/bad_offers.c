/* Resources and a prompt that do what no reader wants. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "harmless");
}

static const char *template(void *self)
{
  (void) self;
  return "{\"uriTemplate\":\"bad://{deed}\",\"name\":\"bad\",\"description\":\"Does it.\"}";
}

static HOSTILE_DEED toolhost_status
spin (void)
{
  volatile bool on = true;

  while (on)
    ;
  return TOOLHOST_OK;
}

static HOSTILE_DEED toolhost_status
crash (void)
{
  *(volatile int *) NULL = 1;
  return TOOLHOST_OK;
}

/* More changes than anybody can be told of. */
static toolhost_status
flood (toolhost_call *call)
{
  char uri[32];

  for (unsigned i = 0; !toolhost_cancelled (call); i++) {
    (void) snprintf (uri, sizeof uri, "bad://%u", i);
    toolhost_changed (call->host, TOOLHOST_RESOURCE_UPDATED, uri);
    toolhost_changed (call->host, TOOLHOST_PROMPTS_CHANGED, NULL);
  }
  return TOOLHOST_FAILED;
}

static toolhost_status
read_it (void *self, toolhost_call *call)
{
  const char *deed = toolhost_arg_string_or (call, "deed", "");

  (void) self;
  if (strcmp (deed, "spin") == 0)
    return spin ();
  if (strcmp (deed, "crash") == 0)
    return crash ();
  if (strcmp (deed, "flood") == 0)
    return flood (call);
  return TOOLHOST_OK; /* without contents */
}

static const char *
prompt (void *self)
{
  (void) self;
  return "{\"name\":\"bad\",\"description\":\"Crashes.\",\"arguments\":[{\"name\":\"a\"}]}";
}

static HOSTILE_DEED toolhost_status
get (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_text (call, "so far so good");
  return crash ();
}

static HOSTILE_DEED toolhost_status
complete (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return crash ();
}

static const char *
definition (void *self)
{
  (void) self;
  return HOSTILE_DEFINITION ("bad_offers", "Is harmless.", HOSTILE_NO_ARGUMENTS);
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };
static const toolhost_readable readable = { TOOLHOST_READABLE, .definition = template,
                                            .read = read_it };
static const toolhost_prompt bad = { TOOLHOST_PROMPT, .definition = prompt, .get = get,
                                     .complete = complete };

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&readable), TOOLHOST_PROMPTS (&bad))
TOOLHOST_PLUGIN (.name = "bad_offers", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&tool), .extension = toolhost_extensions)

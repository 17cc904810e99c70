/* Says things to the user as no worker of the host's would: past the code that keeps the rules,
 * through the port that it uses. */
#include "hostile.h"
#include "inside.h"

/* The event, and how often. */
static const struct deed {
  const char *name;
  const char *json;
  size_t len;
  int times;
} deeds[] = {
  { "good", "{\"type\":\"say\"}", 14, 1 },
  { "empty", "", 0, 1 },
  { "not_json", "{\"type\":\"say\"", 13, 1 },
  { "no_object", "[\"type\"]", 8, 1 },
  { "no_type", "{}", 2, 1 },
  { "type", "{\"type\":7}", 10, 1 },
  { "not_utf8", "{\"type\":\"\xff\"}", 12, 1 },
  { "flood", "{\"type\":\"say\"}", 14, 40000 },
};

static void
emit (toolhost_call *call, const char *json, size_t len)
{
  const struct tool_call *inner = (const struct tool_call *) (const void *) call;

  inner->host->port->emit (inner->host->ctx, (struct tool_call *) (void *) call, json, len);
}

static void
emit_too_long (toolhost_call *call)
{
  static char json[FRAME_EMIT_MAX + 1];

  memset (json, ' ', sizeof json);
  memcpy (json, "{\"type\":\"say\"}", 14);
  emit (call, json, sizeof json);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *wanted = toolhost_arg_string_or (call, "deed", "");

  (void) self;
  if (strcmp (wanted, "long") == 0)
    emit_too_long (call);
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
    for (int n = 0; strcmp (deeds[i].name, wanted) == 0 && n < deeds[i].times; n++)
      emit (call, deeds[i].json, deeds[i].len);
  return toolhost_text (call, "said");
}

HOSTILE ("forged_event", TOOLHOST_PARALLEL, "Says to the user what it may not say.",
         "\"properties\":{\"deed\":{\"type\":\"string\"}}")

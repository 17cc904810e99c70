#include "front/agui/event.h"

static const struct {
  const char *name;
  const char *members[2];
} types[] = { [AGUI_OTHER] = { "", { NULL, NULL } },
#define TYPE(name, first, second) [AGUI_##name] = { #name, { first, second } },
              AGUI_TYPES (TYPE)
#undef TYPE
};
enum { TYPES = sizeof types / sizeof types[0] };

const struct json_node *
agui_member (const struct agui_event *e, const char *name)
{
  return json_member (e->tape, e->event, name);
}

const char *
agui_text (const struct agui_event *e, const char *name)
{
  return json_cstring (e->tape, agui_member (e, name), e->arena);
}

static bool
fail (struct buf *why, const char *type, const char *problem)
{
  buf_printf (why, "%s%s%s", type, *type != '\0' ? ": " : "", problem);
  return false;
}

static bool
has_members (const struct agui_event *e, struct buf *why)
{
  for (size_t i = 0; i < 2 && types[e->type].members[i] != NULL; i++)
    if (agui_text (e, types[e->type].members[i]) == NULL) {
      buf_printf (why, "%s: /%s: expected a string", e->name, types[e->type].members[i]);
      return false;
    }
  return true;
}

bool
agui_event_read (struct agui_event *e, struct json_tape *tape, const char *text, size_t len,
                 const struct json_limits *limits, struct arena *arena, struct buf *why)
{
  *e = (struct agui_event){ .tape = tape, .arena = arena };
  if (!json_read (tape, text, len, limits, arena))
    return fail (why, "not JSON", tape->problem);
  e->event = json_root (tape);
  if (!json_is (e->event, JSON_OBJECT))
    return fail (why, "", "expected an object");
  e->name = agui_text (e, "type");
  if (e->name == NULL)
    return fail (why, "", "/type: expected a string");
  for (size_t i = 1; i < TYPES; i++)
    if (strcmp (types[i].name, e->name) == 0)
      e->type = (enum agui_type) i;
  return has_members (e, why);
}

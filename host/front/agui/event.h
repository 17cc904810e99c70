/* event.h - one event of AG-UI, as it came.  Pure functions. */
#ifndef TOOLHOST_FRONT_AGUI_EVENT_H
#define TOOLHOST_FRONT_AGUI_EVENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json_tape.h"

/* The types, and of each the members that are strings and must be there. */
#define AGUI_TYPES(TYPE)                                                                           \
  TYPE (RUN_STARTED, "threadId", "runId")                                                          \
  TYPE (RUN_FINISHED, "threadId", "runId")                                                         \
  TYPE (RUN_ERROR, "message", NULL)                                                                \
  TYPE (STEP_STARTED, "stepName", NULL)                                                            \
  TYPE (STEP_FINISHED, "stepName", NULL)                                                           \
  TYPE (TEXT_MESSAGE_START, "messageId", NULL)                                                     \
  TYPE (TEXT_MESSAGE_CONTENT, "messageId", "delta")                                                \
  TYPE (TEXT_MESSAGE_END, "messageId", NULL)                                                       \
  TYPE (TEXT_MESSAGE_CHUNK, NULL, NULL)                                                            \
  TYPE (TOOL_CALL_START, "toolCallId", "toolCallName")                                             \
  TYPE (TOOL_CALL_ARGS, "toolCallId", "delta")                                                     \
  TYPE (TOOL_CALL_END, "toolCallId", NULL)                                                         \
  TYPE (TOOL_CALL_CHUNK, NULL, NULL)                                                               \
  TYPE (RAW, NULL, NULL)                                                                           \
  TYPE (THINKING_START, NULL, NULL)                                                                \
  TYPE (THINKING_END, NULL, NULL)                                                                  \
  TYPE (THINKING_TEXT_MESSAGE_START, NULL, NULL)                                                   \
  TYPE (THINKING_TEXT_MESSAGE_CONTENT, NULL, NULL)                                                 \
  TYPE (THINKING_TEXT_MESSAGE_END, NULL, NULL)                                                     \
  TYPE (REASONING_START, "messageId", NULL)                                                        \
  TYPE (REASONING_END, "messageId", NULL)                                                          \
  TYPE (REASONING_MESSAGE_START, "messageId", NULL)                                                \
  TYPE (REASONING_MESSAGE_CONTENT, "messageId", "delta")                                           \
  TYPE (REASONING_MESSAGE_END, "messageId", NULL)                                                  \
  TYPE (REASONING_MESSAGE_CHUNK, NULL, NULL)

enum agui_type {
  AGUI_OTHER, /* TOOL_CALL_RESULT, STATE_…, CUSTOM, and what is still to be invented */
#define TYPE(name, first, second) AGUI_##name,
  AGUI_TYPES (TYPE)
#undef TYPE
};

struct agui_event {
  enum agui_type type;
  const char *name;              /* of the type, as it came */
  const struct json_tape *tape;  /* its root is the event */
  const struct json_node *event; /* an object */
  struct arena *arena;           /* for what is read of it */
};

/* Read one; the text outlives the event.  False: it is no event, `why` gets a sentence. */
bool agui_event_read (struct agui_event *e, struct json_tape *tape, const char *text, size_t len,
                      const struct json_limits *limits, struct arena *arena, struct buf *why);

const struct json_node *agui_member (const struct agui_event *e, const char *name);
/* NULL: it is absent, null, no string, or holds U+0000. */
const char *agui_text (const struct agui_event *e, const char *name);

#endif

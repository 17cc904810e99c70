/* chunks.h - events in chunks (TEXT_MESSAGE_CHUNK, TOOL_CALL_CHUNK, REASONING_MESSAGE_CHUNK) become
 * the start, the contents and the end they stand for; all others pass as they are.
 *
 * A sequence begins with the first chunk, which has the id (and of a call its tool's name), and
 * ends before a chunk of another id or kind, any other event but RAW, and the end of the stream. */
#ifndef TOOLHOST_FRONT_AGUI_CHUNKS_H
#define TOOLHOST_FRONT_AGUI_CHUNKS_H

#include "front/agui/event.h"

/* Zero-initialise, end with agui_chunks_free. */
struct agui_chunks {
  enum agui_type open; /* the type of the chunks whose sequence is open; AGUI_OTHER: none is */
  char *id, *name;     /* of it; the name of a tool or a role */
};

struct agui_sink {
  /* False: no more is wanted. */
  bool (*event) (void *ctx, const struct agui_event *e);
  void *ctx;
};

/* False: the sink wants no more, or the event can't stand here, and `why` says so. */
bool agui_expand (struct agui_chunks *c, const struct agui_event *e, const struct agui_sink *sink,
                  struct buf *why);
bool agui_expand_end (struct agui_chunks *c, const struct agui_sink *sink);
void agui_chunks_free (struct agui_chunks *c);

#endif

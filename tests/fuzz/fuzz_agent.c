/* A protocol, the size of pieces, an event stream: a turn is the same however its stream is cut,
 * and so is what goes on of it; a whole answer is read or refused.  Of the plugin alone: its
 * library has names that the host's has, too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/agent/agent.h"
#include "../../plugins/agent/protocol.h"
#include "../../plugins/common/sse.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
      abort ();                                                                                    \
    }                                                                                              \
  } while (0)

static const char *const names[] = { "openai-chat", "openai-responses", "anthropic-messages",
                                     "a2a" };

struct reading {
  struct turn turn;
  const struct protocol *protocol;
};

static bool
take (void *ctx, const struct sse_event *event)
{
  struct reading *r = ctx;

  turn_take_event (&r->turn, r->protocol, event->data, event->len);
  return r->turn.state == TURN_RUNS;
}

/* What is sent next of what was said, which is JSON. */
static void
show (const struct reading *r, struct values *pool, struct text *out)
{
  const struct value *items = r->protocol->said (pool, &value_no_items, &r->turn);

  text_addf (out, "%d %s %s", (int) r->turn.state, text_get (&r->turn.text),
             text_get (&r->turn.error));
  for (size_t i = 0; i < r->turn.count; i++)
    text_addf (out, "|%s %s %s", text_get (&r->turn.calls[i].id), text_get (&r->turn.calls[i].name),
               text_get (&r->turn.calls[i].args));
  value_write (out, items);
}

static void
read_stream (const struct protocol *protocol, const char *data, size_t len, size_t piece,
             struct text *out)
{
  struct values pool = { 0 };
  struct reading r = { .turn = { .pool = &pool }, .protocol = protocol };
  struct sse sse = { .lines.max = 1 << 16 };

  for (size_t at = 0; at < len; at += piece)
    if (!sse_feed (&sse, data + at, len - at < piece ? len - at : piece, take, &r))
      break;
  show (&r, &pool, out);
  turn_free (&r.turn);
  sse_free (&sse);
  values_free (&pool);
}

static void
read_whole (const struct protocol *protocol, const char *data, size_t len)
{
  struct values pool = { 0 };
  struct reading r = { .turn = { .pool = &pool }, .protocol = protocol };

  turn_take_whole (&r.turn, protocol, data, len);
  HOLDS (r.turn.state != TURN_FAILED || r.turn.error.len != 0);
  turn_free (&r.turn);
  values_free (&pool);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *bytes = (const char *) data;
  const struct protocol *protocol;
  CLEANUP_TEXT struct text whole = { 0 }, cut = { 0 };

  if (size < 2)
    return 0;
  protocol = protocol_find (names[data[0] % 4]);
  read_stream (protocol, bytes + 2, size - 2, size, &whole);
  read_stream (protocol, bytes + 2, size - 2, data[1] % 16 + 1, &cut);
  HOLDS (whole.len == cut.len && memcmp (text_get (&whole), text_get (&cut), cut.len) == 0);
  read_whole (protocol, bytes + 2, size - 2);
  return 0;
}

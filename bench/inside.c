/* inside.c - toolhostd with its tools in its own process, against which ./dev bench http measures
 * what isolation costs.  Never installed.
 *
 * All of it is toolhostd's own code, and there is a worker, which describes the plugin as ever. But
 * no CALL is put into its ring: the tool runs at once, on the loop, and its result comes to those
 * who read rings as if it had come by one.  So there is no sandbox around the tool, nobody can stop
 * it, nothing is copied for another process, and none is woken.
 *
 * One plugin, whose tools ask nothing of the host; arguments that fit into a frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pool/channel.h"
#include "pool/fleet.h"
#include "pool/worker.h"
#include "worker/host_table.h"
#include "worker/load.h"
#include "worker/tool_call.h"

/* The channel as it is, but for two of its functions.  The linker takes this object for the whole
 * of it; its --wrap would do nothing where all code is linked at once. */
static void put_outside (struct channel *channel, enum frame_kind kind, uint64_t id, const void *a,
                         size_t a_len, const void *b, size_t b_len, const void *c, size_t c_len);
static enum channel_news receive_outside (struct channel *channel, char *room,
                                          bool (*take) (void *owner, const struct frame *frame));
#define channel_put put_outside
#define channel_receive receive_outside
#include "pool/channel.c"
#undef channel_put
#undef channel_receive

static struct {
  const struct fleet *fleet; /* whose plugin it is; NULL: none is loaded yet */
  struct plugin_host host;
  struct plugin plugin;
  struct tool_call call;
  struct cpu_meter meter;
  const struct channel *channel; /* that is to bring … */
  struct buf results, room;      /* … these frames; the other one is empty */
} inside;

static int64_t
port_now (void *ctx)
{
  (void) ctx;
  return clock_ns ();
}

static const struct call_port port = { .now = port_now };

static void __attribute__ ((noreturn)) give_up (const char *why)
{
  (void) fprintf (stderr, "bench/inside: %s\n", why);
  abort ();
}

static void
load (const struct fleet *fleet)
{
  char path[32];
  toolhost_plugin_entry_fn entry = NULL;
  struct error err = { { 0 } };

  (void) snprintf (path, sizeof path, "/proc/self/fd/%d", fleet->plugin_fd);
  plugin_host_init (&inside.host, &port, NULL);
  if (!load_entry (path, fleet->name, &entry, &err)
      || !plugin_start (&inside.plugin, entry, &inside.host, fleet->name, "{}", 2, &err))
    give_up (err.text);
  tool_call_init (&inside.call);
  inside.fleet = fleet;
}

/* ---- a call ----------------------------------------------------------------------------- */

static void
run (const struct frame_call *head, uint64_t id, const char *args, const char *meta)
{
  struct tool_call *call = &inside.call;
  const size_t args_len = head->args_len - head->answers_len - head->kept_len;

  tool_call_begin (call, &inside.host, &inside.plugin.tools[head->tool], id, head->deadline_ns,
                   head->result_max);
  tool_call_wants (call, head->flags);
  tool_call_texts (call, args, args_len, meta, head->meta_len);
  tool_call_rounds (call, head->flags >> FRAME_CALL_ASKS_SHIFT, args + args_len, head->answers_len,
                    args + args_len + head->answers_len, head->kept_len);
  if (!tool_call_run (call, &inside.meter))
    give_up ("a tool retained its call");
}

/* As a RESULT frame. */
static void
keep_result (uint64_t id)
{
  struct call_answer answer;
  struct frame_result result;
  struct frame_head head = { .kind = FRAME_RESULT, .call = id };
  struct buf *out = &inside.results;

  tool_call_answer (&inside.call, &answer);
  result = (struct frame_result){ .outcome = answer.outcome,
                                  .code_len = (uint32_t) answer.code.len,
                                  .message_len = (uint32_t) answer.message.len,
                                  .structured_len = (uint32_t) answer.structured.len,
                                  .content_len = (uint32_t) answer.content.len,
                                  .kept_len = (uint32_t) answer.kept.len,
                                  .wall_ns = (uint64_t) inside.call.wall_ns,
                                  .cpu_ns = (uint64_t) inside.call.cpu_ns };
  head.size = (uint32_t) (sizeof head + sizeof result + answer.code.len + answer.message.len
                          + answer.structured.len + answer.content.len + answer.kept.len);
  buf_append (out, &head, sizeof head);
  buf_append (out, &result, sizeof result);
  buf_append (out, answer.code.text, answer.code.len);
  buf_append (out, answer.message.text, answer.message.len);
  buf_append (out, answer.structured.text, answer.structured.len);
  buf_append (out, answer.content.text, answer.content.len);
  buf_append (out, answer.kept.text, answer.kept.len);
}

void
channel_put (struct channel *channel, enum frame_kind kind, uint64_t id, const void *a,
             size_t a_len, const void *b, size_t b_len, const void *c, size_t c_len)
{
  const struct worker *worker = channel->owner;

  if (kind != FRAME_CALL) {
    put_outside (channel, kind, id, a, a_len, b, b_len, c, c_len);
    return;
  }
  if (inside.fleet == NULL)
    load (worker->fleet);
  if (inside.fleet != worker->fleet || (inside.results.len != 0 && inside.channel != channel))
    give_up ("calls of more than one plugin");
  run (a, id, b, c);
  keep_result (id);
  tool_call_end (&inside.call);
  inside.channel = channel;
  ev_feed_event (channel->loop, &channel->readable, EV_READ);
}

/* Calls that follow from a result that is taken have theirs in the other buffer. */
enum channel_news
channel_receive (struct channel *channel, char *room,
                 bool (*take) (void *owner, const struct frame *frame))
{
  struct buf results = inside.results;
  struct frame frame = { .by_ring = true };
  bool go_on = true;

  if (inside.channel != channel || results.len == 0)
    return receive_outside (channel, room, take);
  inside.results = inside.room;
  for (size_t at = 0; at < results.len && go_on; at += frame.head.size) {
    memcpy (&frame.head, results.data + at, sizeof frame.head);
    frame.payload = results.data + at + sizeof frame.head;
    frame.len = frame.head.size - sizeof frame.head;
    go_on = take (channel->owner, &frame);
  }
  buf_reset (&results, SIZE_MAX);
  inside.room = results;
  return go_on ? CHANNEL_OPEN : CHANNEL_STOPPED;
}

#include "worker/intake.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/outbox.h"
#include "worker/programs.h"
#include "worker/segments.h"

void
intake_init (struct intake *intake, const struct segments *segments)
{
  memset (intake, 0, sizeof *intake);
  ring_in_init (&intake->ring, segments->up, segments->down);
  intake->room = xmalloc (FRAME_MAX);
}

/* ---- CALL ------------------------------------------------------------------------------- */

/* Arguments in a memfd: mapped for as long as the call lives. */
static const char *
map_arguments (struct datagram *in, struct crew_call *call, size_t len)
{
  CLEANUP_FD int fd = datagram_take_fd (in);
  struct stat st;
  void *map;

  if (fd < 0)
    control_protocol_error ("a CALL lacks its descriptor");
  if (len == 0 || fstat (fd, &st) < 0 || st.st_size < 0 || (uint64_t) st.st_size < len)
    control_protocol_error ("a CALL's descriptor is shorter than its arguments");
  map = mmap (NULL, len, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return NULL;
  call->mapped = map;
  call->mapped_len = len;
  return map;
}

static void
fill_texts (struct crew_call *call, const struct frame_call *head, const char *args,
            const char *meta)
{
  size_t args_len = head->args_len - head->answers_len - head->kept_len;
  struct arena *arena = &call->call.arena;

  if (call->mapped == NULL)
    args = arena_strndup (arena, args, head->args_len);
  tool_call_texts (&call->call, args, args_len, arena_strndup (arena, meta, head->meta_len),
                   head->meta_len);
  tool_call_rounds (&call->call, head->flags >> FRAME_CALL_ASKS_SHIFT, args + args_len,
                    head->answers_len, args + args_len + head->answers_len, head->kept_len);
  call->call.wants_progress = (head->flags & FRAME_CALL_PROGRESS) != 0;
}

static void
answer_no_memory (struct intake *intake, struct crew_call *call, uint64_t id)
{
  static const char code[] = "out_of_memory";
  static const char message[] = "the arguments are larger than the tool's memory allows";
  const struct frame_result result = { .outcome = FRAME_OUTCOME_FAILED,
                                       .code_len = sizeof code - 1,
                                       .message_len = sizeof message - 1 };

  outbox_result (
    intake->outbox, id, &result,
    (struct piece_of_frame[]){ { code, sizeof code - 1 }, { message, sizeof message - 1 } }, 2);
  outbox_flush (intake->outbox);
  tool_call_end (&call->call);
  roster_rest (intake->roster, call);
}

/* `in`: the datagram it came with, NULL for the ring. */
static void
on_call (struct intake *intake, struct datagram *in, const struct frame_head *head,
         const char *payload, size_t len)
{
  const bool apart = (head->flags & FRAME_FD) != 0;
  struct frame_call want;
  struct crew_call *call;
  const char *args = payload + sizeof want, *meta = args;

  if (len < sizeof want || apart != (in != NULL))
    control_protocol_error ("a CALL is too short, or came by the wrong way");
  memcpy (&want, payload, sizeof want);
  if ((uint64_t) sizeof want + (apart ? 0 : want.args_len) + want.meta_len != len
      || want.tool >= intake->plugin->tools_count
      || (uint64_t) want.answers_len + want.kept_len > want.args_len)
    control_protocol_error ("a CALL's lengths or its tool are wrong");
  call = roster_new (intake->roster);
  tool_call_begin (
    &call->call, intake->host, &intake->plugin->tools[want.tool], head->call, want.deadline_ns,
    want.result_max != 0 && want.result_max < intake->result_max ? want.result_max
                                                                 : intake->result_max);
  tool_call_wants (&call->call, want.flags);
  call->cpu_ms = want.cpu_ms;
  if (!apart)
    meta += want.args_len;
  else if ((args = map_arguments (in, call, want.args_len)) == NULL) {
    answer_no_memory (intake, call, head->call);
    return;
  }
  fill_texts (call, &want, args, meta);
  roster_add (intake->roster, call);
}

/* ---- SERVED ----------------------------------------------------------------------------- */

/* Of a call that has ended meanwhile nobody wants to know. */
static void
on_served (struct intake *intake, const struct frame_head *head, const char *payload, size_t len)
{
  struct crew_call *call = roster_find (intake->roster, head->call);

  if (len < sizeof (struct frame_served))
    control_protocol_error ("a SERVED is too short");
  if (call != NULL)
    service_deliver (&call->call, payload, len);
  else if (head->call == FRAME_BUILD_CALL && intake->building != NULL)
    service_deliver (intake->building, payload, len);
}

/* ---- the ring --------------------------------------------------------------------------- */

/* The whole frames of what was copied, in bytes; the last one may be cut off. */
static size_t
on_frames (struct intake *intake, size_t len)
{
  struct frame_head head;
  const char *payload;
  size_t payload_len, at = 0;
  long step;

  while ((step = frame_next (intake->room + at, len - at, &head, &payload, &payload_len)) > 0) {
    if (head.kind == FRAME_SERVED)
      on_served (intake, &head, payload, payload_len);
    else if (head.kind == FRAME_CALL)
      on_call (intake, NULL, &head, payload, payload_len);
    else
      control_protocol_error ("a kind that is not for the ring");
    at += (size_t) step;
  }
  if (step < 0 && (at == 0 || len < FRAME_MAX))
    control_protocol_error ("a head in the ring that is malformed");
  return at;
}

void
intake_ring (struct intake *intake)
{
  while (ring_has_news (&intake->ring)) {
    long len = ring_peek (&intake->ring, intake->room, FRAME_MAX);
    if (len == RING_BROKEN)
      control_protocol_error ("an index of the ring is wrong");
    if (ring_take (&intake->ring, on_frames (intake, (size_t) len)))
      control_knock ();
  }
}

/* ---- datagrams -------------------------------------------------------------------------- */

static void
on_cancel (const struct intake_orders *orders, const struct frame_head *head, const char *payload,
           size_t len)
{
  struct frame_cancel cancel;

  if (len != sizeof cancel)
    control_protocol_error ("a CANCEL of another length");
  memcpy (&cancel, payload, sizeof cancel);
  orders->cancel (orders->ctx, head->call, cancel.grace_ms);
}

static void
on_program (struct intake *intake, struct datagram *in, const struct frame_head *head,
            const char *payload, size_t len)
{
  int fds[2] = { -1, -1 };

  if ((head->flags & FRAME_FD) != 0) {
    fds[0] = datagram_take_fd (in);
    fds[1] = datagram_take_fd (in);
  }
  programs_deliver (intake->programs, payload, len, fds);
}

static void
on_frame (struct intake *intake, struct datagram *in, const struct intake_orders *orders,
          const struct frame_head *head, const char *payload, size_t len)
{
  switch (head->kind) {
  case FRAME_KNOCK:
    break;
  case FRAME_CALL:
    on_call (intake, in, head, payload, len);
    break;
  case FRAME_CANCEL:
    on_cancel (orders, head, payload, len);
    break;
  case FRAME_PROGRAM_SAID:
    on_program (intake, in, head, payload, len);
    break;
  case FRAME_BYE:
    orders->bye (orders->ctx);
    break;
  default:
    control_protocol_error ("a kind that no worker is sent");
  }
}

void
intake_datagram (struct intake *intake, struct datagram *in, const struct intake_orders *orders)
{
  struct frame_head head;
  const char *payload;
  size_t payload_len, at = 0;
  long step;

  while ((step = frame_next (in->data + at, in->len - at, &head, &payload, &payload_len)) > 0) {
    on_frame (intake, in, orders, &head, payload, payload_len);
    at += (size_t) step;
  }
  if (step < 0)
    control_protocol_error ("a head that is malformed");
  datagram_end (in);
}

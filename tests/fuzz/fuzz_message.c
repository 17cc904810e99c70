/* What clients of MCP send, before it is served: a message or a batch, what it says of itself, the
 * answers a batch gets, the id of the event a stream goes on behind; and the arguments of a schema
 * that are repeated as headers. */
#include "fuzz.h"

#include "catalog/mirrored.h"
#include "front/mcp/batch.h"
#include "front/mcp/client.h"
#include "front/mcp/stream.h"
#include "front/mcp/trace.h"

static const struct json_limits limits = {
  .depth = 40, .nodes = 2000, .members = 200, .number_len = 64
};

static void
check_fault (const struct mcp_fault *fault)
{
  HOLDS (fault->text[0] != '\0' && fault->code < 0 && fault->status >= 200);
}

static void
check_trace (const struct mcp_message *m)
{
  struct slice trace = mcp_trace (m);
  struct json_tape tape;

  if (trace.data != NULL)
    HOLDS (json_read (&tape, trace.data, trace.len, &limits, m->arena)
           && json_is (json_root (&tape), JSON_OBJECT));
}

static void
check_message (const struct mcp_message *m)
{
  struct mcp_fault fault = { .code = 0 };

  HOLDS (m->kind == MCP_REQUEST || m->kind == MCP_NOTIFICATION || m->kind == MCP_RESPONSE);
  HOLDS (m->kind != MCP_REQUEST || m->id.len != 0);
  HOLDS (m->kind == MCP_RESPONSE || m->method.data != NULL);
  HOLDS (m->version == NULL || m->meta != NULL);
  (void) mcp_progress_token (m);
  (void) mcp_param_text (m, "name");
  (void) mcp_client_read (&m->tape, m->params);
  check_trace (m);
  if (m->version == NULL)
    return;
  if (!mcp_check_envelope (m, &fault) || !mcp_check_version (m, &fault))
    check_fault (&fault);
}

static void
check_batch (const struct mcp_message *batch)
{
  struct mcp_batch_walk walk = mcp_batch_walk (batch);
  struct mcp_answers answers = { 0 };
  struct mcp_message m;
  struct mcp_fault fault;
  struct buf answer = { 0 };
  unsigned due = 0;

  buf_puts (&answer, "{}");
  if (!mcp_batch_check (batch, "2025-03-26", &fault))
    check_fault (&fault);
  while (mcp_batch_next (&walk, &m, &fault)) {
    if (fault.text[0] != '\0')
      check_fault (&fault);
    else
      check_message (&m);
    if (fault.text[0] != '\0' || m.kind == MCP_REQUEST) {
      due++;
      mcp_answers_add (&answers, &answer);
    }
  }
  HOLDS (due == mcp_batch_due (batch));
  HOLDS ((mcp_answers_end (&answers) != NULL) == (due != 0));
  HOLDS (due == 0 || answers.text.len == due * 3 + 1);
  mcp_answers_free (&answers);
  buf_free (&answer);
}

static void
check_mirrored (const struct mcp_message *m)
{
  struct mirrored_list list = { NULL, 0 };
  struct error err = { 0 };

  HOLDS (mirrored_read (&list, &m->tape, json_root (&m->tape), &err) == (err.text[0] == '\0'));
  mirrored_free (&list);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = piece_of (data, size);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct mcp_message m;
  struct mcp_fault fault;
  uint64_t stream, number;

  (void) mcp_event_id_read ((struct slice){ text.text, text.len }, &stream, &number);
  if (!mcp_message_read (&m, text.text, text.len, &limits, &arena, &fault)) {
    check_fault (&fault);
    if (m.root != NULL)
      check_mirrored (&m);
    return 0;
  }
  check_mirrored (&m);
  if (m.kind == MCP_BATCH)
    check_batch (&m);
  else
    check_message (&m);
  return 0;
}

#include "front/mcp/batch.h"

#include <stdlib.h>

/* ---- reading ---- */

static bool
version_has_batches (const char *version)
{
  static const char *const versions[] = { "2025-03-26", "2024-11-05" };

  for (size_t i = 0; version != NULL && i < sizeof versions / sizeof versions[0]; i++)
    if (strcmp (version, versions[i]) == 0)
      return true;
  return false;
}

static bool
refuse (struct mcp_fault *fault, const char *why)
{
  return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400, "Invalid Request: %s", why);
}

bool
mcp_batch_check (const struct mcp_message *batch, const char *version, struct mcp_fault *fault)
{
  struct mcp_batch_walk walk = mcp_batch_walk (batch);
  struct mcp_message m;
  struct mcp_fault of_item;

  if (!version_has_batches (version))
    return refuse (fault, "expected one message, got a batch");
  if (batch->root->count == 0)
    return refuse (fault, "the batch is empty");
  if (batch->root->count > MCP_BATCH_MAX)
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: the batch has more than %d messages", MCP_BATCH_MAX);
  while (mcp_batch_next (&walk, &m, &of_item))
    if (m.version != NULL)
      return refuse (fault, "a message of " MCP_MODERN_VERSION " stands in no batch");
  return true;
}

struct mcp_batch_walk
mcp_batch_walk (const struct mcp_message *batch)
{
  return (struct mcp_batch_walk){ .batch = batch, .next = json_first (batch->root) };
}

bool
mcp_batch_next (struct mcp_batch_walk *walk, struct mcp_message *m, struct mcp_fault *fault)
{
  const struct json_node *item = walk->next;

  if (item == json_end (walk->batch->root))
    return false;
  walk->next = json_next (item);
  *fault = (struct mcp_fault){ .status = 200 };
  if (mcp_message_read_item (m, walk->batch, item, fault) && m->kind == MCP_REQUEST
      && slice_is (m->method, "initialize"))
    (void) refuse (fault, "initialize stands in no batch");
  return true;
}

unsigned
mcp_batch_due (const struct mcp_message *batch)
{
  struct mcp_batch_walk walk = mcp_batch_walk (batch);
  struct mcp_message m;
  struct mcp_fault fault;
  unsigned due = 0;

  while (mcp_batch_next (&walk, &m, &fault))
    due += fault.text[0] != '\0' || m.kind == MCP_REQUEST;
  return due;
}

/* ---- answering ---- */

void
mcp_answers_add (struct mcp_answers *answers, const struct buf *message)
{
  struct buf copy = { 0 };

  buf_append (&copy, message->data, message->len);
  answers->list = xrealloc (answers->list, (answers->count + 1) * sizeof *answers->list);
  answers->list[answers->count++] = copy;
}

struct buf *
mcp_answers_end (struct mcp_answers *answers)
{
  struct buf *text = &answers->text;

  if (answers->count == 0)
    return NULL;
  for (unsigned i = 0; i < answers->count; i++) {
    buf_putc (text, i == 0 ? '[' : ',');
    buf_append (text, answers->list[i].data, answers->list[i].len);
  }
  buf_putc (text, ']');
  return text;
}

void
mcp_answers_free (struct mcp_answers *answers)
{
  for (unsigned i = 0; i < answers->count; i++)
    buf_free (&answers->list[i]);
  free (answers->list);
  buf_free (&answers->text);
}

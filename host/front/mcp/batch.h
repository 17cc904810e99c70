/* batch.h - JSON-RPC batches, which clients of 2025-03-26 and 2024-11-05 may send: their items, and
 * the answers until all are there.  Pure but for its memory. */
#ifndef TOOLHOST_FRONT_MCP_BATCH_H
#define TOOLHOST_FRONT_MCP_BATCH_H

#include "front/mcp/message.h"

enum { MCP_BATCH_MAX = 100 };

/* May a client of this version (NULL: of none) send this batch?  False: the fault says why not. */
bool mcp_batch_check (const struct mcp_message *batch, const char *version,
                      struct mcp_fault *fault);

/* Item by item: false at the end.  `m` is the item; when it is no message that may stand there, the
 * fault's text says why, else that is empty. */
struct mcp_batch_walk {
  const struct mcp_message *batch;
  const struct json_node *next;
};
struct mcp_batch_walk mcp_batch_walk (const struct mcp_message *batch);
bool mcp_batch_next (struct mcp_batch_walk *walk, struct mcp_message *m, struct mcp_fault *fault);
/* How many of its items get an answer. */
unsigned mcp_batch_due (const struct mcp_message *batch);

/* Zero-initialised. */
struct mcp_answers {
  struct buf *list;
  unsigned count;
  struct buf text; /* of all, as one document */
};
void mcp_answers_add (struct mcp_answers *answers, const struct buf *message);
/* As one document; NULL when there are none. */
struct buf *mcp_answers_end (struct mcp_answers *answers);
void mcp_answers_free (struct mcp_answers *answers);

#endif

/* ask.h - what a call asks of its caller before it goes on, and what was answered: the whole state
 * of a call between two rounds.
 *
 * A tool that asks ends its run (outcome.c), and nothing of it stays but a struct ask.  A front
 * shows `open`, hands answers to ask_answer, and starts the same call again with the ask in its
 * request.  Where it lies meanwhile is the front's affair: in memory, or packed and sealed
 * (seal.h) in the caller's own hands.
 *
 * Questions and answers are those of MCP: { "method", "params" } and the results of these methods.
 * What comes from a worker is checked as strictly as what comes from a client (ask.schema.json).
 * Loop thread only. */
#ifndef TOOLHOST_CALL_ASK_H
#define TOOLHOST_CALL_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tape.h"

enum {
  ASK_ROUNDS_MAX = 16,          /* that a call may ask in a row */
  ASK_ANSWERS_MAX = 256 * 1024, /* bytes of all answers to a call */
  ASK_PACKED_MAX = ASK_ANSWERS_MAX + 64 * 1024
};

/* The compiled ask.schema.json.  Immutable. */
struct ask_rules;
struct ask_rules *ask_rules_new (void);
void ask_rules_free (struct ask_rules *rules);

struct ask {
  char approval[40];   /* by which its call was approved; "": it needed none */
  bool of_approval;    /* what is asked is whether it may run, by that (approval_form.h) */
  struct buf open;     /* { key: { "method", "params"? }, … }; may hold line breaks */
  struct buf answers;  /* { key: { "is", "value"? }, … }: for the worker */
  struct buf kept;     /* the tool's own bytes */
  unsigned open_count; /* questions without an answer */
  unsigned rounds;     /* asked so far */
};

struct ask *ask_new (void);
void ask_free (struct ask *ask);

/* Take the questions of a round: `asked` as a worker told it (base/frame.h), for a caller that can
 * be asked `kinds`.  They take the place of those that were open.  False: it breaks the rules, err
 * says how; the ask is unchanged. */
bool ask_open (struct ask *ask, const struct ask_rules *rules, const struct json_tape *tape,
               const struct json_node *asked, unsigned kinds, struct error *err);

/* Take the answers among `responses`, an object { key: result, … }, to questions that are open;
 * other keys don't matter.  False: one is not what its question wants, err says which and how; none
 * was taken.  *taken, when not NULL, counts. */
bool ask_answer (struct ask *ask, const struct ask_rules *rules, const struct json_tape *tape,
                 const struct json_node *responses, size_t *taken, struct error *err);

/* … the same of one question: its answer as its method's result. */
bool ask_answer_one (struct ask *ask, const struct ask_rules *rules, const char *key,
                     const struct json_tape *tape, const struct json_node *response,
                     struct error *err);

/* There will be no answer to what is open, or to `key` of it alone: "expired", "declined". */
void ask_settle (struct ask *ask, const char *key, const char *is);

/* All that the next round needs, as bytes; of questions only what their answers are checked by.
 * ask_unpack takes only what ask_pack made (a seal vouches for it); NULL: it is not. */
void ask_pack (const struct ask *ask, struct buf *out);
struct ask *ask_unpack (const char *packed, size_t len);

/* The kinds (enum frame_ask) as the capabilities of an MCP client that has them: {"sampling":{}}.
 */
void ask_capabilities (unsigned kinds, struct buf *out);

#endif

/* ask.h - what a call asks of people and of the caller's model, what they answered in the rounds
 * before, and what the tool keeps from one round to the next.
 *
 * The answers come from the daemon as { key: { "is": "answered" | "declined" | "dismissed" |
 * "expired", "value": … }, … }; the questions go to it as base/frame.h says of FRAME_OUTCOME_ASKED.
 * The daemon looks at both itself and believes nothing of what is checked here: that is for the
 * tool's author.  Of one call; not locked. */
#ifndef TOOLHOST_WORKER_ASK_H
#define TOOLHOST_WORKER_ASK_H

#include <toolhost.h>

#include "base/buf.h"
#include "base/frame.h"
#include "base/json_write.h"
#include "worker/lazy_json.h"

struct tool_call;

struct asking {
  unsigned kinds; /* enum frame_ask: what the caller can be asked */
  struct lazy_json answers;
  const char *kept; /* in the last round, or in this one */
  size_t kept_len;
  struct buf open;
  struct json_writer asks; /* onto open */
  unsigned count;          /* of questions in it */
  unsigned needs;          /* kinds that were wanted in vain */
};

void asking_begin (struct asking *asking);
/* Nothing of the plugin's points into it any more. */
void asking_end (struct asking *asking);
void asking_free (struct asking *asking);

/* Did it ask, or would it have? */
bool asking_has_asked (const struct asking *asking);
/* Close the JSON in `open`: for the daemon. */
void asking_finish (struct asking *asking);

/* As toolhost_ask and its company promise; a fault of the tool's is noted in the call. */
int32_t ask (struct tool_call *call, const char *key, const char *kind, const char *params,
             size_t len, const char **answer, size_t *answer_len);
int32_t ask_form (struct tool_call *call, const char *key, const char *message, size_t message_len,
                  const char *schema, size_t schema_len);
toolhost_status ask_answer (struct tool_call *call, const char *key, const char *where,
                            toolhost_value *value);
toolhost_status ask_keep (struct tool_call *call, const void *data, size_t len);
const void *ask_kept (const struct tool_call *call, size_t *len);

#endif

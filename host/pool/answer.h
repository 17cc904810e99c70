/* answer.h - what a worker says came of a call, read as an enemy's.  Pure: any thread. */
#ifndef TOOLHOST_POOL_ANSWER_H
#define TOOLHOST_POOL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_tape.h"
#include "pool/job.h"

/* How deep and how large the JSON of a result may be. */
extern const struct json_limits answer_json_limits;

/* Cut the body of a RESULT, whose head is end->result, into its four pieces and check each:
 * lengths, the code's letters, UTF-8, JSON, content of this kind.  `end` is given what they are;
 * all of it points into `body`, and the structured piece's nodes onto `tape`, in `arena`.  False:
 * it is not what it must be. */
bool answer_read (enum frame_content kind, const char *body, size_t len, struct arena *arena,
                  struct json_tape *tape, struct job_end *end);

#endif

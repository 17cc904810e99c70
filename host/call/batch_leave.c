/* The daemon stops. */
#include <stdlib.h>

#include "call/batching.h"

static struct call *
find_held (const struct batches *batches)
{
  for (const struct call_batch *batch = batches->list; batch != NULL; batch = batch->next) {
    const struct batch_member *m = batch_first_in (batch, MEMBER_READY);
    if (m != NULL)
      return m->call;
  }
  return NULL;
}

void
calls_leave_batches (struct calls *calls)
{
  static const char message[] = "The host is stopping.  Nothing of the call has begun: another "
                                "call of its batch still waits for a person's approval.";

  for (struct call *call; calls->batches != NULL && (call = find_held (calls->batches)) != NULL;) {
    struct result result = { .error = CALL_tool_unavailable,
                             .message = message,
                             .message_len = sizeof message - 1,
                             .retry_after_ms = 1000 };

    call_finish (call, &result, NULL);
  }
}

void
calls_free_batches (struct calls *calls)
{
  struct batches *batches = calls->batches;

  if (batches == NULL)
    return;
  for (struct call_batch *batch; (batch = batches->list) != NULL;) {
    batch->refs++;
    while (batch->first != NULL)
      batch_member_free (batch->first);
    batch->refs = 1;
    batch_less (batch);
  }
  ev_timer_stop (calls->loop, &batches->soon);
  if (calls->approvals != NULL)
    approvals_unwatch (&batches->watcher);
  free (batches);
  calls->batches = NULL;
}

/* What an agent goes on with after a question: all that run_on looks at, as JSON. */
#include <string.h>

#include "run.h"

static void
write_calls (struct text *out, const struct run *run)
{
  json_name (out, "batch");
  json_open (out, '[');
  for (size_t i = 0; i < run->turn.count; i++) {
    json_open (out, '{');
    json_name_int (out, "index", run->turn.calls[i].index);
    json_name_string (out, "id", text_get (&run->turn.calls[i].id));
    json_name_string (out, "name", text_get (&run->turn.calls[i].name));
    json_name_string (out, "args", text_get (&run->turn.calls[i].args));
    if (run->done[i]) {
      json_name_string (out, "told", text_get (&run->outcomes[i].text));
      json_name_bool (out, "error", run->outcomes[i].is_error);
    }
    value_write_member (out, "asks", run->asks[i]);
    json_close (out, '}');
  }
  json_close (out, ']');
}

bool
run_keep (struct run *run)
{
  CLEANUP_TEXT struct text out = { 0 };

  json_open (&out, '{');
  value_write_member (&out, "items", run->items);
  json_name_int (&out, "iterations", run->iterations);
  json_name_int (&out, "calls", run->calls);
  json_name_int (&out, "errors", run->errors);
  json_name_string (&out, "context", text_get (&run->context));
  json_name_string (&out, "task", text_get (&run->task));
  json_name_string (&out, "text", text_get (&run->turn.text));
  value_write_member (&out, "said", run->turn.items);
  write_calls (&out, run);
  json_close (&out, '}');
  return text_ok (&out) && out.len <= TOOLHOST_KEEP_MAX
         && toolhost_keep (run->call, out.data, out.len) == TOOLHOST_OK;
}

/* ---- back ------------------------------------------------------------------------------- */

static void
copy (struct text *to, const struct value *from, const char *name)
{
  size_t len;
  const char *text = text_of (from, name, &len);

  text_add_len (to, text, len);
}

static void
read_call (struct run *run, const struct value *kept)
{
  const size_t i = run->turn.count;
  struct turn_call *call =
    turn_call_at (&run->turn, (int64_t) value_number (value_get_z (kept, "index")));

  if (call == NULL || i == run->turn.count)
    return;
  copy (&call->id, kept, "id");
  copy (&call->name, kept, "name");
  copy (&call->args, kept, "args");
  run->asks[i] = value_get_z (kept, "asks");
  if (value_get_z (kept, "told") == NULL)
    return;
  copy (&run->outcomes[i].text, kept, "told");
  run->outcomes[i].call = call;
  run->outcomes[i].is_error = value_is (value_get_z (kept, "error"), VALUE_TRUE);
  run->done[i] = true;
}

/* An agent that asked itself (a2a) gets the answer as the next message. */
static void
take_answer (struct run *run)
{
  CLEANUP_TEXT struct text json = { 0 };
  char key[32];
  const char *answer;

  (void) snprintf (key, sizeof key, "input.%lld", (long long) run->iterations);
  answer = toolhost_answer_string (run->call, key, "answer", NULL);
  if (answer == NULL)
    answer = "(no answer)";
  run->iterations++;
  json_open (&json, '{');
  json_name_string (&json, "content", answer);
  json_name_string (&json, "id", key);
  json_close (&json, '}');
  run->items = conversation_add (&run->pool, &value_no_items, &json);
}

bool
run_resume (struct run *run)
{
  size_t len;
  const char *text = toolhost_kept (run->call, &len);
  const struct value *kept = text != NULL ? value_parse (&run->pool, text, len) : NULL;
  const struct value *batch = value_get_z (kept, "batch");

  if (!value_is (batch, VALUE_ARRAY) || !value_is (value_get_z (kept, "items"), VALUE_ARRAY))
    return false;
  run->items = value_get_z (kept, "items");
  run->iterations = (int64_t) value_number (value_get_z (kept, "iterations"));
  run->calls = (int64_t) value_number (value_get_z (kept, "calls"));
  run->errors = (int64_t) value_number (value_get_z (kept, "errors"));
  copy (&run->context, kept, "context");
  copy (&run->task, kept, "task");
  copy (&run->turn.text, kept, "text");
  run->turn.items = value_get_z (kept, "said");
  run->turn.pool = &run->pool;
  for (size_t i = 0; i < batch->count; i++)
    read_call (run, batch->items[i]);
  if (run->turn.count == 0)
    take_answer (run);
  return true;
}

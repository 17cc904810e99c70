/* What a run comes to: the result for the model, and the trace. */
#include <string.h>

#include "run.h"

const char *
run_code (const struct run *run)
{
  if (run->ok)
    return "";
  return run->failed != NULL ? run->failed->result.code : "out_of_memory";
}

const char *
run_message (const struct run *run)
{
  if (run->message.len != 0 || run->ok)
    return text_get (&run->message);
  return run->failed != NULL ? run->failed->result.message : "There is no memory left.";
}

static void
write_entry (const struct entry *entry, struct text *out)
{
  const struct result *result = &entry->result;

  json_open (out, '{');
  json_name_string (out, "action", entry->action->where);
  json_name_string (out, "type", action_type_names[entry->action->type]);
  json_name_bool (out, "ok", result->ok);
  if (!result->ok)
    json_name_string (out, "code", result->code);
  if (result->reason != NULL)
    json_name_string (out, "reason", result->reason);
  if (result->status != 0)
    json_name_int (out, "status", result->status);
  if (result->attempts != 0)
    json_name_int (out, "attempts", result->attempts);
  if (entry->branch != NULL)
    json_name_string (out, "branch", entry->branch);
  if (entry->continued)
    json_name_bool (out, "continued", true);
  if (entry->missing->count != 0) {
    json_name (out, "missing");
    value_write (out, entry->missing);
  }
  json_name_int (out, "ms", entry->ms);
  json_close (out, '}');
}

void
run_write_trace (const struct run *run, struct text *out)
{
  json_open (out, '[');
  for (size_t i = 0; i < run->entry_count; i++)
    write_entry (&run->entries[i], out);
  json_close (out, ']');
}

void
run_write_output (const struct run *run, bool trace, struct text *out)
{
  json_open (out, '{');
  json_name_bool (out, "ok", run->ok);
  if (!run->ok)
    json_name_string (out, "error", run_code (run));
  json_name_string (out, "message", run_message (run));
  if (run->said)
    json_name_bool (out, "said", true);
  json_name (out, "data");
  value_write (out, run->data);
  if (trace) {
    json_name (out, "trace");
    run_write_trace (run, out);
  }
  json_close (out, '}');
}

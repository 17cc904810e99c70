#include <stdio.h>

#include "base/json_write.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct reply reply = { 0 };

  (void) count;
  buf_puts (&text, "/v1/calls/");
  url_escape (&text, words[0]);
  buf_puts (&text, "?running=true"); /* a slip must not stand in the way of a call to come */
  enum cli_exit status = client_fetch (options, "DELETE", buf_cstr (&text), &reply);
  reply_free (&reply);
  if (status != CLI_OK)
    return status;
  buf_reset (&text, text.cap);
  if (command_wants_json (options)) {
    struct json_writer w = { .out = &text };
    jsonw_object (&w);
    jsonw_name_string (&w, "cancelled", words[0]);
    jsonw_end (&w);
  }
  else
    buf_printf (&text, "cancelled %s", words[0]);
  out_text (text.data, text.len);
  return CLI_OK;
}

const struct command command_cancel = {
  .name = "cancel",
  .usage = "CALL_ID [--json]",
  .summary = "cancel a running call",
  .details = "The id is the one the caller gave, or the one in the daemon's log.  The caller gets\n"
             "tool_cancelled at once; a tool that does not stop is killed after its grace.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .least = 1,
  .most = 1,
  .run = run,
};

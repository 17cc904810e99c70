#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct reply reply = { 0 };
  const char *text = command_wants_json (options) ? "{\"reloaded\":true}" : "reloaded";

  (void) words;
  (void) count;
  enum cli_exit status = client_fetch (options, "POST", "/v1/reload", &reply);
  reply_free (&reply);
  if (status == CLI_OK)
    out_text (text, strlen (text));
  return status;
}

const struct command command_reload = {
  .name = "reload",
  .usage = "[--json]",
  .summary = "make the daemon read its configuration and policies again",
  .details =
    "If a file is wrong the daemon keeps what it had; the error names file, path, what was\n"
    "expected and what was found.  Needs the local socket, as root or the daemon's user.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .run = run,
};

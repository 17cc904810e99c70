#include "cli/command.h"
#include "cli/out.h"
#include "front/rest/rest.h"

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf text = { 0 };

  (void) options;
  (void) words;
  (void) count;
  rest_describe (TOOLHOST_VERSION, &text);
  out_text (text.data, text.len);
  return CLI_OK;
}

const struct command command_openapi = {
  .name = "openapi",
  .usage = "",
  .summary = "print the daemon's HTTP interface as OpenAPI 3.1",
  .details = "What GET /openapi.json of a daemon of this version answers; no daemon is needed.\n",
  .run = run,
};

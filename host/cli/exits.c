#include "cli/exits.h"

#include <string.h>

static const struct {
  const char *code;
  enum cli_exit status;
} by_code[] = {
  { "tool_not_found", CLI_NOT_FOUND },
  { "call_not_found", CLI_NOT_FOUND },
  { "resource_not_found", CLI_NOT_FOUND },
  { "prompt_not_found", CLI_NOT_FOUND },
  { "ask_not_found", CLI_NOT_FOUND },
  { "tool_args_parse_error", CLI_REFUSED },
  { "tool_args_invalid", CLI_REFUSED },
  { "tool_not_allowed", CLI_NOT_ALLOWED },
  { "guardrail_rejected", CLI_NOT_ALLOWED },
  { "approval_rejected", CLI_NOT_ALLOWED },
  { "approval_expired", CLI_NOT_ALLOWED },
  { "tool_timeout", CLI_TIMED_OUT },
  { "tool_crashed", CLI_CRASHED },
  { "worker_lost", CLI_CRASHED },
  { "outcome_unknown", CLI_CRASHED },
  { "call_in_progress", CLI_UNAVAILABLE },
  { "call_id_reused", CLI_REFUSED },
  { "tool_unavailable", CLI_UNAVAILABLE },
  { "tool_overloaded", CLI_UNAVAILABLE },
  { "max_invocations_reached", CLI_UNAVAILABLE },
  { "max_exceptions_reached", CLI_UNAVAILABLE },
  { "tool_cancelled", CLI_CANCELLED },
  { "bad_configuration", CLI_FAILED },
};

static const struct {
  long http;
  enum cli_exit status;
} by_http[] = {
  { 400, CLI_REFUSED },     { 401, CLI_NOT_ALLOWED }, { 403, CLI_NOT_ALLOWED },
  { 404, CLI_NOT_FOUND },   { 413, CLI_REFUSED },     { 422, CLI_REFUSED },
  { 429, CLI_UNAVAILABLE }, { 503, CLI_UNAVAILABLE },
};

enum cli_exit
exit_for_error (const char *code, long http)
{
  for (size_t i = 0; code != NULL && i < sizeof by_code / sizeof *by_code; i++)
    if (strcmp (by_code[i].code, code) == 0)
      return by_code[i].status;
  for (size_t i = 0; i < sizeof by_http / sizeof *by_http; i++)
    if (by_http[i].http == http)
      return by_http[i].status;
  return CLI_FAILED;
}

void
exits_describe (struct buf *out)
{
#define EXIT(name, number, meaning) buf_printf (out, "  %2d  %s\n", number, meaning);
#include "cli/exits.def"
#undef EXIT
}

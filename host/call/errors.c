#include "call/call.h"
#include "watch/log.h"

static const struct call_error_info infos[CALL_ERRORS] = {
  [CALL_OK] = { "ok", 200, LOG_INFO, "" },
#define ERROR(name, http, level, text) [CALL_##name] = { #name, http, LOG_##level, text },
#include "call/errors.def"
#undef ERROR
};

const struct call_error_info *
call_error_info (enum call_error error)
{
  return &infos[error];
}

#include "call/call_audit.h"

#include "audit/audit.h"
#include "base/json_write.h"
#include "call/guarding.h"
#include "call/resolve.h"
#include "catalog/hash.h"
#include "watch/redact.h"

static const char *const words[AUDIT_WAYS] = {
  [AUDIT_NONE] = "none", [AUDIT_DIGEST] = "digest", [AUDIT_SHAPE] = "shape"
};

int
audit_arguments_of (const char *word)
{
  for (int i = 0; i < AUDIT_WAYS; i++)
    if (strcmp (word, words[i]) == 0)
      return i;
  return -1;
}

static void
put_arguments (const struct calls *calls, const struct call *call, struct json_writer *w)
{
  CLEANUP_BUF struct buf shape = { 0 }, room = { 0 };
  size_t len = call->args_len;
  const char *args =
    call->args.data != NULL ? call_redact_json (call, call->args.data, &len, &room) : NULL;
  char hex[SHA256_HEX];

  if (args == NULL) /* there are none, or they were redacted as a whole */
    return;
  switch ((enum audit_arguments) calls->settings.audit_arguments) {
  case AUDIT_DIGEST: {
    struct hash *hash = hash_new ();
    hash_add (hash, args, len);
    hash_end (hash, hex);
    jsonw_name_string (w, "arguments_sha256", hex);
    break;
  }
  case AUDIT_SHAPE:
    redact_json (args, len, &shape);
    jsonw_name_raw (w, "arguments", shape.data, shape.len);
    break;
  default:
    break;
  }
}

static void
put_string (struct json_writer *w, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    jsonw_name_string (w, name, text);
}

/* Who: a call without a principal is that of whoever may call. */
static void
put_caller (const struct call *call, struct json_writer *w)
{
  jsonw_name_string (w, "tenant", call->tenant != NULL ? call->tenant : TENANT_DEFAULT);
  put_string (w, "principal", call->principal);
  put_string (w, "session", call->session_id);
  put_string (w, "front", call->front);
}

void
call_audit_end (struct calls *calls, const struct call *call, const char *tool,
                const struct result *result)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  if (calls->settings.audit == NULL || call->kind == CALL_LIST)
    return;
  jsonw_object (&w);
  put_caller (call, &w);
  put_string (&w, "kind", call_kind_word (call->kind)); /* none: a tool */
  jsonw_name_string (&w, "tool", tool);
  put_string (&w, "call", call->id);
  put_arguments (calls, call, &w);
  jsonw_name_string (&w, "outcome", result->error == CALL_OK ? "ok" : result->code);
  if (result->replayed)
    jsonw_name_bool (&w, "replayed", true);
  jsonw_name (&w, "wall_us");
  jsonw_uint (&w, result->usage.wall_us);
  jsonw_end (&w);
  audit_add (calls->settings.audit, "tool_call", members.data, members.len);
}

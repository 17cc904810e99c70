/* request_transfer - transfer the caller of a telephone call to somebody else.
 *
 * The tool is built for each tenant from its feature "refer"; a tenant without it, or without a
 * destination that is enabled, has no such tool.  The transfer itself is the host's call service.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/json_scan.h"
#include "refer.h"

/* ---- the log ---- */

/* The telephone's id of the call; where there is no telephone, the session's. */
static const char *
phone_call_id (toolhost_call *call)
{
  const toolhost_call_service *service = toolhost_extension (call->host, TOOLHOST_CALL_SERVICE_ID);
  const char *id = service != NULL && TOOLHOST_CALL_SERVICE_REACHES (service, call_id)
                     ? service->call_id (call)
                     : NULL;

  if (id == NULL)
    id = toolhost_session_id (call);
  return id != NULL ? id : "";
}

/* What most events of a call have. */
static void
begin_event (struct text *event, toolhost_call *call)
{
  json_open (event, '{');
  json_name_string (event, "function_call_id", toolhost_call_id (call));
  json_name_string (event, "openai_sip_call_id", phone_call_id (call));
}

static void
end_event (struct text *event, toolhost_call *call, const char *name)
{
  json_close (event, '}');
  (void) toolhost_event (call, TOOLHOST_INFO, name, text_get (event));
}

static int
by_bytes (const void *a, const void *b)
{
  return strcmp (text_get (a), text_get (b));
}

enum { KEYS_MAX = 16 /* more than there are parameters */ };

static void
put_argument_keys (struct text *out, toolhost_call *call)
{
  struct text keys[KEYS_MAX] = { { .data = NULL } };
  size_t len, count = 0;
  const char *args = toolhost_args (call, &len);
  struct json_scan scan = { args, args + len };

  if (json_scan_enter (&scan, '{'))
    while (count < KEYS_MAX && json_scan_name (&scan, &keys[count]) && json_scan_skip (&scan))
      count++;
  qsort (keys, count, sizeof *keys, by_bytes);
  json_open (out, '[');
  for (size_t i = 0; i < count; i++)
    json_string (out, text_get (&keys[i]));
  json_close (out, ']');
  for (size_t i = 0; i < KEYS_MAX; i++)
    text_free (&keys[i]);
}

/* A text of the caller's metadata, or null. */
static void
put_metadata (struct text *out, toolhost_call *call, const char *member)
{
  const char *metadata = toolhost_metadata (call);
  struct json_scan scan = { metadata, metadata + strlen (metadata) };
  CLEANUP_TEXT struct text name = { 0 }, value = { 0 };
  bool found = false;

  if (json_scan_enter (&scan, '{'))
    while (!found && json_scan_name (&scan, &name)) {
      found = strcmp (text_get (&name), member) == 0 && json_scan_string (&scan, &value);
      if (!found && !json_scan_skip (&scan))
        break;
    }
  json_name (out, member);
  if (found)
    json_string (out, text_get (&value));
  else
    json_raw (out, "null");
}

static void
tell_started (toolhost_call *call)
{
  CLEANUP_TEXT struct text event = { 0 };

  begin_event (&event, call);
  put_metadata (&event, call, "response_id");
  put_metadata (&event, call, "item_id");
  json_name (&event, "argument_keys");
  put_argument_keys (&event, call);
  end_event (&event, call, "request_transfer_started");
}

/* ---- to whom ---- */

enum resolution { FEATURE_DISABLED, RESOLVED, NOT_FOUND };

static void
tell_resolution (toolhost_call *call, const char *name, const char *id, const char *member,
                 const char *json)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_string (&event, "destination_id", id);
  if (member != NULL) {
    json_name (&event, member);
    json_raw (&event, json);
  }
  end_event (&event, call, name);
}

static enum resolution
resolve (const struct refer *refer, toolhost_call *call, const char *id, const char **target)
{
  const struct destination *d;
  CLEANUP_TEXT struct text json = { 0 };

  tell_resolution (call, "request_transfer_destination_resolution_started", id, NULL, NULL);
  if (!refer->enabled) {
    tell_resolution (call, "request_transfer_refer_feature_disabled", id, NULL, NULL);
    return FEATURE_DISABLED;
  }
  d = refer_find (refer, id);
  if (d == NULL) {
    refer_put_all (refer, &json);
    tell_resolution (call, "request_transfer_destination_not_found", id, "valid_destination_ids",
                     text_get (&json));
    return NOT_FOUND;
  }
  *target = text_get (&d->target);
  json_string (&json, *target);
  tell_resolution (call, "request_transfer_destination_resolved", id, "target_uri",
                   text_get (&json));
  return RESOLVED;
}

static void
tell_resolved (toolhost_call *call, const char *id, enum resolution resolution)
{
  /* what the system that named these events answers in each case */
  static const char *const types[] = {
    [FEATURE_DISABLED] = "NoneType", [RESOLVED] = "str", [NOT_FOUND] = "list"
  };
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_string (&event, "function_call_id", toolhost_call_id (call));
  json_name_string (&event, "destination_id", id);
  json_name_string (&event, "resolution_type", types[resolution]);
  end_event (&event, call, "request_transfer_destination_resolution_finished");
}

/* ---- results ---- */

/* The model reads { "error", "detail" }; `more` is a further member, or NULL. */
static toolhost_status
refuse (toolhost_call *call, const char *code, const char *detail, const char *more,
        const char *json)
{
  CLEANUP_TEXT struct text output = { 0 };

  json_open (&output, '{');
  json_name_string (&output, "error", code);
  json_name_string (&output, "detail", detail);
  if (more != NULL) {
    json_name (&output, more);
    json_raw (&output, json);
  }
  json_close (&output, '}');
  (void) toolhost_text (call, text_get (&output));
  return toolhost_fail (call, code, "%s", detail);
}

static toolhost_status
refuse_id (toolhost_call *call, const struct refer *refer)
{
  CLEANUP_TEXT struct text ids = { 0 };

  refer_put_all (refer, &ids);
  return refuse (call, "destination_not_found",
                 "There is no such destination. Use one of the valid destination ids.",
                 "valid_destination_ids", text_get (&ids));
}

static toolhost_status
answer (toolhost_call *call, const char *target, const char *reason)
{
  CLEANUP_TEXT struct text output = { 0 };

  json_open (&output, '{');
  json_name_string (&output, "message", "call_transfer_requested");
  json_name_string (&output, "target_uri", target);
  json_name_string (&output, "reason", reason);
  json_close (&output, '}');
  return toolhost_json (call, text_get (&output));
}

/* ---- the transfer ---- */

static void
begin_transfer (struct text *event, toolhost_call *call, const char *target)
{
  begin_event (event, call);
  json_name_string (event, "target_uri", target);
}

static toolhost_status
fail (toolhost_call *call, const char *target, const char *why)
{
  CLEANUP_TEXT struct text event = { 0 };

  begin_transfer (&event, call, target);
  json_name_string (&event, "tool_name", "request_transfer");
  json_name_string (&event, "error", why != NULL ? why : "the call service gave no reason");
  end_event (&event, call, "tool_execution_error");
  return refuse (call, "call_transfer_failed",
                 "Failed to transfer the call. Please handle the call without transfer.", NULL,
                 NULL);
}

static toolhost_status
refuse_without_service (toolhost_call *call)
{
  return refuse (call, "call_service_unavailable",
                 "This host has no call service (" TOOLHOST_CALL_SERVICE_ID
                 ") for this tool, so nothing was transferred.",
                 NULL, NULL);
}

static toolhost_status
transfer (toolhost_call *call, const char *id, const char *target, const char *reason)
{
  const toolhost_call_service *service = toolhost_extension (call->host, TOOLHOST_CALL_SERVICE_ID);
  const char *why = NULL;
  CLEANUP_TEXT struct text key = { 0 }, started = { 0 }, succeeded = { 0 };
  toolhost_status status;

  if (service == NULL)
    return refuse_without_service (call);
  text_addf (&key, "%s-transfer-%s", phone_call_id (call), target);
  begin_transfer (&started, call, target);
  json_name_string (&started, "destination_id", id);
  json_name_string (&started, "reason", reason);
  json_name_string (&started, "idempotency_key", text_get (&key));
  end_event (&started, call, "request_transfer_refer_call_started");
  status = service->refer (call, target, text_get (&key), &why);
  if (status == TOOLHOST_NOT_GRANTED)
    return refuse_without_service (call);
  if (status != TOOLHOST_OK)
    return fail (call, target, why);
  begin_transfer (&succeeded, call, target);
  json_name_string (&succeeded, "destination_id", id);
  end_event (&succeeded, call, "request_transfer_refer_call_succeeded");
  return answer (call, target, reason);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct refer *refer = self;
  const char *id = toolhost_arg_string (call, "destination_id"), *target = NULL;
  enum resolution resolution;

  tell_started (call);
  if (id == NULL)
    return refuse (call, "invalid_destination_id", "destination_id must be a text.", NULL, NULL);
  resolution = resolve (refer, call, id, &target);
  tell_resolved (call, id, resolution);
  if (resolution == NOT_FOUND)
    return refuse_id (call, refer);
  if (target == NULL || *target == '\0')
    return refuse (call, "destination_unavailable", "The destination can't be reached.", NULL,
                   NULL);
  return transfer (call, id, target, toolhost_arg_string_or (call, "reason", ""));
}

static const char *
definition (void *self)
{
  return text_get (&((struct refer *) self)->definition);
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 15000;
}

static const toolhost_tool request_transfer = { TOOLHOST_TOOL, .definition = definition,
                                                .execute = execute, .max_time = max_time };

/* ---- the builder ---- */

/* An event with one member; NULL: with none. */
static void
tell (toolhost_build *build, const char *name, const char *member, const char *json)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  if (member != NULL) {
    json_name (&event, member);
    json_raw (&event, json);
  }
  json_close (&event, '}');
  (void) toolhost_host_event (build->host, TOOLHOST_INFO, name, text_get (&event));
}

static void
tell_parameters (toolhost_build *build, const char *ids)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name (&event, "enum_destination_ids");
  json_raw (&event, ids);
  json_name (&event, "required");
  json_raw (&event, "[\"destination_id\"]");
  json_close (&event, '}');
  (void) toolhost_host_event (build->host, TOOLHOST_INFO, "tool_builder_refer_parameters_built",
                              text_get (&event));
}

static void
tell_definition (toolhost_build *build, const struct refer *refer, const char *ids)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_string (&event, "tool_name", "request_transfer");
  json_name (&event, "enabled_destination_ids");
  json_raw (&event, ids);
  json_name (&event, "parameters");
  json_raw (&event, text_get (&refer->parameters));
  json_close (&event, '}');
  (void) toolhost_host_event (build->host, TOOLHOST_INFO,
                              "tool_builder_refer_tool_definition_built", text_get (&event));
}

/* True: there is a tool.  False: there is none, and the log says why. */
static bool
word (toolhost_build *build, struct refer *refer)
{
  CLEANUP_TEXT struct text ids = { 0 }, count = { 0 };

  if (!refer->enabled) {
    tell (build, "tool_builder_refer_disabled", NULL, NULL);
    return false;
  }
  refer_word (refer);
  if (refer->offered_count == 0) {
    text_addf (&count, "%zu", refer->count);
    tell (build, "tool_builder_refer_no_enabled_destinations", "configured_destinations",
          text_get (&count));
    return false;
  }
  refer_put_offered (refer, &ids);
  tell (build, "tool_builder_refer_destinations_selected", "destination_ids", text_get (&ids));
  tell_parameters (build, text_get (&ids));
  tell_definition (build, refer, text_get (&ids));
  return true;
}

static void
release (void *self)
{
  refer_free (self);
  free (self);
}

static toolhost_status
build_refer (toolhost_build *build, const char *config, size_t len)
{
  struct refer *refer = calloc (1, sizeof *refer);
  toolhost_status status = TOOLHOST_OK;

  if (refer == NULL)
    return toolhost_build_error (build, "", "there is no memory");
  if (!refer_read (refer, build, config, len))
    status = TOOLHOST_FAILED;
  else if (word (build, refer)) {
    if (!text_ok (&refer->definition))
      status = toolhost_build_error (build, "", "there is no memory");
    else if (toolhost_add_tool (build, &request_transfer, refer) == TOOLHOST_OK)
      return TOOLHOST_OK; /* it is the tool's, until release */
    else
      status = toolhost_build_error (build, "", "the host takes no tool");
  }
  release (refer);
  return status;
}

static const toolhost_builder refer_builder = { TOOLHOST_BUILDER, .feature = "refer",
                                                .build = build_refer, .release = release };

TOOLHOST_PLUGIN (.name = "request_transfer", .version = "1.0",
                 .description = "Transfers the caller of a telephone call.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&refer_builder))

/* Every wrapper of the header with the arguments it promises to take: nothing of it runs. */
#include <toolhost.h>

toolhost_status every_wrapper (toolhost_call *call, toolhost_build *build);

static void
ask_for_arguments (toolhost_call *call)
{
  toolhost_value value;
  size_t len;

  (void) toolhost_args (call, &len);
  (void) toolhost_arg (call, "/a/0", &value);
  (void) toolhost_has_arg (call, "a");
  (void) toolhost_arg_string_len (call, "a", &len);
  (void) toolhost_arg_string_or (call, "a", "b");
  (void) toolhost_arg_string (call, "a");
  (void) toolhost_arg_int (call, "a", 1);
  (void) toolhost_arg_double (call, "a", 1.5);
  (void) toolhost_arg_bool (call, "a", true);
  (void) toolhost_arg_json (call, "a", &len);
  (void) toolhost_call_id (call);
  (void) toolhost_session_id (call);
  (void) toolhost_thread_id (call);
  (void) toolhost_run_id (call);
  (void) toolhost_tenant (call);
  (void) toolhost_metadata (call);
  (void) toolhost_uri (call);
  (void) toolhost_completing (call);
  (void) toolhost_partial (call);
}

static toolhost_status
give_results (toolhost_call *call)
{
  toolhost_text (call, "a");
  toolhost_text_len (call, "a", 1);
  toolhost_textf (call, "%d", 1);
  toolhost_json (call, "{}");
  toolhost_json_len (call, "{}", 2);
  toolhost_image (call, "", 0, "image/png");
  toolhost_audio (call, "", 0, "audio/wav");
  toolhost_resource (call, "a:b", NULL, "", 0);
  toolhost_blob (call, "a:b", NULL, "", 0);
  toolhost_resource_link (call, "a:b", "name", NULL);
  toolhost_contents (call, NULL, "", 0);
  toolhost_contents_blob (call, NULL, "", 0);
  toolhost_role (call, TOOLHOST_ASSISTANT);
  toolhost_suggest (call, "a");
  toolhost_list (call, "{}");
  toolhost_invalid (call, "/a", "%s", "wrong");
  (void) toolhost_why (call, "%s", "because");
  if (toolhost_guard_stage (call) == TOOLHOST_STAGE_INPUT && *toolhost_guard_tool (call) != '\0')
    toolhost_guard_arguments (call, "{}");
  (void) toolhost_guard_reject (call, "%s", "no");
  return toolhost_fail (call, "code", "%s", "reason");
}

static void
ask_servers (toolhost_call *call)
{
  toolhost_http_request request = { TOOLHOST_HTTP_REQUEST };
  toolhost_http_response response;

  request.url = "https://example.com/";
  request.redirects = TOOLHOST_HTTP_NO_REDIRECTS;
  (void) toolhost_http (call, &request, &response);
  (void) toolhost_http_header (&response, "a");
}

static void
go_on (toolhost_call *call)
{
  toolhost_retain (call);
  toolhost_progress (call, 1, 2, NULL);
  toolhost_progress (call, 1, 2, "%d", 1);
  toolhost_log (call, TOOLHOST_INFO, "%d", 1);
  toolhost_host_log (call->host, TOOLHOST_DEBUG, "%d", 1);
  (void) toolhost_cancelled (call);
  (void) toolhost_time_left (call);
  toolhost_sleep (call, 1);
  toolhost_complete (call, TOOLHOST_OK);
}

static void
use_toolset (toolhost_call *call)
{
  toolhost_invocation one;
  toolhost_invocation *list[1];

  memset (&one, 0, sizeof one);
  one.struct_size = (uint32_t) sizeof one;
  one.tool = "a";
  list[0] = &one;
  toolhost_invoke_all (call, list, 1);
}

static void
use_services (toolhost_call *call)
{
  toolhost_value value;
  const char *text;
  size_t len;
  bool set;

  toolhost_emit (call, "{}");
  toolhost_handoff (call, "{}");
  toolhost_context_get (call, "a", &text, &len);
  toolhost_context_set (call, "a", "1");
  toolhost_context_append (call, "a", "1");
  toolhost_context_change (call, "{}");
  toolhost_flag_set (call, "a");
  toolhost_flag_clear (call, "a");
  toolhost_flag_get (call, "a", &set);
  toolhost_secret (call, "a", &text, &len);
  toolhost_invoke (call, "a", "{}", &text, &len);
  toolhost_tools (call, NULL, &text, &len);
  use_toolset (call);
  (void) toolhost_ask (call, "a", "roots", "{}", &text, &len);
  (void) toolhost_ask_form (call, "a", "{}", "%d", 1);
  (void) toolhost_answer (call, "a", "", &value);
  (void) toolhost_answer_string (call, "a", "b", "");
  (void) toolhost_answer_bool (call, "a", "b", set);
  (void) toolhost_keep (call, "a", 1);
  (void) toolhost_kept (call, &len);
  (void) toolhost_extension (call->host, "toolhost.http/1");
  ask_servers (call);
}

toolhost_status
every_wrapper (toolhost_call *call, toolhost_build *build)
{
  static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = NULL };
  const char *text;
  size_t len;

  ask_for_arguments (call);
  go_on (call);
  use_services (call);
  toolhost_add_tool (build, &tool, NULL);
  toolhost_build_secret (build, "a", &text, &len);
  toolhost_build_error (build, "/a", "%d", 1);
  toolhost_rebuild (build->host, "a");
  toolhost_event (call, TOOLHOST_INFO, "a", "{}");
  toolhost_host_event (build->host, TOOLHOST_INFO, "a", NULL);
  toolhost_changed (build->host, TOOLHOST_RESOURCE_UPDATED, "a:b");
  return give_results (call);
}

/* The ABI's shape on 64-bit machines, release by release.  A line that fails means that plugins in
 * the field would break: grow structs at the end instead, and add lines. */
#include <toolhost.h>

#define AT(type, member, offset)                                                                   \
  _Static_assert(offsetof (type, member) == (offset), #type "." #member " has moved")
#define IS(name, value) _Static_assert((name) == (value), #name " has changed")
#define REACHES(type, size) _Static_assert(sizeof (type) >= (size), #type " has shrunk")

/* 0.1 */
IS (TOOLHOST_ABI, 1);
IS (TOOLHOST_OK, 0);
IS (TOOLHOST_FAILED, 1000);
IS (TOOLHOST_ASKED, 2000);
IS (TOOLHOST_LATER, 3000);
IS (TOOLHOST_NOT_GRANTED, 4000);
IS (TOOLHOST_NOT_FOUND, 5000);
IS (TOOLHOST_WRONG_TYPE, 6000);
IS (TOOLHOST_BAD_VALUE, 7000);
IS (TOOLHOST_CANCELLED, 8000);
IS (TOOLHOST_TOO_OLD, 9000);
IS (TOOLHOST_SERIAL, 1000);
IS (TOOLHOST_PARALLEL, 2000);
IS (TOOLHOST_EVENTED, 3000);
IS (TOOLHOST_DEBUG, 1000);
IS (TOOLHOST_INFO, 2000);
IS (TOOLHOST_NOTICE, 3000);
IS (TOOLHOST_WARNING, 4000);
IS (TOOLHOST_ERROR, 5000);
IS (TOOLHOST_NO_LIMIT, INT64_MAX);
IS (TOOLHOST_NULL, 1000);
IS (TOOLHOST_BOOL, 2000);
IS (TOOLHOST_INT, 3000);
IS (TOOLHOST_DOUBLE, 4000);
IS (TOOLHOST_STRING, 5000);
IS (TOOLHOST_ARRAY, 6000);
IS (TOOLHOST_OBJECT, 7000);
IS (TOOLHOST_CALL_ID, 1000);
IS (TOOLHOST_SESSION_ID, 2000);
IS (TOOLHOST_THREAD_ID, 3000);
IS (TOOLHOST_RUN_ID, 4000);
IS (TOOLHOST_TENANT, 5000);
IS (TOOLHOST_METADATA, 6000);
IS (TOOLHOST_PART_TEXT, 1000);
IS (TOOLHOST_PART_JSON, 2000);
IS (TOOLHOST_PART_IMAGE, 3000);
IS (TOOLHOST_PART_AUDIO, 4000);
IS (TOOLHOST_PART_RESOURCE, 5000);
IS (TOOLHOST_PART_LINK, 6000);
IS (TOOLHOST_PART_BLOB, 7000);
IS (TOOLHOST_ANSWERED, 1000);
IS (TOOLHOST_OPEN, 2000);
IS (TOOLHOST_DECLINED, 3000);
IS (TOOLHOST_DISMISSED, 4000);
IS (TOOLHOST_EXPIRED, 5000);
IS (TOOLHOST_UNASKABLE, 6000);
IS (sizeof (toolhost_status), 4);

#ifdef __LP64__
AT (toolhost_call, host, 0);
AT (toolhost_build, host, 0);

AT (toolhost_http_request, struct_size, 0);
AT (toolhost_http_request, redirects, 4);
AT (toolhost_http_request, method, 8);
AT (toolhost_http_request, url, 16);
AT (toolhost_http_request, headers, 24);
AT (toolhost_http_request, json, 32);
AT (toolhost_http_request, body, 40);
AT (toolhost_http_request, body_len, 48);
AT (toolhost_http_request, idempotency_key, 56);
AT (toolhost_http_request, timeout_ms, 64);
AT (toolhost_http_request, response_max, 72);
AT (toolhost_http_request, on_body, 80);
AT (toolhost_http_request, ctx, 88);
REACHES (toolhost_http_request, 96);

AT (toolhost_http_response, struct_size, 0);
AT (toolhost_http_response, status, 4);
AT (toolhost_http_response, headers, 8);
AT (toolhost_http_response, body, 16);
AT (toolhost_http_response, body_len, 24);
AT (toolhost_http_response, url, 32);
AT (toolhost_http_response, code, 40);
AT (toolhost_http_response, message, 48);
REACHES (toolhost_http_response, 56);

AT (toolhost_http_service, struct_size, 0);
AT (toolhost_http_service, request, 8);
REACHES (toolhost_http_service, 16);

AT (toolhost_tool, struct_size, 0);
AT (toolhost_tool, definition, 8);
AT (toolhost_tool, validate, 16);
AT (toolhost_tool, can_execute, 24);
AT (toolhost_tool, execute, 32);
AT (toolhost_tool, max_time, 40);
REACHES (toolhost_tool, 48);

AT (toolhost_builder, struct_size, 0);
AT (toolhost_builder, feature, 8);
AT (toolhost_builder, build, 16);
AT (toolhost_builder, release, 24);
REACHES (toolhost_builder, 32);

AT (toolhost_plugin, struct_size, 0);
AT (toolhost_plugin, abi, 4);
AT (toolhost_plugin, min_host, 8);
AT (toolhost_plugin, name, 16);
AT (toolhost_plugin, version, 24);
AT (toolhost_plugin, description, 32);
AT (toolhost_plugin, threads, 40);
AT (toolhost_plugin, tools, 48);
AT (toolhost_plugin, builders, 56);
AT (toolhost_plugin, open, 64);
AT (toolhost_plugin, close, 72);
AT (toolhost_plugin, extension, 80);
REACHES (toolhost_plugin, 88);

AT (toolhost_value, struct_size, 0);
AT (toolhost_value, type, 4);
AT (toolhost_value, integer, 8);
AT (toolhost_value, number, 16);
AT (toolhost_value, string, 24);
AT (toolhost_value, string_len, 32);
AT (toolhost_value, json, 40);
AT (toolhost_value, json_len, 48);
REACHES (toolhost_value, 56);

AT (toolhost_part, struct_size, 0);
AT (toolhost_part, kind, 4);
AT (toolhost_part, data, 8);
AT (toolhost_part, len, 16);
AT (toolhost_part, mime_type, 24);
AT (toolhost_part, uri, 32);
AT (toolhost_part, name, 40);
AT (toolhost_part, title, 48);
AT (toolhost_part, description, 56);
AT (toolhost_part, annotations, 64);
REACHES (toolhost_part, 72);

AT (toolhost_host, struct_size, 0);
AT (toolhost_host, abi, 4);
AT (toolhost_host, version, 8);
AT (toolhost_host, extension, 16);
AT (toolhost_host, host_log, 24);
AT (toolhost_host, rebuild, 32);
AT (toolhost_host, add_tool, 40);
AT (toolhost_host, build_error, 48);
AT (toolhost_host, build_secret, 56);
AT (toolhost_host, args, 64);
AT (toolhost_host, arg, 72);
AT (toolhost_host, info, 80);
AT (toolhost_host, part, 88);
AT (toolhost_host, fail, 96);
AT (toolhost_host, invalid, 104);
AT (toolhost_host, why, 112);
AT (toolhost_host, retain, 120);
AT (toolhost_host, complete, 128);
AT (toolhost_host, progress, 136);
AT (toolhost_host, log, 144);
AT (toolhost_host, cancelled, 152);
AT (toolhost_host, time_left, 160);
AT (toolhost_host, sleep, 168);
AT (toolhost_host, emit, 176);
AT (toolhost_host, handoff, 184);
AT (toolhost_host, context_get, 192);
AT (toolhost_host, context_set, 200);
AT (toolhost_host, context_append, 208);
AT (toolhost_host, flag_set, 216);
AT (toolhost_host, flag_clear, 224);
AT (toolhost_host, flag_get, 232);
AT (toolhost_host, secret, 240);
AT (toolhost_host, invoke, 248);
AT (toolhost_host, ask, 256);
REACHES (toolhost_host, 264);

/* 0.2 */
IS (TOOLHOST_URI, 7000);
IS (TOOLHOST_COMPLETING, 8000);
IS (TOOLHOST_PARTIAL, 9000);
IS (TOOLHOST_USER, 1000);
IS (TOOLHOST_ASSISTANT, 2000);
IS (TOOLHOST_TOOLS_CHANGED, 1000);
IS (TOOLHOST_RESOURCES_CHANGED, 2000);
IS (TOOLHOST_RESOURCE_UPDATED, 3000);
IS (TOOLHOST_PROMPTS_CHANGED, 4000);
IS (TOOLHOST_STAGE_INPUT, 1000);
IS (TOOLHOST_STAGE_OUTPUT, 2000);
IS (TOOLHOST_STAGE_ERROR, 3000);

AT (toolhost_readable, struct_size, 0);
AT (toolhost_readable, definition, 8);
AT (toolhost_readable, can_read, 16);
AT (toolhost_readable, read, 24);
AT (toolhost_readable, complete, 32);
AT (toolhost_readable, max_time, 40);
AT (toolhost_readable, list, 48);
REACHES (toolhost_readable, 56);

AT (toolhost_prompt, struct_size, 0);
AT (toolhost_prompt, definition, 8);
AT (toolhost_prompt, can_get, 16);
AT (toolhost_prompt, get, 24);
AT (toolhost_prompt, complete, 32);
AT (toolhost_prompt, max_time, 40);
REACHES (toolhost_prompt, 48);

AT (toolhost_resources, struct_size, 0);
AT (toolhost_resources, readables, 8);
REACHES (toolhost_resources, 16);
AT (toolhost_prompts, struct_size, 0);
AT (toolhost_prompts, prompts, 8);
REACHES (toolhost_prompts, 16);

AT (toolhost_guard, struct_size, 0);
AT (toolhost_guard, definition, 8);
AT (toolhost_guard, check, 16);
AT (toolhost_guard, on_error, 24);
REACHES (toolhost_guard, 32);
AT (toolhost_guards, struct_size, 0);
AT (toolhost_guards, guards, 8);
REACHES (toolhost_guards, 16);

AT (toolhost_part, meta, 72);
REACHES (toolhost_part, 80);

AT (toolhost_host, role, 264);
AT (toolhost_host, suggest, 272);
AT (toolhost_host, changed, 280);
AT (toolhost_host, ask_form, 288);
AT (toolhost_host, answer, 296);
AT (toolhost_host, keep, 304);
AT (toolhost_host, kept, 312);
AT (toolhost_host, list, 320);
AT (toolhost_host, event, 328);
AT (toolhost_host, context_change, 336);
REACHES (toolhost_host, 344);

AT (toolhost_call_service, refer, 8);
AT (toolhost_call_service, hangup, 16);
AT (toolhost_call_service, dtmf, 24);
AT (toolhost_call_service, say, 32);
AT (toolhost_call_service, call_id, 40);
REACHES (toolhost_call_service, 48);

/* 0.3 */
AT (toolhost_invocation, struct_size, 0);
AT (toolhost_invocation, status, 4);
AT (toolhost_invocation, tool, 8);
AT (toolhost_invocation, args, 16);
AT (toolhost_invocation, args_len, 24);
AT (toolhost_invocation, answers, 32);
AT (toolhost_invocation, result, 40);
AT (toolhost_invocation, result_len, 48);
REACHES (toolhost_invocation, 56);
AT (toolhost_toolset, struct_size, 0);
AT (toolhost_toolset, tools, 8);
AT (toolhost_toolset, invoke, 16);
REACHES (toolhost_toolset, 24);
#endif

/* fixtures.h - what conformance.c registers, by the file that has it. */
#ifndef TOOLHOST_PLUGINS_CONFORMANCE_FIXTURES_H
#define TOOLHOST_PLUGINS_CONFORMANCE_FIXTURES_H

#include <toolhost.h>

/* ---- tools.c: what a result may hold ---- */
extern const toolhost_tool simple_text, image_content, audio_content, embedded_resource,
  multiple_content_types, error_handling, json_schema_2020_12, header_parameter, greet;

/* ---- tools_running.c: what a call may do while it runs ---- */
extern const toolhost_tool with_progress, with_logging, logging_tool, reconnection,
  trigger_tool_change, trigger_prompt_change, trigger_resource_change;

/* ---- asking.c ---- */
extern const toolhost_tool asks_elicitation, asks_streaming, asks_tampered, asks_sampling,
  missing_capability, asks_roots, asks_state, asks_several, asks_capabilities, asks_rounds,
  sampling, elicitation, elicitation_defaults, elicitation_enums;
extern const toolhost_prompt asking_prompt;

/* ---- tasks.c ---- */
extern const toolhost_tool slow_compute, failing_job, protocol_error_job, confirm_delete,
  multi_input, tool_with_task;

/* ---- resources.c ---- */
extern const toolhost_readable static_text, static_binary, watched_resource, template_data;

/* ---- prompts.c ---- */
extern const toolhost_prompt simple_prompt, prompt_with_arguments, prompt_with_embedded_resource,
  prompt_with_image;

/* A definition of a tool without arguments. */
#define NO_ARGUMENTS(name_, description_)                                                          \
  "{\"name\":\"" name_ "\",\"description\":\"" description_                                        \
  "\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false}}"

/* Defines a callback `definition` that gives this text. */
#define DEFINITION(function, text)                                                                 \
  static const char *function (void *self)                                                         \
  {                                                                                                \
    (void) self;                                                                                   \
    return text;                                                                                   \
  }

#endif

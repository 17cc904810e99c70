/* conformance.c - the fixtures that the official conformance suite of MCP calls: one plugin that
 * uses all that a plugin can do.  It is built for the tests and not installed. */
#include "fixtures.h"

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&static_text, &static_binary, &watched_resource,
                                         &template_data),
                     TOOLHOST_PROMPTS (&simple_prompt, &prompt_with_arguments,
                                       &prompt_with_embedded_resource, &prompt_with_image,
                                       &asking_prompt))

TOOLHOST_PLUGIN (.name = "conformance", .version = "1.0",
                 .description = "The fixtures of the MCP conformance suite.",
                 .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&simple_text, &image_content, &audio_content, &embedded_resource,
                                 &multiple_content_types, &error_handling, &json_schema_2020_12,
                                 &header_parameter, &greet, &with_progress, &with_logging,
                                 &logging_tool, &reconnection, &trigger_tool_change,
                                 &trigger_prompt_change, &trigger_resource_change,
                                 &asks_elicitation, &asks_streaming, &asks_tampered, &asks_sampling,
                                 &missing_capability, &asks_roots, &asks_state, &asks_several,
                                 &asks_capabilities, &asks_rounds, &sampling, &elicitation,
                                 &elicitation_defaults, &elicitation_enums, &slow_compute,
                                 &failing_job, &protocol_error_job, &confirm_delete, &multi_input,
                                 &tool_with_task),
                 .extension = toolhost_extensions)

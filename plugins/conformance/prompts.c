/* Prompts, one of which suggests values for its arguments. */
#include "fixtures.h"
#include "media.h"

/* ---- plain ---- */

DEFINITION (simple_prompt_definition, "{\"name\":\"test_simple_prompt\",\"title\":\"Simple\","
                                      "\"description\":\"A prompt without arguments.\"}")

static toolhost_status
simple_prompt_get (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "This is a simple prompt for testing.");
}

const toolhost_prompt simple_prompt = { TOOLHOST_PROMPT, .definition = simple_prompt_definition,
                                        .get = simple_prompt_get };

/* ---- with arguments ---- */

DEFINITION (prompt_with_arguments_definition,
            "{\"name\":\"test_prompt_with_arguments\",\"title\":\"With arguments\","
            "\"description\":\"A prompt that repeats its two arguments.\",\"arguments\":["
            "{\"name\":\"arg1\",\"description\":\"The first one.\",\"required\":true},"
            "{\"name\":\"arg2\",\"description\":\"The second one.\",\"required\":true}]}")

static toolhost_status
prompt_with_arguments_get (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "Prompt with arguments: arg1='%s', arg2='%s'",
                         toolhost_arg_string_or (call, "arg1", ""),
                         toolhost_arg_string_or (call, "arg2", ""));
}

static toolhost_status
prompt_with_arguments_complete (void *self, toolhost_call *call)
{
  static const char *const values[] = { "paris", "park", "party", "test" };
  const char *partial = toolhost_partial (call);

  (void) self;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (strncmp (values[i], partial, strlen (partial)) == 0)
      toolhost_suggest (call, values[i]);
  return TOOLHOST_OK;
}

const toolhost_prompt prompt_with_arguments = { TOOLHOST_PROMPT,
                                                .definition = prompt_with_arguments_definition,
                                                .get = prompt_with_arguments_get,
                                                .complete = prompt_with_arguments_complete };

/* ---- with other kinds of message ---- */

DEFINITION (prompt_with_embedded_resource_definition,
            "{\"name\":\"test_prompt_with_embedded_resource\",\"title\":\"With a resource\","
            "\"description\":\"A prompt with a resource in it.\",\"arguments\":["
            "{\"name\":\"resourceUri\",\"description\":\"The URI it has.\",\"required\":true}]}")

static toolhost_status
prompt_with_embedded_resource_get (void *self, toolhost_call *call)
{
  static const char text[] = "Embedded resource content for testing.";
  const char *uri = toolhost_arg_string_or (call, "resourceUri", "");

  (void) self;
  if (toolhost_resource (call, uri, "text/plain", text, sizeof text - 1) != TOOLHOST_OK)
    return toolhost_fail (call, "bad_uri", "resourceUri: expected a URI");
  return toolhost_text (call, "Please process the embedded resource above.");
}

const toolhost_prompt prompt_with_embedded_resource = { TOOLHOST_PROMPT,
                                                        .definition =
                                                          prompt_with_embedded_resource_definition,
                                                        .get = prompt_with_embedded_resource_get };

DEFINITION (prompt_with_image_definition,
            "{\"name\":\"test_prompt_with_image\",\"title\":\"With an image\","
            "\"description\":\"A prompt with an image in it.\"}")

static toolhost_status
prompt_with_image_get (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_image (call, media_png, sizeof media_png, "image/png");
  return toolhost_text (call, "Please analyze the image above.");
}

const toolhost_prompt prompt_with_image = { TOOLHOST_PROMPT,
                                            .definition = prompt_with_image_definition,
                                            .get = prompt_with_image_get };

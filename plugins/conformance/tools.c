/* Tools whose results hold all that results can. */
#include "fixtures.h"
#include "media.h"

/* ---- text ---- */

DEFINITION (simple_text_definition, NO_ARGUMENTS ("test_simple_text", "Returns a simple text."))

static toolhost_status
simple_text_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "This is a simple text response for testing.");
}

const toolhost_tool simple_text = { TOOLHOST_TOOL, .definition = simple_text_definition,
                                    .execute = simple_text_execute };

/* ---- image, audio ---- */

DEFINITION (image_content_definition, NO_ARGUMENTS ("test_image_content", "Returns an image."))

static toolhost_status
image_content_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_image (call, media_png, sizeof media_png, "image/png");
}

const toolhost_tool image_content = { TOOLHOST_TOOL, .definition = image_content_definition,
                                      .execute = image_content_execute };

DEFINITION (audio_content_definition, NO_ARGUMENTS ("test_audio_content", "Returns a sound."))

static toolhost_status
audio_content_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_audio (call, media_wav, sizeof media_wav, "audio/wav");
}

const toolhost_tool audio_content = { TOOLHOST_TOOL, .definition = audio_content_definition,
                                      .execute = audio_content_execute };

/* ---- resources in results ---- */

static toolhost_status
embed (toolhost_call *call, const char *uri, const char *mime_type, const char *text)
{
  return toolhost_resource (call, uri, mime_type, text, strlen (text));
}

DEFINITION (embedded_resource_definition,
            NO_ARGUMENTS ("test_embedded_resource", "Returns a resource in its result."))

static toolhost_status
embedded_resource_execute (void *self, toolhost_call *call)
{
  (void) self;
  return embed (call, "test://embedded-resource", "text/plain",
                "This is an embedded resource content.");
}

const toolhost_tool embedded_resource = { TOOLHOST_TOOL, .definition = embedded_resource_definition,
                                          .execute = embedded_resource_execute };

DEFINITION (multiple_content_types_definition,
            NO_ARGUMENTS ("test_multiple_content_types", "Returns text, an image and a resource."))

static toolhost_status
multiple_content_types_execute (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_text (call, "Multiple content types test:");
  toolhost_image (call, media_png, sizeof media_png, "image/png");
  return embed (call, "test://mixed-content-resource", "application/json",
                "{\"test\":\"data\",\"value\":123}");
}

const toolhost_tool multiple_content_types = { TOOLHOST_TOOL,
                                               .definition = multiple_content_types_definition,
                                               .execute = multiple_content_types_execute };

/* ---- errors ---- */

DEFINITION (error_handling_definition, NO_ARGUMENTS ("test_error_handling", "Always fails."))

static toolhost_status
error_handling_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_fail (call, NULL, "This tool intentionally returns an error for testing.");
}

const toolhost_tool error_handling = { TOOLHOST_TOOL, .definition = error_handling_definition,
                                       .execute = error_handling_execute };

/* ---- schemas ---- */

/* clang-format off */
DEFINITION (json_schema_2020_12_definition, TOOLHOST_JSON ({
  "name": "json_schema_2020_12_tool",
  "description": "Has a schema with keywords of JSON Schema 2020-12, which clients must see.",
  "inputSchema": {
    "$schema": "https:\/\/json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
      "address": {
        "$anchor": "addressDef",
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
      }
    },
    "properties": {
      "name": { "type": "string" },
      "address": { "$ref": "#/$defs/address" },
      "contactMethod": { "type": "string", "enum": ["phone", "email"] },
      "phone": { "type": "string" },
      "email": { "type": "string" }
    },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
    "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["email"] },
    "additionalProperties": false
  }
}))
/* clang-format on */

static toolhost_status
json_schema_2020_12_execute (void *self, toolhost_call *call)
{
  size_t len;
  const char *args = toolhost_args (call, &len);

  (void) self;
  return toolhost_textf (call, "JSON Schema 2020-12 tool called with: %.*s", (int) len, args);
}

const toolhost_tool json_schema_2020_12 = { TOOLHOST_TOOL,
                                            .definition = json_schema_2020_12_definition,
                                            .execute = json_schema_2020_12_execute };

/* clang-format off */
DEFINITION (header_parameter_definition, TOOLHOST_JSON ({
  "name": "test_header_parameter",
  "description": "Takes an argument that HTTP clients repeat in a header.",
  "inputSchema": {
    "type": "object",
    "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    "required": ["region"], "additionalProperties": false
  }
}))
/* clang-format on */

static toolhost_status
header_parameter_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "The region is %s.", toolhost_arg_string_or (call, "region", ""));
}

const toolhost_tool header_parameter = { TOOLHOST_TOOL, .definition = header_parameter_definition,
                                         .execute = header_parameter_execute };

/* ---- an ordinary one ---- */

/* clang-format off */
DEFINITION (greet_definition, TOOLHOST_JSON ({
  "name": "greet",
  "description": "Greets somebody by name.",
  "inputSchema": {
    "type": "object",
    "properties": { "name": { "type": "string" } },
    "required": ["name"], "additionalProperties": false
  }
}))
/* clang-format on */

static toolhost_status
greet_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_textf (call, "Hello, %s!", toolhost_arg_string_or (call, "name", ""));
}

const toolhost_tool greet = { TOOLHOST_TOOL, .definition = greet_definition,
                              .execute = greet_execute };

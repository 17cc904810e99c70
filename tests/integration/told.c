/* told.c - tools that say what they were told, and one that its author meant to be strict and is
 * not. */
#include <string.h>
#include <toolhost.h>

static const char *
told_definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "told",
    "description": "Says which arguments it has.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "query": { "type": "string", "description": "What to look for" },
        "num_results": { "type": "integer", "default": 10, "description": "How many" },
        "note": { "type": ["string", "null"], "description": "A note, or none" },
        "order": { "enum": ["name", "date"], "description": "By what", "x-shown": "small" },
        "ms": { "type": "integer", "description": "How long it takes" }
      },
      "required": ["query"],
      "additionalProperties": false
    },
    "toolhost": { "strict": "auto" }
  });
  /* clang-format on */
}

static toolhost_status
told (void *self, toolhost_call *call)
{
  char text[1024];
  size_t len;
  const char *args = toolhost_args (call, &len);

  (void) self;
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return TOOLHOST_FAILED;
  (void) snprintf (text, sizeof text, "{\"num_results\":%lld,\"arguments\":%.*s}",
                   (long long) toolhost_arg_int (call, "num_results", 10), (int) len, args);
  return toolhost_json (call, text);
}

#define ONE_ARGUMENT(name, required)                                                               \
  "{\"name\":\"" name "\",\"description\":\"Says nothing of what it was told.\",\"inputSchema\":{" \
  "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"Anything\"}}," \
  "\"required\":[" required "],\"additionalProperties\":false},\"toolhost\":{\"strict\":true}}"

static const char *
exact_definition (void *self)
{
  (void) self;
  return ONE_ARGUMENT ("exact", "\"a\"");
}

static const char *
inexact_definition (void *self)
{
  (void) self;
  return ONE_ARGUMENT ("inexact", "");
}

static toolhost_status
silent (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "");
}

static const char *
parts_definition (void *self)
{
  (void) self;
  return "{\"name\":\"parts\",\"description\":\"Gives a text, a picture and a sound.\","
         "\"inputSchema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}";
}

static toolhost_status
parts (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "both") == TOOLHOST_OK
             && toolhost_image (call, "\x89PNG", 4, "image/png") == TOOLHOST_OK
             && toolhost_audio (call, "RIFF", 4, "audio/wav") == TOOLHOST_OK
           ? TOOLHOST_OK
           : TOOLHOST_FAILED;
}

static const toolhost_tool told_tool = { TOOLHOST_TOOL, .definition = told_definition,
                                         .execute = told };
static const toolhost_tool exact_tool = { TOOLHOST_TOOL, .definition = exact_definition,
                                          .execute = silent };
static const toolhost_tool inexact_tool = { TOOLHOST_TOOL, .definition = inexact_definition,
                                            .execute = silent };
static const toolhost_tool parts_tool = { TOOLHOST_TOOL, .definition = parts_definition,
                                          .execute = parts };

TOOLHOST_PLUGIN (.name = "told", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&told_tool, &exact_tool, &inexact_tool, &parts_tool))

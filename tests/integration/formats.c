/* formats.c - tools whose schemas no provider of models takes as they are. */
#include <toolhost.h>

static const char *
search (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "search",
    "description" : "Search the catalogue for things.",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "query" : {
          "type" : "string",
          "minLength" : 1,
          "maxLength" : 200,
          "description" : "What to look for"
        },
        "limit" : { "type" : "integer", "minimum" : 1, "maximum" : 50, "description" : "How many" },
        "order" :
          { "oneOf" : [ { "const" : "name" }, { "const" : "date" } ], "description" : "By what" },
        "within" : { "$ref" : "#/definitions/span" }
      },
      "required" : ["query"],
      "additionalProperties" : false,
      "definitions" : {
        "span" : {
          "type" : "object",
          "properties" : { "from" : { "type" : "string", "format" : "date" } },
          "required" : ["from"],
          "additionalProperties" : false
        }
      }
    }
  });
}

static const char *
tree (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "tree",
    "description" : "Plant a tree of any depth.",
    "inputSchema" : {
      "type" : "object",
      "properties" : {
        "label" : { "type" : "string", "description" : "Its label" },
        "children" :
          { "type" : "array", "items" : { "$ref" : "#" }, "description" : "What is below it" }
      },
      "required" : ["label"],
      "additionalProperties" : false
    }
  });
}

/* Its name begins as no function's of Gemini may, and nobody knows the names of its properties. */
static const char *
labels (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "2nd_labels",
    "description" : "Set any labels, each to a text.",
    "inputSchema" : { "type" : "object", "additionalProperties" : { "type" : "string" } }
  });
}

/* Older clients of MCP take no property whose schema is true or false. */
static const char *
note (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "note",
    "title" : "A note",
    "description" : "Note anything.",
    "inputSchema" : {
      "type" : "object",
      "properties" : { "value" : true, "never" : false },
      "required" : ["value"]
    },
    "outputSchema" : { "type" : "object", "properties" : { "value" : true } },
    "annotations" : { "readOnlyHint" : true },
    "icons" : [],
    "_meta" : { "example/x" : true }
  });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "done");
}

static const toolhost_tool search_tool = { TOOLHOST_TOOL, .definition = search,
                                           .execute = execute };
static const toolhost_tool tree_tool = { TOOLHOST_TOOL, .definition = tree, .execute = execute };
static const toolhost_tool labels_tool = { TOOLHOST_TOOL, .definition = labels,
                                           .execute = execute };

static const toolhost_tool note_tool = { TOOLHOST_TOOL, .definition = note, .execute = execute };

TOOLHOST_PLUGIN (.name = "formats", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&search_tool, &tree_tool, &labels_tool, &note_tool))

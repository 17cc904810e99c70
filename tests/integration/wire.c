/* wire - tools that show what a protocol passes on: what was logged, sent along, repeated as a
 * header. */
#include <toolhost.h>

static const char *
logs_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"logs\", \"description\": \"Logs a line at each level.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static toolhost_status
logs (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_log (call, TOOLHOST_DEBUG, "a debug line");
  toolhost_log (call, TOOLHOST_INFO, "an info line");
  toolhost_log (call, TOOLHOST_WARNING, "a warning");
  toolhost_log (call, TOOLHOST_ERROR, "an error");
  return toolhost_text (call, "logged");
}

static const char *
sent_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"sent\", \"description\": \"Returns the metadata of its call.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static toolhost_status
sent (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_metadata (call));
}

static const char *
routed_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"routed\", \"description\": \"Repeats arguments as headers.\","
         " \"inputSchema\": { \"type\": \"object\", \"properties\": {"
         " \"region\": { \"type\": \"string\", \"x-mcp-header\": \"Region\" },"
         " \"shard\": { \"type\": \"integer\", \"x-mcp-header\": \"Shard\" } } } }";
}

static toolhost_status
routed (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, toolhost_arg_string_or (call, "region", "nowhere"));
}

static const char *
misrouted_definition (void *self)
{
  (void) self;
  return "{ \"name\": \"misrouted\", \"description\": \"Can't be repeated as a header.\","
         " \"inputSchema\": { \"type\": \"object\", \"properties\": {"
         " \"weight\": { \"type\": \"number\", \"x-mcp-header\": \"Weight\" } } } }";
}

static const toolhost_tool logs_tool = { TOOLHOST_TOOL, .definition = logs_definition,
                                         .execute = logs };
static const toolhost_tool sent_tool = { TOOLHOST_TOOL, .definition = sent_definition,
                                         .execute = sent };
static const toolhost_tool routed_tool = { TOOLHOST_TOOL, .definition = routed_definition,
                                           .execute = routed };
static const toolhost_tool misrouted_tool = { TOOLHOST_TOOL, .definition = misrouted_definition,
                                              .execute = routed };

TOOLHOST_PLUGIN (.name = "wire", .version = "1", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&logs_tool, &sent_tool, &routed_tool, &misrouted_tool))

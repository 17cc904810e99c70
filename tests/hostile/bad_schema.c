/* A tool for each way in which an inputSchema can't be used, and one that is good. */
#include "hostile.h"

#include <stdio.h>

enum { ROOM = 64 * 1024, DEPTH = 40, LISTS = 3, LIST = 700 };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "well");
}

#define TOOL(name_, text)                                                                          \
  static const char *name_##_definition (void *self)                                               \
  {                                                                                                \
    (void) self;                                                                                   \
    return text;                                                                                   \
  }                                                                                                \
  static const toolhost_tool name_ = { TOOLHOST_TOOL, .definition = name_##_definition,            \
                                       .execute = execute };

#define HAS_X(name, schema)                                                                        \
  HOSTILE_DEFINITION (name, "Can't be.", "\"properties\":{\"x\":" schema "}")

TOOL (unknown_type, HAS_X ("unknown_type", "{\"type\":\"objekt\"}"))
TOOL (unknown_dialect, HOSTILE_DEFINITION ("unknown_dialect", "Can't be.",
                                           "\"$schema\":\"https://example.com/dialect\""))
TOOL (network_ref, HAS_X ("network_ref", "{\"$ref\":\"https://example.com/x.json\"}"))
TOOL (costly_pattern, HAS_X ("costly_pattern", "{\"pattern\":\"((a{1,1000}){1,1000}){1,1000}\"}"))
TOOL (bad_pattern, HAS_X ("bad_pattern", "{\"pattern\":\"(?<=a)(?P<n>b\"}"))
TOOL (good_one, HOSTILE_DEFINITION ("good_one", "Lives.", HOSTILE_NO_ARGUMENTS))

/* Subschemas in subschemas. */
static const char *
deep (void)
{
  static char text[ROOM];
  size_t at = (size_t) snprintf (text, sizeof text, "%s",
                                 "{\"name\":\"too_deep\",\"description\":\"Can't be.\","
                                 "\"inputSchema\":{\"type\":\"object\",\"not\":");

  for (int i = 0; i < DEPTH; i++)
    at += (size_t) snprintf (text + at, sizeof text - at, "{\"items\":");
  at += (size_t) snprintf (text + at, sizeof text - at, "{}");
  for (int i = 0; i < DEPTH; i++)
    at += (size_t) snprintf (text + at, sizeof text - at, "}");
  (void) snprintf (text + at, sizeof text - at, "}}");
  return text;
}

/* Subschemas beside subschemas. */
static const char *
many (void)
{
  static char text[ROOM];
  size_t at = (size_t) snprintf (text, sizeof text, "%s",
                                 "{\"name\":\"too_many\",\"description\":\"Can't be.\","
                                 "\"inputSchema\":{\"type\":\"object\",\"properties\":{");

  for (int list = 0; list < LISTS; list++) {
    at += (size_t) snprintf (text + at, sizeof text - at, "%s\"p%d\":{\"properties\":{",
                             list != 0 ? "," : "", list);
    for (int i = 0; i < LIST; i++)
      at += (size_t) snprintf (text + at, sizeof text - at, "%s\"p%d\":{}", i != 0 ? "," : "", i);
    at += (size_t) snprintf (text + at, sizeof text - at, "}}");
  }
  (void) snprintf (text + at, sizeof text - at, "}}}");
  return text;
}

TOOL (too_deep, deep ())
TOOL (too_many, many ())

TOOLHOST_PLUGIN (.name = "bad_schema", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&unknown_type, &unknown_dialect, &network_ref, &costly_pattern,
                                 &bad_pattern, &too_deep, &too_many, &good_one))

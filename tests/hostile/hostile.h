/* hostile.h - the harmless half of a hostile plugin: one tool named like the plugin, whose execute
 * does one evil deed.
 *
 *   static toolhost_status execute (void *self, toolhost_call *call) { … }
 *   HOSTILE ("spin", TOOLHOST_PARALLEL, "Never returns.", HOSTILE_NO_ARGUMENTS)
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <toolhost.h>

/* A deed that a sanitizer's checks would prevent: its own code has none. */
#if defined(__clang__)
#define HOSTILE_DEED __attribute__ ((no_sanitize ("address", "undefined", "thread")))
#else
#define HOSTILE_DEED                                                                               \
  __attribute__ ((no_sanitize_address, no_sanitize_undefined, no_sanitize_thread))
#endif

#define HOSTILE_NO_ARGUMENTS "\"additionalProperties\":false"

#define HOSTILE_DEFINITION(name, about, schema)                                                    \
  "{\"name\":\"" name "\",\"description\":\"" about                                                \
  "\",\"inputSchema\":{\"type\":\"object\"," schema "}}"

/* What follows `schema` goes into the toolhost_tool, e.g. .max_time = max_time. */
#define HOSTILE(name_, threads_, about, schema, ...)                                               \
  static const char *hostile_definition (void *self)                                               \
  {                                                                                                \
    (void) self;                                                                                   \
    return HOSTILE_DEFINITION (name_, about, schema);                                              \
  }                                                                                                \
  static const toolhost_tool hostile_tool = { TOOLHOST_TOOL, .definition = hostile_definition,     \
                                              .execute = execute, ##__VA_ARGS__ };                 \
  TOOLHOST_PLUGIN (.name = name_, .version = "1.0", .threads = threads_,                           \
                   TOOLHOST_TOOLS (&hostile_tool))

#endif

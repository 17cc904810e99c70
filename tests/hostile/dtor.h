/* dtor.h - the harmless half of a plugin whose tool is good and whose end is not: misbehave() is
 * called when the plugin is closed, and again in a destructor of its file.  The caller has its
 * result by then; the process is gone soon, and another one serves the next call.
 *
 *   static void misbehave (void) { … }
 *   HOSTILE_AT_ITS_END ("dtor_hang", "Never returns when it is closed.")
 */
#ifndef HOSTILE_DTOR_H
#define HOSTILE_DTOR_H

#include "hostile.h"

#define HOSTILE_AT_ITS_END(name_, about)                                                           \
  __attribute__ ((destructor)) static void at_unload (void)                                        \
  {                                                                                                \
    misbehave ();                                                                                  \
  }                                                                                                \
  static void at_close (void *self)                                                                \
  {                                                                                                \
    (void) self;                                                                                   \
    misbehave ();                                                                                  \
  }                                                                                                \
  static const char *definition (void *self)                                                       \
  {                                                                                                \
    (void) self;                                                                                   \
    return HOSTILE_DEFINITION (name_, about, HOSTILE_NO_ARGUMENTS);                                \
  }                                                                                                \
  static toolhost_status execute (void *self, toolhost_call *call)                                 \
  {                                                                                                \
    (void) self;                                                                                   \
    return toolhost_text (call, "whole");                                                          \
  }                                                                                                \
  static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition,                     \
                                      .execute = execute };                                        \
  TOOLHOST_PLUGIN (.name = name_, .version = "1.0", .threads = TOOLHOST_PARALLEL,                  \
                   .close = at_close, TOOLHOST_TOOLS (&tool))

#endif

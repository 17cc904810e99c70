/* ffi - tools that are made of C functions, as docs/functions.md tells.
 *
 * They are built for each tenant from its feature "functions", of libraries that the operator's
 * policy grants, and called through libffi.  Whatever a function does, it does in its worker: one
 * that crashes or never ends takes this process with it, and nothing else. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <toolhost.h>

#include "../common/built.h"
#include "feature.h"
#include "header.h"
#include "library.h"
#include "run.h"

/* What the operator grants; written once, in open. */
static struct libraries granted;

/* All that a build has made; its tools hold it. */
struct set {
  unsigned uses;
  struct values pool;
  struct c_types types;
  struct feature feature;
};

struct tool {
  struct set *set;
  const struct function *function;
  struct text definition;
};

/* ---- arguments ---- */

static void
tell_invalid (void *ctx, const char *pointer, const char *why)
{
  (void) toolhost_invalid (ctx, pointer, "%s", why);
}

static void
tell_nobody (void *ctx, const char *pointer, const char *why)
{
  (void) ctx;
  (void) pointer;
  (void) why;
}

static bool
prepare (struct run *run, toolhost_call *call,
         void (*tell) (void *ctx, const char *pointer, const char *why))
{
  struct marshal m = { .pool = run->pool, .tell = tell, .ctx = call };
  size_t len;
  const char *text = toolhost_args (call, &len);
  const struct value *args = value_parse (run->pool, text, len);

  if (args != NULL)
    return run_prepare (run, &m, args);
  tell (call, "", "the arguments are nested too deeply");
  return false;
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  CLEANUP_VALUES struct values pool = { 0 };
  struct run run = { .function = ((const struct tool *) self)->function, .pool = &pool };

  return prepare (&run, call, tell_invalid) ? TOOLHOST_OK : TOOLHOST_FAILED;
}

/* ---- turns ---- */

/* Functions that are not said to be thread-safe run one at a time, whatever library they are of. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool
take_turn (toolhost_call *call)
{
  enum { LOOK_MS = 20 };
  struct timespec until;

  while (!toolhost_cancelled (call)) {
    (void) clock_gettime (CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock (&turn, &until) == 0)
      return true;
  }
  return false;
}

/* ---- a call ---- */

static bool
goes_on (void *ctx)
{
  return !toolhost_cancelled (ctx);
}

/* One value is told as it is, several as an object; nothing is "". */
static toolhost_status
tell_result (toolhost_call *call, const struct run *run)
{
  const struct value *object = value_parse (run->pool, run->out.data, run->out.len);
  CLEANUP_TEXT struct text text = { 0 };

  if (object == NULL)
    return toolhost_fail (call, "ffi_result", "the result is nested too deeply, or too large");
  if (run->told == 1 && object->members[0].value->type == VALUE_STRING)
    (void) toolhost_text_len (call, object->members[0].value->text,
                              object->members[0].value->count);
  else if (run->told != 0) {
    value_write (&text, run->told == 1 ? object->members[0].value : object);
    (void) toolhost_text_len (call, text_get (&text), text.len);
  }
  else
    (void) toolhost_text (call, "");
  return toolhost_json_len (call, run->out.data, run->out.len);
}

static toolhost_status
call_in_turn (struct run *run, toolhost_call *call)
{
  const bool serial = !run->function->thread_safe;
  toolhost_status status;
  bool good;

  if (serial && !take_turn (call))
    return toolhost_fail (call, "cancelled", "the call was cancelled before its turn");
  good = run_calls (run);
  if (serial)
    (void) pthread_mutex_unlock (&turn);
  status = good ? tell_result (call, run) : toolhost_fail (call, run->code, "%s", run->why);
  return status;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  CLEANUP_VALUES struct values pool = { 0 };
  struct run run = { .function = ((const struct tool *) self)->function,
                     .pool = &pool,
                     .goes_on = goes_on,
                     .ctx = call };
  toolhost_status status;

  if (!prepare (&run, call, tell_nobody)) /* validate has found nothing */
    return toolhost_fail (call, "out_of_memory", "there is no memory for the arguments");
  status = call_in_turn (&run, call);
  run_free (&run);
  return status;
}

static const char *
definition (void *self)
{
  return text_get (&((const struct tool *) self)->definition);
}

static int64_t
max_time (void *self)
{
  return (int64_t) ((const struct tool *) self)->function->max_time_ms;
}

static const toolhost_tool function_tool = { TOOLHOST_TOOL, .definition = definition,
                                             .validate = validate, .execute = execute };
/* Of a document that says "max_time". */
static const toolhost_tool timed_tool = { TOOLHOST_TOOL, .definition = definition,
                                          .validate = validate, .execute = execute,
                                          .max_time = max_time };

/* ---- the builder ---- */

static void
set_unref (struct set *set)
{
  if (__atomic_sub_fetch (&set->uses, 1, __ATOMIC_ACQ_REL) != 0)
    return;
  values_free (&set->pool);
  free (set);
}

static void
release (void *self)
{
  struct tool *tool = self;

  text_free (&tool->definition);
  set_unref (tool->set);
  free (tool);
}

static toolhost_status
add (toolhost_build *build, struct set *set, const struct function *function)
{
  struct tool *tool = calloc (1, sizeof *tool);

  if (tool == NULL)
    return built_nothing (build);
  (void) __atomic_add_fetch (&set->uses, 1, __ATOMIC_RELAXED);
  tool->set = set;
  tool->function = function;
  if (!function_define (function, &tool->definition)) {
    (void) toolhost_build_error (build, "", "the definition of %s is larger than 256 KiB",
                                 function->name);
    release (tool);
    return TOOLHOST_FAILED;
  }
  return built_add (build, function->max_time_ms != 0 ? &timed_tool : &function_tool, tool,
                    &tool->definition, release);
}

static bool
read_set (struct set *set, toolhost_build *build, const char *config, size_t len)
{
  const struct linker linker = { .find = libraries_find, .ctx = &granted };
  const struct value *value = value_parse (&set->pool, config, len);
  struct document doc = { .pool = &set->pool, .types = &set->types };

  set->types.pool = &set->pool;
  if (value == NULL)
    return toolhost_build_error (build, "", "the configuration is nested too deeply")
           == TOOLHOST_OK;
  if (feature_read (&doc, value, &linker, &set->feature))
    return true;
  (void) toolhost_build_error (build, doc.wrong, "%s", doc.why);
  return false;
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct set *set = calloc (1, sizeof *set);
  toolhost_status status = TOOLHOST_OK;

  if (set == NULL)
    return built_nothing (build);
  set->uses = 1;
  if (!read_set (set, build, config, len))
    status = TOOLHOST_FAILED;
  for (size_t i = 0; status == TOOLHOST_OK && i < set->feature.count; i++)
    status = add (build, set, &set->feature.functions[i]);
  set_unref (set);
  return status;
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "functions", .build = build,
                                          .release = release };

/* ---- ffi_import ---- */

/* clang-format off */
static const char import_definition[] = TOOLHOST_JSON ({
  "name": "ffi_import",
  "description": "Proposes tools for the functions that a C header declares.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "text": { "type": "string" },
      "library": { "type": "string" },
      "symbols": { "type": "string" }
    },
    "required": ["text"],
    "additionalProperties": false
  },
  "annotations": { "readOnlyHint": true, "openWorldHint": false },
  "toolhost": { "internal": true }
});
/* clang-format on */

static const char *
define_import (void *self)
{
  (void) self;
  return import_definition;
}

static toolhost_status
import (void *self, toolhost_call *call)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text out = { 0 };
  size_t len;
  const char *text = toolhost_arg_string_len (call, "text", &len);

  (void) self;
  if (text == NULL || len > C_HEADER_MAX)
    return toolhost_fail (call, "ffi_import_failed", "the header is larger than 4 MiB");
  header_import (&pool, text, len, toolhost_arg_string (call, "library"),
                 toolhost_arg_string (call, "symbols"), &out);
  if (!text_ok (&out) || !values_ok (&pool))
    return toolhost_fail (call, "ffi_import_failed", "there is no memory");
  return toolhost_json_len (call, out.data, out.len);
}

static const toolhost_tool import_tool = { TOOLHOST_TOOL, .definition = define_import,
                                           .execute = import };

/* ---- the plugin ---- */

static void
close_ffi (void *self)
{
  (void) self;
  libraries_free (&granted);
}

static toolhost_status
open_ffi (toolhost_build *build, const char *config, size_t len, void **self)
{
  (void) self;
  if (libraries_read (&granted, build, config, len))
    return TOOLHOST_OK;
  libraries_free (&granted);
  return TOOLHOST_FAILED;
}

TOOLHOST_PLUGIN (.name = "ffi", .version = "1.0",
                 .description = "Makes tools of C functions in shared libraries.",
                 .threads = TOOLHOST_PARALLEL, .open = open_ffi, .close = close_ffi,
                 TOOLHOST_TOOLS (&import_tool), TOOLHOST_BUILDERS (&builder))

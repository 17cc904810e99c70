/* actions - tools that are written as documents and not as code: lists of actions of eight types,
 * with templates, as docs/actions.md tells.
 *
 * They are built for each tenant from its feature "actions".  A document is compiled once, when it
 * is built; the context, the user, other agents and servers are reached through the host. */
#include <toolhost.h>

#include <stdlib.h>
#include <string.h>

#include "../common/built.h"
#include "internal.h"
#include "real.h"
#include "run.h"
#include "set.h"

struct declared {
  struct set *set;
  const struct program *program;
};

/* ---- a call ---- */

/* Names of actions and paths, never values. */
static void
log_run (toolhost_call *call, const struct run *run)
{
  CLEANUP_TEXT struct text event = { 0 };

  json_open (&event, '{');
  json_name_bool (&event, "ok", run->ok);
  if (!run->ok)
    json_name_string (&event, "code", run_code (run));
  json_name (&event, "actions");
  run_write_trace (run, &event);
  json_close (&event, '}');
  (void) toolhost_event (call, run->ok ? TOOLHOST_INFO : TOOLHOST_WARNING, "tool_actions_finished",
                         text_get (&event));
}

/* The application that calls may ask for the trace: "metadata": { "trace": true }. */
static bool
wants_trace (toolhost_call *call, struct values *pool)
{
  const char *metadata = toolhost_metadata (call);

  return value_is (value_get_z (value_parse (pool, metadata, strlen (metadata)), "trace"),
                   VALUE_TRUE);
}

/* S2-24: both of them, the model reads one object. */
static toolhost_status
tell (toolhost_call *call, const struct run *run, bool trace)
{
  CLEANUP_TEXT struct text out = { 0 };

  run_write_output (run, trace, &out);
  if (!text_ok (&out) || !values_ok (run->pool))
    return toolhost_fail (call, "out_of_memory", "There is no memory for the result.");
  if (run->ok)
    return toolhost_json_len (call, out.data, out.len);
  (void) toolhost_text_len (call, out.data, out.len);
  return toolhost_fail (call, run_code (run), "%s", run_message (run));
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct declared *declared = self;
  CLEANUP_VALUES struct values pool = { 0 };
  size_t len;
  const char *args = toolhost_args (call, &len);
  const struct value *arguments = value_parse (&pool, args, len);
  struct real real;
  struct surroundings around;
  struct run run = {
    .program = declared->program, .around = &around, .pool = &pool, .strict = declared->set->strict
  };
  toolhost_status status;

  if (arguments == NULL)
    return toolhost_fail (call, "bad_arguments", "The arguments are nested too deeply.");
  real_surroundings (&around, &real, call, &pool);
  run_program (&run, arguments);
  log_run (call, &run);
  status = tell (call, &run, wants_trace (call, &pool));
  run_free (&run);
  return status;
}

static const char *
definition (void *self)
{
  return ((const struct declared *) self)->program->definition;
}

static int64_t
max_time (void *self)
{
  return ((const struct declared *) self)->program->max_time_ms;
}

static const toolhost_tool declared_tool = { TOOLHOST_TOOL, .definition = definition,
                                             .execute = execute, .max_time = max_time };

/* ---- the builder ---- */

static void
release (void *self)
{
  struct declared *declared = self;

  set_unref (declared->set);
  free (declared);
}

enum { LOGGED_MAX = 20 /* problems in one event */ };

static void
log_refused (void *ctx, const char *what, const struct value *document,
             const struct problems *problems)
{
  toolhost_build *build = ctx;
  CLEANUP_TEXT struct text event = { 0 };
  const char *name = value_cstring (value_get_z (document, "name"));

  json_open (&event, '{');
  if (name != NULL)
    json_name_string (&event, "tool_name", name);
  json_name_int (&event, "problem_count", (int64_t) problems->count);
  json_name (&event, "problems");
  problems_write (&event, problems->list,
                  problems->count < LOGGED_MAX ? problems->count : LOGGED_MAX);
  json_close (&event, '}');
  (void) toolhost_host_event (build->host, TOOLHOST_ERROR, what, text_get (&event));
}

static bool
add (toolhost_build *build, struct set *set, const struct program *program)
{
  struct declared *declared = malloc (sizeof *declared);

  if (declared == NULL)
    return built_nothing (build) == TOOLHOST_OK;
  *declared = (struct declared){ set_ref (set), program };
  if (toolhost_add_tool (build, &declared_tool, declared) == TOOLHOST_OK)
    return true;
  release (declared);
  (void) toolhost_build_error (build, "", "the host takes no tool");
  return false;
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct set *set = set_read (config, len, log_refused, build);
  bool good = set != NULL;

  if (set == NULL)
    return built_nothing (build);
  for (size_t i = 0; good && i < set->count; i++)
    if (set->programs[i] != NULL)
      good = add (build, set, set->programs[i]);
  set_unref (set);
  return good ? TOOLHOST_OK : TOOLHOST_FAILED;
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "actions", .build = build,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "actions", .version = "1.0",
                 .description = "Tools that are written as documents: lists of actions.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&actions_check, &actions_try),
                 TOOLHOST_BUILDERS (&builder))

#include "manage/sandboxed.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "manage/compose.h"

static void
ignore_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  (void) ctx;
  (void) done;
  (void) total;
  (void) text;
  (void) len;
}

/* A call on its way. */
struct going {
  void (*done) (void *ctx, const struct result *result);
  void *ctx;
};

static void
on_done (void *ctx, const struct result *result)
{
  struct going *going = ctx;

  going->done (going->ctx, result);
  free (going);
}

static const struct call_events events = { .progress = ignore_progress, .done = on_done };

/* Its tool is in no toolset but this. */
static void
start (const struct sandboxed *s, struct tool *tool, struct call_request *request,
       struct going *going)
{
  request->toolset = toolset_new (&(struct tool *){ tool_ref (tool) }, 1, 0);
  (void) call_start (s->calls, request, &events, going);
  toolset_unref (request->toolset);
}

void
sandboxed_call (const struct sandboxed *s, const char *tenant, const char *name,
                const struct buf *arguments, void (*done) (void *ctx, const struct result *result),
                void *ctx)
{
  struct tool *tool = s->tool (s->ctx, name);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct going *going;
  struct call_request request = { .kind = CALL_TOOL,
                                  .name = name,
                                  .name_len = strlen (name),
                                  .tape = &tape,
                                  .front = "manage",
                                  .tenant = tenant };

  if (tool == NULL
      || !json_read (&tape, arguments->data, arguments->len, &documents_limits, &arena)) {
    done (ctx, NULL);
    return;
  }
  going = xcalloc (1, sizeof *going);
  *going = (struct going){ .done = done, .ctx = ctx };
  request.args_node = json_root (&tape);
  start (s, tool, &request, going);
}

/* Starts programs beside its worker (toolhost.process/1): a tool that talks to one and tells what
 * it said and how it ended, and a feature whose one tool is named by a program. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>
#include <unistd.h>

enum { MOST_OUTPUT = 256 * 1024, KEPT = 64, WAIT_MS = 15000 };

static toolhost_process kept[KEPT]; /* those that "keep" left running */
static int kept_count;

/* Everything until its end, or until `enough` bytes are there. */
static size_t
read_all (const toolhost_process *process, char *text, size_t enough)
{
  size_t len = 0;
  ssize_t n;

  while (len < enough && (n = read (process->out, text + len, enough - len)) > 0)
    len += (size_t) n;
  return len;
}

static toolhost_status
tell (toolhost_call *call, const toolhost_process *process, const char *text, size_t len)
{
  toolhost_process_end end;
  toolhost_status status = toolhost_process_wait (call->host, process, WAIT_MS, &end);

  if (status != TOOLHOST_OK)
    return toolhost_textf (call, "it runs:%.*s", (int) len, text);
  return toolhost_textf (call, "%s %d:%.*s",
                         end.how == TOOLHOST_PROCESS_EXITED ? "exited" : "killed", (int) end.status,
                         (int) len, text);
}

/* Start it, say something, hear all of it. */
static toolhost_status
talk (toolhost_call *call, toolhost_process *process)
{
  static char text[MOST_OUTPUT];
  const char *say = toolhost_arg_string_or (call, "say", "");
  int64_t most = toolhost_arg_int (call, "most", MOST_OUTPUT);
  toolhost_status status;
  size_t len;

  if (*say != '\0' && write (process->in, say, strlen (say)) < 0)
    toolhost_text (call, "(deaf) ");
  close (process->in);
  process->in = -1;
  len = read_all (process, text, (size_t) most);
  if (toolhost_arg_bool (call, "kill", false))
    toolhost_process_kill (call->host, process);
  status = tell (call, process, text, len);
  toolhost_process_release (call->host, process);
  return status;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  const char *name = toolhost_arg_string_or (call, "name", "");
  int64_t keep = toolhost_arg_int (call, "keep", 0);
  toolhost_process process;
  toolhost_status status = toolhost_process_start (call->host, name, &process);
  char line[64];
  ssize_t n;

  if (status != TOOLHOST_OK)
    return toolhost_fail (call, process.code, "%s", process.message);
  if (keep == 0)
    return talk (call, &process);
  n = read (process.out, line, sizeof line);
  if (kept_count < KEPT)
    kept[kept_count++] = process;
  if (toolhost_arg_bool (call, "crash", false))
    abort ();
  if (toolhost_arg_bool (call, "hang", false))
    for (;;)
      pause ();
  return toolhost_textf (call, "%.*s", n > 0 ? (int) n : 0, line);
}

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "beside",
    "description" : "Starts a program, says something to it and tells what it said.",
    "inputSchema" : { "type" : "object", "properties" : {} }
  });
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

/* ---- the feature ---- */

struct named {
  char definition[256];
  toolhost_process process;
};

static const char *
named_definition (void *self)
{
  return ((struct named *) self)->definition;
}

/* One line to the program that built it, and its answer. */
static toolhost_status
named_execute (void *self, toolhost_call *call)
{
  struct named *named = self;
  char line[256];
  ssize_t n;

  if (write (named->process.in, "hello\n", 6) != 6)
    return toolhost_fail (call, NULL, "the program is gone");
  n = read (named->process.out, line, sizeof line);
  return toolhost_textf (call, "%.*s", n > 0 ? (int) n : 0, line);
}

static const toolhost_tool named_tool = { TOOLHOST_TOOL, .definition = named_definition,
                                          .execute = named_execute };

static toolhost_status
build (toolhost_build *building, const char *config, size_t len)
{
  struct named *named = calloc (1, sizeof *named);
  char name[32] = "";
  ssize_t n;

  (void) config;
  (void) len;
  if (named == NULL
      || toolhost_process_start (building->host, "namer", &named->process) != TOOLHOST_OK)
    return toolhost_build_error (building, "", "%s", named != NULL ? named->process.message : "");
  n = read (named->process.out, name, sizeof name - 1);
  if (n <= 1)
    return toolhost_build_error (building, "", "the program gave no name");
  name[n - 1] = '\0';
  (void) snprintf (named->definition, sizeof named->definition,
                   "{\"name\":\"%s\",\"description\":\"Named by a program.\","
                   "\"inputSchema\":{\"type\":\"object\"}}",
                   name);
  return toolhost_add_tool (building, &named_tool, named);
}

static void
release (void *self)
{
  free (self);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "named", .build = build,
                                          .release = release };

/* ---- a feature whose tool is named by a server ---- */

static toolhost_status
fetched_execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "here");
}

static const toolhost_tool fetched_tool = { TOOLHOST_TOOL, .definition = named_definition,
                                            .execute = fetched_execute };

static toolhost_status
fetch (toolhost_build *building, const char *config, size_t len)
{
  struct named *named = calloc (1, sizeof *named);
  toolhost_call *call = toolhost_build_call (building);
  toolhost_http_response r;
  char url[256];
  size_t used = 0;

  /* {"url":"…"} and nothing else, with each / as \/ */
  for (const char *at = config + 8; at + 2 < config + len && used + 1 < sizeof url; at++)
    if (*at != '\\')
      url[used++] = *at;
  url[used] = '\0';
  if (named == NULL || call == NULL)
    return toolhost_build_error (building, "", "no call");
  toolhost_log (call, TOOLHOST_INFO, "%lld ms left", (long long) toolhost_time_left (call));
  if (toolhost_emit (call, "{\"type\":\"say\"}") == TOOLHOST_OK
      || toolhost_flag_set (call, "x") == TOOLHOST_OK)
    return toolhost_build_error (building, "", "a build has a session");
  for (int i = 0; i < 2; i++)
    if (toolhost_http (call, &(toolhost_http_request){ TOOLHOST_HTTP_REQUEST, .url = url }, &r)
        != TOOLHOST_OK)
      return toolhost_build_error (building, "/url", "%s: %s", r.code, r.message);
  (void) snprintf (named->definition, sizeof named->definition,
                   "{\"name\":\"%.*s\",\"description\":\"Named by a server.\","
                   "\"inputSchema\":{\"type\":\"object\"}}",
                   (int) r.body_len, (const char *) r.body);
  return toolhost_add_tool (building, &fetched_tool, named);
}

static const toolhost_builder fetched = { TOOLHOST_BUILDER, .feature = "fetched", .build = fetch,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "beside", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&tool), TOOLHOST_BUILDERS (&builder, &fetched))

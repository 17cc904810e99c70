/* A stand-in for the plugin that builds declarative tools: it takes what the daemon tells it of the
 * feature "actions", makes of each tool's document a tool that says its name, and has the internal
 * tools that the management API asks.  A document with "wrong" in it is refused by the check, one
 * with "crash" ends the builder. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

struct deed {
  char name[80];
  char definition[256];
  char text[80];
};

static const char *
definition (void *self)
{
  return ((struct deed *) self)->definition;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct deed *deed = self;

  return toolhost_textf (call, "%s of %s", deed->text, toolhost_tenant (call));
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

/* The text of a member before `end`, as it stands there. */
static void
copy_member (const char *from, const char *end, const char *member, char *to, size_t room)
{
  const char *at = strstr (from, member);

  to[0] = '\0';
  if (at != NULL && at < end) {
    at += strlen (member);
    (void) snprintf (to, room, "%.*s", (int) strcspn (at, "\""), at);
  }
}

static toolhost_status
add_deed (toolhost_build *build, const char *document, const char *end)
{
  struct deed *deed = calloc (1, sizeof *deed);

  if (deed == NULL)
    return TOOLHOST_FAILED;
  copy_member (document, end, "\"name\":\"", deed->name, sizeof deed->name);
  copy_member (document, end, "\"says\":\"", deed->text, sizeof deed->text);
  (void) snprintf (deed->definition, sizeof deed->definition,
                   "{\"name\":\"%s\",\"description\":\"A deed.\",\"inputSchema\":"
                   "{\"type\":\"object\",\"additionalProperties\":false}}",
                   deed->name);
  return toolhost_add_tool (build, &tool, deed);
}

/* Documents of the tests are flat and have their name first: one ends where the next begins. */
static toolhost_status
build_actions (toolhost_build *build, const char *config, size_t len)
{
  const char *end = strstr (config, "\"endpoints\":"), *at = config, *next;
  toolhost_status status = TOOLHOST_OK;

  toolhost_host_log (build->host, TOOLHOST_INFO, "deeds builds of %zu bytes", len);
  if (strstr (config, "crash") != NULL)
    (void) raise (SIGSEGV);
  for (at = strstr (at, "{\"name\":\""); status == TOOLHOST_OK && at != NULL && at < end;
       at = next) {
    next = strstr (at + 1, "{\"name\":\"");
    status = add_deed (build, at, next != NULL && next < end ? next : end);
  }
  return status;
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "actions",
                                          .build = build_actions, .release = free };

/* ---- internal tools ---- */

static const char *
check_definition (void *self)
{
  (void) self;
  return "{\"name\":\"actions_check\",\"description\":\"Checks.\",\"inputSchema\":{\"type\":"
         "\"object\"},\"toolhost\":{\"internal\":true}}";
}

static toolhost_status
check (void *self, toolhost_call *call)
{
  const char *text = toolhost_args (call, NULL);

  (void) self;
  if (strstr (text, "wrong") == NULL)
    return toolhost_json (call, "{\"ok\":true,\"problems\":[],\"definitions\":[]}");
  return toolhost_json (
    call, "{\"ok\":false,\"problems\":[{\"pointer\":\"/tools/0/says\",\"code\":\"wrong\","
          "\"message\":\"It is wrong\",\"hint\":\"say something else\"},{\"pointer\":\"/tools/0\","
          "\"code\":\"bad\",\"message\":\"All of it\"},{\"pointer\":\"/endpoints/0\",\"code\":"
          "\"other\",\"message\":\"Another document's\"}]}");
}

static const char *
try_definition (void *self)
{
  (void) self;
  return "{\"name\":\"actions_try\",\"description\":\"Tries.\",\"inputSchema\":{\"type\":"
         "\"object\"},\"toolhost\":{\"internal\":true}}";
}

/* It says what it was told. */
static toolhost_status
try (void *self, toolhost_call *call)
{
  const char *text = toolhost_args (call, NULL);
  char *out = malloc (strlen (text) + 32);
  toolhost_status status;

  (void) self;
  if (out == NULL)
    return TOOLHOST_FAILED;
  (void) sprintf (out, "{\"ok\":true,\"told\":%s}", text);
  status = toolhost_json (call, out);
  free (out);
  return status;
}

static const toolhost_tool checker = { TOOLHOST_TOOL, .definition = check_definition,
                                       .execute = check };
static const toolhost_tool trier = { TOOLHOST_TOOL, .definition = try_definition, .execute = try };

TOOLHOST_PLUGIN (.name = "deeds", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&checker, &trier), TOOLHOST_BUILDERS (&builder))

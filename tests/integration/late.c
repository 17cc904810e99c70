/* late.c - a plugin that is not loaded until the file that its configuration names is there: what a
 * plugin looks like on a machine that is too busy. */
#include <toolhost.h>

#include <string.h>
#include <unistd.h>

/* Of {"until":"PATH"}; NULL: there is none. */
static const char *
path_of (const char *config, size_t len)
{
  static char path[256];
  const char *colon = memchr (config, ':', len);
  const char *from = colon != NULL ? strchr (colon, '"') : NULL;
  size_t n = 0;

  if (from == NULL)
    return NULL;
  for (from++; *from != '\0' && *from != '"' && n < sizeof path - 1; from++)
    if (*from != '\\') /* before a slash */
      path[n++] = *from;
  return path;
}

static toolhost_status
at_open (toolhost_build *build, const char *config, size_t len, void **self)
{
  const char *path = path_of (config, len);

  (void) self;
  if (path == NULL)
    return toolhost_build_error (build, "", "expected a path");
  while (access (path, F_OK) != 0)
    (void) usleep (10000);
  return TOOLHOST_OK;
}

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"late\", \"description\": \"Is loaded late.\","
         " \"inputSchema\": { \"type\": \"object\" } }";
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, "there");
}

static const toolhost_tool late = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "late", .version = "1.0", .threads = TOOLHOST_PARALLEL, .open = at_open,
                 TOOLHOST_TOOLS (&late))

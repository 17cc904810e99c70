/* files.c - the plugin: read, list and search below the folders the operator granted. */
#include "files.h"

#include <stdlib.h>

#include "roots.h"

bool
files_granted (void *self, toolhost_call *call)
{
  const struct roots *roots = self;

  if (roots->count > 0)
    return true;
  return toolhost_why (call,
                       "no folder is granted; the operator grants some in plugins.d/files.json "
                       "with \"config\": {\"roots\": [\"/srv/docs\"]} and "
                       "\"permissions\": {\"read\": [\"/srv/docs\"]}");
}

toolhost_status
files_no_memory (toolhost_call *call)
{
  return toolhost_fail (call, "files_failed", "out of memory");
}

toolhost_status
files_send (toolhost_call *call, const struct text *text, const struct text *json)
{
  if (!text_ok (text) || !text_ok (json))
    return files_no_memory (call);
  (void) toolhost_text_len (call, text_get (text), text->len);
  return toolhost_json_len (call, text_get (json), json->len);
}

static void
close_files (void *self)
{
  if (self == NULL)
    return;
  roots_close (self);
  free (self);
}

static toolhost_status
open_files (toolhost_build *build, const char *config, size_t len, void **self)
{
  struct roots *roots = calloc (1, sizeof *roots);

  if (roots == NULL)
    return toolhost_build_error (build, "", "out of memory");
  if (!roots_open (roots, build, config, len)) {
    close_files (roots);
    return TOOLHOST_FAILED;
  }
  *self = roots;
  return TOOLHOST_OK;
}

TOOLHOST_PLUGIN (.name = "files", .version = "1.0",
                 .description = "Lists, reads and searches files below granted folders.",
                 .threads = TOOLHOST_PARALLEL, .open = open_files, .close = close_files,
                 TOOLHOST_TOOLS (&files_list_tool, &files_read_tool, &files_search_tool))

/* What a plugin offers beyond tools: its extensions, checked as its tools are, and put behind them
 * in the one list of what can be called. */
#include <stdio.h>

#include "base/buf.h"
#include "worker/plugin.h"
#include "worker/structs.h"

enum { MOST_OFFERS = 10000 };

/* How one extension of the ABI becomes entries of the list. */
struct beyond {
  enum plugin_kind kind;
  const char *macro; /* that begins each of its structs */
  size_t least;      /* bytes of one in the first release */
  const char *work;  /* the callback that does the work */
  void (*take) (struct plugin_tool *tool, const void *given, uint32_t struct_size);
};

static void
take_readable (struct plugin_tool *tool, const void *given, uint32_t struct_size)
{
  toolhost_readable ours;

  copy_struct (&ours, sizeof ours, given, struct_size);
  tool->vtable = (toolhost_tool){ .definition = ours.definition,
                                  .can_execute = ours.can_read,
                                  .execute = ours.read,
                                  .max_time = ours.max_time };
  tool->complete = ours.complete;
  tool->list = ours.list;
}

static void
take_prompt (struct plugin_tool *tool, const void *given, uint32_t struct_size)
{
  toolhost_prompt ours;

  copy_struct (&ours, sizeof ours, given, struct_size);
  tool->vtable = (toolhost_tool){ .definition = ours.definition,
                                  .can_execute = ours.can_get,
                                  .execute = ours.get,
                                  .max_time = ours.max_time };
  tool->complete = ours.complete;
}

static toolhost_status
checks_nothing (void *self, toolhost_call *call)
{
  (void) self;
  (void) call;
  return TOOLHOST_OK;
}

static void
take_guard (struct plugin_tool *tool, const void *given, uint32_t struct_size)
{
  toolhost_guard ours;

  copy_struct (&ours, sizeof ours, given, struct_size);
  tool->vtable = (toolhost_tool){ .definition = ours.definition, .execute = ours.check };
  tool->checks = ours.check != NULL;
  tool->on_error = ours.on_error;
  if (ours.on_error != NULL && !tool->checks)
    tool->vtable.execute = checks_nothing;
}

static const struct beyond readables = { .kind = PLUGIN_READABLE,
                                         .macro = "TOOLHOST_READABLE",
                                         .least = REACHES (toolhost_readable, max_time),
                                         .work = "read",
                                         .take = take_readable };
static const struct beyond prompts = { .kind = PLUGIN_PROMPT,
                                       .macro = "TOOLHOST_PROMPT",
                                       .least = REACHES (toolhost_prompt, max_time),
                                       .work = "get",
                                       .take = take_prompt };

static const struct beyond guards = { .kind = PLUGIN_GUARD,
                                      .macro = "TOOLHOST_GUARD",
                                      .least = REACHES (toolhost_guard, on_error),
                                      .work = "check",
                                      .take = take_guard };

const char *
plugin_kind_word (enum plugin_kind kind)
{
  static const char *const words[] = {
    [PLUGIN_TOOL] = "tool",
    [PLUGIN_READABLE] = "resource",
    [PLUGIN_PROMPT] = "prompt",
    [PLUGIN_GUARD] = "guard",
  };
  return words[kind];
}

static bool
take_one (struct plugin *plugin, const struct beyond *how, const void *given, size_t number,
          struct error *err)
{
  struct plugin_tool *tool = &plugin->tools[plugin->tools_count];
  const char *kind = plugin_kind_word (how->kind);
  uint32_t size;

  memcpy (&size, given, sizeof size);
  if (size < how->least)
    return error_set (
      err, "plugin \"%s\", %s %zu: struct_size is %u, it begins at %zu: begin the struct with %s",
      plugin->desc.name, kind, number, (unsigned) size, how->least, how->macro);
  *tool = (struct plugin_tool){ .kind = how->kind };
  how->take (tool, given, size);
  if (tool->vtable.definition == NULL || tool->vtable.execute == NULL)
    return error_set (err, "plugin \"%s\", %s %zu: the callback %s is missing", plugin->desc.name,
                      kind, number, tool->vtable.definition == NULL ? "definition" : how->work);
  plugin->tools_count++;
  return true;
}

/* Of an array of pointers to structs of some kind. */
static const void *
item (const void *list, size_t index)
{
  const void *at;

  memcpy (&at, (const char *) list + index * sizeof at, sizeof at);
  return at;
}

static bool
take_list (struct plugin *plugin, const struct beyond *how, const void *list, struct error *err)
{
  size_t count = 0;

  while (list != NULL && item (list, count) != NULL)
    if (++count > MOST_OFFERS)
      return error_set (err, "plugin \"%s\": more than %d %ss: does the array end with NULL?",
                        plugin->desc.name, MOST_OFFERS, plugin_kind_word (how->kind));
  if (count == 0)
    return true;
  plugin->tools = xrealloc (plugin->tools, (plugin->tools_count + count) * sizeof *plugin->tools);
  for (size_t i = 0; i < count; i++)
    if (!take_one (plugin, how, item (list, i), i + 1, err))
      return false;
  return true;
}

/* What the plugin answers for an extension's id, in a struct that is at least this long; NULL when
 * it has none.  False: it is too short. */
static bool
find (const struct plugin *plugin, const char *id, size_t least, const void **found,
      struct error *err)
{
  uint32_t size;

  *found = plugin->desc.extension != NULL ? plugin->desc.extension (id) : NULL;
  if (*found == NULL)
    return true;
  memcpy (&size, *found, sizeof size);
  return size >= least
         || error_set (err,
                       "plugin \"%s\": extension \"%s\": struct_size is %u, it begins at %zu: "
                       "make it with TOOLHOST_EXTENSIONS",
                       plugin->desc.name, id, (unsigned) size, least);
}

bool
plugin_take_beyond (struct plugin *plugin, struct error *err)
{
  const void *found;

  if (!find (plugin, TOOLHOST_RESOURCES_ID, REACHES (toolhost_resources, readables), &found, err)
      || (found != NULL
          && !take_list (plugin, &readables, ((const toolhost_resources *) found)->readables, err)))
    return false;
  if (!find (plugin, TOOLHOST_PROMPTS_ID, REACHES (toolhost_prompts, prompts), &found, err)
      || (found != NULL
          && !take_list (plugin, &prompts, ((const toolhost_prompts *) found)->prompts, err)))
    return false;
  if (!find (plugin, TOOLHOST_GUARDS_ID, REACHES (toolhost_guards, guards), &found, err))
    return false;
  return found == NULL
         || take_list (plugin, &guards, ((const toolhost_guards *) found)->guards, err);
}

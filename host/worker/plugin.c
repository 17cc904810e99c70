#include "worker/plugin.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_tape.h"
#include "worker/build.h"
#include "worker/host_table.h"
#include "worker/structs.h"

enum { LONGEST_NAME = 64, LONGEST_WORD = 512, MOST_TOOLS = 10000 };

static bool
is_name (const char *name)
{
  size_t len = strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
  return len > 0 && len <= LONGEST_NAME && name[len] == '\0';
}

/* ---- the plugin's own fields ------------------------------------------------------------ */

static bool
check_head (const toolhost_plugin *given, const char *called, struct error *err)
{
  if (given == NULL)
    return error_set (err, "plugin \"%s\": toolhost_plugin_entry returned NULL", called);
  if (given->struct_size < REACHES (toolhost_plugin, abi))
    return error_set (
      err,
      "plugin \"%s\": struct_size is %u, too small to hold abi: make the struct with "
      "TOOLHOST_PLUGIN",
      called, (unsigned) given->struct_size);
  if (given->abi == 0)
    return error_set (err, "plugin \"%s\": abi is missing: make the struct with TOOLHOST_PLUGIN",
                      called);
  if (given->abi != TOOLHOST_ABI)
    return error_set (err,
                      "plugin \"%s\": abi is %u, this host speaks %u: rebuild the plugin with "
                      "this host's toolhost.h",
                      called, (unsigned) given->abi, (unsigned) TOOLHOST_ABI);
  if (given->struct_size < REACHES (toolhost_plugin, extension))
    return error_set (err,
                      "plugin \"%s\": struct_size is %u, abi 1 begins at %zu: make the struct with "
                      "TOOLHOST_PLUGIN",
                      called, (unsigned) given->struct_size, REACHES (toolhost_plugin, extension));
  return true;
}

static bool
check_word (const char *word, const char *field, const char *called, bool required,
            struct error *err)
{
  if (word == NULL && !required)
    return true;
  if (word == NULL || *word == '\0')
    return error_set (err, "plugin \"%s\": %s is missing", called, field);
  if (strnlen (word, LONGEST_WORD + 1) > LONGEST_WORD)
    return error_set (err, "plugin \"%s\": %s is longer than %d bytes", called, field,
                      LONGEST_WORD);
  if (!utf8_valid (word, strlen (word)))
    return error_set (err, "plugin \"%s\": %s is not UTF-8", called, field);
  return true;
}

static bool
read_version (const char *text, unsigned parts[3])
{
  char rest;
  int n = sscanf (text, "%4u.%4u.%4u%c", &parts[0], &parts[1], &parts[2], &rest);
  if (n == 3)
    return true;
  parts[2] = 0;
  return n == 2 && sscanf (text, "%4u.%4u%c", &parts[0], &parts[1], &rest) == 2;
}

/* Digits and dots of the host's own version; what follows them ("-rc1") does not count. */
static bool
host_is_new_enough (const unsigned wanted[3])
{
  unsigned own[3] = { 0 };

  (void) sscanf (PACKAGE_VERSION, "%u.%u.%u", &own[0], &own[1], &own[2]);
  for (size_t i = 0; i < 3; i++)
    if (own[i] != wanted[i])
      return own[i] > wanted[i];
  return true;
}

static bool
check_min_host (const toolhost_plugin *desc, const char *called, struct error *err)
{
  unsigned wanted[3];

  if (desc->min_host == NULL)
    return true;
  if (strnlen (desc->min_host, 20) == 20 || !read_version (desc->min_host, wanted))
    return error_set (err,
                      "plugin \"%s\": min_host is no version: expected one like \"1.2\", got "
                      "\"%.20s\"",
                      called, desc->min_host);
  if (!host_is_new_enough (wanted))
    return error_set (err,
                      "plugin \"%s\": min_host is %s, this host is %s: a newer toolhost is needed",
                      called, desc->min_host, PACKAGE_VERSION);
  return true;
}

static const char *
threads_word (int32_t threads)
{
  switch (threads) {
  case 0:
  case TOOLHOST_SERIAL:
    return "serial";
  case TOOLHOST_PARALLEL:
    return "parallel";
  case TOOLHOST_EVENTED:
    return "evented";
  default:
    return NULL;
  }
}

static bool
check_fields (const toolhost_plugin *desc, const char *called, struct error *err)
{
  if (!check_word (desc->name, "name", called, true, err))
    return false;
  if (!is_name (desc->name))
    return error_set (err,
                      "plugin \"%s\": name must be 1 to %d of a-z, 0-9, '_' and '-', got "
                      "\"%.64s\"",
                      called, LONGEST_NAME, desc->name);
  if (!check_word (desc->version, "version", desc->name, true, err)
      || !check_word (desc->description, "description", desc->name, false, err)
      || !check_min_host (desc, desc->name, err))
    return false;
  if (threads_word (desc->threads) == NULL)
    return error_set (err,
                      "plugin \"%s\": threads is %d: expected TOOLHOST_SERIAL, "
                      "TOOLHOST_PARALLEL or TOOLHOST_EVENTED",
                      desc->name, (int) desc->threads);
  return true;
}

static bool
check_offers (const struct plugin *plugin, struct error *err)
{
  const toolhost_plugin *desc = &plugin->desc;

  if (plugin->tools_count != 0 || (desc->builders != NULL && desc->builders[0] != NULL))
    return true;
  return error_set (
    err, "plugin \"%s\": it offers neither tools nor builders, resources, prompts nor guards",
    desc->name);
}

/* ---- its tools and builders ------------------------------------------------------------- */

static bool
take_tool (struct plugin_tool *tool, const toolhost_tool *given, const char *plugin, size_t number,
           struct error *err)
{
  if (given->struct_size == 0)
    return error_set (err,
                      "plugin \"%s\", tool %zu: struct_size is 0: begin the struct with "
                      "TOOLHOST_TOOL",
                      plugin, number);
  if (given->struct_size < REACHES (toolhost_tool, max_time))
    return error_set (err,
                      "plugin \"%s\", tool %zu: struct_size is %u, abi 1 begins at %zu: begin "
                      "the struct with TOOLHOST_TOOL",
                      plugin, number, (unsigned) given->struct_size,
                      REACHES (toolhost_tool, max_time));
  copy_struct (&tool->vtable, sizeof tool->vtable, given, given->struct_size);
  if (tool->vtable.definition == NULL)
    return error_set (err, "plugin \"%s\", tool %zu: the callback definition is missing", plugin,
                      number);
  if (tool->vtable.execute == NULL)
    return error_set (err, "plugin \"%s\", tool %zu: the callback execute is missing", plugin,
                      number);
  return true;
}

static bool
take_tools (struct plugin *plugin, struct error *err)
{
  const toolhost_tool *const *given = plugin->desc.tools;
  size_t count = 0;

  while (given != NULL && given[count] != NULL)
    if (++count > MOST_TOOLS)
      return error_set (err, "plugin \"%s\": more than %d tools: does the array end with NULL?",
                        plugin->desc.name, MOST_TOOLS);
  plugin->tools = xcalloc (count, sizeof *plugin->tools);
  plugin->tools_count = count;
  for (size_t i = 0; i < count; i++)
    if (!take_tool (&plugin->tools[i], given[i], plugin->desc.name, i + 1, err))
      return false;
  return true;
}

static bool
check_builders (const struct plugin *plugin, struct error *err)
{
  const toolhost_builder *const *given = plugin->desc.builders;

  for (size_t i = 0; given != NULL && given[i] != NULL; i++) {
    if (i >= MOST_TOOLS)
      return error_set (err, "plugin \"%s\": more than %d builders: does the array end with NULL?",
                        plugin->desc.name, MOST_TOOLS);
    if (given[i]->struct_size < REACHES (toolhost_builder, release))
      return error_set (err,
                        "plugin \"%s\", builder %zu: struct_size is %u: begin the struct with "
                        "TOOLHOST_BUILDER",
                        plugin->desc.name, i + 1, (unsigned) given[i]->struct_size);
    if (given[i]->feature == NULL || *given[i]->feature == '\0')
      return error_set (err, "plugin \"%s\", builder %zu: feature is missing", plugin->desc.name,
                        i + 1);
    if (given[i]->build == NULL)
      return error_set (err, "plugin \"%s\", builder \"%.64s\": the callback build is missing",
                        plugin->desc.name, given[i]->feature);
  }
  return true;
}

/* ---- open, definitions ------------------------------------------------------------------ */

static bool
open_plugin (struct plugin *plugin, const struct plugin_host *host, const char *config, size_t len,
             struct error *err)
{
  struct opening opening = { .pub.host = &host->table };
  toolhost_status status = TOOLHOST_OK;

  if (plugin->desc.open != NULL)
    status = plugin->desc.open (&opening.pub, config, len, &plugin->self);
  plugin->opened = status == TOOLHOST_OK;
  if (!plugin->opened && opening.said.text[0] != '\0')
    return error_set (err, "plugin \"%s\": open refused: %s", plugin->desc.name, opening.said.text);
  if (!plugin->opened)
    return error_set (err, "plugin \"%s\": open refused with status %d and no reason",
                      plugin->desc.name, (int) status);
  return true;
}

static bool
read_definition (struct plugin_tool *tool, const char *plugin, size_t number, struct error *err)
{
  const char *kind = plugin_kind_word (tool->kind);

  tool->definition = tool->vtable.definition (tool->self);
  if (tool->definition == NULL)
    return error_set (err, "plugin \"%s\", %s %zu: definition returned NULL", plugin, kind, number);
  if (!utf8_valid (tool->definition, strlen (tool->definition)))
    return error_set (err, "plugin \"%s\", %s %zu: definition is not UTF-8", plugin, kind, number);
  if (tool->vtable.max_time == NULL)
    return true;
  tool->max_time = tool->vtable.max_time (tool->self);
  if (tool->max_time <= 0)
    return error_set (err,
                      "plugin \"%s\", %s %zu: max_time is %lld: expected milliseconds above 0 "
                      "or TOOLHOST_NO_LIMIT",
                      plugin, kind, number, (long long) tool->max_time);
  return true;
}

static bool
read_definitions (struct plugin *plugin, struct error *err)
{
  enum plugin_kind kind = PLUGIN_TOOL;
  size_t number = 0; /* among those of its kind */

  for (size_t i = 0; i < plugin->tools_count; i++) {
    struct plugin_tool *tool = &plugin->tools[i];
    number = tool->kind == kind ? number + 1 : 1;
    kind = tool->kind;
    tool->self = plugin->self;
    if (!read_definition (tool, plugin->desc.name, number, err))
      return false;
  }
  return true;
}

bool
plugin_start (struct plugin *plugin, toolhost_plugin_entry_fn entry, const struct plugin_host *host,
              const char *called, const char *config, size_t config_len, struct error *err)
{
  const toolhost_plugin *given = entry (&host->table);

  memset (plugin, 0, sizeof *plugin);
  if (!check_head (given, called, err))
    return false;
  copy_struct (&plugin->desc, sizeof plugin->desc, given, given->struct_size);
  if (check_fields (&plugin->desc, called, err) && take_tools (plugin, err)
      && plugin_take_beyond (plugin, err) && check_builders (plugin, err)
      && check_offers (plugin, err) && open_plugin (plugin, host, config, config_len, err)
      && read_definitions (plugin, err))
    return true;
  plugin_stop (plugin);
  return false;
}

/* ---- building ---------------------------------------------------------------------------- */

static void
release_tools (struct plugin *plugin)
{
  for (size_t i = 0; plugin->builder.release != NULL && i < plugin->tools_count; i++)
    plugin->builder.release (plugin->tools[i].self);
  memset (&plugin->builder, 0, sizeof plugin->builder);
  free (plugin->tools);
  plugin->tools = NULL;
  plugin->tools_count = 0;
}

struct adding {
  struct plugin *plugin;
  struct error *err;
};

/* What was added counts from here on, so that it is released. */
static toolhost_status
add_tool (void *ctx, const toolhost_tool *given, void *self)
{
  struct adding *adding = ctx;
  struct plugin *plugin = adding->plugin;
  struct plugin_tool tool = { .kind = PLUGIN_TOOL, .self = self };

  if (given == NULL || plugin->tools_count == MOST_TOOLS
      || !take_tool (&tool, given, plugin->desc.name, plugin->tools_count + 1, adding->err))
    return TOOLHOST_BAD_VALUE;
  plugin->tools = xrealloc (plugin->tools, (plugin->tools_count + 1) * sizeof *plugin->tools);
  plugin->tools[plugin->tools_count++] = tool;
  return TOOLHOST_OK;
}

static const toolhost_builder *
find_builder (const struct plugin *plugin, const char *feature)
{
  const toolhost_builder *const *given = plugin->desc.builders;

  while (given != NULL && *given != NULL)
    if (strcmp ((*given)->feature, feature) == 0)
      return *given;
    else
      given++;
  return NULL;
}

static bool
say_build_failed (toolhost_status status, const struct opening *opening, struct error *err)
{
  if (err->text[0] != '\0') /* a tool that could not be added has its own sentence */
    return false;
  if (opening->said.text[0] != '\0')
    return error_set (err, "%s", opening->said.text);
  return error_set (err, "build failed with status %d and no reason", (int) status);
}

bool
plugin_build (struct plugin *plugin, const struct plugin_host *host, const char *feature,
              const char *config, size_t config_len, struct tool_call *call, struct error *err)
{
  const toolhost_builder *given = find_builder (plugin, feature);
  struct adding adding = { .plugin = plugin, .err = err };
  struct opening opening = {
    .pub.host = &host->table, .add = add_tool, .ctx = &adding, .call = call
  };
  toolhost_status status;
  bool good = true;

  if (given == NULL)
    return error_set (err, "plugin \"%s\" has no builder of this feature", plugin->desc.name);
  release_tools (plugin);
  copy_struct (&plugin->builder, sizeof plugin->builder, given, given->struct_size);
  err->text[0] = '\0';
  status = plugin->builder.build (&opening.pub, config, config_len);
  if (status != TOOLHOST_OK || err->text[0] != '\0')
    good = say_build_failed (status, &opening, err);
  for (size_t i = 0; good && i < plugin->tools_count; i++)
    good = read_definition (&plugin->tools[i], plugin->desc.name, i + 1, err);
  if (good)
    return true;
  release_tools (plugin);
  return error_wrap (err, "builder \"%s\": ", feature);
}

void
plugin_stop (struct plugin *plugin)
{
  if (plugin->builder.build != NULL)
    release_tools (plugin);
  if (plugin->opened && plugin->desc.close != NULL)
    plugin->desc.close (plugin->self);
  free (plugin->tools);
  memset (plugin, 0, sizeof *plugin);
}

/* ---- DESCRIBE --------------------------------------------------------------------------- */

static void
describe_callbacks (const toolhost_tool *tool, struct json_writer *w)
{
  const struct {
    const char *name;
    bool there;
  } callbacks[] = {
    { "definition", tool->definition != NULL },   { "validate", tool->validate != NULL },
    { "can_execute", tool->can_execute != NULL }, { "execute", tool->execute != NULL },
    { "max_time", tool->max_time != NULL },
  };

  jsonw_name (w, "callbacks");
  jsonw_array (w);
  for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
    if (callbacks[i].there)
      jsonw_string (w, callbacks[i].name);
  jsonw_end (w);
}

static void
describe_tool (const struct plugin_tool *tool, struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name_int (w, "max_time", tool->max_time == TOOLHOST_NO_LIMIT ? -1 : tool->max_time);
  if (tool->kind == PLUGIN_TOOL)
    describe_callbacks (&tool->vtable, w);
  else if (tool->kind == PLUGIN_GUARD) {
    jsonw_name_bool (w, "checks", tool->checks);
    jsonw_name_bool (w, "on_error", tool->on_error != NULL);
  }
  else
    jsonw_name_bool (w, "completes", tool->complete != NULL);
  if (tool->kind == PLUGIN_READABLE)
    jsonw_name_bool (w, "lists", tool->list != NULL);
  jsonw_name_string (w, "definition", tool->definition);
  jsonw_end (w);
}

static void
describe_kind (const struct plugin *plugin, enum plugin_kind kind, const char *name,
               struct json_writer *w)
{
  jsonw_name (w, name);
  jsonw_array (w);
  for (size_t i = 0; i < plugin->tools_count; i++)
    if (plugin->tools[i].kind == kind)
      describe_tool (&plugin->tools[i], w);
  jsonw_end (w);
}

void
plugin_describe (const struct plugin *plugin, struct json_writer *w)
{
  const toolhost_plugin *desc = &plugin->desc;

  jsonw_object (w);
  jsonw_name_int (w, "abi", desc->abi);
  jsonw_name_string (w, "name", desc->name);
  jsonw_name_string (w, "version", desc->version);
  jsonw_name_string (w, "description", desc->description != NULL ? desc->description : "");
  jsonw_name_string (w, "threads", threads_word (desc->threads));
  describe_kind (plugin, PLUGIN_TOOL, "tools", w);
  describe_kind (plugin, PLUGIN_READABLE, "resources", w);
  describe_kind (plugin, PLUGIN_PROMPT, "prompts", w);
  describe_kind (plugin, PLUGIN_GUARD, "guards", w);
  jsonw_name (w, "builders");
  jsonw_array (w);
  for (size_t i = 0; desc->builders != NULL && desc->builders[i] != NULL; i++)
    jsonw_string (w, desc->builders[i]->feature);
  jsonw_end (w);
  jsonw_name_bool (w, "extensions", desc->extension != NULL);
  jsonw_end (w);
}

/* plugin.h - a plugin's description, checked: what the entry symbol returned, copied into structs
 * of this host's size, and each fault a sentence of its own that names plugin, tool and field.
 *
 * Used by the worker after dlopen and by the mock host on linked-in plugins.  One thread. */
#ifndef TOOLHOST_WORKER_PLUGIN_H
#define TOOLHOST_WORKER_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <toolhost.h>

#include "base/error.h"
#include "base/json_write.h"

struct plugin_host; /* host_table.h */

enum plugin_kind { PLUGIN_TOOL, PLUGIN_READABLE, PLUGIN_PROMPT, PLUGIN_GUARD };

/* A tool, or what else is called like one: then vtable has read, get or check as its execute,
 * can_read or can_get as can_execute. */
struct tool_call;

struct plugin_tool {
  enum plugin_kind kind;
  toolhost_tool vtable; /* zero beyond what the plugin's header knew */
  toolhost_status (*complete) (void *self, toolhost_call *call); /* NULL: it suggests nothing */
  toolhost_status (*list) (void *self, toolhost_call *call);     /* NULL: it lists nothing */
  toolhost_status (*on_error) (void *self, toolhost_call *call); /* NULL: it is no error function */
  bool checks;                                                   /* a guard that has a check */
  void *self;
  const char *definition; /* the plugin's own text */
  int64_t max_time;       /* milliseconds; 0: host's default; TOOLHOST_NO_LIMIT */
};

struct plugin {
  toolhost_plugin desc;      /* zero beyond what the plugin's header knew */
  void *self;                /* what open stored */
  struct plugin_tool *tools; /* the tools, then the readables, the prompts, the guards */
  size_t tools_count;
  bool opened;
  toolhost_builder builder; /* whose tools these are; zero: they are the plugin's own */
};

/* Call the entry, check everything, open, read the definitions.  `called` is what to call the
 * plugin before its own name is known.  False: *plugin holds nothing and err has the sentence. */
bool plugin_start (struct plugin *plugin, toolhost_plugin_entry_fn entry,
                   const struct plugin_host *host, const char *called, const char *config,
                   size_t config_len, struct error *err);

/* Have the builder of a feature make tools of its configuration (JSON text): they are there instead
 * of all that the plugin itself, or an earlier build, offers.  False: there are none, and err has
 * the sentence. */
bool plugin_build (struct plugin *plugin, const struct plugin_host *host, const char *feature,
                   const char *config, size_t config_len, struct tool_call *call,
                   struct error *err);

/* The plugin's close, if open succeeded, after its builder's release of each tool; frees what
 * plugin_start made. */
void plugin_stop (struct plugin *plugin);

/* What the plugin's extension offers, to the end of its tools (for plugin.c). */
bool plugin_take_beyond (struct plugin *plugin, struct error *err);

/* "tool", "resource", "prompt", "guard" */
const char *plugin_kind_word (enum plugin_kind kind);

/* The body of a DESCRIBE frame. */
void plugin_describe (const struct plugin *plugin, struct json_writer *w);

#endif

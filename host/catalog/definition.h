/* definition.h - from what a worker says its plugin offers to tools, resources, prompts and guards:
 * everything is checked here, each definition by the schema of its kind, and what is broken is
 * reported and left out without harm to the rest. */
#ifndef TOOLHOST_CATALOG_DEFINITION_H
#define TOOLHOST_CATALOG_DEFINITION_H

#include "base/error.h"
#include "catalog/toolset.h"

enum plugin_threads { PLUGIN_SERIAL, PLUGIN_PARALLEL, PLUGIN_EVENTED };

/* What a plugin is and offers; zero-initialise, free with described_free. */
struct described {
  char *name;
  char *version;
  char *description; /* NULL when it has none */
  enum plugin_threads threads;
  struct tool **tools; /* whole ones, of all kinds; each with one reference */
  size_t tools_count;
  char **builders; /* features that tools are built of for tenants */
  size_t builders_count;
  char **problems; /* a sentence for each that was left out */
  size_t problems_count;
};

enum { OFFER_LISTS = 4 }; /* of DESCRIBE: tools, resources, prompts, guards */

/* The schemas of definitions, kept while many plugins are read; zero-initialise. */
struct definition_schemas {
  struct schema *of[OFFER_LISTS]; /* NULL: not needed yet */
};

void definition_schemas_clear (struct definition_schemas *schemas);

/* Read the JSON of DESCRIBE frames (frame.h).  `plugin` is the name the host knows the plugin by;
 * `kept` may be NULL.  False: the whole of it is unusable. */
bool described_read (struct described *d, const char *plugin, const char *json, size_t len,
                     struct definition_schemas *kept, struct error *err);
void described_free (struct described *d);

/* What a template's list gave, a JSON array of definitions: resources whose calls are the
 * template's, added to `d`, which is otherwise empty.  The template is referred to. */
void described_list (struct described *d, struct tool *template, const char *json, size_t len);

/* Its tool of this name; NULL when it has none. */
struct tool *described_tool (const struct described *d, const char *name);

/* What definitions must look like, as text: definition.schema.json and so on, which are published,
 * too. */
extern const char definition_schema_json[], resource_schema_json[], prompt_schema_json[],
  guard_schema_json[];

#endif

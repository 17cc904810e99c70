#include "worker/load.h"

#include <dlfcn.h>
#include <string.h>

bool
load_entry (const char *path, const char *name, toolhost_plugin_entry_fn *entry, struct error *err)
{
  void *object = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  void *symbol;

  if (object == NULL) {
    const char *why = dlerror ();
    return error_set (err, "plugin \"%s\" can't be loaded: %s", name,
                      why != NULL ? why : "no reason given");
  }
  symbol = dlsym (object, "toolhost_plugin_entry");
  if (symbol == NULL)
    return error_set (err,
                      "plugin \"%s\": it does not export toolhost_plugin_entry: register it with "
                      "TOOLHOST_PLUGIN",
                      name);
  memcpy (entry, &symbol, sizeof *entry);
  return true;
}

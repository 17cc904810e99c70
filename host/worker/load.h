/* load.h - open the plugin's file with dlopen and find its entry.  Its constructors run here,
 * inside the closed sandbox. */
#ifndef TOOLHOST_WORKER_LOAD_H
#define TOOLHOST_WORKER_LOAD_H

#include <stdbool.h>
#include <toolhost.h>

#include "base/error.h"

bool load_entry (const char *path, const char *name, toolhost_plugin_entry_fn *entry,
                 struct error *err);

#endif

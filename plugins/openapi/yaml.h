/* yaml.h - YAML 1.2 as JSON values, as far as documents of services use it (its JSON and core
 * schemas).  Keys are texts, whatever they look like; no key stands twice; an alias gives the value
 * of its anchor, within a bound on what all of it comes to.  Pure. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_YAML_H
#define TOOLHOST_PLUGINS_OPENAPI_YAML_H

#include "../common/value.h"

enum { YAML_NODES_MAX = 2000000 /* with every alias written out */ };

/* The document, whole; NULL: `why` has the line and what is wrong there. */
const struct value *yaml_read (struct values *pool, const char *text, size_t len, struct text *why);

#endif

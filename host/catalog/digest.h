/* digest.h - what a tool is, as one hash: of its definition in canonical form and of what its
 * plugin is run from.  The same digest is the same tool; who has looked at one and trusts it can
 * tell when it is another.  Pure. */
#ifndef TOOLHOST_CATALOG_DIGEST_H
#define TOOLHOST_CATALOG_DIGEST_H

#include "base/buf.h"
#include "catalog/hash.h"

/* `definition` is the tool's as JSON, `plugin_hex` the hash of its plugin. */
void digest_of_tool (const struct buf *definition, const char *plugin_hex, char hex[SHA256_HEX]);

#endif

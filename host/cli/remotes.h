/* remotes.h - the documents that references of a schema may lead to, from files: --registry and
 * --ref.  Nothing is fetched. */
#ifndef TOOLHOST_CLI_REMOTES_H
#define TOOLHOST_CLI_REMOTES_H

#include "cli/options.h"
#include "schema/schema.h"

/* Is it "URI=FILE"?  The last '=' counts. */
bool remotes_is_ref (const char *pair, struct error *err);

/* Add the file of such a pair. */
bool remotes_add_ref (struct schema_registry *registry, const char *pair, struct error *err);

/* Add a file by its "$id" (draft-04: "id"), or of a folder, and of those in it, every *.json that
 * has one. */
bool remotes_add_path (struct schema_registry *registry, const char *path, struct error *err);

#endif

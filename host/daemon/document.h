/* document.h - the files of the configuration as documents: JSON in which comments are allowed,
 * read strictly, and judged by the schema that is published for it.  Pure functions. */
#ifndef TOOLHOST_DAEMON_DOCUMENT_H
#define TOOLHOST_DAEMON_DOCUMENT_H

#include "base/buf.h"
#include "base/error.h"

struct json_object; /* json-c */

/* The published schemas, as text: config.schema.json is for toolhostd.json, policy.schema.json for
 * plugins.d/NAME.json and profiles.d/NAME.json. */
extern const char config_schema_json[];
extern const char policy_schema_json[];
extern const char tenant_schema_json[]; /* of tenants.d/TENANT.json */

/* The text of a file, its comments made blanks; at most 4 MiB. */
bool document_text (int fd, struct buf *text, struct error *err);
/* Read a file.  NULL: err has the line and column of what is no JSON, or the JSON pointer of what
 * the schema does not allow, with what is expected there.  The caller puts the object. */
struct json_object *document_read (int fd, const char *schema, struct error *err);
/* The same of a text of our own; without a schema (NULL) when its test has held it to that. */
struct json_object *document_of_text (const char *text, const char *schema, struct error *err);

#endif

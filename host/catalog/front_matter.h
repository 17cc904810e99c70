/* front_matter.h - the YAML at the beginning of a SKILL.md, as JSON.
 *
 * YAML is read by libyaml and understood as YAML 1.2's core schema says.  What hosts of skills
 * would read in more than one way is refused, for they compare their reading with ours: anchors,
 * aliases, tags, keys that are no texts or stand twice, and plain scalars that older readers take
 * for something else (yes, 0123, 1e3, 2026-01-01).  The fields are those of the Agent Skills
 * specification (agentskills.io/specification); others pass as they are.  Pure; any thread. */
#ifndef TOOLHOST_CATALOG_FRONT_MATTER_H
#define TOOLHOST_CATALOG_FRONT_MATTER_H

#include "base/buf.h"
#include "base/error.h"

enum { FRONT_MATTER_MAX = 64 * 1024, SKILL_NAME_MAX = 64 };

/* 1 to 64 of a-z 0-9 and single hyphens between them? */
bool skill_name_ok (const char *name, size_t len);

/* Append the front matter of a SKILL.md (its begin, at least up to the line that ends the front
 * matter) as a JSON object.  `name` is what the skill has to be called: its folder.  False: err
 * says at which line or member something is wrong. */
bool front_matter_read (const char *text, size_t len, const char *name, struct buf *out,
                        struct error *err);

#endif

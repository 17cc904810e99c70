/* skill.h - the skills that a plugin brings in its folder: each a SKILL.md with what stands beside
 * it, shown to agents as resources (MCP's skills extension, io.modelcontextprotocol/skills).
 *
 * Where a plugin PLUGIN has skills/REFUNDS/SKILL.md, the skill is skill://PLUGIN/REFUNDS/SKILL.md
 * and its files stand below skill://PLUGIN/REFUNDS.  Their bytes are read from the copy that the
 * plugin is run from, never from where it was found.  Made once from an index (skill_index.h), then
 * only read.  Loop thread only, but for skill_read. */
#ifndef TOOLHOST_CATALOG_SKILL_H
#define TOOLHOST_CATALOG_SKILL_H

#include "base/error.h"
#include "catalog/hash.h"
#include "catalog/toolset.h"

#define SKILL_SCHEME "skill://"

struct described;
struct skills; /* of one plugin */

struct skill_file {
  const char *path; /* below the skill's folder */
  uint64_t start, size;
  const char *sha256;
};

struct skill {
  struct skills *all;
  const char *root; /* URI of its folder */
  size_t root_len;
  const char *name, *description;
  const char *front_matter; /* JSON object */
  size_t front_matter_len;
  struct skill_file *files; /* in the order of their paths */
  size_t count;
};

/* The skills of an index of the copy `fd` (taken over), which a plugin of this name brings.  One
 * reference is the caller's.  NULL: that is no index. */
struct skills *skills_new (const char *plugin, const char *index, size_t len, int fd);
struct skills *skills_ref (struct skills *skills);
void skills_unref (struct skills *skills);

/* Add to what the plugin offers: each skill, its SKILL.md as a resource, and the problems. */
void skills_offer (struct skills *skills, const char *plugin, struct described *d);

/* For each file of `was` that is not the same in `now` (or NULL): its URI. */
void skills_each_changed (const struct skills *was, const struct skills *now,
                          void (*changed) (void *ctx, const char *uri, size_t len), void *ctx);

/* What the skill has at a URI; NULL: no file. */
const struct skill_file *skill_file (const struct skill *skill, const char *uri, size_t len);
/* By the end of its name: "text/markdown"; "application/octet-stream" when it says nothing. */
const char *skill_file_type (const char *path);

/* The skill that a URI is a file of, or a folder in; NULL: none.  Of skills in skills the
 * innermost.
 */
struct tool *skill_at (const struct toolset *set, const char *uri, size_t len);

/* Append the file's bytes.  False: they can't be read, or are not what the index says.  Any thread,
 * while the caller holds a reference. */
bool skill_read (const struct skill *skill, const struct skill_file *file, struct buf *out,
                 struct error *err);

#endif

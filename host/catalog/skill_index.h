/* skill_index.h - which skills there are in the folder of a plugin, read once from the copy that is
 * made of it (store.h): skills/…/NAME/SKILL.md, and with it everything below that folder.  What is
 * wrong with a skill is a sentence in the index, and leaves that one out.
 *
 * The index is JSON, so that it can be kept with the copy's hash:
 *   { "skills": [ { "path", "frontmatter", "files": [ [ path, start, size, sha256 ], … ] }, … ],
 *     "problems": [ … ] }
 * A skill's path is below skills/, its files' are below its own folder, SKILL.md among them; start
 * is where a file's bytes are in the copy. */
#ifndef TOOLHOST_CATALOG_SKILL_INDEX_H
#define TOOLHOST_CATALOG_SKILL_INDEX_H

#include "base/buf.h"
#include "catalog/copies.h"

/* What the extension says every host takes, and how many skills a plugin may have. */
enum {
  SKILL_FILES_MAX = 512,
  SKILL_BYTES_MAX = 16 << 20,
  SKILL_TEXT_MAX = 1 << 20, /* of its SKILL.md */
  SKILLS_MAX = 64
};

/* Append the index of the copy; nothing when it has no skills/.  False: it was stopped, or the copy
 * can't be read.  In a thread. */
bool skill_index (int copy, const struct copies_stop *stop, struct buf *out);

#endif

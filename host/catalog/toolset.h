/* toolset.h - which tools there are: immutable sets of tools, sorted by name.
 *
 * A toolset is built once (definition.h makes the tools), then only read; whoever keeps one holds a
 * reference.  A tool lives as long as a toolset or a call refers to it.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_TOOLSET_H
#define TOOLHOST_CATALOG_TOOLSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "schema/repair/repair.h"

struct schema;
struct unit; /* pool/unit.h: what runs the tool; the catalog only passes it on */

/* What the operator gives a tool less of than its plugin; 0: no less. */
struct tool_limits {
  int64_t time_ms;
  uint32_t cpu_ms;
  size_t result;    /* bytes */
  unsigned waiting; /* calls that wait for a worker */
};

struct tool {
  unsigned refs;
  char *name;
  size_t name_len;
  char *description;
  char *plugin;      /* name of the plugin that offers it */
  struct unit *unit; /* one reference held; may be NULL in tests */
  void (*unit_unref) (struct unit *unit);
  char digest[65];     /* what it is, see digest.h; "" until its plugin is in use */
  uint32_t index;      /* in the plugin's DESCRIBE */
  int64_t max_time_ms; /* of the tool, 0: host's default; INT64_MAX: no limit */
  struct tool_limits limits;
  unsigned waiting; /* calls, while limits.waiting counts */
  bool disabled;    /* the operator's word: it is in no toolset */
  bool idempotent;
  bool strict;       /* its author wants it in strict form, where a provider has one */
  char *permissions; /* what it would like, JSON as the author wrote it; grants nothing; or NULL */
  struct schema *input;    /* compiled inputSchema */
  struct schema *output;   /* compiled outputSchema, or NULL */
  bool repair_set;         /* the operator said how its arguments may be mended: */
  enum repair_mode repair; /* … so; else as the daemon's configuration says */
  struct buf mcp; /* as MCP 2026-07-28 lists it, on one line; project.h makes the rest of it */
  void *stats;    /* watch: this tool's metrics, or NULL; owned by the metrics registry */
};

struct tool *tool_ref (struct tool *tool);
void tool_unref (struct tool *tool);

struct toolset {
  unsigned refs;
  uint64_t generation; /* grows with every change */
  size_t count;
  struct tool **tools; /* sorted by name, bytewise */
};

/* Takes over the references in `tools` (not the array), sorts.  Names must be unique. */
struct toolset *toolset_new (struct tool *const *tools, size_t count, uint64_t generation);
struct toolset *toolset_ref (struct toolset *set);
void toolset_unref (struct toolset *set);

/* NULL when there is no such tool. */
struct tool *toolset_find (const struct toolset *set, const char *name, size_t len);
/* Index of the first tool whose name sorts after `name`: where a page that ended at `name` goes on,
 * also when that tool is gone meanwhile. */
size_t toolset_after (const struct toolset *set, const char *name, size_t len);

#endif

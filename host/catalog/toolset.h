/* toolset.h - which tools there are, and what else is called like one: immutable sets, sorted by
 * name.
 *
 * What a plugin offers is a tool, a resource, a template of resources or a prompt.  All four are
 * calls with a deadline to a unit, so all are struct tool; they differ in what they are known by.
 * A skill, which comes as files, is one too; reading what it brings is a call without a unit.  A
 * guard checks the calls of others; no client sees it.
 *
 * A toolset is built once (definition.h makes the tools), then only read; whoever keeps one holds a
 * reference.  A tool lives as long as a toolset or a call refers to it.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_TOOLSET_H
#define TOOLHOST_CATALOG_TOOLSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/resilience.h"
#include "base/uri_template.h"
#include "catalog/mirrored.h"
#include "schema/repair/repair.h"

struct schema;
struct skill; /* skill.h */
struct unit;  /* pool/unit.h: what runs the tool; the catalog only passes it on */

/* What the operator gives a tool less of than its plugin; 0: no less. */
struct tool_limits {
  int64_t time_ms;
  uint32_t cpu_ms;
  size_t result;    /* bytes */
  unsigned waiting; /* calls that wait for a worker */
};

enum offer {
  OFFER_TOOL,
  OFFER_RESOURCE,
  OFFER_TEMPLATE,
  OFFER_PROMPT,
  OFFER_SKILL,
  OFFER_GUARD,
  OFFERS
};
/* "tool", "resource", "template", "prompt", "skill", "guard" */
const char *offer_word (enum offer offer);
enum tool_background {
  BACKGROUND_NO,
  BACKGROUND_MAY,
  BACKGROUND_MUST,
  BACKGROUND_ANSWERED /* once its first questions have answers */
};

/* Where what a tool gives goes, in a session. */
enum tool_kind {
  TOOL_LOOPBACK,    /* to the model */
  TOOL_PASSTHROUGH, /* to the user; the model learns that it worked */
  TOOL_HANDOFF      /* likewise, and the tool takes the events that follow */
};

/* What a guard is for. */
enum checks { CHECKS_INPUT = 1, CHECKS_OUTPUT = 2, CHECKS_ERRORS = 4 };

struct tool {
  unsigned refs;
  enum offer offer;
  char *name; /* what it is known by: of a resource its URI, of a template its text, of a guard
                 PLUGIN/NAME */
  size_t name_len;
  char *description;
  char *plugin;      /* name of the plugin that offers it */
  struct unit *unit; /* one reference held; may be NULL in tests */
  void (*unit_unref) (struct unit *unit);
  char digest[65];     /* what it is, see digest.h; "" until its plugin is in use */
  uint32_t index;      /* in the plugin's DESCRIBE */
  int64_t max_time_ms; /* of the tool, 0: host's default; INT64_MAX: no limit */
  struct tool_limits limits;
  unsigned waiting;            /* calls, while limits.waiting counts */
  bool circuit_set;            /* the operator said when its circuit opens: */
  struct circuit_rule circuit; /* … so; else as circuit_defaults have it */
  struct retry_rule retry;     /* of an idempotent one; no tries: once, as any other */
  bool disabled;               /* the operator's word: it is in no toolset */
  bool internal;               /* its author's: the daemon calls it, it is in no toolset */
  bool idempotent;
  enum tool_kind kind;
  enum tool_background background; /* may its calls be answered before they have ended? */
  unsigned active_turns;           /* of the user, for which a conversation has it; 0: for all */
  bool approval;   /* its author wants a person to approve each call (toolhost.approval) */
  bool strict;     /* its author wants it in strict form, where a provider has one */
  bool strict_off; /* he would, but an argument speaks against it */
  char **tags;     /* of a tool, as its definition says */
  size_t tags_count;
  char *text;        /* the argument that a bare text stands for, as its definition says; or NULL */
  char *permissions; /* what it would like, JSON as the author wrote it; grants nothing; or NULL */
  unsigned checks;   /* of a guard: enum checks, what it is for */
  struct schema *input;  /* compiled inputSchema; of a guard its configSchema, or NULL */
  struct schema *output; /* compiled outputSchema, or NULL */
  struct uri_template *uri_template; /* of a template */
  bool completes;                    /* a template or prompt that suggests values */
  bool lists;                        /* a template that says which resources there are */
  struct tool *listed_by; /* of a resource that a template listed: that one, referred to */
  struct skill *skill;    /* of a skill, and of its SKILL.md as a resource: it, referred to */
  struct mirrored_list mirrored; /* arguments that MCP clients repeat as headers */
  bool repair_set;               /* the operator said how its arguments may be mended: */
  enum repair_mode repair;       /* … so; else as the daemon's configuration says */
  struct buf mcp; /* as MCP 2026-07-28 lists it, on one line; project.h makes the rest of tools */
  void *stats;    /* watch: this tool's metrics, or NULL; owned by the metrics registry */
};

struct tool *tool_ref (struct tool *tool);
void tool_unref (struct tool *tool);

/* Those of one kind, sorted by name, bytewise. */
struct offers {
  struct tool **list;
  size_t count;
};

struct toolset {
  unsigned refs;
  uint64_t generation; /* grows with every change */
  size_t count;        /* of the tools … */
  struct tool **tools; /* … which are first of all */
  size_t all;          /* of every kind */
  struct offers of[OFFERS];
  char *choice; /* "required" or the name of a tool of it; NULL: as the model likes */
};

/* Takes over the references in `tools` (not the array), which are of any kinds; sorts.  Names must
 * be unique within each kind. */
struct toolset *toolset_new (struct tool *const *tools, size_t count, uint64_t generation);
struct toolset *toolset_ref (struct toolset *set);
void toolset_unref (struct toolset *set);

/* Before it is served: whether a model shall use a tool, "none", "auto", "required" or the name of
 * the one; NULL: "auto".  False: there is no tool of this name, it is "auto". */
bool toolset_choose (struct toolset *set, const char *choice);
/* … and without a tool it is "none". */
const char *toolset_choice (const struct toolset *set);

/* NULL when there is no such tool. */
struct tool *toolset_find (const struct toolset *set, const char *name, size_t len);
/* Index of the first tool whose name sorts after `name`: where a page that ended at `name` goes on,
 * also when that tool is gone meanwhile. */
size_t toolset_after (const struct toolset *set, const char *name, size_t len);

/* The same of those of one kind. */
struct tool *offers_find (const struct offers *offers, const char *name, size_t len);
size_t offers_after (const struct offers *offers, const char *name, size_t len);

/* What answers for a URI: the skill whose file it is, the resource that stands there, else the
 * template that matches with the most literal text (of equals the first).  The template's variables
 * are appended as a JSON object. NULL: nothing does. */
struct tool *toolset_resource (const struct toolset *set, const char *uri, size_t len,
                               struct buf *variables);

#endif

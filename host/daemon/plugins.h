/* plugins.h - every plugin the daemon knows: from a file that was found to tools in the catalog.
 *
 * A file is copied (intake), the copy becomes a unit (pool), the unit is asked what it offers (or
 * the cache knows), the answer becomes tools (catalog), and the new toolset replaces the old one in
 * one step.  The unit of a replaced file finishes its calls and goes.  A broken plugin is reported
 * and harms nobody.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_PLUGINS_H
#define TOOLHOST_DAEMON_PLUGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "catalog/catalog.h"
#include "daemon/describe_cache.h"
#include "daemon/intake.h"
#include "pool/policy.h"
#include "pool/pool.h"

struct calls;
struct plugins;

struct plugins_needs {
  struct pool *pool;
  struct catalog *catalog;
  struct describe_cache *cache;
  struct intake *intake;
  struct log *log;
  const struct buf *sandbox; /* JSON: what confines workers here; empty: not said; borrowed */
  unsigned describe_parallel;
  /* The operator's policy for a plugin: fills `policy` (policy_init was called). */
  void (*policy) (void *ctx, const char *name, struct policy *policy);
  /* All plugins that were known at the start have been described or given up; once. */
  void (*ready) (void *ctx);
  void *ctx;
};

struct plugins *plugins_new (const struct plugins_needs *needs);
void plugins_free (struct plugins *plugins);

/* What discovery reports.  The source's descriptor is taken over. */
void plugins_found (struct plugins *plugins, const char *name, const char *path,
                    const struct source *source);
void plugins_gone (struct plugins *plugins, const char *name);
void plugins_refused (struct plugins *plugins, const char *name, const char *path, const char *why);
void plugins_scanned (struct plugins *plugins);

bool plugins_ready (const struct plugins *plugins);
size_t plugins_count (const struct plugins *plugins);
/* The hashes of what they are run from, now or soon: fills `list` (allocated), returns how many. */
size_t plugins_hashes (const struct plugins *plugins, char (**list)[SHA256_HEX]);

/* Where lists of templates are asked for (call/call.h); from here on they are. */
void plugins_list_by (struct plugins *plugins, struct calls *calls);
/* A plugin says that its resources have changed: its templates are asked again. */
void plugins_list_again (struct plugins *plugins, const char *name);

/* For each builder of a plugin that serves, in the order of their names, then of the builders;
 * `unit` is the plugin's, `hex` the hash of its file. */
void plugins_each_builder (struct plugins *plugins,
                           void (*builder) (void *ctx, const char *plugin, const char *feature,
                                            struct unit *unit, const char *hex),
                           void *ctx);

/* Does this plugin build the feature? */
bool plugins_builds (struct plugins *plugins, const char *plugin, const char *feature);
/* The internal tool of this name, of the first plugin that builds the feature; NULL: there is none.
 * Good until this turn of the loop ends. */
struct tool *plugins_builder_tool (struct plugins *plugins, const char *feature, const char *name);

/* For each plugin whose policy is no longer the one it runs under. */
void plugins_each_changed (struct plugins *plugins, void (*changed) (void *ctx, const char *name),
                           void *ctx);

/* { "sandbox": { … }, "plugins": [ … ] }, in the order of the names. */
void plugins_render (struct plugins *plugins, struct buf *out);
/* Append the member "plugins": of each that has had a process, how that is now. */
void plugins_put_top (struct plugins *plugins, struct json_writer *w);
/* Queue depths and the like, in Prometheus' format. */
void plugins_metrics (struct plugins *plugins, struct buf *out);

/* End a plugin's quarantine and back-off, and try again what could not be loaded.  False: there is
 * no plugin of this name. */
bool plugins_release (struct plugins *plugins, const char *name);

/* Stop all workers. */
void plugins_shutdown (struct plugins *plugins);

#endif

/* served.h - one tenant with a file, as toolsets.c keeps it, builds.c makes its tools and
 * toolsets_show.c shows it.  Nobody else includes this. */
#ifndef TOOLHOST_DAEMON_SERVED_H
#define TOOLHOST_DAEMON_SERVED_H

#include "catalog/definition.h"
#include "catalog/hash.h"
#include "daemon/toolsets.h"
#include "pool/unit.h"

/* What a builder of a plugin made of one configuration: tools that a unit of their own runs, so
 * that no tenant's configuration is in a process with another's. */
struct build {
  char *plugin, *feature, *config;
  struct unit *of;   /* the plugin's, one reference: another one is another builder */
  struct unit *unit; /* NULL: it failed, or the tenant has no such feature */
  struct described described;
  char *problem; /* why there are none, or some are left out; NULL: all is well */
  bool may_pass; /* it failed, and another try may end otherwise */
  bool stale;    /* its plugin wants it made again */
  struct build *next;
};

/* A builder that the tenant is granted. */
struct builder {
  char *plugin, *feature;
  struct unit *unit; /* the plugin's, one reference */
  char hex[SHA256_HEX];
};

struct served {
  struct toolsets *all;
  const struct tenant_file *file; /* of one without: that of "default", or one that grants all */
  bool derived;                   /* it has none */
  struct tenancy *tenancy;
  struct pinned *pinned; /* NULL: its file does not want it */
  struct build *builds;  /* in the order of the builders */
  /* while they are made (again) */
  struct builder *builders; /* those of the last run; they say whether another one is due */
  size_t builders_count;
  bool running;
  size_t at;            /* the builder whose turn it is */
  struct build *made;   /* by those before it, the last one first */
  struct build *asking; /* what is being built, by its unit; NULL: nothing */
  struct buf answer;    /* what that described; empty: `why` says why nothing */
  struct error why;
  ev_timer answered; /* it has, and what it logged is on its way through another channel */
  ev_timer again;    /* a build is tried once more */
  double pause;      /* seconds, the last one before that; 0: there was none */
  ev_timer rebuild;  /* its plugins want something made again */
  double rebuilt;    /* when that was last done, by pool_now; 0: never */
  /* of what is made over the management API (manage/definitions.h) */
  int64_t composing, revision; /* what the run is made of, and what is served; -1: nothing yet */
  bool touched;                /* it has changed since the last run began */
  ev_timer touch;              /* … and a run is due */
  double touch_begun, touch_pause; /* when the last one was, by pool_now; seconds to the next */
  bool wanted;                     /* it waits for its run: */
  struct served *next_wanted;
  UT_hash_handle hh; /* by the tenancy's name */
};

struct toolsets {
  struct toolsets_needs needs;
  struct catalog_watcher watcher;
  struct served *by_name;
  unsigned running;                          /* tenants whose tools are being built */
  struct served *first_wanted, *last_wanted; /* those that wait for that */
  bool begun;                                /* the plugins are known: builders may run */
  void (*built) (void *ctx);
  void *built_ctx;
};

/* ---- toolsets.c ---- */

/* Show it what its file grants and its builders have made. */
void served_make (struct served *s);
/* NULL: it has no file. */
struct served *toolsets_find (struct toolsets *all, const char *name);
/* The last run has ended, of any tenant: whoever waits may begin. */
void toolsets_look (struct toolsets *all);
/* It is to be built as soon as not too many others are. */
void toolsets_want (struct served *s);

/* ---- builds.c ---- */

/* Have its builders make its tools: those whose plugin and configuration are as they were keep
 * what they made.  What serves now serves until the last one has ended. */
void served_build (struct served *s);
/* The timer `answered`: what was asked has been told. */
void served_answered (struct served *s);
/* Has it other builders now than at the last run? */
bool served_is_stale (struct served *s);
/* Stop building; what was made so far is kept for the next run. */
void served_stop_building (struct served *s);
/* A plugin wants what it has built of a feature made again: soon, and not too often. */
void served_rebuild (struct served *s, const char *plugin, const char *feature, size_t len);
/* Of what failed, and of what may have been made of files that a plugin is granted, only its
 * builder knows whether it would come to the same now: it is made anew by the next build.  False:
 * there is none of that. */
bool served_doubt (struct served *s);
/* What its file says of a feature, JSON, allocated; NULL: nothing. */
char *served_feature (const struct served *s, const char *feature);
/* What it is made of besides its file has changed. */
void served_touch (struct served *s);
/* The timer `touch`. */
void served_touched (struct served *s);
/* Forget all that was built. */
void served_clear (struct served *s);

#endif

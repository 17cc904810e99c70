/* plugin.h - one plugin, and all of them, as plugins.c keeps them, gather.c makes a toolset of
 * them and plugins_show.c shows them.
 * Nobody else includes this. */
#ifndef TOOLHOST_DAEMON_PLUGIN_H
#define TOOLHOST_DAEMON_PLUGIN_H

#include "base/hash.h"
#include "catalog/definition.h"
#include "daemon/plugins.h"
#include "pool/history.h"
#include "pool/unit.h"

/* One plugin by its name.  `unit`, `described`, `hex`, `suggests` and `skills` are what serves now,
 * `next` and what is named so what is being asked; before that it is being copied. */
struct listing;

struct plugin {
  char *name;
  char *path;
  char hex[SHA256_HEX], next_hex[SHA256_HEX];
  char *suggests, *next_suggests;      /* the policy it comes with, JSON; grants nothing; or NULL */
  struct skills *skills, *next_skills; /* those it comes with; NULL: none */
  struct taking *taking;
  struct policy policy; /* of the newest file, in use or being asked */
  struct unit *unit;
  struct described described;
  struct listing *listings; /* of its templates that list; NULL: there are none */
  struct unit *next;
  struct history *history; /* of the processes of all its generations */
  char *problem;           /* why the newest file is not in use; NULL: it is */
  char *conflicts;         /* tools left out because of their names; NULL: none */
  struct plugins *all;
  struct plugin *waiting; /* next in the queue of those to be asked */
  bool queued, asking;
  ev_timer again; /* what `next` offers is asked once more */
  double pause;   /* seconds, the last one before that; 0: there was none */
  UT_hash_handle hh;
};

struct plugins {
  struct plugins_needs needs;
  struct plugin *by_name;
  struct plugin *first_waiting, *last_waiting;
  unsigned asking, taking;
  struct calls *calls;               /* where templates are asked what they list; NULL: not yet */
  struct definition_schemas schemas; /* while many are read */
  bool scanned, ready;
  bool stale;        /* the toolset does not have what the plugins offer now */
  ev_timer together; /* it is made then, with what has come meanwhile */
};

/* Bring by_name into the order of the names. */
void plugins_sort (struct plugins *all);
/* Make the toolset of what they all offer now.  Of one name the first plugin's is taken; what is
 * left out is told in the log and in `conflicts`. */
void plugins_put_together (struct plugins *all);

#endif

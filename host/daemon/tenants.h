/* tenants.h - the operator's files of tenants: CONFIG_DIR/tenants.d/TENANT.json, read strictly.  A
 * file that is wrong changes nothing of what its tenant had; one that never was good gives its
 * tenant nothing at all, so that a slip opens nothing.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_TENANTS_H
#define TOOLHOST_DAEMON_TENANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "approval/rules.h"
#include "base/error.h"
#include "base/hash.h"
#include "call/tenancy.h"
#include "catalog/filter.h"
#include "daemon/hooks.h"

/* What a file says. */
struct tenant_settings {
  char *tenant_id;
  char **tools, **tags, **plugins; /* NULL: not said */
  char **roles;
  int64_t running, queued, per_minute;
  bool detailed_errors, pin;
  int repair;
  char *tool_choice;       /* NULL: not said */
  char *features;          /* a JSON object of objects, on one line */
  char **numbers;          /* of telephones: E.164, or "*" for those nobody has; NULL: none */
  char *realtime;          /* a JSON object: what its calls' sessions have; NULL: nothing */
  int64_t phone_calls_max; /* at once; 0: any number */
  struct hooks hooks;      /* who hears of its calls */
  struct guards *guards;   /* of its calls; NULL: none */
  struct approval_words approvals;
  struct approval_rules *approval_rules; /* they, compiled */
};

struct tenant_file {
  char *name;
  struct tenant_settings settings; /* the last that were good */
  struct tool_filter granted;      /* of them; into `lists` */
  char *lists[3];
  struct terms terms; /* of them */
  char *text;         /* they, as one line of JSON; NULL: none was ever good */
  char *problem;      /* why the file as it is now is not in use; NULL: it is */
  bool seen;
  UT_hash_handle hh;
};

struct tenant_files {
  struct tenant_file *by_name;
};

/* What reading them again found; the file lives until it is gone. */
struct tenant_files_events {
  void (*changed) (void *ctx, const struct tenant_file *file); /* also for the first time */
  void (*refused) (void *ctx, const struct tenant_file *file); /* its problem is a new one */
  void (*gone) (void *ctx, const char *name);
};

/* Read the folder (again).  `config_dir` -1, or without tenants.d: there are none.  False: at least
 * one file is wrong, err has the first: name, pointer, what was expected and what is there. */
bool tenant_files_read (struct tenant_files *files, int config_dir,
                        const struct tenant_files_events *events, void *ctx, struct error *err);
/* NULL: the tenant has none. */
const struct tenant_file *tenant_files_find (const struct tenant_files *files, const char *tenant);
/* Whose number it is: of several that have it, and before those that have "*", the first by name;
 * NULL: nobody's.  Only of files that are good. */
const struct tenant_file *tenant_files_called (const struct tenant_files *files,
                                               const char *number);
void tenant_files_free (struct tenant_files *files);

#endif

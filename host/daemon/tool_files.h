/* tool_files.h - the operator's documents of tools for every tenant: CONFIG_DIR/tools.d/NAME.json,
 * each one document, an array of them, or { "tools": […], "endpoints": […] } (manage/compose.h).  A
 * file that is wrong changes nothing of what it said before.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_TOOL_FILES_H
#define TOOLHOST_DAEMON_TOOL_FILES_H

#include "base/error.h"
#include "base/hash.h"
#include "manage/compose.h"

struct tool_file {
  char *name;    /* of the file, without .json */
  char *text;    /* the last that was good; NULL: none was */
  char *problem; /* why the file as it is now is not in use; NULL: it is */
  bool seen;
  UT_hash_handle hh;
};

struct tool_files {
  struct tool_file *by_name;
};

/* Read the folder (again).  `config_dir` -1, or without tools.d: there are none.  `refused` is told
 * each problem that is a new one.  True: something is another than before.  `err` has the first
 * that is wrong: name, place, what was expected; it is empty otherwise. */
bool tool_files_read (struct tool_files *files, int config_dir,
                      void (*refused) (void *ctx, const struct tool_file *file), void *ctx,
                      struct error *err);
/* Is there anything that was good? */
bool tool_files_any (const struct tool_files *files);
/* All that is good, in the order of the files' names. */
void tool_files_compose (struct tool_files *files, struct composed *c);
void tool_files_free (struct tool_files *files);

#endif

/* folder.h - the folders of the configuration that hold a file for each of something. */
#ifndef TOOLHOST_DAEMON_FOLDER_H
#define TOOLHOST_DAEMON_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Call `read` for each NAME.json of config_dir/folder, hidden ones left out; `name` is not
 * terminated.  False at the first that is wrong, with "folder/NAME.json: " before what was said.  A
 * folder that is not there has no files. */
bool folder_each_json (int config_dir, const char *folder,
                       bool (*read) (void *ctx, const char *name, size_t len, int fd,
                                     struct error *err),
                       void *ctx, struct error *err);

#endif

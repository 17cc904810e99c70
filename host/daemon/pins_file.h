/* pins_file.h - the files of pins.h: FOLDER/TENANT.json, { "tenant", "trusts_new", "pins": { name:
 * digest … } }.  Read strictly, written as a whole or not at all.  Any thread. */
#ifndef TOOLHOST_DAEMON_PINS_FILE_H
#define TOOLHOST_DAEMON_PINS_FILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

/* The folder "pins" of the state folder, made if it is not there; -1: err says why not. */
int pins_folder_open (int state_dir, struct error *err);

/* Each pin is told.  True also when there is no file: nothing was told then, *trusts_new is as it
 * was.  False: it can't be read, or is not one of ours: err names it and says what was expected. */
bool pins_file_read (int folder, const char *tenant, bool *trusts_new,
                     void (*pin) (void *ctx, const char *name, const char *digest), void *ctx,
                     struct error *err);
bool pins_file_write (int folder, const char *tenant, const struct buf *text, struct error *err);
/* One that is not there is gone already. */
bool pins_file_remove (int folder, const char *tenant, struct error *err);

#endif

/* exits.h - what the exit status of toolhost says, and which one an error code leads to. */
#ifndef TOOLHOST_CLI_EXITS_H
#define TOOLHOST_CLI_EXITS_H

#include "base/buf.h"

enum cli_exit {
#define EXIT(name, number, meaning) CLI_##name = number,
#include "cli/exits.def"
#undef EXIT
};

/* For an error code of the daemon; `http` is the status it came with (0: none), for codes that are
 * not in the table, such as a tool's own. */
enum cli_exit exit_for_error (const char *code, long http);

/* The table as lines of text. */
void exits_describe (struct buf *out);

#endif

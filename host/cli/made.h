/* made.h - a client's view of what tenants make over the management API: paths and requests.  Used
 * by the command "tools". */
#ifndef TOOLHOST_CLI_MADE_H
#define TOOLHOST_CLI_MADE_H

#include "cli/client.h"
#include "manage/compose.h"

struct made {
  struct client *client;
  const char *tenant;
};

/* False: it was told why. */
bool made_open (struct made *made, const struct options *options);
void made_close (struct made *made);

/* "/v1/tenants/T/tools", and "/NAME" unless that is NULL, and `more`. */
void made_path (const struct made *made, enum definition_kind kind, const char *name,
                const char *more, struct buf *out);
/* Ask, and wait for the answer.  `expected`: a header line about the revision, or NULL.  False: the
 * daemon could not be reached, which was told; any answer is true. */
bool made_ask (const struct made *made, const char *method, const char *path, const char *expected,
               const struct buf *body, struct reply *reply);
/* … and CLI_OK only for a success; else it was told. */
enum cli_exit made_fetch (const struct made *made, const char *method, const char *path,
                          const struct buf *body, struct reply *reply);

/* Append the problems of a document that was refused, a line for each; false: there are none. */
bool made_problems (const struct reply *reply, struct buf *out);

#endif

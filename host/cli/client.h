/* client.h - a client of the daemon's HTTP interface, over its Unix socket or a URL. */
#ifndef TOOLHOST_CLI_CLIENT_H
#define TOOLHOST_CLI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/exits.h"
#include "cli/options.h"

struct client;

/* Prepare to talk to the daemon the options name: --url, --socket, $TOOLHOST_SOCKET, or the socket
 * a daemon of this user or of the system listens on.  Nothing is connected yet.  NULL: err. */
struct client *client_open (const struct options *options, struct error *err);
void client_close (struct client *client);

struct request {
  const char *method;
  const char *path; /* begins with '/', escaped, with its query */
  const char *body; /* JSON, or NULL */
  size_t body_len;
  const char *header; /* one more line, "Name: value", or NULL */
  bool patient;       /* the answer may take as long as it takes */
};

/* Zero-initialise; free with reply_free. */
struct reply {
  long status;
  struct buf body; /* of a stream: what was no event stream, such as an error */
};
void reply_free (struct reply *reply);

/* Ask and wait for the whole answer.  False: the daemon could not be reached, err says so.  Any
 * HTTP status is an answer. */
bool client_ask (struct client *client, const struct request *request, struct reply *reply,
                 struct error *err);

/* What happens while an answer streams in. */
struct stream_events {
  void (*event) (void *ctx, const char *name, const char *data, size_t len);
  void (*interrupt) (void *ctx); /* interrupt_fd became readable */
  int interrupt_fd;              /* -1: none */
  void *ctx;
};
bool client_stream (struct client *client, const struct request *request,
                    const struct stream_events *events, struct reply *reply, struct error *err);

/* Append `text` percent-encoded, as one segment of a path. */
void url_escape (struct buf *out, const char *text);

/* Print what the daemon answered instead of doing it ({"error":{"code","message"}} or anything
 * else), after "toolhost: "; returns the exit status that goes with it. */
enum cli_exit client_refused (const struct reply *reply);

/* The same, but what would be printed is put into `err`. */
enum cli_exit client_refused_because (const struct reply *reply, struct error *err);

/* client_ask for the commands: opens, asks, closes.  CLI_OK: `reply` is a success; else the error
 * was printed. */
enum cli_exit client_fetch (const struct options *options, const char *method, const char *path,
                            struct reply *reply);

#endif

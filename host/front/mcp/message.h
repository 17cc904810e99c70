/* message.h - one JSON-RPC message of a client, taken apart, and the faults it can have.
 *
 * A message is read into an arena and points into its text; both must outlive it.  Used by core.c
 * and the carriers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_MESSAGE_H
#define TOOLHOST_FRONT_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_tape.h"
#include "front/http/http.h"

#define MCP_MODERN_VERSION "2026-07-28"
#define MCP_META "io.modelcontextprotocol/"

enum mcp_code {
  MCP_PARSE_ERROR = -32700,
  MCP_INVALID_REQUEST = -32600,
  MCP_METHOD_NOT_FOUND = -32601,
  MCP_INVALID_PARAMS = -32602,
  MCP_INTERNAL_ERROR = -32603,
  MCP_HEADER_MISMATCH = -32020,
  MCP_MISSING_CAPABILITY = -32021, /* data: { "requiredCapabilities": {…} } */
  MCP_UNSUPPORTED_VERSION = -32022,
  /* only to clients of the handshake */
  MCP_RESOURCE_NOT_FOUND = -32002,
  /* … which know these from the official SDKs */
  MCP_BAD_SESSION = -32000,
  MCP_SESSION_NOT_FOUND = -32001
};

/* Why a message gets an error instead of a result. */
struct mcp_fault {
  enum mcp_code code;
  int status; /* of HTTP */
  char text[320];
  struct slice requested; /* MCP_UNSUPPORTED_VERSION: what was asked for, raw JSON */
  struct slice data;      /* of any other error, raw JSON on one line; data NULL: none */
};
/* Fill it; false always. */
bool mcp_fault_set (struct mcp_fault *fault, enum mcp_code code, int status, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));

enum mcp_kind { MCP_REQUEST = 1, MCP_NOTIFICATION, MCP_RESPONSE, MCP_BATCH /* see batch.h */ };

struct mcp_message {
  struct json_tape tape;
  struct arena *arena;
  const struct json_node *root; /* the message: of a batch, one of its items */
  enum mcp_kind kind;
  struct slice id;     /* as raw JSON, a string or an integer; data NULL: none, or unreadable */
  struct slice method; /* empty for a response */
  const struct json_node *params; /* an object, or NULL */
  /* what calls look for in params; NULL: not there */
  const struct json_node *name, *arguments, *responses, *state;
  const struct json_node *meta;    /* params._meta, an object, or NULL */
  const struct json_node *version; /* the protocol version in meta: its presence makes the message
                                      one of 2026-07-28; NULL: none */
  /* what else is known of meta; NULL: not there */
  const struct json_node *capabilities, *log_level, *token, *traceparent;
};

/* False: the fault says why, and id is set when it could be read. */
bool mcp_message_read (struct mcp_message *m, const char *text, size_t len,
                       const struct json_limits *limits, struct arena *arena,
                       struct mcp_fault *fault);
/* An item of a batch, which shares the batch's tape. */
bool mcp_message_read_item (struct mcp_message *m, const struct mcp_message *batch,
                            const struct json_node *item, struct mcp_fault *fault);

/* What a message of 2026-07-28 must have in meta, each of its type. */
bool mcp_check_envelope (const struct mcp_message *m, struct mcp_fault *fault);
/* Is the envelope's version served? */
bool mcp_check_version (const struct mcp_message *m, struct mcp_fault *fault);

/* The progress token as raw JSON; empty when there is none of a permitted type. */
struct slice mcp_progress_token (const struct mcp_message *m);
/* A value of it as text, escapes resolved; data NULL when it is no string. */
struct slice mcp_text (const struct mcp_message *m, const struct json_node *value);
/* The same of a member of params. */
struct slice mcp_param_text (const struct mcp_message *m, const char *name);

#endif

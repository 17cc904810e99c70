/* mcp_rig.h - MCP over HTTP against a call pipeline and exchanges that the test plays. */
#ifndef TOOLHOST_TESTS_MCP_RIG_H
#define TOOLHOST_TESTS_MCP_RIG_H

#include "fake_calls.h"
#include "fake_http.h"
#include "front/mcp/mcp_http_parts.h"

#define JSON_TYPE "content-type: application/json\n"
#define BOTH "accept: application/json, text/event-stream\n"
#define V "mcp-protocol-version: 2026-07-28\n"
#define MODERN(method) JSON_TYPE BOTH V "mcp-method: " method "\n"
#define META                                                                                       \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MESSAGE(id, method, params)                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define SERVER_INFO                                                                                \
  "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"toolhost\",\"version\":\"1.2.3\"}"
#define USAGE                                                                                      \
  "\"toolhost/"                                                                                    \
  "usage\":{\"daemon\":{\"wallUs\":7,\"queueUs\":0,\"runUs\":0,\"bytesIn\":0,\"bytesOut\":0},"     \
  "\"worker\":{\"cpuUs\":3}}"
#define EVENT(json) "event: message\ndata: " json "\n\n"
#define PROGRESSED(more)                                                                           \
  EVENT ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"                 \
         "\"progressToken\":\"p1\"," more "}}")
#define PRIMED(id) "id: " id "\nretry: 1000\ndata: \n\n"

#define INITIALIZE(version)                                                                        \
  MESSAGE ("0", "initialize",                                                                      \
           "{\"protocolVersion\":\"" version "\",\"capabilities\":{},\"clientInfo\":{\"name\":"    \
           "\"t\",\"version\":\"1\"}}")
#define INITIALIZED(version)                                                                       \
  "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"" version                       \
  "\",\"capabilities\":" FAKE_CAPABILITIES ",\"serverInfo\":{\"name\":\"toolhost\","               \
  "\"version\":\"1.2.3\"}}}"

struct mcp_rig {
  struct fake_env fake;
  struct mcp_http *mcp;
  char session[64]; /* the id of the one that was opened last */
};

void rig_setup (struct mcp_rig *f);
void rig_teardown (struct mcp_rig *f);

void rig_send_as (struct mcp_rig *f, struct fake_answer *a, const struct front_peer *peer,
                  const char *method, const char *headers, const char *body);
void rig_post (struct mcp_rig *f, struct fake_answer *a, const char *headers, const char *body);
/* Is `part` in there?  Says so when it is not. */
bool rig_has (const char *text, const char *part);
void rig_check_body (struct fake_answer *a, const char *expected);
/* A POST that is answered at once. */
void rig_expect (struct mcp_rig *f, const char *headers, const char *body, int status,
                 const char *answer);

/* The headers of a request in the session that was opened last, plus `more`; good until the next
 * call. */
const char *rig_in_session (struct mcp_rig *f, const char *more);
/* Open a session, of 2025-11-25 or another version. */
void rig_open_session (struct mcp_rig *f);
void rig_open_session_of (struct mcp_rig *f, const char *version);

#endif

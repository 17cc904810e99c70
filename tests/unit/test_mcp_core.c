/* What both carriers of MCP share, with a carrier that writes down what it is given. */
#include <stdlib.h>

#include "fake_calls.h"
#include "front/mcp/listen.h"
#include "front/mcp/methods.h"
#include "front/mcp/trace.h"
#include "front/mcp/upcall.h"
#include "tap.h"

#define META(more)                                                                                 \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{}" more "}"
#define MESSAGE(id, method, params)                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define NOTIFICATION(method, params)                                                               \
  "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}\n"

struct fixture {
  struct mcp_core core; /* first */
  struct fake_env fake;
  struct mcp_peer peer;
  struct buf heard; /* a line a message; "- " before an answer */
  bool deaf;
  struct arena arena;
};

static bool
hear (struct fixture *f, const char *before, const struct buf *message)
{
  if (f->deaf)
    return false;
  buf_puts (&f->heard, before);
  buf_append (&f->heard, message->data, message->len);
  buf_putc (&f->heard, '\n');
  return true;
}

static bool
fake_send (struct mcp_request *r, const struct buf *message)
{
  return hear ((struct fixture *) r->core, "", message);
}

static bool
fake_tell (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message)
{
  (void) peer;
  return hear ((struct fixture *) core, "", message);
}

static void
fake_answer (struct mcp_request *r, int status, struct buf *message)
{
  (void) status;
  (void) hear ((struct fixture *) r->core, "- ", message);
  free (r);
}

static void
fake_silence (struct mcp_request *r)
{
  free (r);
}

static struct mcp_peer *
fake_connect (struct mcp_request *r, const char *version)
{
  (void) version;
  return r->peer;
}

static const char *const versions[] = { "2025-11-25", NULL };
static const struct mcp_carrier carrier = { .front = "fake",
                                            .versions = versions,
                                            .send = fake_send,
                                            .tell = fake_tell,
                                            .answer = fake_answer,
                                            .silence = fake_silence,
                                            .connect = fake_connect };

static void
setup (struct fixture *f)
{
  *f = (struct fixture){ .deaf = false };
  fake_env_init (&f->fake);
  mcp_core_init (&f->core, &f->fake.env, &carrier);
  mcp_peer_add (&f->core, &f->peer);
}

static void
teardown (struct fixture *f)
{
  mcp_peer_remove (&f->core, &f->peer, "The end");
  mcp_core_free (&f->core);
  fake_env_free (&f->fake);
  buf_free (&f->heard);
  arena_free (&f->arena);
}

/* A message of the client, as a carrier takes it. */
static void
say (struct fixture *f, const char *text)
{
  struct mcp_message m;
  struct mcp_fault fault;
  struct mcp_request *r;

  arena_reset (&f->arena);
  CU_ASSERT_FATAL (mcp_message_read (&m, text, strlen (text), &f->core.limits, &f->arena, &fault));
  if (m.kind == MCP_RESPONSE)
    return mcp_upcall_answered (&f->peer, &m);
  if (m.kind == MCP_NOTIFICATION)
    return mcp_notified (&f->core, &f->peer, &m);
  r = xcalloc (1, sizeof *r + mcp_request_room (&m));
  r->principal = "p";
  mcp_request_begin (r, &f->core, &f->peer, m.version != NULL ? MCP_MODERN : MCP_LEGACY, &m,
                     (char *) (r + 1));
  mcp_dispatch (r, &m);
}

/* What was heard since the last time. */
static void
heard (struct fixture *f, const char *expected)
{
  if (strcmp (buf_cstr (&f->heard), expected) != 0)
    printf ("# got      %s\n# expected %s\n", buf_cstr (&f->heard), expected);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&f->heard), expected);
  buf_reset (&f->heard, SIZE_MAX);
}

static void
handshake (struct fixture *f, const char *capabilities)
{
  char text[512];

  snprintf (text, sizeof text,
            MESSAGE ("0", "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s}"),
            capabilities);
  say (f, text);
  buf_reset (&f->heard, SIZE_MAX);
  say (f, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* ---- requests of ours ---- */

struct answer {
  unsigned count;
  enum mcp_upcall_outcome outcome;
  char value[64];
};

static void
on_answer (void *ctx, enum mcp_upcall_outcome outcome, const struct json_tape *tape,
           const struct json_node *value)
{
  struct answer *a = ctx;
  size_t len = 0;
  const char *raw = value != NULL ? json_raw (tape, value, &len) : "";

  a->count++;
  a->outcome = outcome;
  snprintf (a->value, sizeof a->value, "%.*s", (int) len, raw);
}

#define CALL MESSAGE ("7", "tools/call", "{\"name\":\"later\"}")
#define ASK(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"roots/list\"}\n"
static const struct slice no_params = { NULL, 0 };

static void
test_upcall (void)
{
  struct fixture f;
  struct answer a = { 0 }, b = { 0 };

  setup (&f);
  handshake (&f, "{\"roots\":{}}");
  say (&f, CALL);
  CU_ASSERT_EQUAL (f.peer.requests->client, MCP_CLIENT_ROOTS);
  CU_ASSERT_PTR_NOT_NULL (
    mcp_upcall_start (f.peer.requests, "roots/list", no_params, on_answer, &a));
  CU_ASSERT_PTR_NOT_NULL (mcp_upcall_start (f.peer.requests, "sampling/createMessage",
                                            (struct slice){ "{\"x\":1}", 7 }, on_answer, &b));
  heard (&f, ASK ("1") "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"sampling/createMessage\","
                       "\"params\":{\"x\":1}}\n");
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}");
  CU_ASSERT_EQUAL (a.count + b.count, 0); /* nobody asked this */
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-1,\"message\":\"no\"}}");
  CU_ASSERT_EQUAL (b.outcome, MCP_UPCALL_ERROR);
  CU_ASSERT_STRING_EQUAL (b.value, "{\"code\":-1,\"message\":\"no\"}");
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}");
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[1]}}");
  CU_ASSERT_EQUAL (a.outcome, MCP_UPCALL_RESULT);
  CU_ASSERT_STRING_EQUAL (a.value, "{\"roots\":[]}");
  CU_ASSERT_EQUAL (a.count, 1);
  CU_ASSERT_EQUAL (b.count, 1);
  teardown (&f);
}

static void
test_upcall_ends (void)
{
  struct fixture f;
  struct answer a = { 0 }, b = { 0 };
  struct mcp_upcall *taken_back;

  setup (&f);
  handshake (&f, "{}");
  say (&f, CALL);
  (void) mcp_upcall_start (f.peer.requests, "roots/list", no_params, on_answer, &a);
  taken_back = mcp_upcall_start (f.peer.requests, "roots/list", no_params, on_answer, &b);
  heard (&f, ASK ("1") ASK ("2"));
  mcp_upcall_cancel (taken_back);
  heard (&f, NOTIFICATION ("notifications/cancelled", "{\"requestId\":2}"));
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
  CU_ASSERT_EQUAL (b.count, 0);
  say (&f, NOTIFICATION ("notifications/cancelled", "{\"requestId\":7}"));
  CU_ASSERT_EQUAL (a.count, 1);
  CU_ASSERT_EQUAL (a.outcome, MCP_UPCALL_GONE);
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
  CU_ASSERT_EQUAL (a.count, 1);
  say (&f, CALL);
  f.deaf = true;
  CU_ASSERT_PTR_NULL (mcp_upcall_start (f.peer.requests, "roots/list", no_params, on_answer, &a));
  CU_ASSERT_EQUAL (a.count, 1);
  teardown (&f);
}

static void
test_client (void)
{
  static const struct {
    const char *json;
    unsigned can;
  } cases[] = {
    { "{}", 0 },
    { "{\"elicitation\":{}}", MCP_CLIENT_ELICITATION },
    { "{\"elicitation\":{\"form\":{}}}", MCP_CLIENT_ELICITATION },
    { "{\"elicitation\":{\"url\":{}}}", MCP_CLIENT_ELICITATION_URL },
    { "{\"elicitation\":{\"url\":{},\"form\":{}}}",
      MCP_CLIENT_ELICITATION | MCP_CLIENT_ELICITATION_URL },
    { "{\"elicitation\":null,\"sampling\":true,\"roots\":[]}", 0 },
    { "{\"sampling\":{\"tools\":{}},\"roots\":{}}",
      MCP_CLIENT_SAMPLING | MCP_CLIENT_SAMPLING_TOOLS | MCP_CLIENT_ROOTS },
    { "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}", MCP_CLIENT_TASKS },
  };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CU_ASSERT_FATAL (
      json_read (&tape, cases[i].json, strlen (cases[i].json), &json_default_limits, &arena));
    CU_ASSERT_EQUAL (mcp_client_read (&tape, json_root (&tape)), cases[i].can);
  }
  CU_ASSERT_EQUAL (mcp_client_read (&tape, NULL), 0);
}

/* ---- changes ---- */

#define CHANGED NOTIFICATION ("notifications/tools/list_changed", "{}")

static void
test_missed (void)
{
  struct fixture f;

  setup (&f);
  mcp_changed (&f.core, NULL, MCP_TOOLS); /* there was no handshake: nobody is told */
  heard (&f, "");
  handshake (&f, "{}");
  mcp_changed (&f.core, NULL, MCP_TOOLS);
  heard (&f, CHANGED);
  f.deaf = true;
  mcp_changed (&f.core, NULL, MCP_TOOLS);
  mcp_changed (&f.core, NULL, MCP_TOOLS);
  f.deaf = false;
  mcp_tell_missed (&f.core, &f.peer);
  mcp_tell_missed (&f.core, &f.peer);
  heard (&f, CHANGED); /* once */
  teardown (&f);
}

static struct slice
uri (const char *text)
{
  return (struct slice){ text, strlen (text) };
}

static void
test_updated (void)
{
  struct fixture f;

  setup (&f);
  handshake (&f, "{}");
  CU_ASSERT (mcp_uris_add (&f.peer.uris, uri ("a:b")));
  CU_ASSERT (mcp_uris_add (&f.peer.uris, uri ("a:c")));
  mcp_resource_updated (&f.core, uri ("a:b"));
  mcp_resource_updated (&f.core, uri ("a"));
  heard (&f, NOTIFICATION ("notifications/resources/updated", "{\"uri\":\"a:b\"}"));
  mcp_uris_remove (&f.peer.uris, uri ("a:b"));
  mcp_uris_remove (&f.peer.uris, uri ("a:x"));
  mcp_resource_updated (&f.core, uri ("a:b"));
  mcp_resource_updated (&f.core, uri ("a:c"));
  heard (&f, NOTIFICATION ("notifications/resources/updated", "{\"uri\":\"a:c\"}"));
  teardown (&f);
}

static void
test_uris_are_bounded (void)
{
  struct mcp_uris uris = { NULL, 0 };
  char long_uri[MCP_URI_LEN_MAX + 1];
  char text[16];

  memset (long_uri, 'u', sizeof long_uri);
  CU_ASSERT_FALSE (mcp_uris_add (&uris, (struct slice){ long_uri, sizeof long_uri }));
  CU_ASSERT (mcp_uris_add (&uris, (struct slice){ long_uri, sizeof long_uri - 1 }));
  for (int i = 1; i < MCP_URIS_MAX; i++) {
    snprintf (text, sizeof text, "u:%d", i);
    CU_ASSERT (mcp_uris_add (&uris, uri (text)));
  }
  CU_ASSERT_FALSE (mcp_uris_add (&uris, uri ("u:one more")));
  CU_ASSERT (mcp_uris_add (&uris, uri ("u:1"))); /* it is there */
  CU_ASSERT_FALSE (mcp_uris_add (&uris, (struct slice){ "a\0b", 3 }));
  mcp_uris_free (&uris);
}

/* ---- what tools log ---- */

#define LOGGED(level, text)                                                                        \
  NOTIFICATION ("notifications/message",                                                           \
                "{\"level\":\"" level "\",\"logger\":\"later\",\"data\":\"" text "\"}")

static void
log_all (struct fixture *f, size_t call)
{
  static const char *const texts[] = { "d", "i", "n", "w", "e" };

  for (int i = 0; i < 5; i++)
    fake_log (&f->fake.calls, call, (i + 1) * 1000, texts[i]);
}

static void
test_log_of_a_session (void)
{
  struct fixture f;

  setup (&f);
  handshake (&f, "{}");
  say (&f, CALL);
  log_all (&f, 0);
  heard (&f, "");
  say (&f, MESSAGE ("8", "logging/setLevel", "{\"level\":\"warning\"}"));
  heard (&f, "- {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n");
  say (&f, CALL);
  log_all (&f, 1);
  heard (&f, LOGGED ("warning", "w") LOGGED ("error", "e"));
  say (&f, MESSAGE ("8", "logging/setLevel", "{\"level\":\"loud\"}"));
  heard (&f, "- {\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32602,\"message\":\"Invalid "
             "params: level: expected " MCP_LOG_LEVELS "\"}}\n");
  teardown (&f);
}

static void
test_log_of_a_request (void)
{
  struct fixture f;

  setup (&f);
  say (&f, MESSAGE (
             "7", "tools/call",
             "{\"name\":\"later\"," META (",\"io.modelcontextprotocol/logLevel\":\"notice\"") "}"));
  log_all (&f, 0);
  heard (&f, LOGGED ("notice", "n") LOGGED ("warning", "w") LOGGED ("error", "e"));
  say (&f, MESSAGE ("8", "tools/call", "{\"name\":\"later\"," META ("") "}"));
  log_all (&f, 1);
  heard (&f, "");
  teardown (&f);
}

/* ---- trace context ---- */

#define PARENT "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static void
test_trace (void)
{
  static const struct {
    const char *meta, *metadata;
  } cases[] = {
    { "", "" },
    { ",\"traceparent\":\"" PARENT "\"", "{\"traceparent\":\"" PARENT "\"}" },
    { ",\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=b\",\"baggage\":\"c=d\"",
      "{\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=b\",\"baggage\":\"c=d\"}" },
    { ",\"traceparent\":\"" PARENT "\",\"tracestate\":7", "{\"traceparent\":\"" PARENT "\"}" },
    { ",\"traceparent\":\"00-\",\"tracestate\":\"a=b\"", "" },
    { ",\"traceparent\":1", "" },
    { ",\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902B7-01\"", "" },
  };
  struct fixture f;
  char text[1024];

  setup (&f);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf (text, sizeof text, MESSAGE ("1", "tools/call", "{\"name\":\"echo\"," META ("%s") "}"),
              cases[i].meta);
    say (&f, text);
    CU_ASSERT_STRING_EQUAL (f.fake.calls.metadata, cases[i].metadata);
  }
  teardown (&f);
}

static CU_TestInfo upcalls[] = {
  { "answers are matched by their ids", test_upcall },
  { "requests of ours end with the request they are for", test_upcall_ends },
  { "what clients can do", test_client },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo changes[] = {
  { "what could not be told is told later, once", test_missed },
  { "updated resources", test_updated },
  { "sets of URIs are bounded", test_uris_are_bounded },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo calls[] = {
  { "a session sets the level of the log it hears", test_log_of_a_session },
  { "a request of 2026-07-28 says it for itself", test_log_of_a_request },
  { "the trace context is passed on", test_trace },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mcp core: requests to clients", NULL, NULL, NULL, NULL, upcalls },
  { "mcp core: changes", NULL, NULL, NULL, NULL, changes },
  { "mcp core: calls", NULL, NULL, NULL, NULL, calls },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

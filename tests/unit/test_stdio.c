#include <fcntl.h>
#include <signal.h>

#include "fake_calls.h"
#include "front/stdio/stdio.h"
#include "tap.h"

#define META                                                                                       \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MESSAGE(id, method, params)                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}\n"
#define NOTIFICATION(method, params)                                                               \
  "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}\n"
#define INITIALIZE(version) MESSAGE ("0", "initialize", "{\"protocolVersion\":\"" version "\"}")
#define INITIALIZED(version)                                                                       \
  "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"" version                       \
  "\",\"capabilities\":" FAKE_CAPABILITIES ",\"serverInfo\":{\"name\":\"toolhost\","               \
  "\"version\":\"1.2.3\"}}}\n"
#define PONG "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
#define LATER(id, meta) MESSAGE (id, "tools/call", "{\"name\":\"later\"" meta "}")
#define DONE(id)                                                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[],\"isError\":false,\"_meta\":{"    \
  "\"toolhost/"                                                                                    \
  "usage\":{\"daemon\":{\"wallUs\":7,\"queueUs\":0,\"runUs\":0,\"bytesIn\":0,\"bytesOut\":0},"     \
  "\"worker\":{\"cpuUs\":3}}}}}\n"
#define ERROR_LINE(code, text)                                                                     \
  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" code ",\"message\":\"" text

enum { IN, OUT };

struct fixture {
  struct fake_env fake;
  struct stdio_front *front;
  int to[2], from[2]; /* pipes: the client writes to[1] and reads from[0] */
  unsigned ended;
  struct buf answers;
};

static void
on_ended (void *ctx)
{
  struct fixture *f = ctx;

  f->ended++;
}

static void
setup (struct fixture *f)
{
  *f = (struct fixture){ .ended = 0 };
  (void) signal (SIGPIPE, SIG_IGN);
  fake_env_init (&f->fake);
  CU_ASSERT_EQUAL (pipe (f->to), 0);
  CU_ASSERT_EQUAL (pipe (f->from), 0);
  (void) fcntl (f->from[0], F_SETFL, O_NONBLOCK);
  f->front = stdio_front_new (&f->fake.env, f->to[0], f->from[1], on_ended, f);
}

static void
close_end (int *fd)
{
  if (*fd >= 0)
    (void) close (*fd);
  *fd = -1;
}

static void
teardown (struct fixture *f)
{
  stdio_front_free (f->front);
  fake_env_free (&f->fake);
  for (int i = 0; i < 2; i++) {
    close_end (&f->to[i]);
    close_end (&f->from[i]);
  }
  buf_free (&f->answers);
}

/* What is in the pipes is seen at once: a turn that does nothing means that all is done. */
static void
run (struct fixture *f)
{
  for (int i = 0; i < 64; i++)
    (void) ev_run (f->fake.env.loop, EVRUN_NOWAIT);
}

static void
say_len (struct fixture *f, const char *text, size_t len)
{
  if (len != 0)
    CU_ASSERT_EQUAL (write (f->to[1], text, len), (ssize_t) len);
  run (f);
}

static void
say (struct fixture *f, const char *text)
{
  say_len (f, text, strlen (text));
}

static void
say_end (struct fixture *f)
{
  close_end (&f->to[1]);
  run (f);
}

/* Everything written so far and not yet heard. */
static const char *
hear (struct fixture *f)
{
  ssize_t n;

  run (f);
  buf_reset (&f->answers, SIZE_MAX);
  while ((n = read (f->from[0], buf_reserve (&f->answers, 65536), 65536)) > 0) {
    f->answers.len += (size_t) n;
    run (f);
  }
  return buf_cstr (&f->answers);
}

static void
expect (struct fixture *f, const char *said, const char *heard)
{
  const char *got;

  say (f, said);
  got = hear (f);
  if (strcmp (got, heard) != 0)
    printf ("# got      %s# expected %s", got, heard);
  CU_ASSERT_STRING_EQUAL (got, heard);
}

static void
test_handshake (void)
{
  static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < 4; i++) {
    char said[256], heard[512];
    snprintf (said, sizeof said, INITIALIZE ("%s"), versions[i]);
    snprintf (heard, sizeof heard, INITIALIZED ("%s"), versions[i]);
    expect (&f, said, heard);
  }
  expect (&f, INITIALIZE ("2099-01-01"), INITIALIZED ("2025-11-25"));
  teardown (&f);
}

/* A client may probe first, and both eras may come through one pipe. */
static void
test_eras (void)
{
  struct fixture f;

  setup (&f);
  f.fake.env.page_size = 1;
  say (&f, MESSAGE ("1", "server/discover", "{" META "}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (hear (&f), "\"supportedVersions\":[\"2026-07-28\"]"));
  expect (&f, INITIALIZE ("2025-11-25"), INITIALIZED ("2025-11-25"));
  expect (&f, MESSAGE ("1", "tools/list", "{}"),
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"alpha\"}],"
          "\"nextCursor\":\"YWxwaGE\"}}\n");
  say (&f, MESSAGE ("1", "tools/list", "{" META "}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (hear (&f), "\"modern\":1"));
  say (&f, MESSAGE ("1", "ping", "{" META "}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (hear (&f), "-32601"));
  say (&f, MESSAGE ("1", "tools/list",
                    "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                    "\"2025-11-25\",\"io.modelcontextprotocol/"
                    "clientCapabilities\":{}}}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (hear (&f), "\"code\":-32022"));
  teardown (&f);
}

static void
test_before_handshake (void)
{
  struct fixture f;

  setup (&f);
  expect (&f, MESSAGE ("1", "ping", "{}"), PONG);
  say (&f, MESSAGE ("2", "tools/list", "{}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (hear (&f), "\"id\":2,\"error\":{\"code\":-32602"));
  teardown (&f);
}

#define LINE(text) text, sizeof text - 1

static void
test_garbage (void)
{
  static const struct {
    const char *line;
    size_t len;
    const char *answer; /* how it begins */
  } cases[] = {
    { LINE ("nonsense\n"), ERROR_LINE ("-32700", "Parse error: byte ") },
    { LINE ("{\"jsonrpc\":\n"), ERROR_LINE ("-32700", "Parse error") },
    { LINE ("\"\xff\xfe\"\n"), ERROR_LINE ("-32700", "Parse error") },
    { LINE ("\0\0\0\n"), ERROR_LINE ("-32700", "Parse error") },
    { LINE ("{\"a\":1,\"a\":2}\n"), ERROR_LINE ("-32700", "Parse error") },
    { LINE ("[[[[[[[[[[[[[[[[[[[[\n"), ERROR_LINE ("-32700", "Parse error") },
    { LINE ("[]\n"), ERROR_LINE ("-32600", "Invalid Request: expected one message, got a batch") },
    { LINE ("7\n"), ERROR_LINE ("-32600", "Invalid Request") },
    { LINE ("{}\n"), ERROR_LINE ("-32600", "Invalid Request: jsonrpc") },
    { LINE ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n"),
      ERROR_LINE ("-32600", "Invalid Request: id") },
    { LINE ("\n"), "" },
    { LINE (" \t\r\n"), "" },
    { LINE ("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\n"), "" },
    { LINE ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard-of\"}\n"), "" },
  };
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *got;
    say_len (&f, cases[i].line, cases[i].len);
    got = hear (&f);
    if (strncmp (got, cases[i].answer, strlen (cases[i].answer)) != 0
        || (cases[i].answer[0] == '\0') != (got[0] == '\0')) {
      printf ("# %zu: %s", i, got);
      CU_FAIL ("garbage");
    }
  }
  expect (&f, MESSAGE ("1", "ping", "{}"), PONG);
  teardown (&f);
}

static void
test_pieces (void)
{
  static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n";
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < sizeof line - 1; i++) {
    CU_ASSERT_STRING_EQUAL (hear (&f), "");
    say_len (&f, line + i, 1);
  }
  CU_ASSERT_STRING_EQUAL (hear (&f), PONG);
  expect (&f, MESSAGE ("1", "ping", "{}") MESSAGE ("1", "ping", "{}") "{\"json", PONG PONG);
  expect (&f, "rpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", PONG);
  teardown (&f);
}

#define TOO_LONG ERROR_LINE ("-32600", "Invalid Request: a line has more than 4096 bytes\"}}\n")

static void
test_long_lines (void)
{
  static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
  char line[20000];
  struct fixture f;

  setup (&f);
  memset (line, ' ', sizeof line);
  memcpy (line, ping, sizeof ping - 1);
  line[4096] = '\n';
  say_len (&f, line, 4097); /* just fits */
  CU_ASSERT_STRING_EQUAL (hear (&f), PONG);
  memset (line, 'x', sizeof line);
  line[4097] = '\n';
  say_len (&f, line, 4098);
  CU_ASSERT_STRING_EQUAL (hear (&f), TOO_LONG);
  line[4097] = 'x'; /* one that goes on for long is told of once */
  say_len (&f, line, sizeof line);
  say_len (&f, line, sizeof line);
  CU_ASSERT_STRING_EQUAL (hear (&f), TOO_LONG);
  expect (&f, "x\n" MESSAGE ("1", "ping", "{}"), PONG);
  teardown (&f);
}

static void
test_calls (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18"));
  (void) hear (&f);
  expect (&f,
          LATER ("1", ",\"_meta\":{\"progressToken\":9}") LATER ("\"1\"", "")
            MESSAGE ("3", "tools/call", "{\"name\":\"echo\",\"arguments\":{}}"),
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
          "\"echo\"},{}],\"isError\":false,\"_meta\":{\"toolhost/"
          "usage\":{\"daemon\":{\"wallUs\":7,\"queueUs\":0,\"runUs\":0,\"bytesIn\":0,\"bytesOut\":"
          "0},\"worker\":{\"cpuUs\":3}}"
          "}}}\n");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.principal, "stdio");
  fake_progress (&f.fake.calls, 0, 1, 2, "x");
  fake_progress (&f.fake.calls, 1, 1, 2, "x");
  fake_done (&f.fake.calls, 1, fake_result ("[]", NULL));
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  expect (
    &f, "",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"
    "9,\"progress\":1,\"total\":2,\"message\":\"x\"}}\n" DONE ("\"1\"") DONE ("1"));
  teardown (&f);
}

static void
test_cancelled (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18"));
  (void) hear (&f);
  say (&f, LATER ("1", "") LATER ("\"1\"", ""));
  expect (&f, NOTIFICATION ("notifications/cancelled", "{\"requestId\":\"1\",\"reason\":\"no\"}"),
          "");
  CU_ASSERT_PTR_NOT_NULL (f.fake.calls.running[0]);
  CU_ASSERT_PTR_NULL (f.fake.calls.running[1]);
  expect (&f,
          NOTIFICATION ("notifications/cancelled", "{\"requestId\":\"1\"}")
            NOTIFICATION ("notifications/cancelled", "{}")
              NOTIFICATION ("notifications/cancelled", "{\"requestId\":{}}"),
          "");
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  expect (&f, "", DONE ("1"));
  teardown (&f);
}

#define LIST_CHANGED                                                                               \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":"

static void
test_list_changed (void)
{
  static const char *const one[] = { "one", NULL };
  static const char *const two[] = { "two", NULL };
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-11-25"));
  (void) hear (&f);
  fake_env_tools (&f.fake, one);
  expect (&f, "", ""); /* not before the client has said that it is ready */
  say (&f, NOTIFICATION ("notifications/initialized", "{}"));
  fake_env_tools (&f.fake, two);
  expect (&f, "", LIST_CHANGED "{}}\n");
  teardown (&f);
}

static void
test_listen (void)
{
  static const char *const one[] = { "one", NULL };
  static const char *const two[] = { "two", NULL };
  struct fixture f;

  setup (&f);
  expect (
    &f,
    MESSAGE ("\"L\"", "subscriptions/listen",
             "{" META ",\"notifications\":{\"toolsListChanged\":true}}"),
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
    "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"
    "\"io.modelcontextprotocol/subscriptionId\":\"L\"}}}\n");
  say (&f, MESSAGE ("5", "subscriptions/listen",
                    "{" META ",\"notifications\":{\"toolsListChanged\":true}}"));
  (void) hear (&f);
  say (&f, NOTIFICATION ("notifications/cancelled", "{" META ",\"requestId\":5}"));
  fake_env_tools (&f.fake, one);
  expect (&f, "", LIST_CHANGED "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"L\"}}}\n");
  say_end (&f);
  fake_env_tools (&f.fake, two);
  expect (&f, "",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
          "\"L\"}}\n");
  CU_ASSERT_EQUAL (f.ended, 1);
  teardown (&f);
}

/* Answers that are due when the input ends are waited for. */
static void
test_end (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18") LATER ("1", ""));
  (void) hear (&f);
  say (&f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"); /* no end of line */
  CU_ASSERT_STRING_EQUAL (hear (&f), "");
  say_end (&f);
  CU_ASSERT_STRING_EQUAL (hear (&f), PONG);
  CU_ASSERT_EQUAL (f.ended, 0); /* an answer is still due */
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  CU_ASSERT_STRING_EQUAL (hear (&f), DONE ("1"));
  CU_ASSERT_EQUAL (f.ended, 1);
  teardown (&f);
}

static void
test_end_without_input (void)
{
  struct fixture f;

  setup (&f);
  say_end (&f);
  CU_ASSERT_EQUAL (f.ended, 1);
  teardown (&f);
}

/* The end of the last cancelled call is an end too. */
static void
test_end_by_cancel (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18") LATER ("1", "")
             NOTIFICATION ("notifications/cancelled", "{\"requestId\":1}"));
  say_end (&f);
  CU_ASSERT_EQUAL (f.ended, 1);
  teardown (&f);
}

static void
test_reader_gone (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18") LATER ("1", ""));
  close_end (&f.from[0]);
  say (&f, MESSAGE ("1", "ping", "{}"));
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT_EQUAL (f.ended, 1);
  teardown (&f);
}

/* A client that does not read stops being read from, and nothing is lost. */
static void
test_slow_reader (void)
{
  static char pings[4096];
  const size_t one = strlen (MESSAGE ("1", "ping", "{}"));
  size_t said = 0, heard = 0;
  struct fixture f;

  setup (&f);
  (void) fcntl (f.to[1], F_SETFL, O_NONBLOCK);
  while (said * one + one <= sizeof pings)
    memcpy (pings + one * said++, MESSAGE ("1", "ping", "{}"), one);
  for (size_t per = said, rounds = 0;; rounds++) {
    ssize_t n = write (f.to[1], pings, one * per);
    run (&f);
    if (n != (ssize_t) (one * per)) {
      said = rounds * per + (n > 0 ? (size_t) n / one : 0);
      CU_ASSERT (n <= 0 || (size_t) n % one == 0);
      break;
    }
    if (rounds > 100000) {
      CU_FAIL ("the front reads without end");
      break;
    }
  }
  for (const char *at = hear (&f); *at != '\0'; at++)
    heard += *at == '\n';
  CU_ASSERT_EQUAL (heard, said);
  teardown (&f);
}

static void
test_stopping (void)
{
  struct fixture f;

  setup (&f);
  say (&f, INITIALIZE ("2025-06-18") LATER ("1", ""));
  (void) hear (&f);
  stdio_front_free (f.front);
  f.front = NULL;
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT_STRING_EQUAL (hear (&f), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
                                     "\"message\":\"The daemon is stopping\"}}\n");
  CU_ASSERT_EQUAL (fcntl (f.to[0], F_GETFL) & O_NONBLOCK, 0);
  teardown (&f);
}

static CU_TestInfo tests[] = {
  { "initialize", test_handshake },
  { "both eras through one pipe", test_eras },
  { "before the handshake", test_before_handshake },
  { "garbage", test_garbage },
  { "lines in pieces", test_pieces },
  { "lines that are too long", test_long_lines },
  { "calls and progress", test_calls },
  { "notifications/cancelled", test_cancelled },
  { "tools/list_changed", test_list_changed },
  { "subscriptions/listen", test_listen },
  { "the end of the input", test_end },
  { "no input at all", test_end_without_input },
  { "cancelled, then the end", test_end_by_cancel },
  { "the reader is gone", test_reader_gone },
  { "a slow reader", test_slow_reader },
  { "stopping answers what runs", test_stopping },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "stdio", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

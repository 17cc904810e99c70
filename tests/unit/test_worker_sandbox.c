/* The parts of the sandbox that can be looked at without being inside: what is asked for, what is
 * met. */
#include "tap.h"
#include "worker/hello.h"
#include "worker/sandbox.h"

#define GOOD_SANDBOX                                                                               \
  "\"sandbox\":{\"require\":[\"no-network\",\"kill-tree\"],\"read\":[\"/a\"],\"write\":[],"        \
  "\"memory\":268435456,\"files\":64,\"tmp\":0,\"processes\":64,\"jit\":true}"
#define GOOD_REST "\"build\":\"b\",\"threads\":8,\"config\":{\"k\": 1},\"result_max\":4096,"

static bool
reads (const char *text, struct hello *hello, struct arena *arena, struct error *err)
{
  *err = (struct error){ { 0 } };
  return hello_read (hello, text, strlen (text), arena, err);
}

static void
test_hello (void)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct hello hello;
  struct error err;

  CU_ASSERT_FATAL (
    reads ("{\"plugin\":\"echo\"," GOOD_REST GOOD_SANDBOX "}", &hello, &arena, &err));
  CU_ASSERT_STRING_EQUAL (hello.plugin, "echo");
  CU_ASSERT_STRING_EQUAL (hello.config, "{\"k\": 1}");
  CU_ASSERT_EQUAL (hello.config_len, 8);
  CU_ASSERT_EQUAL (hello.threads, 8);
  CU_ASSERT_EQUAL (hello.sandbox.require, NO_NETWORK | KILL_TREE);
  CU_ASSERT_TRUE (hello.sandbox.jit);
  CU_ASSERT_STRING_EQUAL (hello.sandbox.read[0], "/a");
  CU_ASSERT_PTR_NULL (hello.sandbox.read[1]);
  CU_ASSERT_PTR_NULL (hello.sandbox.write[0]);
}

static void
test_bad_hello (void)
{
  static const struct {
    const char *text;
    const char *sentence;
  } cases[] = {
    { "{", "HELLO: byte 1:" },
    { "{\"plugin\":\"../x\"," GOOD_REST GOOD_SANDBOX "}", "HELLO: plugin: expected 1 to 64" },
    { "{\"plugin\":\"x\"," GOOD_REST "\"sandbox\":[]}", "HELLO: sandbox: expected an object" },
    { "{\"plugin\":\"x\"," GOOD_REST "\"sandbox\":{\"require\":[\"no-fun\"]}}",
      "HELLO: require: \"no-fun\" is no guarantee" },
    { "{\"plugin\":\"x\",\"build\":\"b\",\"threads\":0,\"result_max\":4096," GOOD_SANDBOX "}",
      "HELLO: threads: expected a whole number" },
  };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct hello hello;
  struct error err;

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CU_ASSERT_FALSE (reads (cases[i].text, &hello, &arena, &err));
    if (strncmp (err.text, cases[i].sentence, strlen (cases[i].sentence)) != 0) {
      printf ("# got: %s\n", err.text);
      CU_FAIL ("another sentence was expected");
    }
  }
}

static void
test_guarantees (void)
{
  struct sandbox_plan plan = { .require = NO_NETWORK | MEMORY_CAP };
  struct error err = { { 0 } };
  CLEANUP_BUF struct buf told = { 0 };
  struct json_writer w = { .out = &told };

  guarantee_met (&plan, NO_NETWORK | NO_FOREIGN_SIGNALS, "seccomp");
  CU_ASSERT_FALSE (guarantees_hold (&plan, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "the guarantee \"memory-cap\" is required and nothing here can "
                                    "meet it: it takes a cgroup or a limit of the address space");
  guarantee_met (&plan, MEMORY_CAP, "address space limit");
  CU_ASSERT_TRUE (guarantees_hold (&plan, &err));
  for (int i = 0; i < 8; i++)
    guarantee_met (&plan, NO_NETWORK, "more");
  guarantees_tell (&plan, &w);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&told),
                          "{\"no-network\":\"seccomp, more, more, more\",\"no-foreign-files\":\"\","
                          "\"no-foreign-signals\":\"seccomp\",\"memory-cap\":\"address space "
                          "limit\",\"kill-tree\":\"\",\"no-new-code\":\"\"}");
}

/* What an operator wrote down and nothing here can enforce is refused, before anything is set. */
static void
a_limit_that_can_not_be_had (void)
{
  static const char *const none[] = { NULL };
  struct sandbox_plan plan = { .write = none, .processes = 8, .processes_asked = true };
  struct error err = { { 0 } };

  CU_ASSERT_FALSE (sandbox_limits (&plan, &err));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (err.text, "/limits/processes of its policy can't be enforced here"));
}

static CU_TestInfo tests[] = {
  { "hello", test_hello },
  { "a bad hello", test_bad_hello },
  { "guarantees", test_guarantees },
  { "a limit that can not be had", a_limit_that_can_not_be_had },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "worker sandbox", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

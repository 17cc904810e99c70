#include "tap.h"

#include "cli/args.h"

static const char definition[] =
  "{\"inputSchema\":{\"properties\":{\"n\":{\"type\":\"integer\"},\"s\":{\"type\":\"string\"},"
  "\"both\":{\"type\":[\"null\",\"string\"]},\"list\":{\"type\":[\"array\",\"null\"]},"
  "\"any\":{\"description\":\"x\"}}}}";

static struct buf out;
static struct error err;

static bool
build (const char *json, const char *const *pairs, bool with_definition)
{
  struct args_source source = { .json = json,
                                .json_len = json != NULL ? strlen (json) : 0,
                                .pairs = pairs,
                                .definition = with_definition ? definition : NULL,
                                .definition_len = with_definition ? sizeof definition - 1 : 0 };

  while (pairs[source.pairs_count] != NULL)
    source.pairs_count++;
  buf_reset (&out, 0);
  err.text[0] = '\0';
  return args_build (&source, &out, &err);
}
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NONE ((const char *const[]){ NULL })

static void
expect (const char *json, const char *const *pairs, bool with_definition, const char *expected)
{
  CU_ASSERT (build (json, pairs, with_definition));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
}

static void
expect_error (const char *json, const char *const *pairs, const char *expected)
{
  CU_ASSERT_FALSE (build (json, pairs, false));
  CU_ASSERT_STRING_EQUAL (err.text, expected);
}

static void
test_json (void)
{
  expect (NULL, NONE, false, "{}");
  expect (" { \"a\" : [1, 2] , \"b\\n\":null } ", NONE, false, "{\"a\":[1, 2],\"b\\n\":null}");
}

static void
test_pairs (void)
{
  expect (NULL, LIST ("a=1", "b=", "c=x=y", "d:=[1]"), false,
          "{\"a\":\"1\",\"b\":\"\",\"c\":\"x=y\",\"d\":[1]}");
  expect (NULL, LIST ("q=say \"hi\""), false, "{\"q\":\"say \\\"hi\\\"\"}");
}

static void
test_types (void)
{
  expect (NULL, LIST ("n=5", "s=5", "both=null", "list=[1]", "any=5", "other=5"), true,
          "{\"n\":5,\"s\":\"5\",\"both\":\"null\",\"list\":[1],\"any\":\"5\",\"other\":\"5\"}");
  expect (NULL, LIST ("n=five"), true, "{\"n\":\"five\"}");
}

static void
test_merges (void)
{
  expect ("{\"a\":1,\"b\":2}", LIST ("a=x", "c=y"), false, "{\"b\":2,\"a\":\"x\",\"c\":\"y\"}");
  expect ("{\"\\u0061\":1}", LIST ("a=x"), false, "{\"a\":\"x\"}");
}

static void
test_faults (void)
{
  CU_ASSERT_FALSE (build ("{\"a\":}", NONE, false));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "the arguments are not JSON: byte 5: "));
  expect_error ("[1]", NONE, "the arguments are not a JSON object, as in '{\"text\":\"hello\"}'");
  expect_error (NULL, LIST ("novalue"),
                "--arg: expected NAME=VALUE or NAME:=JSON, got \"novalue\"");
  expect_error (NULL, LIST ("=v"), "--arg: expected NAME=VALUE or NAME:=JSON, got \"=v\"");
  expect_error (NULL, LIST (":=1"), "--arg: expected NAME=VALUE or NAME:=JSON, got \":=1\"");
  expect_error (NULL, LIST ("a=1", "a:=2"), "--arg a was given twice");
  CU_ASSERT_FALSE (build (NULL, LIST ("a:=x"), false));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "--arg a: not JSON: byte 0: "));
}

static bool
is_text (const char *json, size_t pairs)
{
  struct args_source source = { .json = json,
                                .json_len = json != NULL ? strlen (json) : 0,
                                .pairs_count = pairs };

  return args_is_text (&source);
}

static void
test_text (void)
{
  CU_ASSERT_TRUE (is_text ("{\"a\":1,}", 0));
  CU_ASSERT_TRUE (is_text ("\"{}\"", 0));
  CU_ASSERT_FALSE (is_text ("{\"a\":1,}", 1)); /* members are put in: it must be an object */
  CU_ASSERT_FALSE (is_text ("{\"a\":1}", 0));
  CU_ASSERT_FALSE (is_text ("[]", 0));
  CU_ASSERT_FALSE (is_text ("{\"a\":\"\xff\"", 0));
  CU_ASSERT_FALSE (is_text (NULL, 0));
}

static void
test_reads_file (void)
{
  char path[] = "/tmp/toolhost-args-XXXXXX";
  char word[sizeof path + 1] = "@";
  int fd = mkstemp (path);

  CU_ASSERT_FATAL (fd >= 0);
  CU_ASSERT_EQUAL (write (fd, "{\"a\":1}", 7), 7);
  close (fd);
  strcat (word, path);
  buf_reset (&out, 0);
  CU_ASSERT (args_read (word, &out, &err));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "{\"a\":1}");
  unlink (path);
  CU_ASSERT_FALSE (args_read (word, &out, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "No such file or directory"));
}

static int
done (void)
{
  buf_free (&out);
  return 0;
}

static CU_TestInfo tests[] = { { "passes an object on", test_json },
                               { "makes members of pairs", test_pairs },
                               { "asks the schema for the type", test_types },
                               { "puts pairs over members", test_merges },
                               { "names each fault", test_faults },
                               { "knows text that is sent as it is", test_text },
                               { "reads a file", test_reads_file },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli args", NULL, done, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

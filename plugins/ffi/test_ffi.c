/* Tools of C functions, called in the mock host: what fails, handles, headers. */
#include "ffi/test_rig.h"

/* ---- errors ---- */

/* clang-format off */
/* Functions, and when they have failed. */
static const char failing[] =
  "{\"functions\":["
  F ("status", PARAMS (P ("code", "int")) RETURNS ("int")
     ",\"errors\":{\"when\":\"nonzero\",\"message_symbol\":\"status_text\"}") ","
  F ("same_i32", PARAMS (P ("v", "int")) RETURNS ("int")
     ",\"errors\":{\"when\":\"zero\",\"message_symbol\":\"last_error\",\"message_with\":"
     "\"nothing\",\"code\":\"was_zero\"}") ","
  F ("maybe", PARAMS (P ("text", "const char *")) RETURNS ("const char *")
     ",\"errors\":{\"when\":\"null\"}") ","
  F ("allowed", PARAMS (P ("age", "int")) RETURNS ("bool") ",\"errors\":{\"when\":\"false\"}") ","
  F ("quotient_of", PARAMS (P ("a", "double") "," P ("b", "double")) RETURNS ("double")
     ",\"errors\":{\"when\":\"negative\"}")
  "]}";
/* clang-format on */

static void
S3_16_each_way_to_fail (void)
{
  built (failing);
  CU_ASSERT (gives (mock, "status", "{\"code\":0}", "{}"));
  CU_ASSERT (
    fails (mock, "status", "{\"code\":3}", "ffi_error", "status failed: the disk is on fire (3)"));
  CU_ASSERT (fails (mock, "same_i32", "{\"v\":0}", "was_zero",
                    "same_i32 failed: the last thing that failed (0)"));
  CU_ASSERT (says (mock, "same_i32", "{\"v\":4}", "4"));
  CU_ASSERT (
    fails (mock, "maybe", "{\"text\":\"\"}", "ffi_error", "maybe failed: it returned NULL"));
  defines ("maybe", "\"result\":{\"type\":\"string\"}");
  CU_ASSERT (fails (mock, "allowed", "{\"age\":17}", "ffi_error", "allowed failed"));
  CU_ASSERT (gives (mock, "allowed", "{\"age\":18}", "{}"));
  CU_ASSERT (fails (mock, "quotient_of", "{\"a\":-1,\"b\":2}", "ffi_error",
                    "it returned a negative number"));
  built (
    "{\"functions\":[{\"name\":\"log\",\"description\":\"d\",\"library\":\"libm.so.6\",\"params\":"
    "[{\"name\":\"x\",\"type\":\"double\"}],\"returns\":\"double\",\"errors\":{\"when\":"
    "\"errno\"}}]}");
  CU_ASSERT (fails (mock, "log", "{\"x\":-1}", "ffi_error",
                    "log failed: Numerical argument out of domain (EDOM, errno 33)"));
  CU_ASSERT (says (mock, "log", "{\"x\":1}", "0"));
}

/* ---- handles ---- */

#define COUNT_CALLS                                                                                \
  "{\"symbol\":\"counter_open\",\"params\":[{\"name\":\"name\",\"type\":\"const char *\"}],"       \
  "\"returns\":{\"name\":\"c\",\"type\":\"counter *\",\"free\":\"counter_close\"},"                \
  "\"errors\":{\"when\":\"null\"}},"                                                               \
  "{\"symbol\":\"counter_add\",\"params\":[{\"name\":\"it\",\"type\":\"counter "                   \
  "*\",\"from\":\"c\"},"                                                                           \
  "{\"name\":\"first\",\"type\":\"int\"}],\"returns\":{\"type\":\"int\",\"name\":\"after_first\"}" \
  "},"                                                                                             \
  "{\"symbol\":\"counter_add\",\"params\":[{\"name\":\"it\",\"type\":\"counter "                   \
  "*\",\"from\":\"c\"},"                                                                           \
  "{\"name\":\"second\",\"type\":\"int\",\"default\":1}],\"returns\":{\"type\":\"int\",\"name\":"  \
  "\"total\"},"                                                                                    \
  "\"errors\":{\"when\":\"negative\",\"message_symbol\":\"counter_error\",\"message_with\":\"c\"}" \
  "}"
#define COUNTER "{\"types\":{\"counter\":{\"opaque\":true}},\"functions\":["

static void
calls_in_a_row_share_a_handle (void)
{
  const int before = live ();

  built (COUNTER
         "{\"name\":\"count\",\"description\":\"d\",\"library\":\"$L\",\"calls\":[" COUNT_CALLS
         "]}]}");
  defines ("count", "\"required\":[\"name\",\"first\"]");
  CU_ASSERT (says (mock, "count", "{\"name\":\"n\",\"first\":3,\"second\":4}",
                   "{\"after_first\":3,\"total\":7}"));
  CU_ASSERT (fails (mock, "count", "{\"name\":\"\",\"first\":3}", "ffi_error",
                    "counter_open failed: it returned NULL"));
  CU_ASSERT (fails (mock, "count", "{\"name\":\"n\",\"first\":3,\"second\":400}", "ffi_error",
                    "counter_add failed: n is full at 403 (-1)"));
  CU_ASSERT_EQUAL (live (), before);
}

static void
a_handle_through_a_pointer_is_freed_even_after_a_failure (void)
{
  const int before = live ();

  built (COUNTER
         "{\"name\":\"count\",\"description\":\"d\",\"library\":\"$L\",\"calls\":["
         "{\"symbol\":\"counter_open_into\",\"params\":[{\"name\":\"name\",\"type\":\"string\"},"
         "{\"name\":\"c\",\"type\":\"counter **\",\"free\":\"counter_close\"}],\"returns\":\"int\","
         "\"errors\":{\"when\":\"nonzero\",\"message_symbol\":\"counter_error\",\"message_with\":"
         "\"c\"}},"
         "{\"symbol\":\"counter_add\",\"params\":[{\"name\":\"it\",\"type\":\"counter *\",\"from\":"
         "\"c\"},{\"name\":\"by\",\"type\":\"int\",\"value\":5}],\"returns\":\"int\"}]}]}");
  CU_ASSERT (says (mock, "count", "{\"name\":\"n\"}", "5"));
  CU_ASSERT (fails (mock, "count", "{\"name\":\"\"}", "ffi_error",
                    "counter_open_into failed: bad is full at 0 (1)"));
  CU_ASSERT_EQUAL (live (), before);
}

static void
a_pointer_that_is_null_goes_nowhere (void)
{
  built (COUNTER
         "{\"name\":\"count\",\"description\":\"d\",\"library\":\"$L\",\"calls\":["
         "{\"symbol\":\"counter_open\",\"params\":[{\"name\":\"name\",\"type\":\"string\"}],"
         "\"returns\":{\"name\":\"c\",\"type\":\"counter *\",\"free\":\"counter_close\"}},"
         "{\"symbol\":\"counter_add\",\"params\":[{\"name\":\"it\",\"type\":\"counter *\","
         "\"from\":\"c\"},{\"name\":\"by\",\"type\":\"int\"}],\"returns\":\"int\"}]}]}");
  CU_ASSERT (fails (mock, "count", "{\"name\":\"\",\"by\":1}", "ffi_error",
                    "counter_open has given no pointer for \"it\" of counter_add"));
}

static void
variable_argument_lists_have_one_signature_a_tool (void)
{
  built (
    "{\"functions\":[{\"name\":\"three\",\"description\":\"d\",\"library\":\"$L\",\"symbol\":"
    "\"sum_ints\",\"variadic\":1,\"params\":[{\"name\":\"count\",\"type\":\"int\",\"value\":3},"
    "{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"},{\"name\":\"c\",\"type\":"
    "\"int\"}],\"returns\":\"int\"},"
    "{\"name\":\"mix\",\"description\":\"d\",\"library\":\"$L\",\"variadic\":1,\"params\":["
    "{\"name\":\"kinds\",\"type\":\"string\",\"value\":\"dls\"},{\"name\":\"d\",\"type\":"
    "\"double\"},"
    "{\"name\":\"l\",\"type\":\"long\"},{\"name\":\"s\",\"type\":\"string\"}],\"returns\":"
    "\"double\""
    "}]}");
  CU_ASSERT (says (mock, "three", "{\"a\":1,\"b\":2,\"c\":-7}", "-4"));
  CU_ASSERT (says (mock, "mix", "{\"d\":0.5,\"l\":4,\"s\":\"abc\"}", "7.5"));
  wrong (ONE ("mix",
              ",\"variadic\":1" PARAMS (P ("k", "string") "," P ("f", "float")) RETURNS ("double")),
         "/functions/0/params/1/type: after \"...\" C passes float as double");
}

/* ---- headers ---- */

#define HEADER                                                                                     \
  "typedef struct point { double x, y; } point;\\n"                                                \
  "/** The point between. @param a one */\\npoint middle (point a, point b);\\n"                   \
  "// Search the web.\\nchar *web_search (const char *query, int num_results);\\n"                 \
  "struct thing *thing_open (void);\\nint divide (int a, int b, int *quotient, int *remainder);"

static void
S3_15_tools_of_a_header (void)
{
  built ("{\"headers\":[{\"text\":\"" HEADER "\",\"library\":\"$L\",\"symbols\":[\"m*\"],"
         "\"functions\":{\"web_search\":{\"name\":\"search\",\"params\":{\"num_results\":{"
         "\"default\":10}},\"returns\":{\"free\":\"give_back\"}}}}]}");
  CU_ASSERT (says (mock, "search", "{\"query\":\"C\"}", "10 results for C"));
  defines ("search", "\"description\":\"Search the web.\"");
  CU_ASSERT (says (mock, "middle", "{\"a\":{\"x\":0,\"y\":2},\"b\":{\"x\":1,\"y\":4}}",
                   "{\"x\":0.5,\"y\":3}"));
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "divide"));
}

static void
each_slip_in_a_header_has_its_place (void)
{
#define WITH(more) "{\"headers\":[{\"text\":\"" HEADER "\",\"library\":\"$L\"," more "}]}"
  wrong (WITH ("\"symbols\":[\"web_serch\"]"),
         "/headers/0/symbols/0: the header declares no function web_serch; did you mean "
         "\"web_search\"?");
  wrong (WITH ("\"symbols\":[\"thing_open\"]"), "thing_open, line 6: it gives a handle");
  wrong (WITH ("\"functions\":{\"mid\":{}}"), "/headers/0/functions/mid: the header declares no");
  wrong (WITH ("\"symbols\":[],\"functions\":{\"middle\":{\"params\":{\"c\":{}}}}"),
         "/headers/0/functions/middle/params/c: there is no such parameter");
  wrong (WITH ("\"symbols\":[],\"functions\":{\"middle\":{\"descripton\":\"\"}}"),
         "/headers/0/functions/middle/descripton: there is no such member; did you mean "
         "\"description\"?");
  wrong ("{\"headers\":[{\"library\":\"$L\"}]}", "expected either \"text\" or \"file\"");
  wrong ("{\"headers\":[{\"file\":\"/nowhere/x.h\"}]}",
         "/headers/0/file: /nowhere/x.h can't be read: No such file or directory");
  wrong ("{\"headers\":{}}", "/headers: expected a list of headers");
#undef WITH
}

static void
max_time_and_an_empty_feature (void)
{
  built (ONE ("version", ",\"max_time\":1500,\"thread_safe\":true,\"returns\":\"const char *\""));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "version"), 1500);
  CU_ASSERT (says (mock, "version", "{}", "1.2.3"));
  built ("{}");
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "version"));
}

static CU_TestInfo tests[] = {
  { "S3-16 each way to fail", S3_16_each_way_to_fail },
  { "calls in a row share a handle", calls_in_a_row_share_a_handle },
  { "a handle through a pointer is freed even after a failure",
    a_handle_through_a_pointer_is_freed_even_after_a_failure },
  { "a pointer that is null goes nowhere", a_pointer_that_is_null_goes_nowhere },
  { "variable argument lists have one signature a tool",
    variable_argument_lists_have_one_signature_a_tool },
  { "S3-15 tools of a header", S3_15_tools_of_a_header },
  { "each slip in a header has its place", each_slip_in_a_header_has_its_place },
  { "max time and an empty feature", max_time_and_an_empty_feature },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "ffi", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

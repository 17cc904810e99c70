/* What is wrong with documents of functions, and with what is granted: where, and in which words.
 */
#include "ffi/test_rig.h"

/* ---- documents ---- */

struct slip {
  const char *config, *part;
};

/* Of a function as a whole. */
static const struct slip in_functions[] = {
  { "{\"function\":[]}", "/function: there is no such member; did you mean \"functions\"?" },
  { "{\"functions\":{}}", "/functions: expected a list of functions" },
  { ONE ("version", ",\"retruns\":\"int\""),
    "/functions/0/retruns: there is no such member; did you mean \"returns\"?" },
  { "{\"functions\":[{\"name\":\"a b\",\"description\":\"d\"}]}",
    "/functions/0/name: expected the name of a tool" },
  { "{\"functions\":[{\"name\":\"a\"}]}", "/functions/0/description: expected a description" },
  { "{\"functions\":[{\"name\":\"a\",\"description\":\"d\"}]}",
    "/functions/0/library: expected a library" },
  { "{\"functions\":[{\"name\":\"a-b\",\"description\":\"d\",\"library\":\"libm.so.6\"}]}",
    "/functions/0/symbol: expected the function's name in C" },
  { ONE ("versoin", ""), "/functions/0/symbol: there is no function versoin in /" },
  { "{\"functions\":[{\"name\":\"pow\",\"description\":\"d\",\"library\":\"libm.so\"}]}",
    "/functions/0/library: the library libm.so is not granted: the operator grants libraries in "
    "plugins.d/ffi.json, \"config\": {\"libraries\": […]}; did you mean \"libm.so.6\"" },
  { "{\"functions\":[{\"name\":\"pow\",\"description\":\"d\",\"library\":\"libm.so.9\"}]}",
    "/functions/0/library: the library libm.so.9 can't be loaded: libm.so.9: cannot open" },
  { "{\"functions\":[{\"name\":\"system\",\"description\":\"d\",\"library\":\"libm.so.6\"}]}",
    "/functions/0/symbol: system is a function of " },
  { ONE ("version", ",\"calls\":[],\"symbol\":\"x\""),
    "/functions/0/symbol: where there are \"calls\", each of them has its own" },
  { "{\"functions\":[" F ("version", "") "," F ("version", "") "]}",
    "/functions/1/name: there is a tool \"version\" already" },
  { ONE ("version", ",\"max_time\":0"), "/functions/0/max_time: expected a whole number from 1" },
};

/* Of its parameters. */
static const struct slip in_params[] = {
  { ONE ("same_i32", PARAMS (P ("v", "itn"))),
    "/functions/0/params/0/type: there is no type \"itn\"; did you mean \"int\"" },
  { ONE ("same_i32", PARAMS (P ("v", "int") "," P ("v", "int"))),
    "/functions/0/params/1/name: there is a parameter \"v\" already" },
  { ONE ("same_i32", PARAMS (P ("v", "void"))), "a parameter can't be void" },
  { ONE ("same_i32", PARAMS ("{\"name\":\"v\"}")), "/functions/0/params/0/type: expected" },
  { ONE ("same_i32", PARAMS (PM ("v", "int", "\"default\":\"x\""))),
    "/functions/0/params/0/default: expected a whole number, got string" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"value\":128"))),
    "/functions/0/params/0/value: 128 does not fit int8_t: expected a whole number from -128" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"value\":1,\"default\":1"))),
    "it always has its \"value\"" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"direction\":\"out\""))),
    "/functions/0/params/0/direction: only what a pointer points at can be written" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"direction\":\"outt\""))),
    "expected \"in\", \"out\" or \"inout\"" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"nullable\":true"))),
    "only a pointer that is in can be null" },
  { ONE ("same_i8", PARAMS (PM ("v", "int8_t", "\"encoding\":\"text\""))),
    "only a buffer has an encoding" },
  { ONE ("divide", PARAMS (P ("q", "int *"))), "/functions/0/params/0: expected a \"direction\": "
                                               "the function may read what int * points at" },
  { ONE ("fill", PARAMS (PM ("to", "char *", "\"direction\":\"out\""))),
    "/functions/0/params/0: a buffer that the function writes to needs its \"size\"" },
  { ONE ("fill", PARAMS (PM ("to", "char *",
                             "\"direction\":\"out\",\"length\":\"m\"") "," P ("n", "size_t"))),
    "/functions/0/params/0/length: there is no parameter \"m\"" },
  { ONE ("fill", PARAMS (PM ("to", "char *",
                             "\"direction\":\"out\",\"length\":\"n\"") "," P ("n", "double"))),
    "/functions/0/params/0/length: \"n\" is no whole number, nor a pointer to one" },
  { ONE ("fill", PARAMS (PM ("to", "char *", "\"direction\":\"out\",\"size\":99999999"))),
    "/functions/0/params/0/size: expected a whole number from 1 to 16777216" },
  { ONE ("fill", PARAMS (PM ("to", "char *",
                             "\"direction\":\"out\",\"size\":9,"
                             "\"filled\":\"returns\"")) RETURNS ("double")),
    "/functions/0/params/0/filled: expected a parameter that is a pointer to a whole number" },
  { ONE ("lookup", PARAMS (P ("key", "void *"))),
    "/functions/0/params/0/type: what void * points at is not known" },
  { ONE ("each", PARAMS (P ("what", "void (*) (int)"))),
    "/functions/0/params/0/type: functions can't be passed to functions" },
  { ONE ("lookup", PARAMS (PM ("key", "void *", "\"from\":\"before\""))),
    "/functions/0/params/0/from: no earlier call gives \"before\"" },
};

/* Of what it returns, and of when it has failed. */
static const struct slip in_results[] = {
  { ONE ("lookup", PARAMS (P ("key", "int")) RETURNS ("void *")),
    "/functions/0: the pointer \"result\" that lookup gives goes nowhere" },
  { ONE ("same_i32", PARAMS (P ("v", "int")) ",\"errors\":{}"),
    "/functions/0/errors/when: expected when the function has failed" },
  { ONE ("same_i32", PARAMS (P ("v", "int")) ",\"errors\":{\"when\":\"null\"}"),
    "/functions/0/errors/when: only a pointer that is returned can be null" },
  { ONE ("same_i32", PARAMS (P ("v", "int")) RETURNS ("unsigned") ",\"errors\":{\"when\":"
                                                                  "\"negative\"}"),
    "/functions/0/errors/when: only a number with a sign can be negative" },
  { ONE ("same_i32", RETURNS ("int") ",\"errors\":{\"when\":\"zero\",\"code\":\"No!\"}"),
    "/functions/0/errors/code: expected 1 to 64 of a-z0-9_" },
  { ONE ("same_i32", RETURNS ("int") ",\"errors\":{\"when\":\"zero\",\"message_symbol\":\"nope\"}"),
    "/functions/0/errors/message_symbol: there is no function nope in" },
  { ONE ("version", ",\"returns\":{\"type\":\"const char *\",\"free\":\"nope\"}"),
    "/functions/0/returns/free: there is no function nope in" },
  { ONE ("version", ",\"returns\":{\"type\":\"int\",\"free\":\"free\"}"),
    "/functions/0/returns/free: only what a pointer points at can be freed" },
};

/* Of types. */
static const struct slip in_types[] = {
  { "{\"types\":{\"int\":{\"opaque\":true}}}", "/types/int: there is a type \"int\" already" },
  { "{\"types\":{\"a\":{}}}", "/types/a: expected one of \"struct\", \"enum\", \"opaque\"" },
  { "{\"types\":{\"a\":{\"struct\":[]}}}", "/types/a/struct: expected a list of 1 to 256" },
  { "{\"types\":{\"a\":{\"struct\":[{\"name\":\"x\",\"type\":\"a\"}]}}}",
    "/types/a/struct: this is a member that has no size" },
  { "{\"types\":{\"a\":{\"enum\":{\"X\":1.5}}}}", "/types/a/enum/X: expected a whole number" },
  { "{\"types\":{\"a\":{\"is\":\"unsinged\"}}}", "/types/a/is: there is no type \"unsinged\"" },
  { "{\"types\":{\"a\":{\"struct\":[{\"name\":\"x\",\"type\":\"int *\"}]}},\"functions\":[" F (
      "version", PARAMS (P ("p", "const a *"))) "]}",
    "/functions/0/params/0/type: const struct a * holds a pointer that is no string" },
};

static void
each_is_told (const struct slip *slips, size_t count)
{
  for (size_t i = 0; i < count; i++)
    wrong (slips[i].config, slips[i].part);
}

#define EACH_IS_TOLD(slips) each_is_told (slips, sizeof slips / sizeof *slips)

static void
each_slip_has_its_pointer (void)
{
  EACH_IS_TOLD (in_functions);
  EACH_IS_TOLD (in_params);
  EACH_IS_TOLD (in_results);
  EACH_IS_TOLD (in_types);
}

/* ---- what is granted ---- */

static void
the_policy_is_read_strictly (void)
{
  static const struct {
    const char *config, *part;
  } slips[] = {
    { "{\"librarys\":[]}", "/librarys: there is no such member; did you mean \"libraries\"?" },
    { "{\"libraries\":\"libm.so.6\"}", "/libraries: expected a list of at most 256 libraries" },
    { "{\"libraries\":[1]}", "/libraries: expected a list" },
    { "{\"libraries\":[\"lib/x.so\"]}",
      "/libraries: expected the name of a library without a folder" },
  };
  toolhost_mock *other;

  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    other = toolhost_mock_new (toolhost_plugin_entry, slips[i].config);
    CU_ASSERT_PTR_NULL (other);
    CU_ASSERT (told_part ("loader", slips[i].config, slips[i].part, toolhost_mock_error ()));
    toolhost_mock_free (other);
  }
}

static void
nothing_is_granted_by_itself (void)
{
  stop ();
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  wrong ("{\"functions\":[{\"name\":\"pow\",\"description\":\"d\",\"library\":\"libm.so.6\"}]}",
         "/functions/0/library: the library libm.so.6 is not granted");
  stop ();
  CU_ASSERT_EQUAL_FATAL (start (), 0);
}

static CU_TestInfo tests[] = {
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "the policy is read strictly", the_policy_is_read_strictly },
  { "nothing is granted by itself", nothing_is_granted_by_itself },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "ffi slips", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

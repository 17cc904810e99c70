/* What goes into functions and what comes out of them: numbers, strings, structs, arrays, buffers.
 */
#include "ffi/test_rig.h"

/* ---- numbers ---- */

static void
S3_14_S3_16_libm_pow (void)
{
  built ("{\"functions\":[{\"name\":\"power\",\"title\":\"Power\",\"description\":\"x to the y\","
         "\"library\":\"libm.so.6\",\"symbol\":\"pow\",\"params\":["
         "{\"name\":\"x\",\"type\":\"double\",\"description\":\"the base\"},"
         "{\"name\":\"y\",\"type\":\"double\"}],\"returns\":\"double\",\"strict\":true,"
         "\"annotations\":{\"readOnlyHint\":true},\"toolhost\":{\"idempotent\":true}}]}");
  CU_ASSERT_STRING_EQUAL (
    toolhost_mock_definition (mock, "power"),
    "{\"name\":\"power\",\"title\":\"Power\",\"description\":\"x to the y\",\"inputSchema\":{"
    "\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"description\":\"the base\"},"
    "\"y\":{\"type\":\"number\"}},\"required\":[\"x\",\"y\"],\"additionalProperties\":false},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"number\"}},"
    "\"required\":[\"result\"],\"additionalProperties\":false},"
    "\"annotations\":{\"readOnlyHint\":true},\"toolhost\":{\"strict\":true,\"idempotent\":true}}");
  CU_ASSERT (says (mock, "power", "{\"x\":2,\"y\":0.5}", "1.4142135623730951"));
  CU_ASSERT (gives (mock, "power", "{\"x\":2,\"y\":10}", "{\"result\":1024}"));
  CU_ASSERT (fails (mock, "power", "{\"x\":-1,\"y\":0.5}", "ffi_result",
                    "what pow gave can't be told: /result: it is not a number (NaN)"));
  CU_ASSERT (fails (mock, "power", "{\"x\":10,\"y\":400}", "ffi_result", "it is infinite"));
}

static void
integer (const char *symbol, const char *type, const char *least, const char *most,
         const char *below, const char *above)
{
  char config[1000], args[100], schema[200];

  snprintf (config, sizeof config, ONE ("%s", PARAMS (P ("v", "%s")) RETURNS ("%s")), symbol, type,
            type);
  built (config);
  snprintf (schema, sizeof schema, "\"v\":{\"type\":\"integer\",\"minimum\":%s,\"maximum\":%s}",
            least, most);
  defines (symbol, schema);
  snprintf (args, sizeof args, "{\"v\":%s}", least);
  CU_ASSERT (says (mock, symbol, args, least));
  snprintf (args, sizeof args, "{\"v\":%s}", most);
  CU_ASSERT (says (mock, symbol, args, most));
  snprintf (args, sizeof args, "{\"v\":%s}", below);
  CU_ASSERT (refuses (mock, symbol, args, "does not fit"));
  snprintf (args, sizeof args, "{\"v\":%s}", above);
  CU_ASSERT (refuses (mock, symbol, args, "\"pointer\":\"/v\""));
}

static void
every_integer_to_its_ends (void)
{
  integer ("same_i8", "int8_t", "-128", "127", "-129", "128");
  integer ("same_u8", "uint8_t", "0", "255", "-1", "256");
  integer ("same_i16", "short", "-32768", "32767", "-32769", "32768");
  integer ("same_u16", "unsigned short", "0", "65535", "-1", "65536");
  integer ("same_i32", "int", "-2147483648", "2147483647", "-2147483649", "2147483648");
  integer ("same_u32", "unsigned", "0", "4294967295", "-1", "4294967296");
  integer ("same_i64", "int64_t", "-9223372036854775808", "9223372036854775807",
           "-9223372036854775809", "9223372036854775808");
  integer ("same_u64", "uint64_t", "0", "18446744073709551615", "-1", "18446744073709551616");
  integer ("same_long", "long", "-9223372036854775808", "9223372036854775807", "-1e19", "1e19");
  integer ("same_size", "size_t", "0", "18446744073709551615", "-1", "1e30");
}

static void
other_values (void)
{
  built ("{\"functions\":[" F ("same_bool", PARAMS (P ("v", "bool")) RETURNS ("bool")) "," F (
    "same_char",
    PARAMS (P ("v", "char"))
      RETURNS ("char")) "," F ("same_float",
                               PARAMS (P ("v", "float")) RETURNS (
                                 "float")) "," F ("same_long_double",
                                                  PARAMS (P ("v", "long double")) RETURNS (
                                                    "long double")) "," F ("same_i32",
                                                                           PARAMS (P ("v", "int"))
                                                                             RETURNS ("int")) "]}");
  CU_ASSERT (says (mock, "same_bool", "{\"v\":true}", "true"));
  CU_ASSERT (says (mock, "same_bool", "{\"v\":false}", "false"));
  CU_ASSERT (refuses (mock, "same_bool", "{\"v\":1}", "expected true or false, got number"));
  CU_ASSERT (says (mock, "same_char", "{\"v\":\"x\"}", "x"));
  CU_ASSERT (refuses (mock, "same_char", "{\"v\":\"xy\"}", "expected one character of ASCII"));
  CU_ASSERT (refuses (mock, "same_char", "{\"v\":\"\\u00e9\"}", "expected one character"));
  CU_ASSERT (says (mock, "same_float", "{\"v\":0.1}", "0.1"));
  CU_ASSERT (says (mock, "same_float", "{\"v\":16777217}", "16777216"));
  CU_ASSERT (refuses (mock, "same_float", "{\"v\":1e39}", "1e39 does not fit float"));
  CU_ASSERT (says (mock, "same_long_double", "{\"v\":0.5}", "0.5"));
  CU_ASSERT (says (mock, "same_i32", "{\"v\":1.20e2}", "120"));
  CU_ASSERT (says (mock, "same_i32", "{\"v\":-0}", "0"));
  CU_ASSERT (refuses (mock, "same_i32", "{\"v\":1.5}", "1.5 does not fit int"));
  CU_ASSERT (refuses (mock, "same_i32", "{\"v\":\"1\"}", "expected a whole number, got string"));
  CU_ASSERT (refuses (mock, "same_i32", "{}", "this argument is missing"));
}

static void
enums_by_their_names (void)
{
  built (TYPES ("{" COLOUR "}", "next_colour", PARAMS (P ("c", "enum colour")) RETURNS ("colour")));
  defines ("next_colour", "\"c\":{\"type\":\"string\",\"enum\":[\"RED\",\"GREEN\",\"BLUE\"]}");
  defines (
    "next_colour",
    "\"result\":{\"anyOf\":[{\"enum\":[\"RED\",\"GREEN\",\"BLUE\"]},{\"type\":\"integer\"}]}");
  CU_ASSERT (says (mock, "next_colour", "{\"c\":\"RED\"}", "GREEN"));
  CU_ASSERT (says (mock, "next_colour", "{\"c\":\"BLUE\"}", "77"));
  CU_ASSERT (refuses (mock, "next_colour", "{\"c\":\"GREAN\"}", "did you mean \\\"GREEN\\\"?"));
}

/* ---- strings ---- */

static void
S3_15_the_sample_and_its_default (void)
{
  const int before = live ();

  built (ONE ("web_search",
              PARAMS (P ("query", "const char *") "," PM (
                "num_results", "int",
                "\"default\":10")) ",\"returns\":{\"type\":\"char *\",\"free\":\"give_back\"}"));
  defines ("web_search",
           "\"properties\":{\"query\":{\"type\":\"string\",\"maxLength\":65536},"
           "\"num_results\":{\"type\":\"integer\",\"minimum\":-2147483648,\"maximum\":2147483647,"
           "\"default\":10}},\"required\":[\"query\"]");
  CU_ASSERT (says (mock, "web_search", "{\"query\":\"C\"}", "10 results for C"));
  CU_ASSERT (says (mock, "web_search", "{\"query\":\"C\",\"num_results\":3}", "3 results for C"));
  CU_ASSERT (refuses (mock, "web_search", "{\"query\":\"C\",\"num_results\":null}",
                      "expected a whole number, got null"));
  CU_ASSERT (
    refuses (mock, "web_search", "{\"query\":\"a\\u0000b\"}", "a C string can't hold U+0000"));
  CU_ASSERT_EQUAL (live (), before);
}

static void
U3_2_strings_null_and_nothing (void)
{
  built ("{\"functions\":[" F ("version", RETURNS ("const char *")) "," F (
    "no_text",
    RETURNS (
      "const char *")) "," F ("maybe",
                              PARAMS (PM ("text", "const char *", "\"nullable\":true")) RETURNS (
                                "const char *")) "," F ("untouched",
                                                        PARAMS (PM (
                                                          "to", "unsigned char *",
                                                          "\"direction\":\"out\",\"size\":"
                                                          "4,\"hide\":true,\"length\":"
                                                          "\"n\"") "," P ("n", "size_t"))) "]}");
  CU_ASSERT (says (mock, "version", "{}", "1.2.3"));
  CU_ASSERT (gives (mock, "version", "{}", "{\"result\":\"1.2.3\"}"));
  CU_ASSERT (fails (mock, "no_text", "{}", "ffi_result", "it is no text in UTF-8"));
  CU_ASSERT (says (mock, "maybe", "{\"text\":\"x\"}", "x"));
  CU_ASSERT (says (mock, "maybe", "{\"text\":null}", "nothing"));
  CU_ASSERT (says (mock, "maybe", "{}", "nothing"));
  CU_ASSERT (says (mock, "maybe", "{\"text\":\"\"}", "null"));
  CU_ASSERT (gives (mock, "maybe", "{\"text\":\"\"}", "{\"result\":null}"));
  CU_ASSERT (says (mock, "untouched", "{}", ""));
  CU_ASSERT (gives (mock, "untouched", "{}", "{}"));
  built (
    ONE ("maybe", PARAMS (PM ("text", "const char *",
                              "\"max\":3")) ",\"returns\":{\"type\":\"const char *\",\"max\":2}"));
  CU_ASSERT (refuses (mock, "maybe", "{\"text\":\"abcd\"}", "expected at most 3 bytes, got 4"));
  CU_ASSERT (fails (mock, "maybe", "{\"text\":\"abc\"}", "ffi_result", "longer than 2 bytes"));
}

static void
strings_that_are_given_through_a_pointer (void)
{
  const int before = live ();

  built (
    ONE ("describe",
         PARAMS (P ("number", "int") "," PM (
           "text", "char **",
           "\"free\":\"give_back\"")) ","
                                      "\"returns\":\"int\",\"errors\":{\"when\":\"nonzero\"}"));
  CU_ASSERT (gives (mock, "describe", "{\"number\":4}", "{\"text\":\"number 4\"}"));
  CU_ASSERT (
    fails (mock, "describe", "{\"number\":-4}", "ffi_error", "describe failed: it returned -1"));
  CU_ASSERT_EQUAL (live (), before);
}

/* ---- structs ---- */

static void
structs_by_value_and_by_pointer (void)
{
  built (TYPES ("{" POINT "}", "middle",
                PARAMS (P ("a", "point") "," P ("b", "struct point")) RETURNS ("point")));
  defines ("middle", "\"a\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"},"
                     "\"y\":{\"type\":\"number\"}},\"required\":[\"x\",\"y\"],"
                     "\"additionalProperties\":false}");
  CU_ASSERT (says (mock, "middle", "{\"a\":{\"x\":0,\"y\":2},\"b\":{\"x\":1,\"y\":4}}",
                   "{\"x\":0.5,\"y\":3}"));
  CU_ASSERT (refuses (mock, "middle", "{\"a\":{\"x\":0},\"b\":{\"x\":1,\"y\":4}}",
                      "\"pointer\":\"/a/y\",\"message\":\"this member is missing\""));
  CU_ASSERT (refuses (mock, "middle", "{\"a\":{\"x\":0,\"y\":\"1\",\"z\":1},\"b\":[]}",
                      "struct point has no member \\\"z\\\""));
  built (TYPES ("{" POINT "," RECT "}", "grow",
                PARAMS (PM ("r", "rect *", "\"direction\":\"inout\"") "," P ("by", "double"))));
  CU_ASSERT (
    says (mock, "grow",
          "{\"r\":{\"from\":{\"x\":0,\"y\":0},\"to\":{\"x\":1,\"y\":1},\"label\":\"abcdefg\","
          "\"tags\":[1,-2,3]},\"by\":2}",
          "{\"from\":{\"x\":0,\"y\":0},\"to\":{\"x\":3,\"y\":3},\"label\":\"*bcdefg\","
          "\"tags\":[2,-1,4]}"));
  CU_ASSERT (refuses (mock, "grow",
                      "{\"r\":{\"from\":{\"x\":0,\"y\":0},\"to\":{\"x\":1,\"y\":1},\"label\":"
                      "\"abcdefgh\",\"tags\":[1,-2,40000]},\"by\":2}",
                      "\"pointer\":\"/r/tags/2\""));
  built (
    TYPES ("{" POINT "," RECT "}", "turned", PARAMS (P ("r", "rect")) RETURNS ("struct rect")));
  CU_ASSERT (gives (mock, "turned",
                    "{\"r\":{\"from\":{\"x\":1,\"y\":2},\"to\":{\"x\":3,\"y\":4},\"label\":\"l\","
                    "\"tags\":[1,2,3]}}",
                    "{\"result\":{\"from\":{\"x\":3,\"y\":4},\"to\":{\"x\":1,\"y\":2},"
                    "\"label\":\"l\",\"tags\":[1,2,3]}}"));
}

static void
structs_with_holes_and_strings (void)
{
  built (TYPES ("{\"inner\":{\"struct\":[{\"name\":\"number\",\"type\":\"int32_t\"},"
                "{\"name\":\"letter\",\"type\":\"char\"}]},"
                "\"outer\":{\"struct\":[{\"name\":\"first\",\"type\":\"char\"},"
                "{\"name\":\"inner\",\"type\":\"inner [2]\"},{\"name\":\"last\",\"type\":\"char\"},"
                "{\"name\":\"text\",\"type\":\"const char *\"}]}}",
                "pass_outer", PARAMS (P ("o", "outer")) RETURNS ("outer")));
  CU_ASSERT (
    says (mock, "pass_outer",
          "{\"o\":{\"first\":\"a\",\"inner\":[{\"number\":1,\"letter\":\"b\"},{\"number\":2,"
          "\"letter\":\"c\"}],\"last\":\"d\",\"text\":\"t\"}}",
          "{\"first\":\"a\",\"inner\":[{\"number\":1,\"letter\":\"b\"},{\"number\":3,"
          "\"letter\":\"c\"}],\"last\":\"e\",\"text\":\"t\"}"));
}

static void
out_parameters_are_members_of_the_result (void)
{
  built ("{\"types\":{" POINT "},\"functions\":[" F (
    "parse_point",
    PARAMS (P ("text", "string") "," PM (
      "out", "point *",
      "\"direction\":\"out\",\"description\":\"it\"")) ",\"returns\":\"bool\",\"errors\":{\"when\":"
                                                       "\"false\",\"message\":\"no point\","
                                                       "\"code\":\"no_point\"}") "," F ("origin",
                                                                                        RETURNS (
                                                                                          "const "
                                                                                          "point "
                                                                                          "*")) "," F ("divide",
                                                                                                       PARAMS (
                                                                                                         P ("a", "int") "," P ("b", "int") "," PM (
                                                                                                           "quotient",
                                                                                                           "int *",
                                                                                                           "\"direction\":\"out\"") "," PM ("remainder",
                                                                                                                                            "int *",
                                                                                                                                            "\"direction\":\"out\"")) ",\"returns\":{\"type\":\"int\",\"hide\":true},"
                                                                                                                                                                      "\"errors\":{\"when\":\"negative\",\"errno\":true}") "]}");
  CU_ASSERT (gives (mock, "parse_point", "{\"text\":\"1,2.5\"}", "{\"out\":{\"x\":1,\"y\":2.5}}"));
  CU_ASSERT (fails (mock, "parse_point", "{\"text\":\"?\"}", "no_point",
                    "parse_point failed: no point (0)"));
  CU_ASSERT (says (mock, "origin", "{}", "{\"x\":0,\"y\":0}"));
  CU_ASSERT (says (mock, "divide", "{\"a\":-17,\"b\":5}", "{\"quotient\":-3,\"remainder\":-2}"));
  CU_ASSERT (fails (mock, "divide", "{\"a\":1,\"b\":0}", "ffi_error",
                    "divide failed: Numerical argument out of domain (EDOM, errno 33)"));
}

/* ---- arrays and buffers ---- */

static void
arrays_and_their_lengths (void)
{
  built ("{\"functions\":[" F (
    "sum",
    PARAMS (PM ("values", "const double *", "\"length\":\"count\",\"max\":4") "," P ("count", "size"
                                                                                              "_t"))
      RETURNS (
        "double")) "," F ("scale",
                          PARAMS (
                            PM ("from", "const double *", "\"length\":\"count\"") "," PM ("to", "double *", "\"length\":\"count\",\"direction\":\"out\"") "," P ("count", "size_t") "," P (
                              "by",
                              "double"))) "," F ("dot",
                                                 PARAMS (
                                                   PM ("a", "const float *", "\"length\":\"count\"") "," PM (
                                                     "b", "const float *",
                                                     "\"length\":\"count\"") "," P ("count", "int"))
                                                   RETURNS (
                                                     "double")) "," F ("cross",
                                                                       PARAMS (P (
                                                                         "a",
                                                                         "do"
                                                                         "ub"
                                                                         "le"
                                                                         " ["
                                                                         "3"
                                                                         "]") "," P ("b",
                                                                                     "double "
                                                                                     "[3]") "," PM ("out",
                                                                                                    "double "
                                                                                                    "[3]",
                                                                                                    "\"direct"
                                                                                                    "ion\":"
                                                                                                    "\"out"
                                                                                                    "\""))) "," F ("squares",
                                                                                                                   PARAMS (P (
                                                                                                                     "count",
                                                                                                                     "int")) ",\"returns\":{\"type\":\"int *\",\"length\":\"count\","
                                                                                                                             "\"max\":5,\"free\":\"give_back\"}") "]}");
  defines ("sum", "\"properties\":{\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\"},"
                  "\"maxItems\":4}},\"required\":[\"values\"]");
  CU_ASSERT (says (mock, "sum", "{\"values\":[1,2,3.5]}", "6.5"));
  CU_ASSERT (says (mock, "sum", "{\"values\":[]}", "0"));
  CU_ASSERT (refuses (mock, "sum", "{\"values\":[1,2,3,4,5]}", "expected a list of at most 4"));
  CU_ASSERT (refuses (mock, "sum", "{\"values\":[1,null]}", "\"pointer\":\"/values/1\""));
  CU_ASSERT (says (mock, "scale", "{\"from\":[1,2],\"by\":3}", "[3,6]"));
  CU_ASSERT (says (mock, "scale", "{\"from\":[],\"by\":3}", "[]"));
  CU_ASSERT (says (mock, "dot", "{\"a\":[1,2],\"b\":[3,4]}", "11"));
  CU_ASSERT (
    refuses (mock, "dot", "{\"a\":[1,2],\"b\":[3]}",
             "\"pointer\":\"/b\",\"message\":\"expected as many as in \\\"a\\\", 2, got 1\""));
  CU_ASSERT (says (mock, "cross", "{\"a\":[1,0,0],\"b\":[0,1,0]}", "[0,0,1]"));
  CU_ASSERT (refuses (mock, "cross", "{\"a\":[1,0],\"b\":[0,1,0]}", "expected a list of 3"));
  CU_ASSERT (says (mock, "squares", "{\"count\":4}", "[0,1,4,9]"));
  CU_ASSERT (fails (mock, "squares", "{\"count\":6}", "ffi_result", "more than 5 elements"));
}

static void
buffers_as_text_base64_and_numbers (void)
{
  built ("{\"functions\":[" F (
    "upper",
    PARAMS (PM ("text", "char *", "\"direction\":\"inout\",\"length\":\"len\"") "," P (
      "len",
      "size_t"))) "," F ("twice",
                         PARAMS (PM ("from", "const uint8_t *", "\"length\":\"n\"") "," P (
                           "n",
                           "size_t") "," PM ("to", "uint8_t *",
                                             "\"direction\":\"out\",\"length\":\"to_len\",\"max\":"
                                             "6") "," P ("to_len",
                                                         "size_t *")) ",\"returns\":\"int\","
                                                                      "\"errors\":{\"when\":"
                                                                      "\"negative\"}") "]}");
  CU_ASSERT (says (mock, "upper",
                   "{\"text\":\"gr\xc3\xbc\xc3\x9f"
                   "e\"}",
                   "GR\xc3\xbc\xc3\x9f"
                   "E"));
  CU_ASSERT (says (mock, "upper", "{\"text\":\"\"}", ""));
  defines ("twice", "\"from\":{\"type\":\"string\",\"contentEncoding\":\"base64\"}");
  CU_ASSERT (gives (mock, "twice", "{\"from\":\"AQI=\"}", "{\"result\":0,\"to\":\"AQECAg==\"}"));
  CU_ASSERT (refuses (mock, "twice", "{\"from\":\"A\"}", "this is no base64: character"));
  CU_ASSERT (
    fails (mock, "twice", "{\"from\":\"AQIDBA==\"}", "ffi_error", "twice failed: it returned -5"));
  built (ONE (
    "twice",
    PARAMS (PM ("from", "const uint8_t *", "\"length\":\"n\",\"encoding\":\"numbers\"") "," P (
      "n",
      "size_t") "," PM ("to", "uint8_t *",
                        "\"direction\":\"out\",\"length\":\"to_len\","
                        "\"size\":4,\"encoding\":\"numbers\"") "," P ("to_len",
                                                                      "size_t *")) ",\"returns\":"
                                                                                   "\"int\","
                                                                                   "\"errors\":{"
                                                                                   "\"when\":"
                                                                                   "\"nonzero\"}"));
  CU_ASSERT (says (mock, "twice", "{\"from\":[7,255]}", "[7,7,255,255]"));
  CU_ASSERT (refuses (mock, "twice", "{\"from\":[256]}", "\"pointer\":\"/from/0\""));
}

static void
strings_that_are_changed_in_place (void)
{
  built (
    ONE ("append_bang",
         PARAMS (PM ("text", "char *", "\"direction\":\"inout\",\"size\":4,\"default\":\"hi\""))));
  CU_ASSERT (says (mock, "append_bang", "{\"text\":\"ab\"}", "ab!"));
  CU_ASSERT (says (mock, "append_bang", "{\"text\":\"\"}", "!"));
  CU_ASSERT (refuses (mock, "append_bang", "{\"text\":\"abcd\"}", "expected fewer than 4 bytes"));
  CU_ASSERT (refuses (mock, "append_bang", "{\"text\":\"a\\u0000\"}", "and no U+0000"));
  CU_ASSERT (says (mock, "append_bang", "{}", "hi!"));
  wrong (ONE ("append_bang", PARAMS (PM ("text", "char *",
                                         "\"direction\":\"inout\",\"size\":2,\"default\":\"hi\""))),
         "/functions/0/params/0/default: expected fewer than 2 bytes");
}

static void
what_is_not_written_is_zero (void)
{
  built ("{\"functions\":[" F (
    "untouched",
    PARAMS (PM (
      "to", "unsigned char *",
      "\"direction\":\"out\",\"length\":\"n\","
      "\"max\":8") "," P ("n",
                          "size_t"))) "," F ("fill",
                                             PARAMS (PM (
                                               "to", "char *",
                                               "\"direction\":\"out\",\"length\":\"n\",\"size\":4,"
                                               "\"filled\":\"returns\"") "," P ("n",
                                                                                "size_t") "," P ("h"
                                                                                                 "o"
                                                                                                 "w"
                                                                                                 "_"
                                                                                                 "m"
                                                                                                 "a"
                                                                                                 "n"
                                                                                                 "y",
                                                                                                 "i"
                                                                                                 "n"
                                                                                                 "t")) ",\"returns\":{\"type\":\"long\",\"hide\":true}") "]}");
  CU_ASSERT (says (mock, "untouched", "{\"n\":6}", "AAAAAAAA"));
  CU_ASSERT (says (mock, "untouched", "{\"n\":0}", ""));
  CU_ASSERT (refuses (mock, "untouched", "{\"n\":9}",
                      "\"pointer\":\"/n\",\"message\":\"expected a length from 0 to 8\""));
  CU_ASSERT (says (mock, "fill", "{\"how_many\":3}", "xxx"));
  CU_ASSERT (fails (mock, "fill", "{\"how_many\":5}", "ffi_result",
                    "fill says that it has written 5 to \"to\", which has room for 4"));
  CU_ASSERT (fails (mock, "fill", "{\"how_many\":-1}", "ffi_result", "has written -1"));
}

static CU_TestInfo tests[] = {
  { "S3-14 S3-16 libm pow", S3_14_S3_16_libm_pow },
  { "every integer to its ends", every_integer_to_its_ends },
  { "other values", other_values },
  { "enums by their names", enums_by_their_names },
  { "S3-15 the sample and its default", S3_15_the_sample_and_its_default },
  { "U3-2 strings null and nothing", U3_2_strings_null_and_nothing },
  { "strings that are given through a pointer", strings_that_are_given_through_a_pointer },
  { "structs by value and by pointer", structs_by_value_and_by_pointer },
  { "structs with holes and strings", structs_with_holes_and_strings },
  { "out parameters are members of the result", out_parameters_are_members_of_the_result },
  { "arrays and their lengths", arrays_and_their_lengths },
  { "buffers as text base64 and numbers", buffers_as_text_base64_and_numbers },
  { "strings that are changed in place", strings_that_are_changed_in_place },
  { "what is not written is zero", what_is_not_written_is_zero },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "ffi values", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

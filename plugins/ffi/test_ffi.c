/* Tools of C functions, called in the mock host: libm, and the library of cases beside this test.
 */
#include "common/plugin_test.h"

#include <limits.h>

static toolhost_mock *mock;
static char library[PATH_MAX];

/* The library of cases stands in the folder of this program, or in .libs of it. */
static void
find_library (void)
{
  char self[PATH_MAX - 64];
  ssize_t len = readlink ("/proc/self/exe", self, sizeof self - 1);
  char *slash;

  self[len > 0 ? len : 0] = '\0';
  slash = strrchr (self, '/');
  *(slash != NULL ? slash : self) = '\0';
  slash = strrchr (self, '/');
  snprintf (library, sizeof library, "%s/%slibcases.so", self,
            slash != NULL && strcmp (slash, "/.libs") == 0 ? "" : ".libs/");
}

static int
start (void)
{
  char config[PATH_MAX + 100];

  find_library ();
  snprintf (config, sizeof config, "{\"libraries\":[\"libm.so.6\",\"libm.so.9\",\"%s\"]}", library);
  mock = toolhost_mock_new (toolhost_plugin_entry, config);
  if (mock == NULL)
    printf ("# %s\n", toolhost_mock_error ());
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* A feature, where $L is the library of cases. */
static toolhost_status
build (const char *config)
{
  char text[32768], *to = text;
  toolhost_status status;

  for (; *config != '\0'; config++)
    if (config[0] == '$' && config[1] == 'L') {
      to = stpcpy (to, library);
      config++;
    }
    else
      *to++ = *config;
  *to = '\0';
  status = toolhost_mock_build (mock, "functions", text);
  return status;
}

static void
built (const char *config)
{
  if (build (config) != TOOLHOST_OK)
    printf ("# %s\n", toolhost_mock_error ());
  CU_ASSERT_PTR_NULL_FATAL (build (config) == TOOLHOST_OK ? NULL : toolhost_mock_error ());
}

static void
wrong (const char *config, const char *part)
{
  if (build (config) == TOOLHOST_OK)
    printf ("# was built: %s\n", config);
  else
    CU_ASSERT (told_part ("build error", config, part, toolhost_mock_error ()));
  CU_ASSERT_NOT_EQUAL (build (config), TOOLHOST_OK);
}

/* One function of the cases, with what its document says besides. */
#define F(name, more) "{\"name\":\"" name "\",\"description\":\"d\",\"library\":\"$L\"" more "}"
#define ONE(name, more) "{\"functions\":[" F (name, more) "]}"
#define TYPES(types, name, more) "{\"types\":" types ",\"functions\":[" F (name, more) "]}"
#define PARAMS(list) ",\"params\":[" list "]"
#define P(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\"}"
#define PM(name, type, more) "{\"name\":\"" name "\",\"type\":\"" type "\"," more "}"
#define RETURNS(type) ",\"returns\":\"" type "\""

#define POINT                                                                                      \
  "\"point\":{\"struct\":[{\"name\":\"x\",\"type\":\"double\"},"                                   \
  "{\"name\":\"y\",\"type\":\"double\"}]}"
#define RECT                                                                                       \
  "\"rect\":{\"struct\":[{\"name\":\"from\",\"type\":\"point\"},"                                  \
  "{\"name\":\"to\",\"type\":\"struct point\"},"                                                   \
  "{\"name\":\"label\",\"type\":\"char [8]\"},"                                                    \
  "{\"name\":\"tags\",\"type\":\"int16_t [3]\"}]}"
#define COLOUR "\"colour\":{\"enum\":{\"RED\":0,\"GREEN\":5,\"BLUE\":6}}"

/* Does the definition say so? */
static void
defines (const char *tool, const char *part)
{
  CU_ASSERT (told_part ("definition", tool, part, toolhost_mock_definition (mock, tool)));
}

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

static int
live (void)
{
  toolhost_mock_result *r;
  int count;

  built (ONE ("count_live", RETURNS ("int")));
  r = toolhost_mock_call (mock, "count_live", "{}");
  count = atoi (r->text);
  toolhost_mock_result_free (r);
  return count;
}

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

/* ---- errors ---- */

static void
S3_16_each_way_to_fail (void)
{
  built ("{\"functions\":[" F (
    "status",
    PARAMS (P (
      "code",
      "int")) ",\"returns\":\"int\",\"errors\":{\"when\":\"nonzero\","
              "\"message_symbol\":\"status_text\"}") "," F ("same_i32",
                                                            PARAMS (P (
                                                              "v",
                                                              "int")) ",\"returns\":\"int\","
                                                                      "\"errors\":{\"when\":"
                                                                      "\"zero\","
                                                                      "\"message_symbol\":\"last_"
                                                                      "error\","
                                                                      "\"message_with\":"
                                                                      "\"nothing\",\"code\":\"was_"
                                                                      "zero\"}") "," F ("maybe",
                                                                                        PARAMS (P (
                                                                                          "text",
                                                                                          "const "
                                                                                          "char "
                                                                                          "*")) ","
                                                                                                "\""
                                                                                                "re"
                                                                                                "tu"
                                                                                                "rn"
                                                                                                "s"
                                                                                                "\""
                                                                                                ":"
                                                                                                "\""
                                                                                                "co"
                                                                                                "ns"
                                                                                                "t "
                                                                                                "ch"
                                                                                                "ar"
                                                                                                " *"
                                                                                                "\""
                                                                                                ","
                                                                                                "\""
                                                                                                "er"
                                                                                                "ro"
                                                                                                "rs"
                                                                                                "\""
                                                                                                ":{"
                                                                                                "\""
                                                                                                "wh"
                                                                                                "en"
                                                                                                "\""
                                                                                                ":"
                                                                                                "\""
                                                                                                "nu"
                                                                                                "ll"
                                                                                                "\""
                                                                                                "}") "," F ("allowed",
                                                                                                            PARAMS (P (
                                                                                                              "age",
                                                                                                              "int")) ",\"returns\":\"bool\","
                                                                                                                      "\"errors\":{\"when\":\"false\"}") "," F ("quotient_of",
                                                                                                                                                                PARAMS (
                                                                                                                                                                  P ("a", "double") "," P (
                                                                                                                                                                    "b",
                                                                                                                                                                    "double")) ",\"returns\":\"double\",\"errors\":{\"when\":\"negative\"}") "]}");
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

/* ---- what is wrong with documents ---- */

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *part;
  } slips[] = {
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
    { ONE ("lookup", PARAMS (P ("key", "int")) RETURNS ("void *")),
      "/functions/0: the pointer \"result\" that lookup gives goes nowhere" },
    { ONE ("lookup", PARAMS (PM ("key", "void *", "\"from\":\"before\""))),
      "/functions/0/params/0/from: no earlier call gives \"before\"" },
    { ONE ("same_i32", PARAMS (P ("v", "int")) ",\"errors\":{}"),
      "/functions/0/errors/when: expected when the function has failed" },
    { ONE ("same_i32", PARAMS (P ("v", "int")) ",\"errors\":{\"when\":\"null\"}"),
      "/functions/0/errors/when: only a pointer that is returned can be null" },
    { ONE ("same_i32", PARAMS (P ("v", "int")) RETURNS ("unsigned") ",\"errors\":{\"when\":"
                                                                    "\"negative\"}"),
      "/functions/0/errors/when: only a number with a sign can be negative" },
    { ONE ("same_i32", RETURNS ("int") ",\"errors\":{\"when\":\"zero\",\"code\":\"No!\"}"),
      "/functions/0/errors/code: expected 1 to 64 of a-z0-9_" },
    { ONE ("same_i32",
           RETURNS ("int") ",\"errors\":{\"when\":\"zero\",\"message_symbol\":\"nope\"}"),
      "/functions/0/errors/message_symbol: there is no function nope in" },
    { ONE ("version", ",\"returns\":{\"type\":\"const char *\",\"free\":\"nope\"}"),
      "/functions/0/returns/free: there is no function nope in" },
    { ONE ("version", ",\"returns\":{\"type\":\"int\",\"free\":\"free\"}"),
      "/functions/0/returns/free: only what a pointer points at can be freed" },
    { ONE ("version", ",\"calls\":[],\"symbol\":\"x\""),
      "/functions/0/symbol: where there are \"calls\", each of them has its own" },
    { "{\"functions\":[" F ("version", "") "," F ("version", "") "]}",
      "/functions/1/name: there is a tool \"version\" already" },
    { ONE ("version", ",\"max_time\":0"), "/functions/0/max_time: expected a whole number from 1" },
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

  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
    wrong (slips[i].config, slips[i].part);
}

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
  { "S3-16 each way to fail", S3_16_each_way_to_fail },
  { "calls in a row share a handle", calls_in_a_row_share_a_handle },
  { "a handle through a pointer is freed even after a failure",
    a_handle_through_a_pointer_is_freed_even_after_a_failure },
  { "a pointer that is null goes nowhere", a_pointer_that_is_null_goes_nowhere },
  { "variable argument lists have one signature a tool",
    variable_argument_lists_have_one_signature_a_tool },
  { "S3-15 tools of a header", S3_15_tools_of_a_header },
  { "each slip in a header has its place", each_slip_in_a_header_has_its_place },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "the policy is read strictly", the_policy_is_read_strictly },
  { "nothing is granted by itself", nothing_is_granted_by_itself },
  { "max time and an empty feature", max_time_and_an_empty_feature },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "ffi", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

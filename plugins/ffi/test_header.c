/* Headers of C, and what they come to as documents. */
#include <toolhost-mock.h>

#include "ffi/header.h"
#include "tap.h"

static bool
holds (const char *text, const char *part)
{
  if (strstr (text, part) != NULL)
    return true;
  printf ("# expected to hold: %s\n#   in: %s\n", part, text);
  return false;
}

#define IMPORTS(header, ...) imports (header, NULL, (const char *const[]){ __VA_ARGS__, NULL })
#define LACKS(header, part) lacks (header, part)

static void
imports (const char *header, const char *pattern, const char *const *parts)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text out = { 0 };
  struct values check = { 0 };

  header_import (&pool, header, strlen (header), "libx.so.1", pattern, &out);
  CU_ASSERT (values_ok (&pool));
  CU_ASSERT_PTR_NOT_NULL (value_parse (&check, text_get (&out), out.len));
  values_free (&check);
  for (; *parts != NULL; parts++)
    CU_ASSERT (holds (text_get (&out), *parts));
}

static void
lacks (const char *header, const char *part)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text out = { 0 };

  header_import (&pool, header, strlen (header), NULL, NULL, &out);
  CU_ASSERT_PTR_NULL (strstr (text_get (&out), part));
}

/* The type that a text names, as C writes it again; or why it is none. */
static const char *
type_of (const char *text)
{
  static char said[200];
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text out = { 0 };
  struct c_types types = { .pool = &pool };
  const char *why;
  const struct c_type *type = c_type_read (&types, text, &why);

  if (type != NULL)
    c_type_write (type, &out);
  snprintf (said, sizeof said, "%s", type != NULL ? text_get (&out) : why);
  return said;
}

#define TYPE(text, expected) CU_ASSERT_STRING_EQUAL (type_of (text), expected)

static void
types_by_their_words (void)
{
  TYPE ("int", "int");
  TYPE ("unsigned", "unsigned int");
  TYPE ("long unsigned int", "unsigned long");
  TYPE ("long long int", "long long");
  TYPE ("short int unsigned", "unsigned short");
  TYPE ("signed char", "signed char");
  TYPE ("const char *", "const char *");
  TYPE ("char const *", "const char *");
  TYPE ("char const * const *", "const const char **");
  TYPE ("double [3]", "double [3]");
  TYPE ("long double", "long double");
  TYPE ("_Bool", "bool");
  TYPE ("size_t *", "size_t *");
  TYPE ("uint8_t [2 * 4]", "uint8_t [8]");
  TYPE ("struct anything *", "struct anything *");
  TYPE ("int (*) (int)", "a function *");
}

static void
types_that_are_none (void)
{
  TYPE ("dobule", "there is no type \"dobule\"; did you mean \"double\"?");
  TYPE ("uint31_t",
        "there is no type \"uint31_t\"; did you mean \"uint32_t\", \"uint8_t\" or \"uint16_t\"?");
  TYPE ("", "a type was expected at the end");
  TYPE ("*", "a type was expected before \"*\"");
  TYPE ("int x", "a type alone was expected");
  TYPE ("unsigned double", "these words are no type");
  TYPE ("short long", "these words are no type");
  TYPE ("int [0]", "an array of no elements");
  TYPE ("int [-1]", "an array of a negative length");
  TYPE ("void [2]", "an array of what has no size");
  TYPE ("int [1 / 0]", "a constant that is divided by nothing");
  TYPE ("int [9223372036854775807 + 1]", "a constant that does not fit 64 bits");
  TYPE ("int [N]", "the value of N is not known");
  TYPE ("int [3", "\"]\" was expected at the end");
  TYPE ("struct { int a : 3; }", "this struct can't be used: it has bit fields");
  TYPE ("enum nothing", "there is no enum nothing");
  TYPE ("float _Complex", "a type alone was expected");
}

static void
S3_15_name_description_and_schema_come_from_the_declaration (void)
{
  IMPORTS ("/** Search the web.\n *\n * @param query What to look for.\n"
           " * @param num_results How many.\n * @return What was found.\n */\n"
           "const char *web_search (const char *query, int num_results);\n",
           "\"name\":\"web_search\",\"description\":\"Search the web.\",\"library\":\"libx.so.1\","
           "\"symbol\":\"web_search\"",
           "{\"name\":\"query\",\"type\":\"const char *\",\"description\":\"What to look for.\"}",
           "{\"name\":\"num_results\",\"type\":\"int\",\"description\":\"How many.\"}",
           "\"returns\":{\"type\":\"const char *\",\"description\":\"What was found.\"}",
           "\"notes\":[],\"left_out\":[]");
}

static void
comments_of_every_kind (void)
{
  IMPORTS ("// One line.\nint a (int n);\n", "\"description\":\"One line.\"");
  IMPORTS ("/// Two\n/// lines.\nint a (int n);\n", "\"description\":\"Two lines.\"");
  IMPORTS ("/* Boxed\n ****/\nint a (int n);\n", "\"description\":\"Boxed\"");
  IMPORTS ("/*! \\brief Short.\n * \\param n the number \\see b\n * \\returns one more\n"
           " * \\see other\n */ int a (int n);\n",
           "\"description\":\"Short.\"", "\"description\":\"the number", "\"one more\"");
  IMPORTS ("/** @param[out] x there\n * @param[in,out] y both\n */ void a (int *x, double *y);\n",
           "\"name\":\"x\",\"type\":\"int *\",\"description\":\"there\",\"direction\":\"out\"",
           "\"direction\":\"inout\"");
  IMPORTS ("#define API\n/** Said. */\nAPI int a (int n);\n", "\"description\":\"Said.\"");
  /* A comment further up is of something else. */
  IMPORTS ("/* Licence. */\n\nint a (int n);\n", "Call the C function a.",
           "there is no comment above it, by which a model would know what it does");
}

static void
typedefs_enums_and_structs (void)
{
  IMPORTS (
    "#define N 4\ntypedef enum { OFF, ON = 1 << 3, LAST } mode;\n"
    "typedef struct pair { int a, *b; } pair; typedef struct { char name[N * 2]; mode m; } row;\n"
    "struct outer { row rows[2]; unsigned char c; };\n"
    "typedef unsigned long uLong;\n"
    "mode f (const struct outer *o, uLong n, row r);\n",
    "\"mode\":{\"enum\":{\"OFF\":0,\"ON\":8,\"LAST\":9}}",
    "\"row\":{\"struct\":[{\"name\":\"name\",\"type\":\"char "
    "[8]\"},{\"name\":\"m\",\"type\":\"mode\"}]}",
    "\"outer\":{\"struct\":[{\"name\":\"rows\",\"type\":\"row [2]\"}",
    "{\"name\":\"o\",\"type\":\"const struct outer *\"}",
    "{\"name\":\"n\",\"type\":\"unsigned long\"}", "\"returns\":{\"type\":\"mode\"}");
}

static void
lengths_by_their_names (void)
{
  IMPORTS ("long crc (long crc, const unsigned char *buf, unsigned len);\n",
           "{\"name\":\"buf\",\"type\":\"const unsigned char *\",\"length\":\"len\"}");
  IMPORTS (
    "int pack (unsigned char *dest, unsigned long *destLen, const void *source, size_t n);\n",
    "\"name\":\"dest\",\"type\":\"unsigned char *\",\"length\":\"destLen\",\"direction\":\"out\"",
    "\"name\":\"source\",\"type\":\"const void *\",\"length\":\"n\"");
  IMPORTS ("double total (const double *v, int count);\n",
           "\"type\":\"const double *\",\"length\":\"count\"");
}

static void
what_is_left_out_has_its_line_and_reason (void)
{
  IMPORTS (
    "\nstruct db;\nstruct db *db_open (const char *name);\n"
    "int db_use (struct db *db);\nint db_make (struct db **db);\n"
    "void each (void (*what) (int));\nint print (const char *fmt, ...);\n"
    "union u { int a; };\nint read_into (char *to);\nextern int errors;\n"
    "static inline int one (void) { return 1; }\nint good (void);\n"
    "int bad (nosuch t);\nstruct bits { int a : 1; };\nint use_bits (struct bits b);\n",
    "{\"line\":3,\"name\":\"db_open\",\"why\":\"it gives a handle",
    "{\"line\":4,\"name\":\"db_use\",\"why\":\"it takes a handle",
    "{\"line\":5,\"name\":\"db_make\",\"why\":\"it gives a handle",
    "{\"line\":6,\"name\":\"each\",\"why\":\"it takes or gives a function\"}",
    "{\"line\":7,\"name\":\"print\",\"why\":\"it takes a variable argument list",
    "{\"line\":8,\"name\":\"union u\",\"why\":\"it is a union\"}",
    "{\"line\":9,\"name\":\"read_into\",\"why\":\"it writes to a buffer whose length is not "
    "known\"}",
    "{\"line\":10,\"name\":\"errors\",\"why\":\"it is no function\"}",
    "{\"line\":11,\"name\":\"one\",\"why\":\"it has its body here, and need be in no library\"}",
    "{\"line\":13,\"name\":\"bad\",\"why\":\"there is no type \\\"nosuch\\\"\"}",
    "{\"line\":14,\"name\":\"struct bits\",\"why\":\"it has bit fields\"}",
    "{\"line\":15,\"name\":\"use_bits\",\"why\":\"it takes a struct whose members are not known\"}",
    "\"functions\":[{\"name\":\"good\"");
}

static void
without_a_preprocessor (void)
{
  IMPORTS ("#ifndef H\n#define H\n#define API __attribute__ ((visibility (\"default\")))\n"
           "#define EMPTY\n#define LONG_NAME \\\n 7\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
           "#if 0\nint never (int a);\n#else\nAPI int once (int a) EMPTY;\n#endif\n"
           "#if defined (_WIN32)\nint windows (void);\n#elif 1\nint here (void);\n#endif\n"
           "ZEXTERN int ZEXPORT foreign (int a[LONG_NAME]);\nint ZEXPORT old OF((int a));\n"
           "#ifdef __cplusplus\n}\n#endif\n#endif\n",
           "\"name\":\"once\"", "\"name\":\"here\"", "\"name\":\"foreign\"",
           "\"name\":\"old\",\"why\":\"\\\";\\\" was expected before \\\"OF\\\"\"");
  LACKS ("#if 0\nint never (int a);\n#endif\n", "\"never\"");
  LACKS ("#ifdef _WIN32\nint never (int a);\n#endif\n", "\"never\"");
  LACKS ("#ifndef __linux__\n#if 1\nint never (int a);\n#endif\n#else\nint x;\n#endif\n",
         "\"never\"");
}

static void
after_a_preprocessor (void)
{
  static const char header[] =
    "# 1 \"mine.h\"\n# 1 \"/usr/include/other.h\" 1 3 4\ntypedef int other_t;\n"
    "extern int other (void) __attribute__ ((__nothrow__ , __leaf__));\n"
    "# 2 \"mine.h\" 2\nother_t mine (other_t a);\nint bad (what a);\n";

  IMPORTS (header, "\"functions\":[{\"name\":\"mine\"", "{\"line\":3,\"name\":\"bad\"");
  LACKS (header, "\"other\"");
  imports (header, "oth*", (const char *const[]){ "\"name\":\"other\"", NULL });
}

static void
patterns_choose (void)
{
  imports ("int aa (void);\nint ab (void);\nint b (void);\n", "a*",
           (const char *const[]){ "\"name\":\"aa\"", "\"name\":\"ab\"", NULL });
  imports ("int aa (void);\nint b (char *x);\n", "aa",
           (const char *const[]){ "\"left_out\":[]", NULL });
}

static void
broken_headers_end (void)
{
  static const char *const broken[] = { "int f (",
                                        "struct {",
                                        "enum e {",
                                        "int a[",
                                        "(((((((((((((((",
                                        "typedef",
                                        "{",
                                        "}",
                                        "\"abc",
                                        "/* open",
                                        "#",
                                        "# 1 \"",
                                        "#if",
                                        "#define",
                                        "int f (int a, ",
                                        "extern \"C\" {",
                                        "'",
                                        "int (*(*(*",
                                        "struct s { struct s { struct s {",
                                        "enum { A = ((((((((1",
                                        "int f (int)) ;int g (void);",
                                        "\\" };

  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
    IMPORTS (broken[i], "\"functions\":[");
}

static CU_TestInfo tests[] = {
  { "types by their words", types_by_their_words },
  { "types that are none", types_that_are_none },
  { "S3-15 name, description and schema come from the declaration",
    S3_15_name_description_and_schema_come_from_the_declaration },
  { "comments of every kind", comments_of_every_kind },
  { "typedefs, enums and structs", typedefs_enums_and_structs },
  { "lengths by their names", lengths_by_their_names },
  { "what is left out has its line and reason", what_is_left_out_has_its_line_and_reason },
  { "without a preprocessor", without_a_preprocessor },
  { "after a preprocessor", after_a_preprocessor },
  { "patterns choose", patterns_choose },
  { "broken headers end", broken_headers_end },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "header", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* Tools that are strict: what is refused, what "auto" makes of it, and what providers are given.
 * And what the seeds say of a tool's definition besides. */
#include "catalog/definition.h"
#include "catalog/project/project.h"
#include "catalog/strict.h"
#include "description.h"
#include "tap.h"

#define TOOL(strict, schema)                                                                       \
  "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":" schema                                  \
  ",\"toolhost\":{\"strict\":" strict "}}"
#define OBJECT(properties, required)                                                               \
  "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define TEXT "{\"type\":\"string\"}"

static void
describe (struct described *d, const char *const *definitions)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { "" };

  description_put (&text, definitions, 0);
  CU_ASSERT_TRUE_FATAL (described_read (d, "p", text.data, text.len, NULL, &err));
}

static const struct {
  const char *definition, *pointer;
} refused[] = {
  { TOOL ("true",
          OBJECT ("\"query\":" TEXT ",\"num_results\":{\"type\":\"integer\",\"default\":10}",
                  "\"query\"")),
    "/inputSchema/properties/num_results: " },
  { TOOL ("true", "{\"type\":\"object\",\"properties\":{\"a/b\":" TEXT "}}"),
    "/inputSchema/properties/a~1b: " },
  { TOOL ("true", OBJECT ("\"a\":" OBJECT ("\"b\":" TEXT, ""), "\"a\"")),
    "/inputSchema/properties/a/properties/b: " },
  { TOOL ("true",
          OBJECT ("\"a\":{\"type\":\"array\",\"items\":" OBJECT ("\"b\":" TEXT, "") "}", "\"a\"")),
    "/inputSchema/properties/a/items/properties/b: " },
  { TOOL ("true", OBJECT ("\"a\":{\"anyOf\":[{\"type\":\"null\"}," OBJECT ("\"b\":" TEXT, "") "]}",
                          "\"a\"")),
    "/inputSchema/properties/a/anyOf/1/properties/b: " },
  { TOOL ("true",
          "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"required\":"
          "[\"a\"],\"$defs\":{\"x\":" OBJECT ("\"b\":" TEXT, "") "}}"),
    "/inputSchema/$defs/x/properties/b: " },
};

static void
one_with_an_optional_argument_is_refused (void)
{
  static const char why[] = "is optional, and a strict tool has no optional arguments: name it in "
                            "\"required\", or say \"strict\": \"auto\" or false";

  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct described d = { 0 };
    CLEANUP_BUF struct buf sentence = { 0 };
    describe (&d, (const char *[]){ refused[i].definition, NULL });
    buf_printf (&sentence, "%s%s", refused[i].pointer, why);
    CU_ASSERT_EQUAL (d.tools_count, 0);
    CU_ASSERT_EQUAL_FATAL (d.problems_count, 1);
    CU_ASSERT_PTR_NOT_NULL (strstr (d.problems[0], buf_cstr (&sentence)));
    if (strstr (d.problems[0], sentence.data) == NULL)
      printf ("# %s\n", d.problems[0]);
    described_free (&d);
  }
}

static const struct {
  const char *definition;
  bool strict;
} taken[] = {
  { TOOL ("true", OBJECT ("\"a\":" TEXT, "\"a\"")), true },
  { TOOL ("true", "{\"type\":\"object\"}"), true },
  { TOOL ("true", OBJECT ("\"a\":{\"type\":\"object\"}", "\"a\"")), true }, /* all are given */
  { TOOL ("false", OBJECT ("\"a\":" TEXT, "")), false },
  { TOOL ("false", OBJECT ("\"a\":" TEXT, "\"a\"")), false },
  { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":" OBJECT ("\"a\":" TEXT, "") "}",
    false },
  /* as Line has it (U4-11): on where it can be */
  { TOOL ("\"auto\"", OBJECT ("\"a\":" TEXT, "\"a\"")), true },
  { TOOL ("\"auto\"", OBJECT ("", "")), true },
  { TOOL ("\"auto\"", OBJECT ("\"a\":" TEXT ",\"b\":" TEXT, "\"a\"")), false },
  { TOOL ("\"auto\"", OBJECT ("\"a\":{\"type\":\"object\"}", "\"a\"")), false },
  { TOOL ("\"auto\"", OBJECT ("\"a\":{\"type\":[\"object\",\"null\"]}", "\"a\"")), false },
  { TOOL ("\"auto\"", OBJECT ("\"a\":{\"type\":\"object\",\"properties\":{},"
                              "\"additionalProperties\":{\"type\":\"string\"}}",
                              "\"a\"")),
    false },
  { TOOL ("\"auto\"",
          OBJECT ("\"a\":{\"type\":\"object\",\"patternProperties\":{\"^x\":{}}}", "\"a\"")),
    false },
  { TOOL ("\"auto\"", "{\"type\":\"object\"}"), false },
};

static void
where_it_is_on (void)
{
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    struct described d = { 0 };
    describe (&d, (const char *[]){ taken[i].definition, NULL });
    CU_ASSERT_EQUAL_FATAL (d.tools_count, 1);
    CU_ASSERT_EQUAL (d.tools[0]->strict, taken[i].strict);
    if (d.tools[0]->strict != taken[i].strict)
      printf ("# %s\n", taken[i].definition);
    described_free (&d);
  }
}

static void
another_word_is_refused (void)
{
  struct described d = { 0 };

  describe (&d, (const char *[]){ TOOL ("\"yes\"", "{\"type\":\"object\"}"), NULL });
  CU_ASSERT_EQUAL (d.tools_count, 0);
  CU_ASSERT_EQUAL_FATAL (d.problems_count, 1);
  CU_ASSERT_PTR_NOT_NULL (strstr (d.problems[0], "/toolhost/strict"));
  described_free (&d);
}

/* What else "toolhost" says of arguments: which of them a bare text stands for. */
static void
A3_8_text_names_an_argument (void)
{
  static const struct {
    const char *text, *why; /* why NULL: it is taken */
  } rows[] = {
    { "\"a\"", NULL },
    { "\"b\"", "/toolhost/text: the inputSchema has no property \"b\"" },
    { "7", "/toolhost/text" },
    { "\"\"", "/toolhost/text" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct described d = { 0 };
    CLEANUP_BUF struct buf definition = { 0 };
    buf_printf (&definition,
                "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","
                "\"properties\":{\"a\":{\"type\":\"string\"}}},\"toolhost\":{\"text\":%s}}",
                rows[i].text);
    describe (&d, (const char *[]){ buf_cstr (&definition), NULL });
    CU_ASSERT_EQUAL (d.tools_count, rows[i].why == NULL);
    if (rows[i].why == NULL && d.tools_count == 1)
      CU_ASSERT_STRING_EQUAL (d.tools[0]->text, "a");
    if (rows[i].why != NULL && d.problems_count == 1)
      CU_ASSERT_PTR_NOT_NULL (strstr (d.problems[0], rows[i].why));
    CU_ASSERT_EQUAL (d.problems_count, rows[i].why != NULL);
    described_free (&d);
  }
}

/* ---- what a provider is given ---- */

static void
rendered (const struct described *d, const char *format, struct buf *out)
{
  struct providers *providers = providers_new ();
  struct tool *tools[4];
  struct toolset *set;

  for (size_t i = 0; i < d->tools_count; i++) {
    tools[i] = d->tools[i];
    tools[i]->refs++;
  }
  set = toolset_new (tools, d->tools_count, 1);
  CU_ASSERT_TRUE (project_toolset (providers, format, strlen (format), false, set, out));
  toolset_unref (set);
  providers_free (providers);
}

static void
it_reaches_the_provider (void)
{
  struct described d = { 0 };
  CLEANUP_BUF struct buf out = { 0 };

  describe (&d, (const char *[]){ TOOL ("true", OBJECT ("\"a\":" TEXT, "\"a\"")), NULL });
  rendered (&d, "openai-responses", &out);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out), "\"strict\":true"));
  described_free (&d);
  out.len = 0;
  describe (&d, (const char *[]){ TOOL ("\"auto\"", OBJECT ("\"a\":" TEXT, "")), NULL });
  rendered (&d, "openai-responses", &out);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out), "\"strict\":false"));
  described_free (&d);
}

/* {type:"function", function:{name, description, parameters}} */
static void
as_a_function_of_a_chat (void)
{
  struct described d = { 0 };
  CLEANUP_BUF struct buf out = { 0 };

  describe (&d, (const char *[]){ TOOL ("false", OBJECT ("\"a\":" TEXT, "\"a\"")), NULL });
  rendered (&d, "openai-chat", &out);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out),
                                  "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"t\","
                                  "\"description\":\"d\",\"parameters\":{\"type\":\"object\""));
  described_free (&d);
}

static CU_TestInfo tests[] = { { "S3-7 A3-6 one with an optional argument is refused",
                                 one_with_an_optional_argument_is_refused },
                               { "S3-6 A3-6 U4-11 where it is on", where_it_is_on },
                               { "another word is refused", another_word_is_refused },
                               { "A3-8 text names an argument", A3_8_text_names_an_argument },
                               { "S3-6 it reaches the provider", it_reaches_the_provider },
                               { "S3-3 U3-3 as a function of a chat", as_a_function_of_a_chat },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "strict", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

/* The front matter of skills: what it becomes, and each sentence about what is wrong with it. */
#include "catalog/front_matter.h"
#include "tap.h"

#define HEAD "name: a-skill\ndescription: Does it.\n"
#define WITH(more) "---\n" HEAD more "---\nbody\n"
#define JSON(more) "{\"name\":\"a-skill\",\"description\":\"Does it.\"" more "}"

static const struct {
  const char *what, *text, *json;
} read_as[] = {
  { "the least", WITH (""), JSON ("") },
  { "lines of Windows", "---\r\nname: a-skill\r\ndescription: Does it.\r\n---\r\n", JSON ("") },
  { "nothing after it", "---\n" HEAD "---", JSON ("") },
  { "blanks after the dashes", "--- \n" HEAD "---\t\n", JSON ("") },
  { "dashes in the body", WITH ("") "---\nmore: not this\n", JSON ("") },
  { "quotes", WITH ("license: 'It''s \"free\"'\n"), JSON (",\"license\":\"It's \\\"free\\\"\"") },
  { "escapes", WITH ("license: \"a\\tb \\u00e4\"\n"), JSON (",\"license\":\"a\\tb \xc3\xa4\"") },
  { "folded", WITH ("license: >\n  one\n  two\n"), JSON (",\"license\":\"one two\\n\"") },
  { "literal", WITH ("license: |-\n  one\n  two\n"), JSON (",\"license\":\"one\\ntwo\"") },
  { "over lines", WITH ("license: one\n  two\n"), JSON (",\"license\":\"one two\"") },
  { "a map", WITH ("metadata:\n  a: b\n  \"1\": \"2\"\n"),
    JSON (",\"metadata\":{\"a\":\"b\",\"1\":\"2\"}") },
  { "a map on one line", WITH ("metadata: {a: b}\n"), JSON (",\"metadata\":{\"a\":\"b\"}") },
  { "a list", WITH ("tags: [a, 'b']\n"), JSON (",\"tags\":[\"a\",\"b\"]") },
  { "deeper", WITH ("x:\n- y:\n  - z: 1\n"), JSON (",\"x\":[{\"y\":[{\"z\":1}]}]") },
  { "comments", WITH ("# what\nx: a # b\n"), JSON (",\"x\":\"a\"") },
  { "numbers", WITH ("x: [1, -20, 0, 1.50, 123456789012345678901]\n"),
    JSON (",\"x\":[1,-20,0,1.50,123456789012345678901]") },
  { "true, false and null", WITH ("x: [true, False, null, ~, ]\ny:\n"),
    JSON (",\"x\":[true,false,null,null],\"y\":null") },
  { "texts that look like others", WITH ("x: [2.1.0, 1 2, v1, nope, '1', \"yes\", -, a:b]\n"),
    JSON (",\"x\":[\"2.1.0\",\"1 2\",\"v1\",\"nope\",\"1\",\"yes\",\"-\",\"a:b\"]") },
};

static void
front_matter_becomes_json (void)
{
  for (size_t i = 0; i < sizeof read_as / sizeof read_as[0]; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    struct error err = { .text = "" };
    bool good =
      front_matter_read (read_as[i].text, strlen (read_as[i].text), "a-skill", &out, &err);
    if (!good || strcmp (buf_cstr (&out), read_as[i].json) != 0)
      printf ("# %s: %s %s\n", read_as[i].what, buf_cstr (&out), err.text);
    CU_ASSERT_TRUE (good);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&out), read_as[i].json);
  }
}

#define UNSURE "readers of YAML differ in what this value is; put it in quotes"
#define NO_TAGS "anchors and tags are not taken; write the value alone"
#define NO_KEY "a key has to be a text; put it in quotes"

static const struct {
  const char *text, *sentence;
} refused[] = {
  { "", "line 1: expected --- and front matter with name and description" },
  { "# Title\n", "line 1: expected ---" },
  { "----\n" HEAD "---\n", "line 1: expected ---" },
  { " ---\n" HEAD "---\n", "line 1: expected ---" },
  { "\xEF\xBB\xBF" WITH (""), "line 1: it begins with a byte order mark; save it without one" },
  { "---\n" HEAD, "its front matter has no end: a line --- within the first 65536 bytes" },
  { "---\n---\n", "expected keys with values, such as name: a-name" },
  { "---\n- a\n---\n", "line 2: expected keys with values" },
  { "---\njust text\n---\n", "line 2: expected keys with values" },
  { "---\nname: a-skill\n  description: x\n---\n", "line 3: mapping values are not allowed" },
  { WITH ("x: 'open\n"), "line 5: found unexpected end of stream" },
  { WITH ("x: [a\n"), "line " },
  { WITH ("\tx: a\n"), "line 4: found a tab character" },
  { WITH ("...\nx: a\n"), "line " },
  { WITH ("name: other\n"), "its front matter has a key twice, or too many" },
  { WITH ("x: yes\n"), "line 4: " UNSURE },
  { WITH ("x: off\n"), UNSURE },
  { WITH ("x: NO\n"), UNSURE },
  { WITH ("x: 0123\n"), UNSURE },
  { WITH ("x: +1\n"), UNSURE },
  { WITH ("x: 1_000\n"), UNSURE },
  { WITH ("x: 0x1F\n"), UNSURE },
  { WITH ("x: 0o17\n"), UNSURE },
  { WITH ("x: 1e3\n"), UNSURE },
  { WITH ("x: .5\n"), UNSURE },
  { WITH ("x: 5.\n"), UNSURE },
  { WITH ("x: .inf\n"), UNSURE },
  { WITH ("x: 12:30\n"), UNSURE },
  { WITH ("x: 2026-01-31\n"), UNSURE },
  { WITH ("x: 2026-01-31T10:00:00Z\n"), UNSURE },
  { WITH ("x: &a b\n"), "line 4: " NO_TAGS },
  { WITH ("x: !!str 1\n"), NO_TAGS },
  { WITH ("x: !!python/object:os.system {}\n"), NO_TAGS },
  { WITH ("x: &a [1]\ny: *a\n"), NO_TAGS },
  { WITH ("x: *a\n"), "line 4: aliases are not taken; write the value itself" },
  { WITH ("<<: {a: b}\n"), NO_KEY },
  { WITH ("1: a\n"), NO_KEY },
  { WITH ("true: a\n"), NO_KEY },
  { WITH ("? [a]\n: b\n"), NO_KEY },
  { WITH ("x: \"a\\0b\"\n"), "a text holds U+0000" },
  { WITH ("x: [[[[[[[[[1]]]]]]]]]\n"), "it is nested more than 8 deep" },
  /* the fields */
  { "---\ndescription: d\n---\n", "/name: it is missing, or no text" },
  { "---\nname: 1\ndescription: d\n---\n", "/name: it is missing, or no text" },
  { "---\nname: A-Skill\ndescription: d\n---\n", "/name: A-Skill: expected 1 to 64 of a-z 0-9" },
  { "---\nname: other\ndescription: d\n---\n",
    "/name: other: expected the name of its folder, a-skill" },
  { "---\nname: a-skill\n---\n", "/description: it is missing" },
  { "---\nname: a-skill\ndescription:\n---\n", "/description: expected a text; put it in quotes" },
  { "---\nname: a-skill\ndescription: ' '\n---\n", "/description: it is empty" },
  { WITH ("license: 1\n"), "/license: expected a text; put it in quotes" },
  { WITH ("allowed-tools: [a]\n"), "/allowed-tools: expected a text; put it in quotes" },
  { WITH ("metadata: a\n"), "/metadata: expected keys with texts" },
  { WITH ("metadata: {version: 1.0}\n"), "/metadata/version: expected a text; put it in quotes" },
  { WITH ("metadata: {io.modelcontextprotocol/x: a}\n"),
    "/metadata: io.modelcontextprotocol/x: the prefix io.modelcontextprotocol/ is reserved" },
};

static void
front_matter_that_is_refused (void)
{
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    struct error err = { .text = "" };
    bool good =
      front_matter_read (refused[i].text, strlen (refused[i].text), "a-skill", &out, &err);
    if (good || strstr (err.text, refused[i].sentence) == NULL)
      printf ("# %s: %s\n", refused[i].text, err.text);
    CU_ASSERT_FALSE (good);
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, refused[i].sentence));
  }
}

static void
fields_are_bounded (void)
{
  static const struct {
    const char *field;
    size_t most;
    const char *sentence;
  } fields[] = { { "description", 1024, "it has 1025 characters, 1024 are the most" },
                 { "compatibility", 500, "it has 501 characters, 500 are the most" } };

  for (size_t i = 0; i < 2; i++)
    for (size_t more = 0; more < 2; more++) {
      CLEANUP_BUF struct buf text = { 0 }, out = { 0 };
      struct error err = { .text = "" };
      buf_printf (&text, "---\nname: a-skill\n%s%s: ", i == 0 ? "" : "description: d\n",
                  fields[i].field);
      for (size_t n = 0; n < fields[i].most + more; n++)
        buf_puts (&text, "\xc3\xa4"); /* characters, not bytes */
      buf_puts (&text, "\n---\n");
      CU_ASSERT_EQUAL (front_matter_read (text.data, text.len, "a-skill", &out, &err), more == 0);
      if (more != 0)
        CU_ASSERT_PTR_NOT_NULL (strstr (err.text, fields[i].sentence));
    }
}

static void
names_of_skills (void)
{
  static const char *const good[] = { "a", "7", "a-b", "pdf2-text" };
  static const char *const bad[] = { "", "-a", "a-", "a--b", "A", "a_b", "a.b", "\xc3\xa4", "a b" };
  char name[66];

  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    CU_ASSERT_TRUE (skill_name_ok (good[i], strlen (good[i])));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CU_ASSERT_FALSE (skill_name_ok (bad[i], strlen (bad[i])));
  memset (name, 'x', sizeof name);
  CU_ASSERT_TRUE (skill_name_ok (name, 64));
  CU_ASSERT_FALSE (skill_name_ok (name, 65));
}

static CU_TestInfo front_matter_tests[] = { { "it becomes JSON", front_matter_becomes_json },
                                            { "what is refused", front_matter_that_is_refused },
                                            { "fields are bounded", fields_are_bounded },
                                            { "names", names_of_skills },
                                            CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "front matter", NULL, NULL, NULL, NULL, front_matter_tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

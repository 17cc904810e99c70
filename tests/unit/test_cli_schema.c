/* `toolhost schema check`: how a place is shown, how verdicts are told, how lines are read. */
#include <unistd.h>

#include "cli/caret.h"
#include "cli/input.h"
#include "cli/verdict.h"
#include "tap.h"

/* ---- places ---- */

static void
lines_and_columns (void)
{
  static const char text[] = "{\n  \"\xc3\xa9\": tru\n}";
  static const struct {
    size_t offset, line, column;
  } rows[] = { { 0, 1, 1 },  { 1, 1, 2 },   { 2, 2, 1 },  { 4, 2, 3 }, { 5, 2, 4 },
               { 10, 2, 8 }, { 13, 2, 11 }, { 14, 3, 1 }, { 15, 3, 2 } };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct caret caret = caret_find (text, sizeof text - 1, rows[i].offset);
    CU_ASSERT_EQUAL (caret.line, rows[i].line);
    CU_ASSERT_EQUAL (caret.column, rows[i].column);
    if (caret.column != rows[i].column)
      printf ("# offset %zu: column %zu\n", rows[i].offset, caret.column);
  }
}

static void
shown (const char *text, size_t offset, const char *picture)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct caret caret = caret_find (text, strlen (text), offset);

  caret_show (&caret, "> ", &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), picture);
  if (strcmp (buf_cstr (&out), picture) != 0)
    printf ("# got:\n# %s\n", buf_cstr (&out));
}

static void
pictures (void)
{
  char text[201];

  shown ("[1,,2]", 3, "> [1,,2]\n>    ^\n");
  shown ("{\n\"a\": tru\n}", 7, "> \"a\": tru\n>      ^\n");
  shown ("[\n\t1 2]", 5, ">  1 2]\n>    ^\n");
  shown ("[", 1, "> [\n>  ^\n");
  shown ("", 0, "> \n> ^\n");
  /* what a terminal would obey is shown, and counted, as it stands there */
  shown ("\x1b[1m x", 5, "> \\u001b[1m x\n>           ^\n");
  shown ("\xff x", 2, "> \xef\xbf\xbd x\n>   ^\n");
  memset (text, 'x', 200);
  text[200] = '\0';
  text[100] = '!';
  shown (text, 100,
         "> …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!xxxxxxxxxxxxxxxxxxxxxxxx…\n"
         ">                                                   ^\n");
}

/* ---- verdicts ---- */

static const struct verdict_look plain = { .terminal = false };

static const struct verdict bad = {
  .document = "d.json",
  .kind = VERDICT_INVALID,
  .report = { .count = 2,
              .more = 1,
              .problems = { { .pointer = "/a",
                              .message = "expected integer, got string \"1\"",
                              .keyword = "type",
                              .schema_pointer = "/properties/a/type",
                              .expected = "integer",
                              .got = "string \"1\"" },
                            { .pointer = "", .message = "b is missing" } } }
};

static void
told (const struct verdict *v, struct verdict_look look, const char *text)
{
  CLEANUP_BUF struct buf out = { 0 };

  verdict_text (v, look, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), text);
  if (strcmp (buf_cstr (&out), text) != 0)
    printf ("# got: %s\n", buf_cstr (&out));
}

static void
told_to_people (void)
{
  struct verdict hostile = bad;

  told (&(struct verdict){ .document = "-" }, plain, "standard input: valid\n");
  told (&(struct verdict){ .document = "a", .line = 7 }, plain, "a:7: valid\n");
  told (&(struct verdict){ .document = "a" }, (struct verdict_look){ .colour = true },
        "a: \033[32mvalid\033[0m\n");
  told (&bad, plain,
        "d.json: invalid\n"
        "  /a: expected integer, got string \"1\"\n"
        "  the document: b is missing\n"
        "  and 1 more\n");
  hostile.document = "\x1b]0;x";
  hostile.report.count = 1;
  hostile.report.more = 0;
  hostile.report.problems[0].pointer = "/\xe2\x80\xae";
  told (&hostile, (struct verdict_look){ .terminal = true },
        "\\u001b]0;x: invalid\n  /\\u202e: expected integer, got string \"1\"\n");
  told (&(struct verdict){ .document = "a", .kind = VERDICT_UNREADABLE, .fault = "no" }, plain,
        "a: can't be read: no\n");
}

static void
json_told (const struct verdict *v, const char *text)
{
  CLEANUP_BUF struct buf out = { 0 };

  verdict_json (v, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), text);
  if (strcmp (buf_cstr (&out), text) != 0)
    printf ("# got: %s\n", buf_cstr (&out));
}

static void
told_to_programs (void)
{
  CLEANUP_BUF struct buf out = { 0 };

  json_told (&(struct verdict){ .document = "-", .line = 2 },
             "{\"document\":\"-\",\"line\":2,\"valid\":true,\"problems\":[],\"more\":0}");
  json_told (&bad,
             "{\"document\":\"d.json\",\"valid\":false,\"problems\":[{\"instancePath\":\"/a\","
             "\"message\":\"expected integer, got string \\\"1\\\"\","
             "\"schemaPath\":\"/properties/a/type\",\"keyword\":\"type\",\"expected\":\"integer\","
             "\"got\":\"string \\\"1\\\"\"},{\"instancePath\":\"\",\"message\":\"b is missing\"}],"
             "\"more\":1}");
  json_told (
    &(struct verdict){ .document = "a", .kind = VERDICT_UNREADABLE, .fault = "no" },
    "{\"document\":\"a\",\"valid\":false,"
    "\"error\":{\"reason\":\"unreadable\",\"message\":\"no\"},\"problems\":[],\"more\":0}");
  verdict_basic (&bad, &out);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&out),
    "{\"valid\":false,\"errors\":[{\"instanceLocation\":\"/a\","
    "\"keywordLocation\":\"/properties/a/type\","
    "\"error\":\"expected integer, got string \\\"1\\\"\"},"
    "{\"instanceLocation\":\"\",\"keywordLocation\":\"\",\"error\":\"b is missing\"}]}");
}

static void
told_of_repairs (void)
{
  static const struct verdict mended = {
    .document = "a",
    .kind = VERDICT_REPAIRED,
    .syntax = "trailing comma removed",
    .repaired = { .count = 1,
                  .list = { { .rule = REPAIR_SCALAR, .pointer = "/n", .note = "was a text" } } },
    .value = "{\"n\":4}",
    .value_len = 7
  };
  CLEANUP_BUF struct buf expected = { 0 };

  told (&mended, plain,
        "a: valid once repaired\n"
        "  the document: trailing comma removed\n"
        "  /n: was a text\n"
        "  now {\"n\":4}\n");
  buf_printf (&expected,
              "{\"document\":\"a\",\"valid\":true,\"problems\":[],\"more\":0,\"repairs\":["
              "{\"rule\":\"%s\",\"pointer\":\"\",\"note\":\"trailing comma removed\"},"
              "{\"rule\":\"%s\",\"pointer\":\"/n\",\"note\":\"was a text\"}],\"more_repairs\":0,"
              "\"value\":{\"n\":4}}",
              repair_rule_name (REPAIR_SYNTAX), repair_rule_name (REPAIR_SCALAR));
  json_told (&mended, buf_cstr (&expected));
}

/* ---- judging ---- */

static enum verdict_kind
judge (const char *schema_text, const char *text, enum repair_mode mode, struct verdict *v,
       struct arena *arena)
{
  struct json_tape tape;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (
    json_read (&tape, schema_text, strlen (schema_text), &verdict_limits, arena));
  struct schema *schema = schema_compile (&tape, json_root (&tape), NULL, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  *v = (struct verdict){ .document = "d" };
  verdict_of (v, schema, mode, text, strlen (text), arena);
  schema_free (schema);
  return v->kind;
}

static void
judged (void)
{
  static const char schema[] = "{\"properties\":{\"a\":{\"type\":\"integer\"}}}";
  CLEANUP_ARENA struct arena arena = { 0 };
  struct verdict v;

  CU_ASSERT_EQUAL (judge (schema, " {\"a\":1} \n", REPAIR_OFF, &v, &arena), VERDICT_VALID);
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":\"x\"}", REPAIR_OFF, &v, &arena), VERDICT_INVALID);
  CU_ASSERT_EQUAL (v.report.count, 1);
  CU_ASSERT_STRING_EQUAL (v.report.problems[0].pointer, "/a");
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":1,\n\"a\":2}", REPAIR_SAFE, &v, &arena),
                   VERDICT_NOT_JSON);
  CU_ASSERT_EQUAL (v.byte, 8);
  CU_ASSERT_EQUAL (v.place.line, 2);
  CU_ASSERT_STRING_EQUAL (v.fault, "duplicate member name");
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":1,}", REPAIR_OFF, &v, &arena), VERDICT_NOT_JSON);
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":1,}", REPAIR_SAFE, &v, &arena), VERDICT_REPAIRED);
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":1", REPAIR_SAFE, &v, &arena), VERDICT_NOT_JSON);
  CU_ASSERT_EQUAL (judge (schema, "{\"a\":1", REPAIR_LENIENT, &v, &arena), VERDICT_REPAIRED);
}

/* ---- lines ---- */

/* Lines of a pipe that gets the pieces one by one. */
static void
lines_are (const char *const *pieces, const char *const *expected)
{
  struct lines lines = { .fd = -1 };
  struct error err = { 0 };
  const char *line;
  size_t len, piece = 0;
  int ends[2];

  CU_ASSERT_EQUAL_FATAL (pipe (ends), 0);
  lines.fd = ends[0];
  for (; pieces[piece] != NULL; piece++)
    CU_ASSERT_EQUAL (write (ends[1], pieces[piece], strlen (pieces[piece])),
                     (ssize_t) strlen (pieces[piece]));
  (void) close (ends[1]);
  for (; *expected != NULL; expected++) {
    CLEANUP_BUF struct buf got = { 0 };
    CU_ASSERT_EQUAL_FATAL (lines_next (&lines, &line, &len, &err), LINES_LINE);
    buf_printf (&got, "%zu:%.*s", lines.number, (int) len, line);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&got), *expected);
  }
  CU_ASSERT_EQUAL (lines_next (&lines, &line, &len, &err), LINES_END);
  CU_ASSERT_EQUAL (lines_next (&lines, &line, &len, &err), LINES_END);
  lines_close (&lines);
}
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
lines_of_a_pipe (void)
{
  lines_are (LIST ("1\n2\n"), LIST ("1:1", "2:2"));
  lines_are (LIST ("{", "}\n[", "]"), LIST ("1:{}", "2:[]"));
  lines_are (LIST ("\n \t\r\n1\r\n\n2\n\n"), LIST ("3:1\r", "5:2"));
  lines_are ((const char *const[]){ NULL }, (const char *const[]){ NULL });
  lines_are (LIST ("\n\n"), (const char *const[]){ NULL });
}

/* Longer than one piece that is read. */
static void
a_long_line (void)
{
  static const char path[] = "/tmp/toolhost-unit.XXXXXX";
  CLEANUP_BUF struct buf text = { 0 };
  struct lines lines;
  struct error err = { 0 };
  char name[sizeof path];
  const char *line;
  size_t len;

  memcpy (name, path, sizeof path);
  for (int i = 0; i < 200 * 1000; i++)
    buf_putc (&text, 'x');
  buf_puts (&text, "\n1");
  int fd = mkstemp (name);
  CU_ASSERT_TRUE_FATAL (fd >= 0);
  CU_ASSERT_EQUAL (write (fd, text.data, text.len), (ssize_t) text.len);
  (void) close (fd);
  CU_ASSERT_TRUE (lines_open (&lines, name, &err));
  CU_ASSERT_EQUAL (lines_next (&lines, &line, &len, &err), LINES_LINE);
  CU_ASSERT_EQUAL (len, 200 * 1000);
  CU_ASSERT_EQUAL (lines_next (&lines, &line, &len, &err), LINES_LINE);
  CU_ASSERT_EQUAL (len, 1);
  CU_ASSERT_EQUAL (lines_next (&lines, &line, &len, &err), LINES_END);
  lines_close (&lines);
  (void) unlink (name);
  CU_ASSERT_FALSE (lines_open (&lines, name, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "No such file or directory");
  lines_close (&lines);
}

static CU_TestInfo tests[] = { { "finds line and column", lines_and_columns },
                               { "shows a place", pictures },
                               { "tells people", told_to_people },
                               { "tells programs", told_to_programs },
                               { "tells what was mended", told_of_repairs },
                               { "judges strictly", judged },
                               { "takes lines as they come", lines_of_a_pipe },
                               { "takes long lines", a_long_line },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "cli schema", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

#include "tap.h"

#include "base/json_mend.h"

static const struct json_limits *const usual = &json_default_limits;

struct row {
  const char *text;
  const char *json; /* NULL: can't be mended */
  const char *what;
};

static void
expect_mended (const struct row *row, size_t len, bool cut_off, bool close_cut_off)
{
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_BUF struct buf told = { 0 };
  char *copy = xmalloc (len); /* alone in memory, so that reading beyond it is seen */
  bool good = row->json != NULL && (close_cut_off || !cut_off);
  enum json_mended refused = cut_off ? JSON_CUT_OFF : JSON_NOT_MENDED;
  enum json_mended got;

  memcpy (copy, row->text, len);
  got = json_mend (copy, len, close_cut_off, usual, &out, &told);
  free (copy);
  if (got == (good ? JSON_MENDED : refused) && strcmp (buf_cstr (&out), good ? row->json : "") == 0
      && strcmp (buf_cstr (&told), good ? row->what : "") == 0)
    return;
  printf ("# %s\n# becomes: %d: %s (%s)\n# not:     %s (%s)\n", row->text, (int) got,
          buf_cstr (&out), buf_cstr (&told), good ? row->json : "no", good ? row->what : "");
  CU_FAIL ("mended otherwise");
}

static void
expect (const struct row *row, size_t len)
{
  expect_mended (row, len, false, true);
  expect_mended (row, len, false, false);
}

static void
expect_rows (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    expect (&rows[i], strlen (rows[i].text));
}

/* Texts that are told to be cut off, and mended only when that is asked for. */
static void
expect_cut_off (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    expect_mended (&rows[i], strlen (rows[i].text), true, true);
    expect_mended (&rows[i], strlen (rows[i].text), true, false);
  }
}

#define EXPECT_ROWS(rows) expect_rows (rows, sizeof (rows) / sizeof *(rows))
#define EXPECT_CUT_OFF(rows) expect_cut_off (rows, sizeof (rows) / sizeof *(rows))
#define NO(text)                                                                                   \
  {                                                                                                \
    text, NULL, ""                                                                                 \
  }

static void
test_good_json_is_left_alone (void)
{
  static const char *const texts[] = {
    "{}",
    " [ 1 , 2.50e+3 ]\n",
    "\"{'a':1}\"",
    "\"// no comment\"",
    "{\"a\":\"\\u0041 ```\",\"a b\":\"x\\\" y\"}",
    "null",
    "-0.0",
    "{\"q\":\"it's “so”\",\"w\":\"C:\\\\d\"}",
    "[\"None\",\"True\",\"...\",\"(1,)\"]",
  };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect (&(struct row){ texts[i], texts[i], "" }, strlen (texts[i]));
}

static void
test_around (void)
{
  static const struct row rows[] = {
    { "```json\n{\"a\":1}\n```", "{\"a\":1}", "code fence removed" },
    { "```\n[1]\n```\n", "[1]", "code fence removed" },
    { "```{\"a\":1}```", "{\"a\":1}", "code fence removed" },
    { "Here it is:\n\n```json\n{\"a\":1}\n```\nThat's all.", "{\"a\":1}",
      "code fence removed, text around the value removed" },
    { "I call it with {\"a\":1} now.", "{\"a\":1}", "text around the value removed" },
    { "The list: [\"a\", \"b\"]", "[\"a\",\"b\"]", "text around the value removed" },
    { "{\"a\":1}\nHope \"this\" helps", "{\"a\":1}", "text around the value removed" },
    { "\xef\xbb\xbf{\"a\":1}", "{\"a\":1}", "" },
    { "{\"a\":1}}", "{\"a\":1}", "surplus bracket removed" },
    { "{\"a\":1},", "{\"a\":1}", "surplus comma removed" },
    { "{\"a\":1};", "{\"a\":1}", "surplus comma removed" },
    /* what follows could be more of it, or another */
    NO ("{\"a\":1}{\"b\":2}"),
    NO ("{\"a\":1}\n{\"b\":2}"),
    NO ("{\"a\":1}, \"b\":2}"),
    NO ("{\"a\":1}} and"),
    NO ("Use [x] or {\"a\":1}"),
    NO ("see [the page](http://x.y)"),
    NO ("/[a-z]_/"),
    NO ("1. {\"a\":1} 2. {\"a\":2}"),
    NO ("no value"),
    NO (""),
    NO ("   "),
    NO ("// only a comment"),
    NO ("```"),
    NO ("}"),
    NO ("5 apples"),
  };

  EXPECT_ROWS (rows);
}

static void
test_escaped_whole (void)
{
  static const struct row rows[] = {
    { "{\\\"a\\\":\\\"b\\\"}", "{\"a\":\"b\"}", "escapes around the whole resolved" },
    { "[\\n  \\\"a\\\", \\\"b\\\\\\\"c\\\"\\n]", "[\"a\",\"b\\\"c\"]",
      "escapes around the whole resolved" },
    { "{\\\"a\\\":1,}", "{\"a\":1}", "escapes around the whole resolved, surplus comma removed" },
    NO ("{\\\"a\\\":\"b\"}"),
  };

  EXPECT_ROWS (rows);
}

static void
test_comments (void)
{
  static const struct row rows[] = {
    { "// one\n{\"a\":1, # two\n/* three, */\"b\":2 /**/}//", "{\"a\":1,\"b\":2}",
      "comment removed" },
    { "{\"a\":\"/* text */\", // \"b\":1,\n}", "{\"a\":\"/* text */\"}",
      "comment removed, surplus comma removed" },
    { "[1] /* no end", "[1]", "comment removed" },
    { "[1] /", "[1]", "text around the value removed" },
  };

  EXPECT_ROWS (rows);
}

static void
test_commas (void)
{
  static const struct row rows[] = {
    { "{\"a\":[1,2,],}", "{\"a\":[1,2]}", "surplus comma removed" },
    { "{\"a\":1,,\"b\":2}", "{\"a\":1,\"b\":2}", "surplus comma removed" },
    { "{,\"a\":1}", "{\"a\":1}", "surplus comma removed" },
    { "{\"a\":1\n\"b\":2}", "{\"a\":1,\"b\":2}", "missing comma added" },
    { "{\"a\":\"x\" \"b\":2}", "{\"a\":\"x\",\"b\":2}", "missing comma added" },
    { "[1\n2]", "[1,2]", "missing comma added" },
    { "[{} {}]", "[{},{}]", "missing comma added" },
    NO ("[1 2]"),
    NO ("[\"a\" \"b\"]"),
    NO ("[1,,2]"),
    NO ("[,1]"),
    NO ("{\"a\":,\"b\":2}"),
    NO ("{\"a\" 1}"),
    NO ("{\"a\"}"),
  };

  EXPECT_ROWS (rows);
}

static void
test_quotes (void)
{
  static const struct row rows[] = {
    { "{'a': 'b \"c\"'}", "{\"a\":\"b \\\"c\\\"\"}", "other quotes replaced" },
    { "{“a”: „b“, ‘c’: ’d‘}", "{\"a\":\"b\",\"c\":\"d\"}", "other quotes replaced" },
    { "{`a`: ´b´}", "{\"a\":\"b\"}", "other quotes replaced" },
    { "{'a': 'it\\'s'}", "{\"a\":\"it's\"}", "other quotes replaced, unknown escape replaced" },
    { "{'a': 'it's', 'b': 'x'}", "{\"a\":\"it's\",\"b\":\"x\"}",
      "other quotes replaced, quote in a string escaped" },
    { "{“a”: “so-called ‘b’”}", "{\"a\":\"so-called ‘b’\"}", "other quotes replaced" },
    { "{\"a\":\"echo \"hi\"\"}", "{\"a\":\"echo \\\"hi\\\"\"}", "quote in a string escaped" },
    { "{\"a\":\"say \"hi\" twice\"}", "{\"a\":\"say \\\"hi\\\" twice\"}",
      "quote in a string escaped" },
    /* a string must not swallow what comes after it */
    NO ("{\"a\":\"x\" y, \"b\":\"z\"}"),
    NO ("[\"x\" y, \"z\"]"),
    NO ("{\"a\":\"x , \"b\":\"z\"}"),
    NO ("{\"a\":\"x , \"b\": \"y\", \"c\": \"z\"}"),
    NO ("{\"a\":\"x\n\"b\":1}"),
    NO ("{\"a\" 1, \"b\":2}"),
    NO ("{'a': 'the dogs' bone'}"),
    NO ("{\"a\":\"\"\"x\"\"\"}"),
    NO ("{'a': '''x'''}"),
  };

  EXPECT_ROWS (rows);
}

static void
test_bare_words (void)
{
  static const struct row rows[] = {
    { "{a: 1, $b_c: 2, 3: 4, d-e: 5}", "{\"a\":1,\"$b_c\":2,\"3\":4,\"d-e\":5}",
      "word put in quotes" },
    { "[True, False, None, TRUE, NULL]", "[true,false,null,true,null]",
      "constant of another language replaced" },
    { "[undefined, NaN]", "[null,null]", "constant of another language replaced" },
    { "{\"day\": 2026-01-31, \"kind\": card}", "{\"day\":\"2026-01-31\",\"kind\":\"card\"}",
      "word put in quotes" },
    { "True", "true", "constant of another language replaced" },
    NO ("[Infinity]"),
    NO ("[-Infinity]"),
    NO ("{\"a\": hello world}"),
    NO ("{\"a\": f(1)}"),
    NO ("[-]"),
    NO ("[-, 1]"),
    NO ("[--5]"),
    NO ("{a b: 1}"),
  };

  EXPECT_ROWS (rows);
}

static void
test_numbers (void)
{
  static const struct row rows[] = {
    { "[+5, .5, 5., -.5e+3, 5.E2]", "[5,0.5,5.0,-0.5e+3,5.0E2]", "number spelt as JSON has it" },
    { "[007, 0x1F, 1_000, 1.2.3, -01, 1e]", "[\"007\",\"0x1F\",\"1_000\",\"1.2.3\",\"-01\",\"1e\"]",
      "word put in quotes" },
    { "[0, -0, 10,]", "[0,-0,10]", "surplus comma removed" },
    NO ("[.]"),
    NO ("[-.]"),
    NO ("[1,000.5.]extra["),
  };

  EXPECT_ROWS (rows);
}

static void
test_tuples (void)
{
  static const struct row rows[] = {
    { "{'a': (1, 'b'), 'c': (1,), 'd': ()}", "{\"a\":[1,\"b\"],\"c\":[1],\"d\":[]}",
      "other quotes replaced, tuple made an array" },
    NO ("[(1)]"),
  };

  EXPECT_ROWS (rows);
}

/* What stands for more than there is. */
static void
test_ellipses (void)
{
  static const struct row rows[] = {
    { "[1, 2, ...]", "[1,2]", "ellipsis removed" },
    { "[1, 2…]", "[1,2]", "ellipsis removed" },
    { "{\"a\": 1, ...,}", "{\"a\":1}", "surplus comma removed, ellipsis removed" },
    { "[...]", "[]", "ellipsis removed" },
    NO ("[1, ..., 9]"),
  };

  EXPECT_CUT_OFF (rows);
}

static void
test_strings (void)
{
  static const struct row rows[] = {
    { "{\"a\":\"x\ny\tz\x01\"}", "{\"a\":\"x\\ny\\tz\\u0001\"}", "control character escaped" },
    { "[\"\\d\\w\", \"\\x41\", \"C:\\users\", \"a\\\nb\", \"\\`\"]",
      "[\"\\\\d\\\\w\",\"\\u0041\",\"C:\\\\users\",\"ab\",\"`\"]", "unknown escape replaced" },
    { "[\"\\u00e9\\n\\/\",]", "[\"\\u00e9\\n\\/\"]", "surplus comma removed" },
    NO ("[\"\\ud800\",]"),
    NO ("[\"\xff\",]"),
  };

  EXPECT_ROWS (rows);
  expect (&(struct row){ "[\"a\0b\"]", "[\"a\\u0000b\"]", "control character escaped" }, 7);
}

static void
test_cut_off (void)
{
  static const struct row rows[] = {
    { "{\"a\":[1,{\"b\":2", "{\"a\":[1,{\"b\":2}]}", "bracket closed" },
    { "{\"a\":\"some te", "{\"a\":\"some te\"}", "string closed, bracket closed" },
    { "{\"a\":\"some te\\", "{\"a\":\"some te\"}",
      "unknown escape replaced, string closed, bracket closed" },
    { "{\"a\": 12", "{\"a\":12}", "bracket closed" },
    { "{\"a\":1,", "{\"a\":1}", "surplus comma removed, bracket closed" },
    { "{\"a\":1,\"b", "{\"a\":1}", "member without value left out, bracket closed" },
    { "{\"a\":1,\"b\"", "{\"a\":1}", "member without value left out, bracket closed" },
    { "{\"a\":1,\"b\":", "{\"a\":1}", "member without value left out, bracket closed" },
    { "{\"a", "{}", "member without value left out, bracket closed" },
    { "{", "{}", "bracket closed" },
    { "\"abc", "\"abc\"", "string closed" },
    { "[\"a\\u26", "[\"a\"]", "unknown escape replaced, string closed, bracket closed" },
    { "```json\n{\"a\":[1", "{\"a\":[1]}", "code fence removed, bracket closed" },
    { "{\\\"a\\\":\\\"b", "{\"a\":\"b\"}",
      "escapes around the whole resolved, string closed, bracket closed" },
    { "{\"a\":1 // }", "{\"a\":1}", "comment removed, bracket closed" },
    /* the quote is missing, but where? */
    NO ("[\"abc]\n"),
    NO ("{\"a\":\"abc}"),
    NO ("[\"abc]"),
    NO ("[\"a \"b\" c]"),
    /* half a word */
    NO ("{\"a\": tru"),
    NO ("[-"),
    /* in prose: is it of the value, or of the prose? */
    NO ("I think {"),
    NO ("I think {\"a\":1"),
  };
  static const struct row whole[] = {
    /* a bracket is missing, but the model went on */
    { "{\"a\":[1,2}", "{\"a\":[1,2]}", "bracket closed" },
    { "```json\n{\"a\":[1\n```", "{\"a\":[1]}", "code fence removed, bracket closed" },
    NO ("[1,2}"),
    NO ("{\"a\":1]"),
  };

  EXPECT_CUT_OFF (rows);
  EXPECT_ROWS (whole);
}

static void
test_duplicates_and_limits (void)
{
  static const struct row rows[] = {
    NO ("{\"a\":1,\"a\":2}"),
    NO ("{a:1,'a':2}"),
    NO ("{\"a\\u0000b\":1,}"),
  };
  static const struct json_limits small = {
    .depth = 3, .nodes = 10, .members = 10, .number_len = 8
  };
  CLEANUP_BUF struct buf out = { 0 };

  EXPECT_ROWS (rows);
  CU_ASSERT_EQUAL (json_mend ("[[[1,]]]", 8, true, &small, &out, NULL), JSON_MENDED);
  CU_ASSERT_EQUAL (json_mend ("[[[[1,]]]]", 10, true, &small, &out, NULL), JSON_NOT_MENDED);
  CU_ASSERT_EQUAL (json_mend ("[1,2,3,4,5,6,7,8,9,10,]", 23, true, &small, &out, NULL),
                   JSON_NOT_MENDED);
  CU_ASSERT_EQUAL (json_mend ("[1234567890,]", 13, true, &small, &out, NULL), JSON_NOT_MENDED);
  /* what was in the buffer stays, whatever happens */
  CU_ASSERT_EQUAL (out.len, 7);
  CU_ASSERT (memcmp (out.data, "[[[1]]]", 7) == 0);
}

static void
test_depth (void)
{
  static const struct json_limits deep = {
    .depth = 1000000, .nodes = 10000000, .members = 10, .number_len = 8
  };
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf out = { 0 };

  for (int i = 0; i < 128; i++)
    buf_putc (&text, '[');
  CU_ASSERT_EQUAL (json_mend (text.data, text.len, true, &deep, &out, NULL), JSON_MENDED);
  CU_ASSERT_EQUAL (out.len, 256);
  for (int i = 0; i < 100000; i++)
    buf_putc (&text, '[');
  CU_ASSERT_EQUAL (json_mend (text.data, text.len, true, &deep, &out, NULL), JSON_NOT_MENDED);
}

static CU_TestInfo tests[] = { { "good JSON is left alone", test_good_json_is_left_alone },
                               { "fences and prose", test_around },
                               { "text that is escaped as a whole", test_escaped_whole },
                               { "comments", test_comments },
                               { "commas", test_commas },
                               { "quotes", test_quotes },
                               { "words without quotes", test_bare_words },
                               { "numbers", test_numbers },
                               { "tuples", test_tuples },
                               { "ellipses", test_ellipses },
                               { "escapes and control characters", test_strings },
                               { "text that is cut off", test_cut_off },
                               { "duplicates and limits", test_duplicates_and_limits },
                               { "depth is bounded", test_depth },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "json_mend", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

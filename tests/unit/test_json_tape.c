#include "tap.h"

#include <dirent.h>
#include <math.h>

#include "base/json_tape.h"
#include "data.h"

static const struct json_limits *const usual = &json_default_limits;

/* Read a text that stands alone in memory, so that reading beyond it is seen by the sanitizers.
 * Only the tape's numbers are good afterwards. */
static bool
reads (const char *text, size_t len, const struct json_limits *limits, struct json_tape *tape,
       struct arena *arena)
{
  char *copy = xmalloc (len);
  bool good;

  if (len != 0)
    memcpy (copy, text, len);
  good = json_read (tape, copy, len, limits, arena);
  free (copy);
  return good;
}

/* ---- what is accepted, what refused and where ---- */

static void
test_accepts (void)
{
  static const char *const texts[] = { "null",
                                       " true ",
                                       "\t\n\r false",
                                       "0",
                                       "-0",
                                       "-0.0e-0",
                                       "1E+2",
                                       "123456789012345678901234567890",
                                       "\"\"",
                                       "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"",
                                       "\"\\ud83d\\ude00\"",
                                       "\"\\u0000\"",
                                       "\"grün €😀\"",
                                       "\"\x7f\"",
                                       "[]",
                                       "[ ]",
                                       "{}",
                                       "{ }",
                                       "[1,[2,{\"a\":[]}],null]",
                                       "{\"a\":1,\"b\":{\"a\":1}}",
                                       "{\"\":0}",
                                       "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"" };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!reads (texts[i], strlen (texts[i]), usual, &tape, &a)) {
      printf ("# refused: %s: %s\n", texts[i], tape.problem);
      CU_FAIL ("refused");
    }
}

static const struct {
  const char *text;
  enum json_fault fault;
  size_t offset;
  const char *problem;
} refused[] = {
  { "", JSON_SYNTAX, 0, "expected a value" },
  { "  ", JSON_SYNTAX, 2, "expected a value" },
  { "nul", JSON_SYNTAX, 0, "expected a value" },
  { "True", JSON_SYNTAX, 0, "expected a value" },
  { "NaN", JSON_SYNTAX, 0, "expected a value" },
  { "'a'", JSON_SYNTAX, 0, "expected a value" },
  { "+1", JSON_SYNTAX, 0, "expected a value" },
  { ".5", JSON_SYNTAX, 0, "expected a value" },
  { "// c\n1", JSON_SYNTAX, 0, "expected a value" },
  { "\xef\xbb\xbf{}", JSON_SYNTAX, 0, "a byte order mark is not JSON" },
  { "1 2", JSON_SYNTAX, 2, "expected nothing after the value" },
  { "nullx", JSON_SYNTAX, 4, "expected nothing after the value" },
  { "{}}", JSON_SYNTAX, 2, "expected nothing after the value" },
  { "01", JSON_SYNTAX, 0, "a number may not begin with 0" },
  { "-012", JSON_SYNTAX, 1, "a number may not begin with 0" },
  { "-", JSON_SYNTAX, 1, "expected a digit" },
  { "-a", JSON_SYNTAX, 1, "expected a digit" },
  { "1.", JSON_SYNTAX, 2, "expected a digit" },
  { "1.e5", JSON_SYNTAX, 2, "expected a digit" },
  { "1e", JSON_SYNTAX, 2, "expected a digit" },
  { "1e+", JSON_SYNTAX, 3, "expected a digit" },
  { "0x1", JSON_SYNTAX, 1, "expected nothing after the value" },
  { "[1", JSON_SYNTAX, 2, "the array has no end" },
  { "[1,", JSON_SYNTAX, 3, "expected a value" },
  { "[1,]", JSON_SYNTAX, 3, "expected a value" },
  { "[,1]", JSON_SYNTAX, 1, "expected a value" },
  { "[1 2]", JSON_SYNTAX, 3, "expected ',' or ']'" },
  { "[1}", JSON_SYNTAX, 2, "expected ',' or ']'" },
  { "{", JSON_SYNTAX, 1, "the object has no end" },
  { "{1:2}", JSON_SYNTAX, 1, "expected a member name in quotes" },
  { "{\"a\":1,}", JSON_SYNTAX, 7, "expected a member name in quotes" },
  { "{\"a\" 1}", JSON_SYNTAX, 5, "expected ':' after a member name" },
  { "{\"a\"", JSON_SYNTAX, 4, "expected ':' after a member name" },
  { "{\"a\":}", JSON_SYNTAX, 5, "expected a value" },
  { "{\"a\":1 \"b\":2}", JSON_SYNTAX, 7, "expected ',' or '}'" },
  { "{\"a\":1]", JSON_SYNTAX, 6, "expected ',' or '}'" },
  { "\"abc", JSON_SYNTAX, 4, "the string has no end" },
  { "\"abc\\", JSON_SYNTAX, 4, "the string has no end" },
  { "\"a\nb\"", JSON_SYNTAX, 2, "control character in a string" },
  { "\"\x1f\"", JSON_SYNTAX, 1, "control character in a string" },
  { "\"\\x41\"", JSON_SYNTAX, 1, "unknown escape in a string" },
  { "\"\\u12g4\"", JSON_SYNTAX, 3, "expected four hex digits" },
  { "\"\\u12\"", JSON_SYNTAX, 3, "expected four hex digits" },
  { "\"\\ud800\"", JSON_ENCODING, 1, "lone surrogate in an escape" },
  { "\"\\udc00\"", JSON_ENCODING, 1, "lone surrogate in an escape" },
  { "\"\\ud800\\ud800\"", JSON_ENCODING, 1, "lone surrogate in an escape" },
  { "\"\\ud800\\n\"", JSON_ENCODING, 1, "lone surrogate in an escape" },
  { "\"\xff\"", JSON_ENCODING, 1, "not UTF-8" },
  { "\"ab\xc0\xaf\"", JSON_ENCODING, 3, "not UTF-8" },
  { "\"\xed\xa0\x80\"", JSON_ENCODING, 1, "not UTF-8" },
  { "\"\xf4\x90\x80\x80\"", JSON_ENCODING, 1, "not UTF-8" },
  { "\"\xe2\x82\"", JSON_ENCODING, 1, "not UTF-8" },
  { "\"\xe2\x82", JSON_ENCODING, 1, "not UTF-8" },
  { "{\"a\":1,\"a\":2}", JSON_DUPLICATE, 7, "duplicate member name" },
  { "{\"a\":1,\"\\u0061\":2}", JSON_DUPLICATE, 7, "duplicate member name" },
  { "{\"\":1,\"\":2}", JSON_DUPLICATE, 6, "duplicate member name" },
  { "[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]", JSON_DUPLICATE, 19, "duplicate member name" },
  { "{\"a\\u0000b\":1}", JSON_SYNTAX, 1, "U+0000 in a member name" },
};

static void
test_refuses_with_place_and_reason (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    bool good = reads (refused[i].text, strlen (refused[i].text), usual, &tape, &a);
    if (!good && tape.fault == refused[i].fault && tape.offset == refused[i].offset
        && strcmp (tape.problem, refused[i].problem) == 0)
      continue;
    printf ("# %s: fault %d at %zu: %s\n", refused[i].text, (int) tape.fault, tape.offset,
            tape.problem != NULL ? tape.problem : "accepted");
    CU_FAIL ("not refused as expected");
  }
}

static void
test_refuses_zero_bytes (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  CU_ASSERT_FALSE (reads ("\0", 1, usual, &tape, &a));
  CU_ASSERT_FALSE (reads ("1\0", 2, usual, &tape, &a));
  CU_ASSERT_FALSE (reads ("\"a\0b\"", 5, usual, &tape, &a));
  CU_ASSERT_FALSE (reads ("\"\\\0\"", 4, usual, &tape, &a));
}

/* Every byte that needs a look is seen at every place of a string, so in each lane of a vector and
 * behind the last whole one. */
static void
test_sees_each_byte_of_a_string (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  char text[80];

  for (size_t len = 1; len < 70; len++)
    for (size_t at = 0; at < len; at++) {
      memset (text, 'a', sizeof text);
      text[0] = text[len + 1] = '"';
      CU_ASSERT (reads (text, len + 2, usual, &tape, &a) && tape.nodes->len == len);
      text[at + 1] = '\x1f';
      CU_ASSERT (!reads (text, len + 2, usual, &tape, &a) && tape.offset == at + 1);
      text[at + 1] = '\x80';
      CU_ASSERT (!reads (text, len + 2, usual, &tape, &a) && tape.offset == at + 1);
      text[at + 1] = '"';
      CU_ASSERT (!reads (text, len + 2, usual, &tape, &a) && tape.offset == at + 2);
      text[at + 1] = '\\';
      text[at + 2] = 'z';
      CU_ASSERT (!reads (text, len + 2, usual, &tape, &a) && tape.offset == at + 1);
      arena_reset (&a);
    }
}

static const char document[] =
  "{\"name\":\"x\\u00e9\\ud83d\\ude00 grün\",\"list\":[1,-2.5e+10,true,false,null,[],{}],"
  "\"long\":\"0123456789abcdef0123456789abcdef\",\"a\":{\"b\":{\"c\":[[[\"\\n\"]]]}}}";

static void
test_no_prefix_is_accepted (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  for (size_t len = 0; len < sizeof document - 1; len++)
    CU_ASSERT_FALSE (reads (document, len, usual, &tape, &a));
  CU_ASSERT (reads (document, sizeof document - 1, usual, &tape, &a));
}

/* Every node lies in its container and the skips add up: what a reader of the tape relies on. */
static bool
is_sound (const struct json_tape *tape, const struct json_node *node)
{
  const struct json_node *end = json_end (node);
  uint32_t items = 0;

  if (end > tape->nodes + tape->count || node->skip == 0)
    return false;
  if ((size_t) node->start + node->len > tape->text_len)
    return false;
  if (node->type != JSON_ARRAY && node->type != JSON_OBJECT)
    return node->skip == 1;
  for (const struct json_node *n = json_first (node); n != end; n = json_next (n)) {
    if (n > end || n->start + n->len > node->start + node->len || !is_sound (tape, n))
      return false;
    items++;
  }
  return items == node->count * (node->type == JSON_OBJECT ? 2U : 1U);
}

static void
test_changed_bytes_do_no_harm (void)
{
  static const char bytes[] = "\"\\{}[],:0e.-u \n\x80\xf0";
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  char text[sizeof document];
  unsigned accepted = 0;

  for (size_t at = 0; at < sizeof document - 1; at++)
    for (size_t i = 0; i < sizeof bytes; i++) {
      memcpy (text, document, sizeof text);
      text[at] = bytes[i];
      if (json_read (&tape, text, sizeof document - 1, usual, &a)) {
        accepted++;
        CU_ASSERT (is_sound (&tape, json_root (&tape)));
        CU_ASSERT_EQUAL (json_root (&tape)->skip, tape.count);
      }
      else
        CU_ASSERT (tape.offset <= sizeof document - 1 && tape.problem != NULL);
      arena_reset (&a);
    }
  CU_ASSERT (accepted > 100);
}

/* ---- limits ---- */

static void
expect_limit (const struct json_limits *limits, const char *good, const char *bad,
              enum json_fault fault)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  CU_ASSERT (reads (good, strlen (good), limits, &tape, &a));
  CU_ASSERT_FALSE (reads (bad, strlen (bad), limits, &tape, &a));
  CU_ASSERT_EQUAL (tape.fault, fault);
}

static void
test_limits (void)
{
  static const struct json_limits limits = {
    .depth = 3, .nodes = 8, .members = 2, .number_len = 5
  };

  expect_limit (&limits, "[[[1]]]", "[[[[1]]]]", JSON_TOO_DEEP);
  expect_limit (&limits, "[{\"a\":[]}]", "[{\"a\":[{}]}]", JSON_TOO_DEEP);
  expect_limit (&limits, "[1,2,3,4,5,6,7]", "[1,2,3,4,5,6,7,8]", JSON_TOO_LARGE);
  expect_limit (&limits, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2,\"c\":3}", JSON_TOO_LARGE);
  expect_limit (&limits, "12345", "123456", JSON_TOO_LARGE);
  expect_limit (&limits, "-1.25", "-1.255", JSON_TOO_LARGE);
}

static void
test_a_million_brackets (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  CLEANUP_FREE char *text = xmalloc (1000000);
  struct json_tape tape;
  struct json_limits deep = *usual;

  memset (text, '[', 1000000);
  CU_ASSERT_FALSE (json_read (&tape, text, 1000000, usual, &a));
  CU_ASSERT (tape.fault == JSON_TOO_DEEP && tape.offset == 64);
  /* no recursion: depth alone costs nothing but nodes */
  deep.depth = deep.nodes = 2000000;
  memset (text + 500000, ']', 500000);
  CU_ASSERT (json_read (&tape, text, 1000000, &deep, &a));
  CU_ASSERT_EQUAL (tape.count, 500000);
}

static void
write_members (struct buf *b, unsigned count, const char *prefix)
{
  buf_putc (b, '{');
  for (unsigned i = 0; i < count; i++)
    buf_printf (b, "%s\"%s%u\":%u", i != 0 ? "," : "", prefix, i, i);
}

static void
test_duplicates_in_objects_of_any_size (void)
{
  static const unsigned sizes[] = { 1, 2, 15, 16, 17, 100, 9999 };
  static const char *const twins[] = { "\"n0\"", "\"\\u006e0\"" };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CLEANUP_BUF struct buf b = { 0 };
    write_members (&b, sizes[i], "n");
    size_t len = b.len;
    buf_putc (&b, '}');
    CU_ASSERT (json_read (&tape, b.data, b.len, usual, &a));
    CU_ASSERT_EQUAL (json_root (&tape)->count, sizes[i]);
    for (size_t k = 0; k < 2; k++) {
      b.len = len;
      buf_printf (&b, ",%s:1}", twins[k]);
      CU_ASSERT_FALSE (json_read (&tape, b.data, b.len, usual, &a));
      CU_ASSERT (tape.fault == JSON_DUPLICATE && tape.offset == len + 1);
    }
  }
}

/* ---- looking at what was read ---- */

static void
read_good (struct json_tape *tape, const char *text, struct arena *a)
{
  if (!json_read (tape, text, strlen (text), usual, a))
    CU_FAIL_FATAL ("a good text was refused");
}

static bool
is_raw (const struct json_tape *tape, const struct json_node *node, const char *expected)
{
  size_t len;
  const char *raw = json_raw (tape, node, &len);

  return len == strlen (expected) && memcmp (raw, expected, len) == 0;
}

static void
test_the_tape (void)
{
  static const char text[] = " {\"a\": [1, \"x\\n\"], \"b\": -1.5} ";
  static const struct json_node expected[] = {
    { .start = 1, .len = 29, .skip = 7, .type = JSON_OBJECT, .count = 2 },
    { .start = 3, .len = 1, .skip = 1, .type = JSON_STRING },
    { .start = 7, .len = 10, .skip = 3, .type = JSON_ARRAY, .count = 2 },
    { .start = 8, .len = 1, .skip = 1, .type = JSON_NUMBER, .integer = 1 },
    { .start = 12, .len = 3, .skip = 1, .type = JSON_STRING, .escaped = 1 },
    { .start = 20, .len = 1, .skip = 1, .type = JSON_STRING },
    { .start = 24, .len = 4, .skip = 1, .type = JSON_NUMBER },
  };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  CU_ASSERT_EQUAL (sizeof *expected, 16);
  read_good (&tape, text, &a);
  CU_ASSERT_EQUAL_FATAL (tape.count, 7);
  for (uint32_t i = 0; i < tape.count; i++) {
    const struct json_node *n = &tape.nodes[i];
    const struct json_node *x = &expected[i];
    CU_ASSERT_EQUAL (n->start, x->start);
    CU_ASSERT_EQUAL (n->skip, x->skip);
    CU_ASSERT_EQUAL (n->type, x->type);
    CU_ASSERT (n->escaped == x->escaped && n->integer == x->integer && n->count == x->count);
  }
  CU_ASSERT (is_raw (&tape, &tape.nodes[0], "{\"a\": [1, \"x\\n\"], \"b\": -1.5}"));
  CU_ASSERT (is_raw (&tape, &tape.nodes[2], "[1, \"x\\n\"]"));
  CU_ASSERT (is_raw (&tape, &tape.nodes[4], "\"x\\n\""));
  CU_ASSERT (is_raw (&tape, &tape.nodes[6], "-1.5"));
}

static void
test_members (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  const struct json_node *root;

  read_good (&tape, "{\"one\":{\"x\":1},\"t\\u0077o\":2,\"\":3,\"a\":[]}", &a);
  root = json_root (&tape);
  CU_ASSERT (json_is (json_member (&tape, root, "one"), JSON_OBJECT));
  CU_ASSERT (json_is (json_member (&tape, root, "two"), JSON_NUMBER));
  CU_ASSERT (json_is (json_member (&tape, root, ""), JSON_NUMBER));
  CU_ASSERT (json_is (json_member_len (&tape, root, "an", 1), JSON_ARRAY));
  CU_ASSERT_PTR_NULL (json_member (&tape, root, "x"));
  CU_ASSERT_PTR_NULL (json_member (&tape, root, "on"));
  CU_ASSERT_PTR_NULL (json_member (&tape, root, "ones"));
  CU_ASSERT_PTR_NULL (json_member (&tape, NULL, "one"));
  CU_ASSERT_PTR_NULL (json_member (&tape, json_member (&tape, root, "a"), "one"));
}

static void
test_several_members (void)
{
  static const struct json_name names[] = { JSON_NAME ("two"), JSON_NAME ("none"),
                                            JSON_NAME ("one"), JSON_NAME ("") };
  const struct json_node *found[4] = { (const struct json_node *) names };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  read_good (&tape, "{\"one\":{\"two\":1},\"t\\u0077o\":2,\"on\":3,\"\":[]}", &a);
  json_members (&tape, json_root (&tape), names, 4, found);
  for (size_t i = 0; i < 4; i++)
    CU_ASSERT_PTR_EQUAL (found[i],
                         json_member_len (&tape, json_root (&tape), names[i].text, names[i].len));
  CU_ASSERT (json_is (found[0], JSON_NUMBER));
  CU_ASSERT_PTR_NULL (found[1]);
  json_members (&tape, found[0], names, 4, found); /* no object */
  CU_ASSERT (found[0] == NULL && found[2] == NULL);
  json_members (&tape, NULL, names, 4, found);
  CU_ASSERT_PTR_NULL (found[3]);
}

/* The examples of RFC 6901, and what is not a pointer. */
static void
test_pointers (void)
{
  static const struct {
    const char *pointer;
    const char *raw; /* NULL: nothing there */
  } cases[] = { { "/foo/0", "\"bar\"" },
                { "/", "0" },
                { "/a~1b", "1" },
                { "/c%d", "2" },
                { "/e^f", "3" },
                { "/g|h", "4" },
                { "/i\\j", "5" },
                { "/k\"l", "6" },
                { "/ ", "7" },
                { "/m~0n", "8" },
                { "/foo/2", NULL },
                { "/foo/-", NULL },
                { "/foo/00", NULL },
                { "/foo/", NULL },
                { "/foo/1x", NULL },
                { "foo", NULL },
                { "/m~n", NULL },
                { "/m~2n", NULL },
                { "/m~", NULL },
                { "/foo/0/x", NULL },
                { "/deep/x/1/y", "9" },
                { "/foo/4294967296", NULL },
                { "/foo/99999999999999999999", NULL } };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  read_good (&tape,
             "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
             "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"deep\":{\"x\":[0,{\"y\":9}]}}",
             &a);
  CU_ASSERT_PTR_EQUAL (json_pointer (&tape, json_root (&tape), "", 0), json_root (&tape));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *pointer = cases[i].pointer;
    const struct json_node *n = json_pointer (&tape, json_root (&tape), pointer, strlen (pointer));
    if (n == NULL ? cases[i].raw == NULL : cases[i].raw != NULL && is_raw (&tape, n, cases[i].raw))
      continue;
    printf ("# %s\n", pointer);
    CU_FAIL ("a pointer leads elsewhere");
  }
}

static void
test_strings (void)
{
  static const char resolved[] = "\"\\/\b\f\n\r\tAé€😀";
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  const struct json_node *n;
  const char *text;
  size_t len;

  read_good (&tape,
             "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\",\"plain\","
             "\"a\\u0000b\",5,\"\"]",
             &a);
  n = json_first (json_root (&tape));
  text = json_string (&tape, n, &a, &len);
  CU_ASSERT (len == sizeof resolved - 1 && memcmp (text, resolved, len) == 0);
  CU_ASSERT_STRING_EQUAL (json_cstring (&tape, n, &a), resolved);
  CU_ASSERT (json_equals (&tape, n, resolved));
  CU_ASSERT_FALSE (json_equals (&tape, n, "\"\\/\b\f\n\r\tAé€"));

  n = json_next (n);
  CU_ASSERT_PTR_EQUAL (json_string (&tape, n, &a, &len), tape.text + n->start);
  CU_ASSERT_STRING_EQUAL (json_cstring (&tape, n, &a), "plain");
  CU_ASSERT (json_equals (&tape, n, "plain") && !json_equals (&tape, n, "plai"));

  n = json_next (n);
  CU_ASSERT (json_string (&tape, n, &a, &len) != NULL && len == 3);
  CU_ASSERT_PTR_NULL (json_cstring (&tape, n, &a));
  CU_ASSERT (json_equals_len (&tape, n, "a\0b", 3) && !json_equals (&tape, n, "a"));

  n = json_next (n);
  CU_ASSERT_PTR_NULL (json_string (&tape, n, &a, &len));
  CU_ASSERT_FALSE (json_equals (&tape, n, "5"));
  CU_ASSERT_STRING_EQUAL (json_cstring (&tape, json_next (n), &a), "");
  CU_ASSERT_PTR_NULL (json_cstring (&tape, NULL, &a));
}

/* ---- numbers ---- */

static void
test_integers (void)
{
  static const struct {
    const char *text;
    bool good;
    int64_t value;
  } cases[] = { { "0", true, 0 },
                { "-0", true, 0 },
                { "0e999999999999999999999", true, 0 },
                { "9223372036854775807", true, INT64_MAX },
                { "-9223372036854775808", true, INT64_MIN },
                { "9223372036854775808", false, 0 },
                { "-9223372036854775809", false, 0 },
                { "18446744073709551616", false, 0 },
                { "1.0", true, 1 },
                { "1e2", true, 100 },
                { "12.50e1", true, 125 },
                { "1.5", false, 0 },
                { "1e-1", false, 0 },
                { "100e-2", true, 1 },
                { "1e18", true, 1000000000000000000 },
                { "1e19", false, 0 },
                { "1e99999999999999999999", false, 0 },
                { "0.00000000000000000001e20", true, 1 },
                { "9007199254740993", true, 9007199254740993 },
                { "null", false, 0 },
                { "\"1\"", false, 0 } };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t value = 0;
    read_good (&tape, cases[i].text, &a);
    if (json_int64 (&tape, json_root (&tape), &value) != cases[i].good || value != cases[i].value) {
      printf ("# %s\n", cases[i].text);
      CU_FAIL ("wrong integer");
    }
  }
}

static void
test_doubles (void)
{
  static const char *const texts[] = {
    "0",
    "0.1",
    "-2.5",
    "1e22",
    "1e23",
    "123456789012345678",
    "5e-324",
    "2e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "9007199254740993",
    "0.3e1",
    "0.000001",
    "100000000000000000000000000000000000000000000000000000000000000000001",
    "179769313486231580793728971405301199999999999999999999999999999999999999999999999e227"
  };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  double value;

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double expected = strtod (texts[i], NULL);
    read_good (&tape, texts[i], &a);
    if (json_double (&tape, json_root (&tape), &value) != isfinite (expected)
        || (isfinite (expected) && value != expected)) {
      printf ("# %s: %.17g\n", texts[i], value);
      CU_FAIL ("wrong double");
    }
  }
  read_good (&tape, "1e999", &a);
  CU_ASSERT_FALSE (json_double (&tape, json_root (&tape), &value));
  read_good (&tape, "1e-99999999999999999999999", &a);
  CU_ASSERT (json_double (&tape, json_root (&tape), &value) && value == 0);
}

/* ---- equality ---- */

static bool
same (const char *x, const char *y)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape p, q;
  bool there, back;

  read_good (&p, x, &a);
  read_good (&q, y, &a);
  there = json_same (&p, json_root (&p), &q, json_root (&q));
  back = json_same (&q, json_root (&q), &p, json_root (&p));
  CU_ASSERT_EQUAL (there, back);
  return there;
}

static void
test_equality (void)
{
  CU_ASSERT (same ("1", "1.0") && same ("100", "1e2") && same ("-0", "0"));
  CU_ASSERT (same ("0.00120", "12e-4") && same ("1e400", "10e399"));
  CU_ASSERT_FALSE (same ("9007199254740992", "9007199254740993"));
  CU_ASSERT_FALSE (same ("1", "-1"));
  CU_ASSERT_FALSE (same ("1", "true"));
  CU_ASSERT_FALSE (same ("0", "false"));
  CU_ASSERT_FALSE (same ("0", "null"));
  CU_ASSERT (same ("\"a\"", "\"\\u0061\"") && same ("\"\\/\"", "\"/\""));
  CU_ASSERT_FALSE (same ("\"a\"", "\"ab\""));
  CU_ASSERT (same ("[1,[2]]", "[1.0,[2]]"));
  CU_ASSERT_FALSE (same ("[1,2]", "[2,1]"));
  CU_ASSERT_FALSE (same ("[1,2]", "[1,2,3]"));
  CU_ASSERT (same ("{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"\\u0061\":1.0}"));
  CU_ASSERT_FALSE (same ("{\"a\":1}", "{\"a\":2}"));
  CU_ASSERT_FALSE (same ("{\"a\":1}", "{\"b\":1}"));
  CU_ASSERT_FALSE (same ("{\"a\":1}", "{\"a\":1,\"b\":1}"));
  CU_ASSERT_FALSE (same ("{}", "[]"));
}

/* Large objects in reverse order: neither wrong nor a member at a time. */
static void
test_equality_of_shuffled_objects (void)
{
  CLEANUP_BUF struct buf x = { 0 };
  CLEANUP_BUF struct buf y = { 0 };
  enum { COUNT = 10000 };

  write_members (&x, COUNT, "m");
  buf_puts (&x, "}");
  buf_putc (&y, '{');
  for (int i = COUNT - 1; i >= 0; i--)
    buf_printf (&y, "\"m%d\":%d%s", i, i, i != 0 ? "," : "}");
  CU_ASSERT (same (buf_cstr (&x), buf_cstr (&y)));
  y.data[y.len - 2] = '1';
  CU_ASSERT_FALSE (same (buf_cstr (&x), buf_cstr (&y)));
}

static void
test_utf8 (void)
{
  CU_ASSERT (utf8_valid ("", 0) && utf8_valid ("abcdefghijklmnop", 16));
  CU_ASSERT (utf8_valid ("a\0b", 3) && utf8_valid ("12345678é", 10));
  CU_ASSERT (utf8_valid ("\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 14));
  CU_ASSERT_FALSE (utf8_valid ("12345678\xc3", 9));
  CU_ASSERT_FALSE (utf8_valid ("\x80", 1));
  CU_ASSERT_FALSE (utf8_valid ("\xc1\xbf", 2));
  CU_ASSERT_FALSE (utf8_valid ("\xe0\x9f\xbf", 3));
  CU_ASSERT_FALSE (utf8_valid ("\xed\xa0\x80", 3));
  CU_ASSERT_FALSE (utf8_valid ("\xf0\x8f\xbf\xbf", 4));
  CU_ASSERT_FALSE (utf8_valid ("\xf4\x90\x80\x80", 4));
  CU_ASSERT_FALSE (utf8_valid ("\xf8\x88\x80\x80\x80", 5));
}

/* ---- JSONTestSuite ---- */

/* RFC 8259 lets these pass; the default is to refuse them. */
static const char *const about_names[] = { "y_object_duplicated_key.json",
                                           "y_object_duplicated_key_and_value.json",
                                           "y_object_escaped_null_in_key.json", NULL };

/* Of what the RFC leaves open, all else is refused: what is not UTF-8, and lone surrogates. */
static const char *const open_and_accepted[] = { "i_number_double_huge_neg_exp.json",
                                                 "i_number_huge_exp.json",
                                                 "i_number_neg_int_huge_exp.json",
                                                 "i_number_pos_double_huge_exp.json",
                                                 "i_number_real_neg_overflow.json",
                                                 "i_number_real_pos_overflow.json",
                                                 "i_number_real_underflow.json",
                                                 "i_number_too_big_neg_int.json",
                                                 "i_number_too_big_pos_int.json",
                                                 "i_number_very_big_negative_int.json",
                                                 NULL };

static bool
is_among (const char *const *names, const char *name)
{
  while (*names != NULL && strcmp (*names, name) != 0)
    names++;
  return *names != NULL;
}

static bool
is_expected (const char *name, bool any_names)
{
  if (*name == 'i')
    return is_among (open_and_accepted, name);
  return *name == 'y' && (any_names || !is_among (about_names, name));
}

static void
run_json_test_suite (bool any_names)
{
  struct json_limits limits = *usual;
  const char *why;
  const char *dir = data_path ("json-test-suite.tar.gz", "test_parsing", &why);
  unsigned seen[128] = { 0 };
  struct dirent *entry;
  DIR *list;

  if (*dir == '\0')
    TAP_SKIP (why);
  limits.any_names = any_names;
  list = opendir (dir);
  CU_ASSERT_PTR_NOT_NULL_FATAL (list);
  while ((entry = readdir (list)) != NULL) {
    CLEANUP_ARENA struct arena a = { 0 };
    struct json_tape tape;
    const char *name = entry->d_name;
    size_t len = 0;
    bool good;
    if (strstr (name, ".json") == NULL)
      continue;
    CLEANUP_FREE char *text = data_read (dir, name, &len);
    CU_ASSERT_PTR_NOT_NULL_FATAL (text);
    good = reads (text, len, &limits, &tape, &a);
    seen[(unsigned char) *name & 127]++;
    if (good != is_expected (name, any_names)) {
      printf ("# %s was %s\n", name, good ? "accepted" : "refused");
      CU_FAIL ("wrong verdict");
    }
  }
  (void) closedir (list);
  CU_ASSERT_EQUAL (seen['y'], 95);
  CU_ASSERT_EQUAL (seen['n'], 188);
  CU_ASSERT_EQUAL (seen['i'], 35);
}

static void
test_json_test_suite (void)
{
  run_json_test_suite (false);
}

/* All 95 that must be accepted are. */
static void
test_json_test_suite_to_the_letter (void)
{
  run_json_test_suite (true);
}

static CU_TestInfo reading[] = {
  { "accepts", test_accepts },
  { "refuses, with place and reason", test_refuses_with_place_and_reason },
  { "refuses zero bytes", test_refuses_zero_bytes },
  { "sees each byte of a string", test_sees_each_byte_of_a_string },
  { "no prefix is accepted", test_no_prefix_is_accepted },
  { "changed bytes do no harm", test_changed_bytes_do_no_harm },
  { "limits", test_limits },
  { "a million brackets", test_a_million_brackets },
  { "duplicates in objects of any size", test_duplicates_in_objects_of_any_size },
  { "JSONTestSuite", test_json_test_suite },
  { "JSONTestSuite to the letter", test_json_test_suite_to_the_letter },
  CU_TEST_INFO_NULL
};
static CU_TestInfo looking[] = { { "the tape", test_the_tape },
                                 { "members", test_members },
                                 { "several members", test_several_members },
                                 { "pointers", test_pointers },
                                 { "strings", test_strings },
                                 { "integers", test_integers },
                                 { "doubles", test_doubles },
                                 { "equality", test_equality },
                                 { "equality of shuffled objects",
                                   test_equality_of_shuffled_objects },
                                 { "UTF-8", test_utf8 },
                                 CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "json_read", NULL, NULL, NULL, NULL, reading },
                                 { "json_tape", NULL, NULL, NULL, NULL, looking },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

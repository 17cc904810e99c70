/* What json-c gets wrong when it reads never reaches it, and what it holds is exact. */
#include <dirent.h>
#include <math.h>

#include "base/json_c.h"
#include "data.h"
#include "schema/json_c.h"
#include "tap.h"

/* A text on a tape, and that as a value of json-c. */
struct held {
  struct arena arena;
  struct json_tape tape;
  struct json_object *object;
  struct error err;
  bool read, made;
};

static void
hold_len (struct held *h, const char *text, size_t len)
{
  static const struct json_limits limits = {
    .depth = 2000, .nodes = 1 << 20, .members = 10000, .number_len = 512
  };

  *h = (struct held){ .read = false };
  h->read = json_read (&h->tape, text, len, &limits, &h->arena);
  h->made = h->read && json_c_from_tape (&h->tape, json_root (&h->tape), &h->object, &h->err);
}

static void
hold (struct held *h, const char *text)
{
  hold_len (h, text, strlen (text));
}

static void
drop (struct held *h)
{
  json_object_put (h->object);
  arena_free (&h->arena);
}

static const char *
printed (struct json_object *object)
{
  return json_object_to_json_string_ext (object,
                                         JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* json-c's tokener takes each of these, strict or not, or reads something else than is written. */
static void
refused_before_json_c (void)
{
  static const struct {
    const char *text;
    enum json_fault fault;
  } rows[] = {
    { "{\"a\\u0000b\":1}", JSON_SYNTAX },
    { "{\"a\\u0000b\":1,\"a\":2,\"a\":3}", JSON_SYNTAX },
    { "{\"a\":1,\"a\":2}", JSON_DUPLICATE },
    { "{\"a\":1,\"\\u0061\":2}", JSON_DUPLICATE },
    { "{'a':1}", JSON_SYNTAX },
    { "['a']", JSON_SYNTAX },
    { "[NaN]", JSON_SYNTAX },
    { "[Infinity]", JSON_SYNTAX },
    { "[-Infinity]", JSON_SYNTAX },
    { "[\"a\nb\"]", JSON_SYNTAX },
    { "[2.e3]", JSON_SYNTAX },
    { "\"\\ud800\"", JSON_ENCODING },
    { "\"\xff\"", JSON_ENCODING },
    { "\"\xc0\xaf\"", JSON_ENCODING },
    { "\"\xed\xa0\x80\"", JSON_ENCODING },
    { "[1,]", JSON_SYNTAX },
    { "{\"a\":1,}", JSON_SYNTAX },
    { "// x\n{}", JSON_SYNTAX },
    { "/* x */{}", JSON_SYNTAX },
    { "[TRUE]", JSON_SYNTAX },
    { "[Null]", JSON_SYNTAX },
    { "[01]", JSON_SYNTAX },
    { "{} x", JSON_SYNTAX },
    { "{}{}", JSON_SYNTAX },
    { "", JSON_SYNTAX },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct held h;
    hold (&h, rows[i].text);
    CU_ASSERT_FALSE (h.read);
    CU_ASSERT_EQUAL (h.tape.fault, rows[i].fault);
    CU_ASSERT_PTR_NULL (h.object);
    if (h.read || h.tape.fault != rows[i].fault)
      printf ("# row %zu: %s\n", i, rows[i].text);
    drop (&h);
  }
}

/* Each is printed by json-c as it was written. */
static void
kept_as_written (void)
{
  static const char *const rows[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "\"\"",
    "[]",
    "{}",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    /* json-c would make the largest or smallest integer of these */
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "-123456789012345678901234567890",
    "1.0",
    "0.1",
    "1e2",
    "-0.0",
    "1E+10",
    "5e-324",
    "1e-400",
    "0.1000000000000000055511151231257827021181583404541015625",
    "[null,[true,[false]],{\"b\":[1,2.50],\"a\":{\"\":null}}]",
    "\"a\\u0000b\"",
    "[\"\\u0000\",\"\\u0000\\u0000\"]",
    "\"\xc3\xa9\xf0\x9f\x98\x80\"",
    "{\"__proto__\":1,\"\xc3\xa9\":2}",
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct held h;
    hold (&h, rows[i]);
    CU_ASSERT_TRUE (h.made);
    CU_ASSERT_STRING_EQUAL (printed (h.object), rows[i]);
    if (strcmp (printed (h.object), rows[i]) != 0)
      printf ("# row %zu: %s %s\n", i, printed (h.object), h.err.text);
    drop (&h);
  }
}

static void
types_of_numbers (void)
{
  struct held h;

  hold (&h, "[9223372036854775807,18446744073709551615,-9223372036854775808,"
            "18446744073709551616,1.0,-0]");
  CU_ASSERT_TRUE_FATAL (h.made);
#define ITEM(i) json_object_array_get_idx (h.object, i)
  CU_ASSERT_TRUE (json_object_is_type (ITEM (0), json_type_int));
  CU_ASSERT_EQUAL (json_object_get_int64 (ITEM (0)), INT64_MAX);
  CU_ASSERT_TRUE (json_object_is_type (ITEM (1), json_type_int));
  CU_ASSERT_EQUAL (json_object_get_uint64 (ITEM (1)), UINT64_MAX);
  CU_ASSERT_EQUAL (json_object_get_int64 (ITEM (2)), INT64_MIN);
  CU_ASSERT_TRUE (json_object_is_type (ITEM (3), json_type_double));
  CU_ASSERT_EQUAL (json_object_get_double (ITEM (3)), 18446744073709551616.0);
  CU_ASSERT_TRUE (json_object_is_type (ITEM (4), json_type_double));
  CU_ASSERT_TRUE (json_object_is_type (ITEM (5), json_type_int));
  CU_ASSERT_EQUAL (json_object_get_int64 (ITEM (5)), 0);
#undef ITEM
  drop (&h);
}

static void
lengths_of_strings (void)
{
  static const char text[] = "\"a\\u0000b\\ud83d\\ude00\"";
  struct held h;

  hold (&h, text);
  CU_ASSERT_TRUE_FATAL (h.made);
  CU_ASSERT_EQUAL (json_object_get_string_len (h.object), 7);
  CU_ASSERT_EQUAL (memcmp (json_object_get_string (h.object), "a\0b\xf0\x9f\x98\x80", 8), 0);
  drop (&h);
}

static void
what_json_c_cannot_hold (void)
{
  static const struct {
    const char *text, *sentence;
  } rows[] = {
    { "1e400", "byte 0: the number is beyond what a double can be" },
    { "[1,-1e400]", "byte 3: the number is beyond what a double can be" },
    { "{\"a\":[1.5,{\"b\":1e999}]}", "byte 15: the number is beyond what a double can be" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct held h;
    hold (&h, rows[i].text);
    CU_ASSERT_TRUE (h.read);
    CU_ASSERT_FALSE (h.made);
    CU_ASSERT_PTR_NULL (h.object);
    CU_ASSERT_STRING_EQUAL (h.err.text, rows[i].sentence);
    drop (&h);
  }
}

/* Arrays within arrays; json-c's tokener stops at 32 unless it is told more. */
static void
depth (void)
{
  char text[2 * (JSON_C_DEPTH_MAX + 1)];
  struct held h;
  struct json_tape back;

  memset (text, '[', sizeof text / 2);
  memset (text + sizeof text / 2, ']', sizeof text / 2);
  hold_len (&h, text, sizeof text);
  CU_ASSERT_TRUE (h.read);
  CU_ASSERT_FALSE (h.made);
  CU_ASSERT_STRING_EQUAL (h.err.text, "byte 512: nested too deeply for json-c");
  drop (&h);

  hold_len (&h, text + 1, sizeof text - 2);
  CU_ASSERT_TRUE_FATAL (h.made);
  CU_ASSERT_TRUE (json_c_to_tape (h.object, &back, &h.arena));
  struct json_object *deeper = json_object_new_array ();
  json_object_array_add (deeper, json_object_get (h.object));
  CU_ASSERT_FALSE (json_c_to_tape (deeper, &back, &h.arena));
  CU_ASSERT_EQUAL (back.fault, JSON_TOO_DEEP);
  json_object_put (deeper);
  drop (&h);
}

static void
there_and_back (void)
{
  static const char *const rows[] = {
    "null",
    "[1,-1,18446744073709551615,123456789012345678901234567890,0.1,1.0,1e2,-0.0,5e-324]",
    "{\"a\":\"x\\u0000\\n\\\"\\\\/\xc3\xa9\",\"\":{},\"b\":[[],[true,false,null]]}",
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct held h;
    struct json_tape back;
    hold (&h, rows[i]);
    CU_ASSERT_TRUE (h.made);
    CU_ASSERT_TRUE (json_c_to_tape (h.object, &back, &h.arena));
    CU_ASSERT_TRUE (json_same (&h.tape, json_root (&h.tape), &back, json_root (&back)));
    CU_ASSERT_EQUAL (back.count, h.tape.count);
    drop (&h);
  }
}

/* Whatever the reader accepts of the suite; only numbers beyond all doubles stay outside. */
static void
json_test_suite (void)
{
  const char *why;
  const char *dir = data_path ("json-test-suite.tar.gz", "test_parsing", &why);
  unsigned held = 0;
  struct dirent *entry;
  DIR *list;

  if (*dir == '\0')
    TAP_SKIP (why);
  list = opendir (dir);
  CU_ASSERT_PTR_NOT_NULL_FATAL (list);
  while ((entry = readdir (list)) != NULL) {
    size_t len = 0;
    struct held h;
    struct json_tape back;
    if (strstr (entry->d_name, ".json") == NULL)
      continue;
    CLEANUP_FREE char *text = data_read (dir, entry->d_name, &len);
    CU_ASSERT_PTR_NOT_NULL_FATAL (text);
    hold_len (&h, text, len);
    if (h.made) {
      held++;
      CU_ASSERT_TRUE_FATAL (json_c_to_tape (h.object, &back, &h.arena));
      CU_ASSERT_TRUE (json_same (&h.tape, json_root (&h.tape), &back, json_root (&back)));
    }
    else if (h.read)
      CU_ASSERT_PTR_NOT_NULL (strstr (h.err.text, "beyond what a double can be"));
    drop (&h);
  }
  (void) closedir (list);
  CU_ASSERT (held >= 90);
}

/* The text of an object's tape; the object is put. */
static void
becomes (struct json_object *object, const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_c_to_tape (object, &tape, &arena));
  CU_ASSERT_EQUAL (tape.text_len, strlen (text));
  CU_ASSERT_EQUAL (strncmp (tape.text, text, tape.text_len), 0);
  if (strncmp (tape.text, text, tape.text_len) != 0)
    printf ("# expected %s, got %.*s\n", text, (int) tape.text_len, tape.text);
  json_object_put (object);
}

static int
no_json (struct json_object *object, struct printbuf *out, int level, int flags)
{
  (void) object;
  (void) level;
  (void) flags;
  return printbuf_memappend (out, "1,2", 3);
}

static void
numbers_a_program_made (void)
{
  static char two_digits[] = "%.2f";
  struct json_object *rounded = json_object_new_double (0.125);
  struct json_object *odd = json_object_new_double (0.5);

  becomes (json_object_new_double (0.1), "0.1");
  becomes (json_object_new_double (0.1 + 0.2), "0.30000000000000004");
  becomes (json_object_new_double_s (0.1, "1.0e-1"), "1.0e-1");
  /* neither a text of another number is taken, nor one that is no number */
  becomes (json_object_new_double_s (0.1, "0.2"), "0.1");
  becomes (json_object_new_double_s (0.1, "0.1 "), "0.1");
  becomes (json_object_new_double_s (0.1, "[0.1]"), "0.1");
  json_object_set_serializer (rounded, json_object_double_to_json_string, two_digits, NULL);
  becomes (rounded, "0.125");
  json_object_set_serializer (odd, no_json, two_digits, NULL);
  becomes (odd, "0.5");
  becomes (json_object_new_uint64 (UINT64_MAX), "18446744073709551615");
  becomes (json_object_new_int64 (INT64_MAX), "9223372036854775807");
  becomes (json_object_new_int64 (INT64_MIN), "-9223372036854775808");
  becomes (json_object_new_string_len ("a\0b", 3), "\"a\\u0000b\"");
  becomes (NULL, "null");
}

static void
refused (struct json_object *value, enum json_fault fault, const char *problem)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_object *object = json_object_new_object ();
  struct json_tape tape;

  json_object_object_add (object, "a", value);
  CU_ASSERT_FALSE (json_c_to_tape (object, &tape, &arena));
  CU_ASSERT_EQUAL (tape.fault, fault);
  CU_ASSERT_STRING_EQUAL (tape.problem, problem);
  json_object_put (object);
}

static void
what_is_no_json (void)
{
  struct json_object *object = json_object_new_object ();

  refused (json_object_new_double (NAN), JSON_SYNTAX, "a number that is not finite");
  refused (json_object_new_double (-INFINITY), JSON_SYNTAX, "a number that is not finite");
  refused (json_object_new_double_s (INFINITY, "1"), JSON_SYNTAX, "a number that is not finite");
  refused (json_object_new_string ("\xff"), JSON_ENCODING, "not UTF-8");
  refused (json_object_new_string ("\xed\xa0\x80"), JSON_ENCODING, "not UTF-8");
  json_object_object_add (object, "\xc0\xaf", NULL);
  refused (object, JSON_ENCODING, "not UTF-8");
}

/* ---- validation ---- */

/* Is the document valid, held by json-c and on the tape it came from? */
static void
judged (const char *schema_text, const char *document, bool good)
{
  struct held s, h;
  struct error err = { 0 };
  struct schema_report report = { .count = 0 };

  hold (&s, schema_text);
  hold (&h, document);
  struct schema *schema = schema_compile (&s.tape, json_root (&s.tape), NULL, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  CU_ASSERT_TRUE_FATAL (h.made);
  CU_ASSERT_EQUAL (schema_validate (schema, &h.tape, json_root (&h.tape), NULL, &h.arena), good);
  CU_ASSERT_EQUAL (schema_validate_json_c (schema, h.object, &report, &h.arena), good);
  CU_ASSERT_EQUAL (report.count, good ? 0 : 1);
  schema_free (schema);
  drop (&s);
  drop (&h);
}

static void
one_program_for_both (void)
{
  judged ("{\"type\":\"integer\"}", "1.0", true);
  judged ("{\"type\":\"integer\"}", "1.5", false);
  judged ("{\"type\":\"integer\"}", "123456789012345678901234567890", true);
  judged ("{\"const\":123456789012345678901234567890}", "123456789012345678901234567890", true);
  judged ("{\"const\":123456789012345678901234567890}", "123456789012345678901234567891", false);
  judged ("{\"maximum\":18446744073709551615}", "18446744073709551616", false);
  judged ("{\"multipleOf\":0.1}", "0.3", true);
  judged ("{\"enum\":[1]}", "1.0", true);
  judged ("{\"minLength\":3}", "\"a\\u0000b\"", true);
  judged ("{\"const\":\"a\"}", "\"a\\u0000b\"", false);
  judged ("{\"type\":\"null\"}", "null", true);
  judged ("{\"required\":[\"a\"]}", "{}", false);
}

static void
no_json_is_not_valid (void)
{
  struct held s;
  struct error err = { 0 };
  struct schema_report report = { .count = 0 };
  struct json_object *nan = json_object_new_double (NAN);

  hold (&s, "true");
  struct schema *schema = schema_compile (&s.tape, json_root (&s.tape), NULL, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  CU_ASSERT_FALSE (schema_validate_json_c (schema, nan, NULL, &s.arena));
  CU_ASSERT_FALSE (schema_validate_json_c (schema, nan, &report, &s.arena));
  CU_ASSERT_EQUAL (report.count, 1);
  CU_ASSERT_STRING_EQUAL (report.problems[0].pointer, "");
  CU_ASSERT_STRING_EQUAL (report.problems[0].message,
                          "the value is no JSON: a number that is not finite");
  json_object_put (nan);
  schema_free (schema);
  drop (&s);
}

static CU_TestInfo tests[] = { { "what json-c misreads is refused before", refused_before_json_c },
                               { "what is held prints as it was written", kept_as_written },
                               { "numbers have the type they need", types_of_numbers },
                               { "strings keep their length", lengths_of_strings },
                               { "what json-c can't hold has a reason", what_json_c_cannot_hold },
                               { "depth is bounded both ways", depth },
                               { "there and back is the same", there_and_back },
                               { "JSONTestSuite there and back", json_test_suite },
                               { "numbers a program made", numbers_a_program_made },
                               { "what is no JSON is refused", what_is_no_json },
                               { "one program judges both", one_program_for_both },
                               { "no JSON is not valid", no_json_is_not_valid },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "json-c", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

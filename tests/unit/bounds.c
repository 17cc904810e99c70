#include "bounds.h"

#include <string.h>
#include <time.h>

#include "base/json_write.h"
#include "schema/schema.h"

enum { SUBJECT_LEN = 100 * 1024 };

/* ---- schemas ---- */

static void
repeat (struct buf *out, const char *text, unsigned times)
{
  while (times-- != 0)
    buf_puts (out, text);
}

/* d0 uses d1 twice, d1 uses d2 twice, …: before, "$ref", between, "$ref", after. */
static void
doubling (struct buf *out, unsigned levels, const char *before, const char *between,
          const char *after)
{
  buf_puts (out, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (unsigned i = 0; i < levels; i++) {
    buf_printf (out, "\"d%u\":%s{\"$ref\":\"#/$defs/d%u\"}", i, before, i + 1);
    buf_printf (out, "%s{\"$ref\":\"#/$defs/d%u\"}%s,", between, i + 1, after);
  }
  buf_printf (out, "\"d%u\":{\"type\":\"null\"}}}", levels);
}

static void
write_all_of_doubling (struct buf *out)
{
  doubling (out, 28, "{\"allOf\":[", ",", "]}");
}

static void
write_any_of_doubling (struct buf *out)
{
  /* no branch fits, so that all of them are tried */
  buf_puts (out, "{\"not\":");
  doubling (out, 28, "{\"anyOf\":[{\"allOf\":[", "]},{\"allOf\":[{\"type\":\"string\"},", "]}]}");
  buf_putc (out, '}');
}

static void
write_one_of_doubling (struct buf *out)
{
  doubling (out, 28, "{\"oneOf\":[{\"not\":", "},", "]}");
}

static void
write_if_doubling (struct buf *out)
{
  doubling (out, 28, "{\"if\":", ",\"then\":", "}");
}

static void
write_dependent_doubling (struct buf *out)
{
  doubling (out, 28, "{\"dependentSchemas\":{\"a\":", ",\"b\":", "}}");
}

static void
write_unevaluated_doubling (struct buf *out)
{
  doubling (out, 14, "{\"unevaluatedProperties\":false,\"anyOf\":[", ",", "]}");
}

static void
write_items_doubling (struct buf *out)
{
  doubling (out, 28, "{\"items\":", ",\"contains\":", "}");
}

static void
write_long_chain (struct buf *out)
{
  buf_puts (out, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (unsigned i = 0; i < 1500; i++)
    buf_printf (out, "\"d%u\":{\"$ref\":\"#/$defs/d%u\"},", i, i + 1);
  buf_puts (out, "\"d1500\":true}}");
}

static void
write_loop (struct buf *out)
{
  buf_puts (out, "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/"
                 "a\"}]}},\"$ref\":\"#/$defs/a\"}");
}

static void
write_deep_all_of (struct buf *out)
{
  repeat (out, "{\"allOf\":[", 31);
  buf_puts (out, "true");
  repeat (out, "]}", 31);
}

static void
write_deep_properties (struct buf *out)
{
  repeat (out, "{\"items\":", 63);
  buf_puts (out, "{}");
  repeat (out, "}", 63);
}

static void
write_too_deep (struct buf *out)
{
  repeat (out, "{\"not\":", 100000);
  buf_puts (out, "{}");
  repeat (out, "}", 100000);
}

static void
write_wide (struct buf *out, const char *before, const char *item, unsigned times,
            const char *after)
{
  buf_puts (out, before);
  for (unsigned i = 0; i < times; i++)
    buf_printf (out, "%s%s", i != 0 ? "," : "", item);
  buf_puts (out, after);
}

static void
write_many_branches (struct buf *out)
{
  write_wide (out, "{\"anyOf\":[", "{\"minProperties\":5}", 3000, "]}");
}

/* Each branch looks at the whole value, and at each of its items again. */
static void
write_recursive_branches (struct buf *out)
{
  write_wide (out, "{\"type\":\"array\",\"items\":{\"oneOf\":[", "{\"$ref\":\"#\"}", 30, "]}}");
}

static void
write_dynamic_branches (struct buf *out)
{
  write_wide (out, "{\"$dynamicAnchor\":\"n\",\"type\":\"array\",\"items\":{\"oneOf\":[",
              "{\"$dynamicRef\":\"#n\"}", 30, "]}}");
}

static void
write_large_enum (struct buf *out)
{
  buf_puts (out, "{\"enum\":[");
  for (unsigned i = 0; i < 150000; i++)
    buf_printf (out, "\"value %u\",", i);
  buf_puts (out, "0]}");
}

static void
write_enum_of_objects (struct buf *out)
{
  buf_puts (out, "{\"items\":{\"enum\":[");
  for (unsigned i = 0; i < 10000; i++)
    buf_printf (out, "{\"a\":{\"b\":[1,2,3,4]},\"c\":%u},", i);
  buf_puts (out, "0]}}");
}

static void
write_many_properties (struct buf *out)
{
  buf_puts (out, "{\"properties\":{");
  for (unsigned i = 0; i < 50000; i++)
    buf_printf (out, "\"p%u\":{},", i);
  buf_puts (out, "\"q\":{}}}");
}

static void
write_giant_pattern (struct buf *out)
{
  buf_puts (out, "{\"pattern\":\"");
  repeat (out, "(a|b)?", 100000);
  buf_puts (out, "\"}");
}

static void
write_multiplied_pattern (struct buf *out)
{
  buf_puts (out, "{\"pattern\":\"^((((a{1,99}){1,99}){1,99}){1,99}){1,99}$\"}");
}

static void
write_nested_pattern (struct buf *out)
{
  buf_puts (out, "{\"pattern\":\"");
  repeat (out, "(", 1900);
  repeat (out, ")", 1900);
  buf_puts (out, "\"}");
}

static void
write_class_pattern (struct buf *out)
{
  buf_puts (out, "{\"pattern\":\"^(");
  repeat (out, "[\\\\p{L}\\\\p{Script=Greek}\\\\w-]{0,9}", 100);
  buf_puts (out, ")$\"}");
}

static void
write_many_patterns (struct buf *out)
{
  buf_puts (out, "{\"patternProperties\":{");
  for (unsigned i = 0; i < 1900; i++)
    buf_printf (out, "\"^(x+x+)+(y|%u){1,200}z$\":true,", i);
  buf_puts (out, "\"q\":true}}");
}

static void
write_some_patterns (struct buf *out)
{
  buf_puts (out, "{\"patternProperties\":{");
  for (unsigned i = 0; i < 200; i++)
    buf_printf (out, "\"(x+x+)+%u\":true,", i);
  buf_puts (out, "\"q\":true}}");
}

static void
write_unique (struct buf *out)
{
  buf_puts (out, "{\"uniqueItems\":true}");
}

static void
write_unique_of_unique (struct buf *out)
{
  buf_puts (out, "{\"uniqueItems\":true,\"items\":{\"allOf\":[{\"uniqueItems\":true},"
                 "{\"contains\":{\"const\":[0]},\"minContains\":0}]}}");
}

static void
write_unevaluated_names (struct buf *out)
{
  write_wide (out, "{\"unevaluatedProperties\":false,\"allOf\":[",
              "{\"patternProperties\":{\"[0-9]+$\":{}}}", 400, "]}");
}

static void
write_long_decimals (struct buf *out)
{
  buf_puts (out, "{\"items\":{\"multipleOf\":1e-300,\"maximum\":1e300}}");
}

/* ---- values ---- */

static void
write_nested_arrays (struct buf *out)
{
  repeat (out, "[", 60);
  repeat (out, "]", 60);
}

static void
write_two_members (struct buf *out)
{
  buf_puts (out, "{\"a\":1,\"b\":2}");
}

static void
write_object_items (struct buf *out)
{
  write_wide (out, "[", "{\"c\":9999,\"a\":{\"b\":[1,2,3,4]}}", 5000, "]");
}

static void
write_many_objects (struct buf *out)
{
  buf_putc (out, '[');
  for (unsigned i = 0; i < 15000; i++)
    buf_printf (out, "{\"a\":[%u,{\"b\":\"%u\"}]},", i, i);
  buf_puts (out, "0]");
}

static void
write_many_arrays (struct buf *out)
{
  buf_putc (out, '[');
  for (unsigned i = 0; i < 1500; i++) {
    buf_printf (out, "[%u", i);
    repeat (out, ",[0]", 40);
    buf_puts (out, "],");
  }
  buf_puts (out, "0]");
}

static void
write_many_members (struct buf *out)
{
  buf_putc (out, '{');
  for (unsigned i = 0; i < 9000; i++)
    buf_printf (out, "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%u\":%u,", i, i);
  buf_puts (out, "\"y\":0}");
}

static void
write_long_numbers (struct buf *out)
{
  buf_putc (out, '[');
  for (unsigned i = 0; i < 2000; i++) {
    buf_puts (out, "1");
    repeat (out, "1234567890", 50);
    buf_puts (out, "e9999999,");
  }
  buf_puts (out, "1.5e-9999999]");
}

static void
write_string (struct buf *out)
{
  buf_puts (out, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"");
}

/* ---- the cases ---- */

#define PATTERN(text, head_, unit_, tail_)                                                         \
  {                                                                                                \
    .name = text, .pattern = text, .head = head_, .unit = unit_, .tail = tail_                     \
  }
#define BOMB(name_, schema_, value_, expected_)                                                    \
  {                                                                                                \
    .name = name_, .schema = schema_, .value = value_, .expected = expected_                       \
  }

enum { ENDS = BOUNDS_REFUSED | BOUNDS_VALID | BOUNDS_INVALID | BOUNDS_TOO_COSTLY };

const struct bounds_case bounds_cases[] = {
  PATTERN ("^(a+)+$", "", "a", "!"),
  PATTERN ("^(a|a)*$", "", "a", "!"),
  PATTERN ("^(a|aa)+$", "", "a", "!"),
  PATTERN ("^(a*)*$", "", "a", "!"),
  PATTERN ("^(a*)*b", "", "a", ""),
  PATTERN ("^(.*a){20}$", "", "a", "!"),
  PATTERN ("^([a-zA-Z]+)*$", "", "a", "1"),
  PATTERN ("^(([a-z])+.)+[A-Z]([a-z])+$", "", "a", ""),
  PATTERN ("^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{"
           "2,3}[.]{1}[a-z]{2,3}))$",
           "", "a", "!"),
  PATTERN ("(x+x+)+y", "", "x", ""),
  PATTERN ("^(.*)*=$", "", "x", ""),
  PATTERN ("^(\\d+)*\\.$", "", "1", ""),
  PATTERN ("^(\\w+\\s?)*$", "", "word ", "!"),
  PATTERN ("\\s+$", "", " ", "x"),
  PATTERN ("^\\s+|\\s+$", "x", " ", "x"),
  PATTERN ("(a+){10}y", "", "a", ""),
  PATTERN ("^(a?){30}a{30}$", "", "a", ""),
  PATTERN ("(?=(a+))a*b\\1", "", "a", ""),
  PATTERN ("(a+)\\1+b", "", "a", ""),
  PATTERN ("^((ab)*)+$", "", "ab", "!"),
  PATTERN ("<!--(.|\\s)*?-->", "", "<!--", ""),
  PATTERN (".*.*.*=.*", "", "x", ""),
  PATTERN ("^(.*?,){20}P", "", "1,", ""),
  PATTERN ("^(([a-z]+)-?)*$", "", "ab-", "!"),
  PATTERN ("^\"(?:[^\"\\\\]+|\\\\.)*\"$", "\"", "a", ""),
  PATTERN ("^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$", "a.com/", "a/",
           "!"),
  PATTERN ("^(\\(?\\d{1,3}\\)?[- ]?)+$", "", "12", "x"),
  PATTERN ("^[\\w.+-]+@([\\w-]+\\.)+[\\w-]{2,}$", "a@", "a.", "!"),
  PATTERN ("(?:(?:a{0,30}){0,30}){0,30}b", "", "a", ""),
  PATTERN ("^(?=.*a)(?=.*b)(?=.*c).*(.*)*d$", "", "abc", ""),
  PATTERN ("(?<=a.{3})(b|b)+$", "aaaa", "b", "!"),
  PATTERN ("(\\p{L}+\\s*)+$", "", "\xc3\xa9", "!"),
  PATTERN ("([a-z]*[0-9]*)*!", "", "a1", ""),
  PATTERN ("^.*?.*?.*?.*?z$", "", "y", ""),
  PATTERN ("(?:.|\\n)+?(?:end|fin)(?:.|\\n)+?x", "", "end", ""),
  PATTERN ("[^]*a[^]*a[^]*b", "", "a", ""),

  BOMB ("$ref and allOf double 28 times", write_all_of_doubling, NULL, ENDS),
  BOMB ("$ref and anyOf double 28 times", write_any_of_doubling, NULL, ENDS),
  BOMB ("$ref and oneOf double 28 times", write_one_of_doubling, NULL, ENDS),
  BOMB ("$ref and if double 28 times", write_if_doubling, NULL, ENDS),
  BOMB ("$ref and dependentSchemas double 28 times", write_dependent_doubling, write_two_members,
        ENDS),
  BOMB ("unevaluatedProperties double 14 times", write_unevaluated_doubling, write_two_members,
        ENDS),
  BOMB ("items and contains double 28 times", write_items_doubling, write_nested_arrays, ENDS),
  BOMB ("$ref to $ref, 1,500 times", write_long_chain, NULL, BOUNDS_REFUSED),
  BOMB ("$ref in a circle", write_loop, NULL, BOUNDS_REFUSED),
  BOMB ("allOf in allOf, 31 deep", write_deep_all_of, NULL, BOUNDS_REFUSED | BOUNDS_VALID),
  BOMB ("items in items, 63 deep", write_deep_properties, write_nested_arrays, BOUNDS_REFUSED),
  BOMB ("not in not, 100,000 deep", write_too_deep, NULL, BOUNDS_REFUSED),
  BOMB ("3,000 branches", write_many_branches, NULL, BOUNDS_REFUSED),
  BOMB ("30 branches that lead back, 60 deep", write_recursive_branches, write_nested_arrays,
        BOUNDS_TOO_COSTLY),
  BOMB ("30 dynamic branches, 60 deep", write_dynamic_branches, write_nested_arrays,
        BOUNDS_TOO_COSTLY),
  BOMB ("enum of 150,000 texts", write_large_enum, write_string, BOUNDS_INVALID | BOUNDS_REFUSED),
  BOMB ("enum of 10,000 objects, for 5,000 items", write_enum_of_objects, write_object_items,
        BOUNDS_INVALID | BOUNDS_TOO_COSTLY),
  BOMB ("50,000 properties", write_many_properties, NULL, BOUNDS_REFUSED),
  BOMB ("a pattern of 600 kB", write_giant_pattern, write_string, BOUNDS_REFUSED),
  BOMB ("a pattern that counts to 99 five times", write_multiplied_pattern, write_string,
        BOUNDS_REFUSED),
  BOMB ("a pattern of 1,900 groups", write_nested_pattern, write_string, ENDS),
  BOMB ("a pattern of 100 large classes", write_class_pattern, write_string, ENDS),
  BOMB ("1,900 patterns", write_many_patterns, write_many_members, BOUNDS_REFUSED),
  BOMB ("200 slow patterns, for 9,000 names", write_some_patterns, write_many_members, ENDS),
  BOMB ("uniqueItems of 15,000 objects", write_unique, write_many_objects,
        BOUNDS_VALID | BOUNDS_TOO_COSTLY),
  BOMB ("uniqueItems in uniqueItems, 60,000 items", write_unique_of_unique, write_many_arrays,
        BOUNDS_INVALID | BOUNDS_TOO_COSTLY),
  BOMB ("400 patternProperties under unevaluatedProperties, 9,000 names", write_unevaluated_names,
        write_many_members, ENDS),
  BOMB ("2,000 numbers of 500 digits times 10^9999999", write_long_decimals, write_long_numbers,
        ENDS),
};
const size_t bounds_count = sizeof bounds_cases / sizeof *bounds_cases;

/* ---- running them ---- */

static void
write_pattern_schema (const struct bounds_case *c, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "pattern", c->pattern);
  jsonw_end (&w);
}

static void
write_subject (const struct bounds_case *c, struct buf *out)
{
  struct json_writer w = { .out = out };
  CLEANUP_BUF struct buf text = { 0 };

  buf_puts (&text, c->head);
  repeat (&text, c->unit, (unsigned) (SUBJECT_LEN / strlen (c->unit)));
  buf_puts (&text, c->tail);
  jsonw_string_len (&w, text.data, text.len);
}

static double
now (void)
{
  struct timespec ts;

  (void) clock_gettime (CLOCK_MONOTONIC, &ts);
  return (double) ts.tv_sec * 1e9 + (double) ts.tv_nsec;
}

static struct schema *
load (const struct buf *text, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, text->data, text->len, &json_default_limits, &arena)) {
    (void) error_set (err, "%s", tape.problem);
    return NULL;
  }
  return schema_compile (&tape, json_root (&tape), NULL, err);
}

static enum bounds_outcome
check (const struct schema *schema, const struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct schema_report report;

  if (!json_read (&tape, text->data, text->len, &json_default_limits, &arena))
    return BOUNDS_BROKEN;
  if (schema_validate (schema, &tape, json_root (&tape), &report, &arena))
    return BOUNDS_VALID;
  if (report.count == 0 || report.problems[0].message[0] == '\0')
    return BOUNDS_BROKEN;
  return strstr (report.problems[0].message, "too costly") != NULL ? BOUNDS_TOO_COSTLY
                                                                   : BOUNDS_INVALID;
}

enum bounds_outcome
bounds_run (const struct bounds_case *c, struct bounds_times *times)
{
  CLEANUP_BUF struct buf schema_text = { 0 };
  CLEANUP_BUF struct buf value = { 0 };
  struct bounds_times unused;
  struct error err = { "" };
  struct schema *schema;
  enum bounds_outcome outcome;

  if (times == NULL)
    times = &unused;
  if (c->pattern != NULL) {
    write_pattern_schema (c, &schema_text);
    write_subject (c, &value);
  }
  else {
    c->schema (&schema_text);
    if (c->value != NULL)
      c->value (&value);
    else
      buf_puts (&value, "null");
  }

  double start = now ();
  schema = load (&schema_text, &err);
  times->load_ns = now () - start;
  times->check_ns = 0;
  if (schema == NULL)
    return err.text[0] != '\0' ? BOUNDS_REFUSED : BOUNDS_BROKEN;
  start = now ();
  outcome = check (schema, &value);
  times->check_ns = now () - start;
  schema_free (schema);
  return outcome;
}

const char *
bounds_outcome_name (enum bounds_outcome outcome)
{
  switch (outcome) {
  case BOUNDS_REFUSED:
    return "refused";
  case BOUNDS_VALID:
    return "valid";
  case BOUNDS_INVALID:
    return "invalid";
  case BOUNDS_TOO_COSTLY:
    return "too costly";
  default:
    return "broken";
  }
}

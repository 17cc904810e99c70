#define PCRE2_CODE_UNIT_WIDTH 8
#include "rule.h"

#include <inttypes.h>
#include <pcre2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../common/utf8.h"
#include "read.h"

enum { PATTERN_MAX = 512, MATCH_STEPS = 100000, MATCH_KB = 1024, LENGTH_MAX = 1 << 24 };

const char *const parameter_types[] = { "string", "number", "integer", "boolean",
                                        "array",  "object", NULL };

bool
parameter_is (const struct value *value, const char *type)
{
  if (strcmp (type, "integer") == 0) {
    const double number = value_number (value);
    return value_is (value, VALUE_NUMBER)
           && (strpbrk (value->text, ".eE") == NULL
               || (number > -9e15 && number < 9e15 && !(number < (double) (int64_t) number)
                   && !(number > (double) (int64_t) number)));
  }
  return value != NULL && strcmp (value_type_name (value), type) == 0;
}

/* ---- reading ---- */

static void
read_type (struct reading *r, struct rule *rule)
{
  const char *type = read_text (r, "type", false, NAME_LEN_MAX);
  const struct place at = { r->at, "type", 0 };

  for (size_t i = 0; type != NULL && parameter_types[i] != NULL; i++)
    if (strcmp (parameter_types[i], type) == 0)
      rule->type = type;
  if (type != NULL && rule->type == NULL)
    r->good = problem_unknown (r->scope->problems, &at, "unknown_type", type, parameter_types,
                               "there is no type \"%s\"", type);
}

static void
read_param (struct reading *r, struct rule *rule)
{
  const char *const *known = r->scope->params;
  const struct place at = { r->at, "param", 0 };

  rule->param = read_text (r, "param", true, NAME_LEN_MAX);
  if (rule->param == NULL)
    return;
  while (*known != NULL && strcmp (*known, rule->param) != 0)
    known++;
  if (*known == NULL)
    r->good = problem_unknown (r->scope->problems, &at, "unknown_parameter", rule->param,
                               r->scope->params, "the tool has no parameter \"%s\"", rule->param);
}

static const struct value *
read_number (struct reading *r, const char *name)
{
  const struct value *number = read_value (r, name, false);

  if (number != NULL && number->type != VALUE_NUMBER)
    read_wrong (r, name, "wrong_type", "expected a number, got %s", value_type_name (number));
  return value_is (number, VALUE_NUMBER) ? number : NULL;
}

static void
read_pattern (struct reading *r, struct rule *rule)
{
  const char *text = read_text (r, "pattern", false, PATTERN_MAX);
  unsigned char why[120] = "";
  PCRE2_SIZE offset;
  int error;

  if (text == NULL)
    return;
  rule->pattern_text = text;
  rule->pattern = pcre2_compile ((PCRE2_SPTR) text, PCRE2_ZERO_TERMINATED,
                                 PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_ALT_BSUX
                                   | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF,
                                 &error, &offset, NULL);
  if (rule->pattern != NULL)
    return;
  (void) pcre2_get_error_message (error, why, sizeof why);
  read_wrong (r, "pattern", "bad_pattern", "no pattern, at %zu: %s", (size_t) offset, why);
}

bool
rule_read (struct rule *rule, const struct scope *scope, const struct place *at,
           const struct value *value)
{
  static const char *const known[] = { "param",   "required", "type",       "enum",
                                       "min",     "max",      "min_length", "max_length",
                                       "pattern", "message",  NULL };
  struct reading r;

  *rule = (struct rule){ .min_length = -1, .max_length = -1 };
  if (!read_begin (&r, scope, at, value))
    return false;
  read_known (&r, known);
  read_param (&r, rule);
  rule->required = read_bool (&r, "required", false);
  read_type (&r, rule);
  rule->choices = read_list (&r, "enum", false, 1000);
  rule->min = read_number (&r, "min");
  rule->max = read_number (&r, "max");
  rule->min_length = read_int (&r, "min_length", 0, LENGTH_MAX, -1);
  rule->max_length = read_int (&r, "max_length", 0, LENGTH_MAX, -1);
  read_pattern (&r, rule);
  rule->message = read_text (&r, "message", false, DESCRIPTION_MAX);
  return r.good;
}

void
rule_free (const struct rule *rule)
{
  pcre2_code_free (rule->pattern);
}

/* ---- checking ---- */

struct checking {
  const struct rule *rule;
  struct values *pool;
  const struct value **errors;
  bool good;
};

/* The rule's own message, or ours: that is told once then. */
static void wrong (struct checking *c, const char *what, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));

static void
wrong (struct checking *c, const char *what, const char *fmt, ...)
{
  char said[200];
  struct value_member members[3] = { { "param", 5, NULL },
                                     { "rule", 4, NULL },
                                     { "message", 7, NULL } };
  va_list args;

  va_start (args, fmt);
  (void) vsnprintf (said, sizeof said, fmt, args);
  va_end (args);
  c->good = false;
  members[0].value = value_string_z (c->pool, c->rule->param);
  members[1].value = value_string_z (c->pool, what);
  members[2].value = value_string_z (c->pool, c->rule->message != NULL ? c->rule->message : said);
  *c->errors = value_append (c->pool, *c->errors, value_object (c->pool, members, 3));
}

static bool
is_among (const struct value *value, const struct value *choices)
{
  for (size_t i = 0; i < choices->count; i++)
    if (value_equal (value, choices->items[i]))
      return true;
  return false;
}

/* Characters of a text, items of a list; -1: it has no length. */
static int64_t
length_of (const struct value *value)
{
  if (value->type == VALUE_STRING)
    return (int64_t) utf8_count (value->text, value->count);
  return value->type == VALUE_ARRAY ? (int64_t) value->count : -1;
}

static void
check_lengths (struct checking *c, const struct value *value)
{
  const int64_t length = length_of (value);
  const struct rule *rule = c->rule;

  if (length >= 0 && rule->min_length >= 0 && length < rule->min_length)
    wrong (c, "min_length", "%s must have a length of at least %" PRId64, rule->param,
           rule->min_length);
  if (length >= 0 && rule->max_length >= 0 && length > rule->max_length)
    wrong (c, "max_length", "%s must have a length of at most %" PRId64, rule->param,
           rule->max_length);
}

static void
check_sizes (struct checking *c, const struct value *value)
{
  const struct rule *rule = c->rule;

  if (value->type != VALUE_NUMBER)
    return;
  if (rule->min != NULL && value_number (value) < value_number (rule->min))
    wrong (c, "min", "%s must be at least %s", rule->param, rule->min->text);
  if (rule->max != NULL && value_number (value) > value_number (rule->max))
    wrong (c, "max", "%s must be at most %s", rule->param, rule->max->text);
}

/* 1: it matches; 0: it doesn't; less: it takes too long to tell. */
static int
matches (const pcre2_code *code, const struct value *value)
{
  pcre2_match_context *context = pcre2_match_context_create (NULL);
  pcre2_match_data *data = pcre2_match_data_create (1, NULL);
  int rc = PCRE2_ERROR_NOMEMORY;

  if (context != NULL && data != NULL) {
    (void) pcre2_set_match_limit (context, MATCH_STEPS);
    (void) pcre2_set_heap_limit (context, MATCH_KB);
    rc = pcre2_match (code, (PCRE2_SPTR) value->text, value->count, 0, 0, data, context);
  }
  pcre2_match_data_free (data);
  pcre2_match_context_free (context);
  return rc >= 0 ? 1 : rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static void
check_pattern (struct checking *c, const struct value *value)
{
  const struct rule *rule = c->rule;
  int is;

  if (rule->pattern == NULL || value->type != VALUE_STRING)
    return;
  is = matches (rule->pattern, value);
  if (is == 0)
    wrong (c, "pattern", "%s must match %s", rule->param, rule->pattern_text);
  else if (is < 0)
    wrong (c, "pattern", "%s takes too long to be matched with its pattern", rule->param);
}

bool
rule_check (const struct rule *rule, const struct value *params, struct values *pool,
            const struct value **errors)
{
  struct checking c = { .rule = rule, .pool = pool, .errors = errors, .good = true };
  const struct value *value = value_get_z (params, rule->param);

  if (value == NULL || value->type == VALUE_NULL) {
    if (rule->required)
      wrong (&c, "required", "%s is required", rule->param);
    return c.good;
  }
  if (rule->type != NULL && !parameter_is (value, rule->type))
    wrong (&c, "type", "%s must be of type %s", rule->param, rule->type);
  if (rule->choices != NULL && !is_among (value, rule->choices))
    wrong (&c, "enum", "%s is none of the values that are allowed", rule->param);
  check_sizes (&c, value);
  check_lengths (&c, value);
  check_pattern (&c, value);
  return c.good;
}

/* ---- writing ---- */

void
rule_write (const struct rule *rule, struct text *out)
{
  json_open (out, '{');
  json_name_string (out, "param", rule->param);
  if (rule->required)
    json_name_bool (out, "required", true);
  value_write_text_member (out, "type", rule->type);
  value_write_member (out, "enum", rule->choices);
  value_write_member (out, "min", rule->min);
  value_write_member (out, "max", rule->max);
  if (rule->min_length >= 0)
    json_name_int (out, "min_length", rule->min_length);
  if (rule->max_length >= 0)
    json_name_int (out, "max_length", rule->max_length);
  value_write_text_member (out, "pattern", rule->pattern_text);
  value_write_text_member (out, "message", rule->message);
  json_close (out, '}');
}

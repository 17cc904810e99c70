#include "schema/keywords.h"

/* ---- any value ---- */

static const struct {
  const char *name;
  uint16_t bits;
} types[] = {
  { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN }, { "integer", TYPE_INTEGER },
  { "string", TYPE_STRING }, { "array", TYPE_ARRAY },     { "number", TYPE_NUMBER | TYPE_INTEGER },
  { "object", TYPE_OBJECT },
};

static bool
add_type (struct subschema *s, const struct json_node *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (json_equals (s->c->tape, name, types[i].name)) {
      bool plain = types[i].bits == TYPE_INTEGER && s->resource->dialect.draft == SCHEMA_DRAFT_04;
      s->draft->rule.types |= plain ? TYPE_PLAIN_INTEGER : types[i].bits;
      return true;
    }
  return refuse (s->c, name, "expected null, boolean, integer, number, string, array or object");
}

bool
take_type (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->draft->rule.types = 0;
  if (value->type != JSON_ARRAY)
    return add_type (s, value);
  if (value->count == 0)
    return refuse (s->c, value, "expected one or more types");
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    if (!add_type (s, n))
      return false;
  return true;
}

static void
add_value (struct compiler *c, struct values *values, const struct json_node *value)
{
  if (value->type == JSON_STRING)
    (void) words_add (&values->strings, c->tape, value, c->arena);
  else
    values->others[values->others_count++] = value;
}

static struct values *
new_values (struct compiler *c, const struct json_node *source, uint32_t count)
{
  struct values *values = new_zeroed (c->arena, sizeof *values);

  values->source = source;
  words_init (&values->strings, count, c->arena);
  values->others = arena_alloc (c->arena, count * sizeof (struct json_node *));
  return values;
}

bool
take_enum (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct values *values;

  (void) k;
  if (!expect_type (s, value, JSON_ARRAY, "an array of values"))
    return false;
  s->draft->rule.enumeration = values = new_values (s->c, value, value->count);
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n))
    add_value (s->c, values, n);
  words_finish (&values->strings, s->c->arena);
  return true;
}

bool
take_const (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  (void) k;
  s->draft->rule.constant = new_values (s->c, value, 1);
  s->draft->rule.constant->constant = true;
  add_value (s->c, s->draft->rule.constant, value);
  return true;
}

/* ---- numbers and strings ---- */

bool
take_bound (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct bound *bound = field_of (s, k);

  if (value->type == JSON_TRUE || value->type == JSON_FALSE)
    return refuse (s->c, value, "expected a number (true and false are of draft-04)");
  if (!expect_type (s, value, JSON_NUMBER, "a number"))
    return false;
  bound->source = value;
  bound->value = json_decimal (s->c->tape->text + value->start, value->len);
  bound->is_small = json_decimal_int64 (&bound->value, &bound->small);
  return true;
}

/* draft-04: true says that the bound itself is excluded. */
bool
take_exclusive (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool minimum = k->field == offsetof (struct number_rules, minimum);

  if (value->type != JSON_TRUE && value->type != JSON_FALSE)
    return refuse (s->c, value, "expected true or false (a number is of draft-06 and later)");
  *(minimum ? &s->above_minimum : &s->below_maximum) = value->type == JSON_TRUE;
  return true;
}

bool
take_multiple (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  const struct bound *bound = field_of (s, k);

  if (!take_bound (s, k, value))
    return false;
  if (bound->value.digits == NULL || bound->value.negative)
    return refuse (s->c, value, "expected a number above 0");
  if (bound->value.count > 18)
    return refuse (s->c, value, "at most 18 digits are supported");
  return true;
}

struct regex *
take_regex (struct subschema *s, const struct json_node *value)
{
  struct compiler *c = s->c;
  struct error why = { 0 };
  struct regex *regex;
  size_t len;
  const char *text = json_string (c->tape, value, c->arena, &len);

  if (text == NULL) {
    refuse (c, value, "expected a regular expression");
    return NULL;
  }
  regex = regex_compile (text, len, &why);
  if (regex == NULL) {
    refuse (c, value, "%s", why.text);
    return NULL;
  }
  regex->next = c->schema->patterns;
  c->schema->patterns = regex;
  c->pattern_bytes += regex->size;
  if (c->pattern_bytes <= PATTERN_BYTES_MAX)
    return regex;
  refuse (c, value, "the patterns of the schema take more than %d KiB", PATTERN_BYTES_MAX / 1024);
  return NULL;
}

bool
take_pattern (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  struct regex *regex = take_regex (s, value);

  *(struct regex **) field_of (s, k) = regex;
  return regex != NULL;
}

bool
take_format (struct subschema *s, const struct keyword *k, const struct json_node *value)
{
  bool assert_it = (s->resource->dialect.vocabularies & VOCABULARY_FORMAT_ASSERTION) != 0
                   || !s->c->options->annotate_formats;
  size_t len;
  const char *name = json_string (s->c->tape, value, s->c->arena, &len);

  (void) k;
  if (name == NULL)
    return refuse (s->c, value, "expected the name of a format");
  s->draft->rule.secret = s->draft->rule.secret || json_equals (s->c->tape, value, "password");
  if (assert_it && format_find (name, len) != FORMAT_NONE)
    string_of (s)->format = format_find (name, len);
  return true;
}

/* ---- when all keywords were read ---- */

/* Is the bound one that small integers can be compared with? */
static bool
is_quick (const struct bound *bound)
{
  return bound->source == NULL
         || (bound->is_small && bound->small > INT64_MIN && bound->small < INT64_MAX);
}

static void
add_quick_bounds (struct number_rules *number)
{
  number->quick = is_quick (&number->minimum) && is_quick (&number->maximum)
                  && is_quick (&number->above) && is_quick (&number->below);
  number->least = INT64_MIN;
  number->most = INT64_MAX;
  if (!number->quick)
    return;
  if (number->minimum.source != NULL)
    number->least = number->minimum.small;
  if (number->above.source != NULL && number->above.small >= number->least)
    number->least = number->above.small + 1;
  if (number->maximum.source != NULL)
    number->most = number->maximum.small;
  if (number->below.source != NULL && number->below.small <= number->most)
    number->most = number->below.small - 1;
}

void
finish_number (struct subschema *s)
{
  struct number_rules *number = s->draft->rule.number;

  if (number == NULL)
    return;
  if (s->above_minimum) {
    number->above = number->minimum;
    number->minimum.source = NULL;
  }
  if (s->below_maximum) {
    number->below = number->maximum;
    number->maximum.source = NULL;
  }
  add_quick_bounds (number);
}

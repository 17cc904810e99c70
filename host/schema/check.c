#include "schema/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "schema/evaluated.h"

enum { BYTES_PER_STEP = 16, SMALL_DIGITS = 18, STEPS_PER_IDN_BYTE = 200 };

/* Kept out of the functions on the frequent ways, whose frames it would make large. */
#define RARE __attribute__ ((noinline))

/* ---- any value ---- */

bool
check_integer (const struct json_tape *tape, uint16_t types, const struct json_node *value)
{
  struct json_decimal d;

  if (value->integer)
    return (types & (TYPE_INTEGER | TYPE_PLAIN_INTEGER)) != 0;
  if ((types & TYPE_INTEGER) == 0)
    return false;
  d = json_decimal (tape->text + value->start, value->len);
  return json_decimal_is_integer (&d);
}

bool
check_values (struct checker *k, const struct values *values, const struct json_node *value)
{
  /* the members of objects are looked for */
  int64_t steps = value->skip == 1 ? 1 : value->skip * INT64_C (4);

  if (value->type == JSON_STRING)
    return words_find (&values->strings, k->tape, value) != WORDS_NONE;
  for (uint32_t i = 0; i < values->others_count; i++)
    if (!spend (k, steps))
      return false;
    else if (json_same (&k->schema->tape, values->others[i], k->tape, value))
      return true;
  return false;
}

static bool
check_any (struct checker *k, const struct branches *branches, const struct json_node *value)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if (check_rule (k, branches->rules[i], value))
      return true;
  return false;
}

static bool
check_one (struct checker *k, const struct branches *branches, const struct json_node *value)
{
  unsigned fitting = 0;

  for (uint32_t i = 0; i < branches->count && fitting < 2; i++)
    fitting += check_rule (k, branches->rules[i], value);
  return fitting == 1;
}

static bool
check_all (struct checker *k, const struct branches *branches, const struct json_node *value)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if (!check_rule (k, branches->rules[i], value))
      return false;
  return true;
}

static bool
check_condition (struct checker *k, const struct combination *c, const struct json_node *value)
{
  const struct rule *rule = check_rule (k, c->if_, value) ? c->then : c->else_;

  return rule == NULL || check_rule (k, rule, value);
}

static bool
check_any_of (struct checker *k, const struct combination *c, const struct json_node *value)
{
  const struct rule *branch;

  if (c->any_choice == NULL)
    return check_any (k, &c->any, value);
  branch = choose (k, c->any_choice, &c->any, value);
  return branch != NULL && check_rule (k, branch, value);
}

static bool
check_one_of (struct checker *k, const struct combination *c, const struct json_node *value)
{
  const struct rule *branch;

  if (c->one_choice == NULL)
    return check_one (k, &c->one, value);
  branch = choose (k, c->one_choice, &c->one, value);
  return branch != NULL && check_rule (k, branch, value);
}

/* A checker that gave up may turn a wrong answer into a right one here; its owner looks at gave_up
 * before it believes anything. */
static RARE bool
check_combination (struct checker *k, const struct combination *c, const struct json_node *value)
{
  if (c->ref != NULL && !check_rule (k, c->ref, value))
    return false;
  if (!check_all (k, &c->all, value))
    return false;
  if (c->dynamic != NULL && !check_rule (k, dynamic_target (k, c->dynamic), value))
    return false;
  if (c->any.count != 0 && !check_any_of (k, c, value))
    return false;
  if (c->one.count != 0 && !check_one_of (k, c, value))
    return false;
  if (c->not_ != NULL && check_rule (k, c->not_, value))
    return false;
  return c->if_ == NULL || check_condition (k, c, value);
}

/* ---- numbers ---- */

/* A number as an int64_t, when that is plain to see. */
static bool
small_integer (const struct json_tape *tape, const struct json_node *number, int64_t *value)
{
  const char *p = tape->text + number->start;
  const char *end = p + number->len;
  bool negative = *p == '-';
  int64_t n = 0;

  if (!number->integer || number->len > SMALL_DIGITS)
    return false;
  for (p += negative; p < end; p++)
    n = n * 10 + (*p - '0');
  *value = negative ? -n : n;
  return true;
}

/* What stands before the point, of a number that is not negative and has no exponent. */
static bool
whole_part (const struct json_tape *tape, const struct json_node *number, int64_t *value)
{
  const char *p = tape->text + number->start;
  const char *end = p + number->len;
  int64_t n = 0;

  if (*p == '-' || number->len > SMALL_DIGITS)
    return false;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    n = n * 10 + (*p - '0');
  if (p == end || *p != '.')
    return false;
  for (p++; p < end; p++)
    if (*p < '0' || *p > '9')
      return false;
  *value = n;
  return true;
}

static int
compare (const struct json_tape *tape, const struct json_node *number, const struct bound *bound)
{
  struct json_decimal d;
  int64_t small;

  if (bound->is_small && small_integer (tape, number, &small))
    return small < bound->small ? -1 : small > bound->small;
  d = json_decimal (tape->text + number->start, number->len);
  return json_decimal_compare (&d, &bound->value);
}

bool
check_bounds (const struct json_tape *tape, const struct number_rules *rules,
              const struct json_node *value)
{
  int64_t small;

  if (rules->quick && small_integer (tape, value, &small))
    return small >= rules->least && small <= rules->most;
  if (rules->quick && whole_part (tape, value, &small) && small >= rules->least
      && small < rules->most)
    return true;
  if (rules->minimum.source != NULL && compare (tape, value, &rules->minimum) < 0)
    return false;
  if (rules->maximum.source != NULL && compare (tape, value, &rules->maximum) > 0)
    return false;
  if (rules->above.source != NULL && compare (tape, value, &rules->above) <= 0)
    return false;
  return rules->below.source == NULL || compare (tape, value, &rules->below) < 0;
}

bool
check_multiple (struct checker *k, const struct bound *unit, const struct json_node *value)
{
  enum { ORDINARY_EXPONENT = 400, HUGE_NUMBER_STEPS = 2000 };
  struct json_decimal d;
  int64_t small;

  if (unit->source == NULL)
    return true;
  if (unit->is_small && small_integer (k->tape, value, &small))
    return small % unit->small == 0;
  d = json_decimal (k->tape->text + value->start, value->len);
  if (!spend (k, d.exponent > ORDINARY_EXPONENT ? HUGE_NUMBER_STEPS : value->len))
    return false;
  return json_decimal_is_multiple (&d, &unit->value);
}

/* ---- strings ---- */

uint32_t
text_length (const struct json_tape *tape, const struct json_node *string)
{
  struct json_cursor cursor = json_cursor (tape, string);
  uint32_t length = 0;

  for (int c; (c = json_cursor_next (&cursor)) >= 0;)
    length += (c & 0xc0) != 0x80;
  return length;
}

/* A code point takes one to four bytes, which often is answer enough. */
static inline bool
is_length_plain (const struct json_node *value, uint32_t min, uint32_t max)
{
  return !value->escaped && value->len <= max && (value->len + 3) / 4 >= min;
}

bool
check_length (struct checker *k, const struct string_rules *rules, const struct json_node *value)
{
  uint32_t length;

  if ((rules->min == 0 && rules->max == NO_LIMIT)
      || is_length_plain (value, rules->min, rules->max))
    return true;
  if (!spend (k, value->len / BYTES_PER_STEP))
    return false;
  length = text_length (k->tape, value);
  return length >= rules->min && length <= rules->max;
}

/* What a string stands for, as bytes in a row. */
struct plain_text {
  const char *text;
  size_t len;
  char *large;
  char small[512];
};

static void
plain_text_end (struct plain_text *t)
{
  free (t->large);
}

static void
unescape (const struct json_tape *tape, const struct json_node *string, struct plain_text *t)
{
  struct json_cursor cursor = json_cursor (tape, string);
  char *copy = string->len <= sizeof t->small ? t->small : (t->large = xmalloc (string->len));

  t->len = 0;
  for (int c; (c = json_cursor_next (&cursor)) >= 0;)
    copy[t->len++] = (char) c;
  t->text = copy;
}

static bool
match (struct checker *k, const struct regex *regex, const char *text, size_t len)
{
  enum regex_verdict verdict = regex_match (regex, text, len, &k->budget);

  if (verdict == REGEX_TOO_COSTLY)
    k->gave_up = k->at_pattern = true;
  return verdict == REGEX_MATCH;
}

static RARE bool
match_escaped (struct checker *k, const struct regex *regex, const struct json_node *string)
{
  __attribute__ ((cleanup (plain_text_end))) struct plain_text t;

  t.large = NULL;
  unescape (k->tape, string, &t);
  return match (k, regex, t.text, t.len);
}

bool
check_pattern (struct checker *k, const struct regex *regex, const struct json_node *string)
{
  if (!spend (k, 1 + string->len / BYTES_PER_STEP))
    return false;
  if (string->escaped)
    return match_escaped (k, regex, string);
  return match (k, regex, k->tape->text + string->start, string->len);
}

static RARE bool
format_escaped (struct checker *k, enum format format, const struct json_node *string)
{
  __attribute__ ((cleanup (plain_text_end))) struct plain_text t;

  t.large = NULL;
  unescape (k->tape, string, &t);
  return format_check (format, t.text, t.len);
}

/* May there be a label of another script ("xn--…")?  Those are looked up in the tables of Unicode.
 */
static bool
has_idn_label (const struct json_tape *tape, const struct json_node *string)
{
  return memmem (tape->text + string->start, string->len, "--", 2) != NULL;
}

bool
check_format (struct checker *k, enum format format, const struct json_node *string)
{
  bool idn = format == FORMAT_HOSTNAME && (string->escaped || has_idn_label (k->tape, string));

  if (!spend (k, 1 + string->len * (int64_t) (idn ? STEPS_PER_IDN_BYTE : 1)))
    return false;
  if (string->escaped)
    return format_escaped (k, format, string);
  return format_check (format, k->tape->text + string->start, string->len);
}

static inline bool
check_string (struct checker *k, const struct string_rules *rules, const struct json_node *value)
{
  return (is_length_plain (value, rules->min, rules->max) || check_length (k, rules, value))
         && (rules->pattern == NULL || check_pattern (k, rules->pattern, value))
         && (rules->format == FORMAT_NONE || check_format (k, rules->format, value));
}

/* ---- arrays ---- */

uint32_t
check_count (struct checker *k, const struct array_rules *rules, const struct json_node *value)
{
  uint32_t count = 0;

  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n)) {
    count += check_rule (k, rules->contains, n);
    if (count >= rules->min_contains && rules->max_contains == NO_LIMIT)
      break;
  }
  return count;
}

static bool
check_items (struct checker *k, const struct array_rules *rules, const struct json_node *value)
{
  const struct json_node *n = json_first (value);

  if (!spend (k, value->count))
    return false;
  for (uint32_t i = 0; i < value->count; i++, n = json_next (n)) {
    const struct rule *rule = rule_of_item (rules, i);
    if (rule == NULL && i >= rules->prefix.count)
      return true;
    if (rule != NULL && !check_rule (k, rule, n))
      return false;
  }
  return true;
}

static RARE bool
check_array (struct checker *k, const struct array_rules *rules, const struct json_node *value)
{
  const struct json_node *first, *second;

  if (value->count < rules->min || value->count > rules->max || !check_items (k, rules, value))
    return false;
  if (rules->contains != NULL) {
    uint32_t count = check_count (k, rules, value);
    if (count < rules->min_contains || count > rules->max_contains)
      return false;
  }
  return !rules->unique || !find_repeated (k, value, &first, &second);
}

/* ---- objects ---- */

/* A member whose name the rules don't know. */
static RARE bool
check_unknown_member (struct checker *k, const struct object_rules *rules,
                      const struct json_node *name)
{
  bool known = false;

  for (uint32_t i = 0; i < rules->patterns_count; i++) {
    if (!check_pattern (k, rules->patterns[i].regex, name))
      continue;
    known = true;
    if (!check_rule (k, rules->patterns[i].rule, name + 1))
      return false;
  }
  return known || rules->additional == NULL || check_rule (k, rules->additional, name + 1);
}

/* A member whose name is known, but not from "properties" alone. */
static RARE bool
check_patterned_member (struct checker *k, const struct object_rules *rules,
                        const struct property *property, const struct json_node *value)
{
  for (uint32_t i = 0; i < property->by_pattern.count; i++)
    if (!check_rule (k, property->by_pattern.rules[i], value))
      return false;
  return property->rule != NULL || property->by_pattern.count != 0 || rules->additional == NULL
         || check_rule (k, rules->additional, value);
}

/* The names of all members. */
static RARE bool
check_names (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n + 1))
    if (!check_rule (k, rule, n))
      return false;
  return true;
}

/* check_rule by what the property has of its rule. */
static inline bool
check_property (struct checker *k, const struct property *p, const struct json_node *value)
{
  if (!check_type (k->tape, p->types, value))
    return false;
  if ((p->types_more >> value->type & 1) == 0)
    return true;
  if (p->kind == RULE_LENGTH && is_length_plain (value, p->min_length, p->max_length))
    return true;
  return check_more (k, p->check, value);
}

static inline const struct property *
find_property (struct checker *k, const struct object_rules *rules, const struct json_node *name)
{
  uint32_t i = words_find (&rules->names, k->tape, name);

  return i != WORDS_NONE ? &rules->properties[i] : NULL;
}

static bool
check_members (struct checker *k, const struct object_rules *rules, const struct json_node *value)
{
  const struct json_node *end = json_end (value);
  const struct property *p = rules->properties; /* members mostly come in the schema's order */
  const char *text = k->tape->text;
  uint32_t required = 0; /* names are unique, so that counting will do */

  for (const struct json_node *n = json_first (value); n != end; n = json_next (n + 1)) {
    if (p->len != n->len || n->escaped || !words_same (p->text, text + n->start, n->len)) {
      const struct property *found = find_property (k, rules, n);
      if (found == NULL) {
        if (!check_unknown_member (k, rules, n))
          return false;
        continue;
      }
      p = found;
    }
    if (!check_property (k, p, n + 1) || (p->more && !check_patterned_member (k, rules, p, n + 1)))
      return false;
    required += p->required;
    p++;
  }
  return required == rules->required_count;
}

/* The rules know no names. */
static bool
check_unknown_members (struct checker *k, const struct object_rules *rules,
                       const struct json_node *value)
{
  if (rules->additional == NULL && rules->patterns_count == 0)
    return true;
  for (const struct json_node *n = json_first (value); n != json_end (value); n = json_next (n + 1))
    if (!check_unknown_member (k, rules, n))
      return false;
  return true;
}

bool
has_member (struct checker *k, const struct json_node *object, const struct json_node *name)
{
  if (!spend (k, object->count))
    return false;
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (n + 1))
    if (json_text_same (k->tape, n, &k->schema->tape, name))
      return true;
  return false;
}

static RARE bool
check_dependent (struct checker *k, const struct dependent *dependent,
                 const struct json_node *value)
{
  if (!has_member (k, value, dependent->name))
    return !k->gave_up;
  if (dependent->rule != NULL)
    return check_rule (k, dependent->rule, value);
  for (const struct json_node *n = json_first (dependent->required);
       n != json_end (dependent->required); n = json_next (n))
    if (!has_member (k, value, n))
      return false;
  return true;
}

static bool
check_object (struct checker *k, const struct object_rules *rules, const struct json_node *value)
{
  if (value->count < rules->least || value->count > rules->max || !spend (k, value->count))
    return false;
  if (!(rules->properties != NULL ? check_members (k, rules, value)
                                  : check_unknown_members (k, rules, value)))
    return false;
  if (rules->member_names != NULL && !check_names (k, rules->member_names, value))
    return false;
  for (uint32_t i = 0; i < rules->dependents_count; i++)
    if (!check_dependent (k, &rules->dependents[i], value))
      return false;
  return true;
}

/* ---- a rule ---- */

const struct rule *
dynamic_target (struct checker *k, const struct dynamic *dynamic)
{
  const struct rule *found = dynamic->otherwise;

  /* the outermost counts */
  for (const struct scope *s = k->scope; s != NULL; s = s->outer)
    for (uint32_t i = 0; i < dynamic->count; i++)
      if (dynamic->resources[i] == s->resource)
        found = dynamic->rules[i];
  return found;
}

static RARE bool
check_leaf (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  if (rule->enumeration != NULL && !check_values (k, rule->enumeration, value))
    return false;
  if (rule->constant != NULL && !check_values (k, rule->constant, value))
    return false;
  if (value->type == JSON_STRING)
    return rule->string == NULL || check_string (k, rule->string, value);
  if (value->type == JSON_NUMBER)
    return rule->number == NULL
           || (check_bounds (k->tape, rule->number, value)
               && check_multiple (k, &rule->number->multiple, value));
  return true;
}

static bool
check_scalar (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  return (rule->enumeration == NULL && rule->constant == NULL && rule->number == NULL
          && rule->string == NULL)
         || check_leaf (k, rule, value);
}

static bool
check_combined (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  const struct combination *c = rule->combination;

  return check_combination (k, c, value)
         && ((c->unevaluated_items == NULL && c->unevaluated_members == NULL)
             || check_unevaluated (k, rule, value));
}

static bool
check_keywords (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  if (!check_scalar (k, rule, value))
    return false;
  if (value->type == JSON_OBJECT && rule->object != NULL && !check_object (k, rule->object, value))
    return false;
  if (value->type == JSON_ARRAY && rule->array != NULL && !check_array (k, rule->array, value))
    return false;
  return rule->combination == NULL || check_combined (k, rule, value);
}

static RARE bool
check_nested (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  struct scope scope;
  bool good;

  if (!spend (k, 1))
    return false;
  if (k->depth == CHECK_DEPTH_MAX) {
    k->gave_up = true;
    return false;
  }
  k->depth++;
  enter_scope (k, rule, &scope);
  good = check_keywords (k, rule, value);
  leave_scope (k, &scope);
  k->depth--;
  return good;
}

/* A rule that is about objects alone. */
static bool
check_object_rule (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  bool good;

  if (rule->resource != NULL || k->depth == CHECK_DEPTH_MAX)
    return check_nested (k, rule, value);
  k->depth++;
  good = check_object (k, rule->object, value);
  k->depth--;
  return good;
}

bool
check_more (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  switch (rule->kind) {
  case RULE_LENGTH:
    return is_length_plain (value, rule->min_length, rule->max_length)
           || check_length (k, rule->string, value);
  case RULE_WORD:
    return value->type == JSON_STRING && words_find (rule->words, k->tape, value) != WORDS_NONE;
  case RULE_TEXT:
    return check_string (k, rule->string, value);
  case RULE_RANGE:
    return check_bounds (k->tape, rule->number, value);
  case RULE_LEAF:
    return check_leaf (k, rule, value);
  case RULE_OBJECT:
    return check_object_rule (k, rule, value);
  default:
    return check_nested (k, rule, value);
  }
}

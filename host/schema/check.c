#include "schema/check.h"

#include "base/json_text.h"
#include "schema/schema.h"

enum { BYTES_PER_STEP = 16, SMALL_DIGITS = 18 };

void
checker_begin (struct checker *k, const struct schema *schema, const struct json_tape *tape)
{
  /* not as a whole: the regex's memory is large and mostly unused */
  k->schema = schema;
  k->tape = tape;
  k->budget = CHECK_COST_MAX;
  k->depth = 0;
  k->gave_up = false;
  k->work.ready = false;
}

void
checker_end (struct checker *k)
{
  regex_work_end (&k->work);
}

/* ---- any value ---- */

static bool
is_integer (const struct json_tape *tape, const struct json_node *number)
{
  struct json_decimal d;

  if (number->integer)
    return true;
  d = json_decimal (tape->text + number->start, number->len);
  return json_decimal_is_integer (&d);
}

bool
check_type (const struct json_tape *tape, uint16_t types, const struct json_node *value)
{
  if ((types >> value->type & 1) != 0)
    return true;
  return value->type == JSON_NUMBER && (types & TYPE_INTEGER) != 0 && is_integer (tape, value);
}

bool
check_values (struct checker *k, const struct values *values, const struct json_node *value)
{
  if (value->type == JSON_STRING)
    return words_find (&values->strings, WORDS_NONE, k->tape, value) != WORDS_NONE;
  for (uint32_t i = 0; i < values->others_count; i++)
    if (!spend (k, value->skip))
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

/* A checker that gave up may turn a wrong answer into a right one here; its owner looks at gave_up
 * before it believes anything. */
static bool
check_combination (struct checker *k, const struct combination *c, const struct json_node *value)
{
  if (c->ref != NULL && !check_rule (k, c->ref, value))
    return false;
  if (!check_all (k, &c->all, value))
    return false;
  if (c->any.count != 0 && !check_any (k, &c->any, value))
    return false;
  if (c->one.count != 0 && !check_one (k, &c->one, value))
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

bool
check_length (struct checker *k, const struct string_rules *rules, const struct json_node *value)
{
  uint32_t length;

  if (rules->min == 0 && rules->max == NO_LIMIT)
    return true;
  /* a code point takes one to four bytes, which often is answer enough */
  if (!value->escaped && value->len <= rules->max && (value->len + 3) / 4 >= rules->min)
    return true;
  if (!spend (k, value->len / BYTES_PER_STEP))
    return false;
  length = text_length (k->tape, value);
  return length >= rules->min && length <= rules->max;
}

bool
check_pattern (struct checker *k, const struct regex *regex, const struct json_node *string)
{
  const char *text = k->tape->text + string->start;
  CLEANUP_FREE char *large = NULL;
  size_t len = string->len;
  enum regex_verdict verdict;
  char small[512];

  if (!spend (k, 1 + string->len / BYTES_PER_STEP))
    return false;
  if (string->escaped) {
    struct json_cursor cursor = json_cursor (k->tape, string);
    char *copy = len <= sizeof small ? small : (large = xmalloc (len));
    len = 0;
    for (int c; (c = json_cursor_next (&cursor)) >= 0;)
      copy[len++] = (char) c;
    text = copy;
  }
  verdict = regex_match (regex, &k->work, text, len, &k->budget);
  if (verdict == REGEX_TOO_COSTLY)
    k->gave_up = true;
  return verdict == REGEX_MATCH;
}

static bool
check_string (struct checker *k, const struct string_rules *rules, const struct json_node *value)
{
  return check_length (k, rules, value)
         && (rules->pattern == NULL || check_pattern (k, rules->pattern, value));
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

  for (uint32_t i = 0; i < value->count; i++, n = json_next (n)) {
    const struct rule *rule = rule_of_item (rules, i);
    if (rule == NULL && i >= rules->prefix.count)
      return true;
    if (rule != NULL && !check_rule (k, rule, n))
      return false;
  }
  return true;
}

static bool
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

/* A member that has no rule of its own by name; `known` if it has been looked at already. */
static bool
check_other_member (struct checker *k, const struct object_rules *rules,
                    const struct json_node *name, bool known)
{
  for (uint32_t i = 0; i < rules->patterns_count; i++) {
    if (!check_pattern (k, rules->patterns[i].regex, name))
      continue;
    known = true;
    if (!check_rule (k, rules->patterns[i].rule, name + 1))
      return false;
  }
  if (!known && rules->additional != NULL && !check_rule (k, rules->additional, name + 1))
    return false;
  return rules->member_names == NULL || check_rule (k, rules->member_names, name);
}

static bool
check_members (struct checker *k, const struct object_rules *rules, const struct json_node *value)
{
  uint32_t expected = 0; /* members mostly come in the order of the schema */
  uint32_t required = 0; /* names are unique, so that counting will do */

  for (const struct json_node *n = json_first (value); n != json_end (value);
       n = json_next (n + 1)) {
    uint32_t i = words_find (&rules->names, expected, k->tape, n);
    bool known = false;
    if (!spend (k, n->escaped ? 1 + rules->names.count : 1))
      return false;
    if (i != WORDS_NONE) {
      const struct property *p = &rules->properties[i];
      expected = i + 1;
      required += p->required;
      known = p->rule != NULL;
      if (known && !check_rule (k, p->rule, n + 1))
        return false;
    }
    if (!check_other_member (k, rules, n, known))
      return false;
  }
  return required == rules->required_count;
}

static const struct json_node *
member (struct checker *k, const struct json_node *object, const struct json_node *name)
{
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (n + 1))
    if (json_text_same (k->tape, n, &k->schema->tape, name))
      return n + 1;
  return NULL;
}

static bool
check_dependent (struct checker *k, const struct dependent *dependent,
                 const struct json_node *value)
{
  if (!spend (k, value->count) || member (k, value, dependent->name) == NULL)
    return !k->gave_up;
  if (dependent->rule != NULL)
    return check_rule (k, dependent->rule, value);
  for (const struct json_node *n = json_first (dependent->required);
       n != json_end (dependent->required); n = json_next (n))
    if (!spend (k, value->count) || member (k, value, n) == NULL)
      return false;
  return true;
}

static bool
check_object (struct checker *k, const struct object_rules *rules, const struct json_node *value)
{
  if (value->count < rules->min || value->count > rules->max || value->count < rules->required_count
      || !check_members (k, rules, value))
    return false;
  for (uint32_t i = 0; i < rules->dependents_count; i++)
    if (!check_dependent (k, &rules->dependents[i], value))
      return false;
  return true;
}

/* ---- a rule ---- */

static bool
check_by_type (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  switch (value->type) {
  case JSON_NUMBER:
    return rule->number == NULL
           || (check_bounds (k->tape, rule->number, value)
               && check_multiple (k, &rule->number->multiple, value));
  case JSON_STRING:
    return rule->string == NULL || check_string (k, rule->string, value);
  case JSON_ARRAY:
    return rule->array == NULL || check_array (k, rule->array, value);
  case JSON_OBJECT:
    return rule->object == NULL || check_object (k, rule->object, value);
  default:
    return true;
  }
}

bool
check_rule (struct checker *k, const struct rule *rule, const struct json_node *value)
{
  bool good;

  if (!spend (k, 1) || !check_type (k->tape, rule->types, value))
    return false;
  if (k->depth == CHECK_DEPTH_MAX) {
    k->gave_up = true;
    return false;
  }
  k->depth++;
  good = (rule->enumeration == NULL || check_values (k, rule->enumeration, value))
         && (rule->constant == NULL || check_values (k, rule->constant, value))
         && check_by_type (k, rule, value)
         && (rule->combination == NULL || check_combination (k, rule->combination, value));
  k->depth--;
  return good;
}

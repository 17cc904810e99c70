#include "schema/explain.h"

#include <string.h>

#include "base/json_text.h"
#include "schema/line.h"
#include "schema/phrase.h"
#include "schema/place.h"

enum {
  TEXT_MAX = 2000,      /* bytes of a report, pointers and messages together */
  ITEMS_EXPLAINED = 3,  /* of one array */
  NAMES_ROOM = 240,     /* for the names that are allowed */
  CANDIDATES_MAX = 500, /* strings of an enum looked at for "did you mean" */
  STRINGIFIED_MAX = 64 * 1024
};

/* How much a problem speaks against the branch of an anyOf it was found in. */
enum weight {
  WEIGHT_DETAIL = 1,
  WEIGHT_UNKNOWN = 2,
  WEIGHT_MISSING = 3,
  WEIGHT_TYPE = 5,
  WEIGHT_VALUE = 20,  /* of an enum or a const: most likely the mark that tells branches apart */
  WEIGHT_WHOLE = 1000 /* the value itself is of another type */
};

struct explanation {
  struct checker *k;
  const struct schema *schema;
  const struct json_tape *tape;
  const struct json_node *root;
  struct schema_report *report;
  struct arena *arena;
  size_t text_used;
  struct line lead;                 /* put before the next problem */
  const struct json_node *optional; /* a member that could be left out */
  /* while branches are compared nothing is reported, only weighed */
  bool weighing;
  unsigned weight;
  const struct json_node *weighed;
};

static void explain_rule (struct explanation *e, const struct rule *rule,
                          const struct json_node *value);

/* ---- one problem ---- */

/* Is the value one that must not be shown: the whole of a secret schema, or at or below a member of
 * a secret name, by whichever of several rules? */
static bool
is_secret (const struct explanation *e, const struct json_node *target)
{
  const struct json_node *at = e->root;
  const struct json_node *name;
  uint32_t index;

  if (e->schema->root->secret)
    return true;
  while (at != target) {
    at = place_step (at, target, &name, &index);
    if (name == NULL)
      continue;
    if (words_find (&e->schema->secret_names, WORDS_NONE, e->tape, name) != WORDS_NONE)
      return true;
    if (place_is_name (at, target))
      return false;
  }
  return false;
}

static bool
is_known (const struct schema_report *report, const char *pointer, const char *message)
{
  for (size_t i = 0; i < report->count; i++)
    if (strcmp (report->problems[i].pointer, pointer) == 0
        && strcmp (report->problems[i].message, message) == 0)
      return true;
  return false;
}

static void
report (struct explanation *e, const struct line *pointer, struct line *message)
{
  struct schema_report *r = e->report;
  struct schema_problem *p = &r->problems[r->count];
  size_t size;

  /* a cut may have gone through a character */
  while (!utf8_valid (message->text, message->len))
    message->text[--message->len] = '\0';
  if (is_known (r, pointer->text, message->text))
    return;
  size = pointer->len + message->len;
  if (r->count == SCHEMA_MAX_PROBLEMS || (r->count != 0 && e->text_used + size > TEXT_MAX)) {
    r->more++;
    return;
  }
  e->text_used += size;
  p->pointer = arena_strndup (e->arena, pointer->text, pointer->len);
  p->message = arena_strndup (e->arena, message->text, message->len);
  r->count++;
}

/* A problem of `at`, or of the member `missing` it does not have. */
static void
problem_of (struct explanation *e, enum weight weight, const struct json_node *at,
            const struct json_tape *missing_tape, const struct json_node *missing,
            const struct line *text)
{
  struct line pointer = { .len = 0 };
  struct line message = { .len = 0 };

  if (e->weighing) {
    e->weight += weight == WEIGHT_TYPE && at == e->weighed ? WEIGHT_WHOLE : weight;
    return;
  }
  line_add_pointer (&pointer, e->tape, e->root, at);
  if (missing != NULL)
    line_add_token (&pointer, missing_tape, missing);
  line_add (&message, "%s%s", e->lead.text, text->text);
  e->lead = (struct line){ .len = 0 };
  report (e, &pointer, &message);
}

static void
problem (struct explanation *e, enum weight weight, const struct json_node *at,
         const struct line *text)
{
  problem_of (e, weight, at, NULL, NULL, text);
}

static void
add_got (struct explanation *e, struct line *line, const struct json_node *value)
{
  phrase_got (line, e->tape, value, is_secret (e, value));
}

/* ---- types ---- */

/* What the text in a string would be as JSON; NULL when it is none. */
static const struct json_node *
stringified (struct explanation *e, const struct json_node *string, struct json_tape *tape)
{
  static const struct json_limits limits = {
    .depth = 32, .nodes = 5000, .members = 1000, .number_len = 64
  };
  const char *text;
  size_t len;

  if (string->len > STRINGIFIED_MAX)
    return NULL;
  text = json_string (e->tape, string, e->arena, &len);
  return json_read (tape, text, len, &limits, e->arena) ? json_root (tape) : NULL;
}

static void
add_string_hint (struct explanation *e, struct line *line, uint16_t types,
                 const struct json_node *value)
{
  struct json_tape tape;
  const struct json_node *inner = stringified (e, value, &tape);

  if (inner == NULL || inner->type == JSON_STRING || !check_type (&tape, types, inner))
    return;
  if (inner->type == JSON_ARRAY || inner->type == JSON_OBJECT)
    line_add (line, " (send the %s itself, not as text)",
              inner->type == JSON_ARRAY ? "array" : "object");
  else if (is_secret (e, value))
    line_add (line, " (send it without quotes)");
  else {
    line_add (line, " (send ");
    line_add_value (line, &tape, inner, LINE_PIECE);
    line_add (line, " without quotes)");
  }
}

static void
add_type_hint (struct explanation *e, struct line *line, uint16_t types,
               const struct json_node *value)
{
  if (value == e->optional && value->type == JSON_NULL)
    line_add (line, " (leave it out instead)");
  else if (value->type == JSON_STRING && (types & ~(unsigned) TYPE_ARRAY) != 0)
    add_string_hint (e, line, types, value);
  else if (value->type == JSON_STRING)
    line_add (line, " (send an array, if only of one item)");
  else if ((types & TYPE_STRING) != 0 && value->type <= JSON_NUMBER && value->type != JSON_NULL)
    line_add (line, " (put it in quotes)");
}

static void
explain_types (struct explanation *e, uint16_t types, const struct number_rules *number,
               const struct json_node *value)
{
  struct line line = { .len = 0 };
  struct line bounds = { .len = 0 };

  if (types == 0) {
    line_add (&line, "nothing is allowed here");
    problem (e, WEIGHT_TYPE, value, &line);
    return;
  }
  line_add (&line, "expected ");
  phrase_types (&line, types);
  if (number != NULL)
    phrase_bounds (&bounds, e->schema, number);
  if (bounds.len != 0)
    line_add (&line, " %s", bounds.text);
  line_add (&line, ", got ");
  add_got (e, &line, value);
  add_type_hint (e, &line, types, value);
  problem (e, WEIGHT_TYPE, value, &line);
}

/* ---- values, numbers, strings ---- */

static const char *
meant_value (struct explanation *e, const struct values *values, const struct json_node *value)
{
  uint32_t count = values->strings.count < CANDIDATES_MAX ? values->strings.count : CANDIDATES_MAX;
  const char **candidates;

  if (value->type != JSON_STRING || count == 0)
    return NULL;
  candidates = arena_alloc (e->arena, (count + 1) * sizeof *candidates);
  for (uint32_t i = 0; i < count; i++)
    candidates[i] =
      arena_strndup (e->arena, values->strings.list[i].text, values->strings.list[i].len);
  candidates[count] = NULL;
  return meant (e->tape, value, candidates, e->arena);
}

static void
explain_values (struct explanation *e, const struct values *values, const struct json_node *value)
{
  struct line line = { .len = 0 };
  bool secret = is_secret (e, value);
  const char *near = secret ? NULL : meant_value (e, values, value);

  line_add (&line, "expected ");
  phrase_values (&line, e->schema, values);
  line_add (&line, "; got ");
  phrase_got (&line, e->tape, value, secret);
  if (near != NULL) {
    line_add (&line, " (did you mean \"");
    line_add_text (&line, near, strlen (near), LINE_PIECE);
    line_add (&line, "\"?)");
  }
  problem (e, WEIGHT_VALUE, value, &line);
}

static void
explain_number (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  struct line line = { .len = 0 };

  if (check_bounds (e->tape, rule->number, value)
      && check_multiple (e->k, &rule->number->multiple, value))
    return;
  line_add (&line, "expected %s ",
            (rule->types & (TYPE_NUMBER | TYPE_INTEGER)) == TYPE_INTEGER ? "integer" : "number");
  phrase_bounds (&line, e->schema, rule->number);
  line_add (&line, ", got ");
  if (is_secret (e, value))
    line_add (&line, "another (not shown)");
  else
    line_add_value (&line, e->tape, value, LINE_PIECE);
  problem (e, WEIGHT_DETAIL, value, &line);
}

static void
explain_pattern (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  const struct json_node *pattern = json_member (&e->schema->tape, rule->source, "pattern");
  struct line line = { .len = 0 };

  line_add (&line, "expected text that matches the pattern ");
  line_add_string (&line, &e->schema->tape, pattern, 2 * LINE_PIECE);
  phrase_description (&line, e->schema, rule);
  line_add (&line, ", got ");
  add_got (e, &line, value);
  problem (e, WEIGHT_DETAIL, value, &line);
}

static void
explain_string (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  const struct string_rules *rules = rule->string;
  struct line line = { .len = 0 };

  if (!check_length (e->k, rules, value)) {
    line_add (&line, "expected ");
    phrase_count (&line, rules->min, rules->max, "character");
    line_add (&line, ", got %u: ", (unsigned) text_length (e->tape, value));
    add_got (e, &line, value);
    problem (e, WEIGHT_DETAIL, value, &line);
  }
  else if (rules->pattern != NULL && !check_pattern (e->k, rules->pattern, value))
    explain_pattern (e, rule, value);
}

/* ---- arrays ---- */

static void
explain_count (struct explanation *e, uint32_t min, uint32_t max, const char *noun,
               const struct json_node *value)
{
  struct line line = { .len = 0 };

  if (value->count >= min && value->count <= max)
    return;
  line_add (&line, "expected ");
  phrase_count (&line, min, max, noun);
  line_add (&line, ", got %u", (unsigned) value->count);
  problem (e, WEIGHT_DETAIL, value, &line);
}

static void
explain_contains (struct explanation *e, const struct array_rules *rules,
                  const struct json_node *value)
{
  uint32_t count = check_count (e->k, rules, value);
  struct line line = { .len = 0 };

  if (count >= rules->min_contains && count <= rules->max_contains)
    return;
  line_add (&line, "expected ");
  phrase_count (&line, rules->min_contains, rules->max_contains, "item");
  line_add (&line, " that fit%s \"contains\"",
            rules->min_contains == 1 && rules->max_contains == NO_LIMIT ? "s" : "");
  phrase_description (&line, e->schema, rules->contains);
  line_add (&line, ", got %u", (unsigned) count);
  problem (e, WEIGHT_DETAIL, value, &line);
}

static uint32_t
index_of (const struct json_node *array, const struct json_node *item)
{
  const struct json_node *name;
  uint32_t index;

  (void) place_step (array, item, &name, &index);
  return index;
}

static void
explain_unique (struct explanation *e, const struct json_node *value)
{
  const struct json_node *first, *second;
  struct line line = { .len = 0 };

  if (!find_repeated (e->k, value, &first, &second) || first == NULL)
    return;
  line_add (&line, "equal to item %u; each item may be there only once",
            (unsigned) index_of (value, first));
  problem (e, WEIGHT_DETAIL, second, &line);
}

static void
explain_items (struct explanation *e, const struct array_rules *rules,
               const struct json_node *value)
{
  const struct json_node *n = json_first (value);
  unsigned bad = 0;

  for (uint32_t i = 0; i < value->count && !e->k->gave_up; i++, n = json_next (n)) {
    const struct rule *rule = rule_of_item (rules, i);
    if (rule == NULL || check_rule (e->k, rule, n))
      continue;
    if (++bad <= ITEMS_EXPLAINED)
      explain_rule (e, rule, n);
    else if (!e->weighing)
      e->report->more++;
  }
}

static void
explain_array (struct explanation *e, const struct array_rules *rules,
               const struct json_node *value)
{
  explain_count (e, rules->min, rules->max, "item", value);
  explain_items (e, rules, value);
  if (rules->contains != NULL)
    explain_contains (e, rules, value);
  if (rules->unique)
    explain_unique (e, value);
}

/* ---- objects ---- */

static const struct json_node *
member_of_word (const struct explanation *e, const struct json_node *object,
                const struct word *word)
{
  return json_member_len (e->tape, object, word->text, word->len);
}

/* What a missing member would have to be. */
static void
add_expected (struct explanation *e, struct line *line, const struct rule *rule)
{
  uint16_t types = rule != NULL ? rule_types (rule) : TYPE_ANY;

  line_add (line, "required ");
  if (types != TYPE_ANY && types != 0)
    phrase_types (line, types);
  else
    line_add (line, "property");
  line_add (line, " is missing");
  if (rule == NULL)
    return;
  if (rule->enumeration != NULL || rule->constant != NULL) {
    line_add (line, ": ");
    phrase_values (line, e->schema, rule->constant != NULL ? rule->constant : rule->enumeration);
  }
  phrase_description (line, e->schema, rule);
}

/* The node of a required name in the schema. */
static const struct json_node *
required_name (const struct explanation *e, const struct rule *rule, const struct word *word)
{
  const struct json_node *list = json_member (&e->schema->tape, rule->source, "required");

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_equals_len (&e->schema->tape, n, word->text, word->len))
      return n;
  return NULL;
}

static void
explain_missing (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  const struct object_rules *rules = rule->object;

  for (uint32_t i = 0; i < rules->names.count; i++) {
    const struct word *word = &rules->names.list[i];
    struct line line = { .len = 0 };
    if (!rules->properties[i].required || !spend (e->k, value->count)
        || member_of_word (e, value, word) != NULL)
      continue;
    add_expected (e, &line, rules->properties[i].rule);
    problem_of (e, WEIGHT_MISSING, value, &e->schema->tape, required_name (e, rule, word), &line);
  }
}

static void
add_allowed_names (struct line *line, const char *const *names)
{
  size_t limit = line->len + NAMES_ROOM;
  unsigned left = 0;

  if (names == NULL || names[0] == NULL)
    return;
  line_add (line, "%s allowed here: ", line->text[line->len - 1] == '?' ? "" : ";");
  for (const char *const *n = names; *n != NULL; n++) {
    if (line->len > limit) {
      left++;
      continue;
    }
    line_add (line, "%s", n != names ? ", " : "");
    line_add_text (line, *n, strlen (*n), LINE_PIECE);
  }
  if (left != 0)
    line_add (line, ", … (+%u)", left);
}

static void
explain_unknown (struct explanation *e, const struct object_rules *rules,
                 const struct json_node *name)
{
  struct line line = { .len = 0 };
  const char *near = NULL;

  line_add (&line, "unknown property");
  if (rules->candidates != NULL)
    near = meant (e->tape, name, rules->candidates, e->arena);
  if (near != NULL) {
    line_add (&line, "; did you mean \"");
    line_add_text (&line, near, strlen (near), LINE_PIECE);
    line_add (&line, "\"?");
  }
  add_allowed_names (&line, rules->candidates);
  problem (e, WEIGHT_UNKNOWN, name + 1, &line);
}

static void
explain_patterns (struct explanation *e, const struct object_rules *rules,
                  const struct json_node *name, bool *known)
{
  for (uint32_t i = 0; i < rules->patterns_count; i++) {
    const struct name_pattern *p = &rules->patterns[i];
    if (!check_pattern (e->k, p->regex, name))
      continue;
    *known = true;
    explain_rule (e, p->rule, name + 1);
  }
}

static void
explain_member (struct explanation *e, const struct object_rules *rules,
                const struct json_node *name)
{
  uint32_t i = words_find (&rules->names, WORDS_NONE, e->tape, name);
  const struct property *p = i != WORDS_NONE ? &rules->properties[i] : NULL;
  bool known = p != NULL && p->rule != NULL;

  if (known) {
    e->optional = p->required ? NULL : name + 1;
    explain_rule (e, p->rule, name + 1);
  }
  explain_patterns (e, rules, name, &known);
  if (!known && rules->additional != NULL) {
    if (rules->additional->types == 0)
      explain_unknown (e, rules, name);
    else
      explain_rule (e, rules->additional, name + 1);
  }
  if (rules->member_names != NULL && !check_rule (e->k, rules->member_names, name)) {
    if (!e->weighing)
      line_add (&e->lead, "the name of this property: ");
    explain_rule (e, rules->member_names, name);
    e->lead = (struct line){ .len = 0 };
  }
}

static void
explain_dependent (struct explanation *e, const struct dependent *dependent,
                   const struct json_node *value)
{
  const struct json_tape *tape = &e->schema->tape;
  const struct json_node *n;
  size_t len;
  const char *name = json_string (tape, dependent->name, e->arena, &len);

  if (json_member_len (e->tape, value, name, len) == NULL)
    return;
  if (dependent->rule != NULL) {
    explain_rule (e, dependent->rule, value);
    return;
  }
  for (n = json_first (dependent->required); n != json_end (dependent->required);
       n = json_next (n)) {
    struct line line = { .len = 0 };
    name = json_string (tape, n, e->arena, &len);
    if (!spend (e->k, value->count) || json_member_len (e->tape, value, name, len) != NULL)
      continue;
    line_add (&line, "required because \"");
    line_add_string (&line, tape, dependent->name, LINE_PIECE);
    line_add (&line, "\" is there, but missing");
    problem_of (e, WEIGHT_MISSING, value, tape, n, &line);
  }
}

static void
explain_object (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  const struct object_rules *rules = rule->object;

  if (rules->required_count != 0)
    explain_missing (e, rule, value);
  for (const struct json_node *n = json_first (value); n != json_end (value) && !e->k->gave_up;
       n = json_next (n + 1))
    explain_member (e, rules, n);
  for (uint32_t i = 0; i < rules->dependents_count; i++)
    explain_dependent (e, &rules->dependents[i], value);
  explain_count (e, rules->min, rules->max, "member", value);
}

/* ---- combinations ---- */

static unsigned
weigh (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  e->weighing = true;
  e->weighed = value;
  e->weight = 0;
  explain_rule (e, rule, value);
  e->weighing = false;
  return e->weight;
}

/* The branch the value was most likely meant for. */
static uint32_t
closest (struct explanation *e, const struct branches *branches, const struct json_node *value)
{
  unsigned least = UINT32_MAX;
  uint32_t best = 0;

  for (uint32_t i = 0; i < branches->count; i++) {
    unsigned weight = weigh (e, branches->rules[i], value);
    if (weight < least) {
      least = weight;
      best = i;
    }
  }
  return best;
}

/* Branches that admit values of this type; the last one of them in *only. */
static uint32_t
branches_of_type (const struct explanation *e, const struct branches *branches,
                  const struct json_node *value, uint32_t *only, uint16_t *types)
{
  uint32_t count = 0;

  *types = 0;
  for (uint32_t i = 0; i < branches->count; i++) {
    uint16_t own = rule_types (branches->rules[i]);
    *types |= own;
    if (check_type (e->tape, own, value)) {
      *only = i;
      count++;
    }
  }
  return count;
}

static void
explain_none (struct explanation *e, const struct branches *branches, const struct json_node *value)
{
  const struct json_node *title;
  uint32_t best = 0;
  uint16_t types;
  uint32_t fitting = branches_of_type (e, branches, value, &best, &types);

  if (fitting == 0) {
    explain_types (e, types, NULL, value);
    return;
  }
  if (e->weighing) {
    e->weight += WEIGHT_TYPE;
    return;
  }
  if (fitting > 1) {
    best = closest (e, branches, value);
    title = rule_annotation (e->schema, branches->rules[best], "title");
    line_add (&e->lead, "matches none of %u variants; closest is variant %u",
              (unsigned) branches->count, (unsigned) best + 1);
    if (json_is (title, JSON_STRING)) {
      line_add (&e->lead, " (");
      line_add_string (&e->lead, &e->schema->tape, title, LINE_PIECE);
      line_add (&e->lead, ")");
    }
    line_add (&e->lead, ": ");
  }
  explain_rule (e, branches->rules[best], value);
  e->lead = (struct line){ .len = 0 };
}

static void
explain_any (struct explanation *e, const struct branches *branches, const struct json_node *value)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if (check_rule (e->k, branches->rules[i], value))
      return;
  if (!e->k->gave_up)
    explain_none (e, branches, value);
}

static void
explain_one (struct explanation *e, const struct branches *branches, const struct json_node *value)
{
  struct line line = { .len = 0 };
  uint32_t fitting = 0;

  line_add (&line, "matches more than one of %u variants, and must match only one:",
            (unsigned) branches->count);
  for (uint32_t i = 0; i < branches->count; i++)
    if (check_rule (e->k, branches->rules[i], value))
      line_add (&line, "%s %u", fitting++ != 0 ? "," : "", (unsigned) i + 1);
  if (e->k->gave_up || fitting == 1)
    return;
  if (fitting == 0)
    explain_none (e, branches, value);
  else
    problem (e, WEIGHT_DETAIL, value, &line);
}

static void
explain_not (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  struct line line = { .len = 0 };

  if (!check_rule (e->k, rule, value))
    return;
  line_add (&line, "the schema excludes this with \"not\"");
  phrase_description (&line, e->schema, rule);
  line_add (&line, ", got ");
  add_got (e, &line, value);
  problem (e, WEIGHT_DETAIL, value, &line);
}

static void
explain_combination (struct explanation *e, const struct combination *c,
                     const struct json_node *value)
{
  if (c->ref != NULL)
    explain_rule (e, c->ref, value);
  for (uint32_t i = 0; i < c->all.count; i++)
    explain_rule (e, c->all.rules[i], value);
  if (c->any.count != 0)
    explain_any (e, &c->any, value);
  if (c->one.count != 0)
    explain_one (e, &c->one, value);
  if (c->not_ != NULL)
    explain_not (e, c->not_, value);
  if (c->if_ != NULL) {
    const struct rule *rule = check_rule (e->k, c->if_, value) ? c->then : c->else_;
    if (rule != NULL)
      explain_rule (e, rule, value);
  }
}

/* ---- a rule ---- */

static void
explain_by_type (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  if (value->type == JSON_NUMBER && rule->number != NULL)
    explain_number (e, rule, value);
  if (value->type == JSON_STRING && rule->string != NULL)
    explain_string (e, rule, value);
  if (value->type == JSON_ARRAY && rule->array != NULL)
    explain_array (e, rule->array, value);
  if (value->type == JSON_OBJECT && rule->object != NULL)
    explain_object (e, rule, value);
}

/* Report what is wrong with the value by this rule; nothing when it fits. */
static void
explain_rule (struct explanation *e, const struct rule *rule, const struct json_node *value)
{
  if (e->k->gave_up || check_rule (e->k, rule, value) || e->k->gave_up)
    return;
  if (rule->constant != NULL && !check_values (e->k, rule->constant, value))
    explain_values (e, rule->constant, value);
  else if (rule->enumeration != NULL && !check_values (e->k, rule->enumeration, value))
    explain_values (e, rule->enumeration, value);
  else if (!check_type (e->tape, rule->types, value))
    explain_types (e, rule->types, rule->number, value);
  else {
    explain_by_type (e, rule, value);
    if (rule->combination != NULL)
      explain_combination (e, rule->combination, value);
  }
}

void
explain (struct checker *k, const struct json_node *value, struct schema_report *out,
         struct arena *arena)
{
  struct explanation e = {
    .k = k, .schema = k->schema, .tape = k->tape, .root = value, .report = out, .arena = arena
  };

  out->count = out->more = 0;
  if (!k->gave_up) {
    k->budget = CHECK_COST_MAX;
    explain_rule (&e, k->schema->root, value);
  }
  if (out->count == 0) {
    struct line line = { .len = 0 };
    line_add (&line, k->gave_up ? "too costly to check against the schema; send less, or a simpler "
                                  "value"
                                : "does not fit the schema");
    problem (&e, WEIGHT_DETAIL, value, &line);
  }
}

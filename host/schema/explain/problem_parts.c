#include "schema/explain/problem_parts.h"

#include <string.h>
#include <strings.h>

#include "schema/explain/mark.h"
#include "schema/explain/phrase.h"
#include "schema/explain/secret.h"

enum {
  CANDIDATES_MAX = 2000, /* values looked at for "did you mean" */
  STRINGIFIED_MAX = 64 * 1024,
  PATTERN_MOST = 3 * LINE_PIECE
};

static bool
is_hidden (const struct parts *p)
{
  return value_is_secret (p->e->schema, p->e->tape, p->e->root, p->f->value);
}

static void
add_got (struct parts *p)
{
  phrase_got (p->got, p->e->tape, p->f->value, is_hidden (p));
}

void
suggest_word (struct parts *p, const struct guess *guess)
{
  if (guess->found == NULL)
    return;
  line_add (p->suggestion, "did you mean \"");
  line_add_text (p->suggestion, guess->found, guess->found_len, LINE_PIECE);
  line_add (p->suggestion, "\"?");
}

/* ---- types ---- */

/* What the text in a string would be as JSON; NULL when it is none. */
static const struct json_node *
stringified (const struct parts *p, struct json_tape *tape)
{
  static const struct json_limits limits = {
    .depth = 32, .nodes = 5000, .members = 1000, .number_len = 64
  };
  const char *text;
  size_t len;

  if (p->f->value->type != JSON_STRING || p->f->value->len > STRINGIFIED_MAX)
    return NULL;
  text = json_string (p->e->tape, p->f->value, p->e->arena, &len);
  return json_read (tape, text, len, &limits, p->e->arena) ? json_root (tape) : NULL;
}

static void
suggest_inner (struct parts *p, const struct json_tape *tape, const struct json_node *inner)
{
  if (inner->type == JSON_ARRAY || inner->type == JSON_OBJECT)
    line_add (p->suggestion, "send the %s itself, not as text",
              inner->type == JSON_ARRAY ? "array" : "object");
  else if (is_hidden (p))
    line_add (p->suggestion, "send it without quotes");
  else {
    line_add (p->suggestion, "send ");
    line_add_value (p->suggestion, tape, inner, LINE_PIECE);
    line_add (p->suggestion, " without quotes");
  }
}

static bool
is_word (const struct parts *p, const char *word)
{
  const struct json_node *value = p->f->value;

  return value->len == strlen (word)
         && strncasecmp (p->e->tape->text + value->start, word, value->len) == 0;
}

static void
suggest_for_string (struct parts *p, uint16_t types)
{
  struct json_tape tape;
  const struct json_node *inner = stringified (p, &tape);

  if (inner != NULL && inner->type != JSON_STRING && check_type (&tape, types, inner))
    suggest_inner (p, &tape, inner);
  else if ((types & TYPE_BOOLEAN) != 0 && (is_word (p, "true") || is_word (p, "false")))
    line_add (p->suggestion, "send %s without quotes", is_word (p, "true") ? "true" : "false");
  else if ((types & TYPE_ARRAY) != 0 && (types & TYPE_OBJECT) == 0)
    line_add (p->suggestion, "send an array, if only of one item");
}

static void
suggest_type (struct parts *p, uint16_t types)
{
  const struct json_node *value = p->f->value;

  if (p->f->optional && value->type == JSON_NULL)
    line_add (p->suggestion, "leave it out instead");
  else if (value->type == JSON_STRING)
    suggest_for_string (p, types);
  else if ((types & TYPE_STRING) != 0 && value->type <= JSON_NUMBER && value->type != JSON_NULL)
    line_add (p->suggestion, "put it in quotes");
  else if (types == TYPE_ARRAY && value->type != JSON_NULL)
    line_add (p->suggestion, "send an array, if only of one item");
}

static void
add_types (const struct parts *p, const struct rule *rule, uint16_t types)
{
  struct line bounds = { .len = 0 };

  phrase_types (p->expected, types);
  if (rule->number != NULL && (types & (TYPE_NUMBER | TYPE_INTEGER)) != 0)
    phrase_bounds (&bounds, p->e->schema, rule->number);
  if (bounds.len != 0)
    line_add (p->expected, " %s", bounds.text);
}

/* A text in the place of an object may hold the members that are secret. */
static void
fill_type (struct parts *p)
{
  bool in_place_of_others = (p->f->types & (TYPE_OBJECT | TYPE_ARRAY)) != 0
                            && p->f->value->type == JSON_STRING
                            && p->e->schema->secret_names.count != 0;

  add_types (p, p->f->rule, p->f->types);
  phrase_got (p->got, p->e->tape, p->f->value, in_place_of_others || is_hidden (p));
  suggest_type (p, p->f->types);
}

static void
fill_nothing_allowed (struct parts *p)
{
  line_add (p->expected, "nothing");
  add_got (p);
  if (p->f->optional)
    line_add (p->suggestion, "leave it out");
}

/* ---- values ---- */

static void
suggest_value (struct parts *p, const struct words *words)
{
  struct guess guess;
  const char *word;
  size_t len;

  if (p->f->value->type != JSON_STRING)
    return;
  word = json_string (p->e->tape, p->f->value, p->e->arena, &len);
  guess_begin (&guess, word, len);
  for (uint32_t i = 0; i < words->count && i < CANDIDATES_MAX; i++)
    guess_offer (&guess, words->list[i].text, words->list[i].len);
  suggest_word (p, &guess);
}

static bool
is_among_others (const struct parts *p, const struct values *values, const struct json_tape *tape,
                 const struct json_node *value)
{
  for (uint32_t i = 0; i < values->others_count && i < CANDIDATES_MAX; i++)
    if (json_same (&p->e->schema->tape, values->others[i], tape, value))
      return true;
  return false;
}

static void
fill_value (struct parts *p)
{
  const struct values *values = p->f->values;
  const struct json_node *inner;
  struct json_tape tape;

  phrase_values (p->expected, p->e->schema, values, p->t->room);
  add_got (p);
  if (is_hidden (p))
    return;
  suggest_value (p, &values->strings);
  if (p->suggestion->len != 0)
    return;
  inner = stringified (p, &tape);
  if (inner != NULL && is_among_others (p, values, &tape, inner))
    suggest_inner (p, &tape, inner);
  else if (p->f->optional && p->f->value->type == JSON_NULL)
    line_add (p->suggestion, "leave it out instead");
}

static void
fill_mark (struct parts *p)
{
  bool hidden = is_hidden (p);
  struct guess guess;
  const char *word = "";
  size_t len = 0;

  if (p->f->value->type == JSON_STRING)
    word = json_string (p->e->tape, p->f->value, p->e->arena, &len);
  guess_begin (&guess, word, len);
  add_marks (p, p->expected, &guess);
  phrase_got (p->got, p->e->tape, p->f->value, hidden);
  if (!hidden && p->f->value->type == JSON_STRING)
    suggest_word (p, &guess);
}

/* ---- numbers and strings ---- */

static void
fill_number (struct parts *p)
{
  const struct rule *rule = p->f->rule;

  line_add (p->expected, "%s ", (rule->types & TYPE_NUMBER) == 0 ? "integer" : "number");
  phrase_bounds (p->expected, p->e->schema, rule->number);
  if (is_hidden (p))
    add_got (p);
  else
    line_add_value (p->got, p->e->tape, p->f->value, LINE_PIECE);
}

static void
fill_format (struct parts *p)
{
  line_add (p->expected, "%s", format_phrase (p->f->rule->string->format));
  phrase_description (&p->note, p->e->schema, p->f->rule);
  add_got (p);
}

static void
fill_pattern (struct parts *p)
{
  const struct schema *schema = p->e->schema;
  const struct json_node *pattern = json_member (&schema->tape, p->f->rule->source, "pattern");

  line_add (p->expected, "text that matches the pattern ");
  if (json_is (pattern, JSON_STRING))
    line_add_string (p->expected, &schema->tape, pattern, PATTERN_MOST);
  phrase_description (&p->note, schema, p->f->rule);
  phrase_example (&p->note, schema, p->f->rule);
  add_got (p);
}

static void
fill_length (struct parts *p)
{
  phrase_count (p->expected, p->f->min, p->f->max, "character");
  if (!is_hidden (p))
    line_add (p->got, "%u: ", (unsigned) text_length (p->e->tape, p->f->value));
  add_got (p);
}

/* ---- arrays and objects ---- */

static void
fill_size (struct parts *p)
{
  phrase_count (p->expected, p->f->min, p->f->max,
                p->f->value->type == JSON_ARRAY ? "item" : "member");
  line_add (p->got, "%u", (unsigned) p->f->value->count);
}

static void
fill_contains (struct parts *p)
{
  const struct finding *f = p->f;
  const struct values *values = rule_values (f->about);
  uint32_t last = f->max == NO_LIMIT ? f->min : f->max;

  phrase_count (p->expected, f->min, f->max, "item");
  line_add (p->expected, " that fit%s \"contains\"", last == 1 ? "s" : "");
  if (values != NULL) {
    line_add (&p->note, ": ");
    phrase_values (&p->note, p->e->schema, values, p->t->room);
  }
  phrase_description (&p->note, p->e->schema, f->about);
  line_add (p->got, "%u", (unsigned) f->count);
}

static void
fill_repeated (struct parts *p)
{
  struct line other = { .len = 0 };
  const char *index;

  line_add (p->expected, "each item may be there only once");
  line_add_pointer (&other, p->e->tape, p->e->root, p->f->other);
  index = strrchr (other.text, '/');
  line_add (p->got, "equal to item %s", index != NULL ? index + 1 : "");
}

/* What a missing member would have to be. */
static void
fill_missing (struct parts *p)
{
  const struct rule *rule = p->f->about;
  uint16_t types = rule != NULL ? rule_types (rule) : TYPE_ANY;
  const struct values *values = rule != NULL ? rule_values (rule) : NULL;
  struct guess guess;

  if (types != TYPE_ANY && types != 0)
    add_types (p, rule, types);
  else
    line_add (p->expected, "property");
  if (p->f->branches != NULL) {
    guess_begin (&guess, "", 0);
    line_add (&p->note, ": ");
    add_marks (p, &p->note, &guess);
    line_add (&p->note, "; it tells which of %u variants is meant",
              (unsigned) p->f->branches->count);
    return;
  }
  if (rule == NULL)
    return;
  if (values != NULL) {
    line_add (&p->note, ": ");
    phrase_values (&p->note, p->e->schema, values, p->t->room);
  }
  else if (rule->string != NULL && rule->string->format != FORMAT_NONE)
    line_add (&p->note, ": %s", format_phrase (rule->string->format));
  phrase_description (&p->note, p->e->schema, rule);
}

static void
fill_dependent (struct parts *p)
{
  line_add (p->expected, "required because \"");
  line_add_text (p->expected, p->f->mark.text, p->f->mark.len, LINE_PIECE);
  line_add (p->expected, "\" is there");
}

/* ---- combinations ---- */

static void
fill_several (struct parts *p)
{
  const struct word no_mark = { .text = NULL };

  line_add (p->got, "%u variants", (unsigned) p->f->count);
  line_add (p->expected, "exactly one");
  for (uint32_t i = 0; i < p->f->count && i < VARIANTS_TOLD; i++) {
    line_add (&p->note, i != 0 ? ", " : ": ");
    mark_label (&p->note, p->e->schema, p->f->branches, p->f->fits[i], &no_mark);
  }
  if (p->f->count > VARIANTS_TOLD)
    line_add (&p->note, " and %u more", (unsigned) (p->f->count - VARIANTS_TOLD));
}

static void
fill_excluded (struct parts *p)
{
  const struct rule *rule = p->f->about;
  const struct values *values = rule_values (rule);
  uint16_t types = rule_types (rule);

  line_add (p->expected, "anything but ");
  if (values != NULL)
    phrase_values (p->expected, p->e->schema, values, p->t->room);
  else if (types != TYPE_ANY && rule->more == 0 && rule->combination == NULL)
    phrase_types (p->expected, types);
  else
    line_add (p->expected, "what \"not\" describes");
  phrase_description (&p->note, p->e->schema, rule);
  add_got (p);
}

static void
fill_costly (struct parts *p)
{
  line_add (p->suggestion,
            p->f->keyword != NULL ? "send shorter text" : "send less, or a simpler value");
}

static void
fill_other (struct parts *p)
{
  if (p->f->branches != NULL)
    line_add (p->expected, "a value that fits one of %u variants",
              (unsigned) p->f->branches->count);
  else
    line_add (p->expected, "a value that fits the schema");
  add_got (p);
}

static void
fill_replaced (struct parts *p)
{
  (void) p;
}

void
parts_fill (struct parts *p)
{
  static void (*const fill[]) (struct parts * p) = {
    [FOUND_COSTLY] = fill_costly,     [FOUND_VALUE] = fill_value,
    [FOUND_MARK] = fill_mark,         [FOUND_TYPE] = fill_type,
    [FOUND_MISSING] = fill_missing,   [FOUND_DEPENDENT] = fill_dependent,
    [FOUND_UNKNOWN] = fill_unknown,   [FOUND_NOTHING_ALLOWED] = fill_nothing_allowed,
    [FOUND_NUMBER] = fill_number,     [FOUND_FORMAT] = fill_format,
    [FOUND_PATTERN] = fill_pattern,   [FOUND_LENGTH] = fill_length,
    [FOUND_REPEATED] = fill_repeated, [FOUND_SIZE] = fill_size,
    [FOUND_CONTAINS] = fill_contains, [FOUND_SEVERAL] = fill_several,
    [FOUND_EXCLUDED] = fill_excluded, [FOUND_REPLACED] = fill_replaced,
    [FOUND_OTHER] = fill_other
  };

  fill[p->f->kind](p);
}

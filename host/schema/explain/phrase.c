#include "schema/explain/phrase.h"

#include <string.h>

#include "schema/explain/guess.h"

enum { DESCRIPTION_MOST = 160, REFERENCES_MOST = 64, RULES_MOST = 64 };

/* ---- types ---- */

void
phrase_types (struct line *line, uint16_t types)
{
  static const struct {
    uint16_t bits;
    const char *name;
  } names[] = { { TYPE_NUMBER, "number" }, { TYPE_STRING, "string" }, { TYPE_BOOLEAN, "boolean" },
                { TYPE_ARRAY, "array" },   { TYPE_OBJECT, "object" }, { TYPE_NULL, "null" } };
  const char *before = "";

  if ((types & (TYPE_INTEGER | TYPE_PLAIN_INTEGER)) != 0 && (types & TYPE_NUMBER) == 0) {
    line_add (line, "integer");
    before = " or ";
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if ((types & names[i].bits) != 0) {
      line_add (line, "%s%s", before, names[i].name);
      before = " or ";
    }
}

void
phrase_got (struct line *line, const struct json_tape *tape, const struct json_node *value,
            bool secret)
{
  static const char *const names[] = {
    [JSON_NULL] = "null",       [JSON_FALSE] = "boolean", [JSON_TRUE] = "boolean",
    [JSON_NUMBER] = "number",   [JSON_STRING] = "string", [JSON_ARRAY] = "an array",
    [JSON_OBJECT] = "an object"
  };

  if (secret) {
    line_add (line, "%s (not shown)", names[value->type]);
    return;
  }
  if (value->type == JSON_NUMBER)
    line_add (line, "%s ", value->integer ? "integer" : "number");
  else if (value->type == JSON_STRING || value->type == JSON_TRUE || value->type == JSON_FALSE)
    line_add (line, "%s ", names[value->type]);
  line_add_value (line, tape, value, LINE_PIECE);
}

/* ---- limits ---- */

static const char *
add_bound (struct line *line, const struct schema *schema, const struct bound *bound,
           const char *before, const char *words)
{
  if (bound->source == NULL)
    return before;
  line_add (line, "%s%s ", before, words);
  line_add_value (line, &schema->tape, bound->source, LINE_PIECE);
  return " and ";
}

void
phrase_bounds (struct line *line, const struct schema *schema, const struct number_rules *rules)
{
  const char *before = "";

  if (rules->minimum.source != NULL && rules->maximum.source != NULL) {
    line_add_value (line, &schema->tape, rules->minimum.source, LINE_PIECE);
    line_add (line, "..");
    line_add_value (line, &schema->tape, rules->maximum.source, LINE_PIECE);
    before = " and ";
  }
  else {
    before = add_bound (line, schema, &rules->minimum, before, "at least");
    before = add_bound (line, schema, &rules->maximum, before, "at most");
  }
  before = add_bound (line, schema, &rules->above, before, "above");
  before = add_bound (line, schema, &rules->below, before, "below");
  (void) add_bound (line, schema, &rules->multiple, before, "a multiple of");
}

void
phrase_count (struct line *line, uint32_t min, uint32_t max, const char *noun)
{
  uint32_t last = max == NO_LIMIT ? min : max;

  if (max == NO_LIMIT)
    line_add (line, "at least %u", (unsigned) min);
  else if (min == max)
    line_add (line, "exactly %u", (unsigned) min);
  else if (min == 0)
    line_add (line, "at most %u", (unsigned) max);
  else
    line_add (line, "%u to %u", (unsigned) min, (unsigned) max);
  line_add (line, " %s%s", noun, last == 1 ? "" : "s");
}

/* ---- lists ---- */

struct phrase_list
phrase_list_begin (struct line *line, size_t room)
{
  return (struct phrase_list){ .line = line, .limit = line->len + room };
}

struct line *
phrase_list_next (struct phrase_list *list)
{
  if (list->left != 0 || list->line->len > list->limit) {
    list->left++;
    return NULL;
  }
  line_add (list->line, "%s", list->shown++ != 0 ? ", " : "");
  return list->line;
}

void
phrase_list_end (const struct phrase_list *list)
{
  if (list->left != 0)
    line_add (list->line, " and %u more", (unsigned) list->left);
}

void
phrase_values (struct line *line, const struct schema *schema, const struct values *values,
               size_t room)
{
  const struct json_node *all = values->source;
  struct phrase_list list;

  if (values->constant) {
    line_add_json (line, &schema->tape, all, room);
    return;
  }
  if (all->count == 0) {
    line_add (line, "nothing (the enum is empty)");
    return;
  }
  line_add (line, all->count == 1 ? "" : "one of ");
  list = phrase_list_begin (line, room);
  for (const struct json_node *n = json_first (all); n != json_end (all); n = json_next (n)) {
    struct line *next = phrase_list_next (&list);
    if (next != NULL)
      line_add_json (next, &schema->tape, n, LINE_PIECE);
  }
  phrase_list_end (&list);
}

/* ---- annotations ---- */

void
phrase_description (struct line *line, const struct schema *schema, const struct rule *rule)
{
  const struct json_node *node = rule_annotation (schema, rule, "description");

  if (!json_is (node, JSON_STRING) || node->len == 0)
    return;
  line_add (line, " (");
  line_add_sentence (line, &schema->tape, node, DESCRIPTION_MOST);
  line_add (line, ")");
}

void
phrase_example (struct line *line, const struct schema *schema, const struct rule *rule)
{
  const struct json_node *node = rule_annotation (schema, rule, "examples");

  if (!json_is (node, JSON_ARRAY) || node->count == 0)
    return;
  line_add (line, ", such as ");
  line_add_json (line, &schema->tape, json_first (node), LINE_PIECE);
}

/* ---- rules ---- */

const struct rule *
rule_behind (const struct rule *rule)
{
  if (rule->alias != NULL)
    return rule->alias;
  return rule->combination != NULL ? rule->combination->ref : NULL;
}

uint16_t
rule_types (const struct rule *rule)
{
  uint16_t types = rule->types;

  for (unsigned i = 0; i < REFERENCES_MOST && (rule = rule_behind (rule)) != NULL; i++)
    types &= rule->types;
  return types;
}

const struct values *
rule_values (const struct rule *rule)
{
  for (unsigned i = 0; i < REFERENCES_MOST && rule != NULL; i++, rule = rule_behind (rule))
    if (rule->constant != NULL || rule->enumeration != NULL)
      return rule->constant != NULL ? rule->constant : rule->enumeration;
  return NULL;
}

const struct json_node *
rule_annotation (const struct schema *schema, const struct rule *rule, const char *name)
{
  for (unsigned i = 0; i < REFERENCES_MOST && rule != NULL; i++, rule = rule_behind (rule)) {
    const struct json_node *found = json_member (&schema->tape, rule->source, name);
    if (found != NULL)
      return found;
  }
  return NULL;
}

static const struct property *
own_property (const struct rule *rule, const struct word *name)
{
  const struct json_tape tape = { .text = name->text, .text_len = name->len };
  const struct json_node node = { .len = name->len, .skip = 1, .type = JSON_STRING };
  uint32_t i;

  if (rule->object == NULL)
    return NULL;
  i = words_find (&rule->object->names, &tape, &node);
  return i != WORDS_NONE ? &rule->object->properties[i] : NULL;
}

/* What a property says itself: has it a rule, or is it required? */
static bool
says (const struct property *p, bool required)
{
  return p != NULL && (required ? p->required : p->rule != NULL);
}

/* The first property of the name that says so.  Looks at `left` rules at most. */
static const struct property *
find_property (const struct rule *rule, const struct word *name, bool required, unsigned *left)
{
  const struct rule *behind = rule_behind (rule);
  const struct property *found = own_property (rule, name);

  if (says (found, required))
    return found;
  if (*left == 0)
    return NULL;
  --*left;
  if (behind != NULL && (found = find_property (behind, name, required, left)) != NULL)
    return found;
  if (rule->combination == NULL)
    return NULL;
  for (uint32_t i = 0; i < rule->combination->all.count && *left != 0; i++) {
    found = find_property (rule->combination->all.rules[i], name, required, left);
    if (found != NULL)
      return found;
  }
  return NULL;
}

const struct rule *
rule_member (const struct rule *rule, const struct word *name)
{
  unsigned left = RULES_MOST;
  const struct property *found = find_property (rule, name, false, &left);

  return found != NULL ? found->rule : NULL;
}

bool
rule_requires (const struct rule *rule, const struct word *name)
{
  unsigned left = RULES_MOST;

  return find_property (rule, name, true, &left) != NULL;
}

/* ---- did you mean ---- */

const char *
meant (const struct json_tape *tape, const struct json_node *string, const char *const *candidates,
       struct arena *arena)
{
  struct guess guess;
  const char *word;
  size_t len;

  if (!json_is (string, JSON_STRING))
    return NULL;
  word = json_string (tape, string, arena, &len);
  guess_begin (&guess, word, len);
  for (; *candidates != NULL; candidates++)
    guess_offer (&guess, *candidates, strlen (*candidates));
  return guess.found;
}

#include "schema/phrase.h"

#include <ctype.h>
#include <string.h>

enum { VALUES_ROOM = 300, DESCRIPTION_MOST = 120 };

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

  if ((types & (TYPE_INTEGER | TYPE_NUMBER)) == TYPE_INTEGER) {
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

  before = add_bound (line, schema, &rules->minimum, before, "at least");
  before = add_bound (line, schema, &rules->above, before, "above");
  before = add_bound (line, schema, &rules->maximum, before, "at most");
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

/* ---- values ---- */

static void
phrase_list (struct line *line, const struct json_tape *tape, const struct json_node *list)
{
  size_t limit = line->len + VALUES_ROOM;
  uint32_t shown = 0;

  for (const struct json_node *n = json_first (list); n != json_end (list);
       n = json_next (n), shown++) {
    if (line->len > limit) {
      line_add (line, ", … (+%u)", (unsigned) (list->count - shown));
      return;
    }
    line_add (line, "%s", shown != 0 ? ", " : "");
    line_add_value (line, tape, n, LINE_PIECE);
  }
}

void
phrase_values (struct line *line, const struct schema *schema, const struct values *values)
{
  if (values->constant)
    line_add_value (line, &schema->tape, values->source, LINE_PIECE);
  else if (values->source->count == 0)
    line_add (line, "nothing (the enum is empty)");
  else {
    line_add (line, values->source->count == 1 ? "" : "one of ");
    phrase_list (line, &schema->tape, values->source);
  }
}

/* ---- annotations ---- */

uint16_t
rule_types (const struct rule *rule)
{
  uint16_t types = rule->types;

  while (rule->combination != NULL && rule->combination->ref != NULL) {
    rule = rule->combination->ref;
    types &= rule->types;
  }
  return types;
}

const struct json_node *
rule_annotation (const struct schema *schema, const struct rule *rule, const char *name)
{
  for (;;) {
    const struct json_node *found = json_member (&schema->tape, rule->source, name);
    if (found != NULL || rule->combination == NULL || rule->combination->ref == NULL)
      return found;
    rule = rule->combination->ref;
  }
}

void
phrase_description (struct line *line, const struct schema *schema, const struct rule *rule)
{
  const struct json_node *node = rule_annotation (schema, rule, "description");
  const char *text, *stop;
  size_t len;

  if (!json_is (node, JSON_STRING) || node->len == 0)
    return;
  line_add (line, " (");
  if (node->escaped)
    line_add_string (line, &schema->tape, node, DESCRIPTION_MOST);
  else {
    text = schema->tape.text + node->start;
    len = node->len;
    stop = memmem (text, len, ". ", 2);
    line_add_text (line, text, stop != NULL ? (size_t) (stop - text) : len, DESCRIPTION_MOST);
  }
  line_add (line, ")");
}

/* ---- did you mean ---- */

static bool
same_folded (const char *a, const char *b)
{
  for (;;) {
    while (*a == '_' || *a == '-' || *a == ' ')
      a++;
    while (*b == '_' || *b == '-' || *b == ' ')
      b++;
    if (tolower ((unsigned char) *a) != tolower ((unsigned char) *b))
      return false;
    if (*a == '\0')
      return true;
    a++;
    b++;
  }
}

const char *
meant (const struct json_tape *tape, const struct json_node *string, const char *const *candidates,
       struct arena *arena)
{
  enum { LONGEST = 200 };
  const char *word;

  if (!json_is (string, JSON_STRING) || string->len > LONGEST)
    return NULL;
  word = json_cstring (tape, string, arena);
  if (word == NULL)
    return NULL;
  for (const char *const *c = candidates; *c != NULL; c++)
    if (same_folded (word, *c))
      return *c;
  return error_nearest (word, candidates);
}

#include "schema/explain/mark.h"

#include "schema/explain/phrase.h"

enum { NAMES_MOST = 64, REFERENCES_MOST = 8, STEPS_PER_BRANCH = 8 };

const struct values *
mark_values (const struct rule *branch, const struct word *mark)
{
  const struct rule *member = rule_member (branch, mark);

  return member != NULL ? rule_values (member) : NULL;
}

/* Is the member in each branch for objects bound to values? */
static bool
tells_apart (const struct branches *branches, const struct word *name, int64_t *budget)
{
  uint32_t count = 0;

  if (*budget < 0)
    return false;
  *budget -= (int64_t) branches->count * STEPS_PER_BRANCH;
  for (uint32_t i = 0; i < branches->count; i++) {
    const struct values *values = mark_values (branches->rules[i], name);
    if ((rule_types (branches->rules[i]) & TYPE_OBJECT) == 0)
      continue;
    if (values == NULL || values->strings.count == 0)
      return false;
    count++;
  }
  return count > 1;
}

/* The first such member of a rule for objects, or of what it refers to. */
static bool
find_of (const struct branches *branches, const struct rule *rule, struct word *mark,
         int64_t *budget)
{
  for (unsigned i = 0; i < REFERENCES_MOST && rule != NULL; i++, rule = rule_behind (rule)) {
    const struct object_rules *rules = rule->object;
    for (uint32_t j = 0; rules != NULL && j < rules->names.count && j < NAMES_MOST; j++) {
      *mark = rules->names.list[j];
      if (rules->properties[j].rule != NULL && rule_values (rules->properties[j].rule) != NULL
          && tells_apart (branches, mark, budget))
        return true;
    }
  }
  mark->text = NULL;
  return false;
}

bool
mark_find (const struct branches *branches, struct word *mark, int64_t *budget)
{
  for (uint32_t i = 0; i < branches->count; i++)
    if ((rule_types (branches->rules[i]) & TYPE_OBJECT) != 0)
      return find_of (branches, branches->rules[i], mark, budget);
  mark->text = NULL;
  return false;
}

/* ---- labels ---- */

/* The last token of a reference. */
static void
add_reference (struct line *line, const struct json_tape *tape, const struct json_node *ref)
{
  const char *text = tape->text + ref->start;
  const char *end = text + ref->len;

  for (const char *p = text; p < end; p++)
    if (*p == '/' || *p == '#')
      text = p + 1;
  line_add_text (line, text, (size_t) (end - text), LINE_PIECE);
}

static void
add_number (struct line *line, const struct schema *schema, const struct rule *branch,
            uint32_t index)
{
  const struct json_node *title = rule_annotation (schema, branch, "title");
  const struct json_node *ref = json_member (&schema->tape, branch->source, "$ref");

  line_add (line, "variant %u", (unsigned) index + 1);
  if (!json_is (title, JSON_STRING) && !json_is (ref, JSON_STRING))
    return;
  line_add (line, " (");
  if (json_is (title, JSON_STRING))
    line_add_string (line, &schema->tape, title, LINE_PIECE);
  else
    add_reference (line, &schema->tape, ref);
  line_add (line, ")");
}

void
mark_label (struct line *line, const struct schema *schema, const struct branches *branches,
            uint32_t index, const struct word *mark)
{
  const struct rule *branch = branches->rules[index];
  const struct values *values = mark->text != NULL ? mark_values (branch, mark) : NULL;
  const struct json_node *value;

  if (values == NULL || (!values->constant && values->source->count != 1)) {
    add_number (line, schema, branch, index);
    return;
  }
  value = values->constant ? values->source : json_first (values->source);
  line_add_text (line, mark->text, mark->len, LINE_PIECE);
  line_add (line, "=");
  if (value->type == JSON_STRING)
    line_add_string (line, &schema->tape, value, LINE_PIECE);
  else
    line_add_json (line, &schema->tape, value, LINE_PIECE);
}

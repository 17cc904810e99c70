#include "schema/explain/describe.h"

#include "schema/explain/line.h"
#include "schema/explain/mark.h"
#include "schema/explain/phrase.h"

enum {
  OBJECTS_MAX = 128,  /* whose members are listed */
  MEMBERS_MAX = 1000, /* looked at */
  MARK_STEPS = 20 * 1000,
  DEPTH_MAX = 5,
  MORE_ROOM = sizeof "and 4294967295 more\n",
  PATTERN_MOST = 2 * LINE_PIECE,
  VALUES_ROOM = 300
};

/* An object whose members are still to be listed. */
struct object {
  const struct rule *rule;
  const char *path; /* of the object with what leads on to its members: "customer/" */
  unsigned depth;
};

/* The queue makes outer members come first. */
struct description {
  const struct schema *schema;
  struct buf *out;
  size_t limit; /* of out->len */
  struct arena arena;
  struct object objects[OBJECTS_MAX];
  unsigned count;
  unsigned members;
  unsigned left; /* lines without room */
  int64_t mark_steps;
};

static const struct object *
find_object (const struct description *d, const struct rule *rule)
{
  for (unsigned i = 0; i < d->count; i++)
    if (d->objects[i].rule == rule)
      return &d->objects[i];
  return NULL;
}

/* What is met again, or refers to itself, is listed once. */
static void
add_object (struct description *d, const struct rule *rule, const struct line *path, unsigned depth)
{
  if (d->count == OBJECTS_MAX || depth > DEPTH_MAX || find_object (d, rule) != NULL)
    return;
  d->objects[d->count++] = (struct object){
    .rule = rule, .path = arena_strndup (&d->arena, path->text, path->len), .depth = depth
  };
}

/* ---- one line ---- */

/* "1..200", "1 or more", "up to 200" */
static void
add_range (struct line *line, uint32_t min, uint32_t max)
{
  if (max != NO_LIMIT && min != 0)
    line_add (line, " %u..%u", (unsigned) min, (unsigned) max);
  else if (max != NO_LIMIT)
    line_add (line, " up to %u", (unsigned) max);
  else if (min != 0)
    line_add (line, " %u or more", (unsigned) min);
}

static const struct branches *
branches_of (const struct rule *rule)
{
  for (unsigned i = 0; rule != NULL && i < DEPTH_MAX; i++, rule = rule_behind (rule)) {
    const struct combination *c = rule->combination;
    if (c != NULL && (c->one.count != 0 || c->any.count != 0))
      return c->one.count != 0 ? &c->one : &c->any;
  }
  return NULL;
}

/* All types, also those that only branches name. */
static uint16_t
types_of (const struct rule *rule)
{
  const struct branches *branches = branches_of (rule);
  uint16_t types = 0;

  for (uint32_t i = 0; branches != NULL && i < branches->count; i++)
    types |= rule_types (branches->rules[i]);
  return branches != NULL ? types & rule_types (rule) : rule_types (rule);
}

static void
add_types (struct line *line, const struct rule *rule)
{
  uint16_t types = types_of (rule);

  if (types != TYPE_ANY)
    phrase_types (line, types);
  else
    line_add (line, rule_values (rule) != NULL ? "value" : "anything");
}

static void
add_limits (struct line *line, const struct rule *rule)
{
  if (rule->string != NULL)
    add_range (line, rule->string->min, rule->string->max);
  if (rule->string != NULL && rule->string->format != FORMAT_NONE)
    line_add (line, ", %s", format_name (rule->string->format));
  if (rule->array == NULL)
    return;
  add_range (line, rule->array->min, rule->array->max);
  if (rule->array->items != NULL && types_of (rule->array->items) != TYPE_ANY) {
    line_add (line, " of ");
    add_types (line, rule->array->items);
  }
}

static void
add_shape (const struct description *d, struct line *line, const struct rule *rule)
{
  struct line bounds = { .len = 0 };

  add_types (line, rule);
  for (unsigned i = 0; rule != NULL && i < DEPTH_MAX; i++, rule = rule_behind (rule)) {
    add_limits (line, rule);
    if (rule->number != NULL)
      phrase_bounds (&bounds, d->schema, rule->number);
  }
  if (bounds.len != 0)
    line_add (line, " %s", bounds.text);
}

/* Which variants an object has, by what tells them apart. */
static void
add_variant_names (struct description *d, struct line *line, const char *before,
                   const struct rule *rule)
{
  const struct branches *branches = branches_of (rule);
  struct phrase_list list;
  struct word mark;

  if (branches == NULL || branches->count < 2 || (types_of (rule) & TYPE_OBJECT) == 0)
    return;
  (void) mark_find (branches, &mark, &d->mark_steps);
  line_add (line, "%sone of ", before);
  list = phrase_list_begin (line, VALUES_ROOM);
  for (uint32_t i = 0; i < branches->count; i++) {
    struct line *next = phrase_list_next (&list);
    if (next != NULL)
      mark_label (next, d->schema, branches, i, &mark);
  }
  phrase_list_end (&list);
}

/* Where the members of a value have been listed already. */
static void
add_other_place (const struct description *d, struct line *line, const char *before,
                 const struct rule *rule)
{
  for (unsigned i = 0; rule != NULL && i < DEPTH_MAX; i++, rule = rule_behind (rule)) {
    const struct object *other = find_object (d, rule);
    if (other == NULL || *other->path == '\0')
      continue;
    line_add (line, "%slike %.*s", before, (int) strlen (other->path) - 1, other->path);
    return;
  }
}

static void
add_about (struct description *d, struct line *line, const struct rule *rule)
{
  const struct json_tape *tape = &d->schema->tape;
  const struct json_node *text = rule_annotation (d->schema, rule, "description");
  const struct json_node *pattern = rule_annotation (d->schema, rule, "pattern");
  const struct values *values = rule_values (rule);
  const char *before = ": ";

  if (json_is (text, JSON_STRING) && text->len != 0) {
    line_add (line, ": ");
    line_add_sentence (line, tape, text, PATTERN_MOST);
    before = "; ";
  }
  if (values != NULL) {
    line_add (line, "%s", before);
    phrase_values (line, d->schema, values, VALUES_ROOM);
  }
  else if (json_is (pattern, JSON_STRING)) {
    line_add (line, "%smatches ", before);
    line_add_string (line, tape, pattern, PATTERN_MOST);
  }
  else {
    add_variant_names (d, line, before, rule);
    add_other_place (d, line, before, rule);
  }
}

/* Once a line had no room the shorter ones behind it have none either. */
static void
write_line (struct description *d, const struct line *line)
{
  if (d->left != 0 || d->out->len + line->len + 1 + MORE_ROOM > d->limit) {
    d->left++;
    return;
  }
  buf_append (d->out, line->text, line->len);
  buf_putc (d->out, '\n');
}

/* ---- members ---- */

static void
add_variants (struct description *d, const struct branches *branches, const struct line *path,
              unsigned depth)
{
  struct word mark;

  (void) mark_find (branches, &mark, &d->mark_steps);
  for (uint32_t i = 0; i < branches->count; i++) {
    struct line own = *path;
    if ((rule_types (branches->rules[i]) & TYPE_OBJECT) == 0)
      continue;
    if (branches->count > 1) {
      line_add (&own, "[");
      mark_label (&own, d->schema, branches, i, &mark);
      line_add (&own, "]");
    }
    line_add (&own, "/");
    add_object (d, branches->rules[i], &own, depth);
  }
}

/* Note what is in a value, to be listed later. */
static void
go_into (struct description *d, const struct rule *rule, const struct line *path, unsigned depth)
{
  for (unsigned i = 0; rule != NULL && i < DEPTH_MAX; i++, rule = rule_behind (rule)) {
    const struct combination *c = rule->combination;
    struct line own = *path;
    if (rule->array != NULL && rule->array->items != NULL && depth < DEPTH_MAX) {
      line_add (&own, "[]");
      go_into (d, rule->array->items, &own, depth + 1);
      own = *path;
    }
    line_add (&own, "/");
    if (rule->object != NULL || (c != NULL && c->all.count != 0))
      add_object (d, rule, &own, depth);
    if (c != NULL && c->any.count != 0)
      add_variants (d, &c->any, path, depth);
    if (c != NULL && c->one.count != 0)
      add_variants (d, &c->one, path, depth);
  }
}

static void
describe_member (struct description *d, const struct object *object, const struct word *name,
                 const struct property *p)
{
  struct line line = { .len = 0 };
  struct line path;

  line_add (&line, "%s", object->path);
  line_add_text (&line, name->text, name->len, LINE_PIECE);
  path = line;
  line_add (&line, rule_requires (object->rule, name) ? " (required " : " (");
  add_shape (d, &line, p->rule);
  line_add (&line, ")");
  add_about (d, &line, p->rule);
  write_line (d, &line);
  go_into (d, p->rule, &path, object->depth + 1);
}

/* The members of a rule itself and of all that it must fit. */
static void
describe_object (struct description *d, const struct object *object, const struct rule *rule,
                 unsigned nesting)
{
  const struct object_rules *rules = rule->object;
  const struct rule *behind = rule_behind (rule);

  if (nesting > DEPTH_MAX)
    return;
  for (uint32_t i = 0; rules != NULL && i < rules->names.count; i++)
    if (rules->properties[i].rule != NULL && rules->properties[i].rule->types != 0
        && d->members++ < MEMBERS_MAX)
      describe_member (d, object, &rules->names.list[i], &rules->properties[i]);
  if (behind != NULL)
    describe_object (d, object, behind, nesting + 1);
  if (rule->combination != NULL)
    for (uint32_t i = 0; i < rule->combination->all.count && d->members < MEMBERS_MAX; i++)
      describe_object (d, object, rule->combination->all.rules[i], nesting + 1);
}

void
schema_describe (const struct schema *schema, struct buf *out, size_t most)
{
  struct description d = {
    .schema = schema, .out = out, .limit = out->len + most, .mark_steps = MARK_STEPS
  };
  struct line path = { .len = 0 };
  const struct combination *c = schema->root->combination;

  add_object (&d, schema->root, &path, 0);
  if (c != NULL && c->any.count != 0)
    add_variants (&d, &c->any, &path, 0);
  if (c != NULL && c->one.count != 0)
    add_variants (&d, &c->one, &path, 0);
  for (unsigned i = 0; i < d.count; i++) {
    struct object object = d.objects[i];
    describe_object (&d, &object, object.rule, 0);
  }
  if (d.left != 0 && most > MORE_ROOM)
    buf_printf (out, "and %u more\n", d.left);
  arena_free (&d.arena);
}

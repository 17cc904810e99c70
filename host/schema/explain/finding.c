#include "schema/explain/finding.h"

#include <string.h>

#include "base/json_names.h"
#include "schema/explain/problem.h"

enum {
  TEXT_MAX = 1800,   /* bytes of a report, pointers and messages together */
  LISTS_ROOM = 1400, /* of that, for allowed values and names */
  LIST_LEAST = 160,
  LIST_MOST = 900,
  APART_MAX = 2, /* places of a group that are told each for itself */
  WEIGHT_UNIT = 64,
  WEIGHT_WHOLE = 1000 /* the branch is for values of another type */
};

/* How much a finding speaks against the branch it was made in.  A wrong value is most likely the
 * mark that tells branches apart. */
static const unsigned char weights[] = { [FOUND_COSTLY] = 1,   [FOUND_VALUE] = 20,
                                         [FOUND_MARK] = 5,     [FOUND_TYPE] = 5,
                                         [FOUND_MISSING] = 3,  [FOUND_DEPENDENT] = 2,
                                         [FOUND_UNKNOWN] = 2,  [FOUND_NUMBER] = 1,
                                         [FOUND_FORMAT] = 1,   [FOUND_NOTHING_ALLOWED] = 5,
                                         [FOUND_PATTERN] = 1,  [FOUND_LENGTH] = 1,
                                         [FOUND_REPEATED] = 1, [FOUND_SIZE] = 1,
                                         [FOUND_CONTAINS] = 1, [FOUND_SEVERAL] = 1,
                                         [FOUND_EXCLUDED] = 1, [FOUND_REPLACED] = 1,
                                         [FOUND_OTHER] = 5 };

void
findings_begin (struct explanation *e, struct checker *k, const struct json_node *value,
                struct arena *arena)
{
  const struct json_tape *schema = &k->schema->tape;
  static const char word[] = "errorMessage";

  /* not as a whole: most groups are never there */
  e->k = k;
  e->schema = k->schema;
  e->tape = k->tape;
  e->root = value;
  e->arena = arena;
  e->count = e->found = 0;
  e->more = 0;
  e->weighed = NULL;
  e->has_messages = memmem (schema->text, schema->text_len, word, sizeof word - 1) != NULL;
  json_hash_key (e->hash_key, e);
}

static struct lead *
lead_of (const struct step *step)
{
  while (step != NULL && step->lead == NULL)
    step = step->up;
  return step != NULL ? step->lead : NULL;
}

struct lead *
lead_new (struct explanation *e, const struct step *step)
{
  struct lead *lead = arena_alloc (e->arena, sizeof *lead);

  *lead = (struct lead){ .before = lead_of (step) };
  return lead;
}

/* ---- weighing ---- */

/* What is deeper in the value speaks less against a branch. */
static void
weigh (struct explanation *e, const struct step *step, const struct finding *finding)
{
  unsigned weight = weights[finding->kind] * WEIGHT_UNIT;
  unsigned depth = finding->name != NULL;

  for (; step != NULL && step->value != e->weighed->value; step = step->up)
    depth += step->name != NULL || step->item;
  if (depth == 0 && finding->kind == FOUND_TYPE)
    weight *= WEIGHT_WHOLE;
  e->weight += weight / (1 + depth);
}

/* ---- messages of the schema's author ---- */

/* What the errorMessage of the finding's own rule says about its keyword. */
static const struct json_node *
message_of_keyword (const struct json_tape *tape, const struct json_node *messages,
                    const struct finding *f)
{
  const struct json_node *node =
    f->keyword != NULL ? json_member (tape, messages, f->keyword) : NULL;

  if (json_is (node, JSON_OBJECT) && f->missing.text != NULL)
    node = json_member_len (tape, node, f->missing.text, f->missing.len);
  return json_is (node, JSON_STRING) ? node : NULL;
}

/* What the errorMessage of a rule says about all that is wrong with a member. */
static const struct json_node *
message_of_member (const struct explanation *e, const struct json_node *messages,
                   const struct json_node *name)
{
  const struct json_tape *tape = &e->schema->tape;
  const struct json_node *members = json_member (tape, messages, "properties");
  size_t len;
  const char *text;

  if (members == NULL || name == NULL)
    return NULL;
  text = json_string (e->tape, name, e->arena, &len);
  members = json_member_len (tape, members, text, len);
  return json_is (members, JSON_STRING) ? members : NULL;
}

static void
replace (struct finding *f, const struct step *step, const struct json_node *text)
{
  bool elsewhere = f->value != step->value || f->missing.text != NULL;

  f->told_as = text;
  if (!elsewhere)
    return;
  *f = (struct finding){ .kind = FOUND_REPLACED,
                         .keyword = "errorMessage",
                         .rule = step->rule,
                         .value = step->value,
                         .told_as = text };
}

/* Give the finding the words that the schema has for it; returns the step it is then of. */
static const struct step *
apply_messages (struct explanation *e, const struct step *step, struct finding *f)
{
  const struct json_tape *tape = &e->schema->tape;

  for (const struct step *s = step, *below = NULL; s != NULL; below = s, s = s->up) {
    const struct json_node *messages = json_member (tape, s->rule->source, "errorMessage");
    const struct json_node *text = messages;
    if (!spend (e->k, s->rule->source->count))
      return step;
    if (json_is (messages, JSON_OBJECT)) {
      (void) spend (e->k, messages->skip);
      if (s == step && (f->told_as = message_of_keyword (tape, messages, f)) != NULL)
        return step;
      if (below != NULL && (text = message_of_member (e, messages, below->name)) != NULL)
        s = below;
      else if (below != NULL)
        text = json_member (tape, messages, below->via);
    }
    if (json_is (text, JSON_STRING)) {
      replace (f, s, text);
      return s;
    }
  }
  return step;
}

/* ---- groups ---- */

static uint64_t
mix (uint64_t hash, uint64_t more)
{
  hash = (hash ^ more) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

/* Of the way to a place, whatever the indices of items. */
static uint64_t
path_hash (const struct explanation *e, const struct step *step, const struct finding *f)
{
  uint64_t hash = e->hash_key[0];

  if (f->missing.text != NULL)
    for (uint32_t i = 0; i < f->missing.len; i++)
      hash = mix (hash, (unsigned char) f->missing.text[i]);
  if (f->name != NULL)
    hash = mix (hash, json_text_hash (e->tape, f->name, e->hash_key));
  for (; step != NULL; step = step->up)
    if (step->name != NULL)
      hash =
        mix (hash, json_text_hash (e->tape, step->name, e->hash_key) + (step->value == step->name));
    else if (step->item)
      hash = mix (hash, 1);
  return hash;
}

static uint32_t
places_of (const struct group *g)
{
  return g->count < GROUP_PLACES ? g->count : GROUP_PLACES;
}

/* Is this place among those of the group?  What is beyond the places it knows counts as being
 * there: a rule meets the items of an array in their order. */
static bool
has_place (const struct group *g, const struct json_node *value, uint32_t *index)
{
  for (*index = 0; *index < places_of (g); ++*index)
    if (g->places[*index] == value)
      return true;
  return g->count > GROUP_PLACES && value > g->places[GROUP_PLACES - 1] && value <= g->last;
}

/* Of a group that has no more places than findings. */
static void
take_place (struct group *g, uint32_t index)
{
  if (index == 0 && g->count == 2) {
    g->finding[0] = g->finding[1];
    g->places[0] = g->places[1];
  }
  g->count--;
}

/* Room at a place that another finding may have already: false when that one tells more. */
static bool
is_better_there (struct explanation *e, const struct finding *f, uint64_t path)
{
  uint32_t index;

  for (unsigned i = 0; i < e->count; i++) {
    struct group *g = e->groups[i];
    if (g->path != path || !has_place (g, f->value, &index))
      continue;
    if (g->finding[0].kind <= f->kind || g->count > APART_MAX)
      return false;
    take_place (g, index);
  }
  return true;
}

static struct group *
group_of (struct explanation *e, const struct finding *f, uint64_t path)
{
  struct group *g;

  for (unsigned i = 0; i < e->count; i++) {
    g = e->groups[i];
    if (g->path == path && g->finding[0].rule == f->rule && g->finding[0].kind == f->kind
        && g->finding[0].told_as == f->told_as)
      return g;
  }
  if (e->count == GROUPS_MAX)
    return NULL;
  g = e->groups[e->count++] = arena_alloc (e->arena, sizeof *g);
  g->path = path;
  g->count = 0;
  g->order = e->found;
  return g;
}

void
found (struct explanation *e, const struct step *step, const struct finding *finding)
{
  struct finding f = *finding;
  struct group *g;
  uint64_t path;

  /* whatever check_… says after that may be wrong */
  if (e->k->gave_up || !spend (e->k, GROUPS_MAX / 4 + e->k->depth))
    return;
  e->found++;
  if (e->weighed != NULL) {
    weigh (e, step, &f);
    return;
  }
  f.lead = lead_of (step);
  if (e->has_messages)
    step = apply_messages (e, step, &f);
  path = path_hash (e, step, &f);
  if (!is_better_there (e, &f, path))
    return;
  g = group_of (e, &f, path);
  if (g == NULL) {
    e->more++;
    return;
  }
  if (g->count < 2)
    g->finding[g->count] = f;
  if (g->count < GROUP_PLACES)
    g->places[g->count] = f.value;
  g->last = f.value;
  g->count++;
}

/* ---- the report ---- */

/* What is about a value before what is about a whole of values. */
static unsigned
class_of (const struct group *g)
{
  return g->finding[0].kind >= FOUND_REPEATED && g->finding[0].kind != FOUND_REPLACED;
}

static bool
comes_before (const struct group *a, const struct group *b)
{
  if (class_of (a) != class_of (b))
    return class_of (a) < class_of (b);
  return a->order < b->order;
}

/* By insertion: they are few. */
static void
sort_groups (struct explanation *e)
{
  for (unsigned i = 1; i < e->count; i++)
    for (unsigned j = i; j > 0 && comes_before (e->groups[j], e->groups[j - 1]); j--) {
      struct group *g = e->groups[j];
      e->groups[j] = e->groups[j - 1];
      e->groups[j - 1] = g;
    }
}

static unsigned
problems_of (const struct group *g)
{
  return g->count <= APART_MAX ? g->count : 1;
}

static size_t
list_room (const struct explanation *e)
{
  size_t problems = 1;
  size_t room;

  for (unsigned i = 0; i < e->count; i++)
    problems += problems_of (e->groups[i]);
  room = LISTS_ROOM / (problems > 1 ? problems - 1 : 1);
  return room < LIST_LEAST ? LIST_LEAST : room > LIST_MOST ? LIST_MOST : room;
}

static const char *
kept (struct explanation *e, const struct line *line)
{
  return line->len != 0 ? arena_strndup (e->arena, line->text, line->len) : NULL;
}

static void
keep (struct explanation *e, struct schema_problem *p, const struct finding *f,
      const struct problem_text *text)
{
  p->pointer = arena_strndup (e->arena, text->pointer.text, text->pointer.len);
  p->message = arena_strndup (e->arena, text->message.text, text->message.len);
  p->keyword = f->keyword;
  p->schema_pointer = arena_strndup (e->arena, text->schema_pointer.text, text->schema_pointer.len);
  p->expected = kept (e, &text->expected);
  p->got = kept (e, &text->got);
  p->suggestion = kept (e, &text->suggestion);
}

/* Leads are told with the first problem that is kept. */
static void
mark_told (struct lead *lead)
{
  for (; lead != NULL; lead = lead->before)
    lead->told = true;
}

static void
cut_message (struct line *message, size_t room)
{
  static const char ellipsis[] = "…";

  if (message->len <= room)
    return;
  line_cut (message, room - (sizeof ellipsis - 1));
  line_add (message, ellipsis);
}

static void
tell (struct telling *t, struct schema_report *report, size_t *used)
{
  struct explanation *e = t->e;
  struct problem_text text;
  size_t room = TEXT_MAX - *used;

  if (report->count == SCHEMA_MAX_PROBLEMS) {
    report->more++;
    return;
  }
  problem_tell (t, &text);
  if (report->count == 0)
    cut_message (&text.message, room - text.pointer.len);
  if (text.pointer.len + text.message.len > room) {
    report->more++;
    return;
  }
  *used += text.pointer.len + text.message.len;
  keep (e, &report->problems[report->count++], t->finding, &text);
  mark_told (t->finding->lead);
  if (t->finding->kind == FOUND_UNKNOWN)
    t->listed = t->finding->rule;
}

void
findings_report (struct explanation *e, struct schema_report *report)
{
  struct telling t = { .e = e, .room = list_room (e) };
  size_t used = 0;

  report->count = 0;
  report->more = e->more;
  sort_groups (e);
  for (unsigned i = 0; i < e->count; i++) {
    const struct group *g = e->groups[i];
    t.group = g->count > APART_MAX ? g : NULL;
    for (unsigned j = 0; j < problems_of (g); j++) {
      t.finding = &g->finding[j];
      tell (&t, report, &used);
    }
  }
}

#include "schema/regex/ecma.h"

enum {
  NEST_LIMIT = 50,
  WEIGHT_MAX = PATTERN_LEN_MAX /* as a pattern can have without repetitions */
};

static struct regex_node *read_choice (struct reader *r);

static struct regex_node *
bad_node (struct reader *r, const char *text)
{
  (void) reader_bad (r, text);
  return NULL;
}

static uint32_t
weight_sum (uint32_t a, uint32_t b)
{
  return a > WEIGHT_MAX || b > WEIGHT_MAX ? WEIGHT_MAX + 1 : a + b;
}

static struct regex_node *
new_node (struct reader *r, enum regex_kind kind)
{
  struct regex_node *node = arena_alloc (&r->tree->arena, sizeof *node);

  memset (node, 0, sizeof *node);
  node->kind = kind;
  node->weight = 1;
  return node;
}

/* A set of one code point. */
static struct regex_node *
new_character (struct reader *r, uint32_t c)
{
  struct regex_node *node = new_node (r, REGEX_SET);

  regex_set_add (&r->tree->arena, &node->set, c, c);
  reader_close (r, &node->set, false);
  return node;
}

/* ---- groups ---- */

/* A name and its ">". */
static struct regex_name *
read_name (struct reader *r)
{
  struct regex_name *name = arena_alloc (&r->tree->arena, sizeof *name);

  *name = (struct regex_name){ .text = r->p };
  while (r->p < r->end
         && (is_letter (*r->p) || *r->p == '_' || *r->p == '$' || (*r->p & 0x80) != 0
             || (is_digit (*r->p) && r->p > name->text)))
    r->p++;
  name->len = (size_t) (r->p - name->text);
  if (name->len > 0 && reader_take (r, ">"))
    return name;
  (void) reader_bad (r, "no name of a group between < and >");
  return NULL;
}

static struct regex_name *
find_name (struct regex_name *list, const struct regex_name *name)
{
  for (; list != NULL; list = list->next)
    if (list->len == name->len && memcmp (list->text, name->text, name->len) == 0)
      return list;
  return NULL;
}

/* Behind "(?<". */
static bool
name_group (struct reader *r, struct regex_node *group)
{
  struct regex_name *name = read_name (r);

  if (name == NULL)
    return false;
  if (find_name (r->tree->names, name) != NULL)
    return reader_bad (r, "two groups of one name");
  name->node = group;
  name->next = r->tree->names;
  r->tree->names = name;
  return true;
}

/* Behind "(": its kind and what belongs to that. */
static struct regex_node *
open_group (struct reader *r)
{
  static const struct {
    const char *opening;
    bool behind;
    bool negated;
  } looks[] = {
    { "?=", false, false }, { "?!", false, true }, { "?<=", true, false }, { "?<!", true, true }
  };
  struct regex_node *node;

  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    if (reader_take (r, looks[i].opening)) {
      node = new_node (r, REGEX_LOOK);
      node->look.behind = looks[i].behind;
      node->look.negated = looks[i].negated;
      return node;
    }
  node = new_node (r, REGEX_GROUP);
  if (reader_take (r, "?:"))
    return node;
  node->group = ++r->tree->groups;
  if (reader_take (r, "?<"))
    return name_group (r, node) ? node : NULL;
  return reader_sees (r, '?') ? bad_node (r, "unknown group (?") : node;
}

/* Behind "(". */
static struct regex_node *
read_group (struct reader *r)
{
  struct regex_node *node = open_group (r);

  if (node == NULL)
    return NULL;
  if (++r->depth > NEST_LIMIT)
    return bad_node (r, "parentheses are too deeply nested");
  node->child = read_choice (r);
  if (node->child == NULL)
    return NULL;
  if (!reader_take (r, ")"))
    return bad_node (r, "missing closing parenthesis");
  r->depth--;
  node->weight = weight_sum (1, node->child->weight);
  return node;
}

/* ---- back references ---- */

/* At the first digit of the number. */
static struct regex_node *
read_reference (struct reader *r)
{
  struct regex_node *node = new_node (r, REGEX_REFERENCE);

  for (; r->p < r->end && is_digit (*r->p); r->p++)
    if (node->group <= PATTERN_LEN_MAX)
      node->group = node->group * 10 + (uint32_t) (*r->p - '0');
  if (node->group > r->tree->last_group)
    r->tree->last_group = node->group;
  r->tree->references++;
  return node;
}

/* Behind "\k". */
static struct regex_node *
read_named_reference (struct reader *r)
{
  struct regex_name *name;

  if (!reader_take (r, "<"))
    return bad_node (r, "\\k without <the name of a group>");
  name = read_name (r);
  if (name == NULL)
    return NULL;
  name->node = new_node (r, REGEX_REFERENCE);
  name->next = r->tree->named_references;
  r->tree->named_references = name;
  r->tree->references++;
  return name->node;
}

/* A group may stand behind what refers to it. */
static bool
resolve_references (struct reader *r)
{
  struct regex_name *name = r->tree->named_references;

  if (r->tree->last_group > r->tree->groups)
    return reader_bad (r, "a back reference to a group that is not there");
  for (; name != NULL; name = name->next) {
    const struct regex_name *group = find_name (r->tree->names, name);
    if (group == NULL)
      return error_set (r->err, "bad pattern: \\k<%.*s> names no group",
                        name->len > 60 ? 60 : (int) name->len, name->text);
    name->node->group = group->node->group;
  }
  return true;
}

/* ---- the rest ---- */

/* Behind "\". */
static struct regex_node *
read_escape (struct reader *r)
{
  struct regex_node *node;
  bool found;
  uint32_t c;

  if (r->p == r->end)
    return bad_node (r, "\\ at the end");
  if (reader_sees (r, 'b') || reader_sees (r, 'B')) {
    node = new_node (r, REGEX_EDGE);
    node->inside = *r->p++ == 'B';
    return node;
  }
  if (*r->p >= '1' && *r->p <= '9')
    return read_reference (r);
  if (reader_take (r, "k"))
    return read_named_reference (r);
  node = new_node (r, REGEX_SET);
  if (!reader_set_escape (r, &node->set, &found))
    return NULL;
  if (!found) {
    if (!reader_character_escape (r, false, &c))
      return NULL;
    regex_set_add (&r->tree->arena, &node->set, c, c);
  }
  reader_close (r, &node->set, false);
  return node;
}

static uint32_t
read_count (struct reader *r)
{
  uint64_t count = 0;

  for (; r->p < r->end && is_digit (*r->p); r->p++)
    count = count * 10 + (uint64_t) (*r->p - '0') < REGEX_NO_MAX
              ? count * 10 + (uint64_t) (*r->p - '0')
              : REGEX_NO_MAX;
  return (uint32_t) count;
}

/* "{n}", "{n,}" or "{n,m}"; not read when it is none. */
static bool
take_braces (struct reader *r, uint32_t *min, uint32_t *max)
{
  const char *start = r->p;

  if (reader_take (r, "{") && r->p < r->end && is_digit (*r->p)) {
    *min = *max = read_count (r);
    if (reader_take (r, ","))
      *max = reader_sees (r, '}') ? REGEX_NO_MAX : read_count (r);
    if (reader_take (r, "}"))
      return true;
  }
  r->p = start;
  return false;
}

static bool
take_quantifier (struct reader *r, uint32_t *min, uint32_t *max)
{
  if (reader_sees (r, '{'))
    return take_braces (r, min, max);
  if (!reader_sees (r, '*') && !reader_sees (r, '+') && !reader_sees (r, '?'))
    return false;
  *min = *r->p == '+';
  *max = *r->p == '?' ? 1 : REGEX_NO_MAX;
  r->p++;
  return true;
}

/* A repeated set is one item, a repeated group is written out. */
static uint32_t
repeat_weight (const struct regex_node *child, uint32_t min, uint32_t max)
{
  uint64_t times = max == REGEX_NO_MAX ? (uint64_t) min + 1 : max;

  if (child->kind == REGEX_SET || times == 0)
    return child->weight;
  times *= child->weight;
  return times > WEIGHT_MAX ? WEIGHT_MAX + 1 : (uint32_t) times;
}

/* What was read, with the quantifier that follows. */
static struct regex_node *
read_quantifier (struct reader *r, struct regex_node *child)
{
  struct regex_node *node;
  uint32_t min, max;

  if (!take_quantifier (r, &min, &max))
    return child;
  if (min > max)
    return bad_node (r, "numbers out of order in {}");
  node = new_node (r, REGEX_REPEAT);
  node->child = child;
  node->repeat.min = min;
  node->repeat.max = max;
  node->repeat.lazy = reader_take (r, "?");
  node->weight = repeat_weight (child, min, max);
  return node;
}

/* A quantifier where nothing was before it, or a bracket that stands alone. */
static struct regex_node *
read_stray (struct reader *r)
{
  const char *start = r->p;
  uint32_t min, max;

  if (take_quantifier (r, &min, &max)) {
    error_set (r->err, "bad pattern: nothing to repeat before '%.*s'",
               r->p - start > 20 ? 20 : (int) (r->p - start), start);
    return NULL;
  }
  if (r->strict)
    return bad_node (r, "a bracket alone");
  return new_character (r, (unsigned char) *r->p++);
}

static struct regex_node *
read_class (struct reader *r)
{
  struct regex_node *node = new_node (r, REGEX_SET);

  return reader_brackets (r, &node->set) ? node : NULL;
}

static struct regex_node *
read_atom (struct reader *r)
{
  struct regex_node *node;
  uint32_t c;

  switch (*r->p) {
  case '^':
  case '$':
    return new_node (r, *r->p++ == '^' ? REGEX_START : REGEX_END);
  case '\\':
    r->p++;
    return read_escape (r);
  case '[':
    r->p++;
    return read_class (r);
  case '(':
    r->p++;
    return read_group (r);
  case '.':
    r->p++;
    node = new_node (r, REGEX_SET);
    regex_set_add_dot (&r->tree->arena, &node->set);
    reader_close (r, &node->set, false);
    return node;
  case '*':
  case '+':
  case '?':
  case '{':
  case '}':
  case ']':
    return read_stray (r);
  default:
    return reader_code_point (r, &c) ? new_character (r, c) : NULL;
  }
}

static bool
is_repeatable (const struct regex_node *node)
{
  return node->kind == REGEX_SET || node->kind == REGEX_GROUP || node->kind == REGEX_REFERENCE;
}

static struct regex_node *
read_sequence (struct reader *r)
{
  struct regex_node *sequence = new_node (r, REGEX_SEQUENCE);
  struct regex_node **place = &sequence->child;

  sequence->weight = 0;
  while (r->p < r->end && *r->p != '|' && *r->p != ')') {
    struct regex_node *node = read_atom (r);
    if (node != NULL && is_repeatable (node))
      node = read_quantifier (r, node);
    if (node == NULL)
      return NULL;
    sequence->weight = weight_sum (sequence->weight, node->weight);
    *place = node;
    place = &node->next;
  }
  return sequence;
}

static struct regex_node *
read_choice (struct reader *r)
{
  struct regex_node *first = read_sequence (r), *last = first, *choice;

  if (first == NULL || !reader_sees (r, '|'))
    return first;
  choice = new_node (r, REGEX_CHOICE);
  choice->child = first;
  choice->weight = first->weight;
  while (reader_take (r, "|")) {
    last->next = read_sequence (r);
    last = last->next;
    if (last == NULL)
      return NULL;
    choice->weight = weight_sum (choice->weight, last->weight);
  }
  return choice;
}

bool
regex_tree_read (struct regex_tree *tree, const char *pattern, size_t len, bool strict,
                 struct error *err)
{
  struct reader r = {
    .p = pattern, .end = pattern + len, .tree = tree, .err = err, .strict = strict
  };

  *tree = (struct regex_tree){ .ignores_case = tree->ignores_case };
  tree->root = read_choice (&r);
  if (tree->root == NULL)
    return false;
  if (r.p < r.end)
    return error_set (err, "bad pattern: unmatched closing parenthesis");
  return resolve_references (&r);
}

void
regex_tree_free (struct regex_tree *tree)
{
  arena_free (&tree->arena);
}

bool
regex_tree_check_weight (const struct regex_tree *tree, struct error *err)
{
  if (tree->root->weight > WEIGHT_MAX)
    return error_set (err, "too costly a pattern: its repetitions multiply to more than %d items",
                      WEIGHT_MAX);
  return true;
}

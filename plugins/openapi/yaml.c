#include "yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "../common/utf8.h"

enum { DEPTH_MAX = VALUE_DEPTH_MAX, ANCHORS_MAX = 10000 };

struct anchor {
  const char *name;
  const struct value *value;
  size_t nodes;   /* it comes to, written out */
  unsigned depth; /* of what is nested in it */
};

struct reader {
  yaml_parser_t parser;
  struct values *pool;
  struct text *why;
  struct anchor *anchors;
  size_t anchors_count, anchors_room;
  size_t nodes; /* so far, with every alias written out */
  unsigned depth;
};

static const struct value *read_value (struct reader *r, const yaml_event_t *event);

static const struct value *
refuse (struct reader *r, const yaml_mark_t *mark, const char *what)
{
  if (r->why->len == 0)
    text_addf (r->why, "line %zu: %s", mark->line + 1, what);
  return NULL;
}

static bool
next_event (struct reader *r, yaml_event_t *event)
{
  if (yaml_parser_parse (&r->parser, event))
    return true;
  (void) refuse (r, &r->parser.problem_mark,
                 r->parser.problem != NULL ? r->parser.problem : "this is no YAML");
  return false;
}

/* ---- scalars ---- */

static bool
is_one_of (const char *text, const char *const *words)
{
  for (; *words != NULL; words++)
    if (strcmp (text, *words) == 0)
      return true;
  return false;
}

static bool
is_word (const char *text, const char *lower, const char *capital, const char *upper)
{
  return is_one_of (text, (const char *const[]){ lower, capital, upper, NULL });
}

/* As JSON has them: what only YAML takes for a number (0x1F, .5, +1) stays a text. */
static const struct value *
read_number (struct reader *r, const char *text, size_t len)
{
  const struct value *number;

  if (len == 0 || (text[0] != '-' && (text[0] < '0' || text[0] > '9')))
    return NULL;
  number = value_parse (r->pool, text, len);
  return value_is (number, VALUE_NUMBER) ? number : NULL;
}

static const struct value *
read_plain (struct reader *r, const char *text, size_t len)
{
  const struct value *number;

  if (is_one_of (text, (const char *const[]){ "", "~", NULL })
      || is_word (text, "null", "Null", "NULL"))
    return &value_null;
  if (is_word (text, "true", "True", "TRUE"))
    return &value_true;
  if (is_word (text, "false", "False", "FALSE"))
    return &value_false;
  number = read_number (r, text, len);
  return number != NULL ? number : value_string (r->pool, text, len);
}

static const struct value *
read_scalar (struct reader *r, const yaml_event_t *event)
{
  const char *text = (const char *) event->data.scalar.value;
  const size_t len = event->data.scalar.length;
  const char *tag = (const char *) event->data.scalar.tag;

  if (tag != NULL && strcmp (tag, YAML_STR_TAG) != 0)
    return refuse (r, &event->start_mark, "tags are not taken");
  if (memchr (text, '\0', len) != NULL)
    return refuse (r, &event->start_mark, "a text holds U+0000");
  return tag == NULL && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
           ? read_plain (r, text, len)
           : value_string (r->pool, text, len);
}

/* ---- anchors ---- */

static unsigned
depth_of (const struct value *value)
{
  unsigned most = 0;

  for (size_t i = 0; i < value->count; i++) {
    unsigned depth = 0;
    if (value->type == VALUE_ARRAY)
      depth = depth_of (value->items[i]);
    else if (value->type == VALUE_OBJECT)
      depth = depth_of (value->members[i].value);
    else
      break;
    most = depth > most ? depth : most;
  }
  return most + (value->type == VALUE_ARRAY || value->type == VALUE_OBJECT);
}

static bool
keep_anchor (struct reader *r, const yaml_char_t *name, const struct value *value, size_t nodes,
             const yaml_mark_t *mark)
{
  if (name == NULL || value == NULL)
    return value != NULL;
  if (r->anchors_count == ANCHORS_MAX)
    return refuse (r, mark, "there are too many anchors") != NULL;
  if (r->anchors_count == r->anchors_room) {
    size_t room = r->anchors_room != 0 ? 2 * r->anchors_room : 16;
    struct anchor *anchors = realloc (r->anchors, room * sizeof *anchors);
    if (anchors == NULL)
      return refuse (r, mark, "there is no memory") != NULL;
    r->anchors = anchors;
    r->anchors_room = room;
  }
  r->anchors[r->anchors_count++] = (struct anchor){
    .name = values_text (r->pool, (const char *) name, strlen ((const char *) name)),
    .value = value,
    .nodes = nodes,
    .depth = depth_of (value),
  };
  return true;
}

/* The latest of its name, as YAML has it. */
static const struct value *
read_alias (struct reader *r, const yaml_event_t *event)
{
  for (size_t i = r->anchors_count; i-- != 0;)
    if (strcmp (r->anchors[i].name, (const char *) event->data.alias.anchor) == 0) {
      r->nodes += r->anchors[i].nodes;
      return r->nodes <= YAML_NODES_MAX && r->depth + r->anchors[i].depth <= DEPTH_MAX
               ? r->anchors[i].value
               : refuse (r, &event->start_mark, "its aliases come to too much");
    }
  return refuse (r, &event->start_mark, "there is no such anchor above");
}

/* ---- containers ---- */

struct growing {
  void *data;
  size_t count, room;
};

static bool
grow (struct reader *r, struct growing *list, size_t size, const yaml_mark_t *mark)
{
  size_t room = list->room != 0 ? 2 * list->room : 8;
  void *data;

  if (list->count < list->room)
    return true;
  data = realloc (list->data, room * size);
  if (data == NULL)
    return refuse (r, mark, "there is no memory") != NULL;
  list->data = data;
  list->room = room;
  return true;
}

static bool
read_item (struct reader *r, struct growing *list, const yaml_event_t *event)
{
  const struct value *value;

  if (!grow (r, list, sizeof value, &event->start_mark))
    return false;
  value = read_value (r, event);
  ((const struct value **) list->data)[list->count] = value;
  list->count += value != NULL;
  return value != NULL;
}

/* The value that follows a key. */
static bool
read_member (struct reader *r, struct growing *list, const yaml_event_t *key)
{
  struct value_member *member;
  yaml_event_t event;

  if (key->type != YAML_SCALAR_EVENT || key->data.scalar.anchor != NULL
      || memchr (key->data.scalar.value, '\0', key->data.scalar.length) != NULL)
    return refuse (r, &key->start_mark, "a key has to be a text") != NULL;
  if (strcmp ((const char *) key->data.scalar.value, "<<") == 0)
    return refuse (r, &key->start_mark, "merge keys are not taken; write the members") != NULL;
  if (!grow (r, list, sizeof *member, &key->start_mark) || !next_event (r, &event))
    return false;
  member = (struct value_member *) list->data + list->count;
  member->name =
    values_text (r->pool, (const char *) key->data.scalar.value, key->data.scalar.length);
  member->len = key->data.scalar.length;
  member->value = read_value (r, &event);
  list->count += member->value != NULL;
  yaml_event_delete (&event);
  return member->value != NULL;
}

static int
by_name (const void *a, const void *b)
{
  return strcmp ((*(const struct value_member *const *) a)->name,
                 (*(const struct value_member *const *) b)->name);
}

static const char *
find_twice (const struct growing *list)
{
  const struct value_member *members = list->data,
                            **sorted = calloc (list->count + 1, sizeof *sorted);
  const char *twice = sorted == NULL ? "" : NULL;

  for (size_t i = 0; sorted != NULL && i < list->count; i++)
    sorted[i] = &members[i];
  if (sorted != NULL)
    qsort (sorted, list->count, sizeof *sorted, by_name);
  for (size_t i = 1; sorted != NULL && twice == NULL && i < list->count; i++)
    if (strcmp (sorted[i - 1]->name, sorted[i]->name) == 0)
      twice = sorted[i]->name;
  free (sorted);
  return twice;
}

static const struct value *
make_container (struct reader *r, const struct growing *list, bool mapping, const yaml_mark_t *mark)
{
  CLEANUP_TEXT struct text why = { 0 };
  const char *twice;

  if (!mapping)
    return value_array (r->pool, list->data, list->count);
  twice = find_twice (list);
  if (twice == NULL)
    return value_object (r->pool, list->data, list->count);
  text_addf (&why, "the key \"%.80s\" stands twice in what begins here", twice);
  return refuse (r, mark, text_get (&why));
}

static const struct value *
read_container (struct reader *r, const yaml_event_t *start, bool mapping)
{
  const yaml_event_type_t last = mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
  const struct value *made = NULL;
  struct growing list = { 0 };
  bool good = ++r->depth <= DEPTH_MAX, more = true;

  if (!good)
    (void) refuse (r, &start->start_mark, "it is nested too deeply");
  while (good && more) {
    yaml_event_t event;
    good = next_event (r, &event);
    if (!good)
      break;
    more = event.type != last;
    if (more)
      good = mapping ? read_member (r, &list, &event) : read_item (r, &list, &event);
    yaml_event_delete (&event);
  }
  if (good)
    made = make_container (r, &list, mapping, &start->start_mark);
  free (list.data);
  r->depth--;
  return made;
}

static const struct value *
read_value (struct reader *r, const yaml_event_t *event)
{
  const yaml_char_t *anchor = NULL, *tag = NULL;
  const struct value *value;
  const size_t before = r->nodes;

  if (++r->nodes > YAML_NODES_MAX || !values_ok (r->pool))
    return refuse (r, &event->start_mark, "there is too much of it");
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return read_alias (r, event);
  case YAML_SCALAR_EVENT:
    anchor = event->data.scalar.anchor;
    value = read_scalar (r, event);
    break;
  case YAML_MAPPING_START_EVENT:
    anchor = event->data.mapping_start.anchor;
    tag = event->data.mapping_start.tag;
    value = tag == NULL ? read_container (r, event, true)
                        : refuse (r, &event->start_mark, "tags are not taken");
    break;
  case YAML_SEQUENCE_START_EVENT:
    anchor = event->data.sequence_start.anchor;
    tag = event->data.sequence_start.tag;
    value = tag == NULL ? read_container (r, event, false)
                        : refuse (r, &event->start_mark, "tags are not taken");
    break;
  default:
    return refuse (r, &event->start_mark, "expected a value");
  }
  return keep_anchor (r, anchor, value, r->nodes - before, &event->start_mark) ? value : NULL;
}

/* ---- the whole ---- */

static const struct value *
read_document (struct reader *r)
{
  static const yaml_event_type_t before[] = { YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT },
                                 after[] = { YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT };
  const struct value *value = NULL;
  yaml_event_t event;
  bool good = true;

  for (size_t i = 0; i < 5; i++) {
    if (!next_event (r, &event))
      return NULL;
    if (i == 2)
      good = (value = read_value (r, &event)) != NULL;
    else if (event.type != (i < 2 ? before[i] : after[i - 3]))
      good = refuse (r, &event.start_mark, "expected one document") != NULL;
    yaml_event_delete (&event);
    if (!good)
      return NULL;
  }
  return value;
}

const struct value *
yaml_read (struct values *pool, const char *text, size_t len, struct text *why)
{
  struct reader r = { .pool = pool, .why = why };
  const struct value *value;

  if (!yaml_parser_initialize (&r.parser)) {
    text_add (why, "there is no memory to read it");
    return NULL;
  }
  yaml_parser_set_encoding (&r.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string (&r.parser, (const unsigned char *) text, len);
  value = read_document (&r);
  yaml_parser_delete (&r.parser);
  free (r.anchors);
  return value;
}

#include "catalog/project/project.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/project/walk.h"

enum { LOSSES_MAX = 200 };

/* ---- losses ---- */

const char *
loss_kind_name (enum loss_kind kind)
{
  static const char *const names[] = { "moved", "rewritten", "dropped", "refused" };

  return names[kind];
}

static void
free_loss (struct loss *loss)
{
  free (loss->pointer);
  free (loss->keyword);
  free (loss->sentence);
}

void
losses_free (struct losses *losses)
{
  for (size_t i = 0; i < losses->count; i++)
    free_loss (&losses->list[i]);
  free (losses->list);
  *losses = (struct losses){ .list = NULL };
}

const struct loss *
losses_refusal (const struct losses *losses)
{
  for (size_t i = 0; i < losses->count; i++)
    if (losses->list[i].kind == LOSS_REFUSED)
      return &losses->list[i];
  return NULL;
}

static bool
is_noted (struct walk *k, enum loss_kind kind, const char *keyword, const char *sentence)
{
  for (size_t i = 0; i < k->losses->count; i++) {
    const struct loss *l = &k->losses->list[i];
    if (l->kind == kind && strcmp (l->keyword, keyword) == 0
        && strcmp (l->pointer, buf_cstr (&k->pointer)) == 0 && strcmp (l->sentence, sentence) == 0)
      return true;
  }
  return false;
}

static void
add_loss (struct walk *k, enum loss_kind kind, const char *keyword, const char *sentence)
{
  struct losses *losses = k->losses;

  if (losses->count == LOSSES_MAX) {
    losses->more++;
    return;
  }
  if (is_noted (k, kind, keyword, sentence))
    return;
  losses->list = xrealloc (losses->list, (losses->count + 1) * sizeof *losses->list);
  losses->list[losses->count++] = (struct loss){ .kind = kind,
                                                 .pointer = xstrdup (buf_cstr (&k->pointer)),
                                                 .keyword = xstrdup (keyword),
                                                 .sentence = xstrdup (sentence) };
}

void
walk_loss (struct walk *k, enum loss_kind kind, const char *keyword, const char *fmt, ...)
{
  char sentence[640];
  va_list args;

  va_start (args, fmt);
  (void) vsnprintf (sentence, sizeof sentence, fmt, args);
  va_end (args);
  add_loss (k, kind, keyword, sentence);
  if (kind == LOSS_REFUSED)
    k->refused = k->losses->refused = true;
}

/* The loss of this kind that is noted for this place, or NULL. */
static struct loss *
find_loss (struct walk *k, enum loss_kind kind)
{
  for (size_t i = k->losses->count; i-- > 0;)
    if (k->losses->list[i].kind == kind
        && strcmp (k->losses->list[i].pointer, buf_cstr (&k->pointer)) == 0)
      return &k->losses->list[i];
  return NULL;
}

/* Is the keyword one of "a, b, c"? */
static bool
list_has (const char *list, const char *keyword)
{
  size_t len = strlen (keyword);

  for (const char *at = list; at != NULL; at = strchr (at, ','), at += at != NULL ? 2 : 0)
    if (strncmp (at, keyword, len) == 0 && (at[len] == ',' || at[len] == '\0'))
      return true;
  return false;
}

void
walk_loss_of (struct walk *k, enum loss_kind kind, const char *keyword)
{
  const char *what = kind == LOSS_MOVED ? "moved to the description" : "dropped";
  struct loss *loss = find_loss (k, kind);
  CLEANUP_BUF struct buf list = { 0 };
  CLEANUP_BUF struct buf sentence = { 0 };

  if (loss == NULL || strstr (loss->sentence, what) == NULL) {
    walk_loss (k, kind, keyword, "%s is %s", keyword, what);
    return;
  }
  if (list_has (loss->keyword, keyword))
    return;
  buf_printf (&list, "%s, %s", loss->keyword, keyword);
  buf_printf (&sentence, "%s are %s", buf_cstr (&list), what);
  free (loss->keyword);
  free (loss->sentence);
  loss->keyword = xstrdup (list.data);
  loss->sentence = xstrdup (buf_cstr (&sentence));
}

bool
walk_spend (struct walk *k, uint32_t nodes)
{
  if (k->budget < nodes) {
    if (!k->refused)
      walk_loss (k, LOSS_REFUSED, "", "it is too intricate to be written for a provider");
    return false;
  }
  k->budget -= nodes;
  return true;
}

/* ---- pointers ---- */

size_t
walk_descend (struct walk *k, const char *name, size_t len)
{
  return json_pointer_add (&k->pointer, name, len);
}

void
walk_ascend (struct walk *k, size_t was)
{
  k->pointer.len = was;
}

/* ---- one schema of the definition ---- */

/* Are the members of this one schemas by name, or may they be? */
static bool
is_map (const struct json_tape *tape, const struct json_node *name)
{
  static const char *const maps[] = { "properties",  "patternProperties", "$defs",
                                      "definitions", "dependentSchemas",  "dependencies" };

  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
    if (json_equals (tape, name, maps[i]))
      return true;
  return false;
}

/* May there be a schema that is true or false, but for additionalProperties, which stays so? */
static bool
may_hold_boolean_schema (const struct json_tape *tape, const struct json_node *node, bool map)
{
  bool object = node->type == JSON_OBJECT;

  if (node->type == JSON_TRUE || node->type == JSON_FALSE)
    return true;
  if (!object && node->type != JSON_ARRAY)
    return false;
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    const struct json_node *name = n;
    if (object)
      n = json_next (n);
    if (object && !map && n->type != JSON_OBJECT
        && json_equals (tape, name, "additionalProperties"))
      continue;
    if (may_hold_boolean_schema (tape, n, object && is_map (tape, name)))
      return true;
  }
  return false;
}

/* Nothing of the outermost schema has to change, and what is below it is taken as it is. */
static bool
is_taken_as_it_is (const struct provider *p, const struct json_tape *tape,
                   const struct json_node *schema)
{
  const struct json_node *properties = json_member (tape, schema, "properties");
  CLEANUP_ARENA struct arena arena = { 0 };

  if (p->verbatim)
    return true;
  if (p->untyped != UNTYPED_KEEP
      || (p->boolean_objects && may_hold_boolean_schema (tape, schema, false)))
    return false;
  for (const struct json_node *n = p->root_never != NULL ? json_first (p->root_never) : NULL;
       n != NULL && n != json_end (p->root_never); n = json_next (n))
    if (json_member (tape, schema, json_cstring (&p->tape, n, &arena)) != NULL)
      return false;
  if (!json_is (properties, JSON_OBJECT))
    return true;
  for (const struct json_node *n = json_first (properties); n != json_end (properties);
       n = json_next (json_next (n))) {
    size_t len;
    const char *name = json_string (tape, n, &arena, &len);
    if (!name_rule_fits (&p->parameter_name, name, len))
      return false;
  }
  return true;
}

struct projection {
  const struct provider *p;
  const struct json_tape *tape;
  const struct json_node *definition;
  struct losses *losses;
  struct project_figures figures;
  struct arena arena;
};

/* A walk is half a page of pointers and tables: too much for a stack that calls itself. */
static void
project_schema (struct projection *pr, const char *member, const struct json_node *schema,
                struct buf *out)
{
  struct walk *k;
  size_t start = out->len, len;

  if (is_taken_as_it_is (pr->p, pr->tape, schema)) {
    const char *raw = json_raw (pr->tape, schema, &len);
    buf_append (out, raw, len);
    return;
  }
  k = xcalloc (1, sizeof *k);
  k->p = pr->p;
  k->tape = pr->tape;
  k->root = schema;
  k->w.out = out;
  k->losses = pr->losses;
  k->budget = BUDGET;
  (void) walk_descend (k, member, strlen (member));
  k->base = k->pointer.len;
  walk_root (k);
  if (!k->refused)
    walk_limits (k, out->data + start, out->len - start, &pr->figures);
  buf_free (&k->pointer);
  buf_free (&k->alternatives_words);
  arena_free (&k->arena);
  free (k);
}

/* ---- the tool around it ---- */

/* A loss of the definition itself. */
static void
note (struct projection *pr, enum loss_kind kind, const char *member, const char *sentence)
{
  struct walk k = { .losses = pr->losses };

  (void) walk_descend (&k, member, strlen (member));
  walk_loss (&k, kind, member, "%s", sentence);
  buf_free (&k.pointer);
}

static void
put_description (struct projection *pr, struct json_writer *w, const struct json_node *value)
{
  uint32_t most = pr->p->limits.description, count = 0;
  size_t len, at = 0, cut = 0;
  const char *text = json_string (pr->tape, value, &pr->arena, &len);
  char sentence[128];

  if (text == NULL) {
    jsonw_null (w);
    return;
  }
  for (; at < len; at++)
    if (((unsigned char) text[at] & 0xc0) != 0x80 && ++count == most)
      cut = at;
  if (most == 0 || count <= most) {
    jsonw_string_len (w, text, len);
    return;
  }
  (void) snprintf (sentence, sizeof sentence, "at most %u characters, got %u: it is cut", most,
                   count);
  note (pr, LOSS_DROPPED, "description", sentence);
  CLEANUP_BUF struct buf shorter = { 0 };
  buf_append (&shorter, text, cut);
  buf_puts (&shorter, "…");
  jsonw_string_len (w, shorter.data, shorter.len);
}

static void
put_schema (struct projection *pr, struct json_writer *w, const char *member,
            const struct json_node *value)
{
  CLEANUP_BUF struct buf schema = { 0 };

  project_schema (pr, member, value, &schema);
  jsonw_raw (w, schema.data, schema.len);
}

/* What older clients take of an output schema is one that describes an object. */
static bool
is_left_out (struct projection *pr, const char *member, const struct json_node *value)
{
  const struct json_node *type = json_member (pr->tape, value, "type");

  if (value == NULL)
    return true;
  if (!pr->p->object_output || strcmp (member, "outputSchema") != 0
      || json_equals (pr->tape, type, "object"))
    return false;
  note (pr, LOSS_DROPPED, member, "only results that are objects have a schema there");
  return true;
}

static void
put_part (struct projection *pr, struct json_writer *w, const char *member,
          const struct json_node *value)
{
  size_t len;

  if (strcmp (member, "description") == 0)
    put_description (pr, w, value);
  else if (strcmp (member, "inputSchema") == 0 || strcmp (member, "outputSchema") == 0)
    put_schema (pr, w, member, value);
  else {
    const char *raw = json_raw (pr->tape, value, &len);
    jsonw_raw (w, raw, len);
  }
}

/* The member of the definition that the template's string stands for, or NULL. */
static const char *
stands_for (struct projection *pr, const struct json_node *template)
{
  const char *text = json_cstring (&pr->p->tape, template, &pr->arena);

  return text != NULL && text[0] == '$' ? text + 1 : NULL;
}

static void put_template (struct projection *pr, struct json_writer *w,
                          const struct json_node *template);

static void
put_template_members (struct projection *pr, struct json_writer *w,
                      const struct json_node *template)
{
  for (const struct json_node *n = json_first (template); n != json_end (template);
       n = json_next (json_next (n))) {
    const struct json_node *value = json_next (n);
    const char *member = stands_for (pr, value);
    if (member != NULL && is_left_out (pr, member, json_member (pr->tape, pr->definition, member)))
      continue;
    jsonw_name (w, json_cstring (&pr->p->tape, n, &pr->arena));
    put_template (pr, w, value);
  }
}

static void
put_template (struct projection *pr, struct json_writer *w, const struct json_node *template)
{
  const char *member = stands_for (pr, template);
  size_t len;

  if (member != NULL) {
    bool whole = strcmp (member, "definition") == 0;
    put_part (pr, w, member,
              whole ? pr->definition : json_member (pr->tape, pr->definition, member));
  }
  else if (template->type == JSON_OBJECT) {
    jsonw_object (w);
    put_template_members (pr, w, template);
    jsonw_end (w);
  }
  else {
    const char *raw = json_raw (&pr->p->tape, template, &len);
    jsonw_raw (w, raw, len);
  }
}

static void
check_name (struct projection *pr)
{
  const struct json_node *name = json_member (pr->tape, pr->definition, "name");
  const struct name_rule *rule = &pr->p->tool_name;
  char sentence[256];
  size_t len;
  const char *text = json_string (pr->tape, name, &pr->arena, &len);

  if (text == NULL || name_rule_fits (rule, text, len))
    return;
  (void) snprintf (sentence, sizeof sentence,
                   "a name there begins with one of %s, goes on with %s, and has at most %zu bytes",
                   rule->first, rule->rest, rule->most);
  note (pr, LOSS_REFUSED, "name", sentence);
}

bool
project_tool (const struct provider *p, const struct provider_format *format,
              const struct json_tape *tape, const struct json_node *definition,
              struct losses *losses, struct project_figures *figures, struct buf *out)
{
  struct projection pr = { .p = p, .tape = tape, .definition = definition, .losses = losses };
  struct json_writer w = { .out = out };
  size_t start = out->len;

  check_name (&pr);
  put_template (&pr, &w, format->tool);
  arena_free (&pr.arena);
  if (figures != NULL)
    *figures = pr.figures;
  if (losses->refused)
    out->len = start;
  return !losses->refused;
}

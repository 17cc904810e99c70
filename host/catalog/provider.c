#include "catalog/provider.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* host/catalog/providers/, compiled in; a format stands in lists where its first profile does. */
#define PROFILES                                                                                   \
  PROFILE (mcp)                                                                                    \
  PROFILE (mcp_2025_11_25)                                                                         \
  PROFILE (mcp_2025_06_18)                                                                         \
  PROFILE (mcp_2025_03_26)                                                                         \
  PROFILE (mcp_2024_11_05)                                                                         \
  PROFILE (openai)                                                                                 \
  PROFILE (openai_strict)                                                                          \
  PROFILE (anthropic)                                                                              \
  PROFILE (anthropic_strict)                                                                       \
  PROFILE (gemini)                                                                                 \
  PROFILE (ag_ui)

#define PROFILE(name) extern const char name##_json[];
PROFILES
#undef PROFILE
#define PROFILE(name) name##_json,
static const char *const texts[] = { PROFILES };
#undef PROFILE

enum { PROVIDERS = sizeof texts / sizeof texts[0], FORMATS_MAX = 32 };

/* ---- one profile ---- */

struct reading {
  struct provider *p;
  struct arena *arena;
  const struct json_node *value;
};

static const char *
text_of (const struct reading *r, const struct json_node *node)
{
  return json_cstring (&r->p->tape, node, r->arena);
}

static bool
is (const struct reading *r, const char *text)
{
  return json_equals (&r->p->tape, r->value, text);
}

/* A switch: on with this one text, and nothing else is known. */
static bool
turn_on (const struct reading *r, const char *text, bool *on)
{
  *on = is (r, text);
  return *on;
}

static bool
take_name (const struct reading *r)
{
  return (r->p->name = text_of (r, r->value)) != NULL;
}

static bool
take_label (const struct reading *r)
{
  return (r->p->label = text_of (r, r->value)) != NULL;
}

static bool
take_date (const struct reading *r)
{
  return (r->p->date = text_of (r, r->value)) != NULL;
}

static bool
take_source (const struct reading *r)
{
  return json_is (r->value, JSON_ARRAY) && r->value->count != 0;
}

static bool
take_strict (const struct reading *r)
{
  r->p->strict = json_is (r->value, JSON_TRUE);
  return r->p->strict;
}

static bool
take_format (const struct reading *r, const struct json_node *name, const struct json_node *value,
             struct provider_format *format)
{
  const struct json_tape *tape = &r->p->tape;

  *format = (struct provider_format){ .name = text_of (r, name),
                                      .tool = json_member (tape, value, "tool"),
                                      .tools = json_member (tape, value, "tools"),
                                      .some = json_member (tape, value, "some"),
                                      .required = json_member (tape, value, "required"),
                                      .named = json_member (tape, value, "named"),
                                      .none = json_member (tape, value, "none") };
  return format->tool != NULL && format->tools != NULL && format->some != NULL
         && format->none != NULL;
}

static bool
take_formats (const struct reading *r)
{
  struct provider *p = r->p;

  if (!json_is (r->value, JSON_OBJECT) || r->value->count == 0)
    return false;
  p->formats = arena_alloc (r->arena, r->value->count * sizeof *p->formats);
  for (const struct json_node *n = json_first (r->value); n != json_end (r->value);) {
    const struct json_node *value = json_next (n);
    if (!take_format (r, n, value, &p->formats[p->formats_count++]))
      return false;
    n = json_next (value);
  }
  return true;
}

static bool
take_schema (const struct reading *r)
{
  return turn_on (r, "verbatim", &r->p->verbatim);
}

static bool
take_output (const struct reading *r)
{
  return turn_on (r, "object", &r->p->object_output);
}

static bool
take_rule (const struct reading *r, struct name_rule *rule)
{
  const struct json_tape *tape = &r->p->tape;
  int64_t most;

  rule->first = text_of (r, json_member (tape, r->value, "first"));
  rule->rest = text_of (r, json_member (tape, r->value, "rest"));
  if (!json_int64 (tape, json_member (tape, r->value, "most"), &most) || most < 1)
    return false;
  rule->most = (size_t) most;
  return rule->first != NULL && rule->rest != NULL;
}

static bool
take_tool_name (const struct reading *r)
{
  return take_rule (r, &r->p->tool_name);
}

static bool
take_parameter (const struct reading *r)
{
  return take_rule (r, &r->p->parameter_name);
}

static bool
take_objects (const struct reading *r)
{
  return turn_on (r, "closed", &r->p->closed_objects);
}

static bool
take_optional (const struct reading *r)
{
  return turn_on (r, "nullable", &r->p->nullable_optional);
}

static bool
take_arrays (const struct reading *r)
{
  return turn_on (r, "items", &r->p->items_needed);
}

static bool
take_type_lists (const struct reading *r)
{
  return turn_on (r, "null", &r->p->one_type);
}

static bool
take_unions (const struct reading *r)
{
  return turn_on (r, "alone", &r->p->unions_alone);
}

static bool
take_first_keys (const struct reading *r)
{
  return turn_on (r, "differ", &r->p->first_keys_differ);
}

static bool
take_booleans (const struct reading *r)
{
  return turn_on (r, "objects", &r->p->boolean_objects);
}

/* Which of two texts it is: 1 or 2; 0: neither. */
static int
choose (const struct reading *r, const char *first, const char *second)
{
  return is (r, first) ? 1 : is (r, second) ? 2 : 0;
}

static bool
take_untyped (const struct reading *r)
{
  r->p->untyped = (enum untyped) choose (r, "infer", "refuse");
  return r->p->untyped != UNTYPED_KEEP;
}

static bool
take_references (const struct reading *r)
{
  r->p->references = (enum references) choose (r, "define", "define-alone");
  return r->p->references != REFERENCES_KEEP;
}

static bool
take_recursion (const struct reading *r)
{
  r->p->recursion = (enum recursion) choose (r, "refuse", "optional");
  return r->p->recursion != RECURSION_KEEP;
}

static bool
take_list (const struct reading *r, const struct json_node **list)
{
  *list = r->value;
  return json_is (r->value, JSON_ARRAY);
}

static bool
take_root_never (const struct reading *r)
{
  return take_list (r, &r->p->root_never);
}

static bool
take_string_formats (const struct reading *r)
{
  return take_list (r, &r->p->string_formats);
}

static bool
take_pattern_never (const struct reading *r)
{
  return take_list (r, &r->p->pattern_never);
}

static bool
take_enum_types (const struct reading *r)
{
  return take_list (r, &r->p->enum_types);
}

static bool
take_only (const struct reading *r)
{
  r->p->only = r->value;
  return json_is (r->value, JSON_OBJECT);
}

static const char *const actions[] = { "keep",  "omit", "drop",  "describe", "any",
                                       "merge", "enum", "items", "refuse" };
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static bool
action_of (const struct json_tape *tape, const struct json_node *value, enum keyword_action *action)
{
  for (size_t i = 0; i < ACTIONS; i++)
    if (json_equals (tape, value, actions[i])) {
      *action = (enum keyword_action) i;
      return true;
    }
  return false;
}

static bool
take_keywords (const struct reading *r)
{
  const struct json_tape *tape = &r->p->tape;
  enum keyword_action action;

  if (!json_is (r->value, JSON_OBJECT) || json_member (tape, r->value, "other") == NULL)
    return false;
  for (const struct json_node *n = json_first (r->value); n != json_end (r->value);) {
    const struct json_node *value = json_next (n);
    if (!action_of (tape, value, &action))
      return false;
    n = json_next (value);
  }
  r->p->keywords = r->value;
  return true;
}

static const struct {
  const char *name;
  size_t offset; /* in struct provider_limits */
} limits[] = {
  { "description", offsetof (struct provider_limits, description) },
  { "properties", offsetof (struct provider_limits, properties) },
  { "depth", offsetof (struct provider_limits, depth) },
  { "text", offsetof (struct provider_limits, text) },
  { "enum_values", offsetof (struct provider_limits, enum_values) },
  { "long_enum_values", offsetof (struct provider_limits, long_enum_values) },
  { "long_enum_text", offsetof (struct provider_limits, long_enum_text) },
  { "optional", offsetof (struct provider_limits, optional) },
  { "unions", offsetof (struct provider_limits, unions) },
  { "request_tools", offsetof (struct provider_limits, request_tools) },
};

static bool
take_limit (const struct reading *r, const struct json_node *name, const struct json_node *value)
{
  int64_t number;

  if (!json_int64 (&r->p->tape, value, &number) || number < 1 || number > UINT32_MAX)
    return false;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (json_equals (&r->p->tape, name, limits[i].name)) {
      *(uint32_t *) ((char *) &r->p->limits + limits[i].offset) = (uint32_t) number;
      return true;
    }
  return false;
}

static bool
take_limits (const struct reading *r)
{
  if (!json_is (r->value, JSON_OBJECT))
    return false;
  for (const struct json_node *n = json_first (r->value); n != json_end (r->value);) {
    const struct json_node *value = json_next (n);
    if (!take_limit (r, n, value))
      return false;
    n = json_next (value);
  }
  return true;
}

static const struct {
  const char *name;
  bool (*take) (const struct reading *r);
} members[] = {
  { "profile", take_name },
  { "label", take_label },
  { "date", take_date },
  { "source", take_source },
  { "strict", take_strict },
  { "formats", take_formats },
  { "schema", take_schema },
  { "output", take_output },
  { "name", take_tool_name },
  { "parameter", take_parameter },
  { "root_never", take_root_never },
  { "objects", take_objects },
  { "optional", take_optional },
  { "untyped", take_untyped },
  { "arrays", take_arrays },
  { "type_lists", take_type_lists },
  { "unions", take_unions },
  { "first_keys", take_first_keys },
  { "references", take_references },
  { "recursion", take_recursion },
  { "booleans", take_booleans },
  { "string_formats", take_string_formats },
  { "pattern_never", take_pattern_never },
  { "only", take_only },
  { "enum_types", take_enum_types },
  { "keywords", take_keywords },
  { "limits", take_limits },
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static bool
take_member (struct reading *r, const struct json_node *name, struct error *err)
{
  for (size_t i = 0; i < MEMBERS; i++)
    if (json_equals (&r->p->tape, name, members[i].name))
      return members[i].take (r)
             || error_set (err, "/%s: a value that profiles do not have", members[i].name);
  return error_set (err, "/%s: unknown member", text_of (r, name));
}

bool
provider_read (struct provider *p, const char *text, size_t len, struct arena *arena,
               struct error *err)
{
  struct reading r = { .p = p, .arena = arena };
  const struct json_node *root;

  *p = (struct provider){ .strict = false };
  if (!json_read (&p->tape, text, len, &json_default_limits, arena))
    return error_set (err, "not JSON: byte %zu: %s", p->tape.offset, p->tape.problem);
  root = json_root (&p->tape);
  if (!json_is (root, JSON_OBJECT))
    return error_set (err, "expected an object");
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (r.value)) {
    r.value = json_next (n);
    if (!take_member (&r, n, err))
      return false;
  }
  if (p->name == NULL || p->label == NULL || p->date == NULL || p->formats == NULL)
    return error_set (err, "a profile has a profile, label, date and formats");
  return p->verbatim || p->keywords != NULL
         || error_set (err, "a profile says what is done with keywords");
}

enum keyword_action
provider_action (const struct provider *p, const char *keyword, size_t len)
{
  const struct json_node *value = json_member_len (&p->tape, p->keywords, keyword, len);
  enum keyword_action action = KEYWORD_KEEP;

  if (value == NULL)
    value = json_member (&p->tape, p->keywords, "other");
  (void) action_of (&p->tape, value, &action);
  return action;
}

bool
provider_lists (const struct provider *p, const struct json_node *list, const char *text,
                size_t len)
{
  if (list == NULL)
    return true;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_equals_len (&p->tape, n, text, len))
      return true;
  return false;
}

/* Is the character in a set like "A-Za-z0-9_-"?  A '-' at the end means itself. */
static bool
set_has (const char *set, char c)
{
  for (; *set != '\0'; set++) {
    if (set[1] == '-' && set[2] != '\0') {
      if (c >= set[0] && c <= set[2])
        return true;
      set += 2;
    }
    else if (*set == c)
      return true;
  }
  return false;
}

bool
name_rule_fits (const struct name_rule *rule, const char *name, size_t len)
{
  if (rule->first == NULL)
    return true;
  if (len == 0 || len > rule->most || !set_has (rule->first, name[0]))
    return false;
  for (size_t i = 1; i < len; i++)
    if (!set_has (rule->rest, name[i]))
      return false;
  return true;
}

/* ---- all profiles ---- */

static bool
known_format (const struct providers *all, const char *name)
{
  for (size_t i = 0; i < all->formats_count; i++)
    if (strcmp (all->formats[i], name) == 0)
      return true;
  return false;
}

static void
add_formats (struct providers *all, const struct provider *p)
{
  for (size_t i = 0; i < p->formats_count; i++)
    if (!known_format (all, p->formats[i].name)) {
      assert (all->formats_count + 1 < FORMATS_MAX);
      all->formats[all->formats_count++] = p->formats[i].name;
    }
}

struct providers *
providers_new (void)
{
  struct providers *all = xcalloc (1, sizeof *all);

  all->count = PROVIDERS;
  all->list = xcalloc (PROVIDERS, sizeof *all->list);
  all->formats = xcalloc (FORMATS_MAX, sizeof *all->formats);
  for (size_t i = 0; i < PROVIDERS; i++) {
    struct error err = { .text = "" };
    bool good = provider_read (&all->list[i], texts[i], strlen (texts[i]), &all->arena, &err);
    assert (good);
    (void) good;
    add_formats (all, &all->list[i]);
  }
  return all;
}

void
providers_free (struct providers *all)
{
  if (all == NULL)
    return;
  arena_free (&all->arena);
  free (all->list);
  free (all->formats);
  free (all);
}

const struct provider *
providers_find (const struct providers *all, const char *format, size_t len, bool strict,
                const struct provider_format **shape)
{
  for (size_t i = 0; i < all->count; i++) {
    const struct provider *p = &all->list[i];
    for (size_t f = 0; f < p->formats_count && p->strict == strict; f++)
      if (strlen (p->formats[f].name) == len && memcmp (p->formats[f].name, format, len) == 0) {
        *shape = &p->formats[f];
        return p;
      }
  }
  return NULL;
}

#include "approval/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "schema/schema.h"

enum mode { MODE_UNSAID, MODE_NEVER, MODE_ALWAYS };

struct list {
  char **items;
  size_t count;
};

struct rule {
  struct list tools;        /* patterns; none: every tool */
  struct list callers;      /* likewise */
  struct schema *arguments; /* NULL: whatever they are */
  struct list looked_at;    /* members of the arguments that the schema speaks of */
  bool required;
  char *reason; /* NULL: none is given */
};

struct approval_rules {
  unsigned refs;
  enum mode mode;
  int64_t ttl_ms;      /* 0: not said */
  int64_t unasked_max; /* likewise */
  bool by_said;
  enum approval_by by;
  struct rule *rules;
  size_t count;
};

void
approval_words_clear (struct approval_words *words)
{
  free (words->mode);
  free (words->by);
  free (words->rules);
  *words = (struct approval_words){ .mode = NULL };
}

/* ---- from text ---- */

static void
list_add (struct list *list, const char *text, size_t len)
{
  list->items = xrealloc (list->items, (list->count + 1) * sizeof *list->items);
  list->items[list->count++] = xstrndup (text, len);
}

static void
list_free (struct list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free (list->items[i]);
  free (list->items);
}

static void
list_of (struct list *list, const struct json_tape *tape, const struct json_node *array,
         struct arena *arena)
{
  size_t len;

  if (!json_is (array, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n)) {
    const char *text = json_string (tape, n, arena, &len);
    if (text != NULL)
      list_add (list, text, len);
  }
}

/* The members that a schema speaks of: what it says of one that is not there decides nothing. */
static void
find_looked_at (struct rule *rule, const struct json_tape *tape, const struct json_node *schema,
                struct arena *arena)
{
  const struct json_node *properties = json_member (tape, schema, "properties");
  size_t len;

  list_of (&rule->looked_at, tape, json_member (tape, schema, "required"), arena);
  if (!json_is (properties, JSON_OBJECT))
    return;
  for (const struct json_node *n = json_first (properties); n != json_end (properties);) {
    const char *name = json_string (tape, n, arena, &len);
    list_add (&rule->looked_at, name, len);
    n = json_next (json_next (n));
  }
}

static char *
text_of (const struct json_tape *tape, const struct json_node *object, const char *name,
         struct arena *arena)
{
  const char *text = json_cstring (tape, json_member (tape, object, name), arena);

  return text != NULL ? xstrdup (text) : NULL;
}

static bool
read_rule (struct rule *rule, const struct json_tape *tape, const struct json_node *node,
           struct arena *arena, struct error *err)
{
  const struct json_node *arguments = json_member (tape, node, "arguments");

  list_of (&rule->tools, tape, json_member (tape, node, "tools"), arena);
  list_of (&rule->callers, tape, json_member (tape, node, "callers"), arena);
  rule->required = !json_equals (tape, json_member (tape, node, "approval"), "never");
  rule->reason = text_of (tape, node, "reason", arena);
  if (arguments == NULL)
    return true;
  find_looked_at (rule, tape, arguments, arena);
  rule->arguments = schema_compile (tape, arguments, NULL, err);
  return rule->arguments != NULL
         || error_wrap (err, err->text[0] == '/' ? "/arguments" : "/arguments: ");
}

static bool
read_rules (struct approval_rules *rules, const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *array;
  struct json_tape tape;

  if (!json_read (&tape, text, strlen (text), &json_default_limits, &arena))
    return error_set (err, "/rules: %s", tape.problem);
  array = json_root (&tape);
  if (array->type != JSON_ARRAY || array->count > APPROVAL_RULES_MAX)
    return error_set (err, "/rules: expected a list of at most %d rules", (int) APPROVAL_RULES_MAX);
  rules->rules = xcalloc (array->count + 1, sizeof *rules->rules);
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n))
    if (!read_rule (&rules->rules[rules->count++], &tape, n, &arena, err))
      return error_wrap (err, "/rules/%zu", rules->count - 1);
  return true;
}

static enum mode
mode_of (const char *word)
{
  if (word == NULL || strcmp (word, "rules") == 0)
    return MODE_UNSAID;
  return strcmp (word, "never") == 0 ? MODE_NEVER : MODE_ALWAYS;
}

struct approval_rules *
approval_rules_new (const struct approval_words *words, struct error *err)
{
  struct approval_rules *rules = xcalloc (1, sizeof *rules);

  rules->refs = 1;
  rules->mode = mode_of (words->mode);
  rules->ttl_ms = words->ttl_ms;
  rules->unasked_max = words->unasked_max;
  rules->by_said = words->by != NULL;
  rules->by =
    rules->by_said && strcmp (words->by, "caller") == 0 ? APPROVAL_BY_CALLER : APPROVAL_BY_APPROVER;
  if (words->rules == NULL || read_rules (rules, words->rules, err))
    return rules;
  approval_rules_unref (rules);
  return NULL;
}

struct approval_rules *
approval_rules_ref (struct approval_rules *rules)
{
  if (rules != NULL)
    rules->refs++;
  return rules;
}

static void
rule_free (struct rule *rule)
{
  list_free (&rule->tools);
  list_free (&rule->callers);
  list_free (&rule->looked_at);
  schema_free (rule->arguments);
  free (rule->reason);
}

void
approval_rules_unref (struct approval_rules *rules)
{
  if (rules == NULL || --rules->refs != 0)
    return;
  for (size_t i = 0; i < rules->count; i++)
    rule_free (&rules->rules[i]);
  free (rules->rules);
  free (rules);
}

/* ---- a call ---- */

enum match { NO_MATCH, MATCH, NO_TELLING };

static bool
fits_one (const struct list *patterns, const char *text)
{
  for (size_t i = 0; i < patterns->count; i++)
    if (glob_fits (patterns->items[i], strlen (patterns->items[i]), text))
      return true;
  return patterns->count == 0;
}

/* What is wrong with the value as arguments is no reason to let it pass. */
static enum match
match_arguments (const struct rule *rule, const struct approval_asked *asked)
{
  if (rule->arguments == NULL)
    return MATCH;
  if (!json_is (asked->value, JSON_OBJECT))
    return NO_TELLING;
  for (size_t i = 0; i < rule->looked_at.count; i++)
    if (json_member (asked->tape, asked->value, rule->looked_at.items[i]) == NULL)
      return NO_TELLING;
  switch (schema_judge (rule->arguments, asked->tape, asked->value)) {
  case SCHEMA_FITS:
    return MATCH;
  case SCHEMA_FITS_NOT:
    return NO_MATCH;
  default:
    return NO_TELLING;
  }
}

static enum match
match (const struct rule *rule, const struct approval_asked *asked)
{
  if (!fits_one (&rule->tools, asked->tool)
      || !fits_one (&rule->callers, asked->caller != NULL ? asked->caller : ""))
    return NO_MATCH;
  return match_arguments (rule, asked);
}

/* A rule that says never has the last word, and the next ones tell what it waives. */
static void
decide (struct approval_need *need, const char *reason)
{
  need->required = !need->waived;
  need->reason = reason;
}

/* False: none of these rules asks for it. */
static bool
judge_by (const struct approval_rules *rules, const struct approval_asked *asked,
          struct approval_need *need)
{
  for (size_t i = 0; rules != NULL && i < rules->count; i++) {
    const struct rule *rule = &rules->rules[i];
    const enum match found = match (rule, asked);

    if (found == MATCH && !rule->required)
      need->waived = true;
    else if (found == NO_TELLING)
      return decide (need, "A rule speaks of arguments that can't be judged."), true;
    else if (found == MATCH)
      return decide (need, rule->reason != NULL ? rule->reason : "A rule asks for it."), true;
  }
  return false;
}

static enum mode
mode_in_force (const struct approval_rules *tenant, const struct approval_rules *host)
{
  if (tenant != NULL && tenant->mode != MODE_UNSAID)
    return tenant->mode;
  return host != NULL ? host->mode : MODE_UNSAID;
}

static void
set_terms (struct approval_need *need, const struct approval_rules *rules)
{
  if (rules == NULL)
    return;
  if (rules->ttl_ms != 0)
    need->ttl_ms = rules->ttl_ms;
  if (rules->by_said)
    need->by = rules->by;
  if (rules->unasked_max != 0)
    need->unasked_max = rules->unasked_max;
}

bool
approval_looks (const struct approval_rules *tenant, const struct approval_rules *host)
{
  return (tenant != NULL && tenant->count != 0) || (host != NULL && host->count != 0);
}

struct approval_need
approval_judge (const struct approval_rules *tenant, const struct approval_rules *host,
                const struct approval_asked *asked)
{
  struct approval_need need = { .ttl_ms = APPROVAL_TTL_DEFAULT_MS };

  set_terms (&need, host);
  set_terms (&need, tenant);
  if (judge_by (tenant, asked, &need) || judge_by (host, asked, &need))
    return need;
  if (asked->tool_wants)
    decide (&need, "The tool asks for it.");
  else if (mode_in_force (tenant, host) == MODE_ALWAYS)
    decide (&need, "Every call needs approval.");
  else
    need.waived = false; /* nobody asks for it anyway */
  return need;
}

/* A rule that looks at arguments may not be able to judge them. */
static bool
may_by (const struct approval_rules *rules, const char *tool)
{
  for (size_t i = 0; rules != NULL && i < rules->count; i++)
    if ((rules->rules[i].required || rules->rules[i].arguments != NULL)
        && fits_one (&rules->rules[i].tools, tool))
      return true;
  return false;
}

bool
approval_may_need (const struct approval_rules *tenant, const struct approval_rules *host,
                   const char *tool, bool tool_wants)
{
  return tool_wants || mode_in_force (tenant, host) == MODE_ALWAYS || may_by (tenant, tool)
         || may_by (host, tool);
}

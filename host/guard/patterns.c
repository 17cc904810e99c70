/* The guard "regex": patterns of the operator's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/reading.h"
#include "schema/regex/regex.h"

enum { PATTERNS_MOST = 32, NAME_MOST = 64 };

/* What shall be so with each text. */
enum demand {
  NONE_MATCHES,    /* block */
  NONE_IS_LEFT,    /* redact */
  SOME_ONE_MATCHES /* require */
};

struct patterns {
  enum demand demand;
  unsigned count;
  struct regex *regexes[PATTERNS_MOST];
  struct guard_rule rules[PATTERNS_MOST];
  char *names[PATTERNS_MOST]; /* what the rules say; NULL where a pattern has no name */
};

/* ---- one text ---- */

static bool
is_over (struct search *s, enum regex_verdict verdict)
{
  if (verdict == REGEX_TOO_COSTLY)
    *s->budget = -1;
  return verdict != REGEX_MATCH;
}

/* All matches of a pattern; where one is empty there is nothing to replace. */
static void
find_all (const struct regex *regex, const struct guard_rule *rule, struct search *s)
{
  size_t at = 0, start, end;

  while (at < s->len
         && !is_over (s, regex_find (regex, s->text, s->len, at, &start, &end, s->budget))) {
    if (end > start)
      search_found (s, rule, start, end);
    at = end > at ? end : at + 1;
    while (at < s->len && (s->text[at] & 0xc0) == 0x80)
      at++;
  }
}

static void
require (const struct patterns *p, struct search *s)
{
  for (unsigned i = 0; i < p->count; i++)
    if (!is_over (s, regex_match (p->regexes[i], s->text, s->len, s->budget)) || *s->budget < 0)
      return;
  search_found (s, &p->rules[0], 0, s->len);
}

static void
find (const struct guard *guard, struct search *s)
{
  const struct patterns *p = guard->own;

  if (p->demand == SOME_ONE_MATCHES) {
    require (p, s);
    return;
  }
  for (unsigned i = 0; i < p->count && *s->budget >= 0; i++) {
    if (is_over (s, regex_match (p->regexes[i], s->text, s->len, s->budget)))
      continue;
    if (p->regexes[i]->engine != NULL)
      find_all (p->regexes[i], &p->rules[i], s);
    if (p->demand == NONE_MATCHES && s->spans.len == 0)
      search_found (s, &p->rules[i], 0, s->len);
  }
}

/* ---- configuration ---- */

static bool
read_name (struct reading *r, const struct json_node *node, unsigned i, struct patterns *p)
{
  const char *name = json_cstring (r->tape, node, &r->arena);

  if (node == NULL)
    return true;
  if (name == NULL || *name == '\0' || strlen (name) > NAME_MOST)
    return error_set (r->err, "/patterns/%u/name: expected a text of 1 to %d bytes", i, NAME_MOST);
  p->names[i] = xstrdup (name);
  return true;
}

static bool
compile_one (struct reading *r, const struct json_node *text, unsigned i, unsigned wishes,
             struct patterns *p)
{
  size_t len;
  const char *pattern = json_string (r->tape, text, &r->arena, &len);

  if (pattern == NULL || len == 0)
    return error_set (r->err,
                      "/patterns/%u: expected a pattern, or {\"name\": ..., \"pattern\": ...}", i);
  p->regexes[i] = regex_compile_for (pattern, len, wishes, r->err);
  return p->regexes[i] != NULL || error_wrap (r->err, "/patterns/%u: ", i);
}

static bool
read_pattern (struct reading *r, const struct json_node *node, unsigned wishes, struct patterns *p)
{
  static const char *const members[] = { "name", "pattern", NULL };
  const unsigned i = p->count++;
  const struct json_node *text = node;
  char pointer[32];

  if (json_is (node, JSON_OBJECT)) {
    snprintf (pointer, sizeof pointer, "/patterns/%u", i);
    text = json_member (r->tape, node, "pattern");
    if (!reading_known (r, node, pointer, members, NULL)
        || !read_name (r, json_member (r->tape, node, "name"), i, p))
      return false;
  }
  return compile_one (r, text, i, wishes, p);
}

static void
make_rule (struct patterns *p, unsigned i, const char *replacement)
{
  struct guard_rule *rule = &p->rules[i];
  CLEANUP_BUF struct buf text = { 0 };

  if (p->demand == SOME_ONE_MATCHES)
    rule->what = "a text that is not of an allowed form";
  else
    rule->what = p->names[i] != NULL ? p->names[i] : "a text that is not allowed";
  rule->action = p->demand == NONE_IS_LEFT ? ACTION_REDACT : ACTION_BLOCK;
  if (replacement == NULL)
    buf_printf (&text, "[%s]", p->names[i] != NULL ? p->names[i] : "redacted");
  rule->replacement = xstrdup (replacement != NULL ? replacement : buf_cstr (&text));
}

static bool
read_patterns (struct reading *r, unsigned wishes, struct patterns *p)
{
  const struct json_node *list = reading_member (r, "patterns");

  if (!json_is (list, JSON_ARRAY) || list->count == 0 || list->count > PATTERNS_MOST)
    return error_set (r->err, "/patterns: expected a list of 1 to %d patterns", PATTERNS_MOST);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (!read_pattern (r, n, wishes, p))
      return false;
  return true;
}

static bool
read_regex (struct reading *r)
{
  static const char *const actions[] = { "block", "redact", "require", NULL };
  struct patterns *p = r->guard->own = xcalloc (1, sizeof *p);
  char *replacement = NULL;
  unsigned action = 0, wishes;
  bool ignore_case = false, good;

  good = reading_word (r, "action", actions, &action)
         && reading_bool (r, "ignore_case", &ignore_case)
         && reading_text (r, "replacement", REPLACEMENT_MOST, &replacement);
  p->demand = (enum demand) action;
  wishes = (ignore_case ? REGEX_IGNORES_CASE : 0) | (action == NONE_IS_LEFT ? REGEX_FINDS : 0);
  good = good && read_patterns (r, wishes, p);
  for (unsigned i = 0; good && i < p->count; i++)
    make_rule (p, i, replacement);
  r->guard->cost = p->count * 2;
  r->guard->most = p->count * (action == NONE_IS_LEFT ? 24 : 3);
  r->guard->redacts = p->demand == NONE_IS_LEFT;
  free (replacement);
  return good;
}

static void
free_regex (void *own)
{
  struct patterns *p = own;

  for (unsigned i = 0; i < p->count; i++) {
    regex_free (p->regexes[i]);
    free (p->rules[i].replacement);
    free (p->names[i]);
  }
  free (p);
}

const struct guard_kind guard_regex = {
  .name = "regex",
  .members = (const char *const[]){ "patterns", "action", "replacement", "ignore_case", NULL },
  .read = read_regex,
  .free = free_regex,
  .find = find,
  .numbers = true,
};

/* The guards "denylist" and "allowlist": words and phrases of the operator's own. */
#include <stdio.h>
#include <stdlib.h>

#include "guard/lexicon.h"
#include "guard/reading.h"

struct list {
  struct lexicon *words;
  struct guard_rule rule;
};

/* ---- one text ---- */

struct finding {
  struct search *search;
  const struct guard_rule *rule;
};

static void
note (void *ctx, uint32_t tag, size_t start, size_t end)
{
  struct finding *f = ctx;

  (void) tag;
  search_found (f->search, f->rule, start, end);
}

static void
find_denied (const struct guard *guard, struct search *s)
{
  const struct list *list = guard->own;
  struct finding f = { s, &list->rule };

  lexicon_find (list->words, s->text, s->len, true, s->budget, note, &f);
}

static void
find_others (const struct guard *guard, struct search *s)
{
  const struct list *list = guard->own;

  if (!lexicon_has (list->words, s->text, s->len))
    search_found (s, &list->rule, 0, s->len);
}

/* ---- configuration ---- */

static bool
add_word (struct reading *r, const struct json_node *node, unsigned index, struct lexicon *words)
{
  size_t len;
  const char *text = json_string (r->tape, node, &r->arena, &len);

  switch (text != NULL ? lexicon_add (words, text, len, 0) : LEXICON_EMPTY) {
  case LEXICON_GOOD:
    return true;
  case LEXICON_EMPTY:
    return error_set (r->err, "/words/%u: expected a word", index);
  case LEXICON_TOO_LONG:
    return error_set (r->err, "/words/%u: is over %d bytes", index, WORD_MOST);
  default:
    return error_set (r->err, "/words/%u: is one too many: they may be %d words, %d bytes in all",
                      index, LEXICON_MOST, LEXICON_BYTES_MOST);
  }
}

static bool
read_words (struct reading *r, struct list *list)
{
  const struct json_node *words = reading_member (r, "words");
  unsigned index = 0;

  r->guard->own = list;
  list->words = lexicon_new ();
  if (!json_is (words, JSON_ARRAY) || words->count == 0)
    return error_set (r->err, "/words: expected a list of words");
  for (const struct json_node *n = json_first (words); n != json_end (words); n = json_next (n))
    if (!add_word (r, n, index++, list->words))
      return false;
  lexicon_build (list->words);
  return true;
}

static bool
read_denylist (struct reading *r)
{
  struct list *list = xcalloc (1, sizeof *list);

  if (!read_words (r, list)
      || !reading_rule (r, "a word that is not allowed", "[redacted]", &list->rule))
    return false;
  r->guard->redacts = list->rule.action == ACTION_REDACT;
  return true;
}

static bool
read_allowlist (struct reading *r)
{
  struct list *list = xcalloc (1, sizeof *list);

  list->rule.what = "a text that is none of those allowed";
  list->rule.replacement = xstrdup ("[redacted]");
  return read_words (r, list);
}

static void
free_list (void *own)
{
  struct list *list = own;

  lexicon_free (list->words);
  free (list->rule.replacement);
  free (list);
}

const struct guard_kind guard_denylist = {
  .name = "denylist",
  .members = (const char *const[]){ "words", "action", "replacement", NULL },
  .read = read_denylist,
  .free = free_list,
  .find = find_denied,
  .numbers = true,
  .cost = 6,
};

const struct guard_kind guard_allowlist = {
  .name = "allowlist",
  .members = (const char *const[]){ "words", NULL },
  .read = read_allowlist,
  .free = free_list,
  .find = find_others,
  .numbers = true,
  .cost = 1,
};

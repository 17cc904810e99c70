#include "schema/regex/regex.h"

#include <stdlib.h>

#include "schema/regex/engine.h"
#include "schema/regex/simple.h"
#include "schema/regex/tree.h"

static bool
make_program (struct regex *regex, const struct regex_tree *tree, bool finds, struct error *err)
{
  regex->simple = regex_simple_new (tree);
  if (regex->simple != NULL)
    regex->size = regex_simple_size (regex->simple);
  if (regex->simple != NULL && !finds)
    return true;
  regex->engine = regex_engine_new (tree, err);
  if (regex->engine == NULL)
    return false;
  regex->size += regex_engine_size (regex->engine);
  return true;
}

struct regex *
regex_compile (const char *pattern, size_t len, struct error *err)
{
  return regex_compile_for (pattern, len, 0, err);
}

struct regex *
regex_compile_for (const char *pattern, size_t len, unsigned wishes, struct error *err)
{
  CLEANUP_REGEX_TREE struct regex_tree tree = { .ignores_case =
                                                  (wishes & REGEX_IGNORES_CASE) != 0 };
  struct regex *regex;

  if (len > PATTERN_LEN_MAX) {
    error_set (err, "pattern of %zu bytes, at most %d are allowed", len, PATTERN_LEN_MAX);
    return NULL;
  }
  if (!regex_tree_read (&tree, pattern, len, false, err) || !regex_tree_check_weight (&tree, err))
    return NULL;
  regex = xcalloc (1, sizeof *regex);
  if (make_program (regex, &tree, (wishes & REGEX_FINDS) != 0, err))
    return regex;
  regex_free (regex);
  return NULL;
}

void
regex_free (struct regex *regex)
{
  if (regex == NULL)
    return;
  regex_simple_free (regex->simple);
  regex_engine_free (regex->engine);
  free (regex);
}

enum regex_verdict
regex_match (const struct regex *regex, const char *text, size_t len, int64_t *budget)
{
  if (regex->simple != NULL)
    return regex_simple_match (regex->simple, text, len, budget);
  return regex_engine_match (regex->engine, text, len, budget);
}

enum regex_verdict
regex_find (const struct regex *regex, const char *text, size_t len, size_t from, size_t *start,
            size_t *end, int64_t *budget)
{
  return regex_engine_find (regex->engine, text, len, from, start, end, budget);
}

bool
regex_is_valid (const char *pattern, size_t len)
{
  CLEANUP_REGEX_TREE struct regex_tree tree = { 0 };

  return len <= PATTERN_LEN_MAX && regex_tree_read (&tree, pattern, len, true, NULL);
}

bool
regex_translate (const char *pattern, size_t len, struct buf *out, struct error *err)
{
  CLEANUP_REGEX_TREE struct regex_tree tree = { 0 };

  return regex_tree_read (&tree, pattern, len, false, err)
         && regex_tree_translate (&tree, out, err);
}

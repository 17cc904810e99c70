#include "schema/regex/engine.h"

#include <pthread.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
  MATCH_LIMIT = 10 * 1000 * 1000, /* the budget ends a match before; this is the second lock */
  HEAP_LIMIT_KIB = 4096,
  JIT_STACK_MIN = 32 * 1024,
  JIT_STACK_MAX = 1024 * 1024,
  JIT_SIZE_MAX = 4 * 1024, /* of a compiled pattern; larger ones are interpreted, for machine code
                              is up to 20 times as large, and slow to make */
  /* of a match, in machine code */
  STEPS_PER_ITEM = 3,
  BYTES_PER_STEP = 4,     /* of text gone over in a loop for one item of the pattern */
  COMPARED_PER_STEP = 64, /* bytes of text compared with what a group has matched */
  RANGES_PER_TEST = 16,   /* of a set, tested for as long as a character of text takes */
  RANGES_PER_PROPERTY = 8 /* a property of Unicode takes as long to test */
};

struct regex_engine {
  pcre2_code *code;
  size_t size;
  size_t least_run;  /* characters that an item may go over before it fails, unseen */
  int64_t slow_down; /* times a step, for an interpreted pattern and for large sets */
  bool has_references;
};

/* ---- compiling ---- */

static const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS
                                | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C
                                | PCRE2_AUTO_CALLOUT;

static const struct {
  int fault;
  const char *text;
} refusals[] = {
  { 125, "lookbehind of no fixed length is not supported in patterns" },
  { 135, "lookbehind of no fixed length is not supported in patterns" },
  { 187, "lookbehind of no fixed length is not supported in patterns" },
  { 120, "too costly a pattern: it is too large when compiled" },
  { 186, "too costly a pattern: it is too large when compiled" },
};

static void
say_why (int fault, struct error *err)
{
  PCRE2_UCHAR why[128];

  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (refusals[i].fault == fault) {
      error_set (err, "%s", refusals[i].text);
      return;
    }
  (void) pcre2_get_error_message (fault, why, sizeof why);
  error_set (err, "bad pattern: %s", (const char *) why);
}

/* The longest run that one item insists on: "[ab]{500}" goes over up to 500 characters before it
 * can fail, and says nothing meanwhile. */
static size_t
least_run (const struct regex_node *node)
{
  size_t most = 0;

  for (const struct regex_node *child = node->child; child != NULL; child = child->next) {
    size_t run = least_run (child);
    if (run > most)
      most = run;
  }
  if (node->kind == REGEX_REPEAT && node->child->kind == REGEX_SET && node->repeat.min > most)
    return node->repeat.min;
  return most;
}

/* How many ranges one character may have to be compared with: PCRE2 looks up ASCII in a table, goes
 * through the others one by one. */
static uint32_t
most_ranges (const struct regex_node *node)
{
  uint32_t most = 0;

  for (const struct regex_node *child = node->child; child != NULL; child = child->next) {
    uint32_t ranges = most_ranges (child);
    if (ranges > most)
      most = ranges;
  }
  if (node->kind == REGEX_SET) {
    const struct regex_property *property = node->set.properties;
    for (most = node->set.count; property != NULL; property = property->next)
      most += RANGES_PER_PROPERTY;
  }
  return most;
}

static size_t
size_of (const pcre2_code *code)
{
  size_t size = 0, jit = 0;

  (void) pcre2_pattern_info (code, PCRE2_INFO_SIZE, &size);
  (void) pcre2_pattern_info (code, PCRE2_INFO_JITSIZE, &jit);
  return size + jit;
}

static pcre2_code *
compile (const struct buf *text, struct error *err)
{
  pcre2_code *code;
  PCRE2_SIZE offset;
  int fault;

  code = pcre2_compile ((PCRE2_SPTR) text->data, text->len, options, &fault, &offset, NULL);
  if (code == NULL)
    say_why (fault, err);
  /* where writable memory may not become code this fails, and the pattern is interpreted */
  else if (size_of (code) <= JIT_SIZE_MAX)
    (void) pcre2_jit_compile (code, PCRE2_JIT_COMPLETE);
  return code;
}

static bool
is_interpreted (const pcre2_code *code)
{
  size_t jit = 0;

  (void) pcre2_pattern_info (code, PCRE2_INFO_JITSIZE, &jit);
  return jit == 0;
}

struct regex_engine *
regex_engine_new (const struct regex_tree *tree, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct regex_engine *engine;
  pcre2_code *code;

  if (!regex_tree_check_references (tree, err) || !regex_tree_translate (tree, &text, err))
    return NULL;
  (void) buf_cstr (&text);
  code = compile (&text, err);
  if (code == NULL)
    return NULL;
  engine = xcalloc (1, sizeof *engine);
  engine->code = code;
  engine->size = sizeof *engine + size_of (code);
  engine->least_run = least_run (tree->root);
  engine->slow_down = 1 + most_ranges (tree->root) / RANGES_PER_TEST;
  if (is_interpreted (code))
    engine->slow_down *= 2;
  engine->has_references = tree->references > 0;
  return engine;
}

void
regex_engine_free (struct regex_engine *engine)
{
  if (engine != NULL)
    pcre2_code_free (engine->code);
  free (engine);
}

size_t
regex_engine_size (const struct regex_engine *engine)
{
  return engine->size;
}

bool
regex_engine_knows_property (const char *text)
{
  CLEANUP_BUF struct buf pattern = { 0 };
  pcre2_code *code;
  PCRE2_SIZE offset;
  bool known;
  int fault;

  buf_printf (&pattern, "\\p{%s}", text);
  code =
    pcre2_compile ((PCRE2_SPTR) buf_cstr (&pattern), pattern.len, PCRE2_UTF, &fault, &offset, NULL);
  known = code != NULL;
  pcre2_code_free (code);
  return known;
}

/* ---- matching ---- */

/* What PCRE2 needs to match, one of each thread: made when it first comes here, so that a match
 * allocates nothing, and given back by the key's destructor when the thread ends. */
struct desk {
  pcre2_match_context *context;
  pcre2_match_data *data;
  pcre2_jit_stack *stack;
  /* of the match that is under way */
  const struct regex_engine *engine;
  int64_t *budget;
  int64_t item_steps;
  size_t last; /* where the matcher was when it was last seen */
};

static pthread_key_t desk_key;
static pthread_once_t desk_once = PTHREAD_ONCE_INIT;

static void
free_desk (void *p)
{
  struct desk *desk = p;

  if (desk == NULL)
    return;
  pcre2_match_data_free (desk->data);
  pcre2_match_context_free (desk->context);
  pcre2_jit_stack_free (desk->stack);
  free (desk);
}

static void
make_key (void)
{
  if (pthread_key_create (&desk_key, free_desk) != 0)
    abort ();
}

static int64_t
compare_cost (const pcre2_callout_block *block)
{
  size_t longest = 0;

  for (uint32_t i = 1; i < block->capture_top; i++) {
    size_t from = block->offset_vector[2 * i], to = block->offset_vector[2 * i + 1];
    if (from != PCRE2_UNSET && to > from && to - from > longest)
      longest = to - from;
  }
  return (int64_t) (longest / COMPARED_PER_STEP);
}

/* PCRE2 calls this before each item of the pattern.  The way it went since the last time, there or
 * back, is what the items between cost. */
static int
count_cost (pcre2_callout_block *block, void *data)
{
  struct desk *desk = data;
  size_t at = block->current_position;
  size_t way = at > desk->last ? at - desk->last : desk->last - at;

  desk->last = at;
  *desk->budget -= desk->item_steps + (int64_t) (way / BYTES_PER_STEP) * desk->engine->slow_down;
  if (desk->engine->has_references)
    *desk->budget -= compare_cost (block);
  return *desk->budget < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static struct desk *
new_desk (void)
{
  struct desk *desk = xcalloc (1, sizeof *desk);

  desk->context = pcre2_match_context_create (NULL);
  desk->data = pcre2_match_data_create (1, NULL);
  desk->stack = pcre2_jit_stack_create (JIT_STACK_MIN, JIT_STACK_MAX, NULL);
  if (desk->context == NULL || desk->data == NULL || pthread_setspecific (desk_key, desk) != 0) {
    free_desk (desk);
    return NULL;
  }
  (void) pcre2_set_match_limit (desk->context, MATCH_LIMIT);
  (void) pcre2_set_heap_limit (desk->context, HEAP_LIMIT_KIB);
  (void) pcre2_set_callout (desk->context, count_cost, desk);
  if (desk->stack != NULL)
    pcre2_jit_stack_assign (desk->context, NULL, desk->stack);
  return desk;
}

static struct desk *
thread_desk (void)
{
  struct desk *desk;

  (void) pthread_once (&desk_once, make_key);
  desk = pthread_getspecific (desk_key);
  return desk != NULL ? desk : new_desk ();
}

static enum regex_verdict
match (const struct regex_engine *engine, const char *text, size_t len, size_t from,
       int64_t *budget)
{
  size_t run = engine->least_run < len ? engine->least_run : len;
  struct desk *desk = thread_desk ();
  int found;

  if (desk == NULL)
    return REGEX_TOO_COSTLY;
  desk->engine = engine;
  desk->budget = budget;
  desk->item_steps = (STEPS_PER_ITEM + (int64_t) (run / BYTES_PER_STEP)) * engine->slow_down;
  desk->last = from;
  found = pcre2_match (engine->code, (PCRE2_SPTR) text, len, from, PCRE2_NO_UTF_CHECK, desk->data,
                       desk->context);
  if (found >= 0)
    return REGEX_MATCH;
  return found == PCRE2_ERROR_NOMATCH ? REGEX_NO_MATCH : REGEX_TOO_COSTLY;
}

enum regex_verdict
regex_engine_match (const struct regex_engine *engine, const char *text, size_t len,
                    int64_t *budget)
{
  return match (engine, text, len, 0, budget);
}

enum regex_verdict
regex_engine_find (const struct regex_engine *engine, const char *text, size_t len, size_t from,
                   size_t *start, size_t *end, int64_t *budget)
{
  enum regex_verdict verdict = match (engine, text, len, from, budget);
  const PCRE2_SIZE *offsets;

  if (verdict != REGEX_MATCH)
    return verdict;
  offsets = pcre2_get_ovector_pointer (thread_desk ()->data);
  *start = offsets[0];
  *end = offsets[1];
  return verdict;
}

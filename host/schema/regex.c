#include "schema/regex.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
  MATCH_LIMIT = 1000 * 1000, /* the budget ends a match before; this is the second lock */
  HEAP_LIMIT_KIB = 4096,
  NEST_LIMIT = 50,
  STEPS_PER_ITEM = 3, /* an item of the pattern costs as much as so many steps of the checker */
  BYTES_PER_STEP = 8  /* of text gone over in a tight loop */
};

static pcre2_code *
compile (const char *text, size_t len, struct error *err)
{
  const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS
                           | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C;
  pcre2_compile_context *context = pcre2_compile_context_create (NULL);
  PCRE2_UCHAR why[128];
  pcre2_code *code;
  PCRE2_SIZE offset;
  int fault;

  if (context != NULL)
    (void) pcre2_set_parens_nest_limit (context, NEST_LIMIT);
  code = pcre2_compile ((PCRE2_SPTR) text, len, options, &fault, &offset, context);
  pcre2_compile_context_free (context);
  if (code == NULL) {
    (void) pcre2_get_error_message (fault, why, sizeof why);
    error_set (err, "bad pattern: %s", (const char *) why);
  }
  return code;
}

struct regex *
regex_compile (const char *pattern, size_t len, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct regex *regex;
  pcre2_code *code;

  if (len > PATTERN_LEN_MAX) {
    error_set (err, "pattern of %zu bytes, at most %d are allowed", len, PATTERN_LEN_MAX);
    return NULL;
  }
  if (!regex_translate (pattern, len, &text, err))
    return NULL;
  code = compile (buf_cstr (&text), text.len, err);
  if (code == NULL)
    return NULL;
  regex = xcalloc (1, sizeof *regex);
  regex->code = code;
  (void) pcre2_pattern_info (code, PCRE2_INFO_SIZE, &regex->size);
  return regex;
}

void
regex_free (struct regex *regex)
{
  if (regex != NULL)
    pcre2_code_free (regex->code);
  free (regex);
}

/* ---- matching ---- */

static bool
is_inside (const struct regex_work *work, const void *p)
{
  return (uintptr_t) p - (uintptr_t) work->memory < sizeof work->memory;
}

static void *
work_malloc (size_t size, void *data)
{
  struct regex_work *work = data;
  void *p = work->memory + work->used;

  size = (size + 15) & ~(size_t) 15;
  if (size > sizeof work->memory - work->used)
    return malloc (size);
  work->used += size;
  return p;
}

static void
work_free (void *p, void *data)
{
  if (p != NULL && !is_inside (data, p))
    free (p);
}

/* PCRE2 calls this before each item of the pattern.  The way it went since the last time, there or
 * back, is what the items between cost. */
static int
count_cost (pcre2_callout_block *block, void *data)
{
  struct regex_work *work = data;
  size_t at = block->current_position;
  size_t way = at > work->last ? at - work->last : work->last - at;

  work->last = at;
  *work->budget -= STEPS_PER_ITEM + (int64_t) (way / BYTES_PER_STEP);
  return *work->budget < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static bool
prepare (struct regex_work *work)
{
  pcre2_match_context *context;

  if (work->ready)
    return true;
  work->used = 0;
  work->general = pcre2_general_context_create (work_malloc, work_free, work);
  work->context = context = pcre2_match_context_create (work->general);
  work->data = pcre2_match_data_create (1, work->general);
  if (work->general == NULL || context == NULL || work->data == NULL)
    return false;
  (void) pcre2_set_match_limit (context, MATCH_LIMIT);
  (void) pcre2_set_heap_limit (context, HEAP_LIMIT_KIB);
  (void) pcre2_set_callout (context, count_cost, work);
  work->ready = true;
  return true;
}

enum regex_verdict
regex_match (const struct regex *regex, struct regex_work *work, const char *text, size_t len,
             int64_t *budget)
{
  int found;

  if (!prepare (work))
    return REGEX_TOO_COSTLY;
  work->budget = budget;
  work->last = 0;
  found = pcre2_match (regex->code, (PCRE2_SPTR) text, len, 0, PCRE2_NO_UTF_CHECK, work->data,
                       work->context);
  if (found >= 0)
    return REGEX_MATCH;
  return found == PCRE2_ERROR_NOMATCH ? REGEX_NO_MATCH : REGEX_TOO_COSTLY;
}

void
regex_work_end (struct regex_work *work)
{
  if (!work->ready)
    return;
  pcre2_match_data_free (work->data);
  pcre2_match_context_free (work->context);
  pcre2_general_context_free (work->general);
  work->ready = false;
}

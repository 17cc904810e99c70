/* The guard "injection": what in a result, or in arguments, speaks to a model instead of telling it
 * something. */
#include "guard/injection.h"

#include <stdlib.h>
#include <string.h>

#include "base/invisible.h"
#include "guard/lexicon.h"
#include "guard/reading.h"

enum kind { INSTRUCTIONS, ROLES, HIDDEN, COMMENTS, KINDS };

static const char *const kind_names[] = { "instructions", "roles", "hidden", "comments", NULL };
static const char *const kind_whats[KINDS] = { "instructions to a model",
                                               "marks of a conversation's roles",
                                               "characters that are not seen",
                                               "a comment in HTML" };

/* Where one speaker ends and another begins, as models are trained on it. */
static const char *const roles[] = {
  "<|im_start|>",
  "<|im_end|>",
  "<|im_sep|>",
  "<|system|>",
  "<|user|>",
  "<|assistant|>",
  "<|endoftext|>",
  "<|end|>",
  "<|eot_id|>",
  "<|begin_of_text|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|channel|>",
  "<start_of_turn>",
  "<end_of_turn>",
  "[inst]",
  "[/inst]",
  "<<sys>>",
  "<</sys>>",
  "<system>",
  "</system>",
  "<assistant>",
  "</assistant>",
  "<system_prompt>",
  "</system_prompt>",
  "<system-reminder>",
  "</system-reminder>",
  "<function_calls>",
  "</function_calls>",
  "<function_results>",
  "</function_results>",
  "<tool_call>",
  "</tool_call>",
  "### instruction:",
  "### system:",
};
/* These only where a line begins behind an empty one. */
static const char *const turns[] = { "human:", "assistant:", "system:" };

enum { AT_ALL = 0, AT_TURN = 1 };

struct injection {
  bool wanted[KINDS];
  struct guard_rule rules[KINDS];
  struct lexicon *roles;
  struct phrases *phrases;
};

struct finding {
  const struct injection *own;
  struct search *search;
};

/* ---- characters that are not seen ---- */

enum { ZERO_WIDTH_RUN = 4 };

static bool
is_tag (uint32_t c)
{
  return c >= 0xe0000 && c <= 0xe007f;
}

/* What turns text around, is a tag, or chooses a form that there is none of. */
static bool
is_hidden (uint32_t c)
{
  return is_tag (c) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)
         || (c >= 0xe0100 && c <= 0xe01ef);
}

/* Alone they join letters and emoji; in a row they are a text of their own. */
static bool
is_zero_width (uint32_t c)
{
  return (c >= 0x200b && c <= 0x200f) || (c >= 0x2060 && c <= 0x2064) || c == 0xfeff || c == 0x180e;
}

/* The flags of England, Scotland and Wales, and the like: a black flag, up to six tags, the tag
 * that ends them. */
static bool
is_flag (const char *text, size_t len, size_t start, size_t end)
{
  const size_t n = (end - start) / 4;

  return start >= 4 && memcmp (text + start - 4, "\xf0\x9f\x8f\xb4", 4) == 0 && n >= 3 && n <= 7
         && end <= len && memcmp (text + end - 4, "\xf3\xa0\x81\xbf", 4) == 0;
}

static void
note_hidden (struct finding *f, size_t start, size_t end, unsigned zero_width, unsigned hidden)
{
  struct search *s = f->search;

  if (hidden == 0 && zero_width < ZERO_WIDTH_RUN)
    return;
  if (is_flag (s->text, s->len, start, end))
    return;
  /* one that chooses a form of the letter before it */
  if (hidden == 1 && zero_width == 0 && end - start == 4
      && !is_tag (utf8_code_point (s->text + start, &(size_t){ 0 })))
    return;
  search_found (s, &f->own->rules[HIDDEN], start, end);
}

static size_t
skip_ascii (const struct search *s, size_t at)
{
  uint64_t eight;

  for (; s->len - at >= sizeof eight; at += sizeof eight) {
    memcpy (&eight, s->text + at, sizeof eight);
    if ((eight & 0x8080808080808080) != 0)
      break;
  }
  while (at < s->len && (unsigned char) s->text[at] < 0x80)
    at++;
  return at;
}

static void
find_hidden (struct finding *f)
{
  const struct search *s = f->search;
  unsigned zero_width = 0, hidden = 0;
  size_t start = 0;

  for (size_t at = skip_ascii (s, 0), n; at < s->len; at += n) {
    const uint32_t c = utf8_code_point (s->text + at, &n);
    if (is_hidden (c) || is_zero_width (c)) {
      start = zero_width + hidden == 0 ? at : start;
      hidden += is_hidden (c);
      zero_width += is_zero_width (c);
    }
    else if (zero_width + hidden != 0) {
      note_hidden (f, start, at, zero_width, hidden);
      zero_width = hidden = 0;
    }
    if (zero_width + hidden == 0)
      n = skip_ascii (s, at + n) - at;
  }
  if (zero_width + hidden != 0)
    note_hidden (f, start, s->len, zero_width, hidden);
}

/* ---- the others ---- */

static void
find_comments (struct finding *f)
{
  const struct search *s = f->search;
  const char *p = s->text, *end = s->text + s->len;

  while ((p = memmem (p, (size_t) (end - p), "<!--", 4)) != NULL) {
    const char *stop = memmem (p + 4, (size_t) (end - p) - 4, "-->", 3);
    const char *behind = stop != NULL ? stop + 3 : end;
    search_found (f->search, &f->own->rules[COMMENTS], (size_t) (p - s->text),
                  (size_t) (behind - s->text));
    p = behind;
  }
}

static bool
begins_a_turn (const struct search *s, size_t at)
{
  return at >= 2 && s->text[at - 1] == '\n'
         && (s->text[at - 2] == '\n'
             || (at >= 3 && s->text[at - 2] == '\r' && s->text[at - 3] == '\n'));
}

static void
note_role (void *ctx, uint32_t tag, size_t start, size_t end)
{
  struct finding *f = ctx;

  if (tag == AT_ALL || begins_a_turn (f->search, start))
    search_found (f->search, &f->own->rules[ROLES], start, end);
}

static void
note_phrase (void *ctx, size_t start, size_t end)
{
  struct finding *f = ctx;

  search_found (f->search, &f->own->rules[INSTRUCTIONS], start, end);
}

static void
find (const struct guard *guard, struct search *s)
{
  const struct injection *own = guard->own;
  struct finding f = { own, s };

  if (own->wanted[HIDDEN])
    find_hidden (&f);
  if (own->wanted[COMMENTS])
    find_comments (&f);
  if (own->wanted[ROLES])
    lexicon_find (own->roles, s->text, s->len, false, s->budget, note_role, &f);
  if (own->wanted[INSTRUCTIONS])
    phrases_find (own->phrases, s->text, s->len, note_phrase, &f);
}

/* ---- configuration ---- */

/* Comments are in most pages of the web: they are looked for when they are asked for, and when all
 * that is found is taken out. */
/* Pages of the web have comments: without a word of the operator they are looked for to strip them.
 */
static bool
read_kinds (struct reading *r, bool strip, struct injection *own)
{
  if (!reading_kinds (r, kind_names, "\"instructions\", \"hidden\"", own->wanted))
    return false;
  if (reading_member (r, "kinds") == NULL)
    own->wanted[COMMENTS] = strip;
  return true;
}

static void
make_rules (struct injection *own, bool strip, const char *replacement)
{
  for (unsigned i = 0; i < KINDS; i++) {
    own->rules[i].what = kind_whats[i];
    own->rules[i].action = strip ? ACTION_REDACT : ACTION_BLOCK;
    own->rules[i].replacement = xstrdup (i == HIDDEN ? "" : replacement);
  }
}

static void
make_words (struct injection *own)
{
  own->phrases = phrases_new ();
  own->roles = lexicon_new ();
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    (void) lexicon_add (own->roles, roles[i], strlen (roles[i]), AT_ALL);
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
    (void) lexicon_add (own->roles, turns[i], strlen (turns[i]), AT_TURN);
  lexicon_build (own->roles);
}

static bool
read_injection (struct reading *r)
{
  static const char *const actions[] = { "block", "strip", NULL };
  struct injection *own = r->guard->own = xcalloc (1, sizeof *own);
  char *replacement = xstrdup ("[removed]");
  unsigned action = 0;
  const bool good = reading_word (r, "action", actions, &action)
                    && reading_text (r, "replacement", REPLACEMENT_MOST, &replacement)
                    && read_kinds (r, action != 0, own);

  make_rules (own, action != 0, replacement);
  free (replacement);
  make_words (own);
  return good;
}

static void
free_injection (void *own)
{
  struct injection *injection = own;

  for (unsigned i = 0; i < KINDS; i++)
    free (injection->rules[i].replacement);
  lexicon_free (injection->roles);
  phrases_free (injection->phrases);
  free (injection);
}

const struct guard_kind guard_injection = {
  .name = "injection",
  .members = (const char *const[]){ "kinds", "action", "replacement", NULL },
  .read = read_injection,
  .free = free_injection,
  .find = find,
  .cost = 13,
};

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fold.h"
#include "base/invisible.h"
#include "base/utf8.h"
#include "guard/chars.h"
#include "guard/injection.h"
#include "guard/lexicon.h"

/* What a word may be in such a sentence. */
enum {
  IGNORE = 1 << 0,   /* ignore, disregard, forget ... */
  EARLIER = 1 << 1,  /* previous, above ... */
  ORDERS = 1 << 2,   /* instructions, rules ... */
  ALL = 1 << 3,      /* everything */
  REVEAL = 1 << 4,   /* reveal, print ... */
  SYSTEM = 1 << 5,   /* system, hidden ... */
  NEW = 1 << 6,      /* new, real ... */
  NOT = 1 << 7,      /* not, never, without ... */
  TELL = 1 << 8,     /* tell, inform ... */
  USER = 1 << 9,     /* user, human ... */
  YOU = 1 << 10,     /* you */
  ARE = 1 << 11,     /* are */
  NOW = 1 << 12,     /* now */
  MODEL = 1 << 13,   /* assistant, AI ... */
  FREE = 1 << 14,    /* unrestricted, jailbroken ... */
  PROMPT = 1 << 15,  /* prompt */
  LEARNED = 1 << 16, /* told, learned ... */
};

static const struct {
  uint32_t meaning;
  const char *words; /* with blanks between */
} vocabulary[] = {
  { IGNORE,
    "ignore ignoring disregard disregarding forget override overrule bypass ignoriere ignorieren "
    "vergiss missachte ignorez oubliez ignora ignorar olvida olvide" },
  { EARLIER, "previous previously prior preceding above earlier foregoing original vorherigen "
             "vorherige bisherigen bisherige obigen vorangegangenen vorigen "
             "fr\xc3\xbcheren pr\xc3\xa9"
             "c\xc3\xa9"
             "dentes ant\xc3\xa9rieures anteriores "
             "previas" },
  { ORDERS, "instruction instructions directive directives rule rules guideline guidelines command "
            "commands constraint constraints restriction restrictions prompt prompts direction "
            "directions anweisung anweisungen instruktionen befehle regeln vorgaben consignes "
            "r\xc3\xa8gles instrucciones \xc3\xb3rdenes reglas" },
  { ALL, "everything anything all alles tout todo" },
  { LEARNED, "told learned learnt know read said taught" },
  { REVEAL, "reveal show print output repeat display leak disclose expose dump recite" },
  { SYSTEM, "system hidden secret initial developer internal" },
  { PROMPT, "prompt prompts instruction instructions" },
  { NEW, "new updated real actual true revised" },
  { NOT, "not never don't dont without" },
  { TELL, "tell telling inform informing mention mentioning notify notifying alert alerting warn "
          "warning reveal revealing" },
  { USER, "user users human operator owner" },
  { YOU, "you" },
  { ARE, "are" },
  { NOW, "now" },
  { MODEL, "assistant ai model llm chatbot bot agent dan hacker" },
  { FREE, "unrestricted jailbroken uncensored unfiltered" },
};

enum { SLOTS = 1024, WORD_BYTES = 24, WINDOW = 8 };

struct entry {
  char word[WORD_BYTES];
  uint32_t meaning; /* 0: free */
};

struct phrases {
  struct entry slots[SLOTS];
};

static uint32_t
hash_of (const char *word, size_t len)
{
  uint32_t hash = 2166136261u;

  for (size_t i = 0; i < len; i++)
    hash = (hash ^ (unsigned char) word[i]) * 16777619u;
  return hash ^ hash >> 15;
}

/* The slot of a word, or the free one that it would have. */
static uint32_t
slot_of (const struct phrases *phrases, const char *word, size_t len)
{
  uint32_t slot = hash_of (word, len) % SLOTS;

  while (phrases->slots[slot].meaning != 0
         && (strlen (phrases->slots[slot].word) != len
             || memcmp (phrases->slots[slot].word, word, len) != 0))
    slot = (slot + 1) % SLOTS;
  return slot;
}

struct phrases *
phrases_new (void)
{
  struct phrases *phrases = xcalloc (1, sizeof *phrases);

  for (size_t i = 0; i < sizeof vocabulary / sizeof *vocabulary; i++)
    for (const char *word = vocabulary[i].words; *word != '\0';) {
      const size_t len = strcspn (word, " ");
      struct entry *entry = &phrases->slots[slot_of (phrases, word, len)];
      memcpy (entry->word, word, len);
      entry->meaning |= vocabulary[i].meaning;
      word += len + (word[len] == ' ');
    }
  return phrases;
}

void
phrases_free (struct phrases *phrases)
{
  free (phrases);
}

/* ---- sentences ---- */

struct word {
  uint32_t meaning;
  size_t start, end;
};

/* The last words of the sentence. */
struct window {
  struct word words[WINDOW];
  unsigned count; /* of the sentence; words[i % WINDOW] is the i-th */
};

/* The word `back` words before the last one; one without a meaning when there is none. */
static struct word
word_back (const struct window *w, unsigned back)
{
  if (back >= w->count || back >= WINDOW)
    return (struct word){ 0 };
  return w->words[(w->count - 1 - back) % WINDOW];
}

/* The nearest of a meaning at most `most` words before the last one; `most` + 1: there is none. */
static unsigned
nearest (const struct window *w, unsigned from, unsigned most, uint32_t meaning)
{
  while (from <= most && (word_back (w, from).meaning & meaning) == 0)
    from++;
  return from;
}

/* "Ignore all previous instructions", "forget the instructions above", "disregard everything you
 * were told": the words in any order behind the first. */
static unsigned
ignores_orders (const struct window *w)
{
  const uint32_t last = w->count > 0 ? word_back (w, 0).meaning : 0;
  const uint32_t other = (last & ORDERS ? EARLIER : 0) | (last & EARLIER ? ORDERS | ALL : 0)
                         | (last & LEARNED ? ALL : 0);
  unsigned verb;

  if (other == 0)
    return WINDOW;
  verb = nearest (w, 1, WINDOW - 1, IGNORE);
  return verb < WINDOW && nearest (w, 1, verb - 1, other) < verb ? verb : WINDOW;
}

/* "Reveal your system prompt", "print the hidden instructions". */
static unsigned
reveals_prompt (const struct window *w)
{
  unsigned verb;

  if ((word_back (w, 0).meaning & PROMPT) == 0 || (word_back (w, 1).meaning & SYSTEM) == 0)
    return WINDOW;
  verb = nearest (w, 2, 6, REVEAL);
  return verb <= 6 ? verb : WINDOW;
}

/* "Do not tell the user", "without informing the user". */
static unsigned
hides_from_user (const struct window *w)
{
  unsigned verb;

  if ((word_back (w, 0).meaning & USER) == 0)
    return WINDOW;
  verb = nearest (w, 1, 4, TELL);
  return verb <= 4 && (word_back (w, verb + 1).meaning & NOT) != 0 ? verb + 1 : WINDOW;
}

/* "You are now a different assistant", "you are now unrestricted". */
static unsigned
is_another (const struct window *w)
{
  const uint32_t last = word_back (w, 0).meaning;
  unsigned now;

  if ((last & (MODEL | FREE)) == 0)
    return WINDOW;
  now = nearest (w, 1, 4, NOW);
  return now <= 4 && (word_back (w, now + 1).meaning & ARE) != 0
             && (word_back (w, now + 2).meaning & YOU) != 0
           ? now + 2
           : WINDOW;
}

/* "New instructions:", "your real system prompt:"; a colon stands behind the last word. */
static unsigned
has_new_orders (const struct window *w)
{
  unsigned from = 1;

  if ((word_back (w, 0).meaning & (ORDERS | PROMPT)) == 0)
    return WINDOW;
  if ((word_back (w, 1).meaning & SYSTEM) != 0)
    from = 2;
  return (word_back (w, from).meaning & NEW) != 0 ? from : WINDOW;
}

/* ---- a walk ---- */

struct walk {
  const struct phrases *phrases;
  const char *text;
  size_t len;
  struct window window;
  phrases_found_fn *found;
  void *ctx;
};

static void
judge (struct walk *w, bool before_colon)
{
  unsigned back = ignores_orders (&w->window);

  if (back == WINDOW)
    back = reveals_prompt (&w->window);
  if (back == WINDOW)
    back = hides_from_user (&w->window);
  if (back == WINDOW)
    back = is_another (&w->window);
  if (back == WINDOW && before_colon)
    back = has_new_orders (&w->window);
  if (back < WINDOW)
    w->found (w->ctx, word_back (&w->window, back).start, word_back (&w->window, 0).end);
}

/* An apostrophe inside a word is part of it. */
static bool
is_inside (const struct walk *w, size_t at)
{
  return w->text[at] == '\'' && at + 1 < w->len && (w->text[at + 1] | 32) >= 'a'
         && (w->text[at + 1] | 32) <= 'z';
}

/* The word at `at`, folded, without what is not seen; returns its end.  A long one is cut. */
static size_t
take_word (const struct walk *w, size_t at, char word[WORD_BYTES], size_t *word_len)
{
  *word_len = 0;
  while (at < w->len) {
    size_t n;
    if (char_is (w->text[at], CHAR_ALNUM)) {
      if (*word_len < WORD_BYTES)
        word[(*word_len)++] = (char) (w->text[at] | (char_is (w->text[at], CHAR_UPPER) ? 32 : 0));
      at++;
      continue;
    }
    const uint32_t c = utf8_code_point (w->text + at, &n);
    const bool seen = c < 0x80 || !invisible_code_point (c);
    if (seen && !lexicon_letter (c) && !is_inside (w, at))
      break;
    if (seen && *word_len + 4 <= WORD_BYTES)
      *word_len += utf8_put (word + *word_len, fold_case (c));
    else if (seen)
      *word_len = WORD_BYTES;
    at += n;
  }
  return at;
}

static uint32_t
meaning_of (const struct phrases *phrases, const char *word, size_t len)
{
  return len < WORD_BYTES ? phrases->slots[slot_of (phrases, word, len)].meaning : 0;
}

/* A sentence ends with a full stop and a blank, and with an empty line. */
static bool
ends_sentence (const struct walk *w, size_t at)
{
  const char c = w->text[at], next = at + 1 < w->len ? w->text[at + 1] : ' ';

  return ((c == '.' || c == '!' || c == '?' || c == ';') && (next == ' ' || next == '\n'))
         || (c == '\n' && next == '\n');
}

void
phrases_find (const struct phrases *phrases, const char *text, size_t len, phrases_found_fn *found,
              void *ctx)
{
  struct walk w = { .phrases = phrases, .text = text, .len = len, .found = found, .ctx = ctx };
  char word[WORD_BYTES];

  for (size_t at = 0; at < len;) {
    size_t n, word_len, end;
    if ((unsigned char) text[at] < 0x80 && !char_is (text[at], CHAR_ALNUM)) {
      if (ends_sentence (&w, at))
        w.window.count = 0;
      at++;
      continue;
    }
    const uint32_t c = utf8_code_point (text + at, &n);
    if (c >= 0x80 && !lexicon_letter (c) && !invisible_code_point (c)) {
      at += n;
      continue;
    }
    end = take_word (&w, at, word, &word_len);
    if (word_len != 0) {
      struct word *one = &w.window.words[w.window.count++ % WINDOW];
      *one = (struct word){ meaning_of (phrases, word, word_len), at, end };
      if (one->meaning != 0)
        judge (&w, end < len && text[end] == ':');
    }
    at = end;
  }
}

#include "guard/pii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/chars.h"
#include "guard/reading.h"

enum kind { EMAIL, PHONE, CARD, IBAN, KINDS };

static const char *const kind_names[] = { "email", "phone", "card", "iban", NULL };
static const char *const kind_whats[] = { "an email address", "a phone number",
                                          "a payment card number", "an IBAN" };

struct pii {
  bool wanted[KINDS];
  struct guard_rule rules[KINDS];
};

/* ---- email addresses ---- */

enum { LOCAL_MOST = 64, DOMAIN_MOST = 253 };

enum { STEPS_PER_NUMBER = 12, STEPS_PER_ADDRESS = 16 };

/* "2x.png" is a picture, "1.2.3" a version. */
static bool
is_top_level (const char *label, size_t len)
{
  static const char *const files[] = { "png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico" };

  if (len < 2 || len > 63)
    return false;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (strlen (files[i]) == len && strncasecmp (files[i], label, len) == 0)
      return false;
  if (len > 4 && strncasecmp (label, "xn--", 4) == 0)
    return true;
  for (size_t i = 0; i < len; i++)
    if (!char_is (label[i], CHAR_ALPHA | CHAR_HIGH))
      return false;
  return true;
}

/* The end of the domain at `at`, as many of its labels as make one; `at`: none. */
static size_t
domain_end (const char *text, size_t len, size_t at)
{
  size_t end = at, p = at;
  unsigned labels = 0;

  while (p < len && p - at < DOMAIN_MOST && char_is (text[p], CHAR_WORD)) {
    const size_t label = p;
    while (p < len && p - at < DOMAIN_MOST && (char_is (text[p], CHAR_WORD) || text[p] == '-'))
      p++;
    if (p - at == DOMAIN_MOST) /* a label that is cut is none */
      break;
    if (++labels >= 2 && is_top_level (text + label, p - label))
      end = p;
    if (p >= len || text[p] != '.')
      break;
    p++;
  }
  return end;
}

bool
pii_email (const char *text, size_t len, size_t at, size_t *start, size_t *end)
{
  size_t from = at;

  *end = domain_end (text, len, at + 1);
  if (*end == at + 1)
    return false;
  while (from > 0 && at - from < LOCAL_MOST && char_is (text[from - 1], CHAR_WORD | CHAR_LOCAL))
    from--;
  while (from < at && (text[from] & 0xc0) == 0x80) /* not within a character */
    from++;
  while (from < at && (text[from] == '.' || text[from] == '\''))
    from++;
  *start = from;
  /* "git@example.com:project" is where a repository is */
  return from < at && text[at - 1] != '.'
         && !(*end + 1 < len && text[*end] == ':'
              && char_is (text[*end + 1], CHAR_ALPHA | CHAR_LOCAL) && at - from == 3
              && memcmp (text + from, "git", 3) == 0);
}

/* ---- one text ---- */

static void
note (const struct pii *pii, struct search *s, enum kind kind, size_t start, size_t end)
{
  if (pii->wanted[kind])
    search_found (s, &pii->rules[kind], start, end);
}

/* At a digit that none stands before, or at "+" or "(". */
static size_t
find_number (const struct pii *pii, struct search *s, size_t at, bool named)
{
  size_t end;

  if (!search_pay (s, STEPS_PER_NUMBER))
    return s->len;
  end = pii_card (s->text, s->len, at);
  if (end > at) {
    note (pii, s, CARD, at, end);
    return end;
  }
  end = pii_phone (s->text, s->len, at, named);
  if (end > at) {
    note (pii, s, PHONE, at, end);
    return end;
  }
  return at + 1;
}

static size_t
find_email (const struct pii *pii, struct search *s, size_t at)
{
  size_t start, end;

  if (!search_pay (s, STEPS_PER_ADDRESS))
    return s->len;
  if (!pii_email (s->text, s->len, at, &start, &end))
    return at + 1;
  note (pii, s, EMAIL, start, end);
  return end;
}

/* At the start of a word, or inside one; no number begins in a word. */
static size_t
find_iban (const struct pii *pii, struct search *s, size_t at)
{
  const size_t end = pii_iban (s->text, s->len, at);

  if (end == at)
    return char_skip (s->text, s->len, at, CHAR_WORD);
  note (pii, s, IBAN, at, end);
  return end;
}

/* What each byte may begin. */
static bool
begins_number (const struct search *s, size_t at)
{
  const char c = s->text[at];

  return (char_is (c, CHAR_DIGIT) && !char_before (s->text, at, CHAR_DIGIT)) || c == '+'
         || c == '(';
}

static void
find (const struct guard *guard, struct search *s)
{
  const struct pii *pii = guard->own;
  const bool named = pii_names_phone (s->name, s->name_len);
  size_t at = 0;

  while (at < s->len) {
    size_t end = at + 1;
    if (s->text[at] == '@')
      end = find_email (pii, s, at);
    else if (begins_number (s, at))
      end = find_number (pii, s, at, named);
    else if (char_is (s->text[at], CHAR_WORD))
      end = find_iban (pii, s, at);
    at = end;
  }
}

/* ---- configuration ---- */

static bool
read_plain (struct reading *r, struct pii *pii)
{
  if (!reading_kinds (r, kind_names, "\"email\", \"phone\"", pii->wanted))
    return false;
  for (unsigned i = 0; i < KINDS; i++) {
    char standard[16];
    snprintf (standard, sizeof standard, "[%s]", kind_names[i]);
    if (!reading_rule (r, kind_whats[i], standard, &pii->rules[i]))
      return false;
  }
  return true;
}

/* { "type": "email", "action": "redact", "replacement": "..." } is a configuration of its own, of
 * one kind. */
static bool
read_one_rule (struct reading *r, struct pii *pii)
{
  static const char *const members[] = { "type", "action", "replacement", NULL };
  unsigned kind = 0;
  char standard[16];

  if (!json_is (r->config, JSON_OBJECT))
    return error_set (r->err, ": expected an object like {\"type\": \"email\"}");
  if (!reading_known (r, r->config, "", members, NULL)
      || !reading_word_at (r, reading_member (r, "type"), "/type", kind_names, &kind))
    return false;
  if (pii->wanted[kind])
    return error_set (r->err, "/type: there is a rule for \"%s\" already", kind_names[kind]);
  pii->wanted[kind] = true;
  snprintf (standard, sizeof standard, "[%s]", kind_names[kind]);
  return reading_rule (r, kind_whats[kind], standard, &pii->rules[kind]);
}

static bool
read_rules (struct reading *r, const struct json_node *list, struct pii *pii)
{
  struct reading one = *r;
  unsigned index = 0;

  if (!json_is (list, JSON_ARRAY) || list->count == 0)
    return error_set (r->err, "/rules: expected a list like [{\"type\": \"email\"}]");
  for (const char *const *m = (const char *const[]){ "kinds", "action", "replacement", NULL };
       *m != NULL; m++)
    if (reading_member (r, *m) != NULL)
      return error_set (r->err, "/%s: stands in each of the \"rules\", or in their place", *m);
  for (const struct json_node *n = json_first (list); n != json_end (list);
       n = json_next (n), index++) {
    one.config = n;
    const bool good = read_one_rule (&one, pii);
    r->arena = one.arena;
    if (!good)
      return error_wrap (r->err, "/rules/%u", index);
  }
  return true;
}

static bool
read_pii (struct reading *r)
{
  struct pii *pii = r->guard->own = xcalloc (1, sizeof *pii);
  const struct json_node *rules = reading_member (r, "rules");

  r->guard->redacts = true;
  r->guard->most = 12;
  return rules != NULL ? read_rules (r, rules, pii) : read_plain (r, pii);
}

static void
free_pii (void *own)
{
  struct pii *pii = own;

  for (unsigned i = 0; i < KINDS; i++)
    free (pii->rules[i].replacement);
  free (pii);
}

const struct guard_kind guard_pii = {
  .name = "pii",
  .members = (const char *const[]){ "kinds", "action", "replacement", "rules", NULL },
  .read = read_pii,
  .free = free_pii,
  .find = find,
  .numbers = true,
  .cost = 5,
};

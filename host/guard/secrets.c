/* The guard "secrets": keys as those who issue them write them, and texts too random for words. */
#include <stdlib.h>
#include <string.h>

#include "guard/chars.h"
#include "guard/reading.h"

enum kind { AWS, GITHUB, GITLAB, SLACK, STRIPE, GOOGLE, AI, JWT, PEM, URL, OTHER, RANDOM, KINDS };

static const char *const kind_names[] = { "aws", "github", "gitlab", "slack", "stripe", "google",
                                          "ai",  "jwt",    "pem",    "url",   "other",  NULL };
static const char *const kind_whats[KINDS] = {
  "an AWS access key",      "a GitHub token",   "a GitLab token",
  "a Slack token",          "a Stripe key",     "a Google key",
  "a key of an AI service", "a JSON Web Token", "a private key",
  "a URL with a password",  "an access key",    "a text that looks like a key"
};

/* ---- shapes ---- */

/* What a key is written with behind its prefix. */
enum alphabet { UPPER_DIGIT, ALNUM, HEX, BASE64URL };

static const struct shape {
  const char *prefix;
  enum kind kind;
  enum alphabet alphabet;
  unsigned shortest, longest; /* characters behind the prefix */
} shapes[] = {
  { "AKIA", AWS, UPPER_DIGIT, 16, 16 },
  { "ASIA", AWS, UPPER_DIGIT, 16, 16 },
  { "ABIA", AWS, UPPER_DIGIT, 16, 16 },
  { "ACCA", AWS, UPPER_DIGIT, 16, 16 },
  { "github_pat_", GITHUB, BASE64URL, 40, 255 },
  { "ghp_", GITHUB, ALNUM, 36, 255 },
  { "gho_", GITHUB, ALNUM, 36, 255 },
  { "ghu_", GITHUB, ALNUM, 36, 255 },
  { "ghs_", GITHUB, ALNUM, 36, 255 },
  { "ghr_", GITHUB, ALNUM, 36, 255 },
  { "glpat-", GITLAB, BASE64URL, 20, 64 },
  { "xoxb-", SLACK, BASE64URL, 10, 255 },
  { "xoxp-", SLACK, BASE64URL, 10, 255 },
  { "xoxa-", SLACK, BASE64URL, 10, 255 },
  { "xoxr-", SLACK, BASE64URL, 10, 255 },
  { "xoxs-", SLACK, BASE64URL, 10, 255 },
  { "xapp-", SLACK, BASE64URL, 10, 255 },
  { "sk_live_", STRIPE, ALNUM, 16, 255 },
  { "sk_test_", STRIPE, ALNUM, 16, 255 },
  { "rk_live_", STRIPE, ALNUM, 16, 255 },
  { "rk_test_", STRIPE, ALNUM, 16, 255 },
  { "AIza", GOOGLE, BASE64URL, 35, 35 },
  { "GOCSPX-", GOOGLE, BASE64URL, 28, 28 },
  { "ya29.", GOOGLE, BASE64URL, 20, 2048 },
  { "sk-ant-", AI, BASE64URL, 20, 255 },
  { "sk-proj-", AI, BASE64URL, 20, 255 },
  { "sk-svcacct-", AI, BASE64URL, 20, 255 },
  { "sk-or-", AI, BASE64URL, 20, 255 },
  { "sk-", AI, ALNUM, 32, 255 },
  { "hf_", AI, ALNUM, 34, 40 },
  { "npm_", OTHER, ALNUM, 36, 36 },
  { "pypi-", OTHER, BASE64URL, 50, 512 },
  { "shpat_", OTHER, HEX, 32, 32 },
  { "dop_v1_", OTHER, HEX, 64, 64 },
  { "whsec_", OTHER, BASE64URL, 24, 128 },
  { "AGE-SECRET-KEY-1", OTHER, UPPER_DIGIT, 58, 58 },
  { "thk_", OTHER, BASE64URL, 52, 52 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct secrets {
  bool wanted[KINDS];
  struct guard_rule rules[KINDS];
  uint8_t begins[256]; /* 1 + the first shape that begins with the byte; 0: none */
  uint8_t next[SHAPES];
  uint32_t entropy; /* bits a character times 256, from which on a text is random; 0: any may be */
};

static bool
is_of (char c, enum alphabet alphabet)
{
  switch (alphabet) {
  case UPPER_DIGIT:
    return char_is (c, CHAR_UPPER | CHAR_DIGIT);
  case ALNUM:
    return char_is (c, CHAR_ALNUM);
  case HEX:
    return char_is (c, CHAR_DIGIT) || (c >= 'a' && c <= 'f');
  default:
    return char_is (c, CHAR_ALNUM) || c == '-' || c == '_';
  }
}

/* "sk-learn-a-long-name" has no digit, "xoxb-xxxxxxxxxxxx" stands for a key. */
static bool
is_varied (const char *text, size_t len)
{
  bool digit = false, letter = false;
  size_t changes = 0;

  for (size_t i = 0; i < len; i++) {
    digit = digit || char_is (text[i], CHAR_DIGIT);
    letter = letter || char_is (text[i], CHAR_ALPHA);
    changes += i > 0 && text[i] != text[i - 1];
  }
  return digit && letter && changes > len / 2;
}

static size_t
shape_end (const struct search *s, size_t at, const struct shape *shape)
{
  const size_t prefix = strlen (shape->prefix), start = at + prefix;
  size_t end = start;

  if (s->len - at < prefix + shape->shortest || memcmp (s->text + at, shape->prefix, prefix) != 0)
    return at;
  while (end < s->len && end - start < shape->longest && is_of (s->text[end], shape->alphabet))
    end++;
  if (end - start < shape->shortest
      || (shape->alphabet != UPPER_DIGIT && !is_varied (s->text + start, end - start))
      || (end - start == shape->longest && char_at (s->text, s->len, end, CHAR_ALNUM)))
    return at;
  return end;
}

static void
note (const struct secrets *own, struct search *s, enum kind kind, size_t start, size_t end)
{
  if (own->wanted[kind])
    search_found (s, &own->rules[kind], start, end);
}

static size_t
find_shape (const struct secrets *own, struct search *s, size_t at)
{
  for (unsigned i = own->begins[(unsigned char) s->text[at]]; i != 0 && search_pay (s, 1);
       i = own->next[i - 1]) {
    const size_t end = shape_end (s, at, &shapes[i - 1]);
    if (end == at)
      continue;
    note (own, s, shapes[i - 1].kind, at, end);
    return end;
  }
  return at;
}

/* ---- what has a form of its own ---- */

static size_t
skip_base64url (const struct search *s, size_t at)
{
  while (at < s->len && is_of (s->text[at], BASE64URL))
    at++;
  return at;
}

/* Three parts with dots between, of which the first two are objects in base64. */
static size_t
find_jwt (const struct secrets *own, struct search *s, size_t at)
{
  size_t part[3], end = at;

  if (s->len - at < 32 || memcmp (s->text + at, "eyJ", 3) != 0)
    return at;
  for (unsigned i = 0; i < 3; i++) {
    const size_t start = end + (i > 0);
    if (i > 0 && (end >= s->len || s->text[end] != '.'))
      return at;
    end = skip_base64url (s, start);
    part[i] = end - start;
    if (i == 1 && (part[1] < 4 || memcmp (s->text + start, "eyJ", 3) != 0))
      return at;
  }
  if (part[0] < 10 || part[2] < 10)
    return at;
  note (own, s, JWT, at, end);
  return end;
}

static const char *
find_text (const char *from, const char *end, const char *wanted)
{
  return memmem (from, (size_t) (end - from), wanted, strlen (wanted));
}

/* "-----BEGIN ... PRIVATE KEY-----" up to its end, or the text's. */
static size_t
find_pem (const struct secrets *own, struct search *s, size_t at)
{
  static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY";
  const char *start = s->text + at, *end = s->text + s->len, *line, *last;

  if ((size_t) (end - start) < sizeof begin + sizeof key
      || memcmp (start, begin, sizeof begin - 1) != 0)
    return at;
  line = start + sizeof begin - 1;
  last = find_text (line, line + 40 < end ? line + 40 : end, key);
  if (last == NULL)
    return at;
  last = find_text (last, end, "-----END ");
  last = last != NULL ? find_text (last + 9, end, "-----") : NULL;
  last = last != NULL ? last + 5 : end;
  note (own, s, PEM, at, (size_t) (last - s->text));
  return (size_t) (last - s->text);
}

/* "***", "<password>", "$PASSWORD" and "{password}" stand for one. */
static bool
is_placeholder (const char *text, size_t len)
{
  if (len == 0 || char_among (text[0], "$<{[%*"))
    return true;
  for (size_t i = 1; i < len; i++)
    if (text[i] != text[0])
      return false;
  return true;
}

/* Behind "://": a user, ":", a password, "@".  The password is what is found. */
static size_t
find_url (const struct secrets *own, struct search *s, size_t at)
{
  size_t colon = 0, end = at;

  for (; end < s->len && end - at < 512 && !char_among (s->text[end], " /?#\t\r\n\"'<>\\"); end++) {
    if (s->text[end] == ':' && colon == 0)
      colon = end;
    if (s->text[end] == '@')
      break;
  }
  if (colon == 0 || end >= s->len || s->text[end] != '@'
      || is_placeholder (s->text + colon + 1, end - colon - 1))
    return at;
  note (own, s, URL, colon + 1, end);
  return end;
}

/* ---- random texts ---- */

enum { RANDOM_SHORTEST = 20, RANDOM_LONGEST = 512, FRACTION = 256 };

/* log2 of n, times FRACTION: of 1 to 512. */
static uint32_t
log2_of (uint32_t n)
{
  const uint32_t whole = 31 - (uint32_t) __builtin_clz (n);
  uint64_t x = ((uint64_t) n << 32) >> whole; /* from 1 to below 2, times 2^32 */
  uint32_t bits = 0;

  for (int i = 0; i < 8; i++) {
    x = (x >> 16) * (x >> 16); /* its square, times 2^32 */
    bits <<= 1;
    if (x >= (uint64_t) 2 << 32) {
      bits |= 1;
      x >>= 1;
    }
  }
  return whole * FRACTION + bits;
}

/* Shannon's entropy of the characters, in bits of each, times FRACTION. */
static uint32_t
entropy_of (const char *text, size_t len)
{
  uint16_t counts[128] = { 0 };
  uint64_t sum = 0;

  for (size_t i = 0; i < len; i++)
    counts[text[i] & 0x7f]++;
  for (size_t i = 0; i < 128; i++)
    if (counts[i] != 0)
      sum += (uint64_t) counts[i] * log2_of (counts[i]);
  return log2_of ((uint32_t) len) - (uint32_t) (sum / len);
}

static size_t
find_random (const struct secrets *own, struct search *s, size_t at)
{
  const size_t end = char_skip (s->text, s->len, at, CHAR_ALNUM | CHAR_BASE64), len = end - at;

  if (len >= RANDOM_SHORTEST && len <= RANDOM_LONGEST && is_varied (s->text + at, len)
      && entropy_of (s->text + at, len) >= own->entropy)
    search_found (s, &own->rules[RANDOM], at, end);
  return end;
}

/* ---- one text ---- */

/* Where a word begins. */
static size_t
find_word (const struct secrets *own, struct search *s, size_t at, size_t *random)
{
  size_t end = at;

  if (own->begins[(unsigned char) s->text[at]] != 0)
    end = find_shape (own, s, at);
  if (end == at && s->text[at] == 'e')
    end = find_jwt (own, s, at);
  if (own->entropy != 0 && at >= *random)
    *random = find_random (own, s, at);
  return end > at ? end : char_skip (s->text, s->len, at, CHAR_ALNUM);
}

static void
find (const struct guard *guard, struct search *s)
{
  const struct secrets *own = guard->own;
  size_t at = 0, random = 0;

  while (at < s->len) {
    const char c = s->text[at];
    size_t end = at;
    if (char_is (c, CHAR_ALNUM))
      end = find_word (own, s, at, &random);
    else if (c == '-' && !char_before (s->text, at, CHAR_ALNUM))
      end = find_pem (own, s, at);
    else if (c == ':' && s->len - at > 3 && memcmp (s->text + at, "://", 3) == 0)
      end = find_url (own, s, at + 3);
    at = end > at ? end : at + 1;
  }
}

/* ---- configuration ---- */

static bool
read_entropy (struct reading *r, struct secrets *own)
{
  const struct json_node *node = reading_member (r, "entropy");
  double bits;

  if (node == NULL)
    return true;
  if (!json_is (node, JSON_NUMBER) || !json_double (r->tape, node, &bits) || bits < 3 || bits > 6)
    return error_set (r->err, "/entropy: expected bits of each character, from 3 to 6");
  own->entropy = (uint32_t) (bits * FRACTION);
  return true;
}

/* Lists of shapes by their first byte, in the order of the table: longer prefixes stand before
 * shorter ones. */
static void
index_shapes (struct secrets *own)
{
  for (unsigned i = SHAPES; i-- > 0;) {
    uint8_t *first = &own->begins[(unsigned char) shapes[i].prefix[0]];
    own->next[i] = *first;
    *first = (uint8_t) (i + 1);
  }
}

static bool
read_secrets (struct reading *r)
{
  struct secrets *own = r->guard->own = xcalloc (1, sizeof *own);

  index_shapes (own);
  r->guard->redacts = true;
  if (!reading_kinds (r, kind_names, "\"aws\", \"pem\"", own->wanted) || !read_entropy (r, own))
    return false;
  for (unsigned i = 0; i < KINDS; i++)
    if (!reading_rule (r, kind_whats[i], "[secret]", &own->rules[i]))
      return false;
  return true;
}

static void
free_secrets (void *own)
{
  struct secrets *secrets = own;

  for (unsigned i = 0; i < KINDS; i++)
    free (secrets->rules[i].replacement);
  free (secrets);
}

const struct guard_kind guard_secrets = {
  .name = "secrets",
  .members = (const char *const[]){ "kinds", "entropy", "action", "replacement", NULL },
  .read = read_secrets,
  .free = free_secrets,
  .find = find,
  .cost = 6,
};

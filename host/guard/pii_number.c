#include <string.h>

#include "guard/chars.h"
#include "guard/pii.h"

/* ---- digits with something between ---- */

enum { CARD_DIGITS = 19, GROUPS_MOST = 6 };

struct digits {
  unsigned char value[CARD_DIGITS];
  unsigned count;
  unsigned groups[GROUPS_MOST]; /* digits of each */
  unsigned groups_count;
  size_t end;
};

/* A blank or a hyphen between two digits, the same all along. */
static size_t
same_separator (const char *text, size_t len, size_t at, const char **first, size_t *first_len)
{
  const size_t n = char_separator (text, len, at);

  if (n == 0 || text[at] == '.' || !char_at (text, len, at + n, CHAR_DIGIT))
    return 0;
  if (*first == NULL) {
    *first = text + at;
    *first_len = n;
  }
  return n == *first_len && memcmp (*first, text + at, n) == 0 ? n : 0;
}

/* False: there are too many. */
static bool
take_digits (const char *text, size_t len, size_t at, struct digits *d)
{
  const char *separator = NULL;
  size_t separator_len = 0, gap = 0;

  do {
    const unsigned before = d->count;
    at += gap;
    if (d->groups_count == GROUPS_MOST)
      return false;
    for (; char_at (text, len, at, CHAR_DIGIT); at++) {
      if (d->count == CARD_DIGITS)
        return false;
      d->value[d->count++] = (unsigned char) (text[at] - '0');
    }
    d->groups[d->groups_count++] = d->count - before;
    gap = same_separator (text, len, at, &separator, &separator_len);
  } while (gap != 0);
  d->end = at;
  return true;
}

/* ---- cards ---- */

/* Issuers by the first six digits, and how long their numbers are. */
static const struct {
  unsigned first, last;
  unsigned shortest, longest;
} issuers[] = {
  { 400000, 499999, 16, 19 }, /* Visa; of the time of 13 digits none are left */
  { 510000, 559999, 16, 16 }, { 222100, 272099, 16, 16 }, /* Mastercard */
  { 340000, 349999, 15, 15 }, { 370000, 379999, 15, 15 }, /* American Express */
  { 601100, 601199, 16, 19 }, { 644000, 659999, 16, 19 }, /* Discover */
  { 352800, 358999, 16, 19 },                             /* JCB */
  { 300000, 305999, 14, 14 }, { 360000, 369999, 14, 14 }, /* Diners Club */
  { 380000, 399999, 14, 14 }, { 620000, 629999, 16, 19 }, { 810000, 817199, 16, 19 }, /* UnionPay */
  { 500000, 509999, 16, 19 }, { 560000, 589999, 16, 19 },                             /* Maestro */
  { 220000, 220499, 16, 19 },                                                         /* Mir */
};

static bool
has_issuer (const struct digits *d)
{
  unsigned first = 0;

  for (unsigned i = 0; i < 6; i++)
    first = first * 10 + d->value[i];
  for (size_t i = 0; i < sizeof issuers / sizeof *issuers; i++)
    if (first >= issuers[i].first && first <= issuers[i].last && d->count >= issuers[i].shortest
        && d->count <= issuers[i].longest)
      return true;
  return false;
}

/* Luhn's check digit. */
static bool
has_check_digit (const struct digits *d)
{
  unsigned sum = 0;

  for (unsigned i = 0; i < d->count; i++) {
    unsigned digit = d->value[d->count - 1 - i];
    if (i % 2 == 1)
      digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return sum % 10 == 0;
}

/* Groups of four, the last one shorter; or 4-6-5 and 4-6-4. */
static bool
is_grouped_as_a_card (const struct digits *d)
{
  if (d->groups_count == 1)
    return true;
  if (d->groups_count == 3 && d->groups[0] == 4 && d->groups[1] == 6)
    return true;
  for (unsigned i = 0; i + 1 < d->groups_count; i++)
    if (d->groups[i] != 4)
      return false;
  return d->groups[d->groups_count - 1] <= 4;
}

/* "1.5", "a-1", "#1" go on to the left; "1-a", "1.5" to the right. */
static bool
stands_alone (const char *text, size_t len, size_t start, size_t end)
{
  if (char_before (text, start, CHAR_WORD) || (start > 0 && char_among (text[start - 1], "#_-.")))
    return false;
  if (char_at (text, len, end, CHAR_WORD) || (end < len && text[end] == '_'))
    return false;
  return end + 1 >= len || (text[end] != '-' && text[end] != '.')
         || !char_is (text[end + 1], CHAR_ALNUM);
}

size_t
pii_card (const char *text, size_t len, size_t at)
{
  struct digits d = { .count = 0 };

  if (!take_digits (text, len, at, &d) || d.count < 14 || !has_issuer (&d) || !has_check_digit (&d)
      || !is_grouped_as_a_card (&d) || !stands_alone (text, len, at, d.end))
    return at;
  return d.end;
}

/* ---- IBANs ---- */

/* The registry of ISO 13616: country and length. */
static const char countries[] =
  "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18"
  "FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20"
  "LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24"
  "SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

static char
upper (char c)
{
  return char_is (c, CHAR_LOWER) ? (char) (c - 'a' + 'A') : c;
}

static unsigned
iban_length (const char *text)
{
  const char a = upper (text[0]), b = upper (text[1]);

  for (const char *c = countries; *c != '\0'; c += 4)
    if (c[0] == a && c[1] == b)
      return (unsigned) (c[2] - '0') * 10 + (unsigned) (c[3] - '0');
  return 0;
}

static unsigned
mod97 (unsigned rest, char c)
{
  if (char_is (c, CHAR_DIGIT))
    return (rest * 10 + (unsigned) (c - '0')) % 97;
  return (rest * 100 + (unsigned) (upper (c) - 'A') + 10) % 97;
}

/* The four characters at the start count last. */
static bool
has_check_digits (const char *letters, unsigned count)
{
  unsigned rest = 0;

  for (unsigned i = 4; i < count + 4; i++)
    rest = mod97 (rest, letters[i % count]);
  return rest == 1;
}

size_t
pii_iban (const char *text, size_t len, size_t at)
{
  char letters[34];
  unsigned wanted, count = 0;
  size_t end = at;

  if (len - at < 15 || !char_is (text[at], CHAR_ALPHA) || !char_is (text[at + 1], CHAR_ALPHA)
      || !char_is (text[at + 2], CHAR_DIGIT) || char_before (text, at, CHAR_WORD))
    return at;
  wanted = iban_length (text + at);
  while (count < wanted && char_at (text, len, end, CHAR_ALNUM)) {
    letters[count++] = text[end++];
    if (count < wanted && count % 4 == 0 && end < len && (text[end] == ' ' || text[end] == '-'))
      end++;
  }
  if (wanted == 0 || count < wanted || char_at (text, len, end, CHAR_WORD)
      || !char_is (letters[3], CHAR_DIGIT) || !has_check_digits (letters, count))
    return at;
  return end;
}

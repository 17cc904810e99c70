#include <string.h>

#include "guard/chars.h"
#include "guard/pii.h"

enum { DIGITS_MOST = 15, GROUPS_MOST = 6, ANNOUNCED_WITHIN = 24 };

/* Groups of digits, as far as they may be one number. */
struct number {
  unsigned groups[GROUPS_MOST]; /* digits of each */
  size_t ends[GROUPS_MOST];
  unsigned count;
  unsigned digits;
  size_t start; /* of the first digit */
};

/* What may stand between two groups: a separator, or a parenthesis with separators around, or a
 * hyphen with blanks around, or, behind the first group, a slash. */
static size_t
gap (const char *text, size_t len, size_t at, bool slash)
{
  size_t end = at + char_separator (text, len, at);

  if (end < len && (text[end] == '(' || text[end] == ')')) {
    end++;
    end += char_separator (text, len, end);
  }
  else if (len - at > 3 && memcmp (text + at, " - ", 3) == 0)
    end = at + 3;
  else if (slash && end == at && at < len && text[at] == '/')
    end = at + 1;
  return end > at && char_at (text, len, end, CHAR_DIGIT) ? end - at : 0;
}

static void
take_groups (const char *text, size_t len, size_t at, struct number *n)
{
  size_t between = 0;

  n->start = at;
  do {
    unsigned digits = 0;
    at += between;
    for (; char_at (text, len, at, CHAR_DIGIT) && digits <= DIGITS_MOST; at++)
      digits++;
    if (n->digits + digits > DIGITS_MOST)
      break;
    n->groups[n->count] = digits;
    n->ends[n->count++] = at;
    n->digits += digits;
    between = gap (text, len, at, n->count == 1);
  } while (between != 0 && n->count < GROUPS_MOST);
}

/* Does nothing go on behind it?  "-1", ".5" and "/2" would be another kind of number. */
static bool
ends_well (const char *text, size_t len, size_t end)
{
  if (char_at (text, len, end, CHAR_WORD) || (end < len && char_among (text[end], "_@%")))
    return false;
  return end + 1 >= len || !char_among (text[end], "-./:,") || !char_is (text[end + 1], CHAR_DIGIT);
}

static bool
starts_well (const char *text, size_t at, const char *spoilers)
{
  return !char_before (text, at, CHAR_WORD) && (at == 0 || !char_among (text[at - 1], spoilers));
}

/* ---- what announces one ---- */

static const char *const words[] = { "phone", "telephone", "tel",      "mobile", "cell",
                                     "fax",   "handy",     "telefon",  "call",   "whatsapp",
                                     "sms",   "msisdn",    "cellphone" };

static bool
is_word (const char *text, size_t len)
{
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen (words[i]) == len && strncasecmp (words[i], text, len) == 0)
      return true;
  return false;
}

/* Words end at what is no letter, and where small letters are followed by a capital. */
static bool
has_word (const char *text, size_t from, size_t to)
{
  while (from < to) {
    size_t end = from + 1;
    if (!char_is (text[from], CHAR_ALPHA)) {
      from++;
      continue;
    }
    while (end < to && char_is (text[end], CHAR_ALPHA)
           && !(char_is (text[end], CHAR_UPPER) && char_is (text[end - 1], CHAR_LOWER)))
      end++;
    if (is_word (text + from, end - from))
      return true;
    from = end;
  }
  return false;
}

bool
pii_names_phone (const char *name, size_t len)
{
  return has_word (name, 0, len < 64 ? len : 64);
}

/* Do the words before `at` announce a telephone number?  "call me at " */
static bool
is_announced (const char *text, size_t at)
{
  size_t from = at;

  while (from > 0 && at - from < ANNOUNCED_WITHIN && !char_is (text[from - 1], CHAR_DIGIT)
         && text[from - 1] != '\n')
    from--;
  return has_word (text, from, at);
}

/* ---- with a country's code ---- */

/* At the first digit.  A number that is written together ends there, whatever follows. */
static size_t
international (const char *text, size_t len, size_t at, unsigned least)
{
  struct number n = { .count = 0 };
  unsigned digits = 0, used = 0;

  if (!char_at (text, len, at, CHAR_DIGIT) || text[at] == '0')
    return at;
  take_groups (text, len, at, &n);
  while (used < n.count && digits < 10)
    digits += n.groups[used++];
  while (used < n.count && n.groups[0] < 10 && digits + n.groups[used] <= 13)
    digits += n.groups[used++];
  if (digits < least || !ends_well (text, len, n.ends[used - 1]))
    return at;
  return n.ends[used - 1];
}

/* ---- as they are written in a country ---- */

static bool
is_date (const struct number *n)
{
  const unsigned *g = n->groups;

  return n->count >= 3
         && ((g[0] <= 2 && g[1] <= 2 && g[2] == 4) || (g[0] == 4 && g[1] <= 2 && g[2] <= 2));
}

/* "415-555-0100", "(415) 555-0100", "1-415-555-0100": area and office begin with 2 to 9. */
static size_t
north_american (const char *text, size_t len, size_t at, const struct number *n)
{
  const unsigned skip = n->count > 3 && n->groups[0] == 1 && text[at] == '1' ? 1 : 0;
  const unsigned *g = n->groups + skip;
  size_t area, office;

  if (n->count < skip + 3 || g[0] != 3 || g[1] != 3 || g[2] != 4)
    return at;
  area = n->ends[skip] - 3;
  office = n->ends[skip + 1] - 3;
  if (text[area] < '2' || text[office] < '2')
    return at;
  if (n->count > skip + 3 && text[n->ends[skip + 2]] != ' ')
    return at;
  return ends_well (text, len, n->ends[skip + 2]) ? n->ends[skip + 2] : at;
}

/* "030 1234567", "0171-2345678", "01 42 68 53 00": 9 to 12 digits in all, and no date. */
static size_t
with_a_trunk_0 (const char *text, size_t len, size_t at, const struct number *n)
{
  if (text[at] != '0' || n->count < 2 || n->digits < 9 || n->digits > 12 || is_date (n)
      || n->groups[0] < 2 || n->groups[0] > 6 || n->groups[n->count - 1] < 2 || text[at + 1] == '0')
    return at;
  return ends_well (text, len, n->ends[n->count - 1]) ? n->ends[n->count - 1] : at;
}

static size_t
any_number (const char *text, size_t len, size_t at, const struct number *n, bool named)
{
  if (n->digits < 7 || n->digits < 2 * n->count || is_date (n) || n->groups[0] > DIGITS_MOST)
    return at;
  if (!named && !is_announced (text, at))
    return at;
  return ends_well (text, len, n->ends[n->count - 1]) ? n->ends[n->count - 1] : at;
}

static size_t
national (const char *text, size_t len, size_t at, bool named)
{
  struct number n = { .count = 0 };
  size_t end;

  take_groups (text, len, at, &n);
  if (n.count == 0)
    return at;
  end = north_american (text, len, at, &n);
  if (end == at)
    end = with_a_trunk_0 (text, len, at, &n);
  if (end == at)
    end = any_number (text, len, at, &n, named);
  return end;
}

size_t
pii_phone (const char *text, size_t len, size_t at, bool named)
{
  size_t digit = at, end;

  if (text[at] == '+') {
    digit += at + 1 < len && text[at + 1] == '(' ? 2 : 1;
    end = starts_well (text, at, "+") ? international (text, len, digit, 8) : digit;
    return end > digit ? end : at;
  }
  if (!starts_well (text, at, "_-.#/$+@"))
    return at;
  if (text[at] == '(')
    digit++;
  if (!char_at (text, len, digit, CHAR_DIGIT))
    return at;
  if (len - digit > 2 && memcmp (text + digit, "00", 2) == 0) {
    end = international (text, len, digit + 2, 10);
    return end > digit + 2 ? end : at;
  }
  end = national (text, len, digit, named);
  return end > digit ? end : at;
}

#include "front/realtime/number.h"

#include <string.h>
#include <strings.h>

struct span {
  const char *at, *end;
};

/* Behind a quoted name, and inside the angle brackets where there are some. */
static struct span
address_of (const char *header, size_t len)
{
  struct span s = { header, header + len };
  bool quoted = false;

  for (const char *p = header; p < s.end; p++)
    if (quoted && *p == '\\' && p + 1 < s.end)
      p++;
    else if (*p == '"')
      quoted = !quoted;
    else if (*p == '<' && !quoted) {
      const char *close = memchr (p, '>', (size_t) (s.end - p));
      return (struct span){ p + 1, close != NULL ? close : s.end };
    }
  while (s.at < s.end && (*s.at == ' ' || *s.at == '\t'))
    s.at++;
  return s;
}

/* Behind the scheme; false: it has none of ours. */
static bool
skip_scheme (struct span *s)
{
  static const char *const schemes[] = { "sips:", "sip:", "tel:" };

  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    const size_t len = strlen (schemes[i]);
    if ((size_t) (s->end - s->at) >= len && strncasecmp (s->at, schemes[i], len) == 0) {
      s->at += len;
      return true;
    }
  }
  return false;
}

static int
hex (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char) (c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The user, percent-decoded; false: too long, or it holds what no user does. */
static bool
decode_user (struct span s, char *out, size_t room)
{
  size_t len = 0;

  for (; s.at < s.end && *s.at != '@' && *s.at != ';' && *s.at != ' '; s.at++) {
    char c = *s.at;
    if (c == '%') {
      if (s.end - s.at < 3 || hex (s.at[1]) < 0 || hex (s.at[2]) < 0)
        return false;
      c = (char) (hex (s.at[1]) << 4 | hex (s.at[2]));
      s.at += 2;
    }
    if ((unsigned char) c <= ' ' || c == 0x7f || len == room)
      return false;
    out[len++] = c;
  }
  out[len] = '\0';
  return len != 0;
}

/* "+1-(415).555" is "+1415555"; what is no number stays what it is. */
static void
strip_marks (char *text)
{
  char *to = text;

  if (text[strspn (text, "+0123456789-.()")] != '\0')
    return;
  for (const char *from = text; *from != '\0'; from++)
    if ((*from >= '0' && *from <= '9') || (*from == '+' && from == text))
      *to++ = *from;
  *to = '\0';
}

bool
number_of_header (const char *header, size_t len, char number[NUMBER_MAX + 1])
{
  struct span s = address_of (header, len);

  if (!skip_scheme (&s) || !decode_user (s, number, NUMBER_MAX))
    return false;
  strip_marks (number);
  return *number != '\0';
}

bool
number_same (const char *a, const char *b)
{
  return strcmp (a + (*a == '+'), b + (*b == '+')) == 0;
}

bool
number_is_e164 (const char *text)
{
  const size_t digits = *text == '+' ? strspn (text + 1, "0123456789") : 0;

  return digits >= 2 && digits <= 15 && text[1] != '0' && text[1 + digits] == '\0';
}

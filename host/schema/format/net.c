#include "schema/format/kinds.h"

enum {
  HOSTNAME_MAX = 253, /* RFC 1035, 2.3.4: 255 with the length of the first label and of the root */
  LABEL_MAX = 63,
  LOCAL_PART_MAX = 64, /* RFC 5321, 4.5.3.1.1 */
  IPV4_MAX = 15,
  IPV6_GROUPS = 8
};

/* ---- host names ---- */

/* Behind the label at `p`, which is made of letters, digits and hyphens inside; NULL: it is none.
 */
static inline const char *
skip_label (const char *p, const char *end)
{
  const char *start = p;

  while (p < end && (format_char_is (*p, CHAR_ALNUM) || *p == '-'))
    p++;
  if (p == start || p - start > LABEL_MAX || *start == '-' || p[-1] == '-')
    return NULL;
  return p;
}

static inline bool
has_a_label_prefix (const char *label, size_t len)
{
  return len > 4 && label[2] == '-' && label[3] == '-' && (label[0] | 32) == 'x'
         && (label[1] | 32) == 'n';
}

/* Labels with dots between them.  `a_labels`: what "xn--" leads in is checked too. */
static inline bool
is_domain (const char *text, size_t len, bool a_labels)
{
  const char *p = text, *end = text + len;

  if (len > HOSTNAME_MAX)
    return false;
  for (;;) {
    const char *label = p;
    p = skip_label (label, end);
    if (p == NULL)
      return false;
    size_t label_len = (size_t) (p - label);
    if (a_labels && has_a_label_prefix (label, label_len) && !format_is_a_label (label, label_len))
      return false;
    if (p == end)
      return true;
    if (*p++ != '.')
      return false;
  }
}

bool
format_is_hostname (const char *text, size_t len)
{
  return is_domain (text, len, true);
}

/* ---- addresses ---- */

/* Behind a number of at most 255 without leading zeros; NULL: there is none. */
static inline const char *
skip_octet (const char *p, const char *end)
{
  const char *start = p;
  unsigned value = 0;

  for (; p < end && p - start < 3 && format_char_is (*p, CHAR_DIGIT); p++)
    value = value * 10 + (unsigned) (*p - '0');
  return p == start || value > 255 || (*start == '0' && p - start > 1) ? NULL : p;
}

bool
format_is_ipv4 (const char *text, size_t len)
{
  const char *p = text, *end = text + len;

  if (len > IPV4_MAX)
    return false;
  for (int dots = 0; (p = skip_octet (p, end)) != NULL; dots++) {
    if (dots == 3)
      return p == end;
    if (p == end || *p++ != '.')
      return false;
  }
  return false;
}

/* Groups of up to four hex digits; "::" once for those left out; the last two may be an IPv4
 * address.  No zone, no prefix length. */
bool
format_is_ipv6 (const char *text, size_t len)
{
  const char *p = text, *end = text + len;
  bool shortened = len >= 2 && p[0] == ':' && p[1] == ':';
  int groups = 0;

  if (shortened)
    p += 2;
  while (p < end) {
    const char *group = p;
    p = format_skip (p, end, CHAR_HEX);
    if (p < end && *p == '.') {
      groups += 2;
      if (!format_is_ipv4 (group, (size_t) (end - group)))
        return false;
      break;
    }
    if (p == group || p - group > 4 || ++groups > IPV6_GROUPS)
      return false;
    if (p == end)
      break;
    if (*p++ != ':' || p == end)
      return false;
    if (*p == ':') {
      if (shortened)
        return false;
      shortened = true;
      p++;
    }
  }
  return shortened ? groups < IPV6_GROUPS : groups == IPV6_GROUPS;
}

/* ---- email ---- */

/* Behind the quoted string whose first quote is at `p`; NULL: it is none. */
static const char *
skip_quoted (const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++) {
    if (*p == '\\')
      p++;
    if (p == end || *p < ' ' || *p > '~')
      return NULL;
  }
  return p < end ? p + 1 : NULL;
}

/* Behind atoms with dots between them; NULL: there are none. */
static const char *
skip_atoms (const char *p, const char *end)
{
  for (;;) {
    const char *atom = p;
    p = format_skip (atom, end, CHAR_ATEXT);
    if (p == atom)
      return NULL;
    if (p == end || *p != '.')
      return p;
    p++;
  }
}

static inline bool
has_ipv6_tag (const char *p, size_t len)
{
  return len > 5 && (p[0] | 32) == 'i' && (p[1] | 32) == 'p' && (p[2] | 32) == 'v' && p[3] == '6'
         && p[4] == ':';
}

/* address-literal, behind its "[".  Numbers have no leading zeros: the grammar lets them, but
 * readers differ in what they mean.  "IPv6" is the only tag that was ever registered. */
static bool
is_address_literal (const char *p, const char *end)
{
  size_t len;

  if (p == end || *--end != ']')
    return false;
  len = (size_t) (end - p);
  if (has_ipv6_tag (p, len))
    return format_is_ipv6 (p + 5, len - 5);
  return format_is_ipv4 (p, len);
}

bool
format_is_email (const char *text, size_t len)
{
  const char *p, *end = text + len;

  if (len == 0)
    return false;
  p = *text == '"' ? skip_quoted (text, end) : skip_atoms (text, end);
  if (p == NULL || p == end || *p != '@' || p - text > LOCAL_PART_MAX)
    return false;
  p++;
  if (p < end && *p == '[')
    return is_address_literal (p + 1, end);
  return is_domain (p, (size_t) (end - p), false);
}

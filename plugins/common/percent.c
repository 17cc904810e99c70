#include "percent.h"

#include <string.h>

static const char unreserved[] =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

static bool
is_in (char c, const char *set)
{
  return c != '\0' && strchr (set, c) != NULL;
}

static int
hex (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that is escaped here; -1: none. */
static int
escaped (const char *at, size_t left)
{
  if (left < 3 || at[0] != '%' || hex (at[1]) < 0 || hex (at[2]) < 0)
    return -1;
  return hex (at[1]) * 16 + hex (at[2]);
}

static bool
stays (const char *at, size_t left, enum percent how)
{
  if (is_in (*at, unreserved))
    return true;
  if (how == PERCENT_RESERVED)
    return is_in (*at, ":/?[]@!$'()*,;=") || escaped (at, left) >= 0;
  return how == PERCENT_PATH && (is_in (*at, "/:@!$&'()*+,;=") || escaped (at, left) >= 0);
}

void
percent_encode (struct text *out, const char *text, size_t len, enum percent how)
{
  for (size_t i = 0; i < len; i++)
    if (stays (text + i, len - i, how))
      text_add_len (out, text + i, 1);
    else if (how == PERCENT_FORM && text[i] == ' ')
      text_add (out, "+");
    else
      text_addf (out, "%%%02X", (unsigned char) text[i]);
}

void
percent_decode (struct text *out, const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    const int byte = escaped (text + i, len - i);
    const char c = byte >= 0 ? (char) byte : text[i];
    text_add_len (out, &c, 1);
    i += byte >= 0 ? 2 : 0;
  }
}

/* A segment that is one or two dots, parameters behind it cut off as some servers do. */
static bool
has_dots (const char *path, size_t len)
{
  for (size_t from = 0, i = 0; i <= len; i++) {
    size_t dots = 0;
    if (i < len && path[i] != '/' && path[i] != '\\')
      continue;
    while (from + dots < i && path[from + dots] == '.')
      dots++;
    if ((dots == 1 || dots == 2) && (from + dots == i || path[from + dots] == ';'))
      return true;
    from = i + 1;
  }
  return false;
}

bool
percent_hides_dots (const char *path, size_t len)
{
  CLEANUP_TEXT struct text now = { 0 };

  text_add_len (&now, path, len);
  for (;;) {
    CLEANUP_TEXT struct text next = { 0 };
    const size_t was = now.len;
    if (!text_ok (&now) || has_dots (text_get (&now), now.len))
      return true;
    percent_decode (&next, text_get (&now), now.len);
    text_clear (&now);
    text_add_len (&now, text_get (&next), next.len);
    if (now.len == was)
      return false;
  }
}

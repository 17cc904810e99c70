#include "names.h"

#include <string.h>

enum { NAME_BYTES = 64, ARGUMENT_BYTES = 56, MARK = 9 /* '_' and eight digits */ };

static bool
is_name_character (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-';
}

void
names_tool (struct text *out, const char *prefix, const char *text)
{
  uint32_t sum = 2166136261U; /* FNV-1a */

  text_add (out, prefix);
  for (const char *at = text; *at != '\0'; at++) {
    text_add_len (out, is_name_character (*at) ? at : "_", 1);
    sum = (sum ^ (unsigned char) *at) * 16777619U;
  }
  if (out->len <= NAME_BYTES)
    return;
  out->len = NAME_BYTES - MARK;
  text_addf (out, "_%08x", (unsigned) sum);
}

void
names_derive (struct text *out, const char *method, const char *path)
{
  for (; *method != '\0'; method++)
    text_addf (out, "%c", *method >= 'A' && *method <= 'Z' ? *method + ('a' - 'A') : *method);
  for (bool between = true; *path != '\0'; path++)
    if (is_name_character (*path)) {
      if (between)
        text_add (out, "_");
      between = false;
      text_add_len (out, path, 1);
    }
    else
      between = true;
}

void
names_argument (struct text *out, const char *name)
{
  const size_t len = strlen (name);

  for (size_t i = 0; i < len && out->len < ARGUMENT_BYTES; i++)
    text_add_len (out, is_name_character (name[i]) || name[i] == '.' ? name + i : "_", 1);
  while (out->len != 0 && out->data[out->len - 1] == '_' && name[len - 1] != '_')
    out->data[--out->len] = '\0';
  if (out->len == 0)
    text_add (out, "value");
}

#include <idn2.h>

#include "schema/format/kinds.h"

static inline char
lower (char c)
{
  return c >= 'A' && c <= 'Z' ? (char) (c | 32) : c;
}

/* libidn2 decodes the label, applies the rules of registration (disallowed characters, context,
 * combining marks, hyphens, direction), and compares with what it encodes to again. */
bool
format_is_a_label (const char *text, size_t len)
{
  char label[IDN2_LABEL_MAX_LENGTH + 1];
  uint8_t *registered = NULL;
  int status;

  if (len > IDN2_LABEL_MAX_LENGTH)
    return false;
  for (size_t i = 0; i < len; i++)
    label[i] = lower (text[i]);
  label[len] = '\0';
  status = idn2_register_u8 (NULL, (const uint8_t *) label, &registered, 0);
  idn2_free (registered);
  return status == IDN2_OK;
}

#include "number.h"

#include <string.h>

enum { DIGITS_MIN = 8, DIGITS_MAX = 15, NANP_DIGITS = 11 };

/* Numbering plan of North America: +1 NXX NXX XXXX, N is 2 to 9. */
static bool
is_nanp (const char *digits, size_t count)
{
  return count == NANP_DIGITS && digits[1] >= '2' && digits[4] >= '2';
}

enum number
number_read (const char *text, bool nanp, char e164[NUMBER_SIZE])
{
  char *digits = e164 + 1;
  size_t count = 0;

  text += strspn (text, " ");
  if (*text != '+')
    return NUMBER_NOT_UNDERSTOOD;
  *e164 = *text++;
  for (; *text != '\0'; text++) {
    if (*text >= '0' && *text <= '9') {
      if (count < DIGITS_MAX)
        digits[count] = *text;
      count++;
    }
    else if (strchr (" -.()", *text) == NULL)
      return NUMBER_NOT_UNDERSTOOD;
  }
  if (count == 0 || digits[0] == '0')
    return NUMBER_NOT_UNDERSTOOD;
  if (count < DIGITS_MIN || count > DIGITS_MAX
      || (nanp && digits[0] == '1' && !is_nanp (digits, count)))
    return NUMBER_INVALID;
  digits[count] = '\0';
  return NUMBER_GOOD;
}

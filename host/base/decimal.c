#include "base/decimal.h"

#include <stddef.h>
#include <string.h>

static size_t
count_digits (uint64_t value)
{
  size_t count = 1;

  for (uint64_t bound = 10; count < DECIMAL_MAX && value >= bound; bound *= 10)
    count++;
  return count;
}

/* Two digits a division. */
char *
decimal_put (char *at, uint64_t value)
{
  static const char pairs[] = "0001020304050607080910111213141516171819"
                              "2021222324252627282930313233343536373839"
                              "4041424344454647484950515253545556575859"
                              "6061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
  char *end = at + count_digits (value), *p = end;

  for (; value >= 10; value /= 100) {
    p -= 2;
    memcpy (p, pairs + value % 100 * 2, 2);
  }
  if (p != at)
    *at = (char) ('0' + value);
  return end;
}

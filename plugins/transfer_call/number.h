/* number.h - telephone numbers as people write them, in E.164. */
#ifndef TOOLHOST_PLUGINS_TRANSFER_CALL_NUMBER_H
#define TOOLHOST_PLUGINS_TRANSFER_CALL_NUMBER_H

#include <stdbool.h>

enum { NUMBER_SIZE = 17 }; /* "+", 15 digits, NUL */

enum number {
  NUMBER_GOOD,
  NUMBER_INVALID,       /* one, but nobody has it */
  NUMBER_NOT_UNDERSTOOD /* none, or of which country is not said */
};

/* "+", the country and the rest in digits, with blanks, hyphens, dots and parentheses where people
 * put them.  It needs 8 to 15 digits; `nanp`: of "+1" ten more, area code and exchange of which
 * begin with 2 to 9.  Good: `e164` has it without what stood between the digits. */
enum number number_read (const char *text, bool nanp, char e164[NUMBER_SIZE]);

#endif

/* number.h - telephone numbers in headers of SIP.  Pure functions. */
#ifndef TOOLHOST_FRONT_REALTIME_NUMBER_H
#define TOOLHOST_FRONT_REALTIME_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_MAX = 64 };

/* The user of the address in a From or To header, "+14155550100" of
 * "Acme" <sip:+1-415-555-0100@example.com;user=phone>;tag=1: of numbers the digits with a '+'
 * before them if one was there, of other users the text.  False: there is none, or it is longer. */
bool number_of_header (const char *header, size_t len, char number[NUMBER_MAX + 1]);

/* The same number, whether or not a '+' was written? */
bool number_same (const char *a, const char *b);

/* E.164: '+', and 2 to 15 digits of which the first is no 0. */
bool number_is_e164 (const char *text);

#endif

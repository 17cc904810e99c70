/* pii.h - what personal data looks like.  Pure functions over a text; for pii*.c alone.
 *
 * Each gives the end of what begins at `at`, or `at` when nothing does. */
#ifndef TOOLHOST_GUARD_PII_H
#define TOOLHOST_GUARD_PII_H

#include <stdbool.h>
#include <stddef.h>

/* The number of a payment card: 14 to 19 digits of a known issuer, written together or in groups,
 * with a right check digit. */
size_t pii_card (const char *text, size_t len, size_t at);

/* An IBAN: of a known country, of that country's length, written together or in groups, with right
 * check digits. */
size_t pii_iban (const char *text, size_t len, size_t at);

/* A telephone number: with its country's code, or as it is written in North America, or with the 0
 * before an area code; or any 7 to 15 digits when the words before them, or the name of the member
 * (`named`), say that a telephone number follows. */
size_t pii_phone (const char *text, size_t len, size_t at, bool named);

/* Is a member called so a telephone number? "phone", "mobile_number", "customerTel" */
bool pii_names_phone (const char *name, size_t len);

/* An email address around the "@" at `at`; false: there is none. */
bool pii_email (const char *text, size_t len, size_t at, size_t *start, size_t *end);

#endif

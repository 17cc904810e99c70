/* decimal.h - numbers as text. */
#ifndef TOOLHOST_BASE_DECIMAL_H
#define TOOLHOST_BASE_DECIMAL_H

#include <stdint.h>

enum { DECIMAL_MAX = 20 /* digits of UINT64_MAX */ };

/* Write the digits at `at`, where there is room for DECIMAL_MAX; returns where they end. */
char *decimal_put (char *at, uint64_t value);

#endif

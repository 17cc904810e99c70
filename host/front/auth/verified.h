/* verified.h - tokens whose signature was found good, by their hash: a client shows the same token
 * with every request, and looking it up costs a hundredth of checking it again.
 *
 * A bounded table: a token that falls on the place of another takes it.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AUTH_VERIFIED_H
#define TOOLHOST_FRONT_AUTH_VERIFIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who showed a token. */
struct caller {
  const char *principal, *tenant;
  unsigned roles;
  int64_t expires; /* seconds since 1970 */
};

enum { VERIFIED_MAX = 1024, VERIFIED_HASH = 32 };

struct verified_token;
struct verified {
  struct verified_token *slots; /* VERIFIED_MAX of them, or NULL */
};

/* Who showed this very token before; NULL: nobody, or it has expired.  Good until the next call. */
const struct caller *verified_find (const struct verified *verified, const char *token, size_t len,
                                    int64_t now);
/* Remember; texts are copied. */
void verified_add (struct verified *verified, const char *token, size_t len,
                   const struct caller *caller);
/* Forget all. */
void verified_clear (struct verified *verified);

#endif

/* injection.h - sentences that tell a model to do something else than it was told.  For
 * injection*.c alone.  Pure functions over a text. */
#ifndef TOOLHOST_GUARD_INJECTION_H
#define TOOLHOST_GUARD_INJECTION_H

#include <stddef.h>

/* What words mean, by their text; built once, then immutable. */
struct phrases;

struct phrases *phrases_new (void);
void phrases_free (struct phrases *phrases);

typedef void phrases_found_fn (void *ctx, size_t start, size_t end);
/* One walk over the text. */
void phrases_find (const struct phrases *phrases, const char *text, size_t len,
                   phrases_found_fn *found, void *ctx);

#endif

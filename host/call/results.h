/* results.h - results that were too large to be shown whole, kept for a while so that their callers
 * can read the rest: a table bounded in number, bytes and time.
 *
 * The bytes are in one memory file of the kernel's (memfd) and not on the heap: each has a range of
 * it for itself, which is given back when the result is forgotten.  A result is known by an id that
 * nobody can guess, and is given only to the principal, and to the session, whose call it was of.
 *
 * Loop thread only, but for results_write and results_discard. */
#ifndef TOOLHOST_CALL_RESULTS_H
#define TOOLHOST_CALL_RESULTS_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/offload.h"

#define RESULTS_URI "toolhost://results/"
enum { RESULT_ID_LEN = 32, RESULT_MIME_MAX = 127 };

struct results_settings {
  size_t shown;       /* bytes of a result that the model is shown */
  double ttl;         /* seconds that one is kept */
  size_t count_max;   /* how many */
  uint64_t bytes_max; /* of all together */
};

struct results;

/* Where something stands in the file. */
struct result_place {
  uint64_t offset, len;
};

/* One that is kept, or is to be. */
struct result_kept {
  char id[RESULT_ID_LEN + 1];
  char mime[RESULT_MIME_MAX + 1];
  bool text; /* UTF-8; else any bytes */
  struct result_place place;
};

/* `offload`, which may be NULL, is for giving back much memory; it ends before the results do.
 * NULL: the kernel gives no such file. */
struct results *results_new (struct ev_loop *loop, struct offload *offload,
                             const struct results_settings *settings);
void results_free (struct results *results);
/* Any thread. */
const struct results_settings *results_settings (const struct results *results);

/* Any thread: write bytes, as not kept yet.  False: there is no memory for them. */
bool results_write (struct results *results, const void *data, size_t len,
                    struct result_place *place);
/* Any thread: give back what was written and is not kept. */
void results_discard (struct results *results, const struct result_place *place);
/* Any thread: an id of 128 random bits. */
void results_make_id (char id[RESULT_ID_LEN + 1]);

/* Keep what was written, for this principal and session (NULL: none), from `now` on.  What is over
 * the bounds is forgotten: the oldest of who has the most bytes. */
void results_keep (struct results *results, const struct result_kept *kept, const char *principal,
                   const char *session, double now);
/* One that this caller may read; NULL: there is none.  Good until the loop's next turn. */
const struct result_kept *results_find (struct results *results, const char *id, size_t id_len,
                                        const char *principal, const char *session, double now);
/* Append bytes of it, which are there.  Any thread, for a place that stays kept meanwhile. */
void results_read (const struct results *results, const struct result_place *place, uint64_t offset,
                   size_t len, struct buf *out);

/* Forget what is over at this time (of ev_now). */
void results_expire (struct results *results, double now);

size_t results_count (const struct results *results);
uint64_t results_bytes (const struct results *results);

#endif

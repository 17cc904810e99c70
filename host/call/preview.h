/* preview.h - what the model is shown of a large result: of each part that is too large its first
 * bytes, a sentence that says how much there is, and a link under which the whole part is kept
 * (results.h).
 *
 * Parts that fit stay as they are.  What is kept is a part's bytes as its tool gave them: a text,
 * or the bytes that stood in Base64.  Where many small parts are too much together, those that
 * don't fit are kept as one JSON array.  Any thread. */
#ifndef TOOLHOST_CALL_PREVIEW_H
#define TOOLHOST_CALL_PREVIEW_H

#include "base/buf.h"
#include "call/results.h"

enum { PREVIEW_LINKS_MAX = 16 };

struct preview {
  struct results *results;
  struct buf content;   /* a JSON array, in the place of the tool's */
  struct buf links;     /* resource_link blocks with commas between them; empty: nothing is kept */
  bool hides_structure; /* the structured result is not shown, but linked */
  struct result_kept kept[PREVIEW_LINKS_MAX];
  size_t count;
};

/* What is known of the result; all JSON has passed the strict reader. */
struct preview_of {
  const char *content; /* an array of content blocks */
  size_t content_len;
  const char *structured; /* or NULL */
  size_t structured_len;
  bool promised; /* its tool declares it: clients take the call for broken without it */
};

/* NULL: all of it is shown as it is. */
struct preview *preview_new (struct results *results, const struct preview_of *of);
/* Keep what it links to from now on, for this caller. */
void preview_keep (struct preview *preview, const char *principal, const char *session, double now);
/* What was not kept is given back. */
void preview_free (struct preview *preview);
static inline void
preview_cleanup (struct preview **preview)
{
  preview_free (*preview);
}
#define CLEANUP_PREVIEW __attribute__ ((cleanup (preview_cleanup)))

/* The longest begin of a text of at most `max` bytes that ends between two characters. */
size_t preview_cut (const char *text, size_t len, size_t max);
/* A number with commas between its thousands, into a room of PREVIEW_NUMBER bytes. */
enum { PREVIEW_NUMBER = 27 };
const char *preview_number (uint64_t number, char room[PREVIEW_NUMBER]);

#endif

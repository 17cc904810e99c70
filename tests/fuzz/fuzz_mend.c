/* Any bytes, almost JSON: what is mended is JSON and is left alone by a second mending; what was
 * JSON already keeps its meaning. */
#include "fuzz.h"

#include "base/json_mend.h"

static const struct json_limits limits = {
  .depth = 60, .nodes = 3000, .members = 200, .number_len = 64
};

static void
check_unchanged (const struct buf *mended, const char *text, size_t len, struct arena *arena)
{
  struct json_tape before, after;

  HOLDS (json_read (&after, mended->data, mended->len, &limits, arena));
  if (json_read (&before, text, len, &limits, arena))
    HOLDS (json_same (&before, json_root (&before), &after, json_root (&after)));
}

static void
check_mending (const struct piece *text, bool close_cut_off)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_BUF struct buf again = { 0 };
  CLEANUP_BUF struct buf what = { 0 };
  struct json_tape tape;

  if (json_mend (text->text, text->len, close_cut_off, &limits, &out, &what) != JSON_MENDED) {
    HOLDS (!json_read (&tape, text->text, text->len, &limits, &arena));
    HOLDS (out.len == 0 && what.len == 0);
    return;
  }
  check_unchanged (&out, text->text, text->len, &arena);
  HOLDS (is_harmless (buf_cstr (&what), 4096));
  HOLDS (json_mend (out.data, out.len, close_cut_off, &limits, &again, NULL) == JSON_MENDED);
  check_unchanged (&again, out.data, out.len, &arena);
}

/* What is mended without closing anything is the same when something may be closed. */
static void
check_modes (const struct piece *text)
{
  CLEANUP_BUF struct buf whole = { 0 };
  CLEANUP_BUF struct buf closed = { 0 };

  if (json_mend (text->text, text->len, false, &limits, &whole, NULL) != JSON_MENDED)
    return;
  HOLDS (json_mend (text->text, text->len, true, &limits, &closed, NULL) == JSON_MENDED);
  HOLDS (whole.len == closed.len && memcmp (whole.data, closed.data, whole.len) == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = piece_of (data, size);

  check_mending (&text, false);
  check_mending (&text, true);
  check_modes (&text);
  return 0;
}

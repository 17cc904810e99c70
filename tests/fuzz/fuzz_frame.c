/* A datagram of a worker: its frames lie one behind the other within it, and put together again
 * they are read the same. */
#include "fuzz.h"

#include "base/frame.h"

static void
check_again (const struct frame_head *head, const char *payload, size_t len)
{
  char *at = xmalloc (FRAME_MAX + FRAME_ALIGN);
  size_t half = len / 2;
  struct frame_head back;
  const char *text;
  size_t text_len;
  size_t size = frame_put (at, FRAME_MAX + FRAME_ALIGN, (enum frame_kind) head->kind, head->flags,
                           head->call, payload, half, payload + half, len - half, NULL, 0);

  HOLDS (size == frame_padded (head->size));
  HOLDS (frame_next (at, size, &back, &text, &text_len) == (long) size);
  HOLDS (memcmp (&back, head, sizeof back) == 0);
  HOLDS (text_len == len && memcmp (text, payload, len) == 0);
  free (at);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece datagram = piece_of (data, size);
  const char *at = datagram.text;
  const char *end = at + size;
  struct frame_head head;
  const char *payload;
  size_t len;

  for (long step; (step = frame_next (at, (size_t) (end - at), &head, &payload, &len)) > 0;
       at += step) {
    HOLDS (step % FRAME_ALIGN == 0 && step <= end - at);
    HOLDS (payload >= at && len <= (size_t) (at + step - payload));
    check_again (&head, payload, len);
  }
  return 0;
}

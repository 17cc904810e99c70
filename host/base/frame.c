#include "base/frame.h"

#include <string.h>

size_t
frame_put (char *at, size_t room, enum frame_kind kind, uint16_t flags, uint64_t call,
           const void *a, size_t a_len, const void *b, size_t b_len, const void *c, size_t c_len)
{
  size_t size = sizeof (struct frame_head) + a_len + b_len + c_len;
  size_t padded = frame_padded (size);
  struct frame_head head = {
    .size = (uint32_t) size, .kind = (uint16_t) kind, .flags = flags, .call = call
  };
  char *p = at;

  if (padded > room)
    return 0;
  memcpy (p, &head, sizeof head);
  p += sizeof head;
  if (a_len != 0)
    p = (char *) memcpy (p, a, a_len) + a_len;
  if (b_len != 0)
    p = (char *) memcpy (p, b, b_len) + b_len;
  if (c_len != 0)
    p = (char *) memcpy (p, c, c_len) + c_len;
  memset (p, 0, padded - size);
  return padded;
}

long
frame_next (const char *at, size_t left, struct frame_head *head, const char **payload,
            size_t *payload_len)
{
  if (left == 0)
    return 0;
  if (left < sizeof *head)
    return -1;
  memcpy (head, at, sizeof *head);
  if (head->size < sizeof *head || head->size > FRAME_MAX || frame_padded (head->size) > left
      || head->kind == 0 || head->kind >= FRAME_KINDS)
    return -1;
  *payload = at + sizeof *head;
  *payload_len = head->size - sizeof *head;
  return (long) frame_padded (head->size);
}

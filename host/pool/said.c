#include "pool/said.h"

#include <string.h>

#include "base/frame.h"
#include "base/json_tape.h"

/* Members that only the daemon sets. */
static const char *const ours[] = { "ts",   "level",     "event",   "plugin", "tool",
                                    "call", "tenant_id", "session", "tenant", NULL };

enum log_level
said_level (int level)
{
  /* TOOLHOST_DEBUG 1000 ... TOOLHOST_ERROR 5000, unknown values between them counted down */
  int index = level / 1000 - 1;

  return index < LOG_DEBUG ? LOG_DEBUG : index > LOG_ERROR ? LOG_ERROR : (enum log_level) index;
}

static bool
is_ours (const struct json_tape *tape, const struct json_node *name)
{
  for (const char *const *o = ours; *o != NULL; o++)
    if (json_equals (tape, name, *o))
      return true;
  return false;
}

/* A member's name with its quotes, as it stands in the text. */
static void
append_member (const struct json_tape *tape, const struct json_node *name,
               const struct json_node *value, struct buf *out)
{
  size_t len;
  const char *raw = json_raw (tape, name, &len);

  if (out->len > 1)
    buf_putc (out, ',');
  buf_append (out, raw, len);
  buf_putc (out, ':');
  raw = json_raw (tape, value, &len);
  buf_append (out, raw, len);
}

/* Strings hold no raw control characters: those that are there stand between values. */
static void
on_one_line (struct buf *members)
{
  for (size_t i = 0; i < members->len; i++)
    if (members->data[i] == '\n' || members->data[i] == '\r' || members->data[i] == '\t')
      members->data[i] = ' ';
}

bool
said_event (struct log *log, int level, const char *text, size_t len, size_t name_len,
            const struct buf *known)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf members = { 0 };
  char name[FRAME_EVENT_NAME_MAX + 1];
  struct json_tape tape;
  const struct json_node *root;

  if (name_len > len || !frame_event_name (text, name_len)
      || !json_read (&tape, text + name_len, len - name_len, &json_default_limits, &arena)
      || !json_is (json_root (&tape), JSON_OBJECT))
    return false;
  memcpy (name, text, name_len);
  name[name_len] = '\0';
  buf_append (&members, known->data, known->len - 1); /* without its last brace */
  root = json_root (&tape);
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (json_next (n)))
    if (!is_ours (&tape, n))
      append_member (&tape, n, json_next (n), &members);
  buf_putc (&members, '}');
  on_one_line (&members);
  log_object (log, said_level (level), name, members.data, members.len);
  return true;
}

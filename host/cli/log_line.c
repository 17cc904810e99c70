#include "cli/log_line.h"

#include <string.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/out.h"

static const struct {
  const char *name, *colour;
} levels[] = {
  { "debug", "2" }, { "info", "32" }, { "notice", "36" }, { "warning", "33" }, { "error", "31" },
};

/* One line, and nothing that acts on a terminal. */
static void
put_safe (struct buf *out, const char *text, size_t len)
{
  const size_t start = out->len;

  text_neutralise (out, text, len);
  for (size_t i = start; i < out->len; i++)
    if (out->data[i] == '\n' || out->data[i] == '\t')
      out->data[i] = ' ';
}

static void
put_level (struct buf *out, const char *level, bool colourful)
{
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (strcmp (level, levels[i].name) == 0 && colourful) {
      buf_printf (out, "\033[%sm%-7s\033[0m ", levels[i].colour, level);
      return;
    }
  put_safe (out, level, strlen (level));
  for (size_t n = strlen (level); n < 8; n++)
    buf_putc (out, ' ');
}

/* Text that can be told from what stands around it needs no quotes. */
static bool
is_plain (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (text[i] == ' ' || text[i] == '"' || text[i] == '\\' || text[i] == '\0')
      return false;
  return len != 0;
}

static void
put_member (struct buf *out, const struct json_tape *tape, const struct json_node *name,
            struct arena *arena)
{
  const struct json_node *value = json_next (name);
  const char *text;
  size_t len;

  text = json_string (tape, name, arena, &len);
  buf_putc (out, ' ');
  put_safe (out, text, len);
  buf_putc (out, '=');
  if (json_is (value, JSON_STRING)) {
    const char *plain = json_string (tape, value, arena, &len);
    if (is_plain (plain, len)) {
      put_safe (out, plain, len);
      return;
    }
  }
  text = json_raw (tape, value, &len);
  put_safe (out, text, len);
}

static const char *
text_of (const struct json_tape *tape, const char *member, struct arena *arena)
{
  const char *text = json_cstring (tape, json_member (tape, json_root (tape), member), arena);

  return text != NULL ? text : "-";
}

void
log_line_show (struct buf *out, const char *json, size_t len, bool colourful)
{
  static const char *const heads[] = { "ts", "level", "event" };
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root;
  struct json_tape tape;
  const char *text;

  if (!json_read (&tape, json, len, &answer_limits, &arena)
      || !json_is (root = json_root (&tape), JSON_OBJECT)) {
    put_safe (out, json, len);
    buf_putc (out, '\n');
    return;
  }
  text = text_of (&tape, "ts", &arena);
  put_safe (out, text, strlen (text));
  buf_putc (out, ' ');
  put_level (out, text_of (&tape, "level", &arena), colourful);
  text = text_of (&tape, "event", &arena);
  put_safe (out, text, strlen (text));
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (json_next (n))) {
    bool head = false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
      head |= json_equals (&tape, n, heads[i]);
    if (!head)
      put_member (out, &tape, n, &arena);
  }
  buf_putc (out, '\n');
}

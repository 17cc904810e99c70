#include "cli/indented.h"

#include <string.h>

enum { WIDTH = 100 };

/* On one line, with a blank after ':' and ','. */
static void
write_flat (const struct json_tape *tape, const struct json_node *node, struct buf *out)
{
  const bool is_object = json_is (node, JSON_OBJECT);
  const char *raw;
  size_t len;

  if (!is_object && !json_is (node, JSON_ARRAY)) {
    raw = json_raw (tape, node, &len);
    buf_append (out, raw, len);
    return;
  }
  buf_puts (out, is_object ? "{" : "[");
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    buf_puts (out, n != json_first (node) ? ", " : is_object ? " " : "");
    write_flat (tape, n, out);
    if (is_object) {
      buf_puts (out, ": ");
      n = json_next (n);
      write_flat (tape, n, out);
    }
  }
  buf_puts (out, !is_object ? "]" : json_first (node) != json_end (node) ? " }" : "}");
}

static void
new_line (unsigned depth, struct buf *out)
{
  buf_printf (out, "\n%*s", (int) (2 * depth), "");
}

void
indented_write (const struct json_tape *tape, const struct json_node *node, unsigned depth,
                struct buf *out)
{
  const bool is_object = json_is (node, JSON_OBJECT);
  const size_t before = out->len;
  const char *line = out->len != 0 ? memrchr (out->data, '\n', out->len) : NULL;
  const size_t at = line != NULL ? out->len - (size_t) (line + 1 - out->data) : out->len;

  write_flat (tape, node, out);
  if (at + (out->len - before) <= WIDTH || (!is_object && !json_is (node, JSON_ARRAY)))
    return;
  out->len = before;
  buf_puts (out, is_object ? "{" : "[");
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    buf_puts (out, n != json_first (node) ? "," : "");
    new_line (depth + 1, out);
    if (is_object) {
      write_flat (tape, n, out);
      buf_puts (out, ": ");
      n = json_next (n);
    }
    indented_write (tape, n, depth + 1, out);
  }
  new_line (depth, out);
  buf_puts (out, is_object ? "}" : "]");
}

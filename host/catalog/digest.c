#include "catalog/digest.h"

#include "base/json_canonical.h"
#include "base/json_tape.h"

void
digest_of_tool (const struct buf *definition, const char *plugin_hex, char hex[SHA256_HEX])
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf canonical = { 0 };
  struct hash *hash = hash_new ();
  struct json_tape tape;

  /* It was read before; where it can't be, the text itself stands for it. */
  if (json_read (&tape, definition->data, definition->len, &json_default_limits, &arena))
    json_canonical (&tape, json_root (&tape), &canonical);
  else
    buf_append (&canonical, definition->data, definition->len);
  buf_putc (&canonical, '\n');
  buf_puts (&canonical, plugin_hex);
  hash_add (hash, canonical.data, canonical.len);
  hash_end (hash, hex);
}

#include "watch/redact.h"

#include "base/json_tape.h"
#include "base/json_write.h"

enum { DEPTH = 4, NAME_MAX_SHOWN = 64 };

struct redaction {
  const struct json_tape *tape;
  struct json_writer w;
  size_t end; /* of the output, about */
};

static bool
is_full (const struct redaction *r)
{
  return r->w.out->len >= r->end;
}

/* A model may write anything as a name, too. */
static bool
is_name (const char *raw, size_t len)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

  for (size_t i = 0; i < len; i++)
    if (strchr (plain, raw[i]) == NULL || raw[i] == '\0')
      return false;
  return len != 0 && len <= NAME_MAX_SHOWN;
}

static void
put_name (struct redaction *r, const struct json_node *name)
{
  size_t len;
  const char *raw = json_raw (r->tape, name, &len);

  if (is_name (raw + 1, len - 2)) /* without the quotes */
    jsonw_plain_name (&r->w, raw + 1, len - 2);
  else
    jsonw_name (&r->w, "<name>");
}

static void put_value (struct redaction *r, const struct json_node *node, unsigned depth);

static void
put_object (struct redaction *r, const struct json_node *object, unsigned depth)
{
  jsonw_object (&r->w);
  for (const struct json_node *name = json_first (object); name != json_end (object);
       name = json_next (json_next (name))) {
    if (is_full (r)) {
      jsonw_name (&r->w, "<more>");
      jsonw_null (&r->w);
      break;
    }
    put_name (r, name);
    put_value (r, json_next (name), depth);
  }
  jsonw_end (&r->w);
}

static void
put_array (struct redaction *r, const struct json_node *array, unsigned depth)
{
  jsonw_array (&r->w);
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n)) {
    if (is_full (r)) {
      jsonw_string (&r->w, "<more>");
      break;
    }
    put_value (r, n, depth);
  }
  jsonw_end (&r->w);
}

static void
put_value (struct redaction *r, const struct json_node *node, unsigned depth)
{
  if (json_is (node, JSON_OBJECT) && depth != 0)
    put_object (r, node, depth - 1);
  else if (json_is (node, JSON_ARRAY) && depth != 0)
    put_array (r, node, depth - 1);
  else if (json_is (node, JSON_STRING))
    jsonw_stringf (&r->w, "<string of %u>", (unsigned) node->len);
  else if (json_is (node, JSON_NUMBER))
    jsonw_string (&r->w, "<number>");
  else if (json_is (node, JSON_NULL))
    jsonw_null (&r->w);
  else if (json_is (node, JSON_OBJECT))
    jsonw_string (&r->w, "<object>");
  else if (json_is (node, JSON_ARRAY))
    jsonw_string (&r->w, "<array>");
  else
    jsonw_string (&r->w, "<boolean>");
}

void
redact_json (const char *text, size_t len, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct redaction r = { .tape = &tape, .w = { .out = out }, .end = out->len + REDACTED_MAX };

  if (len == 0)
    buf_puts (out, "{}");
  else if (json_read (&tape, text, len, &json_default_limits, &arena))
    put_value (&r, json_root (&tape), DEPTH);
  else
    jsonw_stringf (&r.w, "<no JSON, %zu bytes>", len);
}

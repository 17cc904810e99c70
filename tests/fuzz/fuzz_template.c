/* A URI template, NUL, a URI: what is found is a JSON object of strings that are variables of the
 * template, and each stands in the URI when its percent-encoding is undone. */
#include "fuzz.h"

#include "base/uri_template.h"

static void
check_found (const struct uri_template *template, const struct buf *found)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  HOLDS (json_read (&tape, found->data, found->len, &json_default_limits, &arena));
  HOLDS (json_is (json_root (&tape), JSON_OBJECT));
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (json_next (n))) {
    size_t len;
    const char *name = json_string (&tape, n, &arena, &len);
    HOLDS (uri_template_has (template, name, len));
    HOLDS (json_is (json_next (n), JSON_STRING));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece text = { 0 };
  CLEANUP_PIECE struct piece uri = { 0 };
  CLEANUP_BUF struct buf found = { 0 };
  struct error err = { { 0 } };
  struct uri_template *template;

  split (data, size, &text, &uri);
  if (!utf8_valid (text.text, text.len) || !utf8_valid (uri.text, uri.len))
    return 0;
  template = uri_template_new (text.text, text.len, &err);
  HOLDS ((template == NULL) == (err.text[0] != '\0'));
  if (template != NULL && uri_template_match (template, uri.text, uri.len, &found))
    check_found (template, &found);
  uri_template_free (template);
  return 0;
}

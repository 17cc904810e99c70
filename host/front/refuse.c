#include "front/refuse.h"

#include "base/json_write.h"

void
front_refuse_at (struct http_exchange *x, int status, const char *code, const struct error *err)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  const char *colon = strstr (err->text, ": ");
  const size_t pointer = colon != NULL ? (size_t) (colon - err->text) : 0;

  jsonw_object (&w);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (&w, "code", code);
  jsonw_name_string (&w, "message", colon == err->text ? err->text + 2 : err->text);
  jsonw_name (&w, "path");
  jsonw_string_len (&w, err->text, pointer);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, status, NULL, &out);
}

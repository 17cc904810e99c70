/* The URL of an endpoint for a call: whatever values are put in, the server stays, and the path has
 * the parts that were written. */
#include <string.h>

#include "../common/percent.h"

#include "endpoint.h"

size_t
endpoint_server_length (const char *text, size_t len)
{
  size_t scheme = strncmp (text, "https://", 8) == 0  ? 8
                  : strncmp (text, "http://", 7) == 0 ? 7
                                                      : 0;
  size_t n = scheme;

  while (scheme != 0 && n < len && strchr ("/?#\\", text[n]) == NULL)
    n++;
  return n > scheme && memchr (text, '@', n) == NULL ? n : 0;
}

const char *
endpoint_literal_head (const struct expr *url, size_t *len)
{
  if (url->kind == EXPR_PIECES && url->pieces[0].text != NULL) {
    *len = url->pieces[0].len;
    return url->pieces[0].text;
  }
  *len = url->kind == EXPR_CONSTANT ? url->source->count : 0;
  return url->source->text;
}

/* No part of the path is empty or leads up where a value stands in it: the part that ends here. */
static bool
is_good_part (const struct text *url, size_t from)
{
  const size_t len = url->len - from;
  const char *part = text_get (url) + from;

  return len != 0 && !(len <= 2 && strspn (part, ".") >= len);
}

struct url {
  struct text *out;
  size_t server, part; /* where the part of the path begins that is being written */
  bool query, filled;  /* a value stands in that part */
  bool good;
};

static void
end_part (struct url *u)
{
  if (u->filled && !is_good_part (u->out, u->part))
    u->good = false;
  u->filled = false;
}

static void
add_literal (struct url *u, const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    const char c = text[i];
    if (!u->query && u->out->len >= u->server && (c == '/' || c == '?')) {
      end_part (u);
      u->query = c == '?';
      u->part = u->out->len + 1;
    }
    text_add_len (u->out, &c, 1);
  }
}

static void
add_value (struct url *u, const struct value *value)
{
  CLEANUP_TEXT struct text text = { 0 };

  expr_embed (&text, value);
  percent_encode (u->out, text_get (&text), text.len, PERCENT_ALL);
  u->filled |= !u->query;
}

bool
endpoint_url (const struct endpoint *endpoint, const struct lookup *lookup, struct text *url,
              const char **why)
{
  size_t len;
  const char *head = endpoint_literal_head (&endpoint->url, &len);
  struct url u = { .out = url, .server = endpoint_server_length (head, len), .good = true };

  u.part = u.server;
  if (endpoint->url.kind == EXPR_CONSTANT)
    text_add_len (url, head, len);
  for (size_t i = 0; endpoint->url.kind == EXPR_PIECES && i < endpoint->url.count; i++) {
    const struct expr_piece *piece = &endpoint->url.pieces[i];
    if (piece->text != NULL)
      add_literal (&u, piece->text, piece->len);
    else
      add_value (&u, lookup->find (lookup->ctx, &piece->path));
  }
  end_part (&u);
  *why = !u.good              ? "a value in the path of the URL is missing, or is \".\" or \"..\""
         : url->len > URL_MAX ? "the URL is too long"
                              : NULL;
  return *why == NULL;
}

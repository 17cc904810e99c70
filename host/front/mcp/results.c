#include "front/mcp/results.h"

#include <stdio.h>

#include "call/preview.h"
#include "call/results.h"
#include "front/mcp/reply.h"

enum { PAGE_MAX = 1 << 20, CHARACTER = 4 /* bytes of the longest */ };

/* A page, as its URI asks for it. */
struct page {
  struct slice id;
  uint64_t offset, limit;
};

/* A page, as it is given. */
struct given {
  struct buf bytes;
  size_t start, len; /* of it in the bytes */
  uint64_t offset;
};

bool
mcp_results_is (struct slice uri)
{
  size_t len = sizeof RESULTS_URI - 1;

  return uri.len >= len && memcmp (uri.data, RESULTS_URI, len) == 0;
}

static bool
read_number (struct slice s, uint64_t *number)
{
  *number = 0;
  for (size_t i = 0; i < s.len; i++) {
    if (s.data[i] < '0' || s.data[i] > '9')
      return false;
    *number = *number * 10 + (uint64_t) (s.data[i] - '0');
  }
  return s.len != 0 && s.len <= 15;
}

static bool
read_parameter (struct slice parameter, struct page *page)
{
  static const char offset[] = "offset=", limit[] = "limit=";
  struct slice value = parameter;
  uint64_t *into = NULL;

  if (parameter.len > sizeof offset - 1 && memcmp (parameter.data, offset, sizeof offset - 1) == 0)
    into = &page->offset;
  else if (parameter.len > sizeof limit - 1
           && memcmp (parameter.data, limit, sizeof limit - 1) == 0)
    into = &page->limit;
  if (into == NULL)
    return false;
  value.data = memchr (parameter.data, '=', parameter.len);
  value.data++;
  value.len = parameter.len - (size_t) (value.data - parameter.data);
  return read_number (value, into);
}

static bool
read_uri (struct slice uri, struct page *page)
{
  const char *at = uri.data + sizeof RESULTS_URI - 1, *end = uri.data + uri.len;
  const char *query = memchr (at, '?', (size_t) (end - at));

  page->id = (struct slice){ at, (size_t) ((query != NULL ? query : end) - at) };
  while (query != NULL) {
    const char *next;
    query++;
    next = memchr (query, '&', (size_t) (end - query));
    if (!read_parameter ((struct slice){ query, (size_t) ((next != NULL ? next : end) - query) },
                         page))
      return false;
    query = next;
  }
  return page->limit != 0;
}

static bool
is_inside (char c)
{
  return ((unsigned char) c & 0xc0) == 0x80;
}

/* A text begins and ends between characters: what is asked for in the middle of one begins with it,
 * and a page has one at least. */
static void
align (struct given *g)
{
  const char *text = g->bytes.data;
  size_t len = g->bytes.len, wanted = g->len;

  while (g->start != 0 && g->start < len && is_inside (text[g->start])) {
    g->start--;
    g->offset--;
  }
  g->len = preview_cut (text + g->start, len - g->start, wanted);
  if (g->len == 0 && g->start < len)
    for (g->len = 1; g->start + g->len < len && is_inside (text[g->start + g->len]);)
      g->len++;
}

static void
take (const struct results *results, const struct result_kept *kept, const struct page *page,
      struct given *g)
{
  uint64_t before = kept->text ? (page->offset < CHARACTER ? page->offset : CHARACTER) : 0;
  uint64_t left = kept->place.len - page->offset;
  uint64_t len = left < page->limit ? left : page->limit;
  uint64_t behind = kept->text ? (left - len < CHARACTER ? left - len : CHARACTER) : 0;

  *g = (struct given){ .start = (size_t) before, .len = (size_t) len, .offset = page->offset };
  results_read (results, &kept->place, page->offset - before, (size_t) (before + len + behind),
                &g->bytes);
  if (kept->text)
    align (g);
}

static void
put_page (struct json_writer *w, struct slice uri, const struct result_kept *kept,
          const struct page *page, const struct given *g)
{
  const char *bytes = g->bytes.len != 0 ? g->bytes.data + g->start : "";

  jsonw_object (w);
  jsonw_name (w, "uri");
  jsonw_string_len (w, uri.data, uri.len);
  if (kept->mime[0] != '\0')
    jsonw_name_string (w, "mimeType", kept->mime);
  jsonw_name (w, kept->text ? "text" : "blob");
  if (kept->text)
    jsonw_string_len (w, bytes, g->len);
  else
    jsonw_base64 (w, bytes, g->len);
  jsonw_name (w, "_meta");
  jsonw_object (w);
  jsonw_name_int (w, "toolhost/offset", (int64_t) g->offset);
  jsonw_name_int (w, "toolhost/size", (int64_t) kept->place.len);
  if (g->offset + g->len < kept->place.len) {
    jsonw_name (w, "toolhost/next");
    jsonw_stringf (w, RESULTS_URI "%s?offset=%llu&limit=%llu", kept->id,
                   (unsigned long long) (g->offset + g->len), (unsigned long long) page->limit);
  }
  jsonw_end (w);
  jsonw_end (w);
}

static void
refuse_unknown (struct mcp_request *r, struct slice uri)
{
  CLEANUP_BUF struct buf data = { 0 };
  struct json_writer w = { .out = &data };
  struct mcp_fault fault;

  (void) mcp_fault_set (&fault, r->era == MCP_LEGACY ? MCP_RESOURCE_NOT_FOUND : MCP_INVALID_PARAMS,
                        200, "There is no such result (any more)");
  jsonw_object (&w);
  jsonw_name (&w, "uri");
  jsonw_string_len (&w, uri.data, uri.len);
  jsonw_name_string (&w, "code", "resource_not_found");
  jsonw_end (&w);
  fault.data = (struct slice){ data.data, data.len };
  mcp_refuse (r, &fault);
}

void
mcp_results_read (struct mcp_request *r, struct slice uri)
{
  const struct front_env *env = r->core->env;
  const struct result_kept *kept = NULL;
  struct page page = { .limit = 1 };
  struct json_writer w = { .out = NULL };
  struct given g;

  if (env->results != NULL)
    page.limit = results_settings (env->results)->shown;
  if (!read_uri (uri, &page))
    return mcp_refuse_params (r, "uri: expected " RESULTS_URI "ID, with ?offset=BYTES&limit=BYTES");
  if (env->results != NULL)
    kept = results_find (env->results, page.id.data, page.id.len, r->principal, r->session,
                         ev_now (env->loop));
  if (kept == NULL)
    return refuse_unknown (r, uri);
  if (page.offset > kept->place.len)
    return mcp_refuse_params (r, "uri: the offset is behind the end of the result");
  page.limit = page.limit < PAGE_MAX ? page.limit : PAGE_MAX;
  take (env->results, kept, &page, &g);
  w.out = mcp_scratch (r->core);
  mcp_begin_result (&w, r);
  jsonw_name (&w, "contents");
  jsonw_array (&w);
  put_page (&w, uri, kept, &page, &g);
  jsonw_end (&w);
  mcp_put_cache_hints (&w, r, 0);
  mcp_end_result (&w, r);
  buf_free (&g.bytes);
  mcp_answer (r, 200);
}

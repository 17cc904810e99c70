#include "front/mcp/offers.h"

#include "front/mcp/reply.h"

enum {
  LIST_TTL_MS = 1000 /* they come and go with plugins; who needs to know at once subscribes */
};

static void
put_page (struct buf *out, const struct mcp_request *r, const struct offers *offers, size_t from,
          const char *member)
{
  const size_t page = r->core->env->page_size;
  const size_t end = page != 0 && offers->count - from > page ? from + page : offers->count;
  struct json_writer w = { .out = out };

  mcp_begin_result (&w, r);
  jsonw_name (&w, member);
  jsonw_array (&w);
  for (size_t i = from; i < end; i++)
    jsonw_raw (&w, offers->list[i]->mcp.data, offers->list[i]->mcp.len);
  jsonw_end (&w);
  if (end != offers->count)
    mcp_put_cursor (&w, offers->list[end - 1]->name, offers->list[end - 1]->name_len);
  mcp_put_cache_hints (&w, r, LIST_TTL_MS);
  mcp_end_result (&w, r);
}

void
mcp_offers_list (struct mcp_request *r, const struct mcp_message *m, enum offer offer,
                 const char *member)
{
  const struct offers *offers = &front_toolset (r->core->env, r->tenant)->of[offer];
  char name[MCP_CURSOR_ROOM];
  size_t from = 0, len;

  if (json_member (&m->tape, m->params, "cursor") != NULL) {
    if (!mcp_cursor_read (mcp_param_text (m, "cursor"), name, &len))
      return mcp_refuse_params (r, "cursor: expected a nextCursor of this list");
    from = offers_after (offers, name, len);
  }
  put_page (mcp_scratch (r->core), r, offers, from, member);
  mcp_answer (r, 200);
}

#include "front/mcp/skills.h"

#include "catalog/directory.h"
#include "front/mcp/offers.h"
#include "front/mcp/reply.h"
#include "front/mcp/resources.h"

enum {
  ENTRY_TTL_MS = 1000 /* as lists: it changes with its plugin, and subscribers are told */
};

void
mcp_skills_list (struct mcp_request *r, const struct mcp_message *m)
{
  mcp_offers_list (r, m, OFFER_SKILL, "skills");
}

static void
refuse_uri (struct mcp_request *r, const char *what, struct slice uri)
{
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "uri: %s %.*s", what, (int) (uri.len < 200 ? uri.len : 200), uri.data);
  mcp_refuse_params (r, buf_cstr (&text));
}

void
mcp_skills_get (struct mcp_request *r, const struct mcp_message *m)
{
  const struct toolset *set = front_toolset (r->core->env, r->tenant);
  struct json_writer w = { .out = NULL };
  const struct tool *skill;
  struct slice uri;

  if (!mcp_take_uri (r, m, &uri))
    return;
  skill = offers_find (&set->of[OFFER_SKILL], uri.data, uri.len);
  if (skill == NULL)
    return refuse_uri (r, "no skill is served at", uri);
  w.out = mcp_scratch (r->core);
  mcp_begin_result (&w, r);
  jsonw_name_raw (&w, "skill", skill->mcp.data, skill->mcp.len);
  mcp_put_cache_hints (&w, r, ENTRY_TTL_MS);
  mcp_end_result (&w, r);
  mcp_answer (r, 200);
}

/* ---- folders ---- */

static void
put_children (struct mcp_request *r, const struct directory *directory, size_t from)
{
  const size_t page = r->core->env->page_size;
  const size_t end = page != 0 && directory->count - from > page ? from + page : directory->count;
  struct json_writer w = { .out = mcp_scratch (r->core) };

  mcp_begin_result (&w, r);
  jsonw_name (&w, "resources");
  jsonw_array (&w);
  for (size_t i = from; i < end; i++)
    jsonw_raw (&w, directory->list[i].resource.data, directory->list[i].resource.len);
  jsonw_end (&w);
  if (end != directory->count)
    mcp_put_cursor (&w, directory->list[end - 1].name, strlen (directory->list[end - 1].name));
  mcp_end_result (&w, r);
  mcp_answer (r, 200);
}

void
mcp_directory_read (struct mcp_request *r, const struct mcp_message *m)
{
  __attribute__ ((cleanup (directory_free))) struct directory directory = { .list = NULL };
  char name[MCP_CURSOR_ROOM];
  size_t from = 0, len;
  struct slice uri;

  if (!mcp_take_uri (r, m, &uri))
    return;
  if (!directory_read (&directory, front_toolset (r->core->env, r->tenant), uri.data, uri.len))
    return refuse_uri (r, "there is no directory at", uri);
  if (json_member (&m->tape, m->params, "cursor") != NULL) {
    if (!mcp_cursor_read (mcp_param_text (m, "cursor"), name, &len))
      return mcp_refuse_params (r, "cursor: expected a nextCursor of this list");
    from = directory_after (&directory, name, len);
  }
  put_children (r, &directory, from);
}

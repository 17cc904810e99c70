#include "front/rest/offers.h"

#include "base/json_write.h"
#include "catalog/directory.h"

/* What its caller is served. */
static const struct toolset *
served (const struct front_env *env, const struct http_exchange *x)
{
  return front_toolset (env, http_request (x)->peer->tenant);
}

/* All of one kind, as MCP lists them. */
static void
put_offers (struct json_writer *w, const struct toolset *set, enum offer offer, const char *name)
{
  const struct offers *offers = &set->of[offer];

  jsonw_name (w, name);
  jsonw_array (w);
  for (size_t i = 0; i < offers->count; i++)
    jsonw_raw (w, offers->list[i]->mcp.data, offers->list[i]->mcp.len);
  jsonw_end (w);
}

void
rest_resources_get (const struct front_env *env, struct http_exchange *x)
{
  const struct toolset *set = served (env, x);
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  put_offers (&w, set, OFFER_RESOURCE, "resources");
  put_offers (&w, set, OFFER_TEMPLATE, "templates");
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

void
rest_directory_get (const struct front_env *env, struct http_exchange *x)
{
  __attribute__ ((cleanup (directory_free))) struct directory directory = { .list = NULL };
  const struct slice uri = http_query (x, "uri");
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (uri.data == NULL || uri.len == 0)
    return http_reply_error (x, 400, "bad_request", "The parameter uri is missing: ?uri=…");
  if (!directory_read (&directory, served (env, x), uri.data, uri.len))
    return http_reply_error (x, 404, "resource_not_found", "There is no such directory");
  jsonw_object (&w);
  jsonw_name (&w, "resources");
  jsonw_array (&w);
  for (size_t i = 0; i < directory.count; i++)
    jsonw_raw (&w, directory.list[i].resource.data, directory.list[i].resource.len);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

static void
reply_offers (const struct front_env *env, struct http_exchange *x, enum offer offer,
              const char *name)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  put_offers (&w, served (env, x), offer, name);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

void
rest_skills_get (const struct front_env *env, struct http_exchange *x)
{
  reply_offers (env, x, OFFER_SKILL, "skills");
}

void
rest_skill_get (const struct front_env *env, struct http_exchange *x)
{
  const struct offers *skills = &served (env, x)->of[OFFER_SKILL];
  const struct slice uri = http_query (x, "uri");
  const struct tool *skill;

  if (uri.data == NULL || uri.len == 0)
    return http_reply_error (x, 400, "bad_request", "The parameter uri is missing: ?uri=…");
  skill = offers_find (skills, uri.data, uri.len);
  if (skill == NULL)
    http_reply_error (x, 404, "resource_not_found",
                      "There is no such skill; its URI ends with "
                      "/SKILL.md, and GET /v1/skills lists them");
  else
    http_reply_json (x, 200, NULL, &skill->mcp);
}

void
rest_prompts_get (const struct front_env *env, struct http_exchange *x)
{
  reply_offers (env, x, OFFER_PROMPT, "prompts");
}

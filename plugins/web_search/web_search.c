/* web_search - a search of the web, by an engine that the operator has chosen and granted.
 *
 * The tool is built for each tenant from its feature "web_search".  Requests go through the host,
 * which adds the key of an engine that wants one. */
#include <toolhost.h>

#include <stdlib.h>

#include "../common/built.h"
#include "engine.h"

struct search {
  struct engine engine;
  struct text definition;
};

/* ---- what is told ---- */

/* What it can't do is told in words that systems with such a tool use. */
static toolhost_status
fail (toolhost_call *call, const char *code, const char *why)
{
  return toolhost_fail (call, code, "Web search error: %s", why);
}

static void
put_texts (struct text *out, const struct found *results, size_t count)
{
  for (size_t i = 0; i < count; i++)
    text_addf (out, "%s%zu. %s\n   %s\n   URL: %s", i != 0 ? "\n\n" : "", i + 1,
               text_get (&results[i].title), text_get (&results[i].snippet),
               text_get (&results[i].url));
}

static void
put_json (struct text *out, const char *query, const struct found *results, size_t count)
{
  json_open (out, '{');
  json_name_string (out, "query", query);
  json_name (out, "results");
  json_open (out, '[');
  for (size_t i = 0; i < count; i++) {
    json_open (out, '{');
    json_name_string (out, "title", text_get (&results[i].title));
    json_name_string (out, "url", text_get (&results[i].url));
    json_name_string (out, "snippet", text_get (&results[i].snippet));
    json_close (out, '}');
  }
  json_close (out, ']');
  json_close (out, '}');
}

static toolhost_status
tell (toolhost_call *call, const char *query, const struct found *results, size_t count)
{
  CLEANUP_TEXT struct text text = { 0 }, json = { 0 };

  if (count == 0)
    text_addf (&text, "No results found for: %s", query);
  put_texts (&text, results, count);
  put_json (&json, query, results, count);
  if (!text_ok (&text) || !text_ok (&json))
    return fail (call, "out_of_memory", "there is no memory for the results");
  (void) toolhost_text_len (call, text.data, text.len);
  return toolhost_json_len (call, json.data, json.len);
}

/* ---- the search ---- */

static toolhost_status
refused (toolhost_call *call, int32_t status)
{
  CLEANUP_TEXT struct text why = { 0 };

  text_addf (&why, "the search engine answered %d", (int) status);
  if (status == 401 || status == 403)
    text_add (&why, "; its key, or leave to answer in JSON, is missing");
  return fail (call, "web_search_failed", text_get (&why));
}

static toolhost_status
read_answer (toolhost_call *call, const struct engine *engine, const char *query,
             const toolhost_http_response *response)
{
  struct found results[RESULTS_MAX] = { { .title = { 0 } } };
  bool understood;
  size_t count = engine_results (engine, response->body, response->body_len, results, &understood);
  toolhost_status status =
    understood ? tell (call, query, results, count)
               : fail (call, "web_search_failed", "the search engine's answer is no JSON object");

  found_free (results);
  return status;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  static const char *const accept[] = { "Accept", "application/json", NULL };
  const struct engine *engine = &((const struct search *) self)->engine;
  const char *query = toolhost_arg_string (call, "query");
  CLEANUP_TEXT struct text url = { 0 };
  toolhost_http_request request = { TOOLHOST_HTTP_REQUEST, .headers = accept };
  toolhost_http_response response;

  if (query == NULL)
    return fail (call, "web_search_failed", "query must be a text");
  engine_url (engine, query, &url);
  if (!text_ok (&url))
    return fail (call, "out_of_memory", "there is no memory for the question");
  request.url = text_get (&url);
  if (toolhost_http (call, &request, &response) != TOOLHOST_OK)
    return fail (call, response.code, response.message);
  return response.status == 200 ? read_answer (call, engine, query, &response)
                                : refused (call, response.status);
}

/* ---- the definition ---- */

/* clang-format off */
static const char rest_of_definition[] = TOOLHOST_JSON ({
  "title": "Search the web",
  "inputSchema": {
    "type": "object",
    "properties": {
      "query": {
        "type": "string",
        "minLength": 1,
        "maxLength": 400,
        "description": "The search query to look up on the web",
        "examples": ["population of Reykjavik"]
      }
    },
    "required": ["query"],
    "additionalProperties": false
  },
  "outputSchema": {
    "type": "object",
    "properties": {
      "query": { "type": "string" },
      "results": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "title": { "type": "string" },
            "url": { "type": "string" },
            "snippet": { "type": "string" }
          },
          "required": ["title", "url", "snippet"],
          "additionalProperties": false
        }
      }
    },
    "required": ["query", "results"],
    "additionalProperties": false
  },
  "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": true }
});
/* clang-format on */

static const char description[] =
  "Search the web for information that is current or that you don't have: news, prices, opening "
  "times, facts. Gives titles, addresses and excerpts of pages; what stands there may be wrong.";

static void
define (struct search *search)
{
  struct text *out = &search->definition;

  json_open (out, '{');
  json_name_string (out, "name", "web_search");
  json_name_string (out, "description",
                    search->engine.description.len != 0 ? text_get (&search->engine.description)
                                                        : description);
  text_add (out, ",");
  text_add (out, rest_of_definition + 1); /* the members, and the bracket that closes */
}

static const char *
definition (void *self)
{
  return text_get (&((struct search *) self)->definition);
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 15000;
}

static const toolhost_tool web_search = { TOOLHOST_TOOL, .definition = definition,
                                          .execute = execute, .max_time = max_time };

/* ---- the builder ---- */

static void
release (void *self)
{
  struct search *search = self;

  engine_free (&search->engine);
  text_free (&search->definition);
  free (search);
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  struct search *search = calloc (1, sizeof *search);

  if (search == NULL)
    return built_nothing (build);
  if (!engine_read (&search->engine, build, config, len)) {
    release (search);
    return TOOLHOST_FAILED;
  }
  define (search);
  return built_add (build, &web_search, search, &search->definition, release);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "web_search", .build = build,
                                          .release = release };

TOOLHOST_PLUGIN (.name = "web_search", .version = "1.0",
                 .description = "Searches the web with an engine of the operator's choice.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))

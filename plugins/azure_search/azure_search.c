/* azure_search - indexes of Azure AI Search, each a tool.
 *
 * Tools are built for each tenant from its feature "azure_search".  Requests go through the host,
 * which adds the service's key where the operator's policy says so: no tool sees it. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "../common/built.h"
#include "index.h"

/* ---- the search ---- */

static toolhost_status
refused (toolhost_call *call, const toolhost_http_response *response)
{
  CLEANUP_TEXT struct text why = { 0 };

  refusal_read (response->body, response->body_len, &why);
  if (response->status == 401 || response->status == 403)
    text_add (&why, "; its key is missing, or not good for this index");
  return toolhost_fail (call, "azure_search_failed", "The search service answered %d%s.",
                        (int) response->status, text_get (&why));
}

static toolhost_status
tell (toolhost_call *call, const struct question *question, const toolhost_http_response *response)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text json = { 0 };

  if (!answer_read (&pool, response->body, response->body_len, question, &json))
    return toolhost_fail (call, "azure_search_failed",
                          "What the search service answered is no list of documents.");
  if (!values_ok (&pool) || !text_ok (&json))
    return toolhost_fail (call, "out_of_memory", "There is no memory for the results.");
  return toolhost_json_len (call, json.data, json.len);
}

static toolhost_status
validate (void *self, toolhost_call *call)
{
  const char *filter = toolhost_arg_string (call, "filter");

  (void) self;
  if (filter == NULL || filter_is_whole (filter))
    return TOOLHOST_OK;
  return toolhost_invalid (call, "/filter",
                           "expected an expression whose brackets and quotes are "
                           "closed");
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  static const char *const accept[] = { "Accept", "application/json", NULL };
  const struct index *index = self;
  const struct question question = { .query = toolhost_arg_string (call, "query"),
                                     .filter = index->takes_filter
                                                 ? toolhost_arg_string (call, "filter")
                                                 : NULL,
                                     .top = toolhost_arg_int (call, "top", index->top),
                                     .skip = toolhost_arg_int (call, "skip", 0) };
  CLEANUP_TEXT struct text url = { 0 }, body = { 0 };
  toolhost_http_request request = { TOOLHOST_HTTP_REQUEST, .method = "POST", .headers = accept };
  toolhost_http_response response;

  if (question.query == NULL)
    return toolhost_fail (call, "azure_search_failed", "The query must be a text without U+0000.");
  index_url (index, &url);
  index_body (index, &question, &body);
  if (!text_ok (&url) || !text_ok (&body))
    return toolhost_fail (call, "out_of_memory", "There is no memory for the question.");
  request.url = text_get (&url);
  request.json = text_get (&body);
  if (toolhost_http (call, &request, &response) != TOOLHOST_OK)
    return toolhost_fail (call, response.code, "%s", response.message);
  return response.status == 200 || response.status == 206 ? tell (call, &question, &response)
                                                          : refused (call, &response);
}

static const char *
definition (void *self)
{
  return text_get (&((const struct index *) self)->definition);
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 15000;
}

static const toolhost_tool search_tool = { TOOLHOST_TOOL, .definition = definition,
                                           .validate = validate, .execute = execute,
                                           .max_time = max_time };

/* ---- the builder ---- */

static void
release (void *self)
{
  index_free (self);
  free (self);
}

static bool
read_one (void *self, struct settings *s)
{
  return index_read (self, s);
}

static const struct text *
define (void *self)
{
  struct index *index = self;

  index_define (index);
  return &index->definition;
}

static toolhost_status
build (toolhost_build *build, const char *config, size_t len)
{
  static const struct built_list list = {
    "indexes", "a list of indexes", sizeof (struct index), &search_tool, read_one, define, release
  };

  return built_each (&list, build, config, len);
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "azure_search",
                                          .build = build, .release = release };

TOOLHOST_PLUGIN (.name = "azure_search", .version = "1.0",
                 .description = "Searches indexes of Azure AI Search.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_BUILDERS (&builder))

#include "front/mcp/disclosure.h"

#include "catalog/search.h"
#include "front/mcp/reply.h"

enum { FOUND_MAX = 50, FOUND_DEFAULT = 10, LINE_MAX_BYTES = 200 };

#define SEARCH_TOOL "toolhost_search_tools"
#define DESCRIBE_TOOL "toolhost_describe_tool"

static const char LISTED[] =
  "{\"name\":\"" SEARCH_TOOL
  "\",\"description\":\"Find tools by words: what they are about, or what "
  "they do. Gives names and one line each, the best first. A tool that was found is called by its "
  "name; " DESCRIBE_TOOL " says what its arguments are.\",\"inputSchema\":{\"type\":\"object\","
  "\"properties\":{\"query\":{\"type\":\"string\",\"description\":\"Words, such as: convert time "
  "zone\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"description\":\"How many "
  "tools at most; 10 when it is absent.\"}},\"required\":[\"query\"],"
  "\"additionalProperties\":false}},"
  "{\"name\":\"" DESCRIBE_TOOL
  "\",\"description\":\"The whole definition of a tool, with the schema "
  "of its arguments.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
  "\"string\",\"description\":\"Its name, as " SEARCH_TOOL " gives it.\"}},\"required\":[\"name\"],"
  "\"additionalProperties\":false}}";

void
mcp_disclosure_list (struct mcp_request *r)
{
  mcp_put_tool_list (mcp_scratch (r->core), r, (struct slice){ LISTED, sizeof LISTED - 1 });
  mcp_answer (r, 200);
}

/* ---- results ---- */

static void
answer_text (struct mcp_request *r, const struct buf *text)
{
  CLEANUP_BUF struct buf content = { 0 };
  struct json_writer w = { .out = &content };

  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "text");
  jsonw_name (&w, "text");
  jsonw_string_len (&w, text->data, text->len);
  jsonw_end (&w);
  jsonw_end (&w);
  mcp_put_result (
    mcp_scratch (r->core), r,
    &(struct result){
      .kind = CALL_TOOL, .message = "", .content = content.data, .content_len = content.len });
  mcp_answer (r, 200);
}

static void
answer_fault (struct mcp_request *r, enum call_error error, const char *message)
{
  mcp_put_result (mcp_scratch (r->core), r,
                  &(struct result){ .kind = CALL_TOOL,
                                    .error = error,
                                    .code = call_error_info (error)->code,
                                    .message = message,
                                    .message_len = strlen (message),
                                    .content = "[]",
                                    .content_len = 2 });
  mcp_answer (r, 200);
}

/* ---- searching ---- */

/* Up to the end of its first line or sentence, if that comes soon. */
static void
put_line (struct buf *out, const struct tool *tool)
{
  const char *text = tool->description != NULL ? tool->description : "";
  size_t len = strcspn (text, "\r\n");
  const char *stop = strstr (text, ". ");

  if (stop != NULL && (size_t) (stop - text) < len)
    len = (size_t) (stop - text) + 1;
  if (len > LINE_MAX_BYTES)
    for (len = LINE_MAX_BYTES; ((unsigned char) text[len] & 0xc0) == 0x80;)
      len--;
  buf_printf (out, "%s: %.*s\n", tool->name, (int) len, text);
}

static void
search (struct mcp_request *r, const struct mcp_message *m, const struct json_node *arguments)
{
  const struct json_node *limit = json_member (&m->tape, arguments, "limit");
  const struct tool *found[FOUND_MAX];
  CLEANUP_BUF struct buf text = { 0 };
  int64_t max = FOUND_DEFAULT;
  size_t len, count;
  const char *query =
    json_string (&m->tape, json_member (&m->tape, arguments, "query"), m->arena, &len);

  if (query == NULL
      || (limit != NULL
          && (!json_int64 (&m->tape, limit, &max) || max < 1 || max > (int64_t) FOUND_MAX)))
    return answer_fault (r, CALL_tool_args_invalid,
                         SEARCH_TOOL ": expected { \"query\": words, \"limit\": 1 to 50 }; limit "
                                     "may be absent.");
  count = search_find (catalog_search (front_catalog (r->core->env, r->tenant)), query, len, r->set,
                       found, (size_t) max);
  for (size_t i = 0; i < count; i++)
    put_line (&text, found[i]);
  if (count == 0)
    buf_printf (&text, "None of %zu tools has these words; try others.", r->set->count);
  answer_text (r, &text);
}

static void
describe (struct mcp_request *r, const struct mcp_message *m, const struct json_node *arguments)
{
  CLEANUP_BUF struct buf text = { 0 };
  size_t len;
  const char *name =
    json_string (&m->tape, json_member (&m->tape, arguments, "name"), m->arena, &len);

  if (name == NULL)
    return answer_fault (r, CALL_tool_args_invalid,
                         DESCRIBE_TOOL ": expected { \"name\": the name of a tool }.");
  if (toolset_find (r->set, name, len) == NULL)
    return answer_fault (r, CALL_tool_not_found,
                         "There is no such tool; " SEARCH_TOOL " finds those there are.");
  mcp_put_definition (&text, r, name, len);
  answer_text (r, &text);
}

bool
mcp_disclosure_call (struct mcp_request *r, const struct mcp_message *m, struct slice name,
                     const struct json_node *arguments)
{
  if (slice_is (name, SEARCH_TOOL))
    search (r, m, arguments);
  else if (slice_is (name, DESCRIBE_TOOL))
    describe (r, m, arguments);
  else
    return false;
  return true;
}

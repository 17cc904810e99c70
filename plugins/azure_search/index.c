#include "index.h"

#include <string.h>

static const char *const query_types[] = { "simple", "full", "semantic" };

/* ---- configuration ---- */

/* A list of names, kept as the service takes it: with commas. */
static bool
read_names (struct settings *s, const char *name, void *value)
{
  static const char expected[] = "a list of names of fields";
  CLEANUP_TEXT struct text field = { 0 };
  struct text *names = value;

  if (!json_scan_enter (&s->scan, '['))
    return settings_wrong (s, name, expected);
  while (json_scan_item (&s->scan)) {
    text_clear (&field);
    if (!json_scan_string (&s->scan, &field) || field.len == 0
        || strpbrk (text_get (&field), ",\"\r\n") != NULL)
      return settings_wrong (s, name, expected);
    if (names->len != 0)
      text_add (names, ",");
    text_add_len (names, text_get (&field), field.len);
  }
  return true;
}

static bool
is_made_of (const struct text *text, const char *characters, size_t most)
{
  return text->len != 0 && text->len <= most && strspn (text_get (text), characters) == text->len;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static bool
is_endpoint (const char *url)
{
  const size_t scheme = strncmp (url, "https://", 8) == 0  ? 8
                        : strncmp (url, "http://", 7) == 0 ? 7
                                                           : 0;

  return scheme != 0 && url[scheme] != '\0' && strpbrk (url + scheme, "/?# \t\r\n@") == NULL;
}

static bool
is_query_type (const struct text *type)
{
  for (size_t i = 0; i < sizeof query_types / sizeof *query_types; i++)
    if (strcmp (query_types[i], text_get (type)) == 0)
      return true;
  return false;
}

static void
set_default (struct text *text, const char *otherwise)
{
  if (text->len == 0)
    text_add (text, otherwise);
}

static bool
check (struct index *index, struct settings *s)
{
  if (!is_made_of (&index->name, LETTERS "_-", 64))
    return settings_wrong (s, "name", "the name of a tool: 1 to 64 of A-Za-z0-9_-");
  if (index->description.len == 0)
    return settings_wrong (s, "description", "what is found there, by which a model chooses");
  if (!is_endpoint (text_get (&index->endpoint)))
    return settings_wrong (s, "endpoint",
                           "a URL without a path, as \"https://NAME.search.windows.net\"");
  if (!is_made_of (&index->index, LETTERS "_-", 128))
    return settings_wrong (s, "index", "the name of an index");
  if (!is_made_of (&index->api_version, LETTERS "-", 40))
    return settings_wrong (s, "api_version", "a version, as \"2024-07-01\"");
  if (!is_query_type (&index->query_type))
    return settings_wrong (s, "query_type", "\"simple\", \"full\" or \"semantic\"");
  if (index->configuration.len != 0 && strcmp (text_get (&index->query_type), "semantic") != 0)
    return settings_wrong (s, "semantic_configuration", "\"query_type\": \"semantic\" beside it");
  if (index->top < 1 || index->top > TOP_MAX)
    return settings_wrong (s, "top", "a whole number from 1 to 50");
  if (index->nearest < 1 || index->nearest > 1000)
    return settings_wrong (s, "nearest", "a whole number from 1 to 1000");
  return filter_is_whole (text_get (&index->filter))
         || settings_wrong (s, "filter", "an expression whose brackets and quotes are closed");
}

bool
index_read (struct index *index, struct settings *s)
{
  const struct setting members[] = {
    { "name", settings_text, &index->name },
    { "description", settings_text, &index->description },
    { "endpoint", settings_text, &index->endpoint },
    { "index", settings_text, &index->index },
    { "api_version", settings_text, &index->api_version },
    { "query_type", settings_text, &index->query_type },
    { "semantic_configuration", settings_text, &index->configuration },
    { "filter", settings_text, &index->filter },
    { "select", read_names, &index->select },
    { "order_by", read_names, &index->order_by },
    { "search_fields", read_names, &index->search_fields },
    { "vector_fields", read_names, &index->vector_fields },
    { "nearest", settings_int, &index->nearest },
    { "top", settings_int, &index->top },
    { "count", settings_bool, &index->counts },
    { "takes_filter", settings_bool, &index->takes_filter },
    { .name = NULL },
  };

  index->top = TOP_DEFAULT;
  index->nearest = NEAREST_DEFAULT;
  if (!settings_read (s, members))
    return false;
  set_default (&index->api_version, "2024-07-01");
  set_default (&index->query_type, "simple");
  return check (index, s);
}

void
index_free (struct index *index)
{
  text_free (&index->name);
  text_free (&index->description);
  text_free (&index->endpoint);
  text_free (&index->index);
  text_free (&index->api_version);
  text_free (&index->query_type);
  text_free (&index->configuration);
  text_free (&index->filter);
  text_free (&index->select);
  text_free (&index->order_by);
  text_free (&index->search_fields);
  text_free (&index->vector_fields);
  text_free (&index->definition);
}

/* ---- the definition ---- */

/* clang-format off */
static const char query_schema[] = TOOLHOST_JSON ({
  "type": "string", "minLength": 1, "maxLength": 1000,
  "description": "What to search for."
});
static const char filter_schema[] = TOOLHOST_JSON ({
  "type": "string", "minLength": 1, "maxLength": 1000,
  "description": "Only documents that this OData expression holds for, as in: rating ge 4"
});
static const char skip_schema[] = TOOLHOST_JSON ({
  "type": "integer", "minimum": 0, "maximum": 100000, "default": 0,
  "description": "How many of the first results to leave out: next_skip of the page before."
});
static const char output_schema[] = TOOLHOST_JSON ({
  "type": "object",
  "properties": {
    "count": { "type": "integer" },
    "answers": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": { "text": { "type": "string" }, "score": { "type": "number" } },
        "required": ["text"], "additionalProperties": false
      }
    },
    "results": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "score": { "type": "number" },
          "reranker_score": { "type": "number" },
          "captions": { "type": "array", "items": { "type": "string" } },
          "document": { "type": "object" }
        },
        "required": ["document"], "additionalProperties": false
      }
    },
    "next_skip": { "type": "integer" }
  },
  "required": ["results"],
  "additionalProperties": false
});
/* clang-format on */

static void
define_input (const struct index *index, struct text *out)
{
  CLEANUP_TEXT struct text top = { 0 };

  text_addf (&top,
             "{\"type\":\"integer\",\"minimum\":1,\"maximum\":%d,\"default\":%lld,"
             "\"description\":\"How many results to give.\"}",
             TOP_MAX, (long long) index->top);
  json_open (out, '{');
  json_name_string (out, "type", "object");
  json_name (out, "properties");
  json_open (out, '{');
  json_name (out, "query");
  json_raw (out, query_schema);
  if (index->takes_filter) {
    json_name (out, "filter");
    json_raw (out, filter_schema);
  }
  json_name (out, "top");
  json_raw (out, text_get (&top));
  json_name (out, "skip");
  json_raw (out, skip_schema);
  json_close (out, '}');
  json_name (out, "required");
  json_raw (out, "[\"query\"]");
  json_name_bool (out, "additionalProperties", false);
  json_close (out, '}');
}

void
index_define (struct index *index)
{
  struct text *out = &index->definition;

  json_open (out, '{');
  json_name_string (out, "name", text_get (&index->name));
  json_name_string (out, "description", text_get (&index->description));
  json_name (out, "inputSchema");
  define_input (index, out);
  json_name (out, "outputSchema");
  json_raw (out, output_schema);
  json_name (out, "annotations");
  json_raw (out, "{\"readOnlyHint\":true,\"idempotentHint\":true,\"openWorldHint\":true}");
  json_close (out, '}');
}

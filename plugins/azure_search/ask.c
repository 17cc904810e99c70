/* Requests: Search Documents of the service's REST interface, by POST. */
#include <string.h>

#include "index.h"

void
index_url (const struct index *index, struct text *url)
{
  text_addf (url, "%s/indexes/%s/docs/search?api-version=%s", text_get (&index->endpoint),
             text_get (&index->index), text_get (&index->api_version));
}

bool
filter_is_whole (const char *filter)
{
  size_t open = 0;
  bool quoted = false;

  for (; *filter != '\0'; filter++)
    if (*filter == '\'') /* two of them within a text end it and begin it again */
      quoted = !quoted;
    else if (!quoted && *filter == '(')
      open++;
    else if (!quoted && *filter == ')' && open-- == 0)
      return false;
  return open == 0 && !quoted;
}

static void
add_filter (const struct index *index, const struct question *question, struct text *body)
{
  CLEANUP_TEXT struct text both = { 0 };
  const char *fixed = text_get (&index->filter), *given = question->filter;

  if (index->filter.len == 0 && given == NULL)
    return;
  if (index->filter.len != 0 && given != NULL)
    text_addf (&both, "(%s) and (%s)", fixed, given);
  else
    text_add (&both, given != NULL ? given : fixed);
  json_name_string (body, "filter", text_get (&both));
  body->failed = body->failed || both.failed;
}

static void
add_text (struct text *body, const char *name, const struct text *text)
{
  if (text->len != 0)
    json_name_string (body, name, text_get (text));
}

static void
add_vectors (const struct index *index, const struct question *question, struct text *body)
{
  if (index->vector_fields.len == 0)
    return;
  json_name (body, "vectorQueries");
  json_open (body, '[');
  json_open (body, '{');
  json_name_string (body, "kind", "text");
  json_name_string (body, "text", question->query);
  json_name_string (body, "fields", text_get (&index->vector_fields));
  json_name_int (body, "k", index->nearest);
  json_close (body, '}');
  json_close (body, ']');
}

void
index_body (const struct index *index, const struct question *question, struct text *body)
{
  json_open (body, '{');
  json_name_string (body, "search", question->query);
  json_name_string (body, "queryType", text_get (&index->query_type));
  if (strcmp (text_get (&index->query_type), "semantic") == 0) {
    add_text (body, "semanticConfiguration", &index->configuration);
    json_name_string (body, "captions", "extractive");
    json_name_string (body, "answers", "extractive|count-3");
  }
  add_filter (index, question, body);
  add_text (body, "select", &index->select);
  add_text (body, "searchFields", &index->search_fields);
  add_text (body, "orderby", &index->order_by);
  json_name_int (body, "top", question->top);
  json_name_int (body, "skip", question->skip);
  json_name_bool (body, "count", index->counts);
  add_vectors (index, question, body);
  json_close (body, '}');
}

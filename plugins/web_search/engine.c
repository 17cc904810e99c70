#include "engine.h"

#include <string.h>

#include "../common/json_scan.h"
#include "../common/percent.h"
#include "../common/settings.h"
#include "plain.h"

/* What differs between engines. */
struct backend {
  const char *name;
  const char *url;        /* where it is when the configuration does not say; NULL: it must */
  const char *parameters; /* beside "q" */
  const char *language;   /* the name of a parameter */
  const char *count;      /* the name of a parameter; NULL: it has none */
  const char *within;     /* the member of the answer that holds "results"; NULL: the answer */
  const char *snippet;    /* the member of a result */
};

/* docs.searxng.org/dev/search_api.html; api-dashboard.search.brave.com (web search, 2026-11) */
static const struct backend backends[] = {
  { "searxng", NULL, "format=json", "language", NULL, NULL, "content" },
  { "brave", "https://api.search.brave.com/res/v1/web/search", "text_decorations=false",
    "search_lang", "count", "web", "description" },
};

/* ---- configuration ---- */

static bool
read_backend (struct settings *s, const char *name, void *value)
{
  CLEANUP_TEXT struct text text = { 0 };

  if (!settings_text (s, name, &text))
    return false;
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
    if (strcmp (backends[i].name, text_get (&text)) == 0)
      *(const struct backend **) value = &backends[i];
  return *(const struct backend **) value != NULL
         || settings_wrong (s, name, "\"searxng\" or \"brave\"");
}

static bool
read_size (struct settings *s, const char *name, void *value)
{
  static const struct {
    const char *name;
    size_t results;
  } sizes[] = { { "low", 3 }, { "medium", 5 }, { "high", RESULTS_MAX } };
  CLEANUP_TEXT struct text text = { 0 };

  if (!settings_text (s, name, &text))
    return false;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (strcmp (sizes[i].name, text_get (&text)) == 0) {
      *(size_t *) value = sizes[i].results;
      return true;
    }
  return settings_wrong (s, name, "\"low\", \"medium\" or \"high\"");
}

static bool
is_http (const char *url)
{
  return (strncmp (url, "https://", 8) == 0 || strncmp (url, "http://", 7) == 0)
         && strpbrk (url, "# \t\r\n") == NULL;
}

bool
engine_read (struct engine *engine, toolhost_build *build, const char *config, size_t len)
{
  struct settings s = { .build = build, .scan = { config, config + len } };
  const struct setting members[] = {
    { "backend", read_backend, &engine->backend },
    { "url", settings_text, &engine->url },
    { "search_context_size", read_size, &engine->results },
    { "language", settings_text, &engine->language },
    { "description", settings_text, &engine->description },
    { .name = NULL },
  };

  engine->results = 5;
  if (!settings_read (&s, members))
    return false;
  if (engine->backend == NULL)
    return settings_wrong (&s, "backend", "\"searxng\" or \"brave\"");
  if (engine->url.len == 0 && engine->backend->url != NULL)
    text_add (&engine->url, engine->backend->url);
  return is_http (text_get (&engine->url))
         || settings_wrong (&s, "url", "an http or https URL of the engine's search");
}

void
engine_free (struct engine *engine)
{
  text_free (&engine->url);
  text_free (&engine->language);
  text_free (&engine->description);
}

/* ---- the question ---- */

void
engine_url (const struct engine *engine, const char *query, struct text *url)
{
  const struct backend *b = engine->backend;

  text_add (url, text_get (&engine->url));
  text_add (url, strchr (text_get (&engine->url), '?') == NULL ? "?q=" : "&q=");
  percent_encode (url, query, strlen (query), PERCENT_ALL);
  text_addf (url, "&%s", b->parameters);
  if (b->count != NULL)
    text_addf (url, "&%s=%zu", b->count, engine->results);
  if (engine->language.len != 0) {
    text_addf (url, "&%s=", b->language);
    percent_encode (url, text_get (&engine->language), engine->language.len, PERCENT_ALL);
  }
}

/* ---- the answer ---- */

/* To the value of this member of the object that stands here. */
static bool
find (struct json_scan *scan, const char *member)
{
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_enter (scan, '{'))
    return false;
  while (json_scan_name (scan, &name))
    if (strcmp (text_get (&name), member) == 0)
      return true;
    else if (!json_scan_skip (scan))
      return false;
  return false;
}

/* A text without markup; another value is passed over. */
static bool
read_plain (struct json_scan *scan, struct text *out)
{
  CLEANUP_TEXT struct text raw = { 0 };

  if (!json_scan_string (scan, &raw))
    return json_scan_skip (scan);
  text_clear (out);
  plain_text (out, text_get (&raw), raw.len);
  return true;
}

static bool
read_result (const struct backend *backend, struct json_scan *scan, struct found *found)
{
  CLEANUP_TEXT struct text name = { 0 };
  bool good = true;

  if (!json_scan_enter (scan, '{'))
    return false;
  while (good && json_scan_name (scan, &name))
    if (strcmp (text_get (&name), "title") == 0)
      good = read_plain (scan, &found->title);
    else if (strcmp (text_get (&name), "url") == 0)
      good = read_plain (scan, &found->url);
    else if (strcmp (text_get (&name), backend->snippet) == 0)
      good = read_plain (scan, &found->snippet);
    else
      good = json_scan_skip (scan);
  return good;
}

size_t
engine_results (const struct engine *engine, const char *body, size_t len, struct found *results,
                bool *understood)
{
  struct json_scan scan = { body, body + len }, whole = scan;
  const struct backend *b = engine->backend;
  size_t count = 0;

  *understood =
    json_scan_enter (&whole, '{') && json_scan_skip (&(struct json_scan){ body, scan.end });
  if (b->within != NULL && !find (&scan, b->within))
    return 0;
  if (!find (&scan, "results") || !json_scan_enter (&scan, '['))
    return 0;
  while (count < engine->results && json_scan_item (&scan)
         && read_result (b, &scan, &results[count]))
    if (results[count].url.len != 0)
      count++;
  return count;
}

void
found_free (struct found results[RESULTS_MAX])
{
  for (size_t i = 0; i < RESULTS_MAX; i++) {
    text_free (&results[i].title);
    text_free (&results[i].url);
    text_free (&results[i].snippet);
  }
}

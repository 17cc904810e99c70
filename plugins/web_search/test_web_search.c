/* The feature "web_search": items S4-10, U4-21 and T4-10 of the system it behaves like. */
#include "common/plugin_test.h"

#include "plain.h"

#define SEARX "{\"backend\":\"searxng\",\"url\":\"https://s.example/search\"}"
#define SEARX_URL(q) "https://s.example/search?q=" q "&format=json"
#define BRAVE_URL(q, n)                                                                            \
  "https://api.search.brave.com/res/v1/web/search?q=" q "&text_decorations=false&count=" n

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
built (const char *config)
{
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, "web_search", config), TOOLHOST_OK);
}

static void
answers (const char *url, int32_t status, const char *body)
{
  toolhost_mock_http (mock, "GET", url, status, NULL, body, strlen (body));
}

#define QUERY(q) "{\"query\":\"" q "\"}"

static void
S4_10_results_of_searxng (void)
{
  built (SEARX);
  answers (SEARX_URL ("caf%C3%A9%20%26%20more"), 200,
           "{\"query\":\"x\",\"number_of_results\":0,\"results\":["
           "{\"title\":\"One\",\"url\":\"https://a.example/\",\"content\":\"First\\n page\","
           "\"engines\":[\"e\"],\"score\":1.5},"
           "{\"url\":\"https://b.example/\",\"title\":null,\"content\":\"\"},"
           "{\"title\":\"no address\"}],\"answers\":[]}");
  CU_ASSERT (says (mock, "web_search", QUERY ("café & more"),
                   "1. One\n   First page\n   URL: https://a.example/\n\n"
                   "2. \n   \n   URL: https://b.example/"));
  CU_ASSERT (gives (mock, "web_search", QUERY ("café & more"),
                    "{\"query\":\"café & more\",\"results\":[{\"title\":\"One\",\"url\":"
                    "\"https://a.example/\",\"snippet\":\"First page\"},"));
}

static void
T4_10_sizes_and_the_brave_api (void)
{
  static const struct {
    const char *config, *count;
    int results;
  } rows[] = {
    { "{\"backend\":\"brave\",\"search_context_size\":\"low\"}", "3", 3 },
    { "{\"backend\":\"brave\"}", "5", 5 },
    { "{\"backend\":\"brave\",\"search_context_size\":\"high\"}", "10", 10 },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char url[200], body[2000];
    int len = snprintf (body, sizeof body, "{\"type\":\"search\",\"web\":{\"results\":[");
    toolhost_mock_result *r;
    int got = 0;

    for (int n = 0; n < 12; n++)
      len += snprintf (body + len, sizeof body - (size_t) len,
                       "%s{\"url\":\"https://%d.example/\",\"title\":\"T &amp; U\",\"description\":"
                       "\"<strong>d</strong>\"}",
                       n == 0 ? "" : ",", n);
    (void) snprintf (body + len, sizeof body - (size_t) len, "]}}");
    (void) snprintf (url, sizeof url, BRAVE_URL ("q", "%s"), rows[i].count);
    built (rows[i].config);
    answers (url, 200, body);
    r = toolhost_mock_call (mock, "web_search", QUERY ("q"));
    CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
    for (const char *at = r->text; (at = strstr (at, "URL: ")) != NULL; at++)
      got++;
    CU_ASSERT_EQUAL (got, rows[i].results);
    CU_ASSERT (told_part ("text", url, "1. T & U\n   d\n   URL: https://0.example/", r->text));
    toolhost_mock_result_free (r);
  }
}

static void
U4_21_no_results (void)
{
  built (SEARX);
  answers (SEARX_URL ("none"), 200, "{\"results\":[]}");
  answers (SEARX_URL ("less"), 200, "{\"error\":false}");
  CU_ASSERT (says (mock, "web_search", QUERY ("none"), "No results found for: none"));
  CU_ASSERT (says (mock, "web_search", QUERY ("less"), "No results found for: less"));
  CU_ASSERT (gives (mock, "web_search", QUERY ("none"), "{\"query\":\"none\",\"results\":[]}"));
}

static void
U4_21_errors (void)
{
  built (SEARX);
  answers (SEARX_URL ("busy"), 429, "");
  answers (SEARX_URL ("html"), 200, "<!doctype html>");
  answers (SEARX_URL ("cut"), 200, "{\"results\":[{\"title\":\"T\",\"url\":\"https://a");
  answers (SEARX_URL ("closed"), 403, "Forbidden");
  CU_ASSERT (fails (mock, "web_search", QUERY ("busy"), "web_search_failed",
                    "Web search error: the search engine answered 429"));
  CU_ASSERT (fails (mock, "web_search", QUERY ("html"), "web_search_failed",
                    "Web search error: the search engine's answer is no JSON object"));
  CU_ASSERT (fails (mock, "web_search", QUERY ("cut"), "web_search_failed", "no JSON object"));
  CU_ASSERT (
    fails (mock, "web_search", QUERY ("closed"), "web_search_failed", "answered 403; its"));
  CU_ASSERT (fails (mock, "web_search", QUERY ("other"), "http_not_granted",
                    "Web search error: the test has no answer for this request"));
}

static void
T4_10_what_is_configured (void)
{
  built ("{\"backend\":\"searxng\",\"url\":\"http://s.example/?safe=1\",\"language\":\"fr-FR\","
         "\"description\":\"Cherche.\"}");
  CU_ASSERT (told_part ("definition", "", "\"description\":\"Cherche.\"",
                        toolhost_mock_definition (mock, "web_search")));
  answers ("http://s.example/?safe=1&q=a&format=json&language=fr-FR", 200, "{\"results\":[]}");
  CU_ASSERT (says (mock, "web_search", QUERY ("a"), "No results found for: a"));
  built (SEARX); /* what is not set is as it was at first */
  CU_ASSERT (told_part ("definition", "", "\"description\":\"Search the web for",
                        toolhost_mock_definition (mock, "web_search")));
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{}", "/backend: expected \"searxng\" or \"brave\"" },
    { "{\"backend\":\"ask\"}", "/backend: expected \"searxng\" or \"brave\"" },
    { "{\"backend\":\"searxng\"}", "/url: expected an http or https URL" },
    { "{\"backend\":\"brave\",\"url\":\"ftp://a/\"}", "/url: expected an http or https URL" },
    { "{\"backend\":\"brave\",\"search_context_size\":\"huge\"}",
      "/search_context_size: expected \"low\", \"medium\" or \"high\"" },
    { "{\"backend\":\"brave\",\"lang\":\"en\"}", "/lang: there is no such member" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "web_search", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
}

static void
text_without_markup (void)
{
  static const struct {
    const char *html, *plain;
  } rows[] = {
    { "", "" },
    { "  a\t\n b ", "a b" },
    { "<b>a</b> <br/>&lt;c&gt;", "a <c>" },
    { "1 < 2 > 0", "1 < 2 > 0" },
    { "a<b", "a<b" },
    { "&#39;&#x27;&#x1F600;&hellip;", "''\xF0\x9F\x98\x80\xE2\x80\xA6" },
    { "&#0;&#xD800;&#x110000;&#;&;&unknown;& &amp", "&#0;&#xD800;&#x110000;&#;&;&unknown;& &amp" },
    { "&#-5;&#+5;&#x 5;", "&#-5;&#+5;&#x 5;" },
    { "a\x01\xFF", "a\xEF\xBF\xBD\xEF\xBF\xBD" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 };
    plain_text (&out, rows[i].html, strlen (rows[i].html));
    CU_ASSERT (told ("text", rows[i].html, rows[i].plain, text_get (&out)));
  }
}

static CU_TestInfo tests[] = {
  { "S4-10 results of SearXNG", S4_10_results_of_searxng },
  { "T4-10 U4-21 three sizes, of an API such as Brave's", T4_10_sizes_and_the_brave_api },
  { "U4-21 no results", U4_21_no_results },
  { "U4-21 errors", U4_21_errors },
  { "T4-10 what is configured", T4_10_what_is_configured },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "text without markup", text_without_markup },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "web_search", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

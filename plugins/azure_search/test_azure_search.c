/* The feature "azure_search", and the requests and answers of Azure AI Search: items S3-14, A3-11.
 */
#include "common/plugin_test.h"

#include "azure_search/index.h"

#define URL "https://s.example/indexes/docs/docs/search?api-version=2024-07-01"
#define INDEX(more)                                                                                \
  "{\"indexes\":[{\"name\":\"find\",\"description\":\"d\",\"endpoint\":\"https://s.example\","     \
  "\"index\":\"docs\"" more "}]}"

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
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, "azure_search", config), TOOLHOST_OK);
}

static void
answers (int32_t status, const char *body)
{
  toolhost_mock_http (mock, "POST", URL, status, NULL, body, strlen (body));
}

/* The body of the newest request. */
static void
asked (const char *body)
{
  const char *all = toolhost_mock_http_requests (mock);

  CU_ASSERT (told_part ("requests", "", body, all));
}

static void
A3_11_the_request_of_a_plain_search (void)
{
  built (INDEX (""));
  answers (200, "{\"value\":[]}");
  CU_ASSERT (gives (mock, "find", "{\"query\":\"a \\\"b\\\"\"}", "{\"results\":[]}"));
  asked (
    "{\"search\":\"a \\\"b\\\"\",\"queryType\":\"simple\",\"top\":5,\"skip\":0,\"count\":false}");
  CU_ASSERT (gives (mock, "find", "{\"query\":\"q\",\"top\":2,\"skip\":4}", "{\"results\":[]}"));
  asked ("{\"search\":\"q\",\"queryType\":\"simple\",\"top\":2,\"skip\":4,\"count\":false}");
}

static void
A3_11_the_request_with_everything (void)
{
  built (
    INDEX (",\"query_type\":\"semantic\",\"semantic_configuration\":\"sc\",\"filter\":\"t eq 'x'\","
           "\"takes_filter\":true,\"select\":[\"id\",\"title\"],\"order_by\":[\"rating desc\"],"
           "\"search_fields\":[\"title\"],\"vector_fields\":[\"v\",\"w\"],\"nearest\":7,\"top\":3,"
           "\"count\":true"));
  answers (200, "{\"value\":[]}");
  CU_ASSERT (
    gives (mock, "find", "{\"query\":\"q\",\"filter\":\"a eq ')' or b\"}", "{\"results\":[]}"));
  asked (
    "{\"search\":\"q\",\"queryType\":\"semantic\",\"semanticConfiguration\":\"sc\",\"captions\":"
    "\"extractive\",\"answers\":\"extractive|count-3\",\"filter\":\"(t eq 'x') and (a eq ')' or "
    "b)\","
    "\"select\":\"id,title\",\"searchFields\":\"title\",\"orderby\":\"rating desc\",\"top\":3,"
    "\"skip\":0,\"count\":true,\"vectorQueries\":[{\"kind\":\"text\",\"text\":\"q\",\"fields\":"
    "\"v,w\",\"k\":7}]}");
}

static void
A3_11_what_it_answers (void)
{
  built (INDEX (",\"count\":true"));
  answers (
    200,
    "{\"@odata.context\":\"c\",\"@odata.count\":9,\"@search.answers\":[{\"key\":\"1\",\"text\":"
    "\"because\",\"highlights\":\"<em>\",\"score\":0.9}],\"value\":[{\"@search.score\":1.5,"
    "\"@search.rerankerScore\":2.25,\"@search.captions\":[{\"text\":\"cap\",\"highlights\":null}],"
    "\"id\":\"1\",\"tags\":[\"a\"],\"place\":{\"x\":1},\"none\":null},{\"@search.score\":0.5,"
    "\"id\":\"2\"}]}");
  CU_ASSERT (gives (mock, "find", "{\"query\":\"q\"}",
                    "{\"count\":9,\"answers\":[{\"text\":\"because\",\"score\":0.9}],\"results\":["
                    "{\"score\":1.5,\"reranker_score\":2.25,\"captions\":[\"cap\"],\"document\":{"
                    "\"id\":\"1\",\"tags\":[\"a\"],\"place\":{\"x\":1},\"none\":null}},"
                    "{\"score\":0.5,\"document\":{\"id\":\"2\"}}],\"next_skip\":2}"));
  CU_ASSERT (gives (mock, "find", "{\"query\":\"q\",\"skip\":7}", "{\"id\":\"2\"}}]}"));
  answers (206, "{\"value\":[],\"@odata.nextLink\":\"https://s.example/next\"}");
  CU_ASSERT (
    gives (mock, "find", "{\"query\":\"q\",\"skip\":7}", "{\"results\":[],\"next_skip\":7}"));
}

static void
A3_11_how_it_fails (void)
{
  built (INDEX (""));
  answers (400, "{\"error\":{\"code\":\"InvalidRequest\",\"message\":\"no field\\n'x'\"}}");
  CU_ASSERT (fails (mock, "find", "{\"query\":\"q\"}", "azure_search_failed",
                    "The search service answered 400, InvalidRequest: no field"));
  answers (403, "<html>");
  CU_ASSERT (fails (mock, "find", "{\"query\":\"q\"}", "azure_search_failed",
                    "The search service answered 403; its key is missing"));
  answers (200, "[]");
  CU_ASSERT (
    fails (mock, "find", "{\"query\":\"q\"}", "azure_search_failed", "no list of documents"));
  answers (200, "{\"value\":[");
  CU_ASSERT (
    fails (mock, "find", "{\"query\":\"q\"}", "azure_search_failed", "no list of documents"));
  built (
    "{\"indexes\":[{\"name\":\"find\",\"description\":\"d\",\"endpoint\":\"https://t.example\","
    "\"index\":\"docs\"}]}");
  CU_ASSERT (fails (mock, "find", "{\"query\":\"q\"}", "http_not_granted", ""));
}

/* A filter of the model's stays within the brackets that are put around it. */
static void
A3_11_a_filter_cannot_lead_out_of_the_tenants (void)
{
  static const char *const good[] = { "a eq 1", "(a) or (b)", "a eq ')'", "a eq 'it''s (' and b",
                                      "" };
  static const char *const bad[] = {
    "a) or (b", "a eq 1)", "(a", "a eq 'x", "')' ) (", "a eq ''')"
  };

  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    CU_ASSERT (filter_is_whole (good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CU_ASSERT (!filter_is_whole (bad[i]));
  built (INDEX (",\"takes_filter\":true,\"filter\":\"tenant eq 'one'\""));
  CU_ASSERT (refuses (mock, "find", "{\"query\":\"q\",\"filter\":\"a) or (true\"}",
                      "\"pointer\":\"/filter\""));
  built (INDEX (",\"filter\":\"tenant eq 'one'\"")); /* one that is not asked for is not sent */
  answers (200, "{\"value\":[]}");
  CU_ASSERT (gives (mock, "find", "{\"query\":\"q\",\"filter\":\"true\"}", "{\"results\":[]}"));
  asked ("\"filter\":\"tenant eq 'one'\",\"top\"");
}

static void
S3_14_definitions_of_several_indexes (void)
{
  built (
    "{\"indexes\":[{\"name\":\"a\",\"description\":\"of a\",\"endpoint\":\"https://s.example\","
    "\"index\":\"docs\",\"top\":9},{\"name\":\"b\",\"description\":\"of b\",\"endpoint\":"
    "\"http://localhost:81\",\"index\":\"more-docs\",\"takes_filter\":true}]}");
  CU_ASSERT (told_part ("definition", "a", "\"maximum\":50,\"default\":9",
                        toolhost_mock_definition (mock, "a")));
  CU_ASSERT_PTR_NULL (strstr (toolhost_mock_definition (mock, "a"), "OData"));
  CU_ASSERT (told_part ("definition", "b", "OData", toolhost_mock_definition (mock, "b")));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "b"), 15000);
  built ("{\"indexes\":[]}");
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "a"));
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *part;
  } slips[] = {
    { "{\"index\":[]}", "/index: there is no such member; did you mean \"indexes\"?" },
    { "{\"indexes\":{}}", "/indexes: expected a list of indexes" },
    { "{\"indexes\":[{}]}", "/indexes/0/name: expected the name of a tool" },
    { "{\"indexes\":[{\"name\":\"a\"}]}", "/indexes/0/description: expected what is found there" },
    { INDEX (",\"qery_type\":\"full\""), "/indexes/0/qery_type: there is no such member" },
    { INDEX (",\"query_type\":\"vector\""), "/indexes/0/query_type: expected \"simple\"" },
    { INDEX (",\"semantic_configuration\":\"x\""), "/indexes/0/semantic_configuration: expected" },
    { INDEX (",\"top\":0"), "/indexes/0/top: expected a whole number from 1 to 50" },
    { INDEX (",\"nearest\":1001"), "/indexes/0/nearest: expected a whole number from 1 to 1000" },
    { INDEX (",\"select\":\"id\""), "/indexes/0/select: expected a list of names of fields" },
    { INDEX (",\"select\":[\"a,b\"]"), "/indexes/0/select: expected a list of names of fields" },
    { INDEX (",\"filter\":\"a) or (b\""), "/indexes/0/filter: expected an expression whose" },
    { INDEX (",\"api_version\":\"1/2\""), "/indexes/0/api_version: expected a version" },
    { INDEX (",\"count\":1"), "/indexes/0/count: expected true or false" },
    { INDEX (",\"index\":\"a/b\""), "/indexes/0/index: expected the name of an index" },
    { INDEX (",\"endpoint\":\"https://s.example/x\""), "/indexes/0/endpoint: expected a URL" },
    { INDEX (",\"endpoint\":\"https://a@s.example\""), "/indexes/0/endpoint: expected a URL" },
  };

  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "azure_search", slips[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("build error", slips[i].config, slips[i].part, toolhost_mock_error ()));
  }
}

static CU_TestInfo tests[] = {
  { "A3-11 the request of a plain search", A3_11_the_request_of_a_plain_search },
  { "A3-11 the request with everything", A3_11_the_request_with_everything },
  { "A3-11 what it answers", A3_11_what_it_answers },
  { "A3-11 how it fails", A3_11_how_it_fails },
  { "A3-11 a filter cannot lead out of the tenant's",
    A3_11_a_filter_cannot_lead_out_of_the_tenants },
  { "S3-14 definitions of several indexes", S3_14_definitions_of_several_indexes },
  { "each slip has its pointer", each_slip_has_its_pointer },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "azure_search", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

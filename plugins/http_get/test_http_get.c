#include "common/plugin_test.h"

static toolhost_mock *mock;

static int
start (void)
{
  static const char *const html[] = { "content-type", "text/html; charset=utf-8", NULL };
  static const char *const png[] = { "content-type", "image/png", NULL };

  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock == NULL)
    return 1;
  toolhost_mock_http (mock, "GET", "https://a.example/", 200, html, "<p>caf\xc3\xa9</p>", 12);
  toolhost_mock_http (mock, "GET", "https://a.example/gone", 404, NULL, "\xff\xfe", 2);
  toolhost_mock_http (mock, "GET", "https://a.example/dot", 200, png, "\x89PNG", 4);
  toolhost_mock_http (mock, "GET", "https://a.example/none", 204, NULL, "", 0);
  return 0;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

#define URL(path) "{\"url\":\"https://a.example/" path "\"}"

static void
test_text (void)
{
  CU_ASSERT_TRUE (says (mock, "http_get", URL (""), "<p>caf\xc3\xa9</p>"));
  CU_ASSERT_TRUE (gives (mock, "http_get", URL (""),
                         "{\"status\":200,\"url\":\"https://a.example/\",\"contentType\":\"text/"
                         "html; charset=utf-8\",\"bytes\":12,\"truncated\":false}"));
}

/* Cut within a character, what is left of it goes too. */
static void
test_truncated (void)
{
  static const char args[] = "{\"url\":\"https://a.example/\",\"max_bytes\":7}";

  CU_ASSERT_TRUE (says (mock, "http_get", args, "<p>caf"));
  CU_ASSERT_TRUE (gives (mock, "http_get", args, "\"bytes\":6,\"truncated\":true"));
}

static bool
content_has (const char *args, const char *part)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "http_get", args);
  bool has = told_part ("content", args, part, r->content);

  toolhost_mock_result_free (r);
  return has;
}

static void
test_bytes (void)
{
  CU_ASSERT_TRUE (content_has (URL ("dot"), "\"mimeType\":\"image/png\",\"data\":\"iVBORw==\""));
  CU_ASSERT_TRUE (content_has (URL ("gone"), "\"blob\":\"//4=\""));
  CU_ASSERT_TRUE (gives (mock, "http_get", URL ("gone"), "\"status\":404"));
  CU_ASSERT_TRUE (says (mock, "http_get", URL ("none"), ""));
}

static void
test_request (void)
{
  toolhost_mock_result_free (toolhost_mock_call (
    mock, "http_get", "{\"url\":\"https://a.example/\",\"accept\":\"text/plain\"}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (toolhost_mock_http_requests (mock),
                                  "GET {\"url\":\"https://a.example/\",\"headers\":[["
                                  "\"Accept\",\"text/plain\"]]"));
}

static void
test_not_granted (void)
{
  CU_ASSERT_TRUE (fails (mock, "http_get", URL ("other"), "http_not_granted", "no answer"));
  CU_ASSERT_TRUE (definition_fits (mock, "http_get"));
}

static CU_TestInfo tests[] = {
  { "text", test_text },       { "truncated", test_truncated },     { "bytes", test_bytes },
  { "request", test_request }, { "not granted", test_not_granted }, CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "http_get", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

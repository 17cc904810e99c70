/* URLs of the broker, read strictly, and the patterns that grant them. */
#include "service/http/grant.h"
#include "tap.h"

/* A URL in its one form, or why it is none. */
static const char *
read_url (const char *text)
{
  static char said[URL_MAX + 1024];
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf written = { 0 };
  struct error err = { { 0 } };
  struct url url;

  if (!url_read (&url, text, strlen (text), &arena, &err)) {
    snprintf (said, sizeof said, "%s", err.text);
    return said;
  }
  url_write (&url, &written);
  snprintf (said, sizeof said, "%s", buf_cstr (&written));
  return said;
}

#define READS(text, form) CU_ASSERT_STRING_EQUAL (read_url (text), form)

static bool
refuses (const char *text)
{
  bool refused = strncmp (read_url (text), "http", 4) != 0;

  if (!refused)
    printf ("# taken: %.99s as %.99s\n", text, read_url (text));
  return refused;
}

static void
test_one_form (void)
{
  READS ("https://example.com", "https://example.com/");
  READS ("HTTPS://EXAMPLE.Com:443/A?b=C#d", "https://example.com/A?b=C");
  READS ("http://example.com:80/", "http://example.com/");
  READS ("http://example.com:8080", "http://example.com:8080/");
  READS ("https://example.com?x", "https://example.com/?x");
  READS ("https://example.com/?", "https://example.com/?");
  READS ("https://example.com/%7euser/%41%2f%c3%a9", "https://example.com/~user/A%2F%C3%A9");
  READS ("https://[2606:4700:0:0::1111]:8443/x", "https://[2606:4700::1111]:8443/x");
  READS ("https://93.184.216.34/", "https://93.184.216.34/");
  READS ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/");
  READS ("https://a_b.example/...", "https://a_b.example/...");
  READS ("https://example.com/a//b/;c=1?../x", "https://example.com/a//b/;c=1?../x");
}

static void
test_refused (void)
{
  static const char *const urls[] = {
    "",
    "example.com",
    "//example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "https:/example.com",
    "https:example.com",
    "https://",
    "https:///x",
    "https://user@example.com/",
    "https://user:pw@example.com/",
    "https://example.com@127.0.0.1/",
    "https://example.com\\@127.0.0.1/",
    "https://example.com\\.evil/",
    "https://exa mple.com/",
    "https://example.com/a b",
    "https://example.com/\t",
    "https://example.com/\r\nX: y",
    "https://example.com/\x7f",
    "https://ex\xc3\xa4mple.com/",
    "https://example.com/\xc3\xa4",
    "https://example.com./",
    "https://.example.com/",
    "https://example..com/",
    "https://-a.com/",
    "https://a-.com/",
    "https://%65xample.com/",
    "https://example.com%2f@x/",
    "https://e*.com/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.0.0.1./",
    "https://017700000001/",
    "https://1.2.3.4.5/",
    "https://256.1.1.1/",
    "https://a.0x1/",
    "https://a.1/",
    "https://127.0.0.01/",
    "https://0x/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[::1",
    "https://[::1]x/",
    "https://[127.0.0.1]/",
    "https://::1/",
    "https://[]/",
    "https://example.com:/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://example.com:080/",
    "https://example.com:80a/",
    "https://example.com:-1/",
    "https://example.com:443:443/",
    "https://example.com/..",
    "https://example.com/../x",
    "https://example.com/./x",
    "https://example.com/a/%2e%2e/x",
    "https://example.com/%2E./x",
    "https://example.com/%252e%252e/x",
    "https://example.com/%25252e%25252e/x",
    "https://example.com/a%2f..%2fx",
    "https://example.com/a%5c..%5cx",
    "https://example.com/..;/x",
    "https://example.com/..;a=b/x",
    "https://example.com/%00",
    "https://example.com/%0d%0aX",
    "https://example.com/%250d",
    "https://example.com/%",
    "https://example.com/%4",
    "https://example.com/%zz",
    "https://example.com/?%g0",
    "https://example.com/<x>",
    "https://example.com/{x}",
    "https://example.com/\"x\"",
  };

  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
    CU_ASSERT_TRUE (refuses (urls[i]));
}

static void
test_too_long (void)
{
  static char text[URL_MAX + 2];

  memset (text, 'a', sizeof text - 1);
  memcpy (text, "https://a/", 10);
  CU_ASSERT_STRING_EQUAL (read_url (text), "is longer than 8192 bytes");
  text[URL_MAX] = '\0';
  READS (text, text);
}

/* ---- references ---- */

static const char *
follow (const char *from, const char *reference)
{
  static char said[2048];
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf written = { 0 };
  struct error err = { { 0 } };
  struct url base, url;

  CU_ASSERT_TRUE (url_read (&base, from, strlen (from), &arena, &err));
  if (url_follow (&url, &base, reference, strlen (reference), &arena, &err)) {
    url_write (&url, &written);
    snprintf (said, sizeof said, "%s", buf_cstr (&written));
  }
  else
    snprintf (said, sizeof said, "-");
  return said;
}

#define FOLLOWS(reference, url)                                                                    \
  CU_ASSERT_STRING_EQUAL (follow ("https://h/b/c/d?q", reference), url)

static void
test_follow (void)
{
  FOLLOWS ("https://other/x", "https://other/x");
  FOLLOWS ("http://h/x", "http://h/x");
  FOLLOWS ("//other:8443/x", "https://other:8443/x");
  FOLLOWS ("/x?y", "https://h/x?y");
  FOLLOWS ("g", "https://h/b/c/g");
  FOLLOWS ("./g", "https://h/b/c/g");
  FOLLOWS ("g/", "https://h/b/c/g/");
  FOLLOWS ("?y", "https://h/b/c/d?y");
  FOLLOWS ("#s", "https://h/b/c/d?q");
  FOLLOWS ("", "https://h/b/c/d?q");
  FOLLOWS (".", "https://h/b/c/");
  FOLLOWS ("..", "https://h/b/");
  FOLLOWS ("../g", "https://h/b/g");
  FOLLOWS ("../..", "https://h/");
  FOLLOWS ("../../g", "https://h/g");
  FOLLOWS ("../../../g", "https://h/g");
  FOLLOWS ("/a/./b/../c", "https://h/a/c");
  FOLLOWS ("g;x=1/../y", "https://h/b/c/y");
  FOLLOWS ("%2e%2e/g", "-");
  FOLLOWS ("file:///etc/passwd", "-");
  FOLLOWS ("javascript:1", "-");
  FOLLOWS ("//user@evil/", "-");
  FOLLOWS ("/\\evil/", "-");
  FOLLOWS ("\\\\evil", "-");
  FOLLOWS ("//0x7f.1/", "-");
}

/* ---- patterns ---- */

static bool
grants (const char *written, const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct http_pattern pattern;
  struct error err = { { 0 } };
  struct url url;
  bool matches;

  CU_ASSERT_TRUE (http_pattern_read (&pattern, written, &err));
  matches =
    url_read (&url, text, strlen (text), &arena, &err) && http_pattern_matches (&pattern, &url);
  http_pattern_clear (&pattern);
  return matches;
}

static void
test_grants (void)
{
  static const char v1[] = "https://api.example.com/v1/*";

  CU_ASSERT_TRUE (grants (v1, "https://api.example.com/v1/"));
  CU_ASSERT_TRUE (grants (v1, "https://API.example.com:443/v1/users?x=1"));
  CU_ASSERT_TRUE (grants (v1, "https://api.example.com/%76%31/users"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/v1"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/v10/x"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/V1/x"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/v1%2fx"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/v1/../admin"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com/v1/%2e%2e/admin"));
  CU_ASSERT_FALSE (grants (v1, "http://api.example.com/v1/x"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com:8443/v1/x"));
  CU_ASSERT_FALSE (grants (v1, "https://evil.api.example.com/v1/x"));
  CU_ASSERT_FALSE (grants (v1, "https://api.example.com.evil/v1/x"));
  CU_ASSERT_TRUE (grants ("https://a.example/status", "https://a.example/status?x"));
  CU_ASSERT_FALSE (grants ("https://a.example/status", "https://a.example/status/x"));
  CU_ASSERT_TRUE (grants ("https://*/*", "https://anything.example/x"));
  CU_ASSERT_FALSE (grants ("https://*/*", "http://anything.example/x"));
  CU_ASSERT_FALSE (grants ("https://*/*", "https://anything.example:444/x"));
  CU_ASSERT_TRUE (grants ("https://*:444/*", "https://anything.example:444/x"));
  CU_ASSERT_TRUE (grants ("http://127.0.0.1:8080/*", "http://127.0.0.1:8080/x"));
  CU_ASSERT_TRUE (grants ("http://[::1]/*", "http://[0:0::1]/x"));
}

static const char *
pattern_problem (const char *written)
{
  static struct error err;
  struct http_pattern pattern;

  err.text[0] = '\0';
  CU_ASSERT_FALSE (http_pattern_read (&pattern, written, &err));
  http_pattern_clear (&pattern);
  return err.text;
}

static void
test_patterns_refused (void)
{
  CU_ASSERT_STRING_EQUAL (pattern_problem ("https://a.example"),
                          "the path is missing; \"https://a.example/*\" is the whole host");
  CU_ASSERT_STRING_EQUAL (pattern_problem ("https://a.example/*?x"),
                          "a pattern has no query and no fragment");
  CU_ASSERT_STRING_EQUAL (pattern_problem ("a.example/*"), "it is none of https:// or http://");
  CU_ASSERT_STRING_EQUAL (pattern_problem ("https://*.example/*"),
                          "a \"*\" stands for the whole host, or for what is below a folder, at "
                          "the end");
  CU_ASSERT_STRING_EQUAL (pattern_problem ("https://a.example/v*"),
                          "a \"*\" stands for the whole host, or for what is below a folder, at "
                          "the end");
  CU_ASSERT_STRING_EQUAL (pattern_problem ("https://u@a.example/*"),
                          "it holds a user name: secrets are the operator's to add");
}

static bool
covers (const char *wide, const char *narrow)
{
  struct http_pattern a, b;
  bool does;

  CU_ASSERT_TRUE (http_pattern_read (&a, wide, NULL) && http_pattern_read (&b, narrow, NULL));
  does = http_pattern_covers (&a, &b);
  http_pattern_clear (&a);
  http_pattern_clear (&b);
  return does;
}

static void
test_covers (void)
{
  CU_ASSERT_TRUE (covers ("https://a.example/v1/*", "https://a.example/v1/x/*"));
  CU_ASSERT_TRUE (covers ("https://a.example/v1/*", "https://a.example/v1/x"));
  CU_ASSERT_TRUE (covers ("https://a.example/v1/*", "https://a.example/v1/*"));
  CU_ASSERT_TRUE (covers ("https://*/*", "https://a.example/*"));
  CU_ASSERT_TRUE (covers ("https://a.example/x", "https://a.example/x"));
  CU_ASSERT_FALSE (covers ("https://a.example/x", "https://a.example/x/*"));
  CU_ASSERT_FALSE (covers ("https://a.example/v1/*", "https://a.example/*"));
  CU_ASSERT_FALSE (covers ("https://a.example/*", "https://*/*"));
  CU_ASSERT_FALSE (covers ("https://a.example/*", "http://a.example/*"));
  CU_ASSERT_FALSE (covers ("https://a.example/*", "https://b.example/*"));
}

static void
test_methods (void)
{
  CU_ASSERT_EQUAL (http_method_find ("GET", 3), HTTP_GET);
  CU_ASSERT_EQUAL (http_method_find ("OPTIONS", 7), HTTP_OPTIONS);
  CU_ASSERT_EQUAL (http_method_find ("get", 3), 0);
  CU_ASSERT_EQUAL (http_method_find ("CONNECT", 7), 0);
  CU_ASSERT_EQUAL (http_method_find ("TRACE", 5), 0);
  CU_ASSERT_STRING_EQUAL (http_method_name (HTTP_PATCH), "PATCH");
  CU_ASSERT_TRUE (http_method_idempotent (HTTP_DELETE));
  CU_ASSERT_FALSE (http_method_idempotent (HTTP_POST));
}

static CU_TestInfo tests[] = {
  { "one form", test_one_form },
  { "refused", test_refused },
  { "too long", test_too_long },
  { "references", test_follow },
  { "U3-19 grants", test_grants },
  { "patterns refused", test_patterns_refused },
  { "one pattern covers another", test_covers },
  { "methods", test_methods },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "http url", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

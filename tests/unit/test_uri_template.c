/* URI templates, read backwards. */
#include "base/uri_template.h"
#include "tap.h"

/* What a URI gives: the variables as JSON, "-" when it is none of the template, or what is wrong
 * with the template. */
static const char *
match (const char *template, const char *uri)
{
  static char found[4096];
  CLEANUP_BUF struct buf variables = { 0 };
  struct error err = { { 0 } };
  struct uri_template *t = uri_template_new (template, strlen (template), &err);

  if (t == NULL)
    snprintf (found, sizeof found, "%s", err.text);
  else if (uri_template_match (t, uri, strlen (uri), &variables))
    snprintf (found, sizeof found, "%s", buf_cstr (&variables));
  else
    snprintf (found, sizeof found, "-");
  uri_template_free (t);
  return found;
}

#define MATCHES(template, uri, json) CU_ASSERT_STRING_EQUAL (match (template, uri), json)

static void
test_level_one (void)
{
  MATCHES ("test://template/{id}/data", "test://template/123/data", "{\"id\":\"123\"}");
  MATCHES ("test://template/{id}/data", "test://template/a%20b/data", "{\"id\":\"a b\"}");
  MATCHES ("test://template/{id}/data", "test://template//data", "-");
  MATCHES ("test://template/{id}/data", "test://template/1/2/data", "-");
  MATCHES ("test://template/{id}/data", "test://template/123/data/more", "-");
  MATCHES ("test://template/{id}/data", "test://template/123", "-");
  MATCHES ("x:{a}-{b}", "x:1-2-3", "{\"a\":\"1-2\",\"b\":\"3\"}");
  MATCHES ("x:plain", "x:plain", "{}");
  MATCHES ("x:plain", "x:plainer", "-");
}

static void
test_reserved_and_fragment (void)
{
  MATCHES ("file:///{+path}", "file:///a/b?c#d", "{\"path\":\"a/b?c#d\"}");
  MATCHES ("x:a{#part}", "x:a#top", "{\"part\":\"top\"}");
  MATCHES ("x:a{#part}", "x:a", "{}");
  MATCHES ("x:{+a}/end", "x:1/2/end", "{\"a\":\"1/2\"}");
}

static void
test_several_variables (void)
{
  MATCHES ("x:{a,b}", "x:1,2", "{\"a\":\"1\",\"b\":\"2\"}");
  MATCHES ("x:{a,b}", "x:1", "{\"a\":\"1\"}");
  MATCHES ("x:{a,b}", "x:1,2,3", "-");
  MATCHES ("x:p{/a,b}", "x:p/1/2", "{\"a\":\"1\",\"b\":\"2\"}");
  MATCHES ("x:p{/a,b}", "x:p/1/2/3", "-");
  MATCHES ("x:p{/a}", "x:p", "{}");
  MATCHES ("x:p{/a*}", "x:p/1/2/3", "{\"a\":\"1/2/3\"}");
  MATCHES ("x:p{.a,b}", "x:p.tar.gz", "{\"a\":\"tar\",\"b\":\"gz\"}");
}

static void
test_named_values (void)
{
  MATCHES ("x:s{?q,limit}", "x:s?q=a%26b&limit=3", "{\"q\":\"a&b\",\"limit\":\"3\"}");
  MATCHES ("x:s{?q,limit}", "x:s?limit=3", "{\"limit\":\"3\"}");
  MATCHES ("x:s{?q,limit}", "x:s?limit=3&q=", "{\"q\":\"\",\"limit\":\"3\"}");
  MATCHES ("x:s{?q,limit}", "x:s?q", "{\"q\":\"\"}");
  MATCHES ("x:s{?q,limit}", "x:s", "{}");
  MATCHES ("x:s{?q,limit}", "x:s?other=1", "-");
  MATCHES ("x:s{?q,limit}", "x:s?q=1&q=2", "-");
  MATCHES ("x:s?fixed=1{&q}", "x:s?fixed=1&q=2", "{\"q\":\"2\"}");
  MATCHES ("x:s{;a,b}", "x:s;b=2;a=1", "{\"a\":\"1\",\"b\":\"2\"}");
}

static void
test_what_is_no_utf8_stays_encoded (void)
{
  MATCHES ("x:{a}", "x:%ff", "{\"a\":\"%ff\"}");
  MATCHES ("x:{a}", "x:%e4%bd%a0", "{\"a\":\"\xe4\xbd\xa0\"}");
  MATCHES ("x:{a}", "x:100%", "{\"a\":\"100%\"}");
}

static void
test_bad_templates (void)
{
  MATCHES ("x:{a", "", "a brace is not closed");
  MATCHES ("x:{}", "", "\"\" is no variable that can be found in a URI");
  MATCHES ("x:{a:3}", "", "\"a:3\" is no variable that can be found in a URI");
  MATCHES ("x:{a}{a}", "", "the variable a stands in it twice");
  MATCHES ("x:{a*,b}", "", "\"*\" stands only at the one variable of its expression");
  MATCHES ("", "", "a template has 1 to 2048 bytes");
}

/* What would take years to try is given up. */
static void
test_hostile_pairs_end (void)
{
  char uri[URI_MAX + 2];

  memset (uri, 'a', sizeof uri - 1);
  memcpy (uri, "x:", 2);
  uri[URI_MAX] = '\0';
  MATCHES ("x:{+a}{+b}{+c}{+d}{+e}{+f}{+g}b", uri, "-");
  uri[URI_MAX] = 'a';
  uri[URI_MAX + 1] = '\0';
  MATCHES ("x:{+a}", uri, "-");
}

static void
test_literal_bytes (void)
{
  struct error err = { { 0 } };
  struct uri_template *t = uri_template_new ("x:a/{b}/c{?d}", 13, &err);

  CU_ASSERT_EQUAL (uri_template_literal (t), 6);
  CU_ASSERT (uri_template_has (t, "d", 1));
  CU_ASSERT_FALSE (uri_template_has (t, "a", 1));
  uri_template_free (t);
}

static CU_TestInfo tests[] = {
  { "one variable for a segment", test_level_one },
  { "reserved characters and fragments", test_reserved_and_fragment },
  { "several variables in an expression", test_several_variables },
  { "named values in any order", test_named_values },
  { "what is no UTF-8 stays encoded", test_what_is_no_utf8_stays_encoded },
  { "each fault of a template has its sentence", test_bad_templates },
  { "hostile pairs end", test_hostile_pairs_end },
  { "literal bytes and names", test_literal_bytes },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "uri_template", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

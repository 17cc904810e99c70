#include "tap.h"

#include "base/buf.h"
#include "schema/format/format.h"

/* Check a text that stands alone in memory, so that reading beyond it is seen by the sanitizers. */
static bool
fits_len (enum format format, const char *text, size_t len)
{
  char *copy = xmalloc (len);
  bool fits;

  if (len != 0)
    memcpy (copy, text, len);
  fits = format_check (format, copy, len);
  free (copy);
  return fits;
}

static bool
fits (enum format format, const char *text)
{
  return fits_len (format, text, strlen (text));
}

static void
expect (enum format format, bool wanted, const char *const *texts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (fits (format, texts[i]) != wanted) {
      printf ("# %s: \"%s\"\n", format_name (format), texts[i]);
      CU_FAIL ("wrong verdict");
    }
}
#define GOOD(format, texts) expect (format, true, texts, sizeof texts / sizeof *texts)
#define BAD(format, texts) expect (format, false, texts, sizeof texts / sizeof *texts)

/* ---- names ---- */

static const char *const names[] = { "date-time",     "date",  "time",
                                     "duration",      "email", "hostname",
                                     "ipv4",          "ipv6",  "uri",
                                     "uri-reference", "uuid",  "uri-template",
                                     "json-pointer",  "regex", "relative-json-pointer" };
enum { NAMES = sizeof names / sizeof *names };

static void
test_finds_names (void)
{
  for (size_t i = 0; i < NAMES; i++) {
    enum format format = format_find (names[i], strlen (names[i]));
    CU_ASSERT_NOT_EQUAL (format, FORMAT_NONE);
    CU_ASSERT_STRING_EQUAL (format_name (format), names[i]);
  }
}

static void
test_other_names_say_nothing (void)
{
  static const char *const others[] = { "",         "dat",   "date ", "Date",         "date-times",
                                        "password", "int32", "iri",   "idn-hostname", "color" };

  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CU_ASSERT_EQUAL (format_find (others[i], strlen (others[i])), FORMAT_NONE);
  CU_ASSERT_EQUAL (format_find ("date\0", 5), FORMAT_NONE);
  CU_ASSERT_EQUAL (format_find ("date-time", 4), FORMAT_DATE);
  CU_ASSERT_TRUE (fits_len (FORMAT_NONE, "a\0b", 3));
  CU_ASSERT_TRUE (fits (FORMAT_NONE, ""));
}

/* What a phrase gives as example is what a model will imitate. */
static void
test_examples_of_phrases_are_good (void)
{
  static const char before[] = "such as ";

  for (size_t i = 0; i < NAMES; i++) {
    enum format format = format_find (names[i], strlen (names[i]));
    const char *example = strstr (format_phrase (format), before);
    CU_ASSERT_PTR_NOT_NULL_FATAL (example);
    example += sizeof before - 1;
    if (!fits_len (format, example, strcspn (example, " "))) {
      printf ("# %s\n", format_phrase (format));
      CU_FAIL ("the example is none");
    }
  }
}

/* No format but those of pointers and regular expressions has a place for NUL. */
static void
test_nul_ends_nothing (void)
{
  static const struct {
    const char *name;
    const char *text;
  } texts[] = {
    { "date-time", "2026-01-31T12:00:00Z" },
    { "date", "2026-01-31" },
    { "time", "12:00:00Z" },
    { "duration", "P1D" },
    { "email", "ann@example.com" },
    { "hostname", "example.com" },
    { "ipv4", "192.0.2.1" },
    { "ipv6", "::1" },
    { "uri", "https://example.com/" },
    { "uri-reference", "/a" },
    { "uri-template", "/{a}" },
    { "uuid", "123e4567-e89b-12d3-a456-426614174000" },
    { "relative-json-pointer", "1" },
  };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    enum format format = format_find (texts[i].name, strlen (texts[i].name));
    CU_ASSERT_TRUE (fits (format, texts[i].text));
    if (fits_len (format, texts[i].text, strlen (texts[i].text) + 1)) {
      printf ("# %s\n", texts[i].name);
      CU_FAIL ("NUL is taken");
    }
  }
  CU_ASSERT_FALSE (fits_len (FORMAT_DURATION, "P1\0", 3));
  CU_ASSERT_FALSE (fits_len (FORMAT_URI_TEMPLATE, "{\0}", 3));
  CU_ASSERT_TRUE (fits_len (FORMAT_JSON_POINTER, "/a\0~0", 5));
  CU_ASSERT_FALSE (fits_len (FORMAT_JSON_POINTER, "/a\0~2", 5));
}

/* ---- dates and times ---- */

static void
test_date (void)
{
  static const char *const good[] = { "2026-01-31", "0000-01-01", "9999-12-31",
                                      "2024-02-29", "2000-02-29", "2026-04-30" };
  static const char *const bad[] = { "",           "2026-02-29", "1900-02-29", "2026-04-31",
                                     "2026-00-10", "2026-13-10", "2026-10-00", "2026-10-32",
                                     "26-01-31",   "2026-1-31",  "2026-01-3",  "2026/01/31",
                                     "20260131",   "2026-01-3 ", " 026-01-31", "2026-01-311",
                                     "-026-01-31", "+026-01-31", "2026-0x-01", "2026-01-1٣",
                                     "2026-031",   "2026-W05-6" };

  GOOD (FORMAT_DATE, good);
  BAD (FORMAT_DATE, bad);
}

static void
test_time (void)
{
  static const char *const good[] = { "00:00:00Z",          "23:59:59z",      "12:30:00.5Z",
                                      "12:30:00.12345678Z", "12:30:00+23:59", "12:30:00-00:00",
                                      "12:30:00.1-11:30" };
  static const char *const bad[] = { "",           "12:30:00",        "12:30Z",
                                     "12:30:00 Z", "24:00:00Z",       "12:60:00Z",
                                     "12:30:61Z",  "12:30:00.Z",      "12:30:00,5Z",
                                     "12:30:00+1", "12:30:00+01",     "12:30:00+0100",
                                     "1:30:00Z",   "12:30:00+24:00",  "12:30:00+01:60",
                                     "12-30-00Z",  "12:30:00+01:00Z", "T12:30:00Z",
                                     "12:30:00.5", "12:30:00ZZ",      "12:30:00A" };

  GOOD (FORMAT_TIME, good);
  BAD (FORMAT_TIME, bad);
}

/* Second 60 ends a day of UTC, whatever the clock on the wall says. */
static void
test_leap_seconds (void)
{
  static const char *const good[] = { "23:59:60Z",      "23:59:60.75Z",   "00:59:60+01:00",
                                      "18:59:60-05:00", "05:29:60+05:30", "23:58:60+23:59",
                                      "00:00:60-23:59" };
  static const char *const bad[] = { "00:00:60Z",      "12:59:60Z",      "23:58:60Z",
                                     "23:59:60+01:00", "23:59:60-00:01", "00:59:60-01:00" };

  GOOD (FORMAT_TIME, good);
  BAD (FORMAT_TIME, bad);
  CU_ASSERT_TRUE (fits (FORMAT_DATE_TIME, "2017-01-01T00:59:60+01:00"));
  CU_ASSERT_FALSE (fits (FORMAT_DATE_TIME, "2016-12-31T23:59:60+01:00"));
}

static void
test_date_time (void)
{
  static const char *const good[] = { "2026-01-31T12:00:00Z", "2026-01-31t12:00:00z",
                                      "2026-01-31T12:00:00.000000001+14:00",
                                      "2024-02-29T00:00:00-12:00" };
  static const char *const bad[] = { "",
                                     "2026-01-31",
                                     "2026-01-31T",
                                     "12:00:00Z",
                                     "2026-01-31T12:00:00",
                                     "2026-01-31 12:00:00Z",
                                     "2026-01-31_12:00:00Z",
                                     "2026-02-31T12:00:00Z",
                                     "2026-01-31T25:00:00Z",
                                     "2026-01-31T12:00:00Z\n",
                                     "2026-01-31T1٣:00:00Z",
                                     "12026-01-31T12:00:00Z",
                                     "Sat, 31 Jan 2026 12:00:00 GMT" };

  GOOD (FORMAT_DATE_TIME, good);
  BAD (FORMAT_DATE_TIME, bad);
}

static void
test_duration (void)
{
  static const char *const good[] = { "P1D",
                                      "P3Y6M4DT12H30M5S",
                                      "PT30M",
                                      "P52W",
                                      "PT0S",
                                      "P007D",
                                      "P1MT1M",
                                      "P1YT1S",
                                      "PT1H1M1S",
                                      "P1M10D",
                                      "P123456789012345678901234567890Y" };
  static const char *const bad[] = { "",        "P",      "PT",      "P1",    "T1H",   "1D",
                                     "P1H",     "PT1D",   "P1DT",    "PTS",   "PD",    "P1.5D",
                                     "PT1,5S",  "-P1D",   "+P1D",    "P+1D",  "P1D ",  "P1Y1D",
                                     "PT1H1S",  "P1D1M",  "P1D1D",   "P1W1D", "P1D1W", "P1WT1H",
                                     "PT1W",    "P1٣D",   "P1DT1HW", "PW",    "p1d",   "P1d",
                                     "P1DT1H2", "P1D2T3H" };

  GOOD (FORMAT_DURATION, good);
  BAD (FORMAT_DURATION, bad);
}

/* ---- hosts and addresses ---- */

#define LABEL_50 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
#define LABEL_63 LABEL_50 "abcdefghijabc"

static void
test_hostname (void)
{
  static const char *const good[] = { "localhost",
                                      "a",
                                      "1",
                                      "www.example.com",
                                      "3com.com",
                                      "a-b.c--d",
                                      "A.B.C",
                                      "192.0.2.1",
                                      LABEL_63,
                                      "x.y.z",
                                      "ab--cd",
                                      "xn.example",
                                      LABEL_63 "." LABEL_63 "." LABEL_63 "." LABEL_50
                                               ".0123456789" };
  static const char *const bad[] = {
    "",         ".",    "a.",
    ".a",       "a..b", "-a",
    "a-",       "a.-b", "a-.b",
    "a_b",      "a b",  "a.b\n",
    "münchen",  "a。b", "a:80",
    "a/b",      "*.a",  LABEL_63 "d",
    "http://a", "a@b",  LABEL_63 "." LABEL_63 "." LABEL_63 "." LABEL_50 ".01234567890"
  };

  GOOD (FORMAT_HOSTNAME, good);
  BAD (FORMAT_HOSTNAME, bad);
}

/* Labels of RFC 5890, each with what it decodes to. */
static void
test_hostname_a_labels (void)
{
  static const char *const good[] = {
    "xn--mnchen-3ya.de",     /* münchen */
    "XN--MNCHEN-3YA.DE",     /* the same */
    "www.xn--bcher-kva.ch",  /* bücher */
    "xn--strae-oqa",         /* straße */
    "xn--fiqs8s",            /* 中国 */
    "xn--p1ai",              /* рф */
    "xn--mgbaam7a8h",        /* امارات */
    "xn--4dbc.xn--1-zhc",    /* אב, א1 */
    "xn--collegi-xma",       /* col·legi: a middle dot between two l */
    "xn--qxa6a.xn--fiq228c", /* ευ, 中文 */
  };
  static const char *const bad[] = {
    "xn--",          "xn--a", "xn--99999999", "xn--abc-", /* abc, which needs no such label */
    "xn--dca",                                            /* É: a capital */
    "a.xn--e-xbb",                                        /* e and an accent in two characters */
    "xn--a-wbb.com",                                      /* a combining accent in front */
    "xn--n3h",                                            /* ☃: a symbol */
    "xn--mi7c",                                           /* ａ, full width */
    "xn--ab-m1t",                                         /* a joiner that joins nothing */
    "xn--ab-0ea.b", /* a middle dot between other letters than l */
    "xn--a-0hc",    /* Latin and Hebrew in one label */
    "xn--1-0hc",    /* a number before Hebrew */
    "xn--ab---3ra", /* ab--ü */
    "xn----eha",    /* -ü */
    "xn----dha",    /* ü- */
    "com.xn--fiqs8",
  };

  GOOD (FORMAT_HOSTNAME, good);
  BAD (FORMAT_HOSTNAME, bad);
}

static void
test_ipv4 (void)
{
  static const char *const good[] = { "0.0.0.0", "255.255.255.255", "192.0.2.1", "10.20.30.249" };
  static const char *const bad[] = {
    "",           "1",         "1.2.3",     "1.2.3.4.5",  "1.2.3.",           ".1.2.3.4",
    "1..2.3",     "1.2.3.256", "1.2.3.999", "1.2.3.04",   "01.2.3.4",         "00.0.0.0",
    "1.2.3.4 ",   " 1.2.3.4",  "1.2.3.4/8", "1.2.3.-4",   "1.2.3.0x4",        "1.2.3.4:5",
    "1234.1.1.1", "1.2.3.٣",   "1.2.3.a",   "3221225985", "255.255.255.255.", "1.2.3.4\n"
  };

  GOOD (FORMAT_IPV4, good);
  BAD (FORMAT_IPV4, bad);
}

static void
test_ipv6 (void)
{
  static const char *const good[] = { "::",
                                      "::1",
                                      "1::",
                                      "2001:db8::1",
                                      "2001:DB8:0:0:8:800:200C:417A",
                                      "1:2:3:4:5:6:7::",
                                      "::2:3:4:5:6:7:8",
                                      "1:2:3::5:6:7:8",
                                      "::192.0.2.1",
                                      "64:ff9b::192.0.2.33",
                                      "1:2:3:4:5:6:192.0.2.1",
                                      "1::3:4:5:6:192.0.2.1" };
  static const char *const bad[] = { "",
                                     ":",
                                     ":::",
                                     "1",
                                     "1:",
                                     ":1",
                                     "1:2:3:4:5:6:7",
                                     "1:2:3:4:5:6:7:8:9",
                                     "1:2:3:4:5:6:7:8:",
                                     "1:2:3:4::5:6:7:8",
                                     "1::2::3",
                                     "1:::2",
                                     "12345::",
                                     "::g",
                                     "::1%eth0",
                                     "::1/128",
                                     "[::1]",
                                     "192.0.2.1",
                                     "1:2:3:4:5:6:7:192.0.2.1",
                                     "1::3:4:5:6:7:192.0.2.1",
                                     "::192.0.2.1:1",
                                     "::192.0.2.256",
                                     "::192.0.2",
                                     "::.0.2.1",
                                     "::٣" };

  GOOD (FORMAT_IPV6, good);
  BAD (FORMAT_IPV6, bad);
}

static void
test_email (void)
{
  static const char *const good[] = { "ann@example.com",
                                      "a@b",
                                      "ann.b-c_d+tag@mail.example.co.uk",
                                      "!#$%&'*+-/=?^_`{|}~@example.com",
                                      "\"\"@example.com",
                                      "\"a b\"@example.com",
                                      "\"a@b.\\\"c\\\\\"@example.com",
                                      "ann@[192.0.2.1]",
                                      "ann@[IPv6:2001:db8::1]",
                                      "ann@[ipv6:::]",
                                      LABEL_50 "12345678901234@example.com" };
  static const char *const bad[] = { "",
                                     "ann",
                                     "@",
                                     "@example.com",
                                     "ann@",
                                     ".ann@example.com",
                                     "ann.@example.com",
                                     "a..b@example.com",
                                     "a b@example.com",
                                     "a@b@example.com",
                                     "a(comment)@example.com",
                                     "<ann@example.com>",
                                     "Ann <ann@example.com>",
                                     "ann@example.com, bob@example.com",
                                     "ann@example.com.",
                                     "ann@.example.com",
                                     "ann@-example.com",
                                     "ann@exa_mple.com",
                                     "ann@example.com\n",
                                     "änn@example.com",
                                     "ann@exämple.com",
                                     "\"ann@example.com",
                                     "\"a\"b@example.com",
                                     "\"a\"b\"@example.com",
                                     "\"a\\\"@example.com",
                                     "\"a\tb\"@example.com",
                                     "\"ä\"@example.com",
                                     "\"",
                                     "\"\\",
                                     "ann@[",
                                     "ann@[]",
                                     "ann@[192.0.2.1",
                                     "ann@192.0.2.1]",
                                     "ann@[192.0.2.256]",
                                     "ann@[2001:db8::1]",
                                     "ann@[IPv6:192.0.2.1]",
                                     "ann@[IPv6:]",
                                     "ann@[tag:text]",
                                     "ann@[192.0.2.1].com",
                                     LABEL_50 "123456789012345@example.com" };

  GOOD (FORMAT_EMAIL, good);
  BAD (FORMAT_EMAIL, bad);
}

/* ---- URIs ---- */

static void
test_uri (void)
{
  static const char *const good[] = { "https://example.com",
                                      "https://example.com/a/b;c=1/d?e=f&g#h",
                                      "HTTP://ann:secret@Example.COM:8080/",
                                      "http://example.com:/",
                                      "http://[2001:db8::1]:80/",
                                      "http://[::ffff:192.0.2.1]",
                                      "http://[v1.a:b]/",
                                      "http://300.300.300.300/",
                                      "http://%41.example/%C3%BC?%3f#%23",
                                      "http://a//b///c",
                                      "file:///etc/hosts",
                                      "mailto:ann@example.com",
                                      "urn:isbn:0451450523",
                                      "a+b-c.1:",
                                      "a:b:c@d",
                                      "a:/b",
                                      "a:?b",
                                      "a:#b",
                                      "a:b?c/d?e#f/g?h",
                                      "data:text/plain,Hello%20you" };
  static const char *const bad[] = { "",
                                     "example.com",
                                     "/a",
                                     "//example.com/a",
                                     "?a",
                                     "#a",
                                     ":",
                                     "://a",
                                     "1a:b",
                                     "a_b:c",
                                     "+a:b",
                                     "ü:a",
                                     "http://a b/",
                                     " http://a",
                                     "http://a ",
                                     "http://a\n",
                                     "http://a/ü",
                                     "http://a/\"",
                                     "http://a/<b>",
                                     "http://a/{b}",
                                     "http://a/b|c",
                                     "http://a/b\\c",
                                     "http://a/b^c",
                                     "http://a/`",
                                     "http://a/[b]",
                                     "http://a/?[b]",
                                     "http://a/#b#c",
                                     "http://a/%",
                                     "http://a/%4",
                                     "http://a/%4g",
                                     "http://%g4/",
                                     "http://a@b@c/",
                                     "http://a:80b/",
                                     "http://a:b:80/",
                                     "http://a:-1/",
                                     "http://[::1",
                                     "http://::1]/",
                                     "http://[::1]a/",
                                     "http://[1.2.3.4]/",
                                     "http://[::1%25eth0]/",
                                     "http://[v.a]/",
                                     "http://[v1.]/",
                                     "http://[v1]/",
                                     "http://[]/",
                                     "http://a[::1]/" };

  GOOD (FORMAT_URI, good);
  BAD (FORMAT_URI, bad);
  GOOD (FORMAT_URI_REFERENCE, good);
}

static void
test_uri_reference (void)
{
  static const char *const good[] = { "",      "a",           "a/b",   "/a",    "//",
                                      "//a/b", "//[::1]:1/b", "?a",    "#a",    "?",
                                      "#",     "../a/./b",    "a/b:c", "./a:b", "a@b",
                                      "a?b:c", "%41",         "a//b",  "/a:b",  "*/..#" };
  static const char *const bad[] = { ":",       ":a",     "1:a",  "a b:c", "a%:b", "//a@b@c",
                                     "//a:b/c", "//[::1", "%",    "a#b#c", "/ü",   "\\\\a\\b",
                                     "a\nb",    "[a]",    "a*:b", "/a{b}" };

  GOOD (FORMAT_URI_REFERENCE, good);
  BAD (FORMAT_URI_REFERENCE, bad);
}

static void
test_uri_template (void)
{
  static const char *const good[] = { "",
                                      "/users",
                                      "/users/{id}",
                                      "{a}{b}{+c}{#d}{.e}{/f}{;g}{?h}{&i}",
                                      "{a,b*,c:3}",
                                      "{a:1}{a:9999}",
                                      "{a.b.c_1}",
                                      "{%41%42c}",
                                      "it's(here)[0]@x",
                                      "%20ü€😀\ue000",
                                      "\xc2\xa0" };
  static const char *const bad[] = { "{",
                                     "}",
                                     "{}",
                                     "{+}",
                                     "{a",
                                     "a}",
                                     "{{a}}",
                                     "{a{b}}",
                                     "{a,}",
                                     "{,a}",
                                     "{a,,b}",
                                     "{a.}",
                                     "{.}",
                                     "{..a}",
                                     "{a..b}",
                                     "{a b}",
                                     "{ a}",
                                     "{a-b}",
                                     "{ü}",
                                     "{%4}",
                                     "{%}",
                                     "{a:}",
                                     "{a:0}",
                                     "{a:01}",
                                     "{a:10000}",
                                     "{a:1*}",
                                     "{a**}",
                                     "{a:b}",
                                     "{=a}",
                                     "{!a}",
                                     "{@a}",
                                     "{|a}",
                                     "{$a}",
                                     "{??a}",
                                     "{a?}",
                                     "a b",
                                     "%",
                                     "%4x",
                                     "\"",
                                     "<a>",
                                     "a\\b",
                                     "a^b",
                                     "`",
                                     "a|b",
                                     "\x7f",
                                     "\x01",
                                     "\xc2\x80",         /* U+0080 */
                                     "\xef\xb7\x90",     /* U+FDD0 */
                                     "\xef\xbf\xbd",     /* U+FFFD */
                                     "\xf0\x9f\xbf\xbe", /* U+1FFFE */
                                     "\xf3\xa0\x80\x81" /* U+E0001 */ };

  GOOD (FORMAT_URI_TEMPLATE, good);
  BAD (FORMAT_URI_TEMPLATE, bad);
}

/* ---- the others ---- */

static void
test_uuid (void)
{
  static const char *const good[] = { "123e4567-e89b-12d3-a456-426614174000",
                                      "00000000-0000-0000-0000-000000000000",
                                      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
                                      "0190a5b2-7C3d-7abc-8def-0123456789aB" };
  static const char *const bad[] = { "",
                                     "123e4567-e89b-12d3-a456-42661417400",
                                     "123e4567-e89b-12d3-a456-4266141740000",
                                     "123e4567e89b12d3a456426614174000",
                                     "123e4567-e89b-12d3-a456426614174000-",
                                     "123e456-7e89b-12d3-a456-426614174000",
                                     "g23e4567-e89b-12d3-a456-426614174000",
                                     "123e4567-e89b-12d3-a456-42661417400g",
                                     "123e4567-e89:-12d3-a456-426614174000",
                                     "123e4567_e89b_12d3_a456_426614174000",
                                     "{23e4567-e89b-12d3-a456-42661417400}",
                                     "123e4567-e89b-12d3-a456-4266141740\u0663" };

  GOOD (FORMAT_UUID, good);
  BAD (FORMAT_UUID, bad);
}

static void
test_json_pointer (void)
{
  static const char *const good[] = { "",     "/",    "//",      "/a/0/-", "/~0~1", "/a~1b/~01",
                                      "/ü €", "/%~0", "/\n\t\"", "/a#b",   "/ " };
  static const char *const bad[] = { "a",   "a/b", "#",   "#/a",  "/~",
                                     "/a~", "/~2", "/~/", "/~~0", " /a" };

  GOOD (FORMAT_JSON_POINTER, good);
  BAD (FORMAT_JSON_POINTER, bad);
}

static void
test_relative_json_pointer (void)
{
  static const char *const good[] = { "0",   "0#",   "1/a/~0",
                                      "10",  "2/",   "123456789012345678901234567890/a",
                                      "0-1", "0+1#", "2-10/a" };
  static const char *const bad[] = { "",      "#",  "/a",   "-1",   "+1",   "00",
                                     "01/a",  "1a", "1 ",   "1##",  "1#/a", "1/~",
                                     "1/a~2", "0-", "0+/a", "0-01", "0--1", "٣/a" };

  GOOD (FORMAT_RELATIVE_JSON_POINTER, good);
  BAD (FORMAT_RELATIVE_JSON_POINTER, bad);
}

static void
test_regex (void)
{
  static const char *const good[] = { "", "^[a-z]+$", "(?<year>\\d{4})" };
  static const char *const bad[] = { "(", "[a", "(?i)a", "*" };

  GOOD (FORMAT_REGEX, good);
  BAD (FORMAT_REGEX, bad);
}

static CU_TestInfo name_tests[] = {
  { "finds names", test_finds_names },
  { "other names say nothing", test_other_names_say_nothing },
  { "examples of phrases are good", test_examples_of_phrases_are_good },
  { "NUL ends nothing", test_nul_ends_nothing },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo verdict_tests[] = {
  { "date", test_date },
  { "time", test_time },
  { "leap seconds", test_leap_seconds },
  { "date-time", test_date_time },
  { "duration", test_duration },
  { "hostname", test_hostname },
  { "hostname: A-labels", test_hostname_a_labels },
  { "ipv4", test_ipv4 },
  { "ipv6", test_ipv6 },
  { "email", test_email },
  { "uri", test_uri },
  { "uri-reference", test_uri_reference },
  { "uri-template", test_uri_template },
  { "uuid", test_uuid },
  { "json-pointer", test_json_pointer },
  { "relative-json-pointer", test_relative_json_pointer },
  { "regex", test_regex },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "format names", NULL, NULL, NULL, NULL, name_tests },
  { "formats", NULL, NULL, NULL, NULL, verdict_tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

#include "tap.h"

#include "schema/regex.h"

static enum regex_verdict
match (const char *pattern, const char *text, size_t len)
{
  struct error err = { 0 };
  struct regex *regex = regex_compile (pattern, strlen (pattern), &err);
  struct regex_work work;
  int64_t budget = 1000 * 1000;
  enum regex_verdict verdict;

  if (regex == NULL) {
    printf ("# %s: %s\n", pattern, err.text);
    CU_FAIL_FATAL ("a good pattern was refused");
  }
  work.ready = false;
  verdict = regex_match (regex, &work, text, len, &budget);
  regex_work_end (&work);
  regex_free (regex);
  return verdict;
}

struct example {
  const char *pattern;
  const char *text;
  bool matches;
};

static void
expect_matches (const struct example *examples, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const struct example *x = &examples[i];
    if (match (x->pattern, x->text, strlen (x->text))
        == (x->matches ? REGEX_MATCH : REGEX_NO_MATCH))
      continue;
    printf ("# %s on %s\n", x->pattern, x->text);
    CU_FAIL ("wrong verdict");
  }
}
#define EXPECT_MATCHES(examples) expect_matches (examples, sizeof examples / sizeof *examples)

static void
test_plain_patterns (void)
{
  static const struct example examples[] = { { "", "", true },
                                             { "", "a", true },
                                             { "b", "abc", true },
                                             { "^b", "abc", false },
                                             { "^a*$", "aaa", true },
                                             { "^a*$", "aab", false },
                                             { "a|b", "b", true },
                                             { "^(?:ab)+?$", "abab", true },
                                             { "^a{2,3}$", "aa", true },
                                             { "^a{2}$", "aaa", false },
                                             { "^a{2,}$", "aaaa", true },
                                             { "^(?=.*\\d).{3}$", "ab1", true },
                                             { "(?<!a)b", "ab", false },
                                             { "^(?<year>\\d{4})$", "2026", true },
                                             { "a{,2}", "a{,2}", true },
                                             { "^{}$", "{}", true },
                                             { "x]", "x]", true } };

  EXPECT_MATCHES (examples);
}

/* Where ECMA-262 and PCRE2 differ. */
static void
test_ecma_meanings (void)
{
  static const struct example examples[] = { { "^a$", "a\n", false },
                                             { "^\\d$", "٣", false },
                                             { "^\\D$", "٣", true },
                                             { "^\\w$", "é", false },
                                             { "^\\W$", "é", true },
                                             { "^[\\w]$", "é", false },
                                             { "^\\s$", "\u00a0", true },
                                             { "^\\s$", "\ufeff", true },
                                             { "^\\s$", "\u2029", true },
                                             { "^\\s$", "\u3000", true },
                                             { "^\\S$", "\u00a0", false },
                                             { "^[\\s]$", "\u2003", true },
                                             { "^[\\S]$", "\u2003", false },
                                             { "^[\\S]$", "é", true },
                                             { "^[^\\s]$", "\u00a0", false },
                                             { "^.$", "\r", false },
                                             { "^.$", "\u2028", false },
                                             { "^.$", "😀", true },
                                             { "^\\v$", "\v", true },
                                             { "^\\v$", "\n", false },
                                             { "^\\cC$", "\x03", true },
                                             { "^[\\b]$", "\b", true },
                                             { "^\\x41\\u0042\\u{43}$", "ABC", true },
                                             { "^\\ud83d\\ude00$", "😀", true },
                                             { "^[]$", "a", false },
                                             { "^[^]$", "\n", true },
                                             { "^[[]$", "[", true },
                                             { "^[[:alpha:]]$", "a:]", false },
                                             { "^[\\w-.]+$", "a-.", true },
                                             { "^\\/\\-\\.$", "/-.", true },
                                             { "^\\p{Letter}+$", "aé", true },
                                             { "^\\p{Lu}$", "a", false },
                                             { "^\\P{Number}$", "1", false },
                                             { "^\\p{Script=Greek}$", "α", true },
                                             { "^\\p{gc=Decimal_Number}$", "٣", true },
                                             { "^[\\p{Lowercase_Letter}\\d]+$", "a1", true } };

  EXPECT_MATCHES (examples);
  CU_ASSERT_EQUAL (match ("^a\\0b$", "a\0b", 3), REGEX_MATCH);
}

static void
test_refused_patterns (void)
{
  static const struct {
    const char *pattern;
    const char *why;
  } refused[] = {
    { "(", "missing closing parenthesis" },
    { ")", "unmatched closing parenthesis" },
    { "[a", "[ without ]" },
    { "[\\", "[ without ]" },
    { "a\\", "\\ at the end" },
    { "*a", "nothing to repeat before '*'" },
    { "a**", "nothing to repeat before '*'" },
    { "a++", "nothing to repeat before '+'" },
    { "(*ACCEPT)", "nothing to repeat before '*'" },
    { "(*LIMIT_MATCH=9)a", "nothing to repeat before '*'" },
    { "^*", "nothing to repeat before '*'" },
    { "a{2}{3}", "nothing to repeat before '{3}'" },
    { "[b-a]", "range out of order" },
    { "\\a", "unknown escape \\a" },
    { "\\Qa\\E", "unknown escape \\Q" },
    { "\\Z", "unknown escape \\Z" },
    { "\\R", "unknown escape \\R" },
    { "\\G", "unknown escape \\G" },
    { "\\C", "unknown escape \\C" },
    { "(?i)a", "unknown group (?" },
    { "(?R)", "unknown group (?" },
    { "(?1)", "unknown group (?" },
    { "(?>a)", "unknown group (?" },
    { "(?#c)", "unknown group (?" },
    { "(?C1)", "unknown group (?" },
    { "(?P<n>a)", "unknown group (?" },
    { "(a)\\1", "back references" },
    { "(?<n>a)\\k<n>", "back references" },
    { "\\01", "octal escapes" },
    { "\\xg1", "two hex digits" },
    { "\\u12", "four hex digits" },
    { "\\u{110000}", "names no character" },
    { "\\ud800", "names no character" },
    { "\\pL", "without {a property}" },
    { "\\p{}}", "unknown property" },
    { "\\p{L&}", "is no property" },
    { "\\p{Nonsense}", "unknown property" },
    { "\\c1", "without a letter" },
    { "((a{1000}){1000}){1000}", "too large" },
  };

  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct error err = { 0 };
    struct regex *regex = regex_compile (refused[i].pattern, strlen (refused[i].pattern), &err);
    if (regex == NULL && strstr (err.text, refused[i].why) != NULL)
      continue;
    printf ("# %s: %s\n", refused[i].pattern, regex != NULL ? "accepted" : err.text);
    CU_FAIL ("not refused as expected");
    regex_free (regex);
  }
}

static void
test_long_and_deep_patterns (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct error err = { 0 };

  while (b.len <= PATTERN_LEN_MAX)
    buf_putc (&b, 'a');
  CU_ASSERT_PTR_NULL (regex_compile (b.data, b.len, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "pattern of 4097 bytes, at most 4096 are allowed");
  b.len = 0;
  for (int i = 0; i < 100; i++)
    buf_putc (&b, '(');
  for (int i = 0; i < 100; i++)
    buf_putc (&b, ')');
  CU_ASSERT_PTR_NULL (regex_compile (b.data, b.len, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "too deeply nested"));
}

/* Patterns that take a backtracking matcher forever: each ends, and within its budget. */
static void
test_hostile_patterns_end (void)
{
  static const char *const patterns[] = {
    "(a+)+$",
    "^(a+)+$",
    "(a|aa)+$",
    "(a|a?)+$",
    "(.*a){20}$",
    "(a*)*b",
    "(x+x+)+y",
    "a*c",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "a*a*a*a*a*a*c",
    "^(.*)*$",
    "(?:a?){50}a{50}b",
    "([a-zA-Z]+)*$b",
    "\\s+$",
    "(?=(a+))+b",
    "(?!a*b)c",
    "(?<=a)b*c",
    "(\\p{L}+)*\\d",
    "^(a?a?a?a?a?)*b$",
    "[\\s\\S]*[\\s\\S]*x!",
    "(.+)+!",
    "a{1,100}a{1,100}c",
    "(a{0,50}){0,20}c",
    "[^b]*[^c]*[^d]*e",
    "(?:(?:a|b)|(?:a|b))*c",
    "(\\w+\\s?)*$!",
    "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$"
  };
  enum { LEN = 100 * 1000 };
  CLEANUP_FREE char *text = xmalloc (LEN);
  unsigned given_up = 0;

  memset (text, 'a', LEN - 1);
  text[LEN - 1] = '!';
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    given_up += match (patterns[i], text, LEN) == REGEX_TOO_COSTLY;
  CU_ASSERT (given_up > 5);
  memset (text, ' ', LEN);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    (void) match (patterns[i], text, LEN);
}

/* Ordinary patterns are cheap, also on long texts. */
static void
test_ordinary_patterns_are_affordable (void)
{
  enum { LEN = 100 * 1000 };
  CLEANUP_FREE char *text = xmalloc (LEN);

  memset (text, 'a', LEN);
  CU_ASSERT_EQUAL (match ("^[a-z]+$", text, LEN), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^.*$", text, LEN), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("\\bfoo\\b", text, LEN), REGEX_NO_MATCH);
  CU_ASSERT_EQUAL (match ("^\\S.*\\S$", text, LEN), REGEX_MATCH);
}

static void
test_budget_is_shared (void)
{
  struct error err = { 0 };
  struct regex *regex = regex_compile ("^[a-z]+@[a-z]+$", 15, &err);
  struct regex_work work;
  int64_t budget = 200;
  unsigned matches = 0;

  CU_ASSERT_PTR_NOT_NULL_FATAL (regex);
  work.ready = false;
  while (regex_match (regex, &work, "me@example", 10, &budget) == REGEX_MATCH)
    matches++;
  CU_ASSERT (matches >= 2 && matches < 50);
  CU_ASSERT (budget < 0);
  regex_work_end (&work);
  regex_free (regex);
}

static CU_TestInfo tests[] = { { "plain patterns", test_plain_patterns },
                               { "ECMA-262's meanings", test_ecma_meanings },
                               { "refused patterns", test_refused_patterns },
                               { "long and deep patterns", test_long_and_deep_patterns },
                               { "hostile patterns end", test_hostile_patterns_end },
                               { "ordinary patterns are affordable",
                                 test_ordinary_patterns_are_affordable },
                               { "the budget is shared", test_budget_is_shared },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "regex", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

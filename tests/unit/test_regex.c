#include "tap.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "schema/regex/engine.h"
#include "schema/regex/regex.h"
#include "schema/regex/simple.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

enum { BUDGET = 1000 * 1000 /* steps of one validation */ };

static struct regex *
compile (const char *pattern)
{
  struct error err = { 0 };
  struct regex *regex = regex_compile (pattern, strlen (pattern), &err);

  if (regex == NULL) {
    printf ("# %s: %s\n", pattern, err.text);
    CU_FAIL_FATAL ("a good pattern was refused");
  }
  return regex;
}

static enum regex_verdict
match (const char *pattern, const char *text, size_t len)
{
  struct regex *regex = compile (pattern);
  int64_t budget = BUDGET;
  enum regex_verdict verdict = regex_match (regex, text, len, &budget);

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
                                             { "^[\\ud83d\\ude00]$", "😀", true },
                                             { "\\ud83d", "😀", false },
                                             { "^[^\\ud800-\\udfff]$", "😀", true },
                                             { "^[\\ud7ff-\\ue000]$", "\ue000", true },
                                             { "^\\u{000000041}$", "A", true },
                                             { "^[]$", "a", false },
                                             { "^[]?a$", "a", true },
                                             { "^[]?\\ba$", "a", true },
                                             { "^[^]$", "\n", true },
                                             { "^[[]$", "[", true },
                                             { "^[[:alpha:]]$", "a:]", false },
                                             { "^[\\w-.]+$", "a-.", true },
                                             { "^[+-\\d]+$", "1-+", true },
                                             { "^\\@\\_\\ $", "@_ ", true },
                                             { "^\\/\\-\\.$", "/-.", true },
                                             { "^\\p{Letter}+$", "aé", true },
                                             { "^\\p{Lu}$", "a", false },
                                             { "^\\P{Number}$", "1", false },
                                             { "^\\p{Script=Greek}$", "α", true },
                                             { "^\\p{sc=Grek}$", "α", true },
                                             { "^\\p{Script_Extensions=Greek}$", "a", false },
                                             { "^\\p{gc=Decimal_Number}$", "٣", true },
                                             { "^\\p{General_Category=Nd}$", "٣", true },
                                             { "^\\p{ASCII}\\p{Any}$", "aé", true },
                                             { "^\\p{Assigned}$", "a", true },
                                             { "^\\P{Assigned}$", "a", false },
                                             { "^\\p{Emoji_Presentation}$", "😀", true },
                                             { "^[^\\p{Lu}\\d]+$", "aé", true },
                                             { "^[^\\p{Lu}\\d]+$", "a1", false },
                                             { "^[\\P{Lu}]+$", "aA", false },
                                             { "^[\\p{Lowercase_Letter}\\d]+$", "a1", true } };

  EXPECT_MATCHES (examples);
  CU_ASSERT_EQUAL (match ("^a\\0b$", "a\0b", 3), REGEX_MATCH);
}

static void
test_back_references (void)
{
  static const struct example examples[] = { { "^(a|b)\\1$", "bb", true },
                                             { "^(a|b)\\1$", "ab", false },
                                             { "^(?<q>['\"]).*\\k<q>$", "'a'", true },
                                             { "^(?<q>['\"]).*\\k<q>$", "'a\"", false },
                                             { "^\\k<later>(?<later>a)$", "a", true },
                                             { "^(?:(a)|b)\\1$", "b", true },
                                             { "^(a)?\\1{2}b$", "b", true },
                                             { "^(?:(a)|b)\\1{2,}c$", "bc", true },
                                             { "^(a\\1)$", "a", true },
                                             { "^(?:(a|b)\\1)+$", "aabb", true },
                                             { "^(?:(a|b)\\1)+$", "aaba", false },
                                             { "^(?!(a)b)\\1a$", "a", true },
                                             { "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10", "abcdefghijj",
                                               true },
                                             { "^(é+)-\\1$", "éé-éé", true } };

  EXPECT_MATCHES (examples);
}

/* A set is of code points, whichever they are and however many bytes they take. */
static void
test_beyond_ascii (void)
{
  static const struct example examples[] = { { "^[^a]$", "é", true },
                                             { "^[^a]{2}$", "😀", false },
                                             { "^[^a]{2}$", "é😀", true },
                                             { "^[à-ü]+$", "éè", true },
                                             { "^[à-ü]+$", "éß", false },
                                             { "^🐲*$", "🐲🐲", true },
                                             { "^🐲*$", "🐉", false },
                                             { "^[😀-😎]$", "😃", true },
                                             { "^[\u0400-\u04ff ]+$", "Привет мир", true },
                                             { "^.{1,4}$", "日本語!", true },
                                             { "^.{1,3}$", "日本語!", false },
                                             { "本", "日本語", true },
                                             { "語$", "日本語", true },
                                             { "^[^x]{2,3}$", "é", false },
                                             { "^[^x]{2,3}$", "éé", true },
                                             { "^[^x]{2,3}$", "ééé", true },
                                             { "^[^x]{2,3}$", "ééaa", false },
                                             { "^[^x]{2,3}$", "😀😀😀😀", false },
                                             { "^[^x]{5,}$", "😀😀", false },
                                             { "^\\S+$", "a\u3000b", false } };

  EXPECT_MATCHES (examples);
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
    { "(a)\\2", "a back reference to a group that is not there" },
    { "\\1", "a back reference to a group that is not there" },
    { "(?<n>a)\\k<m>", "\\k<m> names no group" },
    { "(?<n>a)\\k", "\\k without <the name" },
    { "(?<n>a)(?<n>b)", "two groups of one name" },
    { "(?<1>a)", "no name of a group" },
    { "(?<>a)", "no name of a group" },
    { "(?:(a)|b)*\\1", "that a repetition may pass by is not supported" },
    { "(a*)*\\1", "that a repetition may pass by is not supported" },
    { "(?:\\1(a))+", "that a repetition may pass by is not supported" },
    { "(?<=a+)b", "lookbehind of no fixed length is not supported" },
    { "(?=a)*", "nothing to repeat before '*'" },
    { "\\b+", "nothing to repeat before '+'" },
    { "a{3,2}", "numbers out of order" },
    { "\\01", "octal escapes" },
    { "\\xg1", "two hex digits" },
    { "\\u12", "four hex digits" },
    { "\\u{110000}", "names no character" },
    { "\\pL", "without {a property}" },
    { "\\p{}}", "unknown property" },
    { "\\p{lu}", "unknown property" },
    { "\\p{Greek}", "unknown property" },
    { "\\p{Script=Nonsense}", "unknown property" },
    { "\\p{Script=greek}", "unknown property" },
    { "\\p{L&}", "no name of a property" },
    { "\\p{Nonsense}", "unknown property" },
    { "\\c1", "without a letter" },
    { "((a{1000}){1000}){1000}", "too costly a pattern: its repetitions multiply" },
    { "(((a{1,100}){1,100}){1,100})", "too costly a pattern: its repetitions multiply" },
    { "(?:(?:(?:){4000}){4000}){4000}", "too costly a pattern: its repetitions multiply" },
    { "a{2000000}", "too costly a pattern: it counts to more than" },
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

/* What "format": "regex" says: to the letter, without what patterns are forgiven. */
static void
test_validity (void)
{
  static const struct {
    const char *pattern;
    bool valid;
  } examples[] = {
    { "", true },
    { "([abc])+\\s+$", true },
    { "a|b", true },
    { "a{2,3}", true },
    { "a+?", true },
    { "[^a-z]", true },
    { "[]", true },
    { "[^]", true },
    { "\\cA", true },
    { "\\ud800", true },
    { "(?<name>x)", true },
    { "(?<n>a)\\k<n>", true },
    { "(a)\\1", true },
    { "(?:(a)|b)*\\1", true },
    { "(?<=a+)b", true },
    { "[\\w\\-.]\\/", true },
    { "^(abc]", false },
    { "*a", false },
    { "[z-a]", false },
    { "\\", false },
    { "a)", false },
    { "[abc", false },
    { "\\a", false },
    { "\\Z", false },
    { "\\-", false },
    { "\\ ", false },
    { "\\1", false },
    { "[\\1]", false },
    { "[\\w-.]", false },
    { "a{,2}", false },
    { "a{1", false },
    { "}", false },
    { "]", false },
    { "(?=a)*", false },
    { "(?i)abc", false },
    { "(?ims)abc", false },
    { "(?#comment)a", false },
    { "(?P<name>x)", false },
    { "(?P<n>a)(?P=n)", false },
    { "\\p{Greek}", false },
    { "\xff", false },
  };

  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    const char *pattern = examples[i].pattern;
    if (regex_is_valid (pattern, strlen (pattern)) == examples[i].valid)
      continue;
    printf ("# %s\n", pattern);
    CU_FAIL ("wrong verdict");
  }
}

static void
test_translation (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct error err = { 0 };

  CU_ASSERT (regex_translate ("^(a|[b-d])+?[^x]$", 17, &out, &err));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "^(?:\\x{61}|[\\x{62}-\\x{64}]){1,}?[^\\x{78}]$");
  CU_ASSERT_FALSE (regex_translate ("\\Q", 2, &out, &err));
}

/* ---- without the engine ---- */

static void
test_most_patterns_need_no_engine (void)
{
  static const char *const patterns[] = { "^[a-z][a-z0-9_]{0,62}(\\.[a-z][a-z0-9_]{0,62})?$",
                                          "^[A-Z]{3}$",
                                          "^ORD-[0-9]{6,12}$",
                                          "^[A-Za-z_][A-Za-z0-9_]*$",
                                          "^x-",
                                          "foo",
                                          "\\.json$",
                                          "^(asc|desc|ascending)$",
                                          ".*",
                                          "^$|^\\d{4}-\\d{2}-\\d{2}$",
                                          "^#?[0-9a-fA-F]{6}$",
                                          "^[^\\s@]+@[^\\s@]+\\.[^\\s@]{2,}$",
                                          "^(?=.*[a-z])(?=.*\\d)(?!.*\\s).{8,64}$",
                                          "^.{1,1000}$",
                                          "^[^<>]{0,100000}$",
                                          "^[a-z].{0,300}$",
                                          "(a+)+$" };

  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    struct regex *regex = compile (patterns[i]);
    if (regex->simple == NULL || regex->size > 16 * 1024) {
      printf ("# %s\n", patterns[i]);
      CU_FAIL ("made for the engine, or too large");
    }
    regex_free (regex);
  }
}

/* Pseudo-random, and the same every time. */
static uint32_t
dice (uint64_t *seed, uint32_t sides)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t) (*seed >> 33) % sides;
}

static void
random_pattern (struct buf *b, uint64_t *seed, int depth)
{
  static const char *const atoms[] = { "a",   "b",   "c",      "é", ".", "[ab]", "[^a]",
                                       "\\d", "\\W", "[à-ü1]", "^", "$", "ab",   "[]" };
  static const char *const quantifiers[] = { "*",     "+",    "?",  "{2}", "{0,2}",
                                             "{1,3}", "{2,}", "*?", "+?",  "{0}" };

  for (uint32_t n = dice (seed, 4); n > 0; n--) {
    uint32_t i = dice (seed, sizeof atoms / sizeof *atoms + 3);
    const char *atom = i < sizeof atoms / sizeof *atoms ? atoms[i] : NULL;
    if (atom != NULL)
      buf_puts (b, atom);
    else {
      buf_puts (b, dice (seed, 2) ? "(" : "(?:");
      if (depth > 0)
        random_pattern (b, seed, depth - 1);
      buf_putc (b, ')');
    }
    if (dice (seed, 3) == 0 && (atom == NULL || (*atom != '^' && *atom != '$')))
      buf_puts (b, quantifiers[dice (seed, sizeof quantifiers / sizeof *quantifiers)]);
    if (dice (seed, 6) == 0)
      buf_putc (b, '|');
  }
}

static void
random_text (struct buf *b, uint64_t *seed)
{
  static const char *const pieces[] = { "a", "b", "c", "1", " ", "\n", "é", "\u2028", "😀" };

  for (uint32_t n = dice (seed, 7); n > 0; n--)
    buf_puts (b, pieces[dice (seed, sizeof pieces / sizeof *pieces)]);
}

static void
compare_programs (struct buf *pattern, uint64_t *seed)
{
  CLEANUP_REGEX_TREE struct regex_tree tree = { 0 };
  struct error err = { 0 };

  CU_ASSERT_FATAL (regex_tree_read (&tree, pattern->data, pattern->len, false, &err));
  struct regex_simple *simple = regex_simple_new (&tree);
  struct regex_engine *engine = regex_engine_new (&tree, &err);
  CU_ASSERT (simple != NULL && engine != NULL);
  for (int i = 0; i < 8 && simple != NULL && engine != NULL; i++) {
    CLEANUP_BUF struct buf text = { 0 };
    int64_t budget = BUDGET, other = BUDGET;
    random_text (&text, seed);
    (void) buf_cstr (&text);
    if (regex_simple_match (simple, text.data, text.len, &budget)
        == regex_engine_match (engine, text.data, text.len, &other))
      continue;
    printf ("# %s on %s\n", buf_cstr (pattern), text.data);
    CU_FAIL ("the engine says otherwise");
  }
  regex_simple_free (simple);
  regex_engine_free (engine);
}

static void
test_programs_agree (void)
{
  uint64_t seed = 20260101;

  for (int i = 0; i < 2000; i++) {
    CLEANUP_BUF struct buf pattern = { 0 };
    static const char *const frames[][2] = {
      { "", "" }, { "", "" }, { "^(?:", ")$" }, { "^(?=.*a)(?:", ")" }, { "^(?!b|.*1)(?:", ")$" }
    };
    const char *const *frame = frames[dice (&seed, sizeof frames / sizeof *frames)];
    buf_puts (&pattern, frame[0]);
    random_pattern (&pattern, &seed, 2);
    buf_puts (&pattern, frame[1]);
    (void) buf_cstr (&pattern);
    compare_programs (&pattern, &seed);
  }
}

/* ---- what a match may cost ---- */

/* Patterns that take a backtracking matcher forever. */
static const char *const hostile[] = {
  "(a+)+$",
  "^(a+)+$",
  "^(a|aa)+$",
  "(a|a?)+$",
  "(.*a){20}$",
  "(a*)*b",
  "(x+x+)+y",
  "a*c",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "a*a*a*a*a*a*c",
  "(.*)*x",
  "^(.*)*$",
  "(?:a?){50}a{50}b",
  "([a-zA-Z]+)*$b",
  "\\s+$",
  "(?=(a+))a*b\\b",
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
  "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$",
  "^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$",
  "^(.*?,){11}P",
  "(a+)\\1+b",
  "(a*)(a*)(a*)\\3\\2\\1b",
  "(.*)\\1x",
  "(\\w*)\\b\\1z",
  "(?=((?:.*a){9}))b\\1",
  "\\b(\\w+\\b\\W*)+\\d{30}z",
  "(?:.*\\b){5}q",
  "\\b[ab]{60000}c",
  "(?<=[ab]{60000})c",
  "(?:[\\p{L}\\p{N}]*)*\\d",
};

enum { HOSTILE = sizeof hostile / sizeof *hostile, LONG_TEXT = 100 * 1000 };

/* 'a' throughout, or blanks, or words; then what the patterns wait for, or not. */
static void
fill_long_text (char *text, int kind)
{
  for (size_t i = 0; i < LONG_TEXT; i++)
    text[i] = "aaaaaa      abab,a"[(size_t) (kind % 3) * 6 + i % 6];
  text[LONG_TEXT - 1] = '!';
  if (kind >= 3)
    memcpy (text + LONG_TEXT - 12, "bcdexyzq1P!e", 12);
}

/* Each ends, and within its budget: the verdict is "too costly" when and only when it is used up.
 */
static void
test_hostile_patterns_end (void)
{
  CLEANUP_FREE char *text = xmalloc (LONG_TEXT);
  unsigned given_up = 0;

  for (size_t i = 0; i < HOSTILE; i++) {
    struct regex *regex = compile (hostile[i]);
    for (int kind = 0; kind < 6; kind++) {
      int64_t budget = BUDGET;
      fill_long_text (text, kind);
      enum regex_verdict verdict = regex_match (regex, text, LONG_TEXT, &budget);
      CU_ASSERT_EQUAL (verdict == REGEX_TOO_COSTLY, budget < 0);
      given_up += verdict == REGEX_TOO_COSTLY;
    }
    regex_free (regex);
  }
  CU_ASSERT (given_up > 5);
}

/* The engine alone counts well too, also what it does in one go. */
static void
test_hostile_patterns_end_in_the_engine (void)
{
  CLEANUP_FREE char *text = xmalloc (LONG_TEXT);

  for (size_t i = 0; i < HOSTILE; i++) {
    CLEANUP_REGEX_TREE struct regex_tree tree = { 0 };
    struct error err = { 0 };
    CU_ASSERT_FATAL (regex_tree_read (&tree, hostile[i], strlen (hostile[i]), false, &err));
    struct regex_engine *engine = regex_engine_new (&tree, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL (engine);
    for (int kind = 0; kind < 6; kind++) {
      int64_t budget = BUDGET;
      fill_long_text (text, kind);
      enum regex_verdict verdict = regex_engine_match (engine, text, LONG_TEXT, &budget);
      CU_ASSERT (verdict == REGEX_TOO_COSTLY || budget >= 0);
    }
    regex_engine_free (engine);
  }
}

/* Without the engine the text is gone over once, whatever the pattern. */
static void
test_simple_patterns_are_linear (void)
{
  static const char *const patterns[] = { "(a+)+$", "(.*a){20}$", "\\s+$",
                                          "^([\\w.-]+)+@([\\w-]+\\.)+[a-z]{2,}$", "a*a*a*b" };
  CLEANUP_FREE char *text = xmalloc (LONG_TEXT);

  fill_long_text (text, 0);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    struct regex *regex = compile (patterns[i]);
    int64_t budget = BUDGET;
    CU_ASSERT_EQUAL (regex_match (regex, text, LONG_TEXT, &budget), REGEX_NO_MATCH);
    CU_ASSERT (budget >= BUDGET - 1 - LONG_TEXT / 8);
    regex_free (regex);
  }
}

/* Ordinary patterns are cheap, also on long texts. */
static void
test_ordinary_patterns_are_affordable (void)
{
  CLEANUP_FREE char *text = xmalloc (LONG_TEXT);

  memset (text, 'a', LONG_TEXT);
  CU_ASSERT_EQUAL (match ("^[a-z]+$", text, LONG_TEXT), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^.*$", text, LONG_TEXT), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^.{0,200000}$", text, LONG_TEXT), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^.{0,99999}$", text, LONG_TEXT), REGEX_NO_MATCH);
  CU_ASSERT_EQUAL (match ("^a{100000,}$", text, LONG_TEXT), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^a{100001,}$", text, LONG_TEXT), REGEX_NO_MATCH);
  CU_ASSERT_EQUAL (match ("\\bfoo\\b", text, LONG_TEXT), REGEX_NO_MATCH);
  CU_ASSERT_EQUAL (match ("^\\p{L}+$", text, LONG_TEXT), REGEX_MATCH);
  CU_ASSERT_EQUAL (match ("^\\S.*\\S$", text, LONG_TEXT), REGEX_MATCH);
}

static void
expect_shared_budget (const char *pattern)
{
  struct regex *regex = compile (pattern);
  int64_t budget = 200;
  unsigned matches = 0;

  while (regex_match (regex, "me@example", 10, &budget) == REGEX_MATCH)
    matches++;
  CU_ASSERT (matches >= 2 && matches <= 100);
  CU_ASSERT (budget < 0);
  regex_free (regex);
}

static void
test_budget_is_shared (void)
{
  expect_shared_budget ("^[a-z]+@[a-z]+$");
  expect_shared_budget ("^[a-z]+\\b@[a-z]+$");
}

/* ---- threads, and a machine without machine code ---- */

static const char swapped[] = "^(\\w)(\\d)-\\2\\1$";

static void *
match_often (void *p)
{
  const struct regex *regex = p;
  uintptr_t wrong = 0;

  for (int i = 0; i < 500; i++) {
    int64_t budget = BUDGET;
    wrong += regex_match (regex, "a1-1a", 5, &budget) != REGEX_MATCH;
    wrong += regex_match (regex, "a1-a1", 5, &budget) != REGEX_NO_MATCH;
  }
  return (void *) wrong;
}

static void
test_threads_share_a_pattern (void)
{
  struct regex *regex = compile (swapped);
  pthread_t threads[4];

  for (size_t i = 0; i < 4; i++)
    CU_ASSERT_EQUAL_FATAL (pthread_create (&threads[i], NULL, match_often, regex), 0);
  for (size_t i = 0; i < 4; i++) {
    void *wrong;
    CU_ASSERT_EQUAL (pthread_join (threads[i], &wrong), 0);
    CU_ASSERT_PTR_NULL (wrong);
  }
  regex_free (regex);
}

/* 0: the verdicts are right. */
static int
match_without_machine_code (void)
{
  struct error err = { 0 };
  struct regex *regex = regex_compile (swapped, strlen (swapped), &err);

  return regex == NULL || match_often (regex) != NULL;
}

static void
test_machine_code_may_be_refused (void)
{
  int status;
  pid_t child = fork ();

  CU_ASSERT_FATAL (child >= 0);
  if (child == 0)
    _exit (prctl (PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0
             ? 77
             : match_without_machine_code ());
  CU_ASSERT_EQUAL_FATAL (waitpid (child, &status, 0), child);
  CU_ASSERT_FATAL (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    TAP_SKIP ("the kernel can't forbid writable memory to become code");
  CU_ASSERT_EQUAL (WEXITSTATUS (status), 0);
}

/* ---- for guards: where it matches, and without regard to case ---- */

static const struct {
  const char *pattern, *text;
  size_t from, start, end; /* start > end: no match */
} found[] = {
  { "b+", "abbab", 0, 1, 3 }, { "b+", "abbab", 2, 2, 3 },
  { "b+", "abbab", 3, 4, 5 }, { "b+", "abbab", 5, 1, 0 },
  { "^a", "aa", 1, 1, 0 },    { "(?<=a)b", "ab", 1, 1, 2 },
  { "x*", "ab", 1, 1, 1 },    { "\xc3\xa9", "e\xc3\xa9", 0, 1, 3 },
  { "a$", "aa", 0, 1, 2 },    { "(a)\\1", "baac", 0, 1, 3 },
};

static void
where_it_matches (void)
{
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    struct regex *regex =
      regex_compile_for (found[i].pattern, strlen (found[i].pattern), REGEX_FINDS, NULL);
    int64_t budget = BUDGET;
    size_t start = 1, end = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL (regex);
    CU_ASSERT_EQUAL (regex_find (regex, found[i].text, strlen (found[i].text), found[i].from,
                                 &start, &end, &budget),
                     found[i].start > found[i].end ? REGEX_NO_MATCH : REGEX_MATCH);
    CU_ASSERT_TRUE (start == found[i].start && end == found[i].end);
    CU_ASSERT_TRUE (budget <= BUDGET);
    regex_free (regex);
  }
}

static void
a_search_ends_with_its_budget (void)
{
  static const char pattern[] = "(a+)+b", text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacb";
  struct regex *regex = regex_compile_for (pattern, sizeof pattern - 1, REGEX_FINDS, NULL);
  int64_t budget = 100;
  size_t start, end;

  CU_ASSERT_PTR_NOT_NULL_FATAL (regex);
  CU_ASSERT_EQUAL (regex_find (regex, text, sizeof text - 1, 0, &start, &end, &budget),
                   REGEX_TOO_COSTLY);
  CU_ASSERT_TRUE (budget < 0);
  regex_free (regex);
}

static const struct {
  const char *pattern, *text;
  bool matches;
} both_cases[] = {
  { "^straSSe$", "STRASSE", true },
  { "^[a-c]+$", "aBC", true },
  { "^[^a-c]+$", "B", false },
  { "^[^a-c]+$", "D", true },
  { "^\xc3\xa4\xc3\x96$", "\xc3\x84\xc3\xb6", true },
  { "^\xce\xa3$", "\xcf\x82", true }, /* the two small sigmas are letters of one capital */
  { "^\\u0416$", "\xd0\xb6", true },
  { "^1_-$", "1_-", true },
  { "^a(?=B)", "Ab", true },
};

/* Both programs of a pattern say the same. */
static void
without_regard_to_case (void)
{
  for (size_t i = 0; i < sizeof both_cases / sizeof *both_cases; i++) {
    const char *pattern = both_cases[i].pattern, *text = both_cases[i].text;
    struct regex *regex =
      regex_compile_for (pattern, strlen (pattern), REGEX_IGNORES_CASE | REGEX_FINDS, NULL);
    int64_t budget = BUDGET;
    size_t start, end;
    CU_ASSERT_PTR_NOT_NULL_FATAL (regex);
    CU_ASSERT_EQUAL (regex_match (regex, text, strlen (text), &budget),
                     both_cases[i].matches ? REGEX_MATCH : REGEX_NO_MATCH);
    CU_ASSERT_EQUAL (regex_find (regex, text, strlen (text), 0, &start, &end, &budget),
                     both_cases[i].matches ? REGEX_MATCH : REGEX_NO_MATCH);
    regex_free (regex);
  }
}

static CU_TestInfo tests[] = {
  { "plain patterns", test_plain_patterns },
  { "ECMA-262's meanings", test_ecma_meanings },
  { "back references", test_back_references },
  { "beyond ASCII", test_beyond_ascii },
  { "refused patterns", test_refused_patterns },
  { "long and deep patterns", test_long_and_deep_patterns },
  { "validity", test_validity },
  { "translation", test_translation },
  { "most patterns need no engine", test_most_patterns_need_no_engine },
  { "with and without the engine", test_programs_agree },
  { "hostile patterns end", test_hostile_patterns_end },
  { "hostile patterns end in the engine", test_hostile_patterns_end_in_the_engine },
  { "simple patterns are linear", test_simple_patterns_are_linear },
  { "ordinary patterns are affordable", test_ordinary_patterns_are_affordable },
  { "the budget is shared", test_budget_is_shared },
  { "threads share a pattern", test_threads_share_a_pattern },
  { "machine code may be refused", test_machine_code_may_be_refused },
  { "where it matches", where_it_matches },
  { "a search ends with its budget", a_search_ends_with_its_budget },
  { "without regard to case", without_regard_to_case },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "regex", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

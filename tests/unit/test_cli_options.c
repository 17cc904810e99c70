#include "tap.h"

#include "cli/options.h"

enum { EVERYTHING = ~0u };

static struct options options;
static struct error err;
static char *words[16];
static int count;

/* Parse a NULL-terminated list. */
static bool
parse (unsigned allowed, bool stop, const char *const *list)
{
  options_free (&options);
  err.text[0] = '\0';
  for (count = 0; list[count] != NULL; count++)
    words[count] = (char *) (uintptr_t) list[count];
  return options_parse (&options, allowed, stop, words, &count, &err);
}
#define PARSE(allowed, stop, ...) parse (allowed, stop, (const char *const[]){ __VA_ARGS__, NULL })

static void
test_forms (void)
{
  CU_ASSERT (PARSE (EVERYTHING, false, "--socket", "/a", "-j", "--format=mcp", "-d500", "word"));
  CU_ASSERT_STRING_EQUAL (options.socket, "/a");
  CU_ASSERT_STRING_EQUAL (options.format, "mcp");
  CU_ASSERT_EQUAL (options.deadline_ms, 500);
  CU_ASSERT (options.json);
  CU_ASSERT_EQUAL (count, 1);
  CU_ASSERT_STRING_EQUAL (words[0], "word");
}

static void
test_words (void)
{
  CU_ASSERT (PARSE (EVERYTHING, false, "a", "--json", "-", "--", "--names"));
  CU_ASSERT_EQUAL (count, 3);
  CU_ASSERT_STRING_EQUAL (words[1], "-");
  CU_ASSERT_STRING_EQUAL (words[2], "--names");
  CU_ASSERT_FALSE (options.names);
}

static void
test_stops (void)
{
  CU_ASSERT (PARSE (EVERYTHING, true, "--json", "call", "--names"));
  CU_ASSERT_EQUAL (count, 2);
  CU_ASSERT_STRING_EQUAL (words[1], "--names");
}

static void
test_repeats (void)
{
  CU_ASSERT (PARSE (EVERYTHING, false, "--arg", "a=1", "--arg=b=2", "-ac=3"));
  CU_ASSERT_EQUAL_FATAL (options.args.count, 3);
  CU_ASSERT_STRING_EQUAL (options.args.texts[1], "b=2");
  CU_ASSERT_STRING_EQUAL (options.args.texts[2], "c=3");
}

static void
test_durations (void)
{
  static const struct {
    const char *text;
    int64_t ms;
  } good[] = { { "1", 1 }, { "250ms", 250 }, { "5s", 5000 }, { "2m", 120000 } };
  static const char *const bad[] = {
    "", "0", "-5", "5h", "5 s", "s", "1.5s", "99999999999999999999", "9223372036854775807m"
  };

  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CU_ASSERT (PARSE (OPTION_DEADLINE, false, "--deadline", good[i].text));
    CU_ASSERT_EQUAL (options.deadline_ms, good[i].ms);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CU_ASSERT_FALSE (PARSE (OPTION_DEADLINE, false, "--deadline", bad[i]));
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "--deadline: expected milliseconds"));
  }
}

static void
test_faults (void)
{
  CU_ASSERT_FALSE (PARSE (EVERYTHING, false, "--fromat", "mcp"));
  CU_ASSERT_STRING_EQUAL (err.text, "unknown option --fromat; did you mean --format?");
  CU_ASSERT_FALSE (PARSE (OPTION_JSON, false, "--names"));
  CU_ASSERT_STRING_EQUAL (err.text, "unknown option --names");
  CU_ASSERT_FALSE (PARSE (EVERYTHING, false, "-Z"));
  CU_ASSERT_STRING_EQUAL (err.text, "unknown option -Z");
  CU_ASSERT_FALSE (PARSE (EVERYTHING, false, "--socket"));
  CU_ASSERT_STRING_EQUAL (err.text, "--socket needs a value: --socket PATH");
  CU_ASSERT_FALSE (PARSE (EVERYTHING, false, "--json=yes"));
  CU_ASSERT_STRING_EQUAL (err.text, "--json takes no value, got \"yes\"");
  CU_ASSERT_FALSE (PARSE (EVERYTHING, false, "-jx"));
  CU_ASSERT_STRING_EQUAL (err.text, "-j takes no value, got \"x\"");
}

static void
test_help (void)
{
  CLEANUP_BUF struct buf out = { 0 };

  options_describe (OPTION_JSON | OPTION_DIR, &out);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out), "  -j, --json"));
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&out), "  -C, --dir DIR"));
  CU_ASSERT_PTR_NULL (strstr (buf_cstr (&out), "--socket"));
}

static int
done (void)
{
  options_free (&options);
  return 0;
}

static CU_TestInfo tests[] = {
  { "takes long and short forms", test_forms }, { "keeps words in order", test_words },
  { "stops at the command", test_stops },       { "collects what may be repeated", test_repeats },
  { "reads durations", test_durations },        { "names each fault", test_faults },
  { "describes what is allowed", test_help },   CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "cli options", NULL, done, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

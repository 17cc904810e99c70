#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "common/plugin_test.h"
#include "folder.h"
#include "glob.h"
#include "lines.h"

/* A folder for each test: "root" is granted, "outside" beside it is not. */
static toolhost_mock *mock;
static char folder[32];

static const char *
in_folder (const char *name)
{
  static char paths[4][PATH_MAX];
  static unsigned next;
  char *path = paths[next++ % 4];

  snprintf (path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static bool
write_file (const char *name, const char *text)
{
  FILE *file = fopen (in_folder (name), "w");

  return file != NULL && fputs (text, file) >= 0 && fclose (file) == 0;
}

static void
put (const char *name, const char *text)
{
  CU_ASSERT_TRUE_FATAL (write_file (name, text));
}

static void
make_folder (const char *name)
{
  CU_ASSERT_EQUAL_FATAL (mkdir (in_folder (name), 0700), 0);
}

static toolhost_mock *
grant (const char *root)
{
  char config[PATH_MAX + 100];
  snprintf (config, sizeof config, "{\"roots\":[\"%s\"]}", root);
  return toolhost_mock_new (toolhost_plugin_entry, config);
}

static int
start (void)
{
  strcpy (folder, "/tmp/test_files.XXXXXX");
  if (mkdtemp (folder) == NULL)
    return 1;
  if (mkdir (in_folder ("root"), 0700) != 0 || mkdir (in_folder ("outside"), 0700) != 0
      || !write_file ("outside/secret", "the secret"))
    return 1;
  mock = grant (in_folder ("root"));
  return mock == NULL;
}

static int
stop (void)
{
  char command[100];

  toolhost_mock_free (mock);
  snprintf (command, sizeof command, "rm -r %s", folder);
  return system (command);
}

/* Arguments with the path of something in the folder, and more members. */
static const char *
arguments (const char *name, const char *more)
{
  static char json[2 * PATH_MAX];
  snprintf (json, sizeof json, "{\"path\":\"%s%s%s\"%s}", folder, name[0] != '\0' ? "/" : "", name,
            more);
  return json;
}

/* What a tool says of a path, with "ROOT" for the granted folder, is this. */
static bool
says_of (const char *tool, const char *args, const char *text)
{
  char expected[4000], *to = expected;

  for (const char *p = text; *p != '\0';) {
    if (strncmp (p, "ROOT", 4) == 0) {
      to = stpcpy (to, in_folder ("root"));
      p += 4;
    }
    else
      *to++ = *p++;
  }
  *to = '\0';
  return says (mock, tool, args, expected);
}

/* ---- listing ---- */

static void
lists (void)
{
  put ("root/b.txt", "12345");
  put ("root/a.txt", "");
  make_folder ("root/sub");
  CU_ASSERT_EQUAL (symlink ("a.txt", in_folder ("root/link")), 0);
  CU_ASSERT_EQUAL (mkfifo (in_folder ("root/pipe"), 0600), 0);
  CU_ASSERT_TRUE (
    says (mock, "files_list", arguments ("root", ""),
          "a.txt\t0 bytes\nb.txt\t5 bytes\nlink\tsymlink\npipe\tother\nsub/\tfolder\n"));
  CU_ASSERT_TRUE (
    gives (mock, "files_list", arguments ("root", ""), "\"kind\":\"file\",\"size\":5,"));
  CU_ASSERT_TRUE (gives (mock, "files_list", arguments ("root", ""), "/root/b.txt\","));
  CU_ASSERT_TRUE (gives (mock, "files_list", arguments ("root", ""), "\"total\":5}"));
  CU_ASSERT_TRUE (says (mock, "files_list", arguments ("root/sub", ""), "(nothing)\n"));
  CU_ASSERT_TRUE (says (mock, "files_list", "{\"path\":\"sub\"}", "(nothing)\n"));
  CU_ASSERT_TRUE (says_of ("files_list", "{}", "ROOT/\tfolder\n"));
  CU_ASSERT_TRUE (
    fails (mock, "files_list", arguments ("root/a.txt", ""), "files_wrong_kind", "files_read"));
  CU_ASSERT_TRUE (
    fails (mock, "files_list", arguments ("root/absent", ""), "files_not_found", "does not exist"));
}

static void
lists_in_pages (void)
{
  char name[32], expected[200];

  for (int i = 0; i < 25; i++) {
    snprintf (name, sizeof name, "root/%02d", i);
    put (name, "");
  }
  CU_ASSERT_TRUE (says (mock, "files_list", arguments ("root", ",\"limit\":2"),
                        "00\t0 bytes\n01\t0 bytes\n(23 more; go on with \"after\": \"01\")\n"));
  CU_ASSERT_TRUE (gives (mock, "files_list", arguments ("root", ",\"limit\":2"),
                         "\"total\":25,\"next\":\"01\"}"));
  snprintf (expected, sizeof expected, "23\t0 bytes\n24\t0 bytes\n");
  CU_ASSERT_TRUE (
    says (mock, "files_list", arguments ("root", ",\"limit\":2,\"after\":\"22\""), expected));
  /* also when the name is gone meanwhile */
  CU_ASSERT_TRUE (
    says (mock, "files_list", arguments ("root", ",\"limit\":2,\"after\":\"22x\""), expected));
  CU_ASSERT_TRUE (says (mock, "files_list", arguments ("root", ",\"after\":\"z\""), "(nothing)\n"));
}

static void
odd_names (void)
{
  put ("root/a\nb", "");
  put ("root/c\xFF", "");
  put ("root/ \xC3\xA9", "");
  CU_ASSERT_TRUE (says (mock, "files_list", arguments ("root", ""),
                        " \xC3\xA9\t0 bytes\na\xEF\xBF\xBD"
                        "b\t0 bytes\nc\xEF\xBF\xBD\t0 bytes\n"));
  CU_ASSERT_TRUE (gives (mock, "files_list", arguments ("root", ""), "\"name\":\"a\\nb\""));
}

/* ---- reading ---- */

static void
reads (void)
{
  put ("root/a.txt", "one\ntwo\nthree");
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/a.txt", ""), "one\ntwo\nthree"));
  CU_ASSERT_TRUE (says (mock, "files_read", "{\"path\":\"a.txt\"}", "one\ntwo\nthree"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root//./a.txt", ""), "one\ntwo\nthree"));
  CU_ASSERT_TRUE (
    gives (mock, "files_read", arguments ("root/a.txt", ""),
           "\"size\":13,\"offset\":0,\"length\":13,\"encoding\":\"utf-8\",\"content\":"
           "\"one\\ntwo\\nthree\"}"));
  CU_ASSERT_TRUE (
    says (mock, "files_read", arguments ("root/a.txt", ",\"offset\":4"), "two\nthree"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/a.txt", ",\"offset\":13"), ""));
  CU_ASSERT_TRUE (fails (mock, "files_read", arguments ("root/a.txt", ",\"offset\":14"),
                         "files_no_such_range", "has 13 bytes"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/a.txt", ",\"encoding\":\"base64\""),
                        "b25lCnR3bwp0aHJlZQ=="));
  CU_ASSERT_TRUE (
    fails (mock, "files_read", arguments ("root", ""), "files_wrong_kind", "files_list"));
  CU_ASSERT_TRUE (
    fails (mock, "files_read", arguments ("root/b", ""), "files_not_found", "does not exist"));
  CU_ASSERT_TRUE (fails (mock, "files_read", arguments ("root/a.txt/b", ""), "files_not_found",
                         "a part of the path is no folder"));
}

static void
reads_in_pieces (void)
{
  /* Characters of three bytes: pieces are cut between them. */
  put ("root/euro",
       "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
  CU_ASSERT_TRUE (gives (
    mock, "files_read", arguments ("root/euro", ",\"length\":16"),
    "\"offset\":0,\"length\":15,\"encoding\":\"utf-8\",\"content\":\"\xE2\x82\xAC\xE2\x82\xAC"
    "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\",\"next_offset\":15}"));
  CU_ASSERT_TRUE (gives (mock, "files_read", arguments ("root/euro", ",\"offset\":1,\"length\":17"),
                         "\"offset\":3,\"length\":15,\"encoding\":\"utf-8\""));
  CU_ASSERT_TRUE (
    gives (mock, "files_read", arguments ("root/euro", ",\"offset\":19"),
           "\"offset\":19,\"length\":2,\"encoding\":\"base64\",\"content\":\"gqw=\"}"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/euro", ",\"length\":16"),
                        "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                        "[bytes 0 to 14 of 21; go on with offset 15]"));
}

static void
reads_lines (void)
{
  static const struct {
    const char *more, *text;
  } examples[] = {
    { ",\"first_line\":1,\"last_line\":1", "one\n[bytes 0 to 3 of 15; go on with offset 4]" },
    { ",\"first_line\":2", "two\n\nfour\n\n" },
    { ",\"first_line\":2,\"last_line\":3", "two\n\n[bytes 4 to 8 of 15; go on with offset 9]" },
    { ",\"first_line\":5", "\n" },
    { ",\"last_line\":99", "one\ntwo\n\nfour\n\n" },
  };

  put ("root/lines", "one\ntwo\n\nfour\n\n");
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    CU_ASSERT_TRUE (
      says (mock, "files_read", arguments ("root/lines", examples[i].more), examples[i].text));
  CU_ASSERT_TRUE (fails (mock, "files_read", arguments ("root/lines", ",\"first_line\":6"),
                         "files_no_such_range", "ends with line 5"));
  put ("root/open", "a\nb");
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/open", ",\"first_line\":2"), "b"));
  CU_ASSERT_TRUE (fails (mock, "files_read", arguments ("root/open", ",\"first_line\":3"),
                         "files_no_such_range", "ends with line 2"));
  CU_ASSERT_TRUE (refuses (mock, "files_read",
                           arguments ("root/open", ",\"first_line\":3,\"last_line\":2"),
                           "expected at least 3"));
  CU_ASSERT_TRUE (refuses (mock, "files_read",
                           arguments ("root/open", ",\"first_line\":3,\"offset\":2"), "not both"));
}

static void
reads_far_lines (void)
{
  FILE *file = fopen (in_folder ("root/many"), "w");

  CU_ASSERT_PTR_NOT_NULL_FATAL (file);
  for (int i = 1; i <= 50000; i++)
    fprintf (file, "line %d\n", i);
  fclose (file);
  CU_ASSERT_TRUE (
    says (mock, "files_read", arguments ("root/many", ",\"first_line\":50000"), "line 50000\n"));
  toolhost_mock_cancel_after (mock, 2);
  CU_ASSERT_TRUE (stops (mock, "files_read", arguments ("root/many", ",\"first_line\":50000"),
                         "files_cancelled", "cancelled"));
}

static void
reads_bytes (void)
{
  put ("root/latin", "caf\xE9");
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/latin", ""), "Y2Fm6Q=="));
  CU_ASSERT_EQUAL (truncate (in_folder ("root/latin"), 6), 0);
  CU_ASSERT_TRUE (gives (mock, "files_read", arguments ("root/latin", ""),
                         "\"encoding\":\"base64\",\"content\":\"Y2Fm6QAA\"}"));
}

/* ---- the borders ---- */

static const char *const tools[] = { "files_list", "files_read", "files_search" };

/* No tool gets to this place, whatever it calls the reason. */
static bool
is_barred (const char *name, const char *code)
{
  const char *args = arguments (name, ",\"content\":\"e\"");
  bool ok = true;

  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
    ok &= fails (mock, tools[i], args, code, "");
  return ok;
}

static void
dots (void)
{
  make_folder ("root/sub");
  put ("root/inside", "inside");
  CU_ASSERT_TRUE (is_barred ("root/../outside/secret", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/sub/../../outside/secret", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/..", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("outside/secret", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("rootx", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("", "files_outside"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/sub/../inside", ""), "inside"));
  CU_ASSERT_TRUE (fails (mock, "files_read", "{\"path\":\"/etc/passwd\"}", "files_outside",
                         "is outside the granted folders"));
  CU_ASSERT_TRUE (
    fails (mock, "files_read", "{\"path\":\"../outside/secret\"}", "files_outside", ""));
  CU_ASSERT_TRUE (
    fails (mock, "files_read", "{\"path\":\"inside\\u0000\"}", "files_not_found", "U+0000"));
}

static void
links (void)
{
  make_folder ("root/sub");
  put ("root/sub/inside", "inside");
  CU_ASSERT_EQUAL (symlink (in_folder ("outside/secret"), in_folder ("root/absolute")), 0);
  CU_ASSERT_EQUAL (symlink ("../outside/secret", in_folder ("root/climbing")), 0);
  CU_ASSERT_EQUAL (symlink ("../outside", in_folder ("root/folder")), 0);
  CU_ASSERT_EQUAL (symlink ("climbing", in_folder ("root/second")), 0);
  CU_ASSERT_EQUAL (symlink ("loop", in_folder ("root/loop")), 0);
  CU_ASSERT_EQUAL (symlink ("/proc/self/root", in_folder ("root/magic")), 0);
  CU_ASSERT_EQUAL (symlink ("sub/inside", in_folder ("root/good")), 0);
  CU_ASSERT_EQUAL (symlink ("../sub", in_folder ("root/sub/round")), 0);
  CU_ASSERT_TRUE (is_barred ("root/absolute", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/climbing", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/folder/secret", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/second", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/magic/etc/passwd", "files_outside"));
  CU_ASSERT_TRUE (is_barred ("root/loop", "files_denied"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/good", ""), "inside"));
  CU_ASSERT_TRUE (says (mock, "files_read", arguments ("root/sub/round/inside", ""), "inside"));
  CU_ASSERT_TRUE (says (mock, "files_list", arguments ("root/sub/round", ""),
                        "inside\t6 bytes\nround\tsymlink\n"));
  /* A search finds links but does not go through them. */
  CU_ASSERT_TRUE (says_of ("files_search", "{\"content\":\"secret\"}", "(nothing found)\n"));
  CU_ASSERT_TRUE (
    says_of ("files_search", "{\"content\":\"inside\"}", "ROOT/sub/inside:1: inside\n"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"name\":\"s*\"}", "ROOT/second\nROOT/sub\n"));
}

static void
proc_is_no_way_out (void)
{
  toolhost_mock *own = grant ("/proc/self");

  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  CU_ASSERT_TRUE (fails (own, "files_read", "{\"path\":\"root/etc/passwd\"}", "files_denied", ""));
  CU_ASSERT_TRUE (fails (own, "files_list", "{\"path\":\"cwd\"}", "files_denied", ""));
  toolhost_mock_free (own);
}

static void
no_files (void)
{
  CU_ASSERT_EQUAL (mkfifo (in_folder ("root/pipe"), 0600), 0);
  CU_ASSERT_TRUE (
    fails (mock, "files_read", arguments ("root/pipe", ""), "files_wrong_kind", "no regular file"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"content\":\"x\"}", "(nothing found)\n"));
}

/* A thread that swaps two names without a pause, until it is told to stop. */
struct swapping {
  const char *a, *b;
  atomic_bool stop;
  atomic_uint swaps;
};

static void *
swap (void *argument)
{
  struct swapping *s = argument;

  while (!s->stop) {
    (void) renameat2 (AT_FDCWD, s->a, AT_FDCWD, s->b, RENAME_EXCHANGE);
    s->swaps++;
  }
  return NULL;
}

struct outcomes {
  unsigned good, barred, leaks;
};

static void
count (struct outcomes *o, const char *tool, const char *args)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, args);

  o->leaks += strstr (r->text, "the secret") != NULL
              || (r->json != NULL && strstr (r->json, "the secret") != NULL);
  o->good += r->status == TOOLHOST_OK;
  o->barred += r->status == TOOLHOST_FAILED;
  toolhost_mock_result_free (r);
}

/* While names are swapped, call until the swaps met the calls often enough; never a leak. */
static void
race (const char *a, const char *b, const char *tool, const char *args)
{
  struct swapping s = { .a = a, .b = b };
  struct outcomes o = { 0 };
  pthread_t thread;

  CU_ASSERT_EQUAL_FATAL (pthread_create (&thread, NULL, swap, &s), 0);
  while (s.swaps < 2000 || o.good + o.barred < 2000)
    count (&o, tool, args);
  s.stop = true;
  pthread_join (thread, NULL);
  printf ("# %s: %u good, %u barred, %u swaps\n", tool, o.good, o.barred, s.swaps);
  CU_ASSERT_EQUAL (o.leaks, 0);
}

static void
races (void)
{
  char a[PATH_MAX], b[PATH_MAX], args[PATH_MAX];

  make_folder ("root/sub");
  put ("root/sub/secret", "harmless");
  CU_ASSERT_EQUAL (symlink (in_folder ("outside"), in_folder ("root/evil")), 0);
  strcpy (a, in_folder ("root/sub"));
  strcpy (b, in_folder ("root/evil"));
  /* A folder becomes a link that leads outside. */
  strcpy (args, arguments ("root/sub/secret", ""));
  race (a, b, "files_read", args);
  race (a, b, "files_search", "{\"content\":\"e\"}");
  /* A folder moves out of the root while ".." is resolved from within it. */
  make_folder ("root/deep");
  make_folder ("root/deep/in");
  make_folder ("outside/in");
  put ("root/deep/secret", "harmless");
  strcpy (a, in_folder ("root/deep/in"));
  strcpy (b, in_folder ("outside/in"));
  strcpy (args, arguments ("root/deep/in/../secret", ""));
  race (a, b, "files_read", args);
}

/* ---- searching ---- */

static void
searches (void)
{
  make_folder ("root/sub");
  put ("root/a.md", "nothing\nA needle here\nneedle needle\n");
  put ("root/sub/b.md", "no end needle");
  put ("root/sub/c.txt", "NEEDLE\r\n");
  CU_ASSERT_TRUE (says_of ("files_search", "{\"content\":\"needle\"}",
                           "ROOT/a.md:2: A needle here\nROOT/a.md:3: needle needle\n"
                           "ROOT/sub/b.md:1: no end needle\n"));
  CU_ASSERT_TRUE (says_of ("files_search",
                           "{\"content\":\"needle\",\"ignore_case\":true,\"name\":\"*.TXT\"}",
                           "ROOT/sub/c.txt:1: NEEDLE\n"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"name\":\"*.md\"}", "ROOT/a.md\nROOT/sub/b.md\n"));
  CU_ASSERT_TRUE (
    says_of ("files_search", "{\"name\":\"sub/*\"}", "ROOT/sub/b.md\nROOT/sub/c.txt\n"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"name\":\"**/*.md\"}", "ROOT/a.md\nROOT/sub/b.md\n"));
  CU_ASSERT_TRUE (
    says_of ("files_search", "{\"name\":\"*.md\",\"path\":\"sub/\"}", "ROOT/sub/b.md\n"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"name\":\"*.md\",\"max_depth\":0}", "ROOT/a.md\n"));
  CU_ASSERT_TRUE (says_of ("files_search", "{\"name\":\"*.md\",\"max_results\":1}",
                           "ROOT/a.md\n(stopped by max_results; there may be more)\n"));
  CU_ASSERT_TRUE (
    says_of ("files_search", "{\"content\":\"needle\",\"max_results\":1}",
             "ROOT/a.md:2: A needle here\n(stopped by max_results; there may be more)\n"));
  CU_ASSERT_TRUE (
    gives (mock, "files_search", "{\"content\":\"end\"}",
           "\"kind\":\"file\",\"line\":1,\"text\":\"no end needle\"}],\"complete\":true,"
           "\"searched\":4,\"skipped\":0}"));
  CU_ASSERT_TRUE (
    fails (mock, "files_search", "{\"name\":\"x\",\"path\":\"absent\"}", "files_not_found", ""));
  CU_ASSERT_TRUE (fails (mock, "files_search", "{\"name\":\"x\",\"path\":\"a.md\"}",
                         "files_wrong_kind", "no folder"));
}

static void
search_arguments (void)
{
  CU_ASSERT_TRUE (
    refuses (mock, "files_search", "{}", "expected \\\"name\\\", \\\"content\\\" or both"));
  CU_ASSERT_TRUE (refuses (mock, "files_search", "{\"name\":\"[a\"}", "has no"));
  CU_ASSERT_TRUE (refuses (mock, "files_search", "{\"name\":\"a\\u0000\"}", "U+0000"));
  CU_ASSERT_TRUE (refuses (mock, "files_search", "{\"content\":\"a\\nb\"}", "line by line"));
}

static void
search_skips_and_stops (void)
{
  put ("root/binary", "needle\n");
  CU_ASSERT_EQUAL (truncate (in_folder ("root/binary"), 100), 0);
  put ("root/text", "needle\n");
  CU_ASSERT_TRUE (
    says_of ("files_search", "{\"content\":\"needle\"}",
             "ROOT/text:1: needle\n(1 skipped: not readable, too deep, or binary)\n"));
  toolhost_mock_set_deadline (mock, 200);
  CU_ASSERT_TRUE (gives (mock, "files_search", "{\"content\":\"needle\"}",
                         "\"complete\":false,\"stopped_by\":\"time\""));
  toolhost_mock_set_deadline (mock, 30000);
  toolhost_mock_cancel_after (mock, 2);
  CU_ASSERT_TRUE (
    stops (mock, "files_search", "{\"content\":\"needle\"}", "files_cancelled", "cancelled"));
}

static void
search_is_bounded (void)
{
  char path[PATH_MAX] = "root";

  for (int i = 0; i < 40; i++) {
    strcat (path, "/d");
    make_folder (path);
  }
  CU_ASSERT_TRUE (gives (mock, "files_search", "{\"name\":\"x\"}",
                         "\"complete\":false,\"searched\":33,\"skipped\":1}"));
}

/* ---- parts ---- */

static void
globs (void)
{
  static const struct {
    const char *pattern, *text;
    bool matches;
  } examples[] = {
    { "", "", true },
    { "", "a", false },
    { "a", "a", true },
    { "a", "b", false },
    { "*", "", true },
    { "*", "abc", true },
    { "*", "a/b", false },
    { "**", "a/b", true },
    { "a*c", "abbbc", true },
    { "a*c", "abbbcd", false },
    { "*.txt", "a.txt", true },
    { "*.txt", "a.txt.bak", false },
    { "?", "a", true },
    { "?", "", false },
    { "?", "/", false },
    { "?", "\xC3\xA9", true },
    { "??", "\xC3\xA9", false },
    { "[abc]", "b", true },
    { "[!abc]", "b", false },
    { "[!abc]", "d", true },
    { "[a-c]x", "bx", true },
    { "[]]", "]", true },
    { "[a-]", "-", true },
    { "\\*", "*", true },
    { "\\*", "a", false },
    { "[\\]]", "]", true },
    { "[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", true },
    { "a/*/c", "a/b/c", true },
    { "a/*/c", "a/b/b/c", false },
    { "a/**/c", "a/b/b/c", true },
    { "a/**/c", "a/c", true },
    { "**/c", "c", true },
    { "**/c", "a/b/c", true },
    { "**/*.c", "a/b.c", true },
    { "a/**", "a/b/c", true },
    { "a**c", "a/b/c", true },
    { "*/x*y", "a/xby", true },
    { "**/a*b/c", "x/aab/aab/c", true },
    { "[!a]", "/", false },
    { "\xFF", "\xFF", true },
    { "*a*b*c", "xxaxxbxxc", true },
    { "*aab", "aaab", true },
  };

  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    bool matches = glob_match (examples[i].pattern, examples[i].text, false);

    if (matches != examples[i].matches)
      printf ("# %s on %s\n", examples[i].pattern, examples[i].text);
    CU_ASSERT_EQUAL (matches, examples[i].matches);
  }
  CU_ASSERT_TRUE (glob_match ("*.MD", "a.md", true));
  CU_ASSERT_TRUE (glob_match ("[A-C]", "b", true));
  CU_ASSERT_FALSE (glob_valid ("[a"));
  CU_ASSERT_FALSE (glob_valid ("a\\"));
  CU_ASSERT_TRUE (glob_valid ("[]a]\\[*"));
}

/* A pattern that takes other matchers longer than anyone lives. */
static void
glob_takes_no_exponential_time (void)
{
  char text[256];

  memset (text, 'a', 255);
  text[255] = '\0';
  CU_ASSERT_FALSE (glob_match ("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text, false));
  CU_ASSERT_FALSE (glob_match ("**a**a*a**a*a**a*a*a**a*a*a**a*a*a**a*a*b", text, false));
}

struct hits {
  int64_t lines[10];
  size_t count;
};

static bool
hit (void *ctx, int64_t line, const char *text, size_t len, size_t at)
{
  struct hits *hits = ctx;

  CU_ASSERT_TRUE (at + 3 <= len && strncasecmp (text + at, "abc", 3) == 0);
  if (hits->count < 10)
    hits->lines[hits->count] = line;
  hits->count++;
  return true;
}

/* The lines with "abc" are the same however the text is cut into chunks. */
static void
lines_in_chunks (void)
{
  static const char text[] = "abc\nx\n\nxabcabc\nab\nc\naabc";
  static const int64_t expected[] = { 1, 4, 7 };

  for (size_t chunk = 1; chunk <= sizeof text; chunk++) {
    struct hits hits = { 0 };
    struct lines lines = {
      .needle = "abc", .needle_len = 3, .found = hit, .ctx = &hits, .ignore_case = chunk % 2 == 0
    };
    size_t room;

    CU_ASSERT_TRUE_FATAL (lines_init (&lines));
    lines_start (&lines);
    for (size_t at = 0; at < sizeof text - 1; at += chunk) {
      size_t n = sizeof text - 1 - at < chunk ? sizeof text - 1 - at : chunk;

      memcpy (lines_room (&lines, &room), text + at, n);
      CU_ASSERT_TRUE (lines_got (&lines, n));
    }
    CU_ASSERT_TRUE (lines_got (&lines, 0));
    CU_ASSERT_EQUAL (hits.count, 3);
    CU_ASSERT_EQUAL (memcmp (hits.lines, expected, sizeof expected), 0);
    lines_free (&lines);
  }
}

/* A line of many buffers, with the text across the border of two of them. */
static void
long_lines (void)
{
  struct hits hits = { 0 };
  struct lines lines = { .needle = "abc", .needle_len = 3, .found = hit, .ctx = &hits };
  size_t total = 0, room;

  CU_ASSERT_TRUE_FATAL (lines_init (&lines));
  lines_start (&lines);
  while (total < 10 * LINES_BUFFER) {
    char *to = lines_room (&lines, &room);

    CU_ASSERT_TRUE_FATAL (room > 0);
    memset (to, 'x', room);
    for (size_t i = 0; i < room; i++)
      if (total + i >= LINES_BUFFER - 1 && total + i < LINES_BUFFER + 2)
        to[i] = "abc"[total + i - (LINES_BUFFER - 1)];
    CU_ASSERT_TRUE (lines_got (&lines, room));
    total += room;
  }
  memcpy (lines_room (&lines, &room), "\nabc", 4);
  CU_ASSERT_TRUE (lines_got (&lines, 4));
  CU_ASSERT_TRUE (lines_got (&lines, 0));
  CU_ASSERT_EQUAL (hits.count, 2);
  CU_ASSERT_EQUAL (hits.lines[0], 1);
  CU_ASSERT_EQUAL (hits.lines[1], 2);
  lines_free (&lines);
}

/* ---- configuration ---- */

static void
without_roots (void)
{
  toolhost_mock *own = toolhost_mock_new (toolhost_plugin_entry, NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
    toolhost_mock_result *r = toolhost_mock_call (own, tools[i], "{\"path\":\"/etc/passwd\"}");

    CU_ASSERT_EQUAL (r->status, TOOLHOST_NOT_GRANTED);
    CU_ASSERT_TRUE (told_part ("why", tools[i], "plugins.d/files.json", r->message));
    toolhost_mock_result_free (r);
  }
  toolhost_mock_free (own);
}

static void
several_roots (void)
{
  char config[2 * PATH_MAX + 100];
  toolhost_mock *own;

  make_folder ("root/inner");
  put ("root/inner/a", "a");
  snprintf (config, sizeof config, "{\"roots\":[\"%s\",\"%s/\"]}", in_folder ("root"),
            in_folder ("root/inner"));
  own = toolhost_mock_new (toolhost_plugin_entry, config);
  CU_ASSERT_PTR_NOT_NULL_FATAL (own);
  CU_ASSERT_TRUE (says (own, "files_read", arguments ("root/inner/a", ""), "a"));
  CU_ASSERT_TRUE (
    fails (own, "files_read", arguments ("root/inner/../x", ""), "files_outside", ""));
  CU_ASSERT_TRUE (
    fails (own, "files_read", "{\"path\":\"a\"}", "files_outside", "several folders are granted"));
  toolhost_mock_free (own);
}

static void
broken_configuration (void)
{
  static const struct {
    const char *config, *part;
  } faults[] = {
    { "{\"roots\":\"/tmp\"}", "expected an array of absolute paths" },
    { "{\"roots\":[1]}", "expected an array of absolute paths" },
    { "{\"roots\":[\"\"]}", "expected an absolute path" },
    { "{\"roots\":[\"docs\"]}", "expected an absolute path" },
    { "{\"roots\":[\"/tmp/../etc\"]}", "expected an absolute path" },
    { "{\"roots\":[\"/tmp//x\"]}", "expected an absolute path" },
    { "{\"roots\":[\"/tmp\",\"/absent\"]}", "can't open \"/absent\": No such file or directory" },
    { "{\"roots\":[\"/dev/null\"]}", "Not a directory" },
    { "{\"root\":[]}", "\"root\": expected only \"roots\"" },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    CU_ASSERT_PTR_NULL (toolhost_mock_new (toolhost_plugin_entry, faults[i].config));
    CU_ASSERT_TRUE (
      told_part ("refusal", faults[i].config, faults[i].part, toolhost_mock_error ()));
  }
}

static void
definitions (void)
{
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
    CU_ASSERT_TRUE (definition_fits (mock, tools[i]));
}

static CU_TestInfo tests[] = {
  { "lists", lists },
  { "lists in pages", lists_in_pages },
  { "lists odd names", odd_names },
  { "reads", reads },
  { "reads in pieces", reads_in_pieces },
  { "reads lines", reads_lines },
  { "reads far lines, stops when cancelled", reads_far_lines },
  { "reads what is no text", reads_bytes },
  { "never outside by dots", dots },
  { "never outside by links", links },
  { "never outside by /proc", proc_is_no_way_out },
  { "nothing but files", no_files },
  { "never outside by a race", races },
  { "searches", searches },
  { "search arguments", search_arguments },
  { "search skips and stops", search_skips_and_stops },
  { "search is bounded", search_is_bounded },
  { "globs", globs },
  { "globs take no exponential time", glob_takes_no_exponential_time },
  { "lines in chunks", lines_in_chunks },
  { "lines longer than the buffer", long_lines },
  { "without roots", without_roots },
  { "several roots", several_roots },
  { "broken configuration", broken_configuration },
  { "definitions fit their literals", definitions },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "files", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

/* The real toolhost-worker, without a daemon: sandbox, loading, calls, cancel, crash.  As root the
 * tests run twice, the second time as an unprivileged user. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/json_tape.h"
#include "tap.h"
#include "worker_rig.h"

enum { NOBODY = 65534 };

static int
become_nobody (void)
{
  if (geteuid () == 0 && (setegid (NOBODY) < 0 || seteuid (NOBODY) < 0))
    return 1;
  return 0;
}

static int
become_oneself (void)
{
  return seteuid (getuid ()) < 0 || setegid (getgid ()) < 0;
}

/* One call, from HELLO to RESULT, on a worker of its own. */
static uint64_t
one_call (struct rig *rig, const char *plugin, const char *args, struct rig_result *result)
{
  memset (result, 0, sizeof *result);
  result->code = result->message = result->structured = result->content = "";
  if (!rig_ready (rig, plugin, NULL, NULL))
    return 0;
  rig_call (rig, 7, args, 0);
  return rig_result (rig, result);
}

static bool
has (const char *text, const char *part)
{
  bool found = strstr (text, part) != NULL;
  if (!found)
    printf ("# expected %s in %.2000s\n", part, text);
  return found;
}

/* The number that a bomb tells in its one text part. */
static long
told (const struct rig_result *result)
{
  const char *text = strstr (result->content, "\"text\":\"");
  return text != NULL ? atol (text + 8) : -1;
}

/* ---- sandbox ---------------------------------------------------------------------------- */

static void
test_guarantees (void)
{
  struct rig rig;
  struct rig_frame frame;
  char why[600];

  CU_ASSERT_FATAL (rig_start (&rig, "slow_echo", NULL, why, sizeof why));
  CU_ASSERT (rig_receive (&rig, &frame));
  CU_ASSERT_EQUAL (frame.head.kind, FRAME_HELLO);
  CU_ASSERT (has (frame.payload, "\"no-network\":\"network namespace, seccomp"));
  CU_ASSERT (has (frame.payload, "\"no-foreign-files\":\"mount namespace"));
  CU_ASSERT (has (frame.payload, "\"no-foreign-signals\":\"pid namespace"));
  CU_ASSERT (has (frame.payload, "\"kill-tree\":\"pid namespace"));
  rig_end (&rig);
}

static void
test_every_probe_is_refused (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "ctor_probe", "{}", &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
  CU_ASSERT (has (result.structured, "\"when\":\"constructor\",\"what\":\"open /etc/passwd\""));
  CU_ASSERT (has (result.structured, "\"when\":\"call\",\"what\":\"kill 1\""));
  for (const char *at = result.structured; (at = strstr (at, "\"refused\":false")) != NULL; at++) {
    const char *what = at;
    while (what > result.structured && *what != '{')
      what--;
    printf ("# let through: %.80s\n", what);
    CU_FAIL ("a probe was let through");
  }
  rig_result_free (&result);
  rig_end (&rig);
}

static void
expect_bye (const char *plugin, const struct rig_wish *wish, const char *reason,
            const char *sentence, int status)
{
  struct rig rig;
  struct rig_frame frame;
  char why[600];
  struct frame_status ended;

  CU_ASSERT_FATAL (rig_start (&rig, plugin, wish, why, sizeof why));
  CU_ASSERT (rig_wait (&rig, FRAME_BYE, &frame));
  if (frame.head.kind == FRAME_BYE) {
    CU_ASSERT (has (frame.payload, reason));
    CU_ASSERT (has (frame.payload, sentence));
  }
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_EXITED);
  CU_ASSERT_EQUAL (ended.status, status);
  rig_end (&rig);
}

static void
test_missing_grant_is_a_sentence (void)
{
  expect_bye ("slow_echo", &(struct rig_wish){ .read = "[\"/no/such/folder\"]" },
              "\"reason\":\"sandbox\"",
              "the granted path \\\"/no/such/folder\\\" can't be had: No such file or directory",
              WORKER_EXIT_SANDBOX);
}

static void
test_odd_grants_are_refused (void)
{
  expect_bye ("slow_echo", &(struct rig_wish){ .write = "[\"/proc/self\"]" },
              "\"reason\":\"sandbox\"", "a worker has its own, or none", WORKER_EXIT_SANDBOX);
  expect_bye ("slow_echo", &(struct rig_wish){ .read = "[\"/usr/../etc\"]" },
              "\"reason\":\"sandbox\"", "expected an absolute path", WORKER_EXIT_SANDBOX);
  expect_bye ("slow_echo", &(struct rig_wish){ .read = "[\"/dev/fd/0\"]" },
              "\"reason\":\"sandbox\"", "leads through a symbolic link", WORKER_EXIT_SANDBOX);
}

static void
test_other_build_is_refused (void)
{
  expect_bye ("slow_echo", &(struct rig_wish){ .build = "another" }, "\"reason\":\"exit\"",
              "the daemon of build another", WORKER_EXIT_PROTOCOL);
}

/* Folders for one test, in /tmp. */
struct folders {
  char place[32];
  int at;
  struct buf read, write; /* JSON arrays */
};

static bool
put_file (int at, const char *path, const char *text)
{
  CLEANUP_FD int fd = openat (at, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  return fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text);
}

/* r/secret to read, w to write, other/hidden to be kept from, and w/link, which leads there. */
static bool
make_folders (struct folders *f)
{
  *f = (struct folders){ .place = "/tmp/toolhost-test-XXXXXX", .at = -1 };
  if (mkdtemp (f->place) == NULL)
    return false;
  f->at = open (f->place, O_PATH | O_DIRECTORY | O_CLOEXEC);
  buf_printf (&f->read, "[\"%s/r\"]", f->place);
  buf_printf (&f->write, "[\"%s/w\"]", f->place);
  return mkdirat (f->at, "r", 0755) == 0 && mkdirat (f->at, "w", 0755) == 0
         && mkdirat (f->at, "other", 0755) == 0 && put_file (f->at, "r/secret", "secret")
         && put_file (f->at, "other/hidden", "hidden")
         && symlinkat ("../other", f->at, "w/link") == 0;
}

static void
remove_folders (struct folders *f)
{
  static const char *const files[] = { "r/secret", "other/hidden", "w/link", "w/new" };
  static const char *const folders[] = { "r", "w", "other" };

  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    (void) unlinkat (f->at, files[i], 0);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    (void) unlinkat (f->at, folders[i], AT_REMOVEDIR);
  CU_ASSERT_EQUAL (rmdir (f->place), 0);
  close (f->at);
  buf_free (&f->read);
  buf_free (&f->write);
}

static bool
file_call (struct rig *rig, const char *what, const char *place, const char *path,
           const char *expected)
{
  CLEANUP_BUF struct buf args = { 0 };
  struct rig_result result;
  bool good;

  buf_printf (&args, "{\"%s\":\"%s%s\"}", what, place, path);
  rig_call (rig, 1, buf_cstr (&args), 0);
  good = rig_result (rig, &result) == 1
         && has (*result.content != '\0' ? result.content : result.message, expected);
  rig_result_free (&result);
  return good;
}

static void
test_grants_are_what_there_is (void)
{
  struct folders f;
  struct rig_wish wish;
  struct rig rig;

  CU_ASSERT_FATAL (make_folders (&f));
  wish = (struct rig_wish){ .read = buf_cstr (&f.read), .write = buf_cstr (&f.write) };
  CU_ASSERT_FATAL (rig_ready (&rig, "file_io", &wish, NULL));
  CU_ASSERT (file_call (&rig, "read", f.place, "/r/secret", "\"secret\""));
  CU_ASSERT (file_call (&rig, "write", f.place, "/r/secret", "Read-only"));
  CU_ASSERT (file_call (&rig, "write", f.place, "/r/new", "Read-only"));
  CU_ASSERT (file_call (&rig, "write", f.place, "/w/new", "ok"));
  CU_ASSERT (file_call (&rig, "read", f.place, "/w/new", "written"));
  CU_ASSERT (file_call (&rig, "read", f.place, "/w/link/hidden", "No such file"));
  CU_ASSERT (file_call (&rig, "read", f.place, "/other/hidden", "No such file"));
  CU_ASSERT (file_call (&rig, "write", "/tmp", "/own", "ok"));
  CU_ASSERT (file_call (&rig, "write", "/plugin", "/x", "Read-only"));
  rig_end (&rig);
  CU_ASSERT_EQUAL (faccessat (f.at, "w/new", F_OK, 0), 0);
  CU_ASSERT_NOT_EQUAL (access ("/tmp/own", F_OK), 0);
  remove_folders (&f);
}

/* A granted path that is a link today could be another one tomorrow. */
static void
test_a_link_is_no_grant (void)
{
  struct folders f;
  struct rig_wish wish;

  CU_ASSERT_FATAL (make_folders (&f));
  f.write.len = 0;
  buf_printf (&f.write, "[\"%s/w/link\"]", f.place);
  wish = (struct rig_wish){ .write = buf_cstr (&f.write) };
  expect_bye ("file_io", &wish, "\"reason\":\"sandbox\"", "leads through a symbolic link",
              WORKER_EXIT_SANDBOX);
  remove_folders (&f);
}

/* ---- loading ---------------------------------------------------------------------------- */

static void
test_describe (void)
{
  struct rig rig;
  struct buf describe = { 0 };

  CU_ASSERT (rig_ready (&rig, "spin", NULL, &describe));
  CU_ASSERT (
    has (buf_cstr (&describe),
         "{\"abi\":1,\"name\":\"spin\",\"version\":\"1.0\",\"description\":\"\",\"threads\":"
         "\"parallel\",\"tools\":[{\"max_time\":200,\"callbacks\":[\"definition\",\"execute"
         "\",\"max_time\"],\"definition\":\"{\\\"name\\\":\\\"spin\\\""));
  CU_ASSERT (has (buf_cstr (&describe), "\"builders\":[],\"extensions\":false}"));
  buf_free (&describe);
  rig_end (&rig);
}

static void
test_load_faults (void)
{
  expect_bye ("no_entry", NULL, "\"reason\":\"load\"",
              "plugin \\\"no_entry\\\": it does not export toolhost_plugin_entry",
              WORKER_EXIT_LOAD);
  expect_bye ("wrong_abi", NULL, "\"reason\":\"load\"",
              "plugin \\\"wrong_abi\\\": abi is 7, this host speaks 1", WORKER_EXIT_LOAD);
  expect_bye ("no_execute", NULL, "\"reason\":\"load\"",
              "plugin \\\"no_execute\\\", tool 1: the callback execute is missing",
              WORKER_EXIT_LOAD);
}

static void
test_constructor_crash_is_reported (void)
{
  struct rig rig;
  struct rig_frame frame;
  struct frame_status ended;
  char why[600];

  CU_ASSERT_FATAL (rig_start (&rig, "ctor_crash", NULL, why, sizeof why));
  CU_ASSERT (rig_wait (&rig, FRAME_BYE, &frame));
  CU_ASSERT (has (frame.payload, "\"signal\":\"SIGSEGV\",\"call\":0"));
  CU_ASSERT (has (frame.payload, "/plugin/ctor_crash.so(at_load+"));
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_KILLED);
  CU_ASSERT_EQUAL (ended.status, SIGSEGV);
  rig_end (&rig);
}

static void
test_constructor_exit_is_no_describe (void)
{
  struct rig rig;
  struct rig_frame frame;
  struct frame_status ended;
  char why[600];

  CU_ASSERT_FATAL (rig_start (&rig, "ctor_exit0", NULL, why, sizeof why));
  CU_ASSERT_FALSE (rig_wait (&rig, FRAME_DESCRIBE, &frame));
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_EXITED);
  CU_ASSERT_EQUAL (ended.status, 0);
  rig_end (&rig);
}

/* ---- calls ------------------------------------------------------------------------------ */

static void
test_call (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "slow_echo", "{\"ms\":0,\"text\":\"h\\u00e9\"}", &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
  CU_ASSERT_STRING_EQUAL (result.content, "[{\"type\":\"text\",\"text\":\"h\xC3\xA9\"}]");
  CU_ASSERT (result.head.wall_ns > 0);
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_many_calls (void)
{
  enum { CALLS = 500 };
  struct rig rig;
  static unsigned char seen[CALLS + 1];
  unsigned good = 0;

  memset (seen, 0, sizeof seen);
  CU_ASSERT_FATAL (rig_ready (&rig, "big_args", NULL, NULL));
  for (uint64_t id = 1; id <= CALLS; id++)
    rig_call (&rig, id, "{\"text\":\"12345\"}", 0);
  for (unsigned i = 0; i < CALLS; i++) {
    struct rig_result result;
    uint64_t id = rig_result (&rig, &result);
    if (id >= 1 && id <= CALLS && !seen[id]++ && told (&result) == 5)
      good++;
    rig_result_free (&result);
  }
  CU_ASSERT_EQUAL (good, CALLS);
  rig_end (&rig);
}

static void
test_all_parts (void)
{
  struct rig rig;
  struct rig_frame frame;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "allparts", NULL, NULL));
  rig_call (&rig, 9, "{}", 0);
  CU_ASSERT (rig_receive (&rig, &frame));
  CU_ASSERT_EQUAL (frame.head.kind, FRAME_PROGRESS);
  CU_ASSERT_EQUAL (frame.head.call, 9);
  CU_ASSERT (rig_receive (&rig, &frame));
  CU_ASSERT_EQUAL (frame.head.kind, FRAME_LOG);
  CU_ASSERT (has (frame.payload + sizeof (struct frame_log), "all parts of c-1"));
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 9);
  CU_ASSERT_STRING_EQUAL (result.structured, "{\"answer\":42}");
  CU_ASSERT (has (result.content, "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":"
                                  "\"AAEC/f7/\"}"));
  CU_ASSERT (has (result.content, "{\"type\":\"resource\",\"resource\":{\"uri\":\"memo://1\","
                                  "\"mimeType\":\"text/plain\",\"text\":\"a memo\"}}"));
  CU_ASSERT (has (result.content,
                  "{\"type\":\"resource\",\"resource\":{\"uri\":\"memo://2\",\"blob\":"
                  "\"AAEC/f7/\"}}"));
  CU_ASSERT (has (result.content, "{\"type\":\"resource_link\",\"uri\":\"https://example.org/\","
                                  "\"name\":\"example\",\"mimeType\":\"text/html\"}"));
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_large_arguments_in_a_memfd (void)
{
  enum { LETTERS = 1 << 20 };
  struct rig rig;
  struct rig_result result;
  CLEANUP_BUF struct buf args = { 0 };

  buf_puts (&args, "{\"text\":\"");
  memset (buf_reserve (&args, LETTERS), 'x', LETTERS);
  args.len += LETTERS;
  buf_puts (&args, "\"}");
  CU_ASSERT_FATAL (rig_ready (&rig, "big_args", NULL, NULL));
  rig_call_memfd (&rig, 3, args.data, args.len);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 3);
  CU_ASSERT_EQUAL (told (&result), LETTERS);
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_large_result_comes_in_parts (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "huge_result", "{\"bytes\":1000000}", &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
  CU_ASSERT_EQUAL (strlen (result.content),
                   1000000 + strlen ("[{\"type\":\"text\",\"text\":\"\"}]"));
  rig_result_free (&result);
  rig_call (&rig, 8, "{\"bytes\":2000000}", 0);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 8);
  CU_ASSERT_STRING_EQUAL (result.code, "too_large");
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_unknown_status_is_broken (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "bad_status", "{}", &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_BROKEN);
  CU_ASSERT_STRING_EQUAL (result.message, "ended with a status that is none of toolhost_status");
  rig_result_free (&result);
  rig_call (&rig, 8, "{\"status\":2000}", 0);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 8);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_BROKEN);
  CU_ASSERT_STRING_EQUAL (result.message, "returned TOOLHOST_ASKED without having asked anybody");
  rig_result_free (&result);
  rig_end (&rig);
}

/* ---- retained calls --------------------------------------------------------------------- */

static void
test_later (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "later_ok", "{\"ms\":1}", &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
  CU_ASSERT (has (result.content, "later"));
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_later_broken (void)
{
  static const struct {
    const char *args;
    const char *sentence;
  } cases[] = {
    { "{\"how\":\"not retained\"}", "returned TOOLHOST_LATER without toolhost_retain" },
    { "{\"how\":\"not later\"}",
      "kept the call with toolhost_retain, then did not return TOOLHOST_LATER" },
    { "{\"how\":\"twice\"}", "called toolhost_complete twice for one call" },
  };
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "later_ok", NULL, NULL));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig_call (&rig, i + 1, cases[i].args, 0);
    CU_ASSERT_EQUAL (rig_result (&rig, &result), i + 1);
    CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_BROKEN);
    CU_ASSERT_STRING_EQUAL (result.message, cases[i].sentence);
    rig_result_free (&result);
  }
  rig_end (&rig);
}

static void
test_evented_holds_many (void)
{
  enum { CALLS = 20 };
  struct rig rig;
  unsigned cancelled = 0;

  CU_ASSERT_FATAL (
    rig_ready (&rig, "later_ok", &(struct rig_wish){ .memory = (size_t) 4 << 30 }, NULL));
  for (uint64_t id = 1; id <= CALLS; id++)
    rig_call (&rig, id, "{\"ms\":3600000}", 0);
  for (uint64_t id = 1; id <= CALLS; id++)
    rig_cancel (&rig, id, 5000);
  for (unsigned i = 0; i < CALLS; i++) {
    struct rig_result result;
    if (rig_result (&rig, &result) != 0 && result.head.outcome == FRAME_OUTCOME_FAILED)
      cancelled++;
    rig_result_free (&result);
  }
  CU_ASSERT_EQUAL (cancelled, CALLS);
  rig_end (&rig);
}

/* ---- cancel, deadline ------------------------------------------------------------------- */

static void
test_cancel_wakes_a_sleeper (void)
{
  struct rig rig;
  struct rig_frame frame;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "slow_echo", NULL, NULL));
  rig_call (&rig, 5, "{\"ms\":36000000}", 0);
  CU_ASSERT (rig_wait (&rig, FRAME_PROGRESS, &frame));
  rig_cancel (&rig, 5, 5000);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 5);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_FAILED);
  CU_ASSERT_STRING_EQUAL (result.code, "interrupted");
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_deadline_wakes_a_sleeper (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "slow_echo", NULL, NULL));
  rig_call (&rig, 5, "{\"ms\":36000000}", 20);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 5);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_FAILED);
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_cancel_of_a_queued_call (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "spin", &(struct rig_wish){ .threads = 1 }, NULL));
  rig_call (&rig, 1, "{}", 0);
  rig_call (&rig, 2, "{}", 0);
  rig_cancel (&rig, 2, 100);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 2);
  CU_ASSERT_STRING_EQUAL (result.code, "tool_cancelled");
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_passed_deadline_is_not_run (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_FATAL (rig_ready (&rig, "spin", NULL, NULL));
  rig_call (&rig, 1, "{}", -1);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 1);
  CU_ASSERT_STRING_EQUAL (result.code, "tool_timeout");
  rig_result_free (&result);
  rig_end (&rig);
}

/* ---- the end ---------------------------------------------------------------------------- */

static void
expect_crash (const char *plugin, const char *signal_name, int number, const char *frame_name)
{
  struct rig rig;
  struct rig_frame frame;
  struct frame_status ended;

  CU_ASSERT_FATAL (rig_ready (&rig, plugin, NULL, NULL));
  rig_call (&rig, 77, "{}", 0);
  CU_ASSERT (rig_wait (&rig, FRAME_BYE, &frame));
  CU_ASSERT (has (frame.payload, signal_name));
  CU_ASSERT (has (frame.payload, "\"call\":77,"));
  CU_ASSERT (has (frame.payload, frame_name));
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_KILLED);
  CU_ASSERT_EQUAL (ended.status, number);
  rig_end (&rig);
}

static void
test_crashes_are_told (void)
{
  expect_crash ("null_deref", "\"SIGSEGV\"", SIGSEGV, "/plugin/null_deref.so(execute+");
  expect_crash ("stack_overflow", "\"SIGSEGV\"", SIGSEGV, "/plugin/stack_overflow.so(deeper+");
  expect_crash ("abort_", "\"SIGABRT\"", SIGABRT, "/plugin/abort_.so(execute+");
}

static void
test_exit_is_no_result (void)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, "exit0", "{}", &result), 0);
  CU_ASSERT_EQUAL (rig_status (&rig).code, CLD_EXITED);
  rig_result_free (&result);
  rig_end (&rig);
}

static void
test_bye_ends_it (void)
{
  struct rig rig;
  struct rig_result result;
  struct rig_frame frame;
  struct frame_status ended;

  CU_ASSERT_FATAL (rig_ready (&rig, "slow_echo", NULL, NULL));
  rig_call (&rig, 1, "{\"ms\":50,\"text\":\"last\"}", 0);
  CU_ASSERT (rig_wait (&rig, FRAME_PROGRESS, &frame));
  rig_send (&rig, FRAME_BYE, 0, NULL, 0, NULL);
  CU_ASSERT_EQUAL (rig_result (&rig, &result), 1);
  CU_ASSERT (has (result.content, "last"));
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_EXITED);
  CU_ASSERT_EQUAL (ended.status, WORKER_EXIT_OK);
  rig_result_free (&result);
  rig_end (&rig);
}

/* The daemon is gone: so is the worker, even one that spins with all signals blocked. */
static void
test_worker_goes_with_its_daemon (void)
{
  struct rig rig;
  struct pollfd gone = { .events = POLLIN };

  CU_ASSERT_FATAL (rig_ready (&rig, "sleep_forever", NULL, NULL));
  rig_call (&rig, 1, "{}", 0);
  close (rig.worker.status);
  gone.fd = rig.worker.pidfd;
  CU_ASSERT_EQUAL (poll (&gone, 1, 10000), 1);
  rig.worker.status = dup (0);
  rig_end (&rig);
}

static void
test_rubbish_from_the_daemon_ends_it (void)
{
  struct rig rig;
  struct frame_status ended;

  CU_ASSERT_FATAL (rig_ready (&rig, "slow_echo", NULL, NULL));
  rig_send (&rig, FRAME_SERVED, 1, NULL, 0, "what?");
  ended = rig_status (&rig);
  CU_ASSERT_EQUAL (ended.code, CLD_EXITED);
  CU_ASSERT_EQUAL (ended.status, WORKER_EXIT_PROTOCOL);
  rig_end (&rig);
}

/* ---- bombs ------------------------------------------------------------------------------ */

static void
expect_bomb (const char *plugin, const char *args, long least, long most)
{
  struct rig rig;
  struct rig_result result;

  CU_ASSERT_EQUAL (one_call (&rig, plugin, args, &result), 7);
  CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
  if (told (&result) < least || told (&result) > most) {
    printf ("# %s got %ld\n", plugin, told (&result));
    CU_FAIL ("a bomb was not stopped where it should be");
  }
  rig_result_free (&result);
  rig_end (&rig);
}

#ifndef TOOLHOST_SANITIZED
/* Where a cgroup counts, the kernel ends the worker; elsewhere it gets no more. */
static void
expect_memory_bomb (const char *args)
{
  struct rig rig;
  struct rig_result result;

  (void) one_call (&rig, "malloc_bomb", args, &result);
  if (spawner_means (rig.spawner)->cgroup != 0) {
    CU_ASSERT_EQUAL (result.head.outcome, 0);
    CU_ASSERT_TRUE (spawned_used_up_memory (&rig.worker));
  }
  else {
    CU_ASSERT_EQUAL (result.head.outcome, FRAME_OUTCOME_OK);
    CU_ASSERT_TRUE (told (&result) >= 1 && told (&result) <= 256);
  }
  rig_result_free (&result);
  rig_end (&rig);
}
#endif

static void
test_bombs_are_stopped (void)
{
  expect_bomb ("fork_bomb", "{}", 0, 0);
  expect_bomb ("fd_bomb", "{}", 1, 64);
  expect_bomb ("disk_bomb", "{}", 1, 1024);
  if (geteuid () != 0) /* the kernel does not count uid 0's threads; the daemon never is */
    expect_bomb ("thread_bomb", "{}", 1, 64);
#ifndef TOOLHOST_SANITIZED
  expect_memory_bomb ("{}");
  expect_memory_bomb ("{\"shared\":true}");
#endif
}

static CU_TestInfo tests[] = {
  { "guarantees and what meets them", test_guarantees },
  { "every probe is refused, at load and in a call", test_every_probe_is_refused },
  { "a missing granted path is a sentence", test_missing_grant_is_a_sentence },
  { "odd granted paths are refused", test_odd_grants_are_refused },
  { "another build is refused", test_other_build_is_refused },
  { "grants are what there is", test_grants_are_what_there_is },
  { "a link is no grant", test_a_link_is_no_grant },
  { "describe", test_describe },
  { "each load fault has its sentence", test_load_faults },
  { "a crash in a constructor", test_constructor_crash_is_reported },
  { "an exit in a constructor", test_constructor_exit_is_no_describe },
  { "a call", test_call },
  { "many calls", test_many_calls },
  { "all parts", test_all_parts },
  { "large arguments", test_large_arguments_in_a_memfd },
  { "large results", test_large_result_comes_in_parts },
  { "unknown statuses", test_unknown_status_is_broken },
  { "later", test_later },
  { "later, against the rules", test_later_broken },
  { "an evented plugin holds many calls", test_evented_holds_many },
  { "cancel wakes a sleeper", test_cancel_wakes_a_sleeper },
  { "a deadline wakes a sleeper", test_deadline_wakes_a_sleeper },
  { "cancel of a queued call", test_cancel_of_a_queued_call },
  { "a passed deadline is not run", test_passed_deadline_is_not_run },
  { "crashes are told", test_crashes_are_told },
  { "exit is no result", test_exit_is_no_result },
  { "bye", test_bye_ends_it },
  { "a worker goes with its daemon", test_worker_goes_with_its_daemon },
  { "rubbish from the daemon", test_rubbish_from_the_daemon_ends_it },
  { "bombs are stopped", test_bombs_are_stopped },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "worker", NULL, NULL, NULL, NULL, tests },
  { "worker as nobody", become_nobody, become_oneself, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

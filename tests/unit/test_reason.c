/* Why a process ended, from what is known of its end. */
#include <signal.h>
#include <string.h>

#include "pool/reason.h"
#include "tap.h"

struct ending {
  struct end_facts facts;
  enum reason reason;
  const char *words; /* among others */
};

#define TOLD(code_, status_) .told = true, .status = { .code = code_, .status = status_ }
#define DESCRIBED .described = true

static void
check (const struct ending *endings, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct end end;
    end_conclude (&end, &endings[i].facts);
    CU_ASSERT_STRING_EQUAL (reason_code (end.reason), reason_code (endings[i].reason));
    CU_ASSERT_PTR_NOT_NULL (strstr (end.text, endings[i].words));
    if (strstr (end.text, endings[i].words) == NULL)
      (void) printf ("# \"%s\" lacks \"%s\"\n", end.text, endings[i].words);
  }
}
#define CHECK(endings) check (endings, sizeof (endings) / sizeof *(endings))

static void
signals (void)
{
  static const struct ending endings[] = {
    { { DESCRIBED, TOLD (CLD_KILLED, SIGSEGV) }, REASON_SIGNAL, "SIGSEGV" },
    { { DESCRIBED, TOLD (CLD_DUMPED, SIGABRT) }, REASON_SIGNAL, "SIGABRT" },
    { { TOLD (CLD_KILLED, SIGBUS) }, REASON_SIGNAL, "while the plugin was loaded" },
    { { DESCRIBED, TOLD (CLD_KILLED, SIGKILL) }, REASON_SIGNAL, "not by the daemon" },
    { { DESCRIBED, TOLD (CLD_KILLED, SIGSYS) }, REASON_POLICY_VIOLATION, "the sandbox forbids" },
    { { DESCRIBED, TOLD (CLD_KILLED, SIGXCPU) }, REASON_CPU, "SIGXCPU" },
    { { DESCRIBED, TOLD (CLD_KILLED, 12345) }, REASON_SIGNAL, "SIG?" },
  };
  CHECK (endings);
}

static void
exits (void)
{
  static const struct ending endings[] = {
    { { DESCRIBED, TOLD (CLD_EXITED, 0) }, REASON_EXIT, "status 0 without being told to" },
    { { DESCRIBED, .unanswered = true, TOLD (CLD_EXITED, 0) },
      REASON_EXIT,
      "before it had answered" },
    { { DESCRIBED, .unanswered = true, TOLD (CLD_EXITED, WORKER_EXIT_THREAD) },
      REASON_EXIT,
      "ended its thread" },
    { { TOLD (CLD_EXITED, WORKER_EXIT_THREAD) }, REASON_EXIT, "status 84 while" },
    { { TOLD (CLD_EXITED, 0) }, REASON_EXIT, "status 0 while the plugin was loaded" },
    { { DESCRIBED, TOLD (CLD_EXITED, 7) }, REASON_EXIT, "status 7" },
    { { TOLD (CLD_EXITED, WORKER_EXIT_LOAD), .claim = "no entry" },
      REASON_LOAD_FAILED,
      "no entry" },
    { { TOLD (CLD_EXITED, WORKER_EXIT_SANDBOX) }, REASON_SANDBOX_REFUSED, "could not close" },
    { { TOLD (CLD_EXITED, WORKER_EXIT_PROTOCOL) }, REASON_PROTOCOL, "protocol" },
    /* these statuses are the worker program's own only until the plugin has been described */
    { { DESCRIBED, TOLD (CLD_EXITED, WORKER_EXIT_LOAD), .claim = "x" }, REASON_EXIT, "status 83" },
    { { DESCRIBED, TOLD (CLD_EXITED, WORKER_EXIT_SANDBOX) }, REASON_EXIT, "status 82" },
  };
  CHECK (endings);
}

static void
as_it_was_told (void)
{
  static const struct ending endings[] = {
    { { .decided = REASON_IDLE, .words = "nobody called", DESCRIBED, TOLD (CLD_EXITED, 0) },
      REASON_IDLE,
      "nobody called" },
    { { .decided = REASON_RECYCLED, .words = "enough", DESCRIBED, TOLD (CLD_EXITED, 0) },
      REASON_RECYCLED,
      "enough" },
    /* told to stop, and it ended otherwise */
    { { .decided = REASON_IDLE, .words = "-", DESCRIBED, TOLD (CLD_KILLED, SIGSEGV) },
      REASON_SIGNAL,
      "SIGSEGV" },
    { { .decided = REASON_IDLE, .words = "-", DESCRIBED, TOLD (CLD_EXITED, 3) },
      REASON_EXIT,
      "status 3" },
    { { .decided = REASON_REPLACED,
        .words = "-",
        DESCRIBED,
        .unanswered = true,
        TOLD (CLD_EXITED, 0) },
      REASON_EXIT,
      "before it had answered" },
  };
  CHECK (endings);
}

static void
killed (void)
{
  static const struct ending endings[] = {
    { { .decided = REASON_DEADLINE, .words = "late", .killed = true, DESCRIBED },
      REASON_DEADLINE,
      "late" },
    { { .decided = REASON_OOM, .words = "300 MiB", .killed = true, DESCRIBED, .oom = true },
      REASON_OOM,
      "300 MiB" },
    /* it ended by itself between the decision and the kill: the decision is what counts */
    { { .decided = REASON_PROTOCOL, .words = "-", .killed = true, TOLD (CLD_KILLED, SIGSEGV) },
      REASON_PROTOCOL,
      "-" },
    /* its socket was closed by the kernel, which ended it for its memory */
    { { .decided = REASON_PROTOCOL, .words = "-", .killed = true, DESCRIBED, .oom = true },
      REASON_OOM,
      "memory" },
    /* init is gone and nobody here did it */
    { { DESCRIBED }, REASON_KILLED, "somebody else" },
    { { DESCRIBED, .oom = true }, REASON_OOM, "memory" },
  };
  CHECK (endings);
}

static void
every_reason_has_its_words (void)
{
  for (unsigned a = REASON_NONE; a < REASONS; a++) {
    CU_ASSERT_PTR_NOT_NULL_FATAL (reason_code (a));
    CU_ASSERT_PTR_NOT_NULL_FATAL (reason_words (a));
    CU_ASSERT_EQUAL (strspn (reason_code (a), "abcdefghijklmnopqrstuvwxyz_"),
                     strlen (reason_code (a)));
    for (unsigned b = 0; b < a; b++)
      CU_ASSERT_STRING_NOT_EQUAL (reason_code (a), reason_code (b));
  }
  CU_ASSERT_TRUE (reason_may_pass (REASON_START_TIMEOUT));
  CU_ASSERT_TRUE (reason_may_pass (REASON_SPAWN_FAILED));
  CU_ASSERT_TRUE (reason_may_pass (REASON_KILLED));
  CU_ASSERT_FALSE (reason_may_pass (REASON_SIGNAL));
  CU_ASSERT_FALSE (reason_may_pass (REASON_OOM));
  CU_ASSERT_FALSE (reason_may_pass (REASON_LOAD_FAILED));
  CU_ASSERT_EQUAL (reason_blame (REASON_SIGNAL), BLAME_PLUGIN);
  CU_ASSERT_EQUAL (reason_blame (REASON_DEADLINE), BLAME_CALL);
  CU_ASSERT_EQUAL (reason_blame (REASON_KILLED), BLAME_SYSTEM);
  CU_ASSERT_EQUAL (reason_blame (REASON_LOAD_FAILED), BLAME_FILE);
  CU_ASSERT_EQUAL (reason_blame (REASON_IDLE), BLAME_NOBODY);
}

static CU_TestInfo tests[] = { { "signals", signals },
                               { "exits", exits },
                               { "as it was told", as_it_was_told },
                               { "killed", killed },
                               { "every reason has its words", every_reason_has_its_words },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "reason", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

/* What the launcher takes for a request, and where this process stands in a hierarchy of cgroups:
 * no process is started. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "pool/cgroup_find.h"
#include "pool/launch.h"
#include "tap.h"

/* ---- requests ---- */

static struct launch *
launch_with_a_worker (void)
{
  struct launch *launch = xcalloc (1, sizeof *launch);

  launch->count = 8;
  launch->uid_first = 60000;
  launch->slots[3] = (struct launch_slot){ .pid = 4711, .serial = 9 };
  return launch;
}

static struct launch_request
good_start (void)
{
  return (struct launch_request){ .kind = LAUNCH_START,
                                  .grants = 2,
                                  .grant = { 0, LAUNCH_WRITABLE },
                                  .memory = 64 << 20,
                                  .threads = 32,
                                  .title = "toolhost-worker: echo" };
}

static void
test_start (void)
{
  struct launch *launch = launch_with_a_worker ();
  struct launch_request request = good_start ();
  struct error err;

  CU_ASSERT_TRUE (launch_check (launch, &request, sizeof request, WORKER_FDS + 2, &err));
  CU_ASSERT_FALSE (launch_check (launch, &request, sizeof request - 1, WORKER_FDS + 2, &err));
  CU_ASSERT_FALSE (launch_check (launch, &request, sizeof request, WORKER_FDS + 1, &err));
  CU_ASSERT_FALSE (launch_check (launch, &request, sizeof request, WORKER_FDS + 3, &err));
  free (launch);
}

/* Every field of a start, made bad alone. */
static void
test_bad_starts (void)
{
  struct launch *launch = launch_with_a_worker ();
  struct error err;
  const struct {
    size_t at, size;
    uint64_t value;
  } faults[] = {
    { offsetof (struct launch_request, kind), 4, 0 },
    { offsetof (struct launch_request, kind), 4, LAUNCH_RELEASE + 1 },
    { offsetof (struct launch_request, grants), 4, WORKER_GRANTS_MAX + 1 },
    { offsetof (struct launch_request, grants), 4, UINT32_MAX },
    { offsetof (struct launch_request, grant), 1, 0x80 },
    { offsetof (struct launch_request, memory), 8, 0 },
    { offsetof (struct launch_request, memory), 8, UINT64_MAX },
    { offsetof (struct launch_request, threads), 4, 0 },
    { offsetof (struct launch_request, threads), 4, UINT32_MAX },
    { offsetof (struct launch_request, title), 1, 0 },
    { offsetof (struct launch_request, title), 1, '\n' },
    { offsetof (struct launch_request, title), 1, 0xC3 },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct launch_request request = good_start ();
    memcpy ((char *) &request + faults[i].at, &faults[i].value, faults[i].size);
    if (launch_check (launch, &request, sizeof request, WORKER_FDS + request.grants, &err)) {
      printf ("# fault %zu was taken\n", i);
      CU_FAIL ("a bad request was taken");
    }
  }
  free (launch);
}

static void
test_a_title_ends (void)
{
  struct launch *launch = launch_with_a_worker ();
  struct launch_request request = good_start ();
  struct error err;

  memset (request.title, 'a', sizeof request.title);
  CU_ASSERT_FALSE (launch_check (launch, &request, sizeof request, WORKER_FDS + 2, &err));
  free (launch);
}

/* Only its own workers, by slot and serial: there is no pid and no uid to name. */
static void
test_kill_and_release (void)
{
  struct launch *launch = launch_with_a_worker ();
  const struct {
    uint32_t slot, serial;
    size_t fds;
    bool good;
  } cases[] = {
    { 3, 9, 0, true },  { 3, 8, 0, false },          { 2, 9, 0, false }, { 2, 0, 0, false },
    { 8, 9, 0, false }, { UINT32_MAX, 9, 0, false }, { 3, 9, 1, false },
  };
  struct error err;

  for (uint32_t kind = LAUNCH_KILL; kind <= LAUNCH_RELEASE; kind++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const struct launch_request request = { .kind = kind,
                                              .slot = cases[i].slot,
                                              .serial = cases[i].serial };
      CU_ASSERT_EQUAL (launch_check (launch, &request, sizeof request, cases[i].fds, &err),
                       cases[i].good);
    }
  free (launch);
}

/* A slot, and so its uid, is free when its process is gone and the daemon has let it go. */
static void
test_a_slot_is_free_after_both (void)
{
  struct launch *launch = launch_with_a_worker ();

  launch->cgroups.unified = -1;
  for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
    launch->cgroups.legacy[i] = -1;
  launch_release (launch, 3);
  CU_ASSERT_EQUAL (launch->slots[3].pid, 4711);
  launch_reaped (launch, 4712);
  CU_ASSERT_EQUAL (launch->slots[3].pid, 4711);
  launch_reaped (launch, 4711);
  CU_ASSERT_EQUAL (launch->slots[3].pid, 0);
  launch->slots[4] = (struct launch_slot){ .pid = 5000, .serial = 10 };
  launch_reaped (launch, 5000);
  CU_ASSERT_EQUAL (launch->slots[4].pid, 5000);
  launch_release (launch, 4);
  CU_ASSERT_EQUAL (launch->slots[4].pid, 0);
  free (launch);
}

/* ---- cgroups ---- */

static const char hybrid[] =
  "24 1 0:22 / /sys rw - sysfs sysfs rw\n"
  "25 24 0:23 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
  "26 24 0:24 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
  "27 24 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
  "28 24 0:26 /docker/12 /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
static const char hybrid_groups[] = "12:cpu,cpuacct:/\n"
                                    "9:pids:/docker/12/inner\n"
                                    "4:memory:/user/me\n"
                                    "0::/user.slice\n";

static void
test_where_we_stand (void)
{
  static const struct {
    const char *mounts, *groups, *controller;
    bool top;
    const char *path; /* NULL: none */
  } cases[] = {
    { hybrid, hybrid_groups, "memory", false, "/sys/fs/cgroup/memory/user/me" },
    { hybrid, hybrid_groups, "memory", true, "/sys/fs/cgroup/memory" },
    { hybrid, hybrid_groups, "cpu", false, "/sys/fs/cgroup/cpu,cpuacct/" },
    { hybrid, hybrid_groups, "pids", false, "/sys/fs/cgroup/pids/inner" },
    { hybrid, hybrid_groups, CGROUP_UNIFIED, false, "/sys/fs/cgroup/unified/user.slice" },
    { hybrid, hybrid_groups, "cpuset", false, NULL },
    { hybrid, "9:pids:/elsewhere\n", "pids", false, NULL },
    { hybrid, "9:pids:/docker/123\n", "pids", false, NULL },
    { "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate\n",
      "0::/system.slice/toolhostd.service\n", CGROUP_UNIFIED, false,
      "/sys/fs/cgroup/system.slice/toolhostd.service" },
    { "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/\n", "memory", false, NULL },
    { "", "", CGROUP_UNIFIED, false, NULL },
    { "a line that is none\n", ":::\n", CGROUP_UNIFIED, false, NULL },
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[CGROUP_PATH] = "";
    bool found =
      cgroup_path (cases[i].mounts, cases[i].groups, cases[i].controller, cases[i].top, path);
    CU_ASSERT_EQUAL (found, cases[i].path != NULL);
    if (found && cases[i].path != NULL)
      CU_ASSERT_STRING_EQUAL (path, cases[i].path);
  }
}

static CU_TestInfo tests[] = {
  { "a start", test_start },
  { "bad starts", test_bad_starts },
  { "a title ends", test_a_title_ends },
  { "kill and release", test_kill_and_release },
  { "a slot is free after both", test_a_slot_is_free_after_both },
  { "where we stand", test_where_we_stand },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "launch", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

/* Configuration and policies: what is read, and the sentence for each fault. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "daemon/config.h"
#include "daemon/describe_cache.h"
#include "daemon/policies.h"
#include "tap.h"

/* A file in memory. */
static int
file_with (const char *text)
{
  int fd = memfd_create ("test", MFD_CLOEXEC);

  CU_ASSERT_EQUAL_FATAL (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  (void) lseek (fd, 0, SEEK_SET);
  return fd;
}

static bool
config_of (const char *text, struct config *config, struct error *err)
{
  CLEANUP_FD int fd = file_with (text);

  config_init (config);
  return config_read (config, fd, err);
}

static void
values_over_defaults (void)
{
  struct config config;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (config_of ("// comments are allowed\n"
                                   "{ \"body_max\": \"2M\", /* here too */ \"grace\": \"250ms\",\n"
                                   "  \"deadline\": 5, \"listen\": [], \"socket\": null,\n"
                                   "  \"sandbox\": { \"require\": [\"no-network\"] } }",
                                   &config, &err));
  CU_ASSERT_EQUAL (config.body_max, 2 << 20);
  CU_ASSERT_EQUAL (config.grace_ms, 250);
  CU_ASSERT_EQUAL (config.deadline_ms, 5);
  CU_ASSERT_PTR_NULL (config.listen[0]);
  CU_ASSERT_PTR_NULL (config.socket);
  CU_ASSERT_EQUAL (config.require, GUARANTEE_NO_NETWORK);
  CU_ASSERT_EQUAL (config.json_depth, 64);
  config_free (&config);
}

static void
faults_of_the_configuration (void)
{
  static const struct {
    const char *text, *sentence;
  } rows[] = {
    { "", "line 1" },
    { "{\n  \"grace\": }", "line 2, column 12" },
    { "[]", "expected a JSON object" },
    { "{\"gracе\": 1}", "unknown key" },
    { "{\"grce\": 1}", "/grce: unknown key; did you mean \"grace\"?" },
    { "{\"grace\": \"soon\"}",
      "/grace: expected a duration like \"500ms\" or \"30s\", got \"soon\"" },
    { "{\"body_max\": \"lots\"}", "/body_max: expected a size like \"256M\", got \"lots\"" },
    { "{\"body_max\": 1}", "/body_max: expected at least 1024, got 1" },
    { "{\"json_depth\": 100000}", "/json_depth: expected at most 512, got 100000" },
    { "{\"listen\": \"x\"}", "/listen: expected a list of strings" },
    { "{\"plugin_dirs\": [\"/a\", \"b\"]}", "/plugin_dirs/1: expected an absolute path" },
    { "{\"plugin_dirs\": [\"/a/../b\"]}", "/plugin_dirs/0: expected an absolute path" },
    { "{\"log_level\": \"loud\"}", "/log_level: expected debug, info" },
    { "{\"sandbox\": {\"require\": [\"no-network\", \"no-bugs\"]}}",
      "/sandbox/require: expected no-network" },
    { "{\"sandbox\": {\"requires\": []}}", "/sandbox/requires: unknown key" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct config config;
    struct error err = { 0 };
    CU_ASSERT_FALSE (config_of (rows[i].text, &config, &err));
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, rows[i].sentence));
    if (strstr (err.text, rows[i].sentence) == NULL)
      printf ("# row %zu: %s\n", i, err.text);
    config_free (&config);
  }
}

static bool
policy_of (const char *text, struct policy *policy, struct error *err)
{
  CLEANUP_FD int fd = file_with (text);

  policy_init (policy);
  return policy_read (policy, fd, err);
}

static void
a_policy (void)
{
  struct policy policy, copy;
  struct error err = { 0 };

  CU_ASSERT_TRUE_FATAL (
    policy_of ("{\"permissions\":{\"read\":[\"/usr/share/zoneinfo\"],\"http\":[]},"
               "\"limits\":{\"memory\":\"64M\",\"max_time\":\"5s\",\"threads\":2},"
               "\"config\":{\"units\":\"metric\"},\"isolate\":\"plugin\"}",
               &policy, &err));
  CU_ASSERT_STRING_EQUAL (policy.read[0], "/usr/share/zoneinfo");
  CU_ASSERT_EQUAL (policy.memory, 64 << 20);
  CU_ASSERT_EQUAL (policy.max_time_ms, 5000);
  CU_ASSERT_STRING_EQUAL (policy.config, "{\"units\":\"metric\"}");
  policy_copy (&copy, &policy);
  CU_ASSERT_TRUE (policy_same (&policy, &copy));
  copy.read[0][1] = 'U';
  CU_ASSERT_FALSE (policy_same (&policy, &copy));
  policy_free (&policy);
  policy_free (&copy);
}

/* A key that is accepted is enforced; what is not enforced yet is refused. */
static void
faults_of_a_policy (void)
{
  static const struct {
    const char *text, *sentence;
  } rows[] = {
    { "{\"permissions\":{\"http\":[\"https://example.com/\"]}}",
      "/permissions/http: this version does" },
    { "{\"permissions\":{\"exec\":[\"/bin/sh\"]}}", "/permissions/exec: this version does" },
    { "{\"permissions\":{\"reed\":[]}}", "did you mean \"read\"?" },
    { "{\"limits\":{\"cpu_per_call\":\"1s\"}}", "/limits/cpu_per_call: this version does" },
    { "{\"limits\":{\"memory\":\"1K\"}}", "/limits/memory: expected at least" },
    { "{\"isolate\":\"tenant\"}", "/isolate: expected \"plugin\"" },
    { "{\"enabled\":\"yes\"}", "/enabled: expected true or false" },
    { "{\"config\":[]}", "/config: expected an object" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct policy policy;
    struct error err = { 0 };
    CU_ASSERT_FALSE (policy_of (rows[i].text, &policy, &err));
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, rows[i].sentence));
    policy_free (&policy);
  }
}

/* ---- the folder of policies, and the cache: in a folder of their own ---- */

struct folder {
  char path[64];
  int fd;
};

static void
folder_open (struct folder *f)
{
  strcpy (f->path, "/tmp/toolhost-unit.XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (f->path));
  f->fd = open (f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
folder_put (const struct folder *f, const char *name, const char *text)
{
  CLEANUP_FD int fd = openat (f->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  CU_ASSERT_EQUAL_FATAL (write (fd, text, strlen (text)), (ssize_t) strlen (text));
}

static void
folder_close (struct folder *f, const char *const *names)
{
  for (; *names != NULL; names++)
    (void) (unlinkat (f->fd, *names, 0) < 0 && unlinkat (f->fd, *names, AT_REMOVEDIR));
  (void) close (f->fd);
  CU_ASSERT_EQUAL (rmdir (f->path), 0);
}

static void
policies_of_a_folder (void)
{
  struct folder f;
  struct error err = { 0 };
  struct policies *policies;
  struct policy policy;

  folder_open (&f);
  CU_ASSERT_EQUAL (mkdirat (f.fd, "plugins.d", 0755), 0);
  folder_put (&f, "plugins.d/a.json",
              "{\"limits\":{\"files\":32},\"sandbox\":{\"require\":[\"kill-tree\"]}}");
  policies = policies_read (f.fd, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (policies);
  policy_init (&policy);
  policies_get (policies, "a", GUARANTEES_ALL, &policy);
  CU_ASSERT_EQUAL (policy.files, 32);
  CU_ASSERT_EQUAL (policy.require, GUARANTEE_KILL_TREE);
  policy_free (&policy);
  policy_init (&policy);
  policies_get (policies, "b", GUARANTEES_ALL, &policy);
  CU_ASSERT_EQUAL (policy.files, 64);
  CU_ASSERT_EQUAL (policy.require, GUARANTEES_ALL);
  policy_free (&policy);
  policies_free (policies);
  folder_put (&f, "plugins.d/b.json", "{\"limits\":{\"memory\":\"lots\"}}");
  CU_ASSERT_PTR_NULL (policies_read (f.fd, &err));
  CU_ASSERT_STRING_EQUAL (
    err.text, "plugins.d/b.json: /limits/memory: expected a size like \"256M\", got \"lots\"");
  folder_close (&f,
                (const char *const[]){ "plugins.d/a.json", "plugins.d/b.json", "plugins.d", NULL });
}

static void
the_cache_remembers (void)
{
  struct folder f;
  struct error err = { 0 };
  struct stat st;
  char hex[SHA256_HEX];
  size_t len;
  int file = file_with ("abc");

  folder_open (&f);
  CU_ASSERT_EQUAL (fstat (file, &st), 0);
  struct describe_cache *cache = describe_cache_new (f.fd, "b1");
  CU_ASSERT_TRUE (describe_cache_hash (cache, file, &st, hex, &err));
  CU_ASSERT_STRING_EQUAL (hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, hex, 7, &len));
  describe_cache_put (cache, hex, 7, "{\"x\":\"\\n\"}", 10);
  CU_ASSERT_TRUE (describe_cache_save (cache, &err));
  describe_cache_free (cache);

  cache = describe_cache_new (f.fd, "b1");
  CU_ASSERT_PTR_NOT_NULL (describe_cache_find (cache, hex, 7, &len));
  CU_ASSERT_EQUAL (len, 10);
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, hex, 8, &len)); /* another policy */
  /* the same identity is believed without looking into the file */
  CU_ASSERT_TRUE (describe_cache_hash (cache, -1, &st, hex, &err));
  describe_cache_free (cache);

  cache = describe_cache_new (f.fd, "b2");
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, hex, 7, &len)); /* another build */
  describe_cache_free (cache);
  (void) close (file);
  folder_close (&f, (const char *const[]){ "describe-cache.jsonl", NULL });
}

static void
a_damaged_cache_is_no_error (void)
{
  struct folder f;
  size_t len;

  folder_open (&f);
  folder_put (&f, "describe-cache.jsonl",
              "{\"build\":\"b\"}\n{\"key\":\"k/0000000000000000\",\"descr");
  struct describe_cache *cache = describe_cache_new (f.fd, "b");
  CU_ASSERT_PTR_NULL (describe_cache_find (cache, "k", 0, &len));
  describe_cache_free (cache);
  folder_close (&f, (const char *const[]){ "describe-cache.jsonl", NULL });
}

static CU_TestInfo tests[] = { { "values over defaults", values_over_defaults },
                               { "faults of the configuration", faults_of_the_configuration },
                               { "a policy", a_policy },
                               { "faults of a policy", faults_of_a_policy },
                               { "policies of a folder", policies_of_a_folder },
                               { "the cache remembers", the_cache_remembers },
                               { "a damaged cache is no error", a_damaged_cache_is_no_error },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "config", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

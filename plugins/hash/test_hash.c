#include <limits.h>
#include <sys/stat.h>

#include "common/plugin_test.h"

static toolhost_mock *mock;
static char folder[32];

static int
start (void)
{
  strcpy (folder, "/tmp/test_hash.XXXXXX");
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL || mkdtemp (folder) == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return rmdir (folder);
}

static const char *
path_in_folder (const char *name)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void
write_file (const char *name, const char *block, size_t len, unsigned times)
{
  FILE *file = fopen (path_in_folder (name), "w");

  CU_ASSERT_PTR_NOT_NULL_FATAL (file);
  for (unsigned i = 0; i < times; i++)
    CU_ASSERT_EQUAL (fwrite (block, 1, len, file), len);
  CU_ASSERT_EQUAL (fclose (file), 0);
}

static const char *
file_arguments (const char *algorithm, const char *path)
{
  static char json[PATH_MAX + 100];
  snprintf (json, sizeof json, "{\"algorithm\":\"%s\",\"file\":\"%s\"}", algorithm, path);
  return json;
}

static bool
digest_is (const char *args, const char *digest)
{
  char part[200];
  snprintf (part, sizeof part, "\"digest\":\"%s\"", digest);
  return gives (mock, "hash", args, part);
}

/* FIPS 180-4 and 202, RFC 1321, 3174, 7693, the CRC catalogue: of "abc". */
static void
vectors_of_abc (void)
{
  static const struct vector {
    const char *algorithm, *digest;
  } vectors[] = {
    { "md5", "900150983cd24fb0d6963f7d28e17f72" },
    { "sha1", "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "sha224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7" },
    { "sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "sha384", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                "8086072ba1e7cc2358baeca134c825a7" },
    { "sha512", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
    { "sha512-256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23" },
    { "sha3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532" },
    { "sha3-512", "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                  "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0" },
    { "blake2b512", "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923" },
    { "blake2s256", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982" },
    { "crc32", "352441c2" },
  };
  char args[200];

  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    snprintf (args, sizeof args, "{\"algorithm\":\"%s\",\"text\":\"abc\"}", vectors[i].algorithm);
    CU_ASSERT_TRUE (digest_is (args, vectors[i].digest));
    snprintf (args, sizeof args, "{\"algorithm\":\"%s\",\"base64\":\"YWJj\"}",
              vectors[i].algorithm);
    CU_ASSERT_TRUE (digest_is (args, vectors[i].digest));
  }
}

static void
other_vectors (void)
{
  static const struct vector {
    const char *args, *digest;
  } vectors[] = {
    { "{\"text\":\"\"}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "{\"base64\":\"\"}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "{\"text\":\"\",\"algorithm\":\"md5\"}", "d41d8cd98f00b204e9800998ecf8427e" },
    { "{\"text\":\"\",\"algorithm\":\"crc32\"}", "00000000" },
    { "{\"text\":\"123456789\",\"algorithm\":\"crc32\"}", "cbf43926" },
    { "{\"text\":\"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq\"}",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "{\"text\":\"\",\"algorithm\":\"sha3-256\"}",
      "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a" },
    { "{\"text\":\"\\u0000\"}",
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
    { "{\"base64\":\"AA==\"}", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
    { "{\"text\":\"abc\",\"encoding\":\"base64\"}",
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
    { "{\"text\":\"abc\",\"encoding\":\"base64\",\"algorithm\":\"crc32\"}", "NSRBwg==" },
    /* RFC 4231, test case 2; RFC 2202; and an empty key. */
    { "{\"text\":\"what do ya want for nothing?\",\"hmac_key\":\"Jefe\"}",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
    { "{\"text\":\"what do ya want for nothing?\",\"hmac_key\":\"Jefe\",\"algorithm\":\"sha512\"}",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
      "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737" },
    { "{\"text\":\"what do ya want for nothing?\",\"hmac_key\":\"Jefe\",\"algorithm\":\"md5\"}",
      "750c783e6ab0b503eaa86e310a5db738" },
    { "{\"text\":\"what do ya want for nothing?\",\"hmac_key\":\"Jefe\",\"algorithm\":\"sha1\"}",
      "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
    { "{\"text\":\"\",\"hmac_key\":\"\"}",
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad" },
  };

  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    CU_ASSERT_TRUE (digest_is (vectors[i].args, vectors[i].digest));
}

static void
results (void)
{
  CU_ASSERT_TRUE (
    gives (mock, "hash", "{\"text\":\"\\u00e9\",\"algorithm\":\"sha224\"}",
           "{\"algorithm\":\"sha224\",\"hmac\":false,\"encoding\":\"hex\",\"digest\":"));
  CU_ASSERT_TRUE (gives (mock, "hash", "{\"text\":\"\\u00e9\"}", ",\"bytes\":2}"));
  CU_ASSERT_TRUE (gives (mock, "hash", "{\"text\":\"a\",\"hmac_key\":\"k\"}", "\"hmac\":true"));
  CU_ASSERT_TRUE (says (mock, "hash", "{\"text\":\"\",\"algorithm\":\"sha224\"}",
                        "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"));
  CU_ASSERT_TRUE (
    gives (mock, "hash", "{\"text\":\"\",\"algorithm\":\"md5\"}", "\"note\":\"md5 is broken"));
  CU_ASSERT_TRUE (
    gives (mock, "hash", "{\"text\":\"\",\"algorithm\":\"sha1\"}", "\"note\":\"sha1 is broken"));
  CU_ASSERT_TRUE (gives (mock, "hash", "{\"text\":\"\",\"algorithm\":\"crc32\"}",
                         "\"note\":\"crc32 is a checksum"));
  CU_ASSERT_TRUE (says (mock, "hash", "{\"text\":\"\",\"algorithm\":\"sha1\",\"hmac_key\":\"\"}",
                        "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"));
}

static void
arguments (void)
{
  static const struct fault {
    const char *args, *part;
  } faults[] = {
    { "{}", "expected exactly one of \\\"text\\\", \\\"base64\\\" and \\\"file\\\", got none" },
    { "{\"text\":\"a\",\"base64\":\"\"}", "got several" },
    { "{\"text\":\"a\",\"file\":\"/x\"}", "got several" },
    { "{\"text\":\"a\",\"algorithm\":\"crc32\",\"hmac_key\":\"k\"}", "no HMAC with crc32" },
    { "{\"file\":\"relative\"}", "expected an absolute path" },
    { "{\"file\":\"/x\\u0000y\"}", "U+0000" },
    { "{\"base64\":\"YWJ\"}", "groups of 4" },
    { "{\"base64\":\"YWJj=\"}", "groups of 4" },
    { "{\"base64\":\"Y=Jj\"}", "position 2" },
    { "{\"base64\":\"YW-_\"}", "position 3" },
    { "{\"base64\":\"YWJj\\nYWJj\"}", "position 5" },
    { "{\"base64\":\"YX==\"}", "position 2" },
    { "{\"base64\":\"YWJ=\"}", "position 3" },
    { "{\"base64\":\"====\"}", "position 1" },
    { "{\"base64\":\"YW\\u0000j\"}", "position 3" },
  };

  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)

    CU_ASSERT_TRUE (refuses (mock, "hash", faults[i].args, faults[i].part));
}

static void
files (void)
{
  static char block[10000];

  memset (block, 'a', sizeof block);
  write_file ("million", block, sizeof block, 100);
  write_file ("empty", block, 0, 0);
  /* FIPS 180: one million times "a". */
  CU_ASSERT_TRUE (digest_is (file_arguments ("sha256", path_in_folder ("million")),
                             "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
  CU_ASSERT_TRUE (digest_is (file_arguments ("sha1", path_in_folder ("million")),
                             "34aa973cd4c4daa4f61eeb2bdbad27316534016f"));
  CU_ASSERT_TRUE (digest_is (file_arguments ("crc32", path_in_folder ("million")), "dc25bfbc"));
  CU_ASSERT_TRUE (
    gives (mock, "hash", file_arguments ("md5", path_in_folder ("million")), "\"bytes\":1000000"));
  CU_ASSERT_TRUE (digest_is (file_arguments ("md5", path_in_folder ("empty")),
                             "d41d8cd98f00b204e9800998ecf8427e"));
  unlink (path_in_folder ("million"));
  unlink (path_in_folder ("empty"));
}

static void
files_that_are_none (void)
{
  CU_ASSERT_TRUE (fails (mock, "hash", file_arguments ("sha256", path_in_folder ("absent")),
                         "hash_file_not_found", "plugins.d/hash.json"));
  CU_ASSERT_TRUE (fails (mock, "hash", file_arguments ("sha256", folder), "hash_file_not_regular",
                         "got a folder"));
  CU_ASSERT_TRUE (fails (mock, "hash", file_arguments ("sha256", "/dev/null"),
                         "hash_file_not_regular", "a device, pipe or socket"));
  CU_ASSERT_EQUAL_FATAL (mkfifo (path_in_folder ("fifo"), 0600), 0);
  CU_ASSERT_TRUE (fails (mock, "hash", file_arguments ("sha256", path_in_folder ("fifo")),
                         "hash_file_not_regular", "a device, pipe or socket"));
  unlink (path_in_folder ("fifo"));
  CU_ASSERT_EQUAL_FATAL (symlink ("loop", path_in_folder ("loop")), 0);
  CU_ASSERT_TRUE (fails (mock, "hash", file_arguments ("sha256", path_in_folder ("loop")),
                         "hash_file_denied", "loop"));
  unlink (path_in_folder ("loop"));
}

static void
progress_and_cancel (void)
{
  static char block[1 << 20];
  const char *args;
  toolhost_mock_result *r;

  write_file ("large", block, sizeof block, 9);
  args = file_arguments ("sha256", path_in_folder ("large"));
  r = toolhost_mock_call (mock, "hash", args);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_PTR_NOT_NULL (strstr (r->log, "progress"));
  toolhost_mock_result_free (r);
  toolhost_mock_cancel_after (mock, 5);
  CU_ASSERT_TRUE (
    stops (mock, "hash", args, "hash_cancelled", "the call was cancelled after 1048576 bytes"));
  unlink (path_in_folder ("large"));
}

static void
definition (void)
{
  CU_ASSERT_TRUE (definition_fits (mock, "hash"));
}

static CU_TestInfo tests[] = {
  { "published vectors of \"abc\"", vectors_of_abc },
  { "other published vectors", other_vectors },
  { "results and notes", results },
  { "arguments a schema can't check", arguments },
  { "files", files },
  { "files that are none", files_that_are_none },
  { "progress and cancel", progress_and_cancel },
  { "definition fits its literal", definition },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "hash", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)

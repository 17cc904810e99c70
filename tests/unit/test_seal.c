/* What travels through a caller's hands: it comes back as it was, or not at all. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/seal.h"
#include "tap.h"

enum { NOW = 1000000, TTL = 600 };

static const struct seal_for whom = { "uid:7", "tools/call", "delete", "d1" };

static bool
is (const struct buf *b, const char *text)
{
  return b->len == strlen (text) && memcmp (b->data, text, b->len) == 0;
}

static void
test_round_trip (void)
{
  struct seal_keys *keys = seal_keys_new (TTL);
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf b = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (keys, &whom, "what it is", 10, NOW, &a);
  seal_close (keys, &whom, "what it is", 10, NOW, &b);
  CU_ASSERT_FALSE (a.len == b.len && memcmp (a.data, b.data, a.len) == 0);
  CU_ASSERT_PTR_NULL (memmem (a.data, a.len, "what", 4));
  CU_ASSERT_EQUAL (seal_open (keys, &whom, a.data, a.len, NOW + TTL - 1, &plain), SEAL_GOOD);
  CU_ASSERT_TRUE (is (&plain, "what it is"));
  plain.len = 0;
  b.len = 0;
  seal_close (keys, &whom, "", 0, NOW, &b);
  CU_ASSERT_EQUAL (seal_open (keys, &whom, b.data, b.len, NOW, &plain), SEAL_GOOD);
  CU_ASSERT_EQUAL (plain.len, 0);
  seal_keys_free (keys);
}

/* A daemon that has sealed nothing takes nothing for its own, whatever key it names. */
static void
test_nothing_sealed_yet (void)
{
  struct seal_keys *sealing = seal_keys_new (TTL), *idle = seal_keys_new (TTL);
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (sealing, &whom, "state", 5, NOW, &a);
  CU_ASSERT_EQUAL (seal_open (idle, &whom, a.data, a.len, NOW, &plain), SEAL_FORGED);
  memset (a.data + 4, 0, 4); /* the key's id */
  CU_ASSERT_EQUAL (seal_open (idle, &whom, a.data, a.len, NOW, &plain), SEAL_FORGED);
  CU_ASSERT_EQUAL (plain.len, 0);
  seal_keys_free (sealing);
  seal_keys_free (idle);
}

static void
test_every_bit_counts (void)
{
  struct seal_keys *keys = seal_keys_new (TTL);
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (keys, &whom, "state", 5, NOW, &a);
  for (size_t i = 0; i < a.len * 8; i++) {
    a.data[i / 8] ^= (char) (1 << i % 8);
    CU_ASSERT_EQUAL (seal_open (keys, &whom, a.data, a.len, NOW, &plain), SEAL_FORGED);
    a.data[i / 8] ^= (char) (1 << i % 8);
  }
  for (size_t len = 0; len < a.len; len++)
    CU_ASSERT_EQUAL (seal_open (keys, &whom, a.data, len, NOW, &plain), SEAL_FORGED);
  CU_ASSERT_EQUAL (plain.len, 0);
  seal_keys_free (keys);
}

static void
test_bound (void)
{
  static const struct seal_for others[] = {
    { "uid:8", "tools/call", "delete", "d1" },  { "uid:7", "prompts/get", "delete", "d1" },
    { "uid:7", "tools/call", "deletes", "d1" }, { "uid:7", "tools/call", "delete", "d2" },
    { "uid:7tools/call", "", "delete", "d1" },
  };
  struct seal_keys *keys = seal_keys_new (TTL);
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (keys, &whom, "state", 5, NOW, &a);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CU_ASSERT_EQUAL (seal_open (keys, &others[i], a.data, a.len, NOW, &plain), SEAL_FORGED);
  seal_keys_free (keys);
}

static void
test_time (void)
{
  struct seal_keys *keys = seal_keys_new (TTL);
  CLEANUP_BUF struct buf first = { 0 };
  CLEANUP_BUF struct buf late = { 0 };
  CLEANUP_BUF struct buf next = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (keys, &whom, "first", 5, NOW, &first);
  seal_close (keys, &whom, "late", 4, NOW + TTL - 1, &late);
  CU_ASSERT_EQUAL (seal_open (keys, &whom, first.data, first.len, NOW + TTL, &plain), SEAL_EXPIRED);
  CU_ASSERT_EQUAL (plain.len, 0);
  seal_close (keys, &whom, "next", 4, NOW + TTL, &next); /* with a new key */
  CU_ASSERT_EQUAL (seal_open (keys, &whom, late.data, late.len, NOW + 2 * TTL - 2, &plain),
                   SEAL_GOOD);
  next.len = 0;
  seal_close (keys, &whom, "next", 4, NOW + 2 * TTL, &next); /* and another: the first is gone */
  CU_ASSERT_EQUAL (seal_open (keys, &whom, late.data, late.len, NOW + 2 * TTL, &plain),
                   SEAL_FORGED);
  seal_keys_free (keys);
}

/* ---- keys of a file ---- */

#define K1 "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"
#define K2 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

static char path[40];

static void
write_file (const char *text, mode_t mode)
{
  int fd = open (path, O_WRONLY | O_TRUNC);

  CU_ASSERT_EQUAL (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  (void) fchmod (fd, mode);
  (void) close (fd);
}

static void
test_key_file (void)
{
  struct seal_keys *one = seal_keys_new (TTL), *two = seal_keys_new (TTL);
  struct error err = { 0 };
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  write_file ("# of 2026\n" K1 "\n", 0600);
  CU_ASSERT_TRUE (seal_keys_read (one, path, &err));
  seal_close (one, &whom, "state", 5, NOW, &a);
  write_file (K2 "  # new\r\n" K1 "\n", 0600); /* another daemon, with the keys rotated */
  CU_ASSERT_TRUE (seal_keys_read (two, path, &err));
  CU_ASSERT_EQUAL (seal_open (two, &whom, a.data, a.len, NOW, &plain), SEAL_GOOD);
  CU_ASSERT_TRUE (is (&plain, "state"));
  a.len = plain.len = 0;
  seal_close (two, &whom, "state", 5, NOW, &a);
  CU_ASSERT_EQUAL (seal_open (one, &whom, a.data, a.len, NOW, &plain), SEAL_FORGED);
  seal_keys_free (one);
  seal_keys_free (two);
}

static void
expect (struct seal_keys *keys, const char *sentence)
{
  struct error err = { 0 };

  CU_ASSERT_FALSE (seal_keys_read (keys, path, &err));
  if (strstr (err.text, sentence) == NULL || strstr (err.text, path) == NULL) {
    printf ("# expected: %s\n# got: %s\n", sentence, err.text);
    CU_FAIL ("another sentence was expected");
  }
}

static void
test_bad_key_files (void)
{
  struct seal_keys *keys = seal_keys_new (TTL);
  CLEANUP_BUF struct buf a = { 0 };
  CLEANUP_BUF struct buf many = { 0 };
  CLEANUP_BUF struct buf plain = { 0 };

  seal_close (keys, &whom, "state", 5, NOW, &a);
  write_file (K1, 0640);
  expect (keys, "owner alone");
  write_file ("\n# nothing\n", 0600);
  expect (keys, "it holds no key");
  write_file (K1 "\n" K1 "0\n", 0600);
  expect (keys, "line 2: expected a key, 64 hex digits");
  write_file ("g00102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F", 0600);
  expect (keys, "line 1: expected a key");
  for (int i = 0; i < 9; i++)
    buf_puts (&many, K1 "\n");
  write_file (buf_cstr (&many), 0600);
  expect (keys, "more than 8 keys");
  CU_ASSERT_EQUAL (seal_open (keys, &whom, a.data, a.len, NOW, &plain), SEAL_GOOD);
  (void) unlink (path);
  expect (keys, "No such file");
  seal_keys_free (keys);
}

static int
set_up (void)
{
  int fd;

  strcpy (path, "/tmp/toolhost-seal-XXXXXX");
  fd = mkstemp (path);
  return fd < 0 || close (fd) != 0;
}

static int
tear_down (void)
{
  (void) unlink (path);
  return 0;
}

static CU_TestInfo tests[] = {
  { "there and back", test_round_trip },
  { "nothing sealed yet", test_nothing_sealed_yet },
  { "every bit counts", test_every_bit_counts },
  { "bound to whom and what", test_bound },
  { "time and new keys", test_time },
  { "keys of a file", test_key_file },
  { "key files that are none", test_bad_key_files },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "seal", set_up, tear_down, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)

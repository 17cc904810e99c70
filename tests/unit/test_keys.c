/* Bearer keys: their file, and who has one. */
#include <fcntl.h>
#include <sys/stat.h>

#include "front/auth/keys.h"
#include "front/auth/roles.h"
#include "tap.h"

#define HASH "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static void
test_round_trip (void)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct bearer_keys keys = { 0 };
  struct bearer_key made = { .roles = ROLE_CALL | ROLE_APPROVE,
                             .tenant = "acme",
                             .name = "ci.bot" };
  struct error err = { 0 };
  const struct bearer_key *found;
  char key[KEY_LEN + 1];

  CU_ASSERT_TRUE_FATAL (key_make (&made, key));
  CU_ASSERT_EQUAL (strlen (key), KEY_LEN);
  key_write (&made, &text);
  CU_ASSERT_PTR_NULL (strstr (buf_cstr (&text), key + 13));
  CU_ASSERT_TRUE_FATAL (keys_parse (&keys, text.data, text.len, &err));
  found = keys_find (&keys, key, KEY_LEN);
  CU_ASSERT_PTR_NOT_NULL_FATAL (found);
  CU_ASSERT_EQUAL (found->roles, ROLE_CALL | ROLE_APPROVE);
  CU_ASSERT_STRING_EQUAL (found->tenant, "acme");
  CU_ASSERT_STRING_EQUAL (found->name, "ci.bot");
  for (size_t i = 0; i < KEY_LEN; i++) {
    key[i] ^= 1;
    CU_ASSERT_PTR_NULL (keys_find (&keys, key, KEY_LEN));
    key[i] ^= 1;
  }
  CU_ASSERT_PTR_NULL (keys_find (&keys, key, KEY_LEN - 1));
  keys_free (&keys);
  CU_ASSERT_PTR_NULL (keys_find (&keys, key, KEY_LEN));
}

static void
test_files_that_are_refused (void)
{
  static const struct {
    const char *text, *problem;
  } rows[] = {
    { "0011aabb " HASH " call default", "line 1: expected id, hash, roles, tenant and name" },
    { "0011aabb " HASH " call default a b", "line 1: expected id, hash, roles, tenant and name" },
    { "# one\n0011AABB " HASH " call default a", "line 2: expected an id, 8 hex digits" },
    { "0011aabb 00 call default a", "line 1: expected a hash, 64 hex digits" },
    { "0011aabb " HASH " call,fly default a",
      "line 1: expected roles: list, call, observe, approve or manage, with commas" },
    { "0011aabb " HASH " call, default a",
      "line 1: expected roles: list, call, observe, approve or manage, with commas" },
    { "0011aabb " HASH " call de/fault a",
      "line 1: expected a tenant and a name of letters, digits, '.', '_' and '-'" },
    { "0011aabb " HASH " call default a\n0011aabb " HASH " call default b",
      "line 2: another key has the same id" },
    { "0011aabb " HASH " call default a\n0011aabc " HASH " call other a",
      "line 2: another tenant has a key of the same name" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bearer_keys keys = { 0 };
    struct error err = { 0 };
    CU_ASSERT_FALSE (keys_parse (&keys, rows[i].text, strlen (rows[i].text), &err));
    CU_ASSERT_STRING_EQUAL (err.text, rows[i].problem);
    CU_ASSERT_EQUAL (keys.count, 0);
  }
}

static void
test_comments_and_blanks (void)
{
  static const char text[] = "# keys\n\n  0011aabb\t" HASH " list default a # of Ann\r-\n"
                             "0011aabc " HASH " manage default a";
  struct bearer_keys keys = { 0 };
  struct error err = { 0 };

  CU_ASSERT_TRUE (keys_parse (&keys, text, sizeof text - 1, &err));
  CU_ASSERT_EQUAL (keys.count, 2);
  CU_ASSERT_EQUAL (keys.list[1].roles, ROLE_MANAGE);
  keys_free (&keys);
}

static void
test_who_may_read_the_file (void)
{
  char path[] = "/tmp/toolhost-keys-XXXXXX";
  int fd = mkstemp (path);
  struct bearer_keys keys = { 0 };
  struct error err = { 0 };

  CU_ASSERT_TRUE (keys_read (&keys, AT_FDCWD, path, &err));
  CU_ASSERT_EQUAL (fchmod (fd, 0640), 0);
  CU_ASSERT_FALSE (keys_read (&keys, AT_FDCWD, path, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "its owner alone may use (mode 0600)"));
  close (fd);
  unlink (path);
  CU_ASSERT_TRUE (keys_read (&keys, AT_FDCWD, path, &err)); /* none there: no keys */
}

static void
test_roles (void)
{
  unsigned roles;

  CU_ASSERT_EQUAL (roles_whole (ROLE_CALL), ROLE_CALL | ROLE_LIST);
  CU_ASSERT_EQUAL (roles_whole (ROLE_APPROVE), ROLE_APPROVE | ROLE_LIST);
  CU_ASSERT_EQUAL (roles_whole (ROLE_OBSERVE), ROLE_OBSERVE);
  CU_ASSERT_EQUAL (roles_whole (ROLE_MANAGE), ROLES_ALL);
  CU_ASSERT_FALSE (roles_read ("", 0, &roles));
  CU_ASSERT_TRUE (roles_read ("list,manage", 11, &roles));
  CU_ASSERT_EQUAL (roles, ROLE_LIST | ROLE_MANAGE);
}

static CU_TestInfo tests[] = {
  { "a key is found again", test_round_trip },
  { "files that are refused", test_files_that_are_refused },
  { "comments and blanks", test_comments_and_blanks },
  { "who may read the file", test_who_may_read_the_file },
  { "roles", test_roles },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "keys", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)

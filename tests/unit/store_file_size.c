/* How large the file is: what was forgotten goes back to the disk. */
#include <sys/stat.h>
#include <unistd.h>

#include "store_file.h"

enum { CALLS = 400, RESULT = 20000, SPARE = 1024 * 4096 /* bytes that may stay empty */ };

static int64_t
size_of_file (void)
{
  struct stat is;

  CU_ASSERT_EQUAL (stat (path_of ("toolhost.db"), &is), 0);
  return is.st_size;
}

/* Some megabytes of calls that have ended, and one that runs. */
static void
fill (void)
{
  char *result = xcalloc (1, RESULT);

  for (unsigned i = 0; i < CALLS; i++) {
    rig_claim (&bed, i, 1);
    rig_finish (&bed, i, (struct store_bytes){ result, RESULT });
  }
  rig_claim (&bed, CALLS, 1);
  free (result);
}

/* Until nothing is given back any more; how many others were served meanwhile. */
static unsigned
forget (void)
{
  unsigned served = 0, still = 0;
  uint64_t empty = 0;

  bed.now_ms += bed.settings.result_ttl_ms;
  store_tick (bed.store);
  while (still < 3) {
    CU_ASSERT_EQUAL (rig_lookup (&bed, CALLS).call.state, STORE_RUNNING);
    still = store_figures (bed.store).free_bytes == empty ? still + 1 : 0;
    empty = store_figures (bed.store).free_bytes;
    served++;
  }
  CU_ASSERT_EQUAL (store_figures (bed.store).calls, 1);
  CU_ASSERT_EQUAL (store_figures (bed.store).forgotten, CALLS);
  return served;
}

/* Of an earlier version. */
static void
begin_with_a_file_that_does_not_shrink (void)
{
  rig_stop (&bed);
  CU_ASSERT_EQUAL (unlink (path_of ("toolhost.db")), 0);
  by_hand ("toolhost.db", "PRAGMA auto_vacuum = NONE; PRAGMA application_id = 1953261683");
  rig_start (&bed);
}

static void
what_is_forgotten_goes_back_to_the_disk (void)
{
  fill ();
  CU_ASSERT_TRUE (size_of_file () > CALLS * RESULT / 2);
  /* Some pages at a time, and others in between: 8 MB are some steps of a megabyte. */
  CU_ASSERT_TRUE (forget () >= 3 + 3);
  CU_ASSERT_TRUE (size_of_file () < SPARE + (1 << 20));
  CU_ASSERT_TRUE (store_figures (bed.store).free_bytes <= SPARE);
  rig_stop (&bed);
  CU_ASSERT_TRUE (size_of_file () < SPARE + (1 << 20));
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, CALLS).call.state, STORE_UNKNOWN);
}

static void
what_is_empty_is_left_for_what_comes (void)
{
  int64_t size;

  fill ();
  forget ();
  size = size_of_file ();
  CU_ASSERT_TRUE (store_figures (bed.store).free_bytes > SPARE / 2);
  rig_tick (&bed);
  rig_tick (&bed);
  CU_ASSERT_EQUAL (size_of_file (), size);
}

static void
a_copy_is_whole_while_the_file_shrinks (void)
{
  struct said said = { .rig = &bed };

  fill ();
  store_backup (bed.store, path_of ("copy.db"), said_backup, &said);
  forget ();
  rig_until (&bed, &said, 1);
  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (number_in ("copy.db", "PRAGMA auto_vacuum"), 2);
  CU_ASSERT_EQUAL (number_in ("copy.db", "SELECT count (*) FROM call WHERE state = 1"), 1);
}

static void
an_earlier_versions_file_is_made_anew (void)
{
  struct store_vacuumed vacuumed;
  struct error err = { 0 };

  begin_with_a_file_that_does_not_shrink ();
  fill ();
  CU_ASSERT_EQUAL (forget (), 3 + 1);
  rig_stop (&bed);
  CU_ASSERT_TRUE (size_of_file () > CALLS * RESULT);
  CU_ASSERT_TRUE (store_vacuum (bed.place.path, &vacuumed, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "");
  CU_ASSERT_TRUE (vacuumed.before > CALLS * RESULT);
  CU_ASSERT_EQUAL ((int64_t) vacuumed.after, size_of_file ());
  CU_ASSERT_TRUE (vacuumed.after < 1 << 20);
  CU_ASSERT_EQUAL (number_in ("toolhost.db", "PRAGMA auto_vacuum"), 2);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, CALLS).call.state, STORE_UNKNOWN);
}

static void
a_file_that_a_daemon_has_is_not_made_anew (void)
{
  struct store_vacuumed vacuumed;
  struct error err = { 0 };

  CU_ASSERT_FALSE (store_vacuum (bed.place.path, &vacuumed, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "/toolhost.db: another daemon has it, process "));
  CU_ASSERT_FALSE (store_vacuum ("/no/such/folder", &vacuumed, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "/no/such/folder/toolhost.db: No such file or directory");
}

CU_TestInfo file_sizes[] = {
  { "what is forgotten goes back to the disk", what_is_forgotten_goes_back_to_the_disk },
  { "what is empty is left for what comes", what_is_empty_is_left_for_what_comes },
  { "a copy is whole while the file shrinks", a_copy_is_whole_while_the_file_shrinks },
  { "an earlier version's file is made anew", an_earlier_versions_file_is_made_anew },
  { "a file that a daemon has is not made anew", a_file_that_a_daemon_has_is_not_made_anew },
  CU_TEST_INFO_NULL,
};

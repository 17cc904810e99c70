/* No room for what is to be written; copies. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_file.h"

/* Claims that hold about so many bytes, until one is not won; how many were. */
static unsigned
fill (unsigned from, size_t bytes)
{
  char *about = xcalloc (1, bytes);
  unsigned won = 0;

  for (unsigned i = from;; i++) {
    struct said said = { .rig = &bed };
    struct store_claim claim = claim_of (i, 1);

    claim.about = (struct store_bytes){ about, bytes };
    store_claim (bed.store, &claim, said_claim, &said);
    rig_until (&bed, &said, 1);
    if (said.verdict != STORE_WON || won == 100000)
      break;
    won++;
  }
  free (about);
  return won;
}

/* Full from here on: what was won is kept and told, and nothing is won. */
static void
check_full (unsigned won)
{
  struct said said = { .rig = &bed };
  struct store_claim claim = claim_of (1000000, 1);

  CU_ASSERT_TRUE (won > 10 && won < 100000);
  CU_ASSERT_FALSE (bed.well);
  CU_ASSERT_PTR_NOT_NULL (strstr (bed.why, "full"));
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_RUNNING);
  claim.about = TEXT ("{}");
  for (int i = 0; i < 20; i++)
    store_claim (bed.store, &claim, said_claim, &said);
  rig_until (&bed, &said, 20);
  CU_ASSERT_TRUE (store_figures (bed.store).failures >= 1);
}

static void
a_full_file_is_told_and_recovers (void)
{
  unsigned won;

  rig_stop (&bed);
  bed.settings.file_max = 1 << 20;
  rig_start (&bed);
  for (unsigned i = 0; i < 50; i++)
    rig_cancel (&bed, 500000 + i);
  won = fill (0, 8000);
  check_full (won);
  for (unsigned i = 0; i < 20; i++) /* what runs may still be let go of */
    rig_release (&bed, i);
  CU_ASSERT_EQUAL (rig_claim (&bed, 0, 1).verdict, STORE_WON);
  CU_ASSERT_TRUE (bed.well);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_RUNNING);
}

static void
reads_go_on_in_a_turn_whose_writes_have_no_room (void)
{
  char *about = xcalloc (1, 200000);
  struct said said[3] = { { .rig = &bed }, { .rig = &bed }, { .rig = &bed } };
  struct store_claim claim = claim_of (900000, 1);
  struct store_key key = key_of (0), new = key_of (900001);
  unsigned won;

  rig_stop (&bed);
  bed.settings.file_max = 1 << 20;
  rig_start (&bed);
  won = fill (0, 8000);
  rig_release (&bed, won - 1); /* room for something small */
  claim.about = (struct store_bytes){ about, 200000 };
  store_claim (bed.store, &claim, said_claim, &said[0]);
  store_lookup (bed.store, &key, said_call, &said[1]);
  store_cancel (bed.store, &new, said_status, &said[2]);
  rig_until (&bed, &said[2], 1);
  CU_ASSERT_EQUAL (said[0].verdict, STORE_NOT_CLAIMED);
  CU_ASSERT_EQUAL (said[1].call.state, STORE_RUNNING);
  CU_ASSERT_EQUAL (said[2].status, STORE_OK);
  free (about);
}

static void
a_full_disk_is_told_and_recovers (void)
{
  char ballast[256];
  unsigned won;
  int file;

  rig_stop (&bed);
  if (mount ("none", bed.place.path, "tmpfs", 0, "size=4m") != 0) {
    rig_start (&bed);
    TAP_SKIP ("only root may mount a small file system");
  }
  snprintf (ballast, sizeof ballast, "%s/ballast", bed.place.path);
  file = open (ballast, O_WRONLY | O_CREAT, 0600);
  CU_ASSERT_EQUAL (posix_fallocate (file, 0, 2 << 20), 0);
  close (file);
  rig_start (&bed);
  won = fill (0, 8000);
  check_full (won);
  CU_ASSERT_EQUAL (unlink (ballast), 0);
  while (!bed.well) /* it is tried again by itself */
    ev_run (bed.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1000001, 1).verdict, STORE_WON);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won + 1).status, STORE_NOT_FOUND);
  rig_stop (&bed);
  umount (bed.place.path);
  rig_start (&bed);
}

/* ---- copies ---- */

static struct said
backup (const char *name)
{
  struct said said = { .rig = &bed };

  store_backup (bed.store, path_of (name), said_backup, &said);
  CU_ASSERT_EQUAL (said.told, 0);
  rig_until (&bed, &said, 1);
  return said;
}

/* Some megabytes, so that a copy takes several steps; how many calls. */
static unsigned
make_large (void)
{
  char about[16384] = "";
  unsigned number;

  for (number = 0; number < 300; number++) {
    struct said said = { .rig = &bed };
    struct store_claim claim = claim_of (number, 1);

    claim.about = (struct store_bytes){ about, sizeof about };
    store_claim (bed.store, &claim, said_claim, &said);
    rig_until (&bed, &said, 1);
  }
  return number;
}

static void
a_copy_is_made_while_it_serves (void)
{
  struct said said = { .rig = &bed };
  unsigned number, before;
  struct stat is;

  number = make_large ();
  store_backup (bed.store, path_of ("copy.db"), said_backup, &said);
  before = number;
  while (said.told == 0) {
    CU_ASSERT_EQUAL (rig_claim (&bed, number, 1).verdict, STORE_WON);
    number++;
  }
  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_PTR_NULL (said.why);
  CU_ASSERT_TRUE (number > before);
  CU_ASSERT_EQUAL (stat (path_of ("copy.db"), &is), 0);
  CU_ASSERT_EQUAL (is.st_mode & 07777, 0600);
  CU_ASSERT_FALSE (place_has (&bed.place, "copy.db.part"));
  rig_stop (&bed);
  CU_ASSERT_EQUAL (rename (path_of ("copy.db"), path_of ("toolhost.db")), 0);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 0).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, before - 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_TRUE (store_figures (bed.store).calls >= before);
  CU_ASSERT_TRUE (store_figures (bed.store).calls <= number);
}

static void
a_copy_takes_no_files_place (void)
{
  struct said said;

  place_append (&bed.place, "mine", "x", 1);
  said = backup ("mine");
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy: File exists");
  CU_ASSERT_FALSE (place_has (&bed.place, "mine.part"));
  said = backup ("no/such/folder");
  CU_ASSERT_EQUAL (said.status, STORE_UNAVAILABLE);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy can't be made: No such file or directory");
  CU_ASSERT_EQUAL (backup ("fine").status, STORE_OK);
}

static void
one_copy_is_made_at_a_time (void)
{
  struct said said[2] = { { .rig = &bed }, { .rig = &bed } };

  store_backup (bed.store, path_of ("one"), said_backup, &said[0]);
  store_backup (bed.store, path_of ("two"), said_backup, &said[1]);
  rig_until (&bed, &said[0], 1);
  rig_until (&bed, &said[1], 1);
  CU_ASSERT_EQUAL (said[0].status, STORE_OK);
  CU_ASSERT_EQUAL (said[1].status, STORE_CONFLICT);
  CU_ASSERT_STRING_EQUAL (said[1].why, "another copy is being made");
  CU_ASSERT_EQUAL (backup ("two").status, STORE_OK);
}

static void
closing_ends_a_copy (void)
{
  struct said said = { .rig = &bed };

  store_backup (bed.store, path_of ("one"), said_backup, &said);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (said.told, 1);
  CU_ASSERT_EQUAL (said.status, STORE_UNAVAILABLE);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy was not ended: the store was closed");
  CU_ASSERT_FALSE (place_has (&bed.place, "one"));
  CU_ASSERT_FALSE (place_has (&bed.place, "one.part"));
  rig_start (&bed);
}

static void
memory_has_no_copies (void)
{
  struct rig memory;
  struct said said = { .rig = &memory };

  rig_open (&memory, RIG_MEMORY);
  store_backup (memory.store, "/x", said_backup, &said);
  rig_until (&memory, &said, 1);
  CU_ASSERT_EQUAL (said.status, STORE_NOT_FOUND);
  CU_ASSERT_FALSE (store_is_durable (memory.store));
  rig_close (&memory);
}

CU_TestInfo file_rooms[] = {
  { "a full file is told, and recovers", a_full_file_is_told_and_recovers },
  { "reads go on in a turn whose writes have no room",
    reads_go_on_in_a_turn_whose_writes_have_no_room },
  { "a full disk is told, and recovers", a_full_disk_is_told_and_recovers },
  CU_TEST_INFO_NULL,
};

CU_TestInfo file_copies[] = {
  { "a copy is made while it serves", a_copy_is_made_while_it_serves },
  { "a copy takes no file's place", a_copy_takes_no_files_place },
  { "one copy is made at a time", one_copy_is_made_at_a_time },
  { "closing ends a copy", closing_ends_a_copy },
  { "memory has no copies", memory_has_no_copies },
  CU_TEST_INFO_NULL,
};

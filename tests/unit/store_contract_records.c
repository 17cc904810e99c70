/* Records: documents of a kind and in a state, in the order they came. */
#include "store_contract.h"

static const struct store_record_query all = { .kind = "note" };

static void
a_record_is_there_until_it_is_forgotten (void)
{
  struct said said = rig_records (&bed, &all);

  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (said.count, 0);
  CU_ASSERT_EQUAL (rig_record (&bed, "one", "{\"a\":1}", 3, 0), STORE_OK);
  said = rig_records (&bed, &all);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_STRING_EQUAL (said.records[0].kind, "note");
  CU_ASSERT_STRING_EQUAL (said.records[0].tenant, "acme");
  CU_ASSERT_STRING_EQUAL (said.records[0].name, "one");
  CU_ASSERT_STRING_EQUAL (said.records[0].owner, "ann");
  CU_ASSERT_TRUE (is_text (said.records[0].body, "{\"a\":1}"));
  CU_ASSERT_EQUAL (said.records[0].state, 3);
  CU_ASSERT_EQUAL (said.records[0].forget_ms, 0);
  CU_ASSERT_EQUAL (store_figures (bed.store).records, 1);
  CU_ASSERT_EQUAL (rig_record (&bed, "one", NULL, 0, 0), STORE_OK);
  CU_ASSERT_EQUAL (rig_record (&bed, "one", NULL, 0, 0), STORE_OK);
  CU_ASSERT_EQUAL (rig_records (&bed, &all).count, 0);
  CU_ASSERT_EQUAL (store_figures (bed.store).records, 0);
}

static void
a_record_that_is_written_again_keeps_its_place (void)
{
  struct said said;
  int64_t number;

  rig_record (&bed, "one", "1", 0, 0);
  rig_record (&bed, "two", "2", 0, 0);
  number = rig_records (&bed, &all).records[1].number;
  rig_record (&bed, "one", "first", 1, bed.now_ms + 10);
  said = rig_records (&bed, &all);
  CU_ASSERT_EQUAL_FATAL (said.count, 2);
  CU_ASSERT_STRING_EQUAL (said.records[0].name, "two"); /* the newest is the first */
  CU_ASSERT_STRING_EQUAL (said.records[1].name, "one");
  CU_ASSERT_EQUAL (said.records[1].number, number);
  CU_ASSERT_TRUE (is_text (said.records[1].body, "first"));
  CU_ASSERT_EQUAL (said.records[1].state, 1);
  CU_ASSERT_EQUAL (store_figures (bed.store).records, 2);
}

static size_t
count_of (struct store_record_query query)
{
  return rig_records (&bed, &query).count;
}

static void
records_are_found_by_what_they_are (void)
{
  rig_record (&bed, "one", "1", 0, 0);
  rig_record (&bed, "two", "2", 1, 0);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "rule" }), 0);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .states = 1 << 1 }), 1);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .states = 1 << 2 }), 0);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .states = 3 }), 2);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .tenant = "acme" }), 2);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .tenant = "else" }), 0);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .owner = "ann" }), 2);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .owner = "bob" }), 0);
  CU_ASSERT_EQUAL (count_of ((struct store_record_query){ .kind = "note", .name = "two" }), 1);
}

static void
records_are_told_page_by_page (void)
{
  struct store_record_query query = { .kind = "note", .limit = 2 };
  struct said said;

  rig_record (&bed, "one", "1", 0, 0);
  rig_record (&bed, "two", "2", 0, 0);
  rig_record (&bed, "three", "3", 0, 0);
  said = rig_records (&bed, &query);
  CU_ASSERT_EQUAL_FATAL (said.count, 2);
  CU_ASSERT_STRING_EQUAL (said.records[0].name, "three");
  query.before = said.records[1].number;
  said = rig_records (&bed, &query);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_STRING_EQUAL (said.records[0].name, "one");
}

static void
a_record_is_forgotten_in_its_time (void)
{
  rig_record (&bed, "one", "1", 0, bed.now_ms + 100);
  rig_record (&bed, "two", "2", 0, bed.now_ms + 200);
  rig_record (&bed, "three", "3", 0, 0);
  bed.now_ms += 100;
  CU_ASSERT_EQUAL (rig_records (&bed, &all).count, 2);
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).records, 2);
  bed.now_ms += 1000000;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).records, 1);
}

static void
a_record_that_is_too_large_is_refused (void)
{
  struct said said = { .rig = &bed };
  char *large = xcalloc (1, bed.settings.record_max + 1);
  struct store_record record = {
    .kind = "note", .tenant = "acme", .name = "one", .body = { large, bed.settings.record_max + 1 }
  };

  store_record_set (bed.store, &record, said_status, &said);
  rig_until (&bed, &said, 1);
  CU_ASSERT_EQUAL (said.status, STORE_TOO_LARGE);
  free (large);
}

CU_TestInfo contract_records[] = {
  { "a record is there until it is forgotten", a_record_is_there_until_it_is_forgotten },
  { "a record that is written again keeps its place",
    a_record_that_is_written_again_keeps_its_place },
  { "records are found by what they are", records_are_found_by_what_they_are },
  { "records are told page by page", records_are_told_page_by_page },
  { "a record is forgotten in its time", a_record_is_forgotten_in_its_time },
  { "a record that is too large is refused", a_record_that_is_too_large_is_refused },
  CU_TEST_INFO_NULL,
};

/* Contexts and the outbox. */
#include "store_contract.h"

/* ---- contexts ---- */

static void
a_context_is_set_by_who_has_read_it (void)
{
  int64_t later = bed.now_ms + 1000, first, second;
  struct said said = rig_context_set (&bed, 1, "{\"a\":1}", 0, later);

  CU_ASSERT_EQUAL (said.status, STORE_OK);
  first = said.context.version;
  CU_ASSERT_TRUE (first > 0);
  said = rig_context_get (&bed, 1);
  CU_ASSERT_TRUE (is_text (said.context.body, "{\"a\":1}"));
  CU_ASSERT_EQUAL (said.context.version, first);
  CU_ASSERT_EQUAL (said.context.expires_ms, later);
  second = rig_context_set (&bed, 1, "{\"a\":2}", first, later).context.version;
  CU_ASSERT_TRUE (second > first);
  said = rig_context_set (&bed, 1, "{\"a\":3}", first, later);
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (said.context.version, second);
  CU_ASSERT_TRUE (is_text (said.context.body, "{\"a\":2}"));
}

static void
a_context_that_is_there_is_not_made (void)
{
  struct said said;

  rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000);
  CU_ASSERT_EQUAL (rig_context_set (&bed, 1, "[]", 0, bed.now_ms + 1000).status, STORE_CONFLICT);
  said = rig_context_set (&bed, 2, "{}", 5, bed.now_ms + 1000);
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_PTR_NULL (said.context.tenant);
}

static void
a_context_is_forgotten_by_who_has_read_it (void)
{
  int64_t version = rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000).context.version;
  struct said said;

  CU_ASSERT_EQUAL (rig_context_set (&bed, 1, NULL, version + 1, 0).status, STORE_CONFLICT);
  said = rig_context_set (&bed, 1, NULL, version, 0);
  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (said.context.version, 0);
  CU_ASSERT_EQUAL (rig_context_get (&bed, 1).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_context_set (&bed, 1, NULL, 0, 0).status, STORE_CONFLICT);
  CU_ASSERT_NOT_EQUAL (rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1).context.version, version);
}

static void
a_context_expires (void)
{
  rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 100);
  rig_context_set (&bed, 2, "{}", 0, bed.now_ms + 200);
  bed.now_ms += 100;
  CU_ASSERT_EQUAL (rig_context_get (&bed, 1).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_context_get (&bed, 2).status, STORE_OK);
  CU_ASSERT_EQUAL (rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 500).status, STORE_OK);
  bed.now_ms += 100;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).contexts, 1);
}

static void
a_context_that_is_too_large_is_refused (void)
{
  struct said said = { .rig = &bed };
  char *large = xcalloc (1, bed.settings.context_max + 1);
  struct store_context context = { .tenant = "acme",
                                   .body = { large, bed.settings.context_max + 1 } };

  store_context_set (bed.store, &context, said_context, &said);
  rig_until (&bed, &said, 1);
  CU_ASSERT_EQUAL (said.status, STORE_TOO_LARGE);
  free (large);
}

/* ---- outbox ---- */

static void
letters_leave_with_the_result (void)
{
  struct store_letter letters[] = {
    { "acme", "ended", TEXT ("one") },
    { "acme", "audit", TEXT ("two") },
  };
  struct said said;

  CU_ASSERT_EQUAL (rig_finish_with (&bed, 1, TEXT ("{}"), letters, 2), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_take (&bed, 10, 1000).count, 0);
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_take (&bed, 10, 1000).count, 0);
  CU_ASSERT_EQUAL (rig_finish_with (&bed, 1, TEXT ("{}"), letters, 2), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish_with (&bed, 1, TEXT ("{}"), letters, 2), STORE_OK);
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 2);
  CU_ASSERT_STRING_EQUAL (said.dues[0].tenant, "acme");
  CU_ASSERT_STRING_EQUAL (said.dues[0].hook, "ended");
  CU_ASSERT_TRUE (is_text (said.dues[0].payload, "one"));
  CU_ASSERT_TRUE (is_text (said.dues[1].payload, "two"));
  CU_ASSERT_EQUAL (said.dues[0].attempt, 1);
  CU_ASSERT_EQUAL (said.dues[0].created_ms, 1000000);
  CU_ASSERT_EQUAL (store_figures (bed.store).letters, 2);
}

static void
what_is_leased_is_due_again_when_that_has_passed (void)
{
  struct said said;
  int64_t id;

  CU_ASSERT_EQUAL (rig_post (&bed, "one"), STORE_OK);
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  id = said.dues[0].id;
  CU_ASSERT_EQUAL (said.next_ms, bed.now_ms + 1000);
  bed.now_ms += 999;
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL (said.count, 0);
  CU_ASSERT_EQUAL (said.next_ms, bed.now_ms + 1);
  bed.now_ms++;
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_EQUAL (said.dues[0].id, id);
  CU_ASSERT_EQUAL (said.dues[0].attempt, 2);
}

static void
what_was_sent_is_gone (void)
{
  struct said said;

  rig_post (&bed, "one");
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL (rig_sent (&bed, said.dues[0].id), STORE_OK);
  CU_ASSERT_EQUAL (rig_sent (&bed, said.dues[0].id), STORE_OK);
  CU_ASSERT_EQUAL (rig_retry (&bed, said.dues[0].id, bed.now_ms), STORE_NOT_FOUND);
  bed.now_ms += 5000;
  said = rig_take (&bed, 10, 1000);
  CU_ASSERT_EQUAL (said.count, 0);
  CU_ASSERT_EQUAL (said.next_ms, 0);
  CU_ASSERT_EQUAL (store_figures (bed.store).letters, 0);
}

static void
what_failed_is_tried_again_when_it_was_said (void)
{
  struct said said;

  rig_post (&bed, "one");
  said = rig_take (&bed, 1, 1000);
  CU_ASSERT_EQUAL (rig_retry (&bed, said.dues[0].id, bed.now_ms + 50), STORE_OK);
  said = rig_take (&bed, 1, 1000);
  CU_ASSERT_EQUAL (said.count, 0);
  CU_ASSERT_EQUAL (said.next_ms, bed.now_ms + 50);
  bed.now_ms += 50;
  said = rig_take (&bed, 1, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_EQUAL (said.dues[0].attempt, 2);
}

static void
letters_are_taken_in_their_order (void)
{
  struct said said;

  rig_post (&bed, "one");
  bed.now_ms++;
  rig_post (&bed, "two");
  bed.now_ms++;
  rig_post (&bed, "three");
  said = rig_take (&bed, 2, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 2);
  CU_ASSERT_TRUE (is_text (said.dues[0].payload, "one"));
  CU_ASSERT_TRUE (is_text (said.dues[1].payload, "two"));
  CU_ASSERT_EQUAL (said.next_ms, bed.now_ms); /* there is more at once */
  said = rig_take (&bed, 2, 1000);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_TRUE (is_text (said.dues[0].payload, "three"));
  CU_ASSERT_TRUE (said.dues[0].id > 0);
}

static void
what_is_forgotten_is_counted (void)
{
  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, TEXT ("done"));
  rig_claim (&bed, 2, 1);
  rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 100);
  rig_record (&bed, "one", "1", 0, bed.now_ms + 100);
  rig_record (&bed, "two", "2", 0, 0);
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "a", NULL, 1);
  rig_put (&bed, "b", "{}", 0);
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).forgotten, 0);
  bed.now_ms += bed.settings.result_ttl_ms;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).forgotten, 3);
  bed.now_ms += bed.settings.removed_ttl_ms;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).forgotten, 4);
  rig_tick (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).forgotten, 4);
}

CU_TestInfo contract_others[] = {
  { "a context is set by who has read it", a_context_is_set_by_who_has_read_it },
  { "a context that is there is not made", a_context_that_is_there_is_not_made },
  { "a context is forgotten by who has read it", a_context_is_forgotten_by_who_has_read_it },
  { "a context expires", a_context_expires },
  { "a context that is too large is refused", a_context_that_is_too_large_is_refused },
  { "letters leave with the result", letters_leave_with_the_result },
  { "what is leased is due again when that has passed",
    what_is_leased_is_due_again_when_that_has_passed },
  { "what was sent is gone", what_was_sent_is_gone },
  { "what failed is tried again when it was said", what_failed_is_tried_again_when_it_was_said },
  { "letters are taken in their order", letters_are_taken_in_their_order },
  { "what is forgotten is counted", what_is_forgotten_is_counted },
  CU_TEST_INFO_NULL,
};

/* A daemon's end, and the next one's begin. */
#include "store_file.h"

static void
everything_is_there_after_a_restart (void)
{
  size_t len = 600000;
  char *large = xcalloc (1, len);
  struct said said;

  memset (large, 'x', len);
  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, TEXT ("{\"a\":1}"));
  rig_claim (&bed, 2, 1);
  rig_finish (&bed, 2, (struct store_bytes){ large, len });
  rig_cancel (&bed, 3);
  rig_put (&bed, "t", "{\"v\":1}", 0);
  rig_put (&bed, "t", "{\"v\":2}", 1);
  rig_context_set (&bed, 4, "{\"c\":1}", 0, bed.now_ms + 1000);
  rig_post (&bed, "letter");
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_TRUE (is_text (rig_claim (&bed, 1, 1).call.result, "{\"a\":1}"));
  said = rig_lookup (&bed, 2);
  CU_ASSERT_EQUAL_FATAL (said.call.result.len, len);
  CU_ASSERT_EQUAL (memcmp (said.call.result.data, large, len), 0);
  CU_ASSERT_EQUAL (rig_claim (&bed, 3, 1).verdict, STORE_CANCELLED);
  said = rig_scan (&bed, &(struct store_scan){ .history = true });
  CU_ASSERT_EQUAL (said.count, 2);
  CU_ASSERT_EQUAL (said.revision, 2);
  CU_ASSERT_EQUAL (rig_put (&bed, "t", "{\"v\":3}", 2).revision, 3);
  CU_ASSERT_TRUE (is_text (rig_context_get (&bed, 4).context.body, "{\"c\":1}"));
  CU_ASSERT_TRUE (is_text (rig_take (&bed, 1, 1).dues[0].payload, "letter"));
  CU_ASSERT_TRUE (store_is_durable (bed.store));
  CU_ASSERT_STRING_EQUAL (store_name (bed.store), "sqlite");
  free (large);
}

static void
what_ran_is_unknown_after_a_restart (void)
{
  struct said said;

  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_cancel (&bed, 2);
  rig_stop (&bed);
  bed.now_ms += 7;
  rig_start (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).unknown, 1);
  CU_ASSERT_EQUAL (store_figures (bed.store).running, 0);
  said = rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (said.verdict, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (said.call.ended_ms, bed.now_ms);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_OTHER);
  CU_ASSERT_EQUAL (rig_claim (&bed, 2, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_CONFLICT);
}

static void
an_earlier_daemons_call_is_not_ended_by_a_later_one (void)
{
  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_cancel (&bed, 2);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_finish (&bed, 2, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_release (&bed, 1), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 2).call.state, STORE_CANCELLED);
}

static void
only_its_owner_ends_what_is_unknown (void)
{
  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_stop (&bed);
  by_hand ("toolhost.db", "UPDATE call SET state = 4, ended_ms = 5");   /* as a reaper says it */
  by_hand ("toolhost.db", "UPDATE call SET epoch = 2 WHERE rowid = 1"); /* the daemon that comes */
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("{}")), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 2, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_ENDED);
}

static void
contexts_versions_never_come_twice (void)
{
  int64_t version = rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000).context.version;

  rig_context_set (&bed, 1, NULL, version, 0);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_TRUE (rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1).context.version > version);
}

static void
figures_are_counted_when_it_opens (void)
{
  struct store_figures figures;

  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, TEXT ("{}"));
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "b", "{}", 0);
  rig_put (&bed, "b", NULL, 2);
  rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000);
  rig_post (&bed, "x");
  rig_stop (&bed);
  rig_start (&bed);
  figures = store_figures (bed.store);
  CU_ASSERT_EQUAL (figures.calls, 1);
  CU_ASSERT_EQUAL (figures.definitions, 1);
  CU_ASSERT_EQUAL (figures.contexts, 1);
  CU_ASSERT_EQUAL (figures.letters, 1);
  CU_ASSERT_EQUAL (figures.revision, 3);
  CU_ASSERT_TRUE (figures.bytes >= 4096);
}

static void
very_many_are_forgotten_in_several_turns (void)
{
  enum { MANY = 2500 };
  struct said *said = xcalloc (MANY, sizeof *said);

  for (unsigned i = 0; i < MANY; i++) {
    struct store_key key = key_of (i);

    said[i].rig = &bed;
    store_cancel (bed.store, &key, said_status, &said[i]);
  }
  rig_until (&bed, &said[MANY - 1], 1);
  bed.now_ms += bed.settings.result_ttl_ms;
  store_tick (bed.store);
  ev_run (bed.loop, 0); /* until there is nothing to do */
  CU_ASSERT_EQUAL (store_figures (bed.store).calls, 0);
  free (said);
}

static void
chunks_go_with_their_call (void)
{
  char *large = xcalloc (1, 600000);

  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, (struct store_bytes){ large, 600000 });
  bed.now_ms += bed.settings.result_ttl_ms;
  rig_tick (&bed);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (number_in ("toolhost.db", "SELECT count (*) FROM chunk"), 0);
  rig_start (&bed);
  free (large);
}

CU_TestInfo file_restarts[] = {
  { "everything is there after a restart", everything_is_there_after_a_restart },
  { "what ran is unknown after a restart", what_ran_is_unknown_after_a_restart },
  { "an earlier daemon's call is not ended by a later one",
    an_earlier_daemons_call_is_not_ended_by_a_later_one },
  { "only its owner ends what is unknown", only_its_owner_ends_what_is_unknown },
  { "contexts' versions never come twice", contexts_versions_never_come_twice },
  { "figures are counted when it opens", figures_are_counted_when_it_opens },
  { "very many are forgotten in several turns", very_many_are_forgotten_in_several_turns },
  { "chunks go with their call", chunks_go_with_their_call },
  CU_TEST_INFO_NULL,
};

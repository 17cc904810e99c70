/* The ledger: who may run a call, and what is known of it. */
#include "store_contract.h"

static struct store_bytes
result (void)
{
  return TEXT ("{\"content\":[]}");
}

static void
a_claim_is_won_once (void)
{
  struct said first = rig_claim (&bed, 1, 1), second = rig_claim (&bed, 1, 1);

  CU_ASSERT_EQUAL (first.verdict, STORE_WON);
  CU_ASSERT_EQUAL (second.verdict, STORE_RUNNING);
  CU_ASSERT_STRING_EQUAL (second.call.tool, "clock__now");
  CU_ASSERT_TRUE (is_text (second.call.about, "{\"id\":\"c1\"}"));
  CU_ASSERT_EQUAL (second.call.created_ms, 1000000);
  CU_ASSERT_EQUAL (second.call.ended_ms, 0);
}

static void
of_two_in_one_turn_the_first_wins (void)
{
  struct said said[2] = { { .rig = &bed }, { .rig = &bed } };
  struct store_claim claim = claim_of (1, 1);
  unsigned won = 0;

  store_claim (bed.store, &claim, said_claim, &said[0]);
  store_claim (bed.store, &claim, said_claim, &said[1]);
  rig_until (&bed, &said[1], 1);
  if (said[0].verdict == STORE_NOT_CLAIMED) { /* then one who asks again wins, and one alone */
    said[0] = rig_claim (&bed, 1, 1);
    said[1] = rig_claim (&bed, 1, 1);
  }
  for (int i = 0; i < 2; i++)
    won += said[i].verdict == STORE_WON;
  CU_ASSERT_EQUAL (won, 1);
}

static void
an_ended_call_tells_its_result (void)
{
  struct said said;

  rig_claim (&bed, 1, 1);
  bed.now_ms += 500;
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  said = rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (said.verdict, STORE_ENDED);
  CU_ASSERT_TRUE (is_text (said.call.result, "{\"content\":[]}"));
  CU_ASSERT_EQUAL (said.call.created_ms, 1000000);
  CU_ASSERT_EQUAL (said.call.ended_ms, 1000500);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_ENDED);
}

static void
an_empty_result_is_one (void)
{
  struct said said;

  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("")), STORE_OK);
  said = rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (said.verdict, STORE_ENDED);
  CU_ASSERT_EQUAL (said.call.result.len, 0);
}

static void
a_result_that_is_told_twice_is_the_same (void)
{
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("{}")), STORE_CONFLICT);
  CU_ASSERT_TRUE (is_text (rig_lookup (&bed, 1).call.result, "{\"content\":[]}"));
}

static void
what_was_never_won_is_not_ended (void)
{
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).status, STORE_NOT_FOUND);
  CU_ASSERT_PTR_NULL (rig_lookup (&bed, 1).call.tool);
}

static void
an_id_with_other_arguments_is_another_call (void)
{
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_OTHER);
  rig_finish (&bed, 1, result ());
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_OTHER);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_ENDED);
}

static void
tenants_have_their_own_ids (void)
{
  struct said said = { .rig = &bed };
  struct store_claim claim = claim_of (1, 1);

  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_WON);
  claim.key.tenant = "other";
  do {
    store_claim (bed.store, &claim, said_claim, &said);
    rig_until (&bed, &said, said.told + 1);
  } while (said.verdict == STORE_NOT_CLAIMED);
  CU_ASSERT_EQUAL (said.verdict, STORE_WON);
}

static void
what_is_cancelled_first_is_never_won (void)
{
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_OK);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_CANCELLED);
}

static void
what_is_cancelled_while_it_runs_tells_so_and_may_end (void)
{
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_OK);
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_OK);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_ENDED);
}

static void
what_has_ended_is_not_cancelled (void)
{
  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, result ());
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_CONFLICT);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_ENDED);
}

static void
what_is_released_may_be_won_again (void)
{
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_release (&bed, 1), STORE_OK);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_WON);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  CU_ASSERT_EQUAL (rig_release (&bed, 1), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_ENDED);
}

static void
what_is_released_after_its_cancel_stays_cancelled (void)
{
  rig_claim (&bed, 1, 1);
  rig_cancel (&bed, 1);
  CU_ASSERT_EQUAL (rig_release (&bed, 1), STORE_OK);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_NOT_FOUND);
}

static void
a_result_of_many_chunks_comes_back_whole (void)
{
  size_t len = 3 * (256 << 10) + 17;
  char *large = xmalloc (len);
  struct said said;

  for (size_t i = 0; i < len; i++)
    large[i] = (char) (i * 7 + i / 251);
  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, (struct store_bytes){ large, len }), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, (struct store_bytes){ large, len }), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, (struct store_bytes){ large, len - 1 }), STORE_CONFLICT);
  said = rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (said.verdict, STORE_ENDED);
  CU_ASSERT_EQUAL_FATAL (said.call.result.len, len);
  CU_ASSERT_EQUAL (memcmp (said.call.result.data, large, len), 0);
  free (large);
}

static void
a_result_that_is_too_large_leaves_the_call_running (void)
{
  char *large = xcalloc (1, bed.settings.result_max + 1);

  rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, (struct store_bytes){ large, bed.settings.result_max + 1 }),
                   STORE_TOO_LARGE);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_RUNNING);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, result ()), STORE_OK);
  free (large);
}

static void
ended_calls_are_forgotten_in_time (void)
{
  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_finish (&bed, 1, result ());
  rig_cancel (&bed, 3);
  bed.now_ms += bed.settings.result_ttl_ms - 1;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_ENDED);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 3).call.state, STORE_CANCELLED);
  bed.now_ms++;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 2).call.state, STORE_RUNNING);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 3).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_WON);
}

static void
figures_count_calls (void)
{
  struct store_figures figures;

  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_claim (&bed, 3, 1);
  rig_finish (&bed, 1, result ());
  rig_release (&bed, 2);
  figures = store_figures (bed.store);
  CU_ASSERT_EQUAL (figures.calls, 2);
  CU_ASSERT_EQUAL (figures.running, 1);
  CU_ASSERT_EQUAL (figures.unknown, 0);
  CU_ASSERT_TRUE (figures.commits >= 1 && figures.acts >= 5);
}

CU_TestInfo contract_calls[] = {
  { "a claim is won once", a_claim_is_won_once },
  { "of two in one turn the first wins", of_two_in_one_turn_the_first_wins },
  { "an ended call tells its result", an_ended_call_tells_its_result },
  { "an empty result is one", an_empty_result_is_one },
  { "a result that is told twice is the same", a_result_that_is_told_twice_is_the_same },
  { "what was never won is not ended", what_was_never_won_is_not_ended },
  { "an id with other arguments is another call", an_id_with_other_arguments_is_another_call },
  { "tenants have their own ids", tenants_have_their_own_ids },
  { "what is cancelled first is never won", what_is_cancelled_first_is_never_won },
  { "what is cancelled while it runs tells so, and may end",
    what_is_cancelled_while_it_runs_tells_so_and_may_end },
  { "what has ended is not cancelled", what_has_ended_is_not_cancelled },
  { "what is released may be won again", what_is_released_may_be_won_again },
  { "what is released after its cancel stays cancelled",
    what_is_released_after_its_cancel_stays_cancelled },
  { "a result of many chunks comes back whole", a_result_of_many_chunks_comes_back_whole },
  { "a result that is too large leaves the call running",
    a_result_that_is_too_large_leaves_the_call_running },
  { "ended calls are forgotten in time", ended_calls_are_forgotten_in_time },
  { "figures count calls", figures_count_calls },
  CU_TEST_INFO_NULL,
};

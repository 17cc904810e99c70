/* Turns, callbacks, bounds, and closing. */
#include "store_contract.h"

static void
a_callback_comes_once_and_never_from_within (void)
{
  struct said said = { .rig = &bed };
  struct store_claim claim = claim_of (1, 1);

  store_claim (bed.store, &claim, said_claim, &said);
  CU_ASSERT_EQUAL (said.told, 0);
  rig_until (&bed, &said, 1);
  rig_turns (&bed, 20);
  CU_ASSERT_EQUAL (said.told, 1);
}

static void
what_is_asked_in_a_turn_is_told_in_its_order (void)
{
  struct said said[3] = { { .rig = &bed }, { .rig = &bed }, { .rig = &bed } };
  struct store_key key = key_of (1);
  struct store_letter letter = { "acme", "h", TEXT ("x") };

  store_cancel (bed.store, &key, said_status, &said[0]);
  store_post (bed.store, &letter, 1, said_status, &said[1]);
  store_lookup (bed.store, &key, said_call, &said[2]);
  rig_until (&bed, &said[2], 1);
  CU_ASSERT_EQUAL (said[0].told, 1);
  CU_ASSERT_EQUAL (said[1].told, 1);
}

static void
what_was_handed_in_is_copied (void)
{
  char tool[] = "clock__now", about[] = "{\"id\":\"c1\"}", tenant[] = "acme";
  struct said said = { .rig = &bed };
  struct store_claim claim = claim_of (1, 1);

  claim.tool = tool;
  claim.about.data = about;
  claim.key.tenant = tenant;
  store_claim (bed.store, &claim, said_claim, &said);
  memset (tool, 'x', sizeof tool - 1);
  memset (about, 'x', sizeof about - 1);
  memset (tenant, 'x', sizeof tenant - 1);
  rig_until (&bed, &said, 1);
  (void) rig_claim (&bed, 1, 1);
  said = rig_lookup (&bed, 1);
  CU_ASSERT_STRING_EQUAL (said.call.tool, "clock__now");
  CU_ASSERT_TRUE (is_text (said.call.about, "{\"id\":\"c1\"}"));
}

static void
more_than_may_wait_is_unavailable (void)
{
  struct said said[4] = { { .rig = &bed }, { .rig = &bed }, { .rig = &bed }, { .rig = &bed } };
  struct store_claim claim[4];

  rig_stop (&bed);
  bed.settings.pending_max = 2;
  rig_start (&bed);
  for (unsigned i = 0; i < 4; i++) {
    claim[i] = claim_of (i, 1);
    store_claim (bed.store, &claim[i], said_claim, &said[i]);
    CU_ASSERT_EQUAL (said[i].told, 0);
  }
  rig_until (&bed, &said[1], 1);
  rig_until (&bed, &said[3], 1);
  CU_ASSERT_EQUAL (said[2].verdict, STORE_NOT_CLAIMED);
  CU_ASSERT_EQUAL (said[3].verdict, STORE_NOT_CLAIMED);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 3).status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_claim (&bed, 3, 1).verdict, STORE_WON);
}

static void
more_bytes_than_may_wait_are_unavailable (void)
{
  struct said said[2] = { { .rig = &bed }, { .rig = &bed } };
  char body[600] = "";
  struct store_letter letter = { "acme", "h", { body, sizeof body } };

  rig_stop (&bed);
  bed.settings.pending_bytes = 1000;
  rig_start (&bed);
  store_post (bed.store, &letter, 1, said_status, &said[0]);
  store_post (bed.store, &letter, 1, said_status, &said[1]);
  rig_until (&bed, &said[0], 1);
  rig_until (&bed, &said[1], 1);
  CU_ASSERT_EQUAL (said[1].status, STORE_UNAVAILABLE);
  CU_ASSERT_EQUAL (rig_post (&bed, "y"), STORE_OK);
}

static void
closing_does_what_was_asked (void)
{
  struct said said[3] = { { .rig = &bed }, { .rig = &bed }, { .rig = &bed } };
  struct store_claim claim = claim_of (1, 1);
  struct store_key key = key_of (2);

  store_claim (bed.store, &claim, said_claim, &said[0]);
  rig_turns (&bed, 1);
  store_cancel (bed.store, &key, said_status, &said[1]);
  store_lookup (bed.store, &key, said_call, &said[2]);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (said[0].told, 1);
  CU_ASSERT_EQUAL (said[1].told, 1);
  CU_ASSERT_EQUAL (said[2].told, 1);
  rig_start (&bed);
}

static void
on_cancelled_at_the_end (void *ctx, enum store_status status)
{
  struct said *said = ctx;
  struct store_key key = key_of (3);

  (void) status;
  store_lookup (said->rig->store, &key, said_call, said);
}

static void
what_is_asked_while_it_closes_is_unavailable (void)
{
  struct said said = { .rig = &bed };
  struct store_key key = key_of (2);

  store_cancel (bed.store, &key, on_cancelled_at_the_end, &said);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (said.told, 1);
  CU_ASSERT_EQUAL (said.status, STORE_UNAVAILABLE);
  rig_start (&bed);
}

static void
a_loop_without_acts_ends (void)
{
  rig_claim (&bed, 1, 1);
  CU_ASSERT_FALSE (ev_run (bed.loop, 0));
}

static void
many_turns_of_many_acts (void)
{
  enum { MANY = 3000 };
  struct said *said = xcalloc (MANY, sizeof *said);
  unsigned won = 0;

  for (unsigned i = 0; i < MANY; i++) {
    struct store_claim claim = claim_of (i, 1);

    said[i].rig = &bed;
    store_claim (bed.store, &claim, said_claim, &said[i]);
  }
  for (unsigned i = 0; i < MANY; i++) {
    rig_until (&bed, &said[i], 1);
    if (said[i].verdict == STORE_NOT_CLAIMED)
      said[i] = rig_claim (&bed, i, 1);
    won += said[i].verdict == STORE_WON;
  }
  CU_ASSERT_EQUAL (won, MANY);
  CU_ASSERT_EQUAL (store_figures (bed.store).running, MANY);
  free (said);
}

CU_TestInfo contract_front[] = {
  { "a callback comes once, and never from within", a_callback_comes_once_and_never_from_within },
  { "what is asked in a turn is told in its order", what_is_asked_in_a_turn_is_told_in_its_order },
  { "what was handed in is copied", what_was_handed_in_is_copied },
  { "more than may wait is unavailable", more_than_may_wait_is_unavailable },
  { "more bytes than may wait are unavailable", more_bytes_than_may_wait_are_unavailable },
  { "closing does what was asked", closing_does_what_was_asked },
  { "what is asked while it closes is unavailable", what_is_asked_while_it_closes_is_unavailable },
  { "a loop without acts ends", a_loop_without_acts_ends },
  { "many turns of many acts", many_turns_of_many_acts },
  CU_TEST_INFO_NULL,
};

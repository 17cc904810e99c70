/* Definitions: documents with revisions and a history. */
#include "store_contract.h"

static void
a_definition_is_made_replaced_and_removed (void)
{
  struct store_scan all = { .tenant = "acme" };
  struct said said = rig_put (&bed, "a", "{\"v\":1}", 0);

  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (said.revision, 1);
  bed.now_ms += 10;
  CU_ASSERT_EQUAL (rig_put (&bed, "a", "{\"v\":2}", 1).revision, 2);
  said = rig_scan (&bed, &all);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_EQUAL (said.revision, 2);
  CU_ASSERT_STRING_EQUAL (said.definitions[0].tenant, "acme");
  CU_ASSERT_STRING_EQUAL (said.definitions[0].kind, "tool");
  CU_ASSERT_STRING_EQUAL (said.definitions[0].name, "a");
  CU_ASSERT_STRING_EQUAL (said.definitions[0].author, "ops");
  CU_ASSERT_TRUE (is_text (said.definitions[0].body, "{\"v\":2}"));
  CU_ASSERT_EQUAL (said.definitions[0].revision, 2);
  CU_ASSERT_EQUAL (said.definitions[0].created_ms, 1000000);
  CU_ASSERT_EQUAL (said.definitions[0].written_ms, 1000010);
  CU_ASSERT_EQUAL (rig_put (&bed, "a", NULL, 2).revision, 3);
  CU_ASSERT_EQUAL (rig_scan (&bed, &all).count, 0);
}

static void
an_expected_revision_must_be_there (void)
{
  struct said said;

  rig_put (&bed, "a", "{}", 0);
  said = rig_put (&bed, "a", "{\"x\":1}", 0);
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (said.revision, 1);
  said = rig_put (&bed, "b", "{}", 7);
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (said.revision, 0);
  CU_ASSERT_EQUAL (rig_put (&bed, "a", "{\"x\":2}", -1).revision, 2);
  CU_ASSERT_EQUAL (rig_put (&bed, "a", NULL, 1).status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (rig_put (&bed, "c", "{}", -1).revision, 3);
}

static void
what_is_not_there_is_not_removed (void)
{
  struct said said = rig_put (&bed, "a", NULL, -1);

  CU_ASSERT_EQUAL (said.status, STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (said.revision, 0);
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "a", NULL, -1);
  CU_ASSERT_EQUAL (rig_put (&bed, "a", NULL, -1).status, STORE_NOT_FOUND);
}

static void
what_was_removed_may_be_made_again (void)
{
  struct said said;

  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "a", NULL, 1);
  bed.now_ms += 5;
  CU_ASSERT_EQUAL (rig_put (&bed, "a", "{\"v\":3}", 0).revision, 3);
  said = rig_scan (&bed, &(struct store_scan){ .name = "a" });
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_EQUAL (said.definitions[0].created_ms, 1000005);
}

static void
changes_are_all_made_or_none (void)
{
  struct store_change changes[] = {
    { "acme", "tool", "a", TEXT ("{}"), 0, "ops" },
    { "acme", "tool", "b", TEXT ("{}"), 5, "ops" },
    { "acme", "tool", "c", TEXT ("{}"), 0, "ops" },
  };
  struct said said = rig_change (&bed, changes, 3);

  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (said.wrong, 1);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ 0 }).count, 0);
  changes[1].expect = 0;
  said = rig_change (&bed, changes, 3);
  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (said.revision, 1);
  said = rig_scan (&bed, &(struct store_scan){ 0 });
  CU_ASSERT_EQUAL_FATAL (said.count, 3);
  CU_ASSERT_EQUAL (said.definitions[2].revision, 1);
}

static void
one_document_is_not_changed_twice_at_once (void)
{
  struct store_change changes[] = {
    { "acme", "tool", "a", TEXT ("{}"), -1, "ops" },
    { "acme", "tool", "a", TEXT ("{}"), -1, "ops" },
  };
  struct said said = rig_change (&bed, changes, 2);

  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (said.wrong, 1);
}

static void
no_changes_are_no_revision (void)
{
  struct said said = rig_change (&bed, NULL, 0);

  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_EQUAL (said.revision, 0);
}

static void
revisions_have_no_gaps (void)
{
  char name[16];

  for (int i = 1; i <= 20; i++) {
    snprintf (name, sizeof name, "t%d", i);
    rig_put (&bed, name, "{}", 99); /* refused */
    CU_ASSERT_EQUAL (rig_put (&bed, name, "{}", 0).revision, i);
  }
  CU_ASSERT_EQUAL (store_figures (bed.store).revision, 20);
  CU_ASSERT_EQUAL (store_figures (bed.store).definitions, 20);
}

static void
a_scan_tells_what_was_written_since (void)
{
  struct said said;

  rig_put (&bed, "c", "{}", 0);
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "b", "{}", 0);
  rig_put (&bed, "c", NULL, -1);
  said = rig_scan (&bed, &(struct store_scan){ .since = 1 });
  CU_ASSERT_EQUAL_FATAL (said.count, 3);
  CU_ASSERT_STRING_EQUAL (said.definitions[0].name, "a");
  CU_ASSERT_STRING_EQUAL (said.definitions[2].name, "c");
  CU_ASSERT_PTR_NULL (said.definitions[2].body.data);
  CU_ASSERT_EQUAL (said.definitions[2].revision, 4);
  said = rig_scan (&bed, &(struct store_scan){ .limit = 1 });
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_STRING_EQUAL (said.definitions[0].name, "a");
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .since = 4 }).count, 0);
}

static void
a_scan_is_of_a_tenant_a_kind_a_name (void)
{
  struct store_change changes[] = {
    { "b", "tool", "x", TEXT ("1"), 0, NULL },
    { "a", "tool", "x", TEXT ("2"), 0, NULL },
    { "a", "endpoints", "x", TEXT ("3"), 0, NULL },
    { "a", "tool", "w", TEXT ("4"), 0, NULL },
  };
  struct said said;

  rig_change (&bed, changes, 4);
  said = rig_scan (&bed, &(struct store_scan){ 0 });
  CU_ASSERT_EQUAL_FATAL (said.count, 4);
  CU_ASSERT_TRUE (is_text (said.definitions[0].body, "3"));
  CU_ASSERT_TRUE (is_text (said.definitions[1].body, "4"));
  CU_ASSERT_TRUE (is_text (said.definitions[2].body, "2"));
  CU_ASSERT_TRUE (is_text (said.definitions[3].body, "1"));
  CU_ASSERT_STRING_EQUAL (said.definitions[0].author, "");
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .tenant = "a" }).count, 3);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .kind = "tool" }).count, 3);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .tenant = "a", .name = "x" }).count, 2);
}

static void
a_history_is_newest_first_with_what_was_removed (void)
{
  struct said said;

  rig_put (&bed, "a", "{\"v\":1}", 0);
  rig_put (&bed, "b", "{}", 0);
  rig_put (&bed, "a", "{\"v\":2}", 1);
  rig_put (&bed, "a", NULL, 3);
  said = rig_scan (&bed, &(struct store_scan){ .name = "a", .history = true });
  CU_ASSERT_EQUAL_FATAL (said.count, 3);
  CU_ASSERT_EQUAL (said.definitions[0].revision, 4);
  CU_ASSERT_PTR_NULL (said.definitions[0].body.data);
  CU_ASSERT_TRUE (is_text (said.definitions[1].body, "{\"v\":2}"));
  CU_ASSERT_TRUE (is_text (said.definitions[2].body, "{\"v\":1}"));
  said = rig_scan (&bed, &(struct store_scan){ .history = true, .limit = 2 });
  CU_ASSERT_EQUAL (said.count, 2);
  CU_ASSERT_EQUAL (said.definitions[1].revision, 3);
}

static void
a_history_is_bounded (void)
{
  struct said said;
  char body[32];

  rig_stop (&bed);
  bed.settings.history_max = 3;
  rig_start (&bed);
  for (int i = 1; i <= 5; i++) {
    snprintf (body, sizeof body, "{\"v\":%d}", i);
    rig_put (&bed, "a", body, -1);
  }
  said = rig_scan (&bed, &(struct store_scan){ .history = true });
  CU_ASSERT_EQUAL_FATAL (said.count, 3);
  CU_ASSERT_EQUAL (said.definitions[0].revision, 5);
  CU_ASSERT_EQUAL (said.definitions[2].revision, 3);
  CU_ASSERT_EQUAL (rig_put (&bed, "a", "{}", 5).revision, 6);
}

static void
removed_definitions_are_forgotten_in_time (void)
{
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "b", "{}", 0);
  rig_put (&bed, "a", NULL, 1);
  bed.now_ms += bed.settings.removed_ttl_ms;
  rig_tick (&bed);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .history = true }).count, 1);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .since = 2 }).status, STORE_CONFLICT);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ .since = 3 }).status, STORE_OK);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ 0 }).count, 1);
  CU_ASSERT_EQUAL (rig_put (&bed, "c", "{}", 0).revision, 4);
}

static void
a_definition_that_is_too_large_is_refused (void)
{
  char *large = xcalloc (1, bed.settings.definition_max + 1);
  struct store_change changes[] = {
    { "acme", "tool", "a", TEXT ("{}"), 0, NULL },
    { "acme", "tool", "b", { large, bed.settings.definition_max + 1 }, 0, NULL },
  };
  struct said said = rig_change (&bed, changes, 2);

  CU_ASSERT_EQUAL (said.status, STORE_TOO_LARGE);
  CU_ASSERT_EQUAL (said.wrong, 1);
  CU_ASSERT_EQUAL (rig_scan (&bed, &(struct store_scan){ 0 }).count, 0);
  free (large);
}

CU_TestInfo contract_definitions[] = {
  { "a definition is made, replaced and removed", a_definition_is_made_replaced_and_removed },
  { "an expected revision must be there", an_expected_revision_must_be_there },
  { "what is not there is not removed", what_is_not_there_is_not_removed },
  { "what was removed may be made again", what_was_removed_may_be_made_again },
  { "changes are all made or none", changes_are_all_made_or_none },
  { "one document is not changed twice at once", one_document_is_not_changed_twice_at_once },
  { "no changes are no revision", no_changes_are_no_revision },
  { "revisions have no gaps", revisions_have_no_gaps },
  { "a scan tells what was written since", a_scan_tells_what_was_written_since },
  { "a scan is of a tenant, a kind, a name", a_scan_is_of_a_tenant_a_kind_a_name },
  { "a history is newest first, with what was removed",
    a_history_is_newest_first_with_what_was_removed },
  { "a history is bounded", a_history_is_bounded },
  { "removed definitions are forgotten in time", removed_definitions_are_forgotten_in_time },
  { "a definition that is too large is refused", a_definition_that_is_too_large_is_refused },
  CU_TEST_INFO_NULL,
};

/* Which calls a standing approval is for: rows of seed 3's T3-12 and T3-13. */
#include "approval/standing.h"
#include "tap.h"

enum what { FOR_TOOL, FOR_ARGUMENTS };

/* One rule, made of an approved call, and a call that comes later. */
struct row {
  const char *what;
  struct standing_call approved;
  enum what what_for;
  struct standing_call later;
  bool covered;
};
#define CALL(name, args)                                                                           \
  {                                                                                                \
    .tool = (name), .digest = "d1", .arguments = {(args), sizeof (args) - 1 }                      \
  }
#define BARE(name)                                                                                 \
  {                                                                                                \
    .tool = (name), .digest = "d1"                                                                 \
  }

/* The rule that is made of an approved call. */
static struct standing_words
rule_of (const struct standing_call *approved, enum what what, struct buf *arguments)
{
  struct standing_words rule = { .tool = approved->tool,
                                 .server_label = approved->server_label,
                                 .digest = approved->digest };

  if (what == FOR_ARGUMENTS) {
    CU_ASSERT_TRUE (standing_arguments (approved->arguments, arguments));
    rule.arguments = (struct store_bytes){ arguments->data, arguments->len };
  }
  return rule;
}

static void
check_rows (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    CLEANUP_BUF struct buf arguments = { 0 };
    const struct standing_words rule = rule_of (&rows[i].approved, rows[i].what_for, &arguments);
    const bool covered = standing_covers (&rule, &rows[i].later);
    if (covered != rows[i].covered)
      printf ("# %s\n", rows[i].what);
    CU_ASSERT_EQUAL (covered, rows[i].covered);
  }
}

static void
t3_13_matches_rule (void)
{
  static const struct row rows[] = {
    { "T3-13.43 ToolLevelRule_MatchesAnyArgs", BARE ("MyTool"), FOR_TOOL,
      CALL ("MyTool", "{\"x\":\"1\"}"), true },
    { "T3-13.44 ToolLevelRule_DoesNotMatchDifferentTool", BARE ("ToolA"), FOR_TOOL, BARE ("ToolB"),
      false },
    { "T3-13.45 ToolWithArgsRule_MatchesExactArgs", CALL ("ReadFile", "{\"path\":\"test.txt\"}"),
      FOR_ARGUMENTS, CALL ("ReadFile", "{ \"path\": \"test\\u002etxt\" }"), true },
    { "T3-13.46 ToolWithArgsRule_DoesNotMatchDifferentValues",
      CALL ("ReadFile", "{\"path\":\"test.txt\"}"), FOR_ARGUMENTS,
      CALL ("ReadFile", "{\"path\":\"other.txt\"}"), false },
    { "T3-13.47 ToolWithArgsRule_DoesNotMatchDifferentArgCount",
      CALL ("ReadFile", "{\"path\":\"test.txt\"}"), FOR_ARGUMENTS,
      CALL ("ReadFile", "{\"path\":\"test.txt\",\"encoding\":\"utf-8\"}"), false },
    { "T3-13.48 NonFunctionCallContent_ReturnsFalse",
      BARE ("MyTool"),
      FOR_TOOL,
      { .tool = NULL, .digest = "d1" },
      false },
    { "T3-13.49 JsonElementArgs_MatchesCorrectly", CALL ("MyTool", "{\"count\":42}"), FOR_ARGUMENTS,
      CALL ("MyTool", "{\"count\":42.0}"), true },
    { "T3-13.50 EmptyArgumentsRule_MatchesEmptyArgumentCall_ReturnsTrue",
      CALL ("SendPayment", "{}"), FOR_ARGUMENTS, BARE ("SendPayment"), true },
    { "T3-13.51 EmptyArgumentsRule_DoesNotMatchArgumentBearingCall", BARE ("SendPayment"),
      FOR_ARGUMENTS, CALL ("SendPayment", "{\"amount\":5000}"), false },
  };

  check_rows (rows, sizeof rows / sizeof *rows);
}

static void
t3_12_standing_rules (void)
{
  static const struct row rows[] = {
    { "always_approve_tool_rule", CALL ("t", "{\"a\":1}"), FOR_TOOL, CALL ("t", "{\"a\":2}"),
      true },
    { "always_approve_tool_with_arguments_rule", CALL ("t", "{\"a\":1,\"b\":[1,2]}"), FOR_ARGUMENTS,
      CALL ("t", "{\"b\":[1.0,2e0],\"a\":1}"), true },
    { "… the order of a list counts", CALL ("t", "{\"b\":[1,2]}"), FOR_ARGUMENTS,
      CALL ("t", "{\"b\":[2,1]}"), false },
    { "… null is not absent", CALL ("t", "{\"a\":null}"), FOR_ARGUMENTS, CALL ("t", "{}"), false },
    { "… an id of 17 digits is not the next one", CALL ("t", "{\"id\":12345678901234567}"),
      FOR_ARGUMENTS, CALL ("t", "{\"id\":12345678901234568}"), false },
    { "… a number is not its text", CALL ("t", "{\"a\":1}"), FOR_ARGUMENTS,
      CALL ("t", "{\"a\":\"1\"}"), false },
    { "empty_arguments_rule_is_not_tool_wide", CALL ("t", "{}"), FOR_ARGUMENTS,
      CALL ("t", "{\"a\":1}"), false },
    { "T3-12.23 standing_rules_include_hosted_server_boundary: ours is not theirs",
      BARE ("t"),
      FOR_TOOL,
      { .tool = "t", .server_label = "docs", .digest = "d1" },
      false },
    { "… theirs is not ours",
      { .tool = "t", .server_label = "docs", .digest = "d1" },
      FOR_TOOL,
      BARE ("t"),
      false },
    { "… nor another server's",
      { .tool = "t", .server_label = "docs", .digest = "d1" },
      FOR_TOOL,
      { .tool = "t", .server_label = "mail", .digest = "d1" },
      false },
    { "… but its own",
      { .tool = "t", .server_label = "docs", .digest = "d1" },
      FOR_TOOL,
      { .tool = "t", .server_label = "docs", .digest = "d1" },
      true },
    { "a tool that has changed is asked about again",
      BARE ("t"),
      FOR_TOOL,
      { .tool = "t", .digest = "d2" },
      false },
    { "a tool that nobody knows is asked about",
      BARE ("t"),
      FOR_TOOL,
      { .tool = "t", .digest = NULL },
      false },
    { "what can't be read is asked about", BARE ("t"), FOR_TOOL, CALL ("t", "{\"a\":"), false },
    { "what is no object is asked about", BARE ("t"), FOR_TOOL, CALL ("t", "[1]"), false },
  };

  check_rows (rows, sizeof rows / sizeof *rows);
}

/* ToolApprovalRuleTests: what a rule of a call's arguments keeps. */
static void
t3_13_tool_approval_rule (void)
{
  static const struct {
    const char *arguments, *kept; /* NULL: refused */
  } rows[] = {
    { "", "{}" },
    { "{}", "{}" },
    { "{ \"b\" : [1, 2.50, null], \"a\": \"\\u00e9\" }",
      "{\"a\":\"\xc3\xa9\",\"b\":[1,2.50,null]}" },
    { "{\"a\":{\"d\":true,\"c\":{}}}", "{\"a\":{\"c\":{},\"d\":true}}" },
    { "{\"a\":12345678901234567890}", "{\"a\":12345678901234567890}" },
    { "null", NULL },
    { "[]", NULL },
    { "{\"a\":1,\"a\":2}", NULL },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_BUF struct buf kept = { 0 };
    const struct store_bytes arguments = { rows[i].arguments, strlen (rows[i].arguments) };
    CU_ASSERT_EQUAL (standing_arguments (arguments, &kept), rows[i].kept != NULL);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&kept), rows[i].kept != NULL ? rows[i].kept : "");
  }
}

static void
a_rule_that_is_none_covers_nothing (void)
{
  static const struct standing_call call = BARE ("t");
  static const struct standing_words rules[] = {
    { .tool = "t" },
    { .digest = "d1" },
    { .tool = "t", .digest = "d1", .arguments = { "[]", 2 } },
    { .tool = "t", .digest = "d1", .arguments = { "{\"a\"", 4 } },
  };

  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    CU_ASSERT_FALSE (standing_covers (&rules[i], &call));
}

static CU_TestInfo tests[] = {
  { "T3-13: MatchesRule, nine rows", t3_13_matches_rule },
  { "T3-12: standing rules", t3_12_standing_rules },
  { "T3-13: ToolApprovalRule, what a rule keeps", t3_13_tool_approval_rule },
  { "a rule that is none covers nothing", a_rule_that_is_none_covers_nothing },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "standing approvals", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
